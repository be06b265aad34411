//! Backward Euler and BDF2 with steps of any length, written alike: `x = base + β v`, `v = v* + β a`.

use super::settings::Integrator;
use pliant_math::Vect;
use serde::{Deserialize, Serialize};

/// Positions and velocities one step back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Past<const D: usize> {
    pub dt: f64,
    pub position: Vec<Vect<D>>,
    pub velocity: Vec<Vect<D>>,
}

/// Coefficients of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coefficients {
    /// Effective step β [s].
    pub beta: f64,
    /// Share of the last step's change that is carried on into the base.
    carry: f64,
}

/// Longest step in units of the one before for which BDF2 is stable (1 + √2, with a margin).
const STABLE_RATIO: f64 = 2.1;

impl Coefficients {
    pub fn new(integrator: Integrator, dt: f64, previous_dt: Option<f64>) -> Self {
        let ratio = previous_dt.map(|previous| dt / previous).filter(|ratio| *ratio <= STABLE_RATIO);
        match (integrator, ratio) {
            (Integrator::Bdf2, Some(r)) => {
                Self { beta: dt * (1.0 + r) / (1.0 + 2.0 * r), carry: r * r / (1.0 + 2.0 * r) }
            }
            _ => Self { beta: dt, carry: 0.0 },
        }
    }

    /// What is known of the new state from the old ones: base of the position, or v* of the velocity. Written
    /// as a correction to `now`, which is exact far from the origin too.
    pub fn base<const D: usize>(&self, now: &Vect<D>, before: Option<&Vect<D>>) -> Vect<D> {
        before.map_or(*now, |before| now + (now - before) * self.carry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Amplitude of an undamped oscillator after one second.
    fn oscillate(integrator: Integrator, dt: impl Fn(usize) -> f64) -> f64 {
        let omega_squared = 100.0;
        let (mut x, mut v, mut t) = (Vect::<2>::from([1.0, 0.0]), Vect::<2>::zeros(), 0.0);
        let mut past: Option<(f64, Vect<2>, Vect<2>)> = None;
        for step in 0.. {
            let dt = dt(step);
            let c = Coefficients::new(integrator, dt, past.map(|p| p.0));
            let base = c.base(&x, past.as_ref().map(|p| &p.1));
            let start = c.base(&v, past.as_ref().map(|p| &p.2));
            let next = (base + start * c.beta) / (1.0 + c.beta * c.beta * omega_squared);
            past = Some((dt, x, v));
            (x, v, t) = (next, (next - base) / c.beta, t + dt);
            if t >= 1.0 {
                break;
            }
        }
        (x.norm_squared() + v.norm_squared() / omega_squared).sqrt()
    }

    #[test]
    fn backward_euler_damps_as_theory_says() {
        let dt = 1e-3;
        let expected = (-(1.0f64 + 100.0 * dt * dt).ln() / (2.0 * dt)).exp();
        assert!((oscillate(Integrator::BackwardEuler, |_| dt) - expected).abs() < 1e-3);
    }

    #[test]
    fn bdf2_keeps_an_oscillation_also_when_steps_change() {
        assert!(oscillate(Integrator::Bdf2, |_| 1e-3) > 0.999);
        assert!(oscillate(Integrator::Bdf2, |k| if k / 7 % 2 == 0 { 1e-3 } else { 5e-4 }) > 0.998);
    }
}
