//! Steps 7 to 10: what a particle takes back from the grid, and where it goes.

use super::constitutive::Matter;
use super::grain::{Grain, widen};
use super::interaction::{self, Change};
use super::layout::Block;
use super::obstacles::Obstacles;
use super::scalar::{Quad, Scalar};
use super::settings::MpmSettings;
use super::summary::Summary;
use super::transfer::{self, EXTRA, Mesh, Node, Stencil};
use nalgebra::SMatrix;
use pliant_math::Vect;
use pliant_solver::Span;
use pulp::{Simd, WithSimd};

/// How particles come back from the grid.
pub(super) struct Gather<'a> {
    pub mesh: &'a Mesh,
    pub span: Span,
    pub settings: &'a MpmSettings,
    pub by_kernel: bool,
    pub matters: &'a [Matter],
    pub obstacles: &'a Obstacles<'a>,
}

/// Particles that are taken through steps 7 to 10 together.
const CHUNK: usize = 32;

/// One block on its way back from the grid, in the widest registers there are.
pub(super) struct GatherBlock<'a, T: Scalar, const D: usize, const W: usize> {
    pub gather: &'a Gather<'a>,
    pub block: &'a Block<D>,
    pub grains: &'a mut [Grain<T, D>],
    /// What each of them is in this step; empty where nothing reacts.
    pub changes: &'a [Change],
    pub tile: &'a [Node<T>],
    pub before: &'a [Node<T>],
}

impl<T: Scalar, const D: usize, const W: usize> WithSimd for GatherBlock<'_, T, D, W> {
    type Output = Summary;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Summary {
        let Self { gather, block, grains, changes, tile, before } = self;
        let always = gather.settings.particle_collision;
        let near = gather.obstacles.near(&block.place, W as f64);
        let is_careful = gather.obstacles.need_care(&near, always);
        let dt = gather.span.dt;
        let mut velocities = [Vect::<D>::zeros(); CHUNK];
        let mut gradients = [SMatrix::<T, D, D>::zeros(); CHUNK];
        let mut summary = Summary::default();
        for (number, chunk) in grains.chunks_mut(CHUNK).enumerate() {
            for (grain, (velocity, gradient)) in
                chunk.iter_mut().zip(velocities.iter_mut().zip(&mut gradients))
            {
                let stencil = Stencil::<T, D, W>::of(gather.mesh, &block.place, &grain.position);
                (*velocity, *gradient) = gather.take_back(grain, &stencil, tile, before);
            }
            let gradients = &gradients[..chunk.len()];
            summary = summary.with(match changes.get(number * CHUNK..) {
                Some(changes) if !changes.is_empty() => gather.respond_changed(chunk, gradients, changes),
                _ => T::respond(simd, chunk, gradients, (gather.matters, dt)),
            });
            for (grain, velocity) in chunk.iter_mut().zip(&velocities) {
                let start = grain.position;
                if is_careful {
                    let moving = (&start, velocity * dt, usize::from(grain.species));
                    let (place, stopped) =
                        gather.obstacles.stop(&near, always, moving, grain.velocity.map(T::wide));
                    (grain.position, grain.velocity) = (place, stopped.map(T::of));
                } else {
                    grain.position += velocity * dt;
                }
                summary.travel = summary.travel.max((grain.position - start).amax());
            }
        }
        summary
    }
}

impl Gather<'_> {
    /// Particles some of which are not what they were.
    fn respond_changed<T: Scalar, const D: usize>(
        &self,
        grains: &mut [Grain<T, D>],
        gradients: &[SMatrix<T, D, D>],
        changes: &[Change],
    ) -> Summary {
        let each = grains.iter_mut().zip(gradients).zip(changes);
        each.fold(Summary::default(), |sum, ((grain, gradient), change)| {
            if let Change::Become(other) = change {
                interaction::turn_into(grain, self.matters, *other);
            }
            let matter = match change {
                Change::Parameters(matter) => matter,
                Change::None | Change::Become(_) => &self.matters[grain.matter as usize],
            };
            let response = matter.respond(grain, &widen(gradient), self.span.dt);
            sum.with(Summary::of(grain, matter, &response))
        })
    }

    /// Step 8: the new velocity of a particle. Returns the velocity that moves it, and the velocity gradient.
    #[inline(always)]
    fn take_back<T: Scalar, const D: usize, const W: usize>(
        &self,
        grain: &mut Grain<T, D>,
        stencil: &Stencil<T, D, W>,
        tile: &[Node<T>],
        before: &[Node<T>],
    ) -> (Vect<D>, SMatrix<T, D, D>) {
        let per_cell = T::of(1.0 / self.mesh.spacing);
        let gathered =
            if W == 2 { transfer::gather_gradient(tile, stencil) } else { transfer::gather(tile, stencil) };
        let velocity = gathered.vector();
        // Weights add up to one but for rounding.
        grain.saturation = gathered.value.array()[EXTRA].min(T::one());
        grain.affine = gathered.gradient(per_cell);
        let gradient = if self.by_kernel && W != 2 {
            transfer::gather_gradient(tile, stencil).gradient(per_cell)
        } else {
            grain.affine
        };
        let share = self.settings.transfer.flip_share();
        grain.velocity = if share > 0.0 {
            let old = transfer::gather(before, stencil).vector();
            velocity + (grain.velocity - old) * T::of(share)
        } else {
            velocity
        };
        let mut wide = Vect::zeros();
        for axis in 0..D {
            wide[axis] = velocity[axis].wide();
        }
        (wide, gradient)
    }
}
