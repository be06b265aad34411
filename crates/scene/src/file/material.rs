//! `[materials.NAME]`: what bodies are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::flow::PlasticFile;
use super::quantity::{
    AboveOne, Density, Diffusivity, NotNegative, Number, OfPlace, PoissonRange, Positive, Pressure,
    TaitRange, Viscosity,
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
    /// Elastic law; the method and the flow choose one if it is left out.
    pub(crate) law: Option<At<LawFile>>,
    /// Young's modulus: stiffness. Needed without a preset, except for fluids.
    pub(crate) young: Option<Value<OfPlace<Pressure>, Positive>>,
    /// Poisson's ratio: 0 does not bulge when squeezed, towards 0.5 keeps its volume; 0.3 without a preset.
    pub(crate) poisson: Option<Value<OfPlace<Number>, PoissonRange>>,
    /// Plastic flow.
    pub(crate) plastic: Option<PlasticFile>,
    /// Coulomb friction against other bodies; 0.5 without a preset.
    pub(crate) friction: Option<Value<Number, NotNegative>>,
    /// Tensile stress up to which the material clings to other bodies; 0 without a preset.
    pub(crate) stickiness: Option<Value<Pressure, NotNegative>>,
    /// Tears where neighbours come apart by more than this many times their rest distance, or in mpm where a particle is
    /// stretched as much; never by default.
    pub(crate) tear_stretch: Option<Value<Number, AboveOne>>,
    /// How fast heat, moisture or what else its particles carry (`concentration` of objects) spreads in it, for `mpm`; not
    /// at all by default.
    pub(crate) diffusivity: Option<Value<Diffusivity, NotNegative>>,
    /// Whether pieces of this material that flow into each other become one body.
    pub(crate) merge: bool,
    /// Colour in pictures.
    pub(crate) color: Option<ColorFile>,
}

/// Elastic law; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LawFile {
    /// Hooke's law in the frame that rotates with the material: the only one of zhou2013 and gbb2009.
    LinearCorotated,
    /// The same with a volume term that resists inversion: the law of snow.
    FixedCorotated,
    /// Rubber: resists being flattened without bound.
    NeoHookean,
    /// Hooke's law on Green's strain; gives way when squeezed below 0.58 of its length.
    StVenantKirchhoff,
    /// Hooke's law on logarithmic strain: the law of sand, metals, clay and mud.
    Hencky,
    /// Pressure alone.
    Fluid(FluidFile),
}

/// A weakly compressible fluid.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FluidFile {
    /// Bulk modulus. Far below that of water, for longer steps: pressure waves need only be ten times as fast as
    /// the flow.
    pub(crate) bulk_modulus: Value<OfPlace<Pressure>, Positive>,
    /// How pressure grows with compression.
    pub(crate) state: StateFile,
    /// Exponent of Tait's equation; 7 if left out.
    pub(crate) exponent: Option<Value<Number, TaitRange>>,
    /// Dynamic viscosity.
    pub(crate) viscosity: Value<OfPlace<Viscosity>, NotNegative>,
}

impl Default for FluidFile {
    fn default() -> Self {
        Self {
            bulk_modulus: Value::text("300 kPa"),
            state: StateFile::Tait,
            exponent: None,
            viscosity: Value::text("0 Pa*s"),
        }
    }
}

/// How pressure grows with compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StateFile {
    /// In proportion to the change of volume.
    Linear,
    /// With a power of the density (Tait's equation): resists compression more.
    Tait,
}
