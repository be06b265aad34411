//! A winged figure on a pedestal that holds up a torch: a sculpture with thin wings, fingers and folds.

use super::clay::{at, ball, both_sides, chain, egg, limb, melt, tilted_egg};
use crate::Shape;

pub(super) fn shape() -> Shape {
    let mut parts = vec![robe(), bust()];
    parts.push(arm(&[(0.095, 0.73, 0.0), (0.2, 0.79, 0.03), (0.21, 0.93, 0.05)]));
    parts.push(arm(&[(-0.095, 0.73, 0.0), (-0.17, 0.6, 0.05), (-0.12, 0.5, 0.13)]));
    let body = melt(parts, 0.02);
    let mut parts = vec![body, pedestal(), torch()];
    parts.extend(both_sides(|side| vec![wing(side)]));
    melt(parts, 0.01)
}

fn pedestal() -> Shape {
    let step =
        |y: f64, radius: f64| Shape::Cylinder { radius, half_height: 0.025 }.translated(at(0.0, y, 0.0));
    melt(vec![step(0.025, 0.2), step(0.07, 0.17)], 0.01)
}

/// A robe that widens to the ground, with folds as limbs down its side.
fn robe() -> Shape {
    let mut parts = vec![
        limb(at(0.0, 0.13, 0.0), at(0.0, 0.5, 0.0), [0.125, 0.075]),
        limb(at(0.0, 0.5, 0.0), at(0.0, 0.7, -0.005), [0.07, 0.075]),
    ];
    parts.extend((0..9).map(|fold| {
        let angle = 0.7 * f64::from(fold);
        let (x, z) = (angle.sin(), angle.cos());
        limb(at(0.125 * x, 0.11, 0.125 * z), at(0.06 * x, 0.46, 0.06 * z), [0.026, 0.012])
    }));
    melt(parts, 0.012)
}

fn bust() -> Shape {
    let mut parts = vec![
        egg(at(0.0, 0.69, 0.0), at(0.115, 0.06, 0.06)),
        limb(at(0.0, 0.72, 0.0), at(0.0, 0.8, 0.01), [0.035, 0.03]),
        tilted_egg(at(0.0, 0.855, 0.015), at(0.05, 0.062, 0.058), at(0.15, 0.0, 0.0)),
        egg(at(0.0, 0.87, -0.035), at(0.055, 0.055, 0.045)), // the hair
    ];
    parts.push(ball(at(0.0, 0.85, 0.07), 0.012)); // the nose
    melt(parts, 0.015)
}

fn arm(joints: &[(f64, f64, f64); 3]) -> Shape {
    let radii = [0.034, 0.025, 0.018];
    let joints: Vec<_> =
        joints.iter().zip(radii).map(|((x, y, z), radius)| (at(*x, *y, *z), radius)).collect();
    let (wrist, elbow) = (joints[2].0, joints[1].0);
    let along = (wrist - elbow).normalize();
    let mut parts = chain(&joints);
    parts.push(ball(wrist + along * 0.025, 0.022));
    parts.extend([-0.02, 0.0, 0.02].map(|aside| {
        let root = wrist + along * 0.035 + at(aside * 0.6, 0.0, 0.0);
        limb(root, root + along * 0.04 + at(aside, 0.0, 0.0), [0.009, 0.006])
    }));
    melt(parts, 0.01)
}

fn torch() -> Shape {
    let flame = vec![
        limb(at(0.21, 0.93, 0.07), at(0.215, 1.01, 0.07), [0.01, 0.018]),
        tilted_egg(at(0.217, 1.045, 0.07), at(0.025, 0.045, 0.025), at(0.0, 0.0, 0.2)),
    ];
    melt(flame, 0.01)
}

/// A fan of thin feathers that begins at the shoulder blade.
fn wing(side: f64) -> Shape {
    let mut parts = vec![limb(at(0.04 * side, 0.68, -0.06), at(0.2 * side, 0.9, -0.12), [0.03, 0.016])];
    parts.extend((0..7).map(|feather| {
        let share = f64::from(feather) / 6.0;
        let root = at((0.06 + 0.14 * share) * side, 0.7 + 0.2 * share, -0.075 - 0.045 * share);
        let length = 0.13 + 0.1 * share;
        let lean = 0.3 + 0.5 * share;
        let middle = root + at(lean.sin() * length * side, -lean.cos() * length * 0.9, -0.02);
        tilted_egg(middle, at(0.036, length, 0.014), at(0.1, 0.0, lean * side))
    }));
    melt(parts, 0.012)
}
