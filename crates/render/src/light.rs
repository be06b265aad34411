//! How much light reaches a point: soft shadow and ambient occlusion by a fixed pattern of rays.

use std::f32::consts::TAU;

use crate::ray::{Box3, Ray, V3};
use crate::solids::ARRIVAL;
use crate::stage::{Hit, Stage, Surface};

/// The pattern repeats every so many pixels in x and y; a filter of that width sees each of its rays once.
const PATTERN_SIDE: usize = 4;
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

/// A lamp far away and the sky, with the rays that look for them.
#[derive(Clone, Debug)]
pub(crate) struct Light {
    /// Unit vector towards the lamp.
    pub direction: V3,
    /// Directions into the lamp's disc, the samples of a pattern cell one after the other.
    lamp_rays: Vec<V3>,
    /// Directions into the sky for a surface that faces z, and what part of the reach each looks.
    sky_rays: Vec<(V3, f32)>,
    /// Box and ball around all that throws shadows; `None` if something has no end.
    casters: Option<(Box3, V3, f32)>,
}

impl Light {
    pub fn new(direction: V3, lamp_samples: usize, sky_samples: usize, stage: &Stage) -> Self {
        let direction = direction.normalize();
        let (across, along) = tangents(&direction);
        let in_lamp = |(u, v): (f32, f32)| {
            let (radius, angle) = (LAMP_RADIUS * u.sqrt(), TAU * v);
            (direction + across * (radius * angle.cos()) + along * (radius * angle.sin())).normalize()
        };
        // Lambert's cosine is in the density of the directions.
        let in_sky = |(u, v): (f32, f32)| {
            let (radius, angle) = (u.sqrt(), TAU * v);
            V3::new(radius * angle.cos(), radius * angle.sin(), (1.0 - u).sqrt())
        };
        // Different reaches make far occluders count less than near ones.
        let part = |ray: usize| ((ray * 7) % PATTERN_COUNT) as f32 / PATTERN_COUNT as f32;
        let sky_rays = pattern(sky_samples).map(in_sky).enumerate();
        let bounds = stage.bounds();
        let has_end = stage.solids.iter().all(|solid| solid.bounds().is_some()) && !bounds.is_empty();
        let casters = has_end.then(|| (bounds, bounds.centre(), 0.5 * (bounds.max - bounds.min).norm()));
        Self {
            direction,
            lamp_rays: pattern(lamp_samples).map(in_lamp).collect(),
            sky_rays: sky_rays.map(|(ray, towards)| (towards, 0.08 + 0.92 * part(ray))).collect(),
            casters,
        }
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
        if self.casters.is_some_and(|(_, centre, radius)| self.misses(centre - origin, radius)) {
            return 1.0;
        }
        let rays = of_cell(&self.lamp_rays, cell);
        let open =
            rays.iter().filter(|towards| !stage.blocks(&Ray::new(origin, **towards), f32::MAX)).count();
        open_part(open, rays.len())
    }

    /// Whether no ray into the lamp can meet a ball, given where it lies from the rays' origin.
    fn misses(&self, to_ball: V3, radius: f32) -> bool {
        let ahead = to_ball.dot(&self.direction);
        let aside = (to_ball - self.direction * ahead).norm();
        ahead < -radius || aside > radius + LAMP_RADIUS * (ahead + radius)
    }

    fn sky(&self, stage: &Stage, hit: &Hit, origin: V3, cell: usize) -> f32 {
        let reach = OCCLUSION_REACH * stage.scale;
        let is_far = |bounds: &Box3| {
            let gap = (bounds.min - origin).sup(&(origin - bounds.max)).sup(&V3::zeros());
            gap.norm_squared() > reach * reach
        };
        if hit.surface == Surface::Ground && self.casters.is_some_and(|(bounds, ..)| is_far(&bounds)) {
            return 1.0;
        }
        let (across, along) = tangents(&hit.normal);
        let rays = of_cell(&self.sky_rays, cell);
        let is_open = |(towards, part): &&(V3, f32)| {
            let ray = Ray::new(origin, across * towards.x + along * towards.y + hit.normal * towards.z);
            let limit = reach * part;
            !plane_blocks(stage, &ray, limit) && !stage.blocks(&ray, limit)
        };
        open_part(rays.iter().filter(is_open).count(), rays.len())
    }
}

/// Points in the unit square, cell after cell of the pattern: a Hammersley set dealt out to the cells.
fn pattern(samples: usize) -> impl Iterator<Item = (f32, f32)> {
    let point = move |cell: usize, sample: usize| {
        let index = sample * PATTERN_COUNT + cell;
        let mirrored = (index as u32).reverse_bits() as f32 / (1_u64 << 32) as f32;
        ((index as f32 + 0.5) / (samples * PATTERN_COUNT) as f32, mirrored)
    };
    (0..PATTERN_COUNT).flat_map(move |cell| (0..samples).map(move |sample| point(cell, sample)))
}

/// The rays of one cell of the pattern.
fn of_cell<T>(rays: &[T], cell: usize) -> &[T] {
    let samples = rays.len() / PATTERN_COUNT;
    &rays[cell * samples..(cell + 1) * samples]
}

/// Without rays everything is open.
fn open_part(open: usize, count: usize) -> f32 {
    if count == 0 { 1.0 } else { open as f32 / count as f32 }
}

/// Whether a plane closes the sky within `limit`.
fn plane_blocks(stage: &Stage, ray: &Ray, limit: f32) -> bool {
    stage.planes.iter().any(|plane| plane.intersect(ray, limit).is_some())
}

/// Two unit vectors across a unit vector (Duff et al. 2017, JCGT 6(1)).
#[inline]
fn tangents(normal: &V3) -> (V3, V3) {
    let sign = 1.0_f32.copysign(normal.z);
    let a = -1.0 / (sign + normal.z);
    let b = normal.x * normal.y * a;
    let across = V3::new(1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x);
    (across, V3::new(b, sign + normal.y * normal.y * a, -normal.y))
}
