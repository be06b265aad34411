//! The modelling clay: parts with few arguments, and ways to put them together. Lengths in metres.

use crate::{Placement, Shape};
use nalgebra::UnitQuaternion;
use pliant_math::Vec3;

pub(super) fn at(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

pub(super) fn ball(center: Vec3, radius: f64) -> Shape {
    Shape::Ball { radius }.translated(center)
}

/// A tapering limb from one joint to the next.
pub(super) fn limb(from: Vec3, to: Vec3, radii: [f64; 2]) -> Shape {
    Shape::RoundCone { ends: [from, to], radii }
}

/// Limbs through a chain of joints, each given with its radius.
pub(super) fn chain(joints: &[(Vec3, f64)]) -> Vec<Shape> {
    joints.windows(2).map(|pair| limb(pair[0].0, pair[1].0, [pair[0].1, pair[1].1])).collect()
}

pub(super) fn egg(center: Vec3, radii: Vec3) -> Shape {
    Shape::Ellipsoid { radii }.translated(center)
}

/// An egg turned by angles about x, y and z `[rad]`.
pub(super) fn tilted_egg(center: Vec3, radii: Vec3, angles: Vec3) -> Shape {
    let rotation = UnitQuaternion::from_euler_angles(angles.x, angles.y, angles.z);
    Shape::Ellipsoid { radii }.placed(Placement { rotation, translation: center, scale: 1.0 })
}

/// All parts, melted together over `blend`.
pub(super) fn melt(parts: Vec<Shape>, blend: f64) -> Shape {
    Shape::SmoothUnion { shapes: parts, blend }
}

/// The parts a builder makes for the left (+1) and for the right side (-1).
pub(super) fn both_sides(part: impl Fn(f64) -> Vec<Shape>) -> Vec<Shape> {
    [1.0, -1.0].into_iter().flat_map(part).collect()
}
