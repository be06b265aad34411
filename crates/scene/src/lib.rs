//! Scene files: as written ([TOML](https://toml.io)), checked, and built into a world.
//!
//! The flow is one way: `file` mirrors the text, `validate` returns a [`Scene`] in which nothing can be wrong,
//! [`Scene::build`] makes particles of it. Whatever is wrong is told with file, line, the text at fault and what
//! to try, see [`SceneError`].

mod build;
mod check;
mod deserialize;
mod emission;
mod error;
mod field;
mod file;
mod include;
mod overrides;
mod read_error;
mod reference;
mod scene;
mod schema;
mod skin;
mod source;
mod stability;
mod tree;
pub mod units;
mod validate;
mod warnings;

use std::path::Path;

pub use build::AnyWorld;
pub use check::Forecast;
pub use error::{Problem, SceneError};
pub use field::ScalarField;
pub use reference::reference;
pub use scene::{
    Camera, Emission, Force, Matter, Method, Object, ObjectPin, Output, OutputFormat, Paint, Palette, Render,
    Scene, SceneMaterial, Skin, SkinFormat, TimePlan, UpAxis,
};
pub use schema::schema;
pub use source::{Location, Source};
pub use stability::{StepScale, StepTrial, Verdict};

/// The version of the scene format this program reads.
pub const FORMAT_VERSION: u32 = 1;

impl Scene {
    /// Reads and checks a scene file, its includes and the files it refers to. `overrides` are `key=value` texts
    /// such as `materials.jelly.young=200kPa` or `objects.0.spacing=0.05`, applied in order.
    ///
    /// # Errors
    /// Everything that is wrong with the scene.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self, SceneError> {
        validate::validate(include::load(path, overrides)?)
    }

    /// Checks a scene given as text; includes and assets are looked for in `folder`.
    ///
    /// # Errors
    /// Everything that is wrong with the scene.
    pub fn from_text(text: &str, folder: &Path, overrides: &[String]) -> Result<Self, SceneError> {
        validate::validate(include::from_text(text, folder, overrides)?)
    }
}
