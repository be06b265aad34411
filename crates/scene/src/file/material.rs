//! `[materials.NAME]`: what bodies are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{
    AboveOne, Density, NotNegative, Number, OfPlace, PoissonRange, Positive, Pressure, Time,
};
use super::value::{At, Value};
use super::vector::ColorFile;

/// A material: a preset, values of its own, or a preset with some values changed.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MaterialFile {
    /// Preset to start from; `pliant materials` lists them.
    pub(crate) preset: Option<At<String>>,
    /// Density at rest; 1000 without a preset.
    pub(crate) density: Option<Value<OfPlace<Density>, Positive>>,
    /// Young's modulus: stiffness. Needed without a preset.
    pub(crate) young: Option<Value<OfPlace<Pressure>, Positive>>,
    /// Poisson's ratio: 0 does not bulge when squeezed, towards 0.5 keeps its volume; 0.3 without a preset.
    pub(crate) poisson: Option<Value<OfPlace<Number>, PoissonRange>>,
    /// Plastic flow.
    pub(crate) plastic: Option<PlasticFile>,
    /// Coulomb friction against other bodies; 0.5 without a preset.
    pub(crate) friction: Option<Value<Number, NotNegative>>,
    /// Tensile stress up to which the material clings to other bodies; 0 without a preset.
    pub(crate) stickiness: Option<Value<Pressure, NotNegative>>,
    /// Tears where neighbours come apart by more than this many times their rest distance; never by default.
    pub(crate) tear_stretch: Option<Value<Number, AboveOne>>,
    /// Whether pieces of this material that flow into each other become one body.
    pub(crate) merge: bool,
    /// Colour in pictures.
    pub(crate) color: Option<ColorFile>,
}

/// Plastic flow; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlasticFile {
    /// None: the material always returns to its shape.
    None,
    /// Volume-preserving flow above a yield stress (Bargteil, Wojtan, Hodgins and Turk 2007).
    Bargteil2007(Bargteil2007File),
}

/// Flow of Bargteil 2007.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bargteil2007File {
    /// Von Mises stress above which the material flows.
    pub(crate) yield_stress: Value<OfPlace<Pressure>, Positive>,
    /// Time in which stress above the yield stress relaxes; 0 flows at once.
    #[serde(default = "at_once")]
    pub(crate) relaxation_time: Value<Time, NotNegative>,
    /// Growth of the yield stress for each unit of plastic strain.
    #[serde(default = "no_hardening")]
    pub(crate) hardening: Value<OfPlace<Pressure>, NotNegative>,
}

fn at_once() -> Value<Time, NotNegative> {
    Value::text("0 s")
}

fn no_hardening() -> Value<OfPlace<Pressure>, NotNegative> {
    Value::text("0 Pa")
}
