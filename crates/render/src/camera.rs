//! Where a picture is taken from.

use pliant_math::Vec3;

use crate::ray::{Ray, V3};

/// How far the camera sees sideways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Far things look smaller; the full vertical opening angle [degrees].
    Perspective {
        /// Opening angle from the bottom to the top of the picture [degrees].
        vertical_angle_deg: f64,
    },
    /// Far things keep their size, as for two-dimensional scenes; the height of what is seen [m].
    Orthographic {
        /// From the bottom to the top of the picture [m].
        height: f64,
    },
}

/// A camera; y is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands [m].
    pub position: Vec3,
    /// What it looks at [m].
    pub target: Vec3,
    /// How it projects.
    pub lens: Lens,
}

impl Camera {
    /// A perspective camera.
    pub fn new(position: Vec3, target: Vec3, vertical_angle_deg: f64) -> Self {
        Self { position, target, lens: Lens::Perspective { vertical_angle_deg } }
    }

    /// The camera after a turn about the vertical axis through its target [degrees], as in an orbit.
    pub fn orbited(&self, angle_deg: f64) -> Self {
        let turn = nalgebra::Rotation3::from_axis_angle(&Vec3::y_axis(), angle_deg.to_radians());
        Self { position: self.target + turn * (self.position - self.target), ..*self }
    }

    /// The right, up and backward directions, as an orthonormal basis even if position and target coincide.
    pub(crate) fn axes(&self) -> [Vec3; 3] {
        let back = (self.position - self.target).try_normalize(0.0).unwrap_or_else(Vec3::z);
        let up = if back.y.abs() > 0.9999 { -Vec3::z() * back.y.signum() } else { Vec3::y() };
        let right = up.cross(&back).normalize();
        [right, back.cross(&right), back]
    }

    /// Half the picture's height one metre ahead, or in metres for an orthographic lens.
    pub(crate) fn half_height(&self) -> f64 {
        match self.lens {
            Lens::Perspective { vertical_angle_deg } => {
                (0.5 * vertical_angle_deg.clamp(0.1, 170.0).to_radians()).tan()
            }
            Lens::Orthographic { height } => 0.5 * height,
        }
    }
}

/// The camera's numbers in the form that makes rays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayMaker {
    origin: V3,
    right: V3,
    up: V3,
    back: V3,
    is_perspective: bool,
    /// Size of a pixel: per metre ahead for a perspective lens, in metres for an orthographic one.
    footprint: f32,
    half_width: f32,
    half_height: f32,
}

impl RayMaker {
    /// For a picture of `width` × `height` pixels.
    pub fn new(camera: &Camera, width: u32, height: u32) -> Self {
        let [right, up, back] =
            camera.axes().map(|axis| V3::new(axis.x as f32, axis.y as f32, axis.z as f32));
        let half_height = camera.half_height() as f32;
        Self {
            origin: camera.position.cast(),
            right,
            up,
            back,
            is_perspective: matches!(camera.lens, Lens::Perspective { .. }),
            footprint: 2.0 * half_height / height as f32,
            half_width: half_height * width as f32 / height as f32,
            half_height,
        }
    }

    /// The ray through a point of the picture, in pixels from its top left corner.
    #[inline]
    pub fn ray(&self, x: f32, y: f32) -> Ray {
        let sideways = self.right * (x * self.footprint - self.half_width)
            + self.up * (self.half_height - y * self.footprint);
        if self.is_perspective {
            Ray::new(self.origin, (sideways - self.back).normalize())
        } else {
            Ray::new(self.origin + sideways, -self.back)
        }
    }

    /// Size of a pixel at a distance from the camera [m].
    #[inline]
    pub fn footprint_at(&self, distance: f32) -> f32 {
        if self.is_perspective { self.footprint * distance } else { self.footprint }
    }
}
