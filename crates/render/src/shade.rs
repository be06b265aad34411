//! From light to colour: lamp, sky and bounce, reflections, ground, backdrop, tone curve.

use crate::flat::{self, Cut};
use crate::light::Visibility;
use crate::ray::{Ray, V3};
use crate::stage::{Hit, Stage, Surface};

/// Light of the lamp, the sky and the ground, linear.
const LAMP: V3 = V3::new(1.32, 1.24, 1.12);
const SKY: V3 = V3::new(0.56, 0.61, 0.70);
const BOUNCE: V3 = V3::new(0.40, 0.37, 0.345);
/// Backdrop at the horizon and above, linear.
const HORIZON: V3 = V3::new(0.86, 0.88, 0.905);
const ZENITH: V3 = V3::new(0.44, 0.53, 0.66);
/// Reflection of a plain dielectric seen straight on.
const REFLECTANCE: f32 = 0.04;
/// Sharpness of the highlight, as a Blinn-Phong exponent.
const GLOSS: f32 = 48.0;
/// The ground begins to dissolve into the backdrop at this many scene sizes from the centre, and ends at that many.
const FADE: (f32, f32) = (3.5, 14.0);

/// How to light hits.
#[derive(Clone, Debug)]
pub(crate) struct Shading<'a> {
    pub stage: &'a Stage,
    pub lamp_direction: V3,
    /// Distance of the ground's lines [m].
    pub line_spacing: f32,
    /// The colliders of a two-dimensional scene, which is drawn without light from the side.
    pub cut: Option<Cut>,
}

impl Shading<'_> {
    /// Linear light from where nothing was met; `footprint` is the size of a pixel [m].
    pub fn background(&self, ray: &Ray, footprint: f32) -> V3 {
        self.cut.as_ref().map_or_else(|| backdrop(&ray.direction), |cut| cut.colour(ray, footprint))
    }

    /// Linear light that arrives from the hit along the ray; `footprint` is the size of a pixel there [m].
    pub fn radiance(&self, ray: &Ray, hit: &Hit, visibility: Visibility, footprint: f32) -> V3 {
        if self.cut.is_some() {
            return flat::matter(hit);
        }
        match hit.surface {
            Surface::Ground => self.ground(ray, hit, visibility, footprint),
            Surface::Matter => self.glossy(ray, hit, visibility, 1.0),
            Surface::Solid => self.glossy(ray, hit, visibility, 0.4),
        }
    }

    fn diffuse(&self, hit: &Hit, albedo: V3, visibility: Visibility) -> V3 {
        let facing = hit.normal.dot(&self.lamp_direction).max(0.0);
        let upwards = 0.5 + 0.5 * hit.normal.y;
        let ambient = BOUNCE.lerp(&SKY, upwards).component_mul(&between_walls(visibility.sky, &albedo));
        albedo.component_mul(&(LAMP * (facing * visibility.lamp) + ambient))
    }

    fn glossy(&self, ray: &Ray, hit: &Hit, visibility: Visibility, shine: f32) -> V3 {
        let towards_eye = -ray.direction;
        let half = (towards_eye + self.lamp_direction).normalize();
        let fresnel =
            |cosine: f32| REFLECTANCE + (1.0 - REFLECTANCE) * (1.0 - cosine.clamp(0.0, 1.0)).powi(5);
        let highlight = hit.normal.dot(&half).max(0.0).powf(GLOSS) * (GLOSS + 2.0) / 8.0;
        let facing = hit.normal.dot(&self.lamp_direction).max(0.0);
        let lamp = LAMP * (highlight * facing * visibility.lamp * fresnel(half.dot(&towards_eye)) * 0.55);
        let mirrored = ray.direction - hit.normal * (2.0 * ray.direction.dot(&hit.normal));
        let rough = fresnel(hit.normal.dot(&towards_eye)) * 0.45;
        let sky = backdrop(&mirrored) * (rough * visibility.sky * visibility.sky);
        self.diffuse(hit, hit.colour, visibility) + (lamp + sky) * shine
    }

    fn ground(&self, ray: &Ray, hit: &Hit, visibility: Visibility, footprint: f32) -> V3 {
        let slant = footprint / (-hit.normal.dot(&ray.direction)).max(0.02);
        let lines = self.lines(&hit.normal, &hit.point, slant);
        let lit = self.diffuse(hit, hit.colour * (1.0 - 0.16 * lines), visibility);
        let away = (hit.point - self.stage.centre).norm() / self.stage.scale;
        let open = smooth_step(FADE.0, FADE.1, away);
        lit.lerp(&backdrop(&ray.direction), open)
    }

    /// How much of a pixel the ground's lines cover, 0..=1.
    fn lines(&self, normal: &V3, point: &V3, footprint: f32) -> f32 {
        let width = 0.012 * self.line_spacing;
        let cover = |coordinate: f32| {
            let nearest = (coordinate / self.line_spacing).round() * self.line_spacing;
            let gap = (coordinate - nearest).abs();
            let soft = footprint.max(1e-9);
            ((width + soft - gap) / (2.0 * soft)).clamp(0.0, 1.0) * (width / (width + soft)).sqrt()
        };
        let main = normal.iamax();
        (0..3).filter(|axis| *axis != main).map(|axis| cover(point[axis])).fold(0.0, f32::max)
    }
}

/// Light from where nothing is.
fn backdrop(direction: &V3) -> V3 {
    HORIZON.lerp(&ZENITH, smooth_step(0.0, 0.75, direction.y))
}

/// Occlusion as it looks when the walls pass light on to each other: bright matter darkens less
/// (Jimenez et al. 2016, fit of the albedo dependence).
fn between_walls(open: f32, albedo: &V3) -> V3 {
    albedo.map(|albedo| {
        let (a, b, c) = (2.0404 * albedo - 0.3324, 0.6417 - 4.7951 * albedo, 2.7552 * albedo + 0.6903);
        open.max(((open * a + b) * open + c) * open)
    })
}

fn smooth_step(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Brightness above which highlights are compressed, and how fast they lose their hue.
const SHOULDER: f32 = 0.76;
const BLEACH: f32 = 0.15;

/// A filmic curve that leaves colours below the shoulder as they are (after the Khronos neutral tone mapper), so
/// that matter has the colour the scene or the legend says.
pub(crate) fn tone(light: V3) -> V3 {
    let peak = light.max();
    if !peak.is_finite() {
        return V3::repeat(1.0);
    }
    if peak <= SHOULDER {
        return light.sup(&V3::zeros());
    }
    let room = 1.0 - SHOULDER;
    let new_peak = 1.0 - room * room / (peak + room - SHOULDER);
    let bleach = 1.0 - 1.0 / (BLEACH * (peak - new_peak) + 1.0);
    (light * (new_peak / peak)).lerp(&V3::repeat(new_peak), bleach)
}
