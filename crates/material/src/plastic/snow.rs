//! Snow after Stomakhin 2013: yields beyond a critical compression or stretch, hardens as it packs
//! (Nilles 2020, §5.2.1; Fumoto, Eq. 12–15). Works over any elastic law.

use super::{History, equivalent};
use crate::Lame;
use crate::elastic::{logarithms, not_flat};
use pliant_math::Vect;
use serde::{Deserialize, Serialize};

/// Flow and hardening of snow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snow {
    /// Compression θc beyond which snow packs; 1 never does.
    pub critical_compression: f64,
    /// Stretch θs beyond which snow comes apart.
    pub critical_stretch: f64,
    /// Growth ξ of the logarithm of the moduli for each unit of packing.
    pub hardening: f64,
    /// Least plastic volume `J_P` that is told apart (Nilles 2020, Fig. 8).
    pub det_min: f64,
    /// Largest plastic volume `J_P` that is told apart.
    pub det_max: f64,
}

/// The moduli change by at most e²⁰, half a billion: products of more would overflow in time.
const MAX_EXPONENT: f64 = 20.0;

impl Snow {
    /// `μ₀ e^{ξ(1−J_P)}` and `λ₀ e^{ξ(1−J_P)}` (Nilles 2020, Eq. 86)
    pub(super) fn moduli(&self, lame: &Lame, history: &History) -> Lame {
        let factor = self.factor(history);
        Lame { mu: lame.mu * factor, lambda: lame.lambda * factor }
    }

    /// `e^{ξ(1−J_P)}`
    pub(super) fn factor(&self, history: &History) -> f64 {
        let packing = 1.0 - history.volume.clamp(self.det_min, self.det_max);
        (self.hardening * packing).clamp(-MAX_EXPONENT, MAX_EXPONENT).exp()
    }

    /// Clamps the stretches to `[1 − θc, 1 + θs]` (Nilles 2020, Eq. 84); what exceeds becomes plastic (Eq. 88).
    pub(super) fn project<const D: usize>(&self, sigma: &mut Vect<D>, history: &mut History) -> bool {
        let (least, most) = (not_flat(1.0 - self.critical_compression), 1.0 + self.critical_stretch);
        let clamped = sigma.map(|stretch| stretch.clamp(least, most));
        if clamped == *sigma {
            return false;
        }
        let plastic = sigma.component_div(&clamped).product();
        history.volume = (history.volume * plastic).clamp(self.det_min, self.det_max);
        history.strain += equivalent(&(logarithms(sigma) - logarithms(&clamped)));
        *sigma = clamped;
        true
    }
}
