//! `plastic` of a material: how it flows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{
    Angle, AtLeastOne, AtMostOne, Fraction, FrictionRange, NotNegative, Number, OfPlace, Positive,
    PowerRange, Pressure, Time, Viscosity,
};
use super::value::{At, Value};

/// Plastic flow; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlasticFile {
    /// None: the material always returns to its shape.
    None,
    /// Volume-preserving flow above a yield stress (Bargteil, Wojtan, Hodgins and Turk 2007).
    Bargteil2007(Bargteil2007File),
    /// Snow that packs, hardens and breaks (Stomakhin et al. 2013).
    Snow(SnowFile),
    /// Sand: friction between grains (Klár et al. 2016; Tampubolon et al. 2017).
    DruckerPrager(DruckerPragerFile),
    /// Metal: yields at a von Mises stress that grows with the plastic strain.
    VonMises(VonMisesFile),
    /// Clay and slab snow: strong when compacted, falls apart when torn (Gaume et al. 2018).
    CamClay(CamClayFile),
    /// Mud and paste: a thick fluid above a yield stress (Herschel and Bulkley 1926).
    HerschelBulkley(HerschelBulkleyFile),
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

/// Flow and hardening of snow.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SnowFile {
    /// Compression beyond which it packs: small for powder, 1 for never.
    pub(crate) critical_compression: Value<OfPlace<Number>, Fraction>,
    /// Stretch beyond which it comes apart: small for powder.
    pub(crate) critical_stretch: Value<OfPlace<Number>, NotNegative>,
    /// How fast it stiffens as it packs: large for ice.
    pub(crate) hardening: Value<OfPlace<Number>, NotNegative>,
    /// Least plastic volume ratio: packing below it hardens no further.
    pub(crate) det_min: Value<Number, AtMostOne>,
    /// Largest plastic volume ratio.
    pub(crate) det_max: Value<Number, AtLeastOne>,
}

impl Default for SnowFile {
    fn default() -> Self {
        Self {
            critical_compression: Value::number(0.025),
            critical_stretch: Value::number(0.0075),
            hardening: Value::number(10.0),
            det_min: Value::number(0.6),
            det_max: Value::number(20.0),
        }
    }
}

/// Flow of sand.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DruckerPragerFile {
    /// Friction angle, 33 degrees if neither it nor `friction_hardening` is given; 0 makes a fluid. Expressions give
    /// radians.
    pub(crate) friction_angle: Option<Value<OfPlace<Angle>, FrictionRange>>,
    /// A friction angle that grows as the sand flows, in place of `friction_angle`.
    pub(crate) friction_hardening: Option<At<FrictionHardeningFile>>,
    /// What the friction angle means.
    pub(crate) cone: FrictionConeFile,
    /// Stress that holds grains together without pressure; 0 if left out.
    pub(crate) cohesion: Option<Value<OfPlace<Pressure>, NotNegative>>,
    /// The same in units of twice the shear modulus, as in Nilles 2020, in place of `cohesion`.
    pub(crate) cohesion_strain: Option<Value<OfPlace<Number>, NotNegative>>,
    /// Whether grains that have lost touch must come together again before they push.
    pub(crate) volume_correction: bool,
}

impl Default for DruckerPragerFile {
    fn default() -> Self {
        Self {
            friction_angle: None,
            friction_hardening: None,
            cone: FrictionConeFile::PlaneStrain,
            cohesion: None,
            cohesion_strain: None,
            volume_correction: true,
        }
    }
}

/// Friction angle `h0 + (h1 q − h3) exp(−h2 q)` of the plastic strain q (Mast et al. 2015).
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FrictionHardeningFile {
    /// Angle after long flow.
    pub(crate) h0: Value<Angle, FrictionRange>,
    /// Growth of the angle for each unit of strain at first.
    pub(crate) h1: Value<Angle, NotNegative>,
    /// Rate at which the start is forgotten.
    pub(crate) h2: Value<Number, NotNegative>,
    /// By how much the angle at the start is smaller than after long flow.
    pub(crate) h3: Value<Angle, FrictionRange>,
}

impl Default for FrictionHardeningFile {
    fn default() -> Self {
        Self {
            h0: Value::text("35 deg"),
            h1: Value::text("0 deg"),
            h2: Value::number(0.2),
            h3: Value::text("10 deg"),
        }
    }
}

/// What the friction angle means.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FrictionConeFile {
    /// The angle that slopes show, in two and in three dimensions, up to 45 degrees.
    Slope,
    /// The angle of Mohr and Coulomb in plane strain; slopes are flatter, by 3 degrees at 30.
    PlaneStrain,
    /// The angle of triaxial compression, as the papers print it; slopes are steeper in space.
    Literal,
}

/// Flow of a metal.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VonMisesFile {
    /// Von Mises stress above which the material flows.
    pub(crate) yield_stress: Value<OfPlace<Pressure>, Positive>,
    /// Growth of the yield stress for each unit of plastic strain.
    #[serde(default = "no_hardening")]
    pub(crate) hardening: Value<OfPlace<Pressure>, NotNegative>,
}

/// Flow of clay.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CamClayFile {
    /// Shear stress over pressure in steady shear.
    pub(crate) slope: Value<Number, Positive>,
    /// Tensile strength over compressive strength.
    pub(crate) cohesion: Value<OfPlace<Number>, NotNegative>,
    /// How fast the strength grows with compaction.
    pub(crate) hardening: Value<OfPlace<Number>, NotNegative>,
    /// Compaction at the start, a logarithm of volume: the first compressive strength is the bulk modulus times
    /// sinh(`hardening` × `compaction`).
    pub(crate) compaction: Value<Number, NotNegative>,
}

impl Default for CamClayFile {
    fn default() -> Self {
        Self {
            slope: Value::number(1.2),
            cohesion: Value::number(0.3),
            hardening: Value::number(1.0),
            compaction: Value::number(0.01),
        }
    }
}

/// Flow of mud.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HerschelBulkleyFile {
    /// Shear stress above which the material flows.
    pub(crate) yield_stress: Value<OfPlace<Pressure>, NotNegative>,
    /// Shear stress above yield at a rate of 1/s, in Pa sⁿ: the viscosity if `exponent` is 1.
    pub(crate) consistency: Value<Viscosity, NotNegative>,
    /// Power n of the rate of shear: 1 is Bingham's fluid, less flows the more easily the faster.
    #[serde(default = "bingham")]
    pub(crate) exponent: Value<Number, PowerRange>,
}

fn bingham() -> Value<Number, PowerRange> {
    Value::number(1.0)
}
