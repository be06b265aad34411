//! Where the viewport is seen from: around a target in space, or straight on a plane.

use nalgebra::{Matrix4, Point3, Vector3, Vector4};
use serde::{Deserialize, Serialize};

use super::bounds::Bounds;

type V3 = Vector3<f32>;

/// How the eye projects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Lens {
    /// Far things look smaller.
    Perspective,
    /// Far things keep their size.
    Orthographic,
}

/// A camera that goes around a target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// What it looks at [m].
    pub target: [f32; 3],
    /// Angle around the vertical axis, from +z towards +x [degrees].
    pub azimuth: f32,
    /// How far it looks down [degrees].
    pub elevation: f32,
    /// Distance from the target; the height of the picture is that of the target seen from there [m].
    pub distance: f32,
    /// Vertical opening angle [degrees].
    pub angle: f32,
    /// How it projects.
    pub lens: Lens,
    /// Whether it looks straight on the plane z = 0, as for scenes in the plane.
    pub is_flat: bool,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            target: [0.0, 0.3, 0.0],
            azimuth: 32.0,
            elevation: 18.0,
            distance: 3.0,
            angle: 35.0,
            lens: Lens::Perspective,
            is_flat: false,
        }
    }
}

/// A ray from the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EyeRay {
    /// Where it starts [m].
    pub origin: V3,
    /// Unit direction.
    pub direction: V3,
}

/// Distances and angles a camera may have.
const NEAREST: f32 = 1e-4;
const FARTHEST: f32 = 1e6;

impl Camera {
    /// A camera that sees a box.
    #[must_use]
    pub fn seeing(self, bounds: &Bounds, aspect: f32) -> Self {
        let center = bounds.center();
        let half = 0.5 * self.angle.clamp(1.0, 150.0).to_radians();
        let mut camera = Self { target: center.into(), ..self };
        let size = if bounds.is_empty() { V3::repeat(1.0) } else { bounds.max - bounds.min };
        camera.distance = if self.is_flat {
            0.58 * size.y.max(size.x / aspect.max(0.1)).max(1e-3) / half.tan()
        } else {
            1.05 * bounds.radius() / half.sin().min((half.tan() * aspect.max(0.1)).atan().sin())
        };
        if self.is_flat {
            camera.target[2] = 0.0;
        }
        camera.sane()
    }

    /// The camera with numbers that make sense.
    #[must_use]
    pub fn sane(mut self) -> Self {
        let or = |x: f32, fallback: f32| if x.is_finite() { x } else { fallback };
        self.target = self.target.map(|x| or(x, 0.0).clamp(-FARTHEST, FARTHEST));
        self.distance = or(self.distance, 3.0).clamp(NEAREST, FARTHEST);
        self.azimuth = or(self.azimuth, 0.0).rem_euclid(360.0);
        self.elevation = or(self.elevation, 0.0).clamp(-89.5, 89.5);
        self.angle = or(self.angle, 35.0).clamp(1.0, 150.0);
        self
    }

    /// Right, up and back as unit vectors.
    pub fn axes(&self) -> [V3; 3] {
        let (azimuth, elevation) =
            if self.is_flat { (0.0, 0.0) } else { (self.azimuth.to_radians(), self.elevation.to_radians()) };
        let back = V3::new(azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos());
        let right = V3::y().cross(&back).normalize();
        [right, back.cross(&right), back]
    }

    /// Where it stands [m].
    pub fn eye(&self) -> V3 {
        V3::from(self.target) + self.axes()[2] * self.distance
    }

    /// Whether it projects with perspective.
    pub fn is_perspective(&self) -> bool {
        self.lens == Lens::Perspective && !self.is_flat
    }

    /// Height of what is seen at the target [m].
    pub fn height(&self) -> f32 {
        2.0 * self.distance * (0.5 * self.angle.to_radians()).tan()
    }

    /// From world coordinates to clip space, where depth goes from 0 to 1.
    pub fn clip_from_world(&self, aspect: f32) -> Matrix4<f32> {
        let [right, up, back] = self.axes();
        let eye = self.eye();
        let row = |axis: V3| Vector4::new(axis.x, axis.y, axis.z, -axis.dot(&eye)).transpose();
        let view = Matrix4::from_rows(&[row(right), row(up), row(back), Vector4::w().transpose()]);
        let aspect = aspect.max(1e-3);
        let (near, far) = (self.distance * 0.01, self.distance * 100.0);
        let projection = if self.is_perspective() {
            let focal = 1.0 / (0.5 * self.angle.to_radians()).tan();
            let depth = far / (near - far);
            Matrix4::new(
                focal / aspect,
                0.0,
                0.0,
                0.0,
                0.0,
                focal,
                0.0,
                0.0,
                0.0,
                0.0,
                depth,
                near * depth,
                0.0,
                0.0,
                -1.0,
                0.0,
            )
        } else {
            // An orthographic eye sees what is behind it too: its place along the axis means nothing.
            let (near, far) = (-far, far);
            let (height, depth) = (self.height(), 1.0 / (near - far));
            Matrix4::new(
                2.0 / (height * aspect),
                0.0,
                0.0,
                0.0,
                0.0,
                2.0 / height,
                0.0,
                0.0,
                0.0,
                0.0,
                depth,
                near * depth,
                0.0,
                0.0,
                0.0,
                1.0,
            )
        };
        projection * view
    }

    /// The ray through a point of the picture; x and y go from -1 to 1, right and up.
    pub fn ray(&self, x: f32, y: f32, aspect: f32) -> EyeRay {
        let [right, up, back] = self.axes();
        let half = 0.5 * self.height();
        let at_target = V3::from(self.target) + right * (x * half * aspect) + up * (y * half);
        if self.is_perspective() {
            EyeRay { origin: self.eye(), direction: (at_target - self.eye()).normalize() }
        } else {
            EyeRay { origin: at_target + back * self.distance, direction: -back }
        }
    }

    /// Where a point of the world is in the picture, from -1 to 1, right and up; none behind the eye.
    pub fn project(&self, point: &V3, aspect: f32) -> Option<[f32; 2]> {
        let clip = self.clip_from_world(aspect) * Point3::from(*point).to_homogeneous();
        (clip.w > 1e-6).then(|| [clip.x / clip.w, clip.y / clip.w])
    }

    /// Turns around the target [degrees].
    pub fn orbit(&mut self, azimuth: f32, elevation: f32) {
        self.azimuth += azimuth;
        self.elevation += elevation;
        *self = self.sane();
    }

    /// Moves sideways by parts of the picture's height.
    pub fn pan(&mut self, right: f32, up: f32) {
        let [x, y, _] = self.axes();
        let height = self.height();
        self.target = (V3::from(self.target) + (x * right + y * up) * height).into();
        *self = self.sane();
    }

    /// Goes nearer by a factor.
    pub fn zoom(&mut self, factor: f32) {
        self.distance /= factor.clamp(0.05, 20.0);
        *self = self.sane();
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Camera, Lens, V3};

    #[test]
    fn a_ray_goes_through_what_it_is_cast_at() {
        for (lens, is_flat) in
            [(Lens::Perspective, false), (Lens::Orthographic, false), (Lens::Orthographic, true)]
        {
            let camera = Camera { lens, is_flat, ..Camera::default() };
            let ray = camera.ray(0.4, -0.3, 1.6);
            let [x, y] = camera.project(&(ray.origin + ray.direction * 2.0), 1.6).unwrap();
            assert!((x - 0.4).abs() < 1e-4 && (y + 0.3).abs() < 1e-4, "{lens:?} {x} {y}");
        }
    }

    #[test]
    fn a_box_fits_into_the_picture() {
        let bounds = Bounds::of(&[[-1.0, 0.0, -2.0], [3.0, 1.0, 2.0], [f32::NAN, 0.0, 0.0]], 0.0);
        for is_flat in [false, true] {
            for aspect in [0.5, 1.0, 2.0] {
                let camera = Camera { is_flat, ..Camera::default() }.seeing(&bounds, aspect);
                for corner in 0..8 {
                    let pick = |axis: usize| {
                        if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] }
                    };
                    let [x, y] = camera.project(&V3::new(pick(0), pick(1), pick(2)), aspect).unwrap();
                    assert!(x.abs() <= 1.0 && y.abs() <= 1.0, "{is_flat} {aspect}: {x} {y}");
                }
            }
        }
    }

    #[test]
    fn odd_numbers_leave_a_camera_that_works() {
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, 1e30];
        for x in odd {
            let camera = Camera {
                target: [x; 3],
                distance: x,
                azimuth: x,
                elevation: x,
                angle: x,
                ..Camera::default()
            };
            assert!(camera.sane().clip_from_world(1.5).iter().all(|x| x.is_finite()), "{x}");
        }
    }
}
