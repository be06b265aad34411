//! Sand after Klár 2016: a friction cone on logarithmic strain (Nilles 2020, §5.2.2), with the volume correction
//! and the cohesion of Tampubolon 2017. What differs from print is in docs/papers/errata.md, N2–N6.

use super::History;
use crate::Lame;
use crate::elastic::logarithms;
use pliant_math::Vect;
use serde::{Deserialize, Serialize};

/// Flow of a granular material.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DruckerPrager {
    /// Friction between grains.
    pub friction: Friction,
    /// How the friction angle gives the slope of the cone.
    pub cone: Cone,
    /// What holds grains together without pressure.
    pub cohesion: Cohesion,
    /// Whether grains that have lost touch must come together again before they push (Eq. 93).
    pub volume_correction: bool,
}

/// Friction between grains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Friction {
    /// The same angle always [rad].
    Angle(f64),
    /// An angle that changes with the hardening state q: `h₀ + (h₁q − h₃) e^{−h₂q}` (Nilles 2020, Eq. 94).
    Hardening {
        /// Angle after long flow [rad].
        h0: f64,
        /// Growth of the angle for each unit of q at first [rad].
        h1: f64,
        /// Rate at which the start is forgotten.
        h2: f64,
        /// By how much the angle at the start is smaller than after long flow [rad].
        h3: f64,
    },
}

/// How the friction angle gives the slope α of the cone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cone {
    /// The angle is that of a slope, and of layers that slide over each other. Sand that keeps its volume while it
    /// flows has its largest pressure at 45° to the layers, where `tan` of the slope is `sin` of Mohr and Coulomb's
    /// angle (Davis 1968).
    Slope,
    /// The angle is that of Mohr and Coulomb in plane strain: the steepest push on any plane.
    PlaneStrain,
    /// The angle of triaxial compression, as printed (Nilles 2020, Eq. 95).
    Literal,
}

/// Strength without pressure, `c_C` of Eq. 96.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cohesion {
    /// As a stress [Pa].
    Stress(f64),
    /// As a strain, in units of 2μ: the numbers of Nilles 2020, Fig. 25.
    Strain(f64),
}

/// Largest friction angle: at 90° nothing would slide.
const STEEPEST: f64 = 89.0f64.to_radians();

impl Friction {
    /// The angle in the hardening state `q` [rad], kept between 0° and 89°.
    pub fn angle(&self, q: f64) -> f64 {
        let angle = match *self {
            Self::Angle(angle) => angle,
            Self::Hardening { h0, h1, h2, h3 } => h0 + (h1 * q - h3) * (-h2 * q).exp(),
        };
        angle.clamp(0.0, STEEPEST)
    }
}

impl Cone {
    /// Slope α of the cone in `D` dimensions for a friction angle [rad].
    pub fn slope<const D: usize>(self, angle: f64) -> f64 {
        let sine = match self {
            Self::Slope => angle.tan().min(STEEPEST.sin()),
            Self::PlaneStrain | Self::Literal => angle.sin(),
        };
        match self {
            Self::Slope | Self::PlaneStrain if D == 2 => sine / 2.0f64.sqrt(),
            Self::Slope | Self::PlaneStrain => 2.0f64.sqrt() * sine / 3.0,
            Self::Literal => (2.0 / 3.0f64).sqrt() * 2.0 * sine / (3.0 - sine), // Eq. 95
        }
    }
}

impl Cohesion {
    fn stress(self, lame: &Lame) -> f64 {
        match self {
            Self::Stress(stress) => stress,
            Self::Strain(strain) => 2.0 * lame.mu * strain,
        }
    }

    pub(super) fn set(&mut self, value: f64) {
        match self {
            Self::Stress(stress) => *stress = value,
            Self::Strain(strain) => *strain = value,
        }
    }
}

impl DruckerPrager {
    pub(super) fn project<const D: usize>(
        &self,
        lame: &Lame,
        sigma: &mut Vect<D>,
        history: &mut History,
    ) -> bool {
        let d = D as f64;
        let trial = logarithms(sigma);
        let gap = if self.volume_correction { history.volume } else { 0.0 };
        // Squeezing closes the gap before it compresses grains; tension does not reach across it: errata N3.
        let strain = trial.add_scalar(gap.min(-trial.sum()).max(0.0) / d);
        let trace = strain.sum();
        let deviator = strain.add_scalar(-trace / d);
        let alpha = self.slope::<D>(history.strain);
        let tip = self.tip::<D>(lame, alpha);
        let excess = self.excess(lame, alpha, trace, &deviator);
        let (returned, hardening) = if trace > tip {
            let at_tip = Vect::repeat(tip / d);
            (at_tip, (strain - at_tip).norm()) // apart: only the cohesion is left
        } else if excess > 0.0 {
            (strain - deviator * (excess / deviator.norm()), excess) // sliding: Eq. 92
        } else {
            (strain, 0.0) // held by friction
        };
        if returned == trial {
            return false;
        }
        if self.volume_correction {
            history.volume += trial.sum() - returned.sum(); // Eq. 93 with the sign of Eq. 88: errata N3
        }
        history.strain += hardening;
        *sigma = returned.map(f64::exp);
        true
    }

    /// By how much the shear strain is outside the cone, `δγ` (Nilles 2020, Eq. 98 with `J c_C/2μ`).
    fn excess<const D: usize>(&self, lame: &Lame, alpha: f64, trace: f64, deviator: &Vect<D>) -> f64 {
        let cohesion = trace.exp() * self.cohesion.stress(lame);
        let friction = alpha * bulk::<D>(lame) * trace;
        let shear = deviator.norm();
        // Sums of stresses, so that a shear modulus of 0 divides nothing but what yields.
        let excess = 2.0 * lame.mu * shear + friction - cohesion;
        if excess > 0.0 { (excess / (2.0 * lame.mu)).min(shear) } else { 0.0 }
    }

    /// Steepness of the cone after the hardening `q`.
    pub fn slope<const D: usize>(&self, q: f64) -> f64 {
        self.cone.slope::<D>(self.friction.angle(q))
    }

    /// Trace of the strain at the tip of the cone, where `α tr τ = J c_C`; infinite where it has none.
    fn tip<const D: usize>(&self, lame: &Lame, alpha: f64) -> f64 {
        let cohesion = self.cohesion.stress(lame);
        if cohesion == 0.0 {
            return 0.0;
        }
        let a = cohesion / (alpha * bulk::<D>(lame));
        if a.is_nan() || a >= (-1.0f64).exp() {
            return f64::INFINITY;
        }
        // Newton for x = a eˣ from 0: the function is concave, so that it rises to the first root.
        (0..8).fold(0.0, |x: f64, _| x + (a * x.exp() - x) / (1.0 - a * x.exp()))
    }
}

/// `tr τ / tr ε` of the Hencky law, `Dλ + 2μ` [Pa].
fn bulk<const D: usize>(lame: &Lame) -> f64 {
    D as f64 * lame.lambda + 2.0 * lame.mu
}
