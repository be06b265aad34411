//! The two passes over all particles: to the grid, and back.

use super::Mpm;
use super::interaction::Change;
use super::layout::{BUNCHES_A_TASK, tile_size};
use super::obstacles::Obstacles;
use super::registers::dispatch;
use super::scalar::{Quad, Scalar};
use super::settings::Gradient;
use super::summary::Summary;
use super::to_grid::{Push, Scatter, ScatterBlock};
use super::to_particles::{Gather, GatherBlock};
use super::transfer::{EXTRA, Node};
use pliant_math::Vect;
use pliant_solver::Span;
use pliant_world::World;
use rayon::prelude::*;

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// Steps 1 and 3: every block scatters its particles onto its own tile.
    pub(super) fn scatter<const W: usize>(&mut self, world: &World<D>, span: Span, with_forces: bool) {
        let size = tile_size(D, W);
        self.grid.tiles.resize(self.layout.blocks.len() * size, Node::<T>::default());
        let scatter = Scatter {
            mesh: &self.mesh,
            dt: if with_forces { span.dt } else { 0.0 },
            is_affine: self.settings.transfer.is_affine(),
            by_kernel: self.by_kernel::<W>(),
        };
        let (blocks, bunches) = (&self.layout.blocks, &self.state.bunches);
        let push =
            |id: u32, x: &Vect<D>| world.acceleration_at(x, world.particles.body[id as usize], span.time);
        let push = self.gravity.is_none().then_some(&push as Push<'_, D>);
        let tiles = self.grid.tiles.par_chunks_mut(size).with_min_len(BUNCHES_A_TASK);
        tiles.zip(blocks).zip(bunches).for_each(|((tile, block), bunch)| {
            let place = &block.place;
            dispatch(ScatterBlock::<T, D, W> { scatter: &scatter, place, bunch, push, tile });
        });
    }

    /// Whether gradients are those of the spline: by choice, or because a linear spline has no others.
    pub(super) fn by_kernel<const W: usize>(&self) -> bool {
        self.settings.gradient == Gradient::Kernel || self.mesh.is_linear::<W>()
    }

    /// Steps 7 to 10: every block takes back the velocities of its nodes, deforms its particles and moves them.
    pub(super) fn gather<const W: usize>(
        &mut self,
        span: Span,
        obstacles: &Obstacles<'_>,
        changes: &[Change],
    ) -> Summary {
        let (layout, grid) = (&self.layout, &self.grid);
        let species = layout.species();
        let size = tile_size(D, W);
        let gather = Gather {
            mesh: &self.mesh,
            span,
            settings: &self.settings,
            by_kernel: self.by_kernel::<W>(),
            matters: &self.matters,
            obstacles,
        };
        let parts: Vec<Summary> = self
            .state
            .bunches
            .par_iter_mut()
            .with_min_len(BUNCHES_A_TASK)
            .enumerate()
            .map_init(
                || (vec![Node::<T>::default(); size], Vec::new()),
                |(tile, before), (index, bunch)| {
                    let block = &layout.blocks[index];
                    let from = (&layout.nodes_around[index], usize::from(block.species), species);
                    grid.fill_tile::<D>(&grid.nodes, from, tile);
                    if gather.settings.transfer.flip_share() > 0.0 {
                        before.resize(size, Node::<T>::default());
                        grid.fill_tile::<D>(&grid.before, from, before);
                        before.iter_mut().for_each(to_velocity::<T>);
                    }
                    let changes = changes.get(layout.grains_of(index)).unwrap_or_default();
                    let (gather, place) = (&gather, &block.place);
                    dispatch(GatherBlock::<T, D, W> { gather, place, bunch, changes, tile, before })
                },
            )
            .collect();
        parts.into_iter().fold(Summary::default(), Summary::with)
    }
}

fn to_velocity<T: Scalar>(node: &mut Node<T>) {
    let mass = node.array()[EXTRA];
    if mass > T::zero() {
        *node = *node * Quad::splat(T::one() / mass);
    }
}
