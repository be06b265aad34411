//! Rays and boxes in single precision.

use nalgebra::Vector3;

/// Single precision is enough for pictures and halves the memory traffic of a ray.
pub(crate) type V3 = Vector3<f32>;

/// A half-line with its inverse direction, which box tests need over and over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    pub origin: V3,
    pub direction: V3,
    inverse: V3,
}

impl Ray {
    pub fn new(origin: V3, direction: V3) -> Self {
        Self { origin, direction, inverse: direction.map(|component| 1.0 / component) }
    }

    pub fn at(&self, distance: f32) -> V3 {
        self.origin + self.direction * distance
    }
}

/// An axis-aligned box; empty boxes have `min > max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Box3 {
    pub min: V3,
    pub max: V3,
}

impl Box3 {
    pub const EMPTY: Self =
        Self { min: V3::new(f32::MAX, f32::MAX, f32::MAX), max: V3::new(f32::MIN, f32::MIN, f32::MIN) };

    pub fn around_ball(centre: V3, radius: f32) -> Self {
        Self { min: centre.add_scalar(-radius), max: centre.add_scalar(radius) }
    }

    pub fn grow(&mut self, point: &V3) {
        self.min = self.min.inf(point);
        self.max = self.max.sup(point);
    }

    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    pub fn is_empty(&self) -> bool {
        self.min.x > self.max.x
    }

    pub fn centre(&self) -> V3 {
        (self.min + self.max) * 0.5
    }

    /// Half the surface; zero if empty.
    pub fn half_area(&self) -> f32 {
        let size = self.max - self.min;
        if self.is_empty() { 0.0 } else { size.x * size.y + size.y * size.z + size.z * size.x }
    }

    /// Entry and exit distance of the ray, if it meets the box before `limit`.
    #[inline]
    pub fn span(&self, ray: &Ray, limit: f32) -> Option<(f32, f32)> {
        let (mut near, mut far) = (0.0_f32, limit);
        for axis in 0..3 {
            // `f32::min` and `max` drop the NaN of 0 · ∞, which is the ray that runs inside a face.
            let a = (self.min[axis] - ray.origin[axis]) * ray.inverse[axis];
            let b = (self.max[axis] - ray.origin[axis]) * ray.inverse[axis];
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near <= far).then_some((near, far))
    }
}
