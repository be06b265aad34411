//! How long a step may be.

use super::Mpm;
use super::grain::{Bunch, Grain, widen};
use super::scalar::Scalar;
use super::settings::Integrator;
use super::summary::Summary;
use pliant_solver::{Solver, StepError};

/// Particles may cross this many cells in a step; the margin of the tiles asks for less than one.
const MAX_TRAVEL: f64 = 0.9;

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// How long steps are at first, and what bounds them.
    pub(super) fn binding_limit(&self) -> Option<String> {
        let dt = self.longest_step().filter(|_| !self.slot.is_empty())?;
        let cause = match (self.settings.substep, self.summary) {
            (Some(_), _) => "as the scene says",
            _ if self.settings.integrator == Integrator::Implicit => "bound by the fastest motion",
            (None, summary) if self.viscous_step(&summary) < self.wave_step(&summary) => {
                "bound by friction in a fluid"
            }
            (None, summary) if summary.wave_speed > 0.5 * summary.signal_speed => {
                "bound by waves in the stiffest matter"
            }
            _ => "bound by the fastest motion",
        };
        Some(format!("steps of {dt:.1e} s at first, {cause}"))
    }

    /// The longest step that is stable, by waves, motion and friction (Nilles 2020, §4.1; VALIDATION T19).
    pub(super) fn stable_step(&self, summary: &Summary) -> f64 {
        if self.settings.integrator == Integrator::Implicit {
            return self.settings.courant * self.motion_step();
        }
        self.settings.courant * self.wave_step(summary).min(self.viscous_step(summary))
    }

    /// Time in which the fastest particle, or one that falls from rest, crosses a cell [s].
    fn motion_step(&self) -> f64 {
        let speed = self.fastest().1;
        let (h, push) = (self.mesh.spacing, self.gravity.map_or(0.0, |gravity| gravity.norm()));
        // The root of h = v t + g t²/2.
        2.0 * h / (speed + (speed * speed + 2.0 * push * h).sqrt()).max(f64::MIN_POSITIVE)
    }

    /// Time in which a signal crosses a cell [s].
    fn wave_step(&self, summary: &Summary) -> f64 {
        self.mesh.spacing / summary.signal_speed.max(f64::MIN_POSITIVE)
    }

    /// Time in which friction spreads over a cell [s].
    fn viscous_step(&self, summary: &Summary) -> f64 {
        self.mesh.spacing.powi(2) / (2.0 * D as f64 * summary.viscosity.max(f64::MIN_POSITIVE))
    }

    /// Before a particle is written: a node that is too fast or not a number ends the step.
    pub(super) fn refuse_wild_nodes(&self, speed: f64, dt: f64) -> Result<(), StepError> {
        let (distance, limit) = (speed * dt, MAX_TRAVEL * self.mesh.spacing);
        if distance <= limit {
            return Ok(());
        }
        if !distance.is_finite() {
            let is_wrong = |grain: &Grain<T, D>| {
                !widen(&grain.stress)
                    .iter()
                    .chain(grain.velocity.map(T::wide).iter())
                    .all(|value| value.is_finite())
            };
            let mut grains = self.state.bunches.iter().flat_map(Bunch::iter);
            let particle = grains.find(is_wrong).map_or(0, |grain| grain.id);
            return Err(StepError::NonFinite {
                quantity: "force near the grid node",
                particle: particle as usize,
            });
        }
        Err(StepError::TooFast { particle: self.fastest().0, distance, limit })
    }
}
