//! Clay, slab snow and other porous solids: the cohesive Cam-Clay flow of Gaume et al. 2018. The yield surface is an
//! ellipse of pressure p and shear stress q that grows as the material compacts and shrinks to nothing as it dilates;
//! shear flow keeps volume (non-associated). On logarithmic strain.

use super::{History, equivalent};
use crate::Lame;
use crate::elastic::logarithms;
use pliant_math::Vect;
use serde::{Deserialize, Serialize};

/// Flow of a porous solid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CamClay {
    /// Slope M of the critical state line: q over p in steady shear.
    pub slope: f64,
    /// Cohesion β: tensile strength in units of the compressive strength `p₀`.
    pub cohesion: f64,
    /// Hardening factor ξ: how fast `p₀ = K sinh(−ξα)` grows with compaction.
    pub hardening: f64,
    /// Compaction `−α` at the start, a logarithm of volume: sets the first strength.
    pub compaction: f64,
}

/// `sinh` of more would overflow in products.
const MAX_EXPONENT: f64 = 20.0;
/// Strains closer than this to the surface are on it.
const ROUNDING: f64 = 1e-13;

/// A stress in the plane of pressure and shear, in units of the bulk modulus.
#[derive(Clone, Copy)]
struct Point {
    p: f64,
    q: f64,
}

impl CamClay {
    pub(super) fn project<const D: usize>(
        &self,
        lame: &Lame,
        sigma: &mut Vect<D>,
        history: &mut History,
    ) -> bool {
        let d = D as f64;
        let bulk = lame.lambda + 2.0 * lame.mu / d;
        if bulk <= 0.0 {
            return false;
        }
        let strain = logarithms(sigma);
        let deviator = strain.add_scalar(-strain.mean());
        // q = √((6−d)/2) |dev τ| (Gaume 2018): the axial difference in space, the difference in the plane.
        let q = (0.5 * (6.0 - d)).sqrt() * 2.0 * lame.mu * deviator.norm() / bulk;
        let trial = Point { p: -strain.sum(), q };
        let (on_surface, compaction) = self.returned(trial, self.strength(history.volume));
        if (on_surface.p - trial.p).abs() <= ROUNDING && trial.q - on_surface.q <= ROUNDING {
            return false;
        }
        history.volume += compaction;
        // A surface that shrinks takes the stress along; compaction was counted.
        let (end, _) = self.returned(on_surface, self.strength(history.volume));
        let kept = if q > 0.0 { end.q / q } else { 1.0 };
        let returned = (deviator * kept).add_scalar(-end.p / d);
        history.strain += equivalent(&(strain - returned));
        *sigma = returned.map(f64::exp);
        true
    }

    /// Compressive strength `p₀/K`; 0 once the material has fallen apart.
    fn strength(&self, alpha: f64) -> f64 {
        (self.hardening * (-alpha).max(0.0)).min(MAX_EXPONENT).sinh()
    }

    /// The stress returned to the ellipse between `−βp₀` and `p₀`, and the change of α.
    fn returned(&self, trial: Point, strength: f64) -> (Point, f64) {
        let tension = -self.cohesion * strength;
        if trial.p > strength || trial.p < tension {
            let p = trial.p.clamp(tension, strength);
            return (Point { p, q: 0.0 }, p - trial.p);
        }
        let half = 0.5 * (1.0 + self.cohesion) * strength;
        let height = self.slope * half / (1.0 + 2.0 * self.cohesion).sqrt();
        let offset = trial.p - 0.5 * (1.0 - self.cohesion) * strength;
        let limit = height * (1.0 - (offset / half).powi(2)).max(0.0).sqrt();
        if trial.q <= limit {
            return (trial, 0.0);
        }
        if limit.is_nan() || limit <= 0.0 {
            return (Point { q: 0.0, ..trial }, 0.0);
        }
        // Compaction is read off where the way from the centre to the trial leaves the ellipse.
        let inside = ((offset / half).powi(2) + (trial.q / height).powi(2)).sqrt().recip();
        (Point { q: limit, ..trial }, -offset * (1.0 - inside))
    }
}
