//! Obstacles: shapes that move as the scene says and push particles away.

use crate::Motion;
use nalgebra::{Isometry3, Point3};
use pliant_geometry::Shape;
use pliant_math::Vec3;

/// A shape particles cannot enter.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Name, as the scene gives it.
    pub name: String,
    /// Shape in its initial placement; negative distance is inside.
    pub shape: Shape,
    /// How it moves.
    pub motion: Motion,
    /// Coulomb friction.
    pub friction: f64,
    /// Tensile stress up to which particles cling to it [Pa]; infinite glues them.
    pub stickiness: f64,
    /// Share of the approach speed a particle keeps when it leaves, 0 to 1.
    pub restitution: f64,
    /// Colour in pictures, linear red, green, blue in 0..1.
    pub color: [f32; 3],
    /// Whether pictures show it.
    pub visible: bool,
}

/// What a particle meets at a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Signed distance to the surface [m], negative inside.
    pub distance: f64,
    /// Outward unit normal.
    pub normal: Vec3,
}

impl Collider {
    /// The pose at time `t` [s].
    pub fn world_from_initial(&self, t: f64) -> Isometry3<f64> {
        self.motion.world_from_initial(t)
    }

    /// Signed distance from `point` to the collider posed at `pose` [m].
    pub fn distance(&self, pose: &Isometry3<f64>, point: &Vec3) -> f64 {
        self.shape.distance(&pose.inverse_transform_point(&Point3::from(*point)).coords)
    }

    /// Distance and normal at `point` when closer than `reach` [m].
    pub fn contact(&self, pose: &Isometry3<f64>, point: &Vec3, reach: f64) -> Option<Contact> {
        let local = pose.inverse_transform_point(&Point3::from(*point)).coords;
        let distance = self.shape.distance(&local);
        (distance < reach).then(|| Contact { distance, normal: pose.rotation * self.shape.normal(&local) })
    }
}
