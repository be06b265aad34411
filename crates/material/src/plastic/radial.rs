//! Flow that shrinks the deviator of the logarithmic strain and keeps volume.

use crate::elastic::logarithms;
use crate::{Lame, Law};
use pliant_math::Vect;

/// The states a trial can return to: its mean strain with a share of its deviator kept.
pub(super) struct Radial<'a, const D: usize> {
    law: Law,
    lame: &'a Lame,
    mean: f64,
    deviator: Vect<D>,
}

/// Steps of the search for the share; about ten are needed.
const MAX_STEPS: usize = 100;
/// Excess stress that counts as none, as a share of the trial's.
const TOLERANCE: f64 = 1e-14;

impl<'a, const D: usize> Radial<'a, D> {
    pub fn new(law: Law, lame: &'a Lame, sigma: &Vect<D>) -> Self {
        let strain = logarithms(sigma);
        Self { law, lame, mean: strain.mean(), deviator: strain.add_scalar(-strain.mean()) }
    }

    /// Norm of the deviatoric strain of the trial.
    pub fn shear(&self) -> f64 {
        self.deviator.norm()
    }

    /// Norm of the deviatoric Kirchhoff stress with a share of the deviator kept [Pa].
    pub fn stress(&self, kept: f64) -> f64 {
        if self.law == Law::Hencky {
            return 2.0 * self.lame.mu * kept * self.shear();
        }
        let stress = self.law.kirchhoff(self.lame, &self.sigma(kept));
        stress.add_scalar(-stress.mean()).norm()
    }

    /// Principal stretches with a share of the deviator kept.
    pub fn sigma(&self, kept: f64) -> Vect<D> {
        (self.deviator * kept).add_scalar(self.mean).map(f64::exp)
    }

    /// The share at which `excess`, positive when all is kept and negative when nothing is, vanishes. Regula
    /// falsi that halves the value at the end that stays (Dowell and Jarratt 1971), so that both ends move.
    pub fn share(excess: impl Fn(f64) -> f64) -> f64 {
        let (mut low, mut high) = ((0.0, excess(0.0)), (1.0, excess(1.0)));
        let small = TOLERANCE * high.1;
        for _ in 0..MAX_STEPS {
            let middle = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            let value = excess(middle);
            if value.abs() <= small || !(low.0 < middle && middle < high.0) {
                return middle.clamp(low.0, high.0);
            }
            if value > 0.0 {
                high = (middle, value);
                low.1 *= 0.5;
            } else {
                low = (middle, value);
                high.1 *= 0.5;
            }
        }
        low.0
    }
}
