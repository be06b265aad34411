//! The camera nobody had to place: it sees every particle of the whole run.

use pliant_math::Vec3;
use pliant_world::snapshot::Snapshot;

use crate::camera::{Camera, Lens};
use crate::ray::V3;
use crate::spheres::is_drawable;

/// Opening angle of the default camera [degrees]: long enough a lens not to distort, short enough to feel near.
const VERTICAL_ANGLE_DEG: f64 = 30.0;
/// Where the default camera stands around the scene, from +z towards +x [degrees].
const AZIMUTH_DEG: f64 = 32.0;
/// How far it looks down [degrees].
const ELEVATION_DEG: f64 = 18.0;
/// Part of the picture the action may fill.
const FILL: f64 = 0.84;

/// Whether the camera stays or goes around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// The action fits as seen from the default side.
    OneSide,
    /// The action fits from every side, for cameras that orbit.
    AllAround,
}

/// The box all particles of a run stay in; feed it every frame, then ask for the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framing {
    min: Vec3,
    max: Vec3,
}

impl Default for Framing {
    fn default() -> Self {
        Self { min: Vec3::repeat(f64::INFINITY), max: Vec3::repeat(f64::NEG_INFINITY) }
    }
}

impl Framing {
    /// Adds the particles of a frame, with their radii; non-finite ones are ignored.
    pub fn include(&mut self, snapshot: &Snapshot) {
        let radii = snapshot.scalars(Snapshot::RADIUS).unwrap_or_default();
        for (place, position) in snapshot.positions().iter().enumerate() {
            let position = V3::from(*position);
            let radius = radii.get(place).copied().unwrap_or(0.0);
            if is_drawable(&position, radius.max(f32::MIN_POSITIVE)) {
                self.min = self.min.inf(&position.add_scalar(-radius).cast());
                self.max = self.max.sup(&position.add_scalar(radius).cast());
            }
        }
    }

    /// Adds a point, for instance a corner of a collider that matters.
    pub fn include_point(&mut self, point: &Vec3) {
        if point.iter().all(|coordinate| coordinate.is_finite()) {
            self.min = self.min.inf(point);
            self.max = self.max.sup(point);
        }
    }

    /// A three-quarter view from slightly above for a picture of that width over height.
    pub fn camera(&self, aspect: f64, coverage: Coverage) -> Camera {
        let (center, corners) = (self.center(), self.corners(coverage));
        let (azimuth, elevation) = (AZIMUTH_DEG.to_radians(), ELEVATION_DEG.to_radians());
        let back =
            Vec3::new(azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos());
        let mut camera = Camera::new(center + back, center, VERTICAL_ANGLE_DEG);
        let half_height = camera.half_height() * FILL;
        let (half_width, [right, up, _]) = (half_height * aspect, camera.axes());
        // Centring moves the corners' depths a little; a few rounds settle it.
        for _ in 0..8 {
            let offsets = corners.iter().map(|corner| corner - camera.target);
            let distance = offsets
                .map(|p| {
                    back.dot(&p) + (right.dot(&p).abs() / half_width).max(up.dot(&p).abs() / half_height)
                })
                .fold(1e-6, f64::max);
            camera.position = camera.target + back * distance;
            let seen = |axis: &Vec3| {
                let at =
                    |p: &Vec3| axis.dot(&(p - camera.target)) / (distance - back.dot(&(p - camera.target)));
                let (low, high) = corners.iter().map(at).fold(EMPTY, |(l, h), x| (l.min(x), h.max(x)));
                0.5 * (low + high) * distance
            };
            let shift_right = if coverage == Coverage::OneSide { seen(&right) } else { 0.0 };
            let shift = right * shift_right + up * seen(&up);
            camera.target += shift;
            camera.position += shift;
        }
        let slack = if coverage == Coverage::OneSide { 1.02 } else { 1.05 };
        camera.position = camera.target + (camera.position - camera.target) * slack;
        camera
    }

    /// The view of a two-dimensional scene: straight on the plane `z = 0`, y up.
    pub fn flat_camera(&self, aspect: f64) -> Camera {
        let size = self.max - self.min;
        let height = if self.is_empty() { 1.0 } else { size.y.max(size.x / aspect).max(1e-6) / FILL };
        let target = Vec3::new(self.center().x, self.center().y, 0.0);
        Camera { position: target + Vec3::z() * height, target, lens: Lens::Orthographic { height } }
    }

    fn is_empty(&self) -> bool {
        self.min.x > self.max.x
    }

    fn center(&self) -> Vec3 {
        if self.is_empty() { Vec3::zeros() } else { (self.min + self.max) * 0.5 }
    }

    /// Points whose hull holds the box: its corners, or rings around the vertical axis for an orbit.
    fn corners(&self, coverage: Coverage) -> Vec<Vec3> {
        if self.is_empty() {
            return vec![Vec3::repeat(-0.5), Vec3::repeat(0.5)];
        }
        let (center, half) = (self.center(), (self.max - self.min) * 0.5);
        let around: Vec<(f64, f64)> = match coverage {
            Coverage::OneSide => {
                vec![(-half.x, -half.z), (-half.x, half.z), (half.x, -half.z), (half.x, half.z)]
            }
            Coverage::AllAround => {
                let radius = half.x.hypot(half.z) * 1.02;
                let angles = (0..24).map(|step| f64::from(step) * std::f64::consts::TAU / 24.0);
                angles.map(|angle| (radius * angle.cos(), radius * angle.sin())).collect()
            }
        };
        let column = |(x, z): (f64, f64)| [-half.y, half.y].map(|y| center + Vec3::new(x, y, z));
        around.into_iter().flat_map(column).collect()
    }
}

const EMPTY: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);
