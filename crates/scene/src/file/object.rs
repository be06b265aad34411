//! `[[objects]]`: bodies made of particles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collider::MotionFile;
use super::quantity::{
    Any, Density, JitterRange, Length, NotNegative, Number, OfPlace, Positive, Speed, Time, Turning,
};
use super::shape::{PlacedFile, ShapeFile};
use super::value::{At, Count, Value};
use super::vector::{ColorFile, RotationFile, Vector};

/// A body: a shape filled with particles, or particles from a file.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ObjectFile {
    /// Name, unique among objects; `object-1` and so on if left out.
    #[serde(default)]
    pub(crate) name: Option<At<String>>,
    /// Shape to fill; this or `points`.
    #[serde(default)]
    pub(crate) shape: Option<At<ShapeFile>>,
    /// CSV or PLY file of particle positions, relative to the scene file; this or `shape`.
    #[serde(default)]
    pub(crate) points: Option<At<String>>,
    /// Where the origin of the shape goes.
    #[serde(default)]
    pub(crate) position: Option<Vector<Length>>,
    /// How the shape is turned, about its own origin.
    #[serde(default)]
    pub(crate) rotation: Option<RotationFile>,
    /// Size factor.
    #[serde(default)]
    pub(crate) scale: Option<Value<Number, Positive>>,
    /// Name of its material.
    pub(crate) material: At<String>,
    /// Its species, one of `method.mpm.species`; the first if left out.
    #[serde(default)]
    pub(crate) species: Option<At<String>>,
    /// Distance between particles; that of the scene if left out.
    #[serde(default)]
    pub(crate) spacing: Option<Value<Length, Positive>>,
    /// How the shape is filled.
    #[serde(default)]
    pub(crate) sampler: SamplerFile,
    /// Seed of the sampler; derived from the scene's if left out.
    #[serde(default)]
    pub(crate) seed: Option<Count<0, { u32::MAX }>>,
    /// Density, in place of the material's.
    #[serde(default)]
    pub(crate) density: Option<Value<OfPlace<Density>, Positive>>,
    /// Whether it is rigid, for `sph`: it floats, sinks, tumbles and pushes, but never changes its shape.
    #[serde(default)]
    pub(crate) rigid: Option<At<bool>>,
    /// Volume at the start over that at rest, for `mpm`: below 1, snow is packed and hard, other matter compressed.
    #[serde(default)]
    pub(crate) volume_ratio: Option<Value<OfPlace<Number>, Positive>>,
    /// What its particles carry at the start, such as heat, moisture or dye, for `mpm`: it spreads where materials have a
    /// `diffusivity`, interactions know it as `c`, and frames show it.
    #[serde(default)]
    pub(crate) concentration: Option<Value<OfPlace<Number>, Any>>,
    /// Initial velocity.
    #[serde(default)]
    pub(crate) velocity: Option<Vector<OfPlace<Speed>>>,
    /// Initial rotation about the centre of mass: its direction is the axis. In the plane, one number.
    #[serde(default)]
    pub(crate) spin: Option<SpinFile>,
    /// How far particles may start from their place at rest, each at random, for `sph` and `zhou2013`: what the body
    /// makes of it shows how well it remembers its shape.
    #[serde(default)]
    pub(crate) scatter: Option<Value<Length, NotNegative>>,
    /// Copies in a regular array; each is a body of its own.
    #[serde(default)]
    pub(crate) copies: Option<CopiesFile>,
    /// Matter that appears while the simulation runs, for `mpm`; there from the start if left out.
    #[serde(default)]
    pub(crate) emit: Option<At<EmitFile>>,
    /// Particles that are held or driven.
    #[serde(default)]
    pub(crate) pins: Vec<At<PinFile>>,
    /// A fine mesh that follows the particles: drawn where surfaces are, written by `output.skins` and `pliant skin`.
    #[serde(default)]
    pub(crate) skin: Option<At<SkinFile>>,
    /// Colour in pictures, in place of the material's.
    #[serde(default)]
    pub(crate) color: Option<ColorFile>,
    /// Colours that each particle draws from, in place of one.
    #[serde(default)]
    pub(crate) colors: Vec<At<DrawnColorFile>>,
    /// A picture in front of the object that its particles have their colours from, in place of one.
    #[serde(default)]
    pub(crate) color_image: Option<ColorImageFile>,
}

/// A picture that gives colours: centred on the origin of the shape, seen along z.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColorImageFile {
    /// PNG or JPEG file, relative to the scene file.
    pub(crate) path: At<String>,
    /// Width of the picture; its height follows.
    pub(crate) width: Value<Length, Positive>,
}

/// A colour with a probability.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DrawnColorFile {
    /// The colour.
    pub(crate) color: ColorFile,
    /// How often it is drawn, beside the others.
    #[serde(default = "once")]
    pub(crate) share: Value<Number, Positive>,
}

fn once() -> Value<Number, Positive> {
    Value::number(1.0)
}

/// How a shape is filled; one of:
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SamplerFile {
    /// Centres of cubic cells: the most accurate.
    #[default]
    Lattice,
    /// One particle at a random place of each cell.
    Jittered(JitteredFile),
    /// Independent random points.
    Random,
    /// Random points that keep their distance.
    PoissonDisk,
    /// Relaxed by pressure, cohesion and adhesion (Kugelstadt 2021): even, isotropic, and thin parts are kept. Takes
    /// seconds; meshes must be closed.
    Relaxed(RelaxedFile),
    /// Relaxed by an explicit pressure and cohesion (after Jiang 2015), for comparison; meshes must be closed.
    BlueNoise,
}

/// Relaxed sampling.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RelaxedFile {
    /// How strongly particles seek the distance of one spacing.
    pub(crate) cohesion: Value<Number, NotNegative>,
    /// How strongly particles near the surface are pulled to it.
    pub(crate) adhesion: Value<Number, NotNegative>,
}

impl Default for RelaxedFile {
    fn default() -> Self {
        Self { cohesion: Value::number(4.0), adhesion: Value::number(0.2) }
    }
}

/// A fine mesh that follows the particles; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SkinFile {
    /// A mesh file, relative to the scene file; placed, turned and scaled as the shape is.
    Mesh(At<String>),
    /// The surface of the shape itself, in triangles of about this edge.
    Surface(Value<Length, Positive>),
}

/// Jittered sampling.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct JitteredFile {
    /// Share of the cell used: 0 is the lattice, 1 the whole cell.
    pub(crate) amount: Value<Number, JitterRange>,
}

impl Default for JitteredFile {
    fn default() -> Self {
        Self { amount: Value::number(0.25) }
    }
}

/// Rate of turning: a vector, or one number in the plane.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct SpinFile(pub(crate) At<super::vector::Form<Turning, super::vector::Nothing>>);

impl JsonSchema for SpinFile {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "spin".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let vector = Vector::<Turning, Any>::json_schema(generator);
        schemars::json_schema!({
            "anyOf": [{ "type": ["number", "string"] }, vector],
            "x-kind": "list, each rate of turning in rad/s; or one number about z",
        })
    }
}

/// Array of copies.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CopiesFile {
    /// Copies along x, y and z, the original included.
    pub(crate) count: At<Vec<Count<1, 1000>>>,
    /// Distance from copy to copy along each axis.
    pub(crate) step: Vector<Length>,
}

/// How matter appears over time; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EmitFile {
    /// The whole object appears again and again, each time as a body of its own.
    Bursts(BurstsFile),
    /// Matter runs out of the shape with its `velocity` like water out of a tap. The shape should have the same cross
    /// section all along the velocity: a box or a cylinder.
    Stream(StreamFile),
}

/// An object that appears again and again.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BurstsFile {
    /// When it appears first.
    #[serde(default = "at_once")]
    pub(crate) start: Value<Time, NotNegative>,
    /// Time from one to the next.
    pub(crate) every: Value<Time, Positive>,
    /// How often it appears.
    pub(crate) count: Count<1, 10_000>,
}

/// A steady inflow.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamFile {
    /// When it begins; the shape is full then.
    #[serde(default = "at_once")]
    pub(crate) start: Value<Time, NotNegative>,
    /// How long matter runs in.
    pub(crate) duration: Value<Time, Positive>,
}

fn at_once() -> Value<Time, NotNegative> {
    Value::text("0 s")
}

/// Particles that are held, or follow a motion.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PinFile {
    /// Particles inside this shape at the start are pinned.
    pub(crate) region: PlacedFile,
    /// How they move.
    #[serde(default)]
    pub(crate) motion: MotionFile,
}
