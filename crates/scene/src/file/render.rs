//! `[render]`: pictures and movie.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{Angle, Any, Length, Number, ViewAngle};
use super::value::{At, Count, Value};
use super::vector::Vector;

/// Pictures and movie.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RenderFile {
    /// Whether a run ends with pictures and a movie.
    pub(crate) enabled: bool,
    /// Width in pixels, even.
    pub(crate) width: At<Count<16, 8192>>,
    /// Height in pixels, even.
    pub(crate) height: At<Count<16, 8192>>,
    /// What colours show: `material`, or a field such as `speed`, `von_mises`, `pressure`, `plastic_strain`, `J`.
    pub(crate) color_by: At<String>,
    /// Values at the ends of the colour scale; found from the data if left out.
    pub(crate) range: Option<At<Vec<Value<Number, Any>>>>,
    /// Whether a surface is drawn around the particles.
    pub(crate) surface: bool,
    /// Where the picture is taken from; frames the action if left out.
    pub(crate) camera: CameraFile,
}

impl Default for RenderFile {
    fn default() -> Self {
        Self {
            enabled: true,
            width: At::nowhere(Count(960)),
            height: At::nowhere(Count(540)),
            color_by: At::nowhere("material".to_owned()),
            range: None,
            surface: false,
            camera: CameraFile::default(),
        }
    }
}

/// Camera.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CameraFile {
    /// Where it stands; chosen to frame the action if left out.
    pub(crate) position: Option<Vector<Length>>,
    /// What it looks at; the middle of the action if left out.
    pub(crate) target: Option<Vector<Length>>,
    /// Opening angle from the bottom to the top of the picture.
    pub(crate) fov: Value<Angle, ViewAngle>,
    /// Angle the camera travels around its target during the movie.
    pub(crate) orbit: Value<Angle, Any>,
}

impl Default for CameraFile {
    fn default() -> Self {
        Self { position: None, target: None, fov: Value::text("35 deg"), orbit: Value::text("0 deg") }
    }
}
