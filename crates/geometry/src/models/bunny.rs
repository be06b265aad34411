//! A sitting bunny.

use super::clay::{at, ball, both_sides, egg, limb, melt, tilted_egg};
use crate::Shape;
use pliant_math::Vec3;

pub(super) fn shape() -> Shape {
    let head_and_body = melt(vec![body(), head()], 0.07);
    let mut parts = vec![head_and_body];
    parts.extend(both_sides(|side| vec![ear(side)]));
    parts.push(ball(at(0.0, 0.15, -0.37), 0.085)); // the tail
    melt(parts, 0.025)
}

fn body() -> Shape {
    let mut parts = vec![
        tilted_egg(at(0.0, 0.27, -0.1), at(0.21, 0.24, 0.27), at(0.35, 0.0, 0.0)),
        ball(at(0.0, 0.33, 0.09), 0.17),
        limb(at(0.0, 0.36, 0.08), at(0.0, 0.53, 0.16), [0.15, 0.105]),
    ];
    parts.extend(both_sides(|side| {
        vec![
            tilted_egg(at(0.17 * side, 0.18, -0.13), at(0.1, 0.17, 0.19), at(0.2, 0.0, 0.0)),
            limb(at(0.19 * side, 0.045, -0.08), at(0.2 * side, 0.045, 0.15), [0.045, 0.045]),
            limb(at(0.08 * side, 0.26, 0.17), at(0.075 * side, 0.05, 0.24), [0.06, 0.042]),
            egg(at(0.075 * side, 0.035, 0.27), at(0.043, 0.035, 0.06)),
        ]
    }));
    melt(parts, 0.04)
}

fn head() -> Shape {
    let mut soft = vec![tilted_egg(at(0.0, 0.575, 0.2), at(0.135, 0.13, 0.16), at(0.25, 0.0, 0.0))];
    soft.extend(both_sides(|side| vec![egg(at(0.05 * side, 0.525, 0.31), at(0.055, 0.048, 0.055))]));
    let mut parts = vec![melt(soft, 0.04), egg(at(0.0, 0.557, 0.362), at(0.022, 0.016, 0.014))];
    parts.extend(both_sides(|side| vec![ball(at(0.094 * side, 0.615, 0.275), 0.028)]));
    melt(parts, 0.01)
}

/// A long thin leaf with a hollow in front, leaning back and out.
fn ear(side: f64) -> Shape {
    let lean = Vec3::new(-0.32, 0.25 * side, -0.2 * side);
    let middle = at(0.105 * side, 0.825, 0.08);
    let leaf = tilted_egg(middle, at(0.055, 0.2, 0.024), lean);
    let hollow = tilted_egg(middle + at(0.008 * side, 0.0, 0.026), at(0.034, 0.155, 0.02), lean);
    Shape::Difference { base: Box::new(leaf), cuts: vec![hollow] }
}
