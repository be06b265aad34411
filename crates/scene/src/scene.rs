//! A scene that was checked: every name resolved, every number in its range.

use std::sync::{Arc, OnceLock};

use pliant_geometry::mesh::TriangleMesh;
use pliant_geometry::{ColorPicture, Placement, Sampler, Shape};
use pliant_material::{Material, Parameter};
use pliant_math::Vec3;
use pliant_mpm::MpmSettings;
use pliant_sph::SphSettings;
use pliant_world::{Collider, Joint, JointKind, Motion, VectorField};
use pliant_zhou::gbb2009::Neighbours;
use pliant_zhou::{Gbb2009Settings, Zhou2013Settings};

pub use crate::file::UpAxis;
pub use crate::file::output::{OutputFormat, SkinFormat};

use crate::field::ScalarField;
use crate::include::Assets;
use crate::source::{Source, Span};

/// A scene ready to be built.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Title; empty if it has none.
    pub title: String,
    /// Dimension of space, 2 or 3.
    pub dimension: usize,
    /// The axis exporters call up.
    pub up_axis: UpAxis,
    /// Seed of everything random.
    pub seed: u64,
    /// Most particles it may have.
    pub max_particles: usize,
    /// Duration and steps.
    pub time: TimePlan,
    /// How it is simulated.
    pub method: Method,
    /// Acceleration of everything [m/s²].
    pub gravity: Force,
    /// Materials, in the order of their names.
    pub materials: Vec<SceneMaterial>,
    /// Bodies.
    pub objects: Vec<Object>,
    /// Obstacles.
    pub colliders: Vec<Collider>,
    /// Fields of acceleration besides gravity.
    pub forces: Vec<Force>,
    /// What ties rigid bodies.
    pub joints: Vec<SceneJoint>,
    /// What is written.
    pub output: Output,
    /// Pictures.
    pub render: Render,
    /// What is doubtful but not wrong, such as holes in a mesh; one sentence each.
    pub warnings: Vec<String>,
    pub(crate) assets: Assets,
}

/// Duration and steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimePlan {
    /// Simulated time, a whole number of frames [s].
    pub duration: f64,
    /// Frames a second [1/s].
    pub fps: f64,
    /// Longest step [s].
    pub dt: f64,
    /// Frames after the initial one.
    pub frame_count: u32,
}

/// How a scene is simulated.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Method {
    /// Zhou 2013.
    Zhou2013(Zhou2013Settings),
    /// Gerszewski, Bhattacharya and Bargteil 2009.
    Gbb2009(Gbb2009Settings),
    /// Material Point Method, Nilles 2020.
    Mpm(MpmSettings),
    /// Smoothed Particle Hydrodynamics, Kugelstadt 2021.
    Sph(SphSettings),
}

impl Method {
    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Zhou2013(_) => "zhou2013",
            Self::Gbb2009(_) => "gbb2009",
            Self::Mpm(_) => "mpm",
            Self::Sph(_) => "sph",
        }
    }

    /// Neighbours of a particle inside a body, about; 0 for a method with a grid.
    pub fn neighbours_per_particle(&self, dimension: usize) -> f64 {
        let radius = match self {
            Self::Zhou2013(settings) => settings.neighbour_radius,
            Self::Mpm(_) => return 0.0,
            Self::Sph(settings) => settings.support,
            Self::Gbb2009(settings) => match settings.neighbours {
                Neighbours::Within(radius) => radius,
                Neighbours::Nearest(count) => return count as f64,
            },
        };
        let pi = std::f64::consts::PI;
        if dimension == 2 { pi * radius.powi(2) } else { 4.0 / 3.0 * pi * radius.powi(3) }
    }
}

/// A material whose parameters may vary inside a body.
#[derive(Clone, Debug)]
pub struct SceneMaterial {
    /// The material; parameters that vary have a placeholder.
    pub material: Material,
    /// Density at rest [kg/m³].
    pub density: ScalarField,
    /// Parameters that vary.
    pub varying: Vec<(Parameter, ScalarField)>,
}

/// What ties two objects, or one to the world.
#[derive(Clone, Debug)]
pub struct SceneJoint {
    /// How they may move against each other.
    pub kind: JointKind,
    /// Index of the objects; their first copies are tied. None for the world.
    pub objects: [Option<usize>; 2],
    /// Where it is [m].
    pub anchor: Vec3,
    /// Its axis, of length 1.
    pub axis: Vec3,
}

impl SceneJoint {
    /// The joint between bodies.
    pub(crate) fn joint(&self, body_of: impl Fn(usize) -> usize) -> Joint {
        let bodies = self.objects.map(|object| object.map(&body_of));
        Joint { kind: self.kind, bodies, anchor: self.anchor, axis: self.axis }
    }
}

/// A body, or several copies of it.
#[derive(Clone, Debug)]
pub struct Object {
    /// Unique name.
    pub name: String,
    /// What is filled with particles.
    pub matter: Matter,
    /// Index of its material.
    pub material: usize,
    /// Index of its species.
    pub species: u8,
    /// Distance between particles [m].
    pub spacing: f64,
    /// Density in place of the material's [kg/m³].
    pub density: Option<ScalarField>,
    /// Whether it keeps its shape whatever happens.
    pub rigid: bool,
    /// Volume at the start over that at rest.
    pub volume_ratio: Option<ScalarField>,
    /// What its particles carry at the start, such as heat or dye.
    pub concentration: Option<ScalarField>,
    /// Initial velocity [m/s].
    pub velocity: Option<[ScalarField; 3]>,
    /// Initial rate of turning about the centre of mass [rad/s].
    pub spin: Vec3,
    /// How far particles may start from their place at rest [m].
    pub scatter: f64,
    /// Seed of that.
    pub(crate) scatter_seed: u64,
    /// Where the copies stand from the original [m]; the first is zero.
    pub copies: Vec<Vec3>,
    /// How it appears over time; there from the start if none.
    pub emission: Option<Emission>,
    /// Particles that are held or driven.
    pub pins: Vec<ObjectPin>,
    /// A fine mesh that follows the particles.
    pub skin: Option<Skin>,
    /// Colour, linear red, green, blue in 0..1.
    pub color: [f32; 3],
    /// Colours of its particles; all have `color` if none.
    pub paint: Option<Paint>,
    /// The particles of the shape, once they were found: relaxing them takes time.
    pub(crate) filled: Arc<OnceLock<Vec<Vec3>>>,
    pub(crate) span: Span,
}

/// Where the particles of an object have their colours from.
#[derive(Clone, Debug, PartialEq)]
pub enum Paint {
    /// Drawn, each on its own.
    Drawn(Palette),
    /// From a picture in front of the object, which stands there.
    Picture(ColorPicture, Placement),
}

impl Paint {
    /// The colours of particles at these places of the first copy [m], linear red, green, blue in 0..1.
    pub fn colors(&self, points: &[Vec3]) -> Vec<[f32; 3]> {
        match self {
            Self::Drawn(palette) => palette.colors(points.len()),
            Self::Picture(picture, placement) => {
                points.iter().map(|point| picture.at(&placement.to_shape(point)).map(linear)).collect()
            }
        }
    }
}

/// Light of a colour as displays show it (sRGB).
pub(crate) fn linear(value: f64) -> f32 {
    let light = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
    light as f32
}

/// Colours with probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    /// Each colour, linear red, green, blue in 0..1, and its share of the particles; shares add up to 1.
    pub colors: Vec<([f32; 3], f64)>,
    /// Seed of the draw.
    pub seed: u64,
}

impl Palette {
    /// The colours of so many particles, each drawn on its own.
    pub fn colors(&self, count: usize) -> Vec<[f32; 3]> {
        let mut random = pliant_math::Random(self.seed);
        // The first numbers of near seeds are near.
        (0..8).for_each(|_| _ = random.number());
        let draw = |_| {
            let mut left = 0.5 * (random.number() + 1.0);
            let found = self.colors.iter().find(|(_, share)| {
                left -= share;
                left < 0.0
            });
            found.or(self.colors.last()).map_or([0.5; 3], |(color, _)| *color)
        };
        (0..count).map(draw).collect()
    }
}

/// A fine mesh that follows the particles of an object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Skin {
    /// A mesh in its place at the start.
    Mesh(TriangleMesh),
    /// The surface of the object's shape.
    Surface {
        /// Edge of its triangles, about [m].
        edge: f64,
    },
}

/// How matter appears over time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Emission {
    /// The object appears `count` times.
    Bursts {
        /// When it appears first [s].
        start: f64,
        /// Time from one to the next [s].
        every: f64,
        /// How often.
        count: u32,
    },
    /// Matter runs out of the shape.
    Stream {
        /// When it begins [s].
        start: f64,
        /// How long matter runs in [s].
        duration: f64,
        /// How fast it runs, and where to [m/s].
        velocity: Vec3,
    },
}

/// Where the particles of an object come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Matter {
    /// A shape in its place, filled by a sampler with a seed.
    Filled {
        /// The shape.
        shape: Shape,
        /// How it is filled.
        sampler: Sampler,
        /// Seed of the sampler.
        seed: u64,
    },
    /// Positions as they are [m].
    Points(Vec<Vec3>),
}

/// Particles of an object that follow a motion.
#[derive(Clone, Debug)]
pub struct ObjectPin {
    /// Particles inside at the start are pinned.
    pub region: Shape,
    /// How they move.
    pub motion: Motion,
    pub(crate) span: Span,
}

/// A field of acceleration.
#[derive(Clone, Debug)]
pub struct Force {
    /// Its value [m/s²].
    pub field: VectorField,
    /// Where it acts; everywhere if none.
    pub region: Option<Shape>,
    /// Indices of the objects it acts on; all if none.
    pub objects: Option<Vec<usize>>,
    pub(crate) span: Span,
}

/// What a run writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Folder of the run, if the scene names one.
    pub directory: Option<String>,
    /// Formats exported while running.
    pub formats: Vec<OutputFormat>,
    /// Whether the nodes of the grid are exported too.
    pub grid: bool,
    /// Formats in which skins are written while running.
    pub skins: Vec<SkinFormat>,
    /// Wall time between checkpoints [s].
    pub checkpoint_interval: f64,
}

/// Pictures and movie.
#[derive(Clone, Debug, PartialEq)]
pub struct Render {
    /// Whether a run ends with pictures.
    pub enabled: bool,
    /// Width and height in pixels, both even.
    pub size: [u32; 2],
    /// `material` or the name of a field.
    pub color_by: String,
    /// Values at the ends of the colour scale; from the data if none.
    pub range: Option<[f64; 2]>,
    /// Whether a surface is drawn around the particles.
    pub surface: bool,
    /// Camera.
    pub camera: Camera,
}

/// Where pictures are taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands [m]; chosen if none.
    pub position: Option<Vec3>,
    /// What it looks at [m]; chosen if none.
    pub target: Option<Vec3>,
    /// Vertical opening angle [rad].
    pub fov: f64,
    /// Angle travelled around the target during the movie [rad].
    pub orbit: f64,
}

impl Scene {
    /// The texts it was read from, the main file first, includes and options after it.
    pub fn sources(&self) -> &[Source] {
        self.assets.sources.sources()
    }
}
