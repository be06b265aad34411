//! The box that is searched, and how many particles to expect, before any is made.

use super::SamplingError;
use crate::rng::SplitMix64;
use crate::{Aabb, Shape};
use pliant_math::Vec3;

/// Enough probes to know the filled fraction within a few percent, few enough for a mesh to answer in 20 ms.
const PROBES: usize = 2048;
/// Cells searched per particle allowed: thin shells fill a few percent of their box.
const CELLS_PER_PARTICLE: f64 = 100.0;

/// What is filled: a shape, its bounds, and the spacing in its own units.
pub(super) struct Domain<'a> {
    pub shape: &'a Shape,
    pub bounds: Aabb,
    pub spacing: f64,
    pub dimension: usize,
    /// Turns our lengths into the caller's, for messages.
    pub scale: f64,
}

impl<'a> Domain<'a> {
    /// `spacing` is the caller's, `scale` that of the shape's placement.
    pub fn new(shape: &'a Shape, spacing: f64, scale: f64, dimension: usize) -> Result<Self, SamplingError> {
        let mut bounds = shape.bounds().ok_or(SamplingError::Unbounded)?;
        if !bounds.size().iter().all(|length| length.is_finite()) {
            return Err(SamplingError::Unbounded);
        }
        if dimension == 2 {
            (bounds.min.z, bounds.max.z) = (0.0, 0.0);
        }
        Ok(Self { shape, bounds, spacing: spacing / scale, dimension, scale })
    }

    /// Whether a particle may sit at `p`: inside by more than rounding, so that symmetric shapes fill symmetrically.
    pub fn accepts(&self, p: &Vec3) -> bool {
        self.shape.distance(p) < -1e-9 * self.spacing
    }

    /// The smallest extent of the bounds, in the plane if it is one.
    pub fn thinnest(&self) -> f64 {
        self.bounds.size().iter().take(self.dimension).copied().fold(f64::INFINITY, f64::min)
    }

    /// The area or volume of the bounds, in cells.
    pub fn cells(&self) -> f64 {
        self.bounds.size().iter().take(self.dimension).map(|length| length / self.spacing).product()
    }

    /// A uniform point of the bounds.
    pub fn uniform(&self, rng: &mut SplitMix64) -> Vec3 {
        let p = Vec3::from_fn(|axis, _| rng.between(self.bounds.min[axis], self.bounds.max[axis]));
        if self.dimension == 2 { Vec3::new(p.x, p.y, 0.0) } else { p }
    }

    /// Refuses what would give more than `limit` particles.
    pub fn check_size(&self, limit: usize) -> Result<(), SamplingError> {
        let cells = self.cells();
        if cells <= limit as f64 {
            return Ok(());
        }
        let mut rng = SplitMix64::new(0);
        let hits = (0..PROBES).filter(|_| self.accepts(&self.uniform(&mut rng))).count();
        let predicted = cells * hits as f64 / PROBES as f64;
        let spacing = self.spacing * self.scale;
        if predicted > limit as f64 {
            let suggestion = coarser(spacing, predicted, limit, self.dimension);
            return Err(SamplingError::TooMany { spacing, predicted, limit, suggestion });
        }
        let allowed = CELLS_PER_PARTICLE * limit as f64;
        if cells > allowed {
            let suggestion = spacing * (cells / allowed).powf(1.0 / self.dimension as f64);
            return Err(SamplingError::TooSparse { spacing, cells, limit, suggestion });
        }
        Ok(())
    }
}

/// The spacing at which `count` particles become nine tenths of `limit` `[m]`.
pub(super) fn coarser(spacing: f64, count: f64, limit: usize, dimension: usize) -> f64 {
    spacing * (count / (0.9 * limit.max(1) as f64)).powf(1.0 / dimension as f64)
}
