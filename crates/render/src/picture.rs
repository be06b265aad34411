//! From a snapshot to a picture.

use std::mem::take;

use pliant_world::snapshot::Snapshot;
use rayon::prelude::*;

use crate::RenderError;
use crate::camera::{Camera, Lens};
use crate::colour::{hex, linear};
use crate::flat::Cut;
use crate::image::Image;
use crate::legend::{INK, round_step};
use crate::light::Light;
use crate::mesh::{MeshTracer, SurfaceMesh};
use crate::paint::{ColourBy, paint};
use crate::ray::V3;
use crate::shade::Shading;
use crate::solids::Collider;
use crate::spheres::Spheres;
use crate::stage::Stage;
use crate::text::{self, Anchor};
use crate::tile::{TILE, TileMaker};

/// How much time to spend on a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Quality {
    /// One ray a pixel; for looking while working.
    Draft,
    /// Four rays a pixel at edges; for movies.
    #[default]
    Normal,
    /// Nine rays a pixel at edges and finer shadows; for covers.
    High,
}

impl Quality {
    /// Rays in each direction of a pixel at an edge, then rays to the lamp and to the sky a pixel.
    fn samples(self) -> (usize, usize, usize) {
        match self {
            Self::Draft => (1, 1, 2),
            Self::Normal => (2, 4, 5),
            Self::High => (3, 8, 12),
        }
    }
}

/// What pictures of a run have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// Time against noise.
    pub quality: Quality,
    /// What colours mean.
    pub colour_by: ColourBy,
    /// Radius of particles without a `radius` column [m].
    pub particle_radius: f32,
    /// Whether simulated time is written in a corner.
    pub shows_time: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            width: 960,
            height: 540,
            quality: Quality::default(),
            colour_by: ColourBy::default(),
            particle_radius: 0.01,
            shows_time: false,
        }
    }
}

/// One picture's content: an instant, its surroundings and where it is seen from.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The particles.
    pub snapshot: &'a Snapshot,
    /// A surface shown instead of the particles, coloured by its own attributes.
    pub surface: Option<&'a SurfaceMesh>,
    /// What the particles collide with.
    pub colliders: &'a [Collider],
    /// Where the picture is taken from; an orthographic lens draws the plane `z = 0`.
    pub camera: Camera,
}

/// Makes pictures of one style.
#[derive(Clone, Debug)]
pub struct Renderer {
    style: Style,
}

impl Renderer {
    /// A renderer of that style.
    pub fn new(style: Style) -> Self {
        Self { style }
    }

    /// The picture of a view: the same bits on any number of threads.
    ///
    /// # Errors
    /// [`RenderError::Size`] for an impossible size, [`RenderError::UnknownField`] if the colour's field is missing.
    pub fn picture(&self, view: &View) -> Result<Image, RenderError> {
        let style = &self.style;
        let mut image = Image::filled(style.width, style.height, [255; 3])?;
        let mut stage = self.stage(view)?;
        let (side, mut lamp_samples, mut sky_samples) = style.quality.samples();
        let is_flat = matches!(view.camera.lens, Lens::Orthographic { .. });
        let cut = is_flat.then(|| Cut { planes: take(&mut stage.planes), solids: take(&mut stage.solids) });
        if is_flat {
            (lamp_samples, sky_samples) = (0, 0);
        }
        let light = Light::new(LAMP_DIRECTION, lamp_samples, sky_samples, &stage);
        let line_spacing = round_step(f64::from(stage.scale) * 0.8) as f32;
        let shading = Shading { stage: &stage, lamp_direction: light.direction, line_spacing, cut };
        let maker = TileMaker::new(&shading, &light, &view.camera, (style.width, style.height), side);
        let columns = style.width.div_ceil(TILE);
        let tiles: Vec<Vec<[u8; 3]>> = (0..columns * style.height.div_ceil(TILE))
            .into_par_iter()
            .map(|tile| maker.tile(tile % columns, tile / columns))
            .collect();
        for (tile, pixels) in (0_u32..).zip(&tiles) {
            put_tile(&mut image, tile % columns * TILE, tile / columns * TILE, pixels);
        }
        self.annotate(&mut image, view);
        Ok(image)
    }

    fn stage(&self, view: &View) -> Result<Stage, RenderError> {
        // Measured by the camera, not by the matter: lines and shadows must not jump when matter spreads.
        let camera = &view.camera;
        let distance = match camera.lens {
            Lens::Perspective { .. } => (camera.position - camera.target).norm(),
            Lens::Orthographic { .. } => 1.0,
        };
        let mut stage = Stage {
            centre: camera.target.cast(),
            scale: ((distance * camera.half_height()) as f32).max(1e-6),
            solid_colour: linear(hex(0xb9c0ca)),
            ground_colour: linear(hex(0xcfd1d4)),
            ..Stage::default()
        };
        match view.surface {
            Some(mesh) => {
                let colours = paint(&self.style.colour_by, &mesh.attributes, mesh.positions.len())?;
                stage.skin = MeshTracer::new(mesh, colours);
            }
            None => stage.spheres = self.spheres(view.snapshot)?,
        }
        view.colliders.iter().for_each(|collider| stage.add(collider.placed()));
        Ok(stage)
    }

    fn spheres(&self, snapshot: &Snapshot) -> Result<Spheres, RenderError> {
        let positions = snapshot.positions();
        let colours = paint(&self.style.colour_by, &snapshot.fields, positions.len())?;
        let radii = snapshot.scalars(Snapshot::RADIUS).unwrap_or_default();
        let own_radius = |particle: usize| radii.get(particle).copied().unwrap_or(self.style.particle_radius);
        let radius = |particle: usize| OVERLAP * own_radius(particle);
        let balls = positions.iter().zip(colours).enumerate();
        let balls: Vec<([f32; 3], f32, V3)> =
            balls.map(|(particle, (position, colour))| (*position, radius(particle), colour)).collect();
        Ok(Spheres::new(&balls))
    }

    fn annotate(&self, image: &mut Image, view: &View) {
        if let ColourBy::Field(colours) = &self.style.colour_by {
            image.draw_legend(colours, image.width() as f32, INK);
        }
        if self.style.shows_time {
            let unit = image.height() as f32 / 100.0;
            let place = (4.0 * unit, 95.0 * unit, Anchor::Left);
            let label = format!("{:.2} s", view.snapshot.time);
            text::draw(image, &label, place, (3.4 * unit).max(9.0), INK);
        }
    }
}

/// Balls are drawn a little larger than half their spacing, so that bodies look whole.
const OVERLAP: f32 = 1.12;
/// From the upper left, a little in front, so that shapes read and shadows fall to the right behind.
const LAMP_DIRECTION: V3 = V3::new(-0.16, 0.80, 0.58);

fn put_tile(image: &mut Image, left: u32, top: u32, pixels: &[[u8; 3]]) {
    let width = image.width() as usize;
    let tile_width = (image.width() - left).min(TILE) as usize;
    for (row, line) in pixels.chunks(tile_width).enumerate() {
        let start = (top as usize + row) * width + left as usize;
        image.pixels_mut()[start..start + tile_width].copy_from_slice(line);
    }
}
