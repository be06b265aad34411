//! `[output]`: what a run writes besides its caches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{Positive, Time};
use super::value::{At, Value};

/// What is written, and where.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OutputFile {
    /// Folder of the run, relative to the working folder; named after the scene if left out.
    pub(crate) directory: Option<At<String>>,
    /// Formats exported while running; `pliant export` makes any of them later.
    pub(crate) formats: Vec<OutputFormat>,
    /// Whether the nodes of the grid are exported beside the particles, for methods that have one.
    pub(crate) grid: bool,
    /// Formats in which the skins of objects are written while running; `pliant skin` makes any of them later.
    pub(crate) skins: Vec<SkinFormat>,
    /// Wall time between checkpoints.
    pub(crate) checkpoint_interval: Value<Time, Positive>,
}

impl Default for OutputFile {
    fn default() -> Self {
        Self {
            directory: None,
            formats: Vec::new(),
            grid: false,
            skins: Vec::new(),
            checkpoint_interval: Value::text("30 s"),
        }
    }
}

/// A format of exported frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutputFormat {
    /// VTK point data with a PVD index, for ParaView.
    Vtp,
    /// Stanford polygon file, for Blender and others.
    Ply,
    /// Houdini geometry as text.
    Geo,
    /// Houdini geometry, binary.
    Bgeo,
    /// Comma-separated values.
    Csv,
    /// NumPy archive.
    Npz,
}

/// A format of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkinFormat {
    /// Stanford polygon file with velocities.
    Ply,
    /// VTK polygons with velocities, for ParaView.
    Vtp,
    /// Wavefront OBJ: geometry only.
    Obj,
}
