//! The scene file as written: one Rust type for each table, checked for form only. The doc comments are the
//! scene reference and the descriptions of the JSON Schema.

pub(crate) mod collider;
pub(crate) mod flow;
pub(crate) mod joint;
pub(crate) mod material;
pub(crate) mod method;
pub(crate) mod mpm;
pub(crate) mod object;
pub(crate) mod output;
pub(crate) mod quantity;
pub(crate) mod render;
pub(crate) mod shape;
pub(crate) mod sph;
pub(crate) mod value;
pub(crate) mod vector;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use collider::{ColliderFile, ForceFile};
use joint::JointFile;
use material::MaterialFile;
use method::MethodFile;
use object::ObjectFile;
use output::OutputFile;
use quantity::{Acceleration, FrameRate, Frequency, Length, OfPlaceAndTime, Positive, Time};
use render::RenderFile;
use value::{At, Count, Value};
use vector::Vector;

/// A scene: what there is, how it moves, how long to simulate, what to write.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SceneFile {
    /// Version of the scene format: 1.
    #[schemars(with = "Count<1, 1>")]
    pub(crate) pliant: At<u32>,
    /// Title, shown in manifests and pictures.
    #[serde(default)]
    pub(crate) title: String,
    /// Dimension of space, 2 or 3. A plane scene lies in z = 0 and its vectors may leave out the third component.
    #[serde(default = "three")]
    pub(crate) dimension: At<Count<2, 3>>,
    /// The axis that exporters call up. Scenes themselves always have y up.
    #[serde(default)]
    pub(crate) up_axis: UpAxis,
    /// Seed of everything random; objects derive their own from it.
    #[serde(default = "one")]
    pub(crate) seed: Count<0, { u32::MAX }>,
    /// Distance between particles, for objects that do not give their own.
    #[serde(default)]
    pub(crate) spacing: Option<Value<Length, Positive>>,
    /// Most particles the scene may have; more is refused before anything is built.
    #[serde(default = "particle_limit")]
    pub(crate) max_particles: Count<1, 100_000_000>,
    /// Files whose tables are merged into this one, relative to this file. What this file says itself wins; lists
    /// of objects, colliders and forces are appended.
    #[serde(default)]
    pub(crate) include: Vec<At<String>>,
    /// Acceleration of everything.
    #[serde(default = "gravity")]
    pub(crate) gravity: Vector<OfPlaceAndTime<Acceleration>>,
    /// Duration and time steps.
    #[serde(default)]
    pub(crate) time: TimeFile,
    /// Simulation method and its settings.
    #[serde(default)]
    pub(crate) method: MethodFile,
    /// Materials by name.
    #[serde(default)]
    pub(crate) materials: BTreeMap<String, At<MaterialFile>>,
    /// Bodies made of particles.
    #[serde(default)]
    pub(crate) objects: Vec<At<ObjectFile>>,
    /// Obstacles that push particles away.
    #[serde(default)]
    pub(crate) colliders: Vec<At<ColliderFile>>,
    /// Fields of acceleration besides gravity.
    #[serde(default)]
    pub(crate) forces: Vec<At<ForceFile>>,
    /// What ties rigid objects to each other or to the world, for `sph`.
    #[serde(default)]
    pub(crate) joints: Vec<At<JointFile>>,
    /// What is written, and where.
    #[serde(default)]
    pub(crate) output: OutputFile,
    /// Pictures and movie.
    #[serde(default)]
    pub(crate) render: RenderFile,
}

/// Names of the lists that includes append to.
pub(crate) const APPENDED: [&str; 3] = ["objects", "colliders", "forces"];

fn three() -> At<Count<2, 3>> {
    At::nowhere(Count(3))
}

fn one() -> Count<0, { u32::MAX }> {
    Count(1)
}

fn particle_limit() -> Count<1, 100_000_000> {
    Count(2_000_000)
}

fn gravity() -> Vector<OfPlaceAndTime<Acceleration>> {
    Vector::numbers(&[0.0, -9.81, 0.0])
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UpAxis {
    /// As in Houdini, Maya and glTF.
    #[default]
    Y,
    /// As in Blender and robotics.
    Z,
}

/// Duration and time steps.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TimeFile {
    /// How long to simulate; a whole number of frames is made of it.
    pub(crate) duration: Value<Time, Positive>,
    /// Frames written for each simulated second.
    pub(crate) fps: Value<Frequency, FrameRate>,
    /// Longest time step; a frame is divided into equal steps no longer than this, and steps that fail are halved.
    pub(crate) dt: Value<Time, Positive>,
}

impl Default for TimeFile {
    fn default() -> Self {
        Self { duration: Value::text("2 s"), fps: Value::number(30.0), dt: Value::text("2 ms") }
    }
}
