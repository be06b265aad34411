//! What the particles report of a step, for the length of the next one.

use super::constitutive::{Matter, Response};
use super::grain::Grain;
use super::scalar::Scalar;

/// What the particles report of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Summary {
    /// Farthest way of a particle [m].
    pub travel: f64,
    /// Fastest signal: that of a particle plus that of waves in it [m/s].
    pub signal_speed: f64,
    /// Fastest wave [m/s].
    pub wave_speed: f64,
    /// Largest kinematic viscosity [m²/s].
    pub viscosity: f64,
    /// Particles that flowed.
    pub yielding: usize,
}

impl Summary {
    #[inline(always)]
    pub fn with(self, other: Self) -> Self {
        Self {
            travel: larger(self.travel, other.travel),
            signal_speed: larger(self.signal_speed, other.signal_speed),
            wave_speed: larger(self.wave_speed, other.wave_speed),
            viscosity: larger(self.viscosity, other.viscosity),
            yielding: self.yielding + other.yielding,
        }
    }

    pub fn of<T: Scalar, const D: usize>(grain: &Grain<T, D>, matter: &Matter, response: &Response) -> Self {
        Self {
            travel: 0.0,
            signal_speed: response.wave_speed + grain.velocity.norm().wide(),
            wave_speed: response.wave_speed,
            viscosity: matter.kinematic_viscosity(),
            yielding: usize::from(response.yielded),
        }
    }
}

/// The larger of two numbers, the first of which is one: `max` also has to ask whether it is.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}
