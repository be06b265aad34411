//! How much light reaches a point: soft shadow and ambient occlusion by a fixed pattern of rays.

use std::f32::consts::TAU;

use crate::bvh::{Box3, Ray, V3};
use crate::solids::ARRIVAL;
use crate::stage::{Hit, Stage, Surface};

/// The pattern repeats every so many pixels in x and y; a filter of that width sees each of its rays once.
pub(crate) const PATTERN_SIDE: usize = 4;
const PATTERN_COUNT: usize = PATTERN_SIDE * PATTERN_SIDE;
/// Neighbours in the pattern look in well separated directions.
const PATTERN: [usize; PATTERN_COUNT] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/// How far ambient occlusion looks, in scene sizes.
const OCCLUSION_REACH: f32 = 0.6;
/// Sine of the angle the lamp covers as seen from the scene: large enough for a soft edge.
const LAMP_RADIUS: f32 = 0.09;

/// What part of the light arrives, 0..=1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Visibility {
    pub lamp: f32,
    pub sky: f32,
}

impl Visibility {
    /// Nothing stands in the way.
    pub const OPEN: Self = Self { lamp: 1.0, sky: 1.0 };
}

/// A lamp far away, and how many rays to spend on seeing it and the sky.
#[derive(Clone, Debug)]
pub(crate) struct Light {
    /// Unit vector towards the lamp.
    pub direction: V3,
    pub lamp_samples: usize,
    pub sky_samples: usize,
    casters: Box3,
}

impl Light {
    pub fn new(direction: V3, lamp_samples: usize, sky_samples: usize, stage: &Stage) -> Self {
        Self { direction: direction.normalize(), lamp_samples, sky_samples, casters: stage.bounds() }
    }

    /// Casts the rays of the pixel at `(x, y)`.
    pub fn visibility(&self, stage: &Stage, hit: &Hit, x: usize, y: usize) -> Visibility {
        let cell = PATTERN[(y % PATTERN_SIDE) * PATTERN_SIDE + x % PATTERN_SIDE];
        // Far enough off the surface that it does not shadow itself, near enough not to show.
        let offset = if hit.surface == Surface::Solid { 4.0 * ARRIVAL } else { ARRIVAL };
        let origin = hit.point + hit.normal * (offset * stage.scale);
        Visibility { lamp: self.lamp(stage, hit, origin, cell), sky: self.sky(stage, hit, origin, cell) }
    }

    fn lamp(&self, stage: &Stage, hit: &Hit, origin: V3, cell: usize) -> f32 {
        if hit.normal.dot(&self.direction) <= 0.0 {
            return 0.0;
        }
        let (across, along) = tangents(&self.direction);
        let rays = (0..self.lamp_samples).map(|sample| {
            let (u, v) = pattern_point(sample, cell, self.lamp_samples);
            let (radius, angle) = (LAMP_RADIUS * u.sqrt(), TAU * v);
            let towards = self.direction + across * (radius * angle.cos()) + along * (radius * angle.sin());
            Ray::new(origin, towards.normalize())
        });
        open_part(rays, self.lamp_samples, |_, ray| stage.blocks(ray, f32::MAX))
    }

    fn sky(&self, stage: &Stage, hit: &Hit, origin: V3, cell: usize) -> f32 {
        let reach = OCCLUSION_REACH * stage.scale;
        let gap = (self.casters.min - origin).sup(&(origin - self.casters.max)).sup(&V3::zeros());
        if gap.norm_squared() > reach * reach {
            return 1.0;
        }
        let (across, along) = tangents(&hit.normal);
        let count = self.sky_samples;
        let rays = (0..count).map(|sample| {
            let (u, v) = pattern_point(sample, cell, count);
            let (radius, angle) = (u.sqrt(), TAU * v);
            let sideways = across * (radius * angle.cos()) + along * (radius * angle.sin());
            Ray::new(origin, sideways + hit.normal * (1.0 - u).sqrt())
        });
        // Different reaches make far occluders count less than near ones.
        let part = |sample: usize| ((sample * 7 + cell * 5) % PATTERN_COUNT) as f32 / PATTERN_COUNT as f32;
        open_part(rays, count, |sample, ray| {
            let limit = reach * (0.08 + 0.92 * part(sample));
            stage.blocks(ray, limit) || plane_blocks(stage, ray, limit)
        })
    }
}

/// Whether a plane closes the sky within `limit`.
fn plane_blocks(stage: &Stage, ray: &Ray, limit: f32) -> bool {
    stage.planes.iter().any(|plane| plane.intersect(ray, limit).is_some())
}

fn open_part(rays: impl Iterator<Item = Ray>, count: usize, blocks: impl Fn(usize, &Ray) -> bool) -> f32 {
    let blocked = rays.enumerate().filter(|(sample, ray)| blocks(*sample, ray)).count();
    1.0 - blocked as f32 / count.max(1) as f32
}

/// Point `sample` of `count` in the unit square for a cell of the pattern: a Hammersley set dealt out to the cells.
#[inline]
fn pattern_point(sample: usize, cell: usize, count: usize) -> (f32, f32) {
    let index = sample * PATTERN_COUNT + cell;
    let all = (count * PATTERN_COUNT) as f32;
    let mirrored = (index as u32).reverse_bits() as f32 / (1_u64 << 32) as f32;
    ((index as f32 + 0.5) / all, mirrored)
}

/// Two unit vectors across a unit vector (Duff et al. 2017, JCGT 6(1)).
#[inline]
pub(crate) fn tangents(normal: &V3) -> (V3, V3) {
    let sign = 1.0_f32.copysign(normal.z);
    let a = -1.0 / (sign + normal.z);
    let b = normal.x * normal.y * a;
    let across = V3::new(1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x);
    (across, V3::new(b, sign + normal.y * normal.y * a, -normal.y))
}
