//! Axis-aligned boxes: bounds of shapes and of point sets.

use pliant_math::Vec3;

/// An axis-aligned box from `min` to `max` `[m]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates `[m]`.
    pub min: Vec3,
    /// The corner with the largest coordinates `[m]`.
    pub max: Vec3,
}

impl Aabb {
    /// The box with these two corners; `min` must not exceed `max` in any coordinate.
    pub fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The box around `center` that reaches `half_extents` to either side `[m]`.
    pub fn around(center: Vec3, half_extents: Vec3) -> Self {
        Self { min: center - half_extents, max: center + half_extents }
    }

    /// The smallest box that holds all points, or `None` if there are none.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = *points.next()?;
        Some(points.fold(Self { min: first, max: first }, |bounds, p| Self {
            min: bounds.min.inf(p),
            max: bounds.max.sup(p),
        }))
    }

    /// The smallest box that holds both.
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// What both boxes share, or `None` if they do not meet.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let shared = Self { min: self.min.sup(&other.min), max: self.max.inf(&other.max) };
        (0..3).all(|axis| shared.min[axis] <= shared.max[axis]).then_some(shared)
    }

    /// The box grown by `margin` `[m]` on every side.
    pub fn inflate(&self, margin: f64) -> Self {
        Self { min: self.min.add_scalar(-margin), max: self.max.add_scalar(margin) }
    }

    /// The middle of the box `[m]`.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// The edge lengths `[m]`.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Whether the point lies in the box or on its boundary.
    pub fn contains(&self, p: &Vec3) -> bool {
        (0..3).all(|axis| self.min[axis] <= p[axis] && p[axis] <= self.max[axis])
    }

    /// The distance from `p` to the box `[m]`, zero inside.
    pub fn distance(&self, p: &Vec3) -> f64 {
        let outside = (self.min - p).sup(&(p - self.max)).sup(&Vec3::zeros());
        outside.norm()
    }

    /// The smallest axis-aligned box around this box after it was placed.
    pub fn transformed(&self, placement: &crate::Placement) -> Self {
        let rotation = placement.rotation.to_rotation_matrix().into_inner();
        let half_extents = rotation.abs() * (self.size() * (0.5 * placement.scale));
        Self::around(placement.to_world(&self.center()), half_extents)
    }
}
