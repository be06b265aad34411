//! `[[colliders]]`, `[[forces]]` and prescribed motion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{
    Acceleration, Any, Fraction, Length, NotNegative, Number, OfPlaceAndTime, Positive, Pressure, Speed,
    Time, Turning,
};
use super::shape::{PlacedFile, ShapeFile};
use super::value::{At, Value};
use super::vector::{ColorFile, RotationFile, Vector};

/// An obstacle.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColliderFile {
    /// Name, unique among colliders; `collider-1` and so on if left out.
    #[serde(default)]
    pub(crate) name: Option<At<String>>,
    /// Its shape.
    pub(crate) shape: At<ShapeFile>,
    /// Where the origin of the shape goes.
    #[serde(default)]
    pub(crate) position: Option<Vector<Length>>,
    /// How the shape is turned, about its own origin.
    #[serde(default)]
    pub(crate) rotation: Option<RotationFile>,
    /// Size factor.
    #[serde(default)]
    pub(crate) scale: Option<Value<Number, Positive>>,
    /// How it moves.
    #[serde(default)]
    pub(crate) motion: MotionFile,
    /// Coulomb friction.
    #[serde(default = "friction")]
    pub(crate) friction: Value<Number, NotNegative>,
    /// Tensile stress up to which particles cling to it.
    #[serde(default = "no_stickiness")]
    pub(crate) stickiness: Value<Pressure, NotNegative>,
    /// Share of the approach speed a particle keeps when it leaves.
    #[serde(default = "no_restitution")]
    pub(crate) restitution: Value<Number, Fraction>,
    /// Colour in pictures.
    #[serde(default)]
    pub(crate) color: Option<ColorFile>,
    /// Whether pictures show it.
    #[serde(default = "shown")]
    pub(crate) visible: bool,
}

fn friction() -> Value<Number, NotNegative> {
    Value::number(0.5)
}

fn no_stickiness() -> Value<Pressure, NotNegative> {
    Value::text("0 Pa")
}

fn no_restitution() -> Value<Number, Fraction> {
    Value::number(0.0)
}

fn shown() -> bool {
    true
}

/// Prescribed motion; one of:
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MotionFile {
    /// Stays where it is.
    #[default]
    Static,
    /// Moves at a constant velocity.
    Linear(LinearFile),
    /// Turns about an axis.
    Rotating(RotatingFile),
    /// Follows poses in time, interpolated between and held before the first and after the last.
    Keyframes(Vec<At<KeyframeFile>>),
}

/// Constant velocity.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinearFile {
    /// Velocity.
    pub(crate) velocity: Vector<Speed>,
}

/// Constant turning.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RotatingFile {
    /// Direction of the axis.
    #[serde(default = "about_z")]
    pub(crate) axis: Vector<Number>,
    /// Point on the axis; the position of what moves if left out.
    #[serde(default)]
    pub(crate) center: Option<Vector<Length>>,
    /// Rate of turning.
    pub(crate) rate: Value<Turning, Any>,
}

fn about_z() -> Vector<Number> {
    Vector::numbers(&[0.0, 0.0, 1.0])
}

/// A pose at a time, as a change from the initial placement.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyframeFile {
    /// When.
    pub(crate) time: Value<Time, Any>,
    /// How far it has moved from its initial placement.
    #[serde(default)]
    pub(crate) position: Option<Vector<Length>>,
    /// How far it has turned from its initial placement, about its position.
    #[serde(default)]
    pub(crate) rotation: Option<RotationFile>,
}

/// A field of acceleration.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForceFile {
    /// Acceleration of particles.
    pub(crate) acceleration: Vector<OfPlaceAndTime<Acceleration>>,
    /// Where it acts; everywhere if left out.
    #[serde(default)]
    pub(crate) region: Option<PlacedFile>,
    /// Names of the objects it acts on; all if left out.
    #[serde(default)]
    pub(crate) objects: Option<Vec<At<String>>>,
}
