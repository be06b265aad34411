//! What species do to each other at a node: drag and buoyancy (Nilles 2020, §6.2).

use super::grid::MAX_SPECIES;
use super::settings::{Drag, DragMode, Mixture};
use pliant_math::Vect;

/// The species at one node.
pub(super) struct Mixed<const D: usize> {
    pub mass: [f64; MAX_SPECIES],
    pub velocity: [Vect<D>; MAX_SPECIES],
}

impl<const D: usize> Mixed<D> {
    /// The fluid's pressure carries the others as much as the fluid itself: its impulse is shared by volume. (Nilles
    /// 2020, Eq. 104, gives the others a force and takes nothing from the fluid; see the errata.)
    pub fn lift(&mut self, fluid: usize, impulse: &Vect<D>, density: &[f64]) {
        if self.mass[fluid] <= 0.0 {
            return;
        }
        let volume = |kind: usize| self.mass[kind] / density[kind];
        let all: f64 = (0..density.len()).map(volume).sum();
        let shares: Vec<f64> = (0..density.len()).map(|kind| volume(kind) / all).collect();
        for (kind, share) in shares.iter().enumerate() {
            if kind != fluid && self.mass[kind] > 0.0 {
                self.velocity[kind] += impulse * (share / self.mass[kind]);
                self.velocity[fluid] -= impulse * (share / self.mass[fluid]);
            }
        }
    }

    /// Drag between all pairs; momentum is kept (Nilles 2020, Eq. 102–110).
    pub fn exchange(&mut self, mixture: &Mixture, dt: f64, node_volume: f64) {
        let present: Vec<usize> = (0..MAX_SPECIES).filter(|kind| self.mass[*kind] > 0.0).collect();
        if mixture.mode == DragMode::Limit {
            let mass: f64 = present.iter().map(|kind| self.mass[*kind]).sum();
            let momentum: Vect<D> = present.iter().map(|kind| self.velocity[*kind] * self.mass[*kind]).sum();
            for kind in present {
                self.velocity[kind] = momentum / mass;
            }
            return;
        }
        // One pair after the other: exact for two species, second order in the step for more.
        for (position, &a) in present.iter().enumerate() {
            for &b in &present[position + 1..] {
                let (ma, mb) = (self.mass[a], self.mass[b]);
                let rate = match mixture.drag {
                    Drag::Literal(coefficient) => coefficient * ma * mb,
                    Drag::Physical(coefficient) => coefficient * node_volume,
                };
                let pace = dt * rate * (1.0 / ma + 1.0 / mb);
                // Share of the difference in velocity that goes in this step.
                let share = match mixture.mode {
                    DragMode::Free => pace,
                    DragMode::Clamp => pace.min(1.0),
                    DragMode::Implicit | DragMode::Limit => pace / (1.0 + pace),
                };
                let impulse = (self.velocity[b] - self.velocity[a]) * (share * ma * mb / (ma + mb));
                self.velocity[a] += impulse / ma;
                self.velocity[b] -= impulse / mb;
            }
        }
    }
}
