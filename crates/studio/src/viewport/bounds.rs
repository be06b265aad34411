//! Where things are.

use nalgebra::Vector3;

type V3 = Vector3<f32>;

/// A box in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest coordinates [m].
    pub min: V3,
    /// Highest coordinates [m].
    pub max: V3,
}

impl Bounds {
    /// A box that holds nothing yet.
    pub const EMPTY: Self = Self {
        min: V3::new(f32::INFINITY, f32::INFINITY, f32::INFINITY),
        max: V3::new(f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY),
    };

    /// The box around points with a margin; points that are not numbers are passed over.
    pub fn of(points: &[[f32; 3]], margin: f32) -> Self {
        let finite = points.iter().filter(|point| point.iter().all(|x| x.is_finite() && x.abs() < 1e6));
        let mut bounds = Self::EMPTY;
        for point in finite {
            let point = V3::from(*point);
            bounds.min = bounds.min.inf(&point.add_scalar(-margin));
            bounds.max = bounds.max.sup(&point.add_scalar(margin));
        }
        bounds
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.min.x > self.max.x
    }

    /// The middle; the origin if it is empty [m].
    pub fn center(&self) -> V3 {
        if self.is_empty() { V3::zeros() } else { (self.min + self.max) * 0.5 }
    }

    /// Half the diagonal; one if it is empty [m].
    pub fn radius(&self) -> f32 {
        if self.is_empty() { 1.0 } else { ((self.max - self.min).norm() * 0.5).max(1e-4) }
    }

    /// The box around both.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }
}
