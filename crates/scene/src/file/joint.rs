//! `[[joints]]`: what ties rigid objects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{Length, Number};
use super::value::At;
use super::vector::Vector;

/// A joint between two rigid objects, or between one and the world.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JointFile {
    /// How the objects may move against each other.
    pub(crate) kind: JointKindFile,
    /// Names of one or two rigid objects; one is tied to the world. Of copies the first is meant.
    pub(crate) objects: At<Vec<At<String>>>,
    /// Where the joint is at the start.
    pub(crate) position: Vector<Length>,
    /// Axis of a hinge or slider; along z if left out.
    #[serde(default)]
    pub(crate) axis: Option<Vector<Number>>,
}

/// How objects that are tied may move; one of:
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JointKindFile {
    /// They turn about the position.
    Ball,
    /// They turn about the axis.
    Hinge,
    /// They slide along the axis.
    Slider,
    /// Not at all.
    Fixed,
}
