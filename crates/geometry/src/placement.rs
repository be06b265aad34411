//! Where a shape stands in the world.

use crate::GeometryError;
use nalgebra::UnitQuaternion;
use pliant_math::Vec3;

/// The map `world = translation + rotation · (scale · shape)`. The scale is uniform so that distances stay true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Turns the shape's axes into the world's.
    pub rotation: UnitQuaternion<f64>,
    /// Where the shape's origin goes `[m]`.
    pub translation: Vec3,
    /// Size factor, positive.
    pub scale: f64,
}

impl Placement {
    /// Leaves a shape where it is.
    pub fn identity() -> Self {
        Self { rotation: UnitQuaternion::identity(), translation: Vec3::zeros(), scale: 1.0 }
    }

    /// A placement whose values were checked: all finite, the scale positive.
    pub fn new(rotation: UnitQuaternion<f64>, translation: Vec3, scale: f64) -> Result<Self, GeometryError> {
        GeometryError::check_positive("scale", scale)?;
        GeometryError::check_finite("translation", &translation)?;
        GeometryError::check_finite("rotation", &rotation.imag())?;
        Ok(Self { rotation, translation, scale })
    }

    /// Moves a shape by `translation` `[m]`.
    pub fn translation(translation: Vec3) -> Self {
        Self { translation, ..Self::identity() }
    }

    /// Turns a shape about its origin.
    pub fn rotation(rotation: UnitQuaternion<f64>) -> Self {
        Self { rotation, ..Self::identity() }
    }

    /// From the shape's coordinates to the world's.
    pub fn to_world(&self, p: &Vec3) -> Vec3 {
        self.translation + self.rotation * (p * self.scale)
    }

    /// From the world's coordinates to the shape's.
    pub fn to_shape(&self, p: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(p - self.translation)) / self.scale
    }
}

impl Default for Placement {
    fn default() -> Self {
        Self::identity()
    }
}
