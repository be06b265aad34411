//! Steps 7 to 10: what a particle takes back from the grid, and where it goes.

#![allow(clippy::needless_range_loop, reason = "lanes and axes are counted: iterators hide which is which")]

use super::constitutive::Matter;
use super::grain::{Bunch, Grain, Pack, widen};
use super::interaction::{self, Change};
use super::lanes::Lanes;
use super::layout::Place;
use super::lines::{self, Stencils};
use super::obstacles::Obstacles;
use super::registers::{LANES, Registers, Row, Task, highest};
use super::scalar::{Quad, Scalar};
use super::settings::MpmSettings;
use super::summary::Summary;
use super::transfer::{self, EXTRA, Mesh, Node, Stencil};
use nalgebra::{SMatrix, SVector};
use pliant_math::Vect;
use pliant_solver::Span;

/// How particles come back from the grid.
pub(crate) struct Gather<'a> {
    pub mesh: &'a Mesh,
    pub span: Span,
    pub settings: &'a MpmSettings,
    pub by_kernel: bool,
    pub matters: &'a [Matter],
    pub obstacles: &'a Obstacles<'a>,
}

/// One block on its way back from the grid.
pub(super) struct GatherBlock<'a, T: Scalar, const D: usize, const W: usize> {
    pub gather: &'a Gather<'a>,
    pub place: &'a Place<D>,
    pub bunch: &'a mut Bunch<T, D>,
    /// What each of its particles is in this step; empty where nothing reacts.
    pub changes: &'a [Change],
    pub tile: &'a [Node<T>],
    pub before: &'a [Node<T>],
}

/// Where a pack takes its velocities from.
pub(crate) struct Source<'a, T: Scalar, const D: usize> {
    pub gather: &'a Gather<'a>,
    pub place: &'a Place<D>,
    pub tile: &'a [Node<T>],
    pub before: &'a [Node<T>],
    /// Lanes that are particles.
    pub count: usize,
}

/// What a pack took from the grid.
pub(crate) struct Taken<T, const D: usize> {
    /// Velocity of the grid, which moves the particles [m/s].
    velocity: [Row<T>; D],
    /// Velocity gradient, by columns [1/s].
    pub gradient: [[Row<T>; D]; D],
}

impl<T: Scalar, const D: usize> Taken<T, D> {
    #[inline(always)]
    fn nothing() -> Self {
        Self { velocity: [[T::zero(); LANES]; D], gradient: [[[T::zero(); LANES]; D]; D] }
    }

    /// Velocity gradients of up to sixteen particles.
    #[cfg(test)]
    pub fn of(gradients: &[SMatrix<T, D, D>]) -> Self {
        let mut taken = Self::nothing();
        for (lane, gradient) in gradients.iter().enumerate() {
            for column in 0..D {
                for row in 0..D {
                    taken.gradient[column][row][lane] = gradient[(row, column)];
                }
            }
        }
        taken
    }

    /// The velocity gradient of one particle.
    pub fn gradient_of(&self, lane: usize) -> SMatrix<T, D, D> {
        SMatrix::from_fn(|row, column| self.gradient[column][row][lane])
    }
}

impl<T: Scalar, const D: usize, const W: usize> Task for GatherBlock<'_, T, D, W> {
    type Output = Summary;

    #[inline(always)]
    fn run<R: Registers>(self, registers: R) -> Summary {
        let Self { gather, place, bunch, changes, tile, before } = self;
        let watched = gather.obstacles.to_watch(place, W as f64, gather.settings.particle_collision);
        let dt = gather.span.dt;
        let species = usize::from(bunch.species);
        let (mut summary, mut ways) = (Summary::default(), [0.0; LANES]);
        for number in 0..bunch.packs.len() {
            let count = bunch.lanes(number);
            if let Some(next) = bunch.packs.get(number + 1) {
                registers.fetch(&next.position);
                registers.fetch(&next.velocity);
                registers.fetch(&next.affine);
                registers.fetch(&next.elastic);
                registers.fetch(&next.stress);
                registers.fetch(&next.shear);
                registers.fetch(&next.volume);
                registers.fetch(&next.matter);
            }
            let pack = &mut bunch.packs[number];
            let source = Source { gather, place, tile, before, count };
            let taken = T::gather::<R, D, W>(registers, &source, pack);
            summary = summary.with(match changes.get(number * LANES..) {
                Some(changes) if !changes.is_empty() => {
                    gather.respond_changed(pack, &taken, &changes[..count])
                }
                _ => T::respond(registers, (pack, count), &taken, (gather.matters, dt)),
            });
            if watched.is_empty() {
                move_freely(pack, &taken, dt, &mut ways);
            } else {
                gather.move_carefully(pack, &taken, (&watched, count, species), &mut ways);
            }
        }
        Summary { travel: highest(&ways), ..summary }
    }
}

/// Step 10: moves particles with the grid, and notes the farthest way of each lane [m].
#[inline(always)]
fn move_freely<T: Scalar, const D: usize>(
    pack: &mut Pack<T, D>,
    taken: &Taken<T, D>,
    dt: f64,
    ways: &mut Row<f64>,
) {
    for axis in 0..D {
        for lane in 0..LANES {
            let start = pack.position[axis][lane];
            let end = start + taken.velocity[axis][lane].wide() * dt;
            pack.position[axis][lane] = end;
            let way = (end - start).abs();
            ways[lane] = if way > ways[lane] { way } else { ways[lane] };
        }
    }
}

impl Gather<'_> {
    /// Steps 9 and 10: moves particles that obstacles may stop, and notes the farthest way of each lane [m].
    fn move_carefully<T: Scalar, const D: usize>(
        &self,
        pack: &mut Pack<T, D>,
        taken: &Taken<T, D>,
        (watched, count, species): (&[usize], usize, usize),
        ways: &mut Row<f64>,
    ) {
        for lane in 0..count {
            let start = pack.position(lane);
            let step = Vect::<D>::from_fn(|axis, _| taken.velocity[axis][lane].wide() * self.span.dt);
            let velocity = Vect::from_fn(|axis, _| pack.velocity[axis][lane].wide());
            let (place, velocity) = self.obstacles.stop(watched, (&start, step, species), velocity);
            for axis in 0..D {
                pack.position[axis][lane] = place[axis];
                pack.velocity[axis][lane] = T::of(velocity[axis]);
            }
            ways[lane] = ways[lane].max((place - start).amax());
        }
    }

    /// Particles some of which are not what they were.
    fn respond_changed<T: Scalar, const D: usize>(
        &self,
        pack: &mut Pack<T, D>,
        taken: &Taken<T, D>,
        changes: &[Change],
    ) -> Summary {
        changes.iter().enumerate().fold(Summary::default(), |sum, (lane, change)| {
            let mut grain = pack.get(lane, 0);
            if let Change::Become(other) = change {
                interaction::turn_into(&mut grain, self.matters, *other);
            }
            let matter = match change {
                Change::Parameters(matter) => matter,
                Change::None | Change::Become(_) => &self.matters[grain.matter as usize],
            };
            let response = matter.respond(&mut grain, &widen(&taken.gradient_of(lane)), self.span.dt);
            pack.set(lane, &grain);
            sum.with(Summary::of(&grain, matter, &response))
        })
    }
}

impl<T: Scalar, const D: usize> Source<'_, T, D> {
    /// Step 8, one particle after the other.
    #[inline(always)]
    pub fn plain<const W: usize>(&self, pack: &mut Pack<T, D>) -> Taken<T, D> {
        let mut taken = Taken::nothing();
        for lane in 0..self.count {
            let mut grain = pack.get(lane, 0);
            let (velocity, gradient) = self.grain::<W>(&mut grain);
            pack.set(lane, &grain);
            for column in 0..D {
                taken.velocity[column][lane] = velocity[column];
                for row in 0..D {
                    taken.gradient[column][row][lane] = gradient[(row, column)];
                }
            }
        }
        taken
    }

    /// The new velocity of a particle. Returns the velocity that moves it, and the velocity gradient.
    #[inline(always)]
    fn grain<const W: usize>(&self, grain: &mut Grain<T, D>) -> (SVector<T, D>, SMatrix<T, D, D>) {
        let gather = self.gather;
        let stencil = Stencil::<T, D, W>::of(gather.mesh, self.place, &grain.position);
        let per_cell = T::of(1.0 / gather.mesh.spacing);
        let gathered = if gather.mesh.is_linear::<W>() {
            transfer::gather_gradient(self.tile, &stencil)
        } else {
            transfer::gather(self.tile, &stencil)
        };
        let velocity = gathered.vector();
        // Weights add up to one but for rounding.
        grain.saturation = gathered.value.array()[EXTRA].min(T::one());
        grain.affine = gathered.gradient(per_cell);
        let gradient = if gather.by_kernel && !gather.mesh.is_linear::<W>() {
            transfer::gather_gradient(self.tile, &stencil).gradient(per_cell)
        } else {
            grain.affine
        };
        let share = gather.settings.transfer.flip_share();
        grain.velocity = if share > 0.0 {
            let old = transfer::gather(self.before, &stencil).vector();
            velocity + (grain.velocity - old) * T::of(share)
        } else {
            velocity
        };
        (velocity, gradient)
    }
}

impl<const D: usize> Source<'_, f32, D> {
    /// Step 8 in lanes, where the spline and the gradient allow it.
    #[inline(always)]
    pub fn in_lanes<R: Registers, const W: usize>(
        &self,
        registers: R,
        pack: &mut Pack<f32, D>,
    ) -> Taken<f32, D> {
        let gather = self.gather;
        if W == 2 || gather.by_kernel || gather.mesh.mixed.is_some() {
            return self.plain::<W>(pack);
        }
        let stencils = Stencils::<D, W>::of(registers, gather.mesh, self.place, &pack.position);
        let sums = lines::gather(registers, self.tile, &stencils, self.count);
        let per_cell = (1.0 / gather.mesh.spacing) as f32;
        let mut taken = Taken::nothing();
        for axis in 0..D {
            taken.velocity[axis] = sums.value[axis].to_array();
            for row in 0..D {
                let slope = sums.slope::<W>(registers, (row, axis), &stencils.within[axis], per_cell);
                taken.gradient[axis][row] = slope.to_array();
            }
        }
        // A species that is alone meets no other; memory that is not written costs nothing.
        if gather.settings.mixture.species.len() > 1 {
            pack.saturation = sums.value[EXTRA].min(Lanes::splat(registers, 1.0)).to_array();
        }
        pack.affine = taken.gradient;
        let share = gather.settings.transfer.flip_share();
        if share > 0.0 {
            let old = lines::gather::<R, D, W>(registers, self.before, &stencils, self.count);
            for axis in 0..D {
                let kept = Lanes::load(registers, &pack.velocity[axis]) - old.value[axis];
                let new = Lanes::load(registers, &taken.velocity[axis]);
                pack.velocity[axis] = (new + kept * (share as f32)).to_array();
            }
        } else {
            pack.velocity = taken.velocity;
        }
        taken
    }
}
