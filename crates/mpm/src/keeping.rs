//! Where particles are kept: by block of the grid, and sorted again when they may have left theirs.

use super::grain::{Bunch, Grain};
use super::layout::{self, Block, FARTHEST_CELL, Layout, Reach, block_edge};
use super::order::{self, Newcomers};
use super::registers::LANES;
use super::scalar::Scalar;
use super::state::{Slot, State};
use super::{Kernel, Mpm};
use nalgebra::SMatrix;
use pliant_math::{Vect, parallel};
use pliant_solver::{Span, StepError};
use pliant_world::World;
use rayon::prelude::*;

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// The particles that are there, one after the other: a copy, for what does not work in packs.
    pub(super) fn present(&self) -> Vec<Grain<T, D>> {
        let newborn = &self.state.waiting[..self.state.born];
        self.state.bunches.iter().flat_map(Bunch::iter).chain(newborn.iter().copied()).collect()
    }

    /// A sum over the particles that are there, in a fixed order.
    pub(super) fn sum(&self, value: impl Fn(&Grain<T, D>) -> f64 + Sync) -> f64 {
        parallel::sum(self.slot.len(), 0.0, |i| {
            let slot = self.slot[i];
            if self.state.is_present(slot) { value(&self.state.get(slot)) } else { 0.0 }
        })
    }

    /// The fastest particle, and its speed [m/s].
    pub(super) fn fastest(&self) -> (usize, f64) {
        let fastest = parallel::max(self.slot.len(), |i| {
            let slot = self.slot[i];
            if self.state.is_present(slot) { self.state.motion(slot).1.norm() } else { 0.0 }
        });
        fastest.unwrap_or((0, 0.0))
    }

    /// Sorts particles by block before any can have left the margin of its tile.
    pub(super) fn sort_if_moved<const W: usize>(&mut self) -> Result<(), StepError> {
        if self.state.travelled < self.mesh.spacing * 0.999 {
            return Ok(());
        }
        self.sort::<W>()
    }

    fn sort<const W: usize>(&mut self) -> Result<(), StepError> {
        let limit = FARTHEST_CELL * self.mesh.spacing;
        let farthest = parallel::max(self.slot.len(), |i| {
            let slot = self.slot[i];
            if self.state.is_present(slot) { self.state.motion(slot).0.amax() } else { 0.0 }
        });
        if let Some((particle, distance)) =
            farthest.filter(|(_, distance)| *distance >= limit || distance.is_nan())
        {
            return Err(StepError::TooFar { particle, distance, limit });
        }
        let newborn: Vec<Grain<T, D>> = self.state.waiting.drain(..self.state.born).collect();
        self.state.born = 0;
        let newcomers = Newcomers {
            count: newborn.len(),
            place: |i: usize| (newborn[i].species, newborn[i].position),
            make: |i: usize| newborn[i],
        };
        self.put_in_order::<_, _, W>(&newcomers);
        Ok(())
    }

    /// Brings every particle, and those that are new, to its block.
    pub(super) fn put_in_order<P, F, const W: usize>(&mut self, newcomers: &Newcomers<P, F>)
    where
        P: Fn(usize) -> (u8, Vect<D>) + Sync,
        F: Fn(usize) -> Grain<T, D> + Sync,
    {
        let (mesh, bunches) = (self.mesh, std::mem::take(&mut self.state.bunches));
        let sorted = order::sort((&self.state.blocks, bunches), newcomers, |x| mesh.first_node::<D, W>(x));
        (self.state.blocks, self.state.bunches) = sorted;
        let reaches = self.reaches::<W>();
        if self.layout.serves(&self.state.blocks, &reaches) {
            self.layout.blocks.clone_from(&self.state.blocks);
        } else {
            self.layout = Layout::of(self.state.blocks.clone(), reaches);
        }
        self.state.travelled = 0.0;
        self.number_slots();
    }

    /// A grid for particles that were sorted before.
    pub(super) fn lay_out(&mut self) {
        let reaches = match self.settings.kernel {
            Kernel::Linear => self.reaches::<2>(),
            Kernel::Quadratic => self.reaches::<3>(),
            Kernel::Cubic => self.reaches::<4>(),
        };
        self.layout = Layout::of(self.state.blocks.clone(), reaches);
    }

    /// What the particles of each block may touch.
    fn reaches<const W: usize>(&self) -> Vec<Reach> {
        let State { blocks, bunches, .. } = &self.state;
        let reach_of = |(block, bunch): (&Block<D>, &Bunch<T, D>)| {
            // Wide, for a state that was read may say anything.
            let (mut low, mut high) = ([i64::MAX; D], [i64::MIN; D]);
            for index in 0..bunch.len() {
                let node = self.mesh.first_node::<D, W>(&bunch.position(index));
                for axis in 0..D {
                    let local = i64::from(node[axis]) - i64::from(block.place.0[axis]) * block_edge(D) as i64;
                    (low[axis], high[axis]) = (low[axis].min(local), high[axis].max(local));
                }
            }
            layout::reach(&low, &high, W)
        };
        blocks.par_iter().zip(bunches).map(reach_of).collect()
    }

    pub(super) fn number_slots(&mut self) {
        let count = self.state.bunches.iter().map(Bunch::len).sum::<usize>() + self.state.waiting.len();
        self.slot.resize(count, Slot::waiting(0));
        for (block, bunch) in self.state.bunches.iter().enumerate() {
            for (number, pack) in bunch.packs.iter().enumerate() {
                for lane in 0..bunch.lanes(number) {
                    let index = (number * LANES + lane) as u32;
                    self.slot[pack.id[lane] as usize] = Slot { block: block as u32, index };
                }
            }
        }
        for (index, grain) in self.state.waiting.iter().enumerate() {
            self.slot[grain.id as usize] = Slot::waiting(index);
        }
    }

    /// Particles that are held or driven go where they must; how far that takes the farthest [m].
    pub(super) fn drive(&mut self, world: &World<D>, span: Span) -> f64 {
        let mut farthest = 0.0_f64;
        let ends = world.pinned_positions(span.time + span.dt);
        for ((i, start), (_, target)) in world.pinned_positions(span.time).zip(ends) {
            let velocity = (target - start) / span.dt;
            self.state.update(self.slot[i], |grain| {
                (grain.velocity, grain.affine) = (velocity.map(T::of), SMatrix::zeros());
                farthest = farthest.max((target - grain.position).amax());
                grain.position = target;
            });
        }
        farthest
    }
}
