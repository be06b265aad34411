//! Where particles are kept: by block of the grid, and sorted again when they may have left theirs.

use super::Mpm;
use super::grain::{Bunch, Grain};
use super::layout::{Block, FARTHEST_CELL, Layout};
use super::order::{self, Newcomers};
use super::registers::LANES;
use super::scalar::Scalar;
use super::state::Slot;
use nalgebra::SMatrix;
use pliant_math::{Vect, parallel};
use pliant_solver::{Span, StepError};
use pliant_world::World;

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
        let same_place = |(a, b): (&Block<D>, &Block<D>)| (a.species, a.place) == (b.species, b.place);
        let is_same = sorted.0.len() == self.layout.blocks.len()
            && sorted.0.iter().zip(&self.layout.blocks).all(same_place);
        (self.state.blocks, self.state.bunches) = sorted;
        if is_same {
            self.layout.blocks.clone_from(&self.state.blocks);
        } else {
            self.layout = Layout::of(self.state.blocks.clone());
            self.touching.clear();
        }
        self.state.travelled = 0.0;
        self.number_slots();
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
