//! One square of a picture: a ray a pixel, light with a filter against noise, and more rays where something ends.

use crate::camera::{Camera, RayMaker};
use crate::colour::srgb_bytes;
use crate::light::{Light, Visibility};
use crate::ray::{Ray, V3};
use crate::shade::{Shading, tone};
use crate::stage::Hit;

/// Side of a tile [pixels]. Fixed, so that pictures do not depend on the number of threads.
pub(crate) const TILE: u32 = 32;
/// Pixels around a tile that its filter reads.
const APRON: usize = 2;
/// Filter along one side: with the half weights at the ends it sees every cell of the light pattern equally often.
const FILTER: [f32; 5] = [0.5, 1.0, 1.0, 1.0, 0.5];
/// Cosine between normals beyond which light is not shared, and beyond which a pixel needs more rays.
const SAME_LIGHT: f32 = 0.75;
const SAME_LOOK: f32 = 0.97;

/// Makes the tiles of one picture.
pub(crate) struct TileMaker<'a> {
    shading: &'a Shading<'a>,
    light: &'a Light,
    rays: RayMaker,
    size: (u32, u32),
    side: usize,
}

/// What the ray through each pixel's middle met, for a tile with its apron, row by row.
struct Samples {
    /// Picture coordinates of the first pixel, plus the apron so that they are never negative.
    corner: (usize, usize),
    width: usize,
    hits: Vec<Option<Hit>>,
    lights: Vec<Visibility>,
}

impl<'a> TileMaker<'a> {
    /// For a picture of that many pixels with `side` × `side` samples where something ends.
    pub fn new(
        shading: &'a Shading<'a>,
        light: &'a Light,
        camera: &Camera,
        size: (u32, u32),
        side: usize,
    ) -> Self {
        Self { shading, light, rays: RayMaker::new(camera, size.0, size.1), size, side }
    }

    /// The pixels of a tile, row by row.
    pub fn tile(&self, column: u32, row: u32) -> Vec<[u8; 3]> {
        let (left, top) = (column * TILE, row * TILE);
        let width = (self.size.0 - left).min(TILE) as usize;
        let height = (self.size.1 - top).min(TILE) as usize;
        let samples = self.cast((left as usize, top as usize), width + 2 * APRON, height + 2 * APRON);
        let pixels = (0..width * height).map(|pixel| {
            let (x, y) = (pixel % width + APRON, pixel / width + APRON);
            let light = if self.side > 1 && samples.needs_more_rays(x, y, &self.rays) {
                self.finer(&samples, x, y)
            } else {
                let ray = self.ray(&samples, x as f32, y as f32);
                tone(self.colour(&ray, samples.hits[y * samples.width + x].as_ref(), &samples, x, y))
            };
            let vignette = self.vignette(left as usize + pixel % width, top as usize + pixel / width);
            srgb_bytes(light * vignette)
        });
        pixels.collect()
    }

    /// Corners a little darker than the middle lead the eye to the action.
    fn vignette(&self, x: usize, y: usize) -> f32 {
        let (u, v) = (x as f32 / self.size.0 as f32 - 0.5, y as f32 / self.size.1 as f32 - 0.5);
        if self.shading.cut.is_some() { 1.0 } else { 1.0 - 0.22 * (u * u + v * v) }
    }

    fn cast(&self, corner: (usize, usize), width: usize, height: usize) -> Samples {
        let mut samples = Samples {
            corner,
            width,
            hits: Vec::with_capacity(width * height),
            lights: Vec::with_capacity(width * height),
        };
        for index in 0..width * height {
            let (x, y) = (index % width, index / width);
            let hit = self.shading.stage.nearest(&self.ray(&samples, x as f32, y as f32));
            let light = hit.as_ref().map_or(Visibility::OPEN, |hit| self.own_light(&samples, hit, x, y));
            samples.hits.push(hit);
            samples.lights.push(light);
        }
        samples
    }

    /// The ray through a place of the tile; whole numbers are the middles of pixels.
    fn ray(&self, samples: &Samples, x: f32, y: f32) -> Ray {
        let shift = 0.5 - APRON as f32;
        self.rays.ray(samples.corner.0 as f32 + x + shift, samples.corner.1 as f32 + y + shift)
    }

    fn own_light(&self, samples: &Samples, hit: &Hit, x: usize, y: usize) -> Visibility {
        self.light.visibility(self.shading.stage, hit, samples.corner.0 + x, samples.corner.1 + y)
    }

    /// The mean over a grid of rays in the pixel. Tone first, then average: edges of bright things stay smooth.
    fn finer(&self, samples: &Samples, x: usize, y: usize) -> V3 {
        let count = self.side * self.side;
        let within = |i: usize| (i as f32 + 0.5) / self.side as f32 - 0.5;
        let places = (0..count).map(|i| (x as f32 + within(i % self.side), y as f32 + within(i / self.side)));
        let sum: V3 = places
            .map(|(u, v)| {
                let ray = self.ray(samples, u, v);
                tone(self.colour(&ray, self.shading.stage.nearest(&ray).as_ref(), samples, x, y))
            })
            .sum();
        sum / count as f32
    }

    /// Linear light along a ray in the pixel `(x, y)`.
    fn colour(&self, ray: &Ray, hit: Option<&Hit>, samples: &Samples, x: usize, y: usize) -> V3 {
        let Some(hit) = hit else { return self.shading.background(ray, self.rays.footprint_at(1.0)) };
        let footprint = self.rays.footprint_at(hit.distance);
        let shared = samples.filtered(hit, x, y, footprint);
        let light = shared.unwrap_or_else(|| self.own_light(samples, hit, x, y));
        self.shading.radiance(ray, hit, light, footprint)
    }
}

impl Samples {
    /// Light averaged over the pixels around that lie on the same smooth piece of surface, if there are any.
    fn filtered(&self, hit: &Hit, x: usize, y: usize, footprint: f32) -> Option<Visibility> {
        let here = self.lights[y * self.width + x];
        let mut rows = (y - APRON..=y + APRON).map(|row| row * self.width + x);
        if rows.all(|middle| self.lights[middle - APRON..=middle + APRON].iter().all(|light| *light == here))
        {
            return Some(here);
        }
        let mut sum = Visibility { lamp: 0.0, sky: 0.0 };
        let mut total = 0.0;
        for (dy, weight_y) in FILTER.iter().enumerate() {
            for (dx, weight_x) in FILTER.iter().enumerate() {
                let index = (y + dy - APRON) * self.width + x + dx - APRON;
                let Some(other) = &self.hits[index] else { continue };
                if is_same_piece(hit, other, 1.5 * footprint, SAME_LIGHT) {
                    let weight = weight_x * weight_y;
                    sum.lamp += weight * self.lights[index].lamp;
                    sum.sky += weight * self.lights[index].sky;
                    total += weight;
                }
            }
        }
        (total > 0.0).then(|| Visibility { lamp: sum.lamp / total, sky: sum.sky / total })
    }

    /// Whether a neighbour shows something else, so that an edge runs through or near the pixel.
    fn needs_more_rays(&self, x: usize, y: usize, rays: &RayMaker) -> bool {
        let here = &self.hits[y * self.width + x];
        let around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
        around.into_iter().any(|(x, y)| match (here, &self.hits[y * self.width + x]) {
            (Some(a), Some(b)) => !is_same_piece(a, b, rays.footprint_at(a.distance), SAME_LOOK),
            (None, None) => false,
            _ => true,
        })
    }
}

fn is_same_piece(a: &Hit, b: &Hit, step: f32, cosine: f32) -> bool {
    a.surface == b.surface
        && a.normal.dot(&(b.point - a.point)).abs() < step
        && a.normal.dot(&b.normal) > cosine
}
