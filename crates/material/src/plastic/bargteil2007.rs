//! The multiplicative flow rule of Bargteil, Wojtan, Hodgins and Turk 2007, as Zhou 2013 uses it (Eq. 12).

use super::{Trial, Yielding};
use pliant_math::Vect;
use serde::{Deserialize, Serialize};

/// Flow above a yield stress. Departures (docs/papers/errata.md, Z6): the yield test uses the deviator, so
/// that pure pressure never flows; the rate is a relaxation time, so that it does not depend on the step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bargteil2007 {
    /// Von Mises stress at which flow begins [Pa].
    pub yield_stress: f64,
    /// Time in which excess stress relaxes [s]; 0 is rate-independent (radial return).
    pub relaxation_time: f64,
    /// Growth of the yield stress per unit of plastic strain [Pa].
    pub hardening: f64,
}

/// Below this stretch a particle is crushed flat: powers of it mean nothing, it is left elastic.
const CRUSHED: f64 = 0.05;

impl Bargteil2007 {
    pub(super) fn flow<const D: usize>(&self, trial: &Trial<'_, D>) -> Option<Yielding<D>> {
        let sigma = trial.sigma;
        if sigma.min() < CRUSHED {
            return None;
        }
        let stress = von_mises(trial.lame.mu, sigma);
        let limit = self.yield_stress + self.hardening * trial.plastic_strain;
        let rate = trial.dt / (trial.dt + self.relaxation_time);
        let share = (rate * (stress - limit) / stress).min(1.0);
        if share <= 0.0 || share.is_nan() {
            return None;
        }
        let mean = sigma.product().powf(1.0 / D as f64);
        let stretch = sigma.map(|s| (s / mean).powf(share)); // F̂p = (F̂ / det^{1/3})^γ
        let strain = (2.0 / 3.0f64).sqrt() * stretch.map(f64::ln).norm();
        Some(Yielding { stretch, share, strain })
    }
}

/// `√(3/2) |dev(2μ(σ−1))|` [Pa]: the stress in uniaxial tension that is as far from yield.
fn von_mises<const D: usize>(mu: f64, sigma: &Vect<D>) -> f64 {
    let strain = sigma.add_scalar(-1.0);
    1.5f64.sqrt() * 2.0 * mu * strain.add_scalar(-strain.sum() / D as f64).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lame;

    const FLOW: Bargteil2007 = Bargteil2007 { yield_stress: 2e4, relaxation_time: 0.0, hardening: 0.0 };

    fn flow<const D: usize>(
        rule: &Bargteil2007,
        sigma: &Vect<D>,
        plastic_strain: f64,
    ) -> Option<Yielding<D>> {
        let lame = Lame::new(1e6, 0.3).unwrap();
        rule.flow(&Trial { lame: &lame, sigma, plastic_strain, dt: 2e-3 })
    }

    #[test]
    fn states_inside_the_yield_surface_stay_elastic() {
        assert_eq!(flow(&FLOW, &Vect::from([1.001, 1.0, 0.999]), 0.0), None);
        assert_eq!(flow(&FLOW, &Vect::from([0.5, 0.5, 0.5]), 0.0), None, "pressure alone never flows");
        assert_eq!(flow(&FLOW, &Vect::from([1.0, 1.0, 0.01]), 0.0), None, "crushed particles stay elastic");
    }

    #[test]
    fn flow_keeps_volume() {
        for sigma in [[1.4, 1.0, 0.8], [0.6, 0.7, 2.0], [1.1, 0.9, 0.9]] {
            let yielded = flow(&FLOW, &Vect::from(sigma), 0.0).unwrap();
            assert!((yielded.stretch.product() - 1.0).abs() < 1e-14);
            assert!(yielded.strain > 0.0 && yielded.share > 0.0 && yielded.share <= 1.0);
        }
    }

    #[test]
    fn small_overstress_returns_to_the_yield_surface() {
        let sigma = Vect::<3>::from([1.04, 0.99, 0.98]);
        let yielded = flow(&FLOW, &sigma, 0.0).unwrap();
        let elastic = sigma.component_div(&yielded.stretch);
        let stress = von_mises(Lame::new(1e6, 0.3).unwrap().mu, &elastic);
        assert!((stress / 2e4 - 1.0).abs() < 0.03, "{stress}");
        assert!(flow(&FLOW, &elastic, 0.0).is_none_or(|again| again.share < 0.03), "mapping is idempotent");
    }

    #[test]
    fn hardening_raises_the_yield_stress() {
        let hard = Bargteil2007 { hardening: 1e6, ..FLOW };
        let sigma = Vect::<3>::from([1.04, 0.99, 0.98]);
        assert!(flow(&hard, &sigma, 0.0).is_some());
        assert_eq!(flow(&hard, &sigma, 0.1), None);
    }

    #[test]
    fn slow_flow_does_not_depend_on_the_step() {
        let slow = Bargteil2007 { relaxation_time: 0.1, ..FLOW };
        let lame = Lame::new(1e6, 0.3).unwrap();
        let relaxed = |steps: usize| {
            let mut sigma = Vect::<2>::from([1.1, 0.9]);
            for _ in 0..steps {
                let trial = Trial { lame: &lame, sigma: &sigma, plastic_strain: 0.0, dt: 0.1 / steps as f64 };
                if let Some(yielded) = slow.flow(&trial) {
                    sigma.component_div_assign(&yielded.stretch);
                }
            }
            sigma[0]
        };
        assert!((relaxed(100) - relaxed(200)).abs() < 2e-4, "{} {}", relaxed(100), relaxed(200));
    }
}
