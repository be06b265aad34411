//! Metals: flow above a von Mises stress that grows in proportion to the plastic strain (J₂ plasticity with linear
//! isotropic hardening, radial return on logarithmic strain: Simo and Hughes 1998, §3.3 and §9.2).
//!
//! In two dimensions the deviator is that of the plane. This takes the stress across for the mean of the other two,
//! as it is in developed flow in plane strain, and gives the classical limit `|τ₁ − τ₂| = 2σ_y/√3`; only the first
//! deviation from elasticity, where the true stress across still lags behind, is simplified.

use super::History;
use super::radial::Radial;
use crate::{Lame, Law};
use pliant_math::Vect;
use serde::{Deserialize, Serialize};

/// Flow of a metal. Works over any elastic law; exact for Hencky's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VonMises {
    /// Von Mises stress `√(3/2) |dev τ|` at which flow begins [Pa].
    pub yield_stress: f64,
    /// Growth of the yield stress per unit of plastic strain [Pa].
    pub hardening: f64,
}

impl VonMises {
    pub(super) fn project<const D: usize>(
        &self,
        law: Law,
        lame: &Lame,
        sigma: &mut Vect<D>,
        history: &mut History,
    ) -> bool {
        let trial = Radial::new(law, lame, sigma);
        let equivalent = (2.0 / 3.0f64).sqrt() * trial.shear();
        let von_mises = |kept: f64| 1.5f64.sqrt() * trial.stress(kept);
        let limit = self.yield_stress + self.hardening * history.strain;
        let excess = von_mises(1.0) - limit;
        if excess <= 0.0 {
            return false;
        }
        let kept = if law == Law::Hencky {
            1.0 - (excess / ((3.0 * lame.mu + self.hardening) * equivalent)).min(1.0)
        } else {
            Radial::<D>::share(|kept| von_mises(kept) - limit - self.hardening * (1.0 - kept) * equivalent)
        };
        history.strain += (1.0 - kept) * equivalent;
        *sigma = trial.sigma(kept);
        true
    }
}
