//! Mud, paste and foam: rigid below a yield stress, above it a fluid whose stress grows with a power of the rate of
//! shear (Herschel and Bulkley 1926; for particles Yue et al. 2015). The step is implicit, so that it is stable for
//! every consistency: `τ = τ_y + K γ̇ⁿ` holds at its end.

use super::History;
use super::radial::Radial;
use crate::{Lame, Law};
use pliant_math::Vect;
use serde::{Deserialize, Serialize};

/// Flow of a viscoplastic fluid. Stresses and rates are those of simple shear, as rheometers give them. Works over
/// any elastic law; in two dimensions the deviator is that of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HerschelBulkley {
    /// Shear stress `|dev τ|/√2` at which flow begins [Pa].
    pub yield_stress: f64,
    /// Shear stress above yield at a rate of 1/s, K [Pa sⁿ].
    pub consistency: f64,
    /// Power n of the rate: 1 is Bingham's fluid, less is shear-thinning.
    pub exponent: f64,
}

impl HerschelBulkley {
    pub(super) fn project<const D: usize>(
        &self,
        law: Law,
        lame: &Lame,
        sigma: &mut Vect<D>,
        history: &mut History,
        dt: f64,
    ) -> bool {
        let trial = Radial::new(law, lame, sigma);
        let root = 2.0f64.sqrt();
        let excess = |kept: f64| {
            let rate = root * (1.0 - kept) * trial.shear() / dt;
            trial.stress(kept) / root - self.yield_stress - self.consistency * rate.powf(self.exponent)
        };
        if dt <= 0.0 || excess(1.0) <= 0.0 {
            return false;
        }
        let kept = Radial::<D>::share(excess);
        history.strain += (2.0 / 3.0f64).sqrt() * (1.0 - kept) * trial.shear();
        *sigma = trial.sigma(kept);
        true
    }
}
