//! `shape.*`: shapes and where they stand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{Any, Fraction, Length, NotNegative, Number, Positive, Time};
use super::value::{At, Value};
use super::vector::{RotationFile, Vector};

type Size = Value<Length, Positive>;

/// A shape, centred on its own origin, turned bodies about y; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ShapeFile {
    /// A box.
    Box(BoxFile),
    /// A ball.
    Ball(BallFile),
    /// A ball stretched along the axes.
    Ellipsoid(EllipsoidFile),
    /// A cylinder about y.
    Cylinder(CylinderFile),
    /// A cone about y, pointed or cut off.
    Cone(ConeFile),
    /// A cylinder about y with round ends.
    Capsule(CylinderFile),
    /// A ring about y.
    Torus(TorusFile),
    /// Everything below a plane; for colliders and regions.
    HalfSpace(HalfSpaceFile),
    /// Ground with hills, from rows of heights.
    Heightfield(HeightfieldFile),
    /// A closed triangle mesh from a file: OBJ, PLY, STL, glTF.
    Mesh(MeshFile),
    /// The dark or bright part of a picture, drawn out along z or turned about y.
    Image(ImageFile),
    /// One of the creatures that come with the program.
    Model(ModelFile),
    /// What is in any of the shapes.
    Union(PartsFile),
    /// What is in all of the shapes.
    Intersection(PartsFile),
    /// What is in the first shape and in none of the others.
    Difference(PartsFile),
    /// A union whose creases are filled.
    SmoothUnion(SmoothUnionFile),
    /// Changes from one shape into the next; for colliders of `mpm`.
    Morph(Vec<KeyShapeFile>),
}

/// A shape at a time; surfaces move between one and the next, and stay before the first and after the last.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyShapeFile {
    /// When.
    pub(crate) time: Value<Time, Any>,
    /// The shape it is then.
    pub(crate) shape: At<ShapeFile>,
    /// Where its origin goes.
    #[serde(default)]
    pub(crate) position: Option<Vector<Length>>,
    /// How it is turned, about its own origin.
    #[serde(default)]
    pub(crate) rotation: Option<RotationFile>,
    /// Size factor.
    #[serde(default)]
    pub(crate) scale: Option<Value<Number, Positive>>,
}

/// Box.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxFile {
    /// Edge lengths along x, y and z.
    pub(crate) size: Vector<Length, Positive>,
}

/// Ball.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BallFile {
    /// Radius.
    pub(crate) radius: Size,
}

/// Ellipsoid.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EllipsoidFile {
    /// Half axes along x, y and z.
    pub(crate) radii: Vector<Length, Positive>,
}

/// Cylinder or capsule.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CylinderFile {
    /// Radius.
    pub(crate) radius: Size,
    /// Height of the cylindrical part; the round ends of a capsule add to it.
    pub(crate) height: Size,
}

/// Cone.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConeFile {
    /// Radius at the bottom.
    pub(crate) radius: Size,
    /// Radius at the top.
    #[serde(default = "pointed")]
    pub(crate) top_radius: Value<Length, NotNegative>,
    /// Height.
    pub(crate) height: Size,
}

fn pointed() -> Value<Length, NotNegative> {
    Value::number(0.0)
}

/// Torus.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TorusFile {
    /// From the centre to the middle of the tube.
    pub(crate) radius: Size,
    /// Radius of the tube.
    pub(crate) tube_radius: Size,
}

/// Half-space; `position` is a point of its surface.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HalfSpaceFile {
    /// Direction out of the solid.
    pub(crate) normal: Vector<Number>,
}

impl Default for HalfSpaceFile {
    fn default() -> Self {
        Self { normal: Vector::numbers(&[0.0, 1.0, 0.0]) }
    }
}

/// Heightfield, centred on its origin in x and z.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeightfieldFile {
    /// Rows of heights along x, one row after another along z; at least two by two.
    pub(crate) heights: At<Vec<Vec<f64>>>,
    /// Factor from the numbers in `heights` to metres.
    #[serde(default = "unit_length")]
    pub(crate) height_scale: Size,
    /// Extent along x and z.
    pub(crate) size: Vector<Length, Positive>,
    /// Solid ground below the lowest height.
    #[serde(default = "unit_length")]
    pub(crate) thickness: Size,
}

fn unit_length() -> Size {
    Value::text("1 m")
}

/// Mesh.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshFile {
    /// File, relative to the scene file.
    pub(crate) path: At<String>,
}

/// Image.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImageFile {
    /// PNG or JPEG file, relative to the scene file.
    pub(crate) path: At<String>,
    /// Width of the picture; its height follows.
    pub(crate) width: Size,
    /// Thickness along z, if it is extruded.
    #[serde(default = "unit_length")]
    pub(crate) depth: Size,
    /// How the silhouette becomes a solid.
    #[serde(default)]
    pub(crate) sweep: SweepFile,
    /// Grey value that separates solid from empty.
    #[serde(default = "middle_grey")]
    pub(crate) threshold: Value<Number, Fraction>,
    /// Which pixels are solid.
    #[serde(default)]
    pub(crate) solid: SolidFile,
}

fn middle_grey() -> Value<Number, Fraction> {
    Value::number(0.5)
}

/// How a silhouette becomes a solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SweepFile {
    /// Drawn out along z, to either side of the plane z = 0.
    #[default]
    Extruded,
    /// Turned about y; the left edge of the picture is the axis.
    Revolved,
}

/// Which pixels of an image are solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SolidFile {
    /// Dark ones, as ink on paper.
    #[default]
    Dark,
    /// Bright ones.
    Bright,
}

/// Built-in model.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelFile {
    /// Name: `angel`, `armadillo`, `bunny`, `dragon` or `walrus`.
    pub(crate) name: At<String>,
    /// Its height, about; its feet stand on its origin.
    pub(crate) height: Size,
}

/// Combination of shapes.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartsFile {
    /// The shapes, each in its own placement.
    pub(crate) shapes: At<Vec<PlacedFile>>,
}

/// Smooth union.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SmoothUnionFile {
    /// The shapes, each in its own placement.
    pub(crate) shapes: At<Vec<PlacedFile>>,
    /// Distance from a crease at which its fillet begins.
    pub(crate) blend: Size,
}

/// A shape in its place.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlacedFile {
    /// The shape.
    pub(crate) shape: At<ShapeFile>,
    /// Where its origin goes.
    #[serde(default)]
    pub(crate) position: Option<Vector<Length>>,
    /// How it is turned, about its own origin.
    #[serde(default)]
    pub(crate) rotation: Option<RotationFile>,
    /// Size factor.
    #[serde(default)]
    pub(crate) scale: Option<Value<Number, Positive>>,
}
