//! A young dragon on four legs, wings half open.

use super::clay::{at, ball, both_sides, chain, egg, limb, melt, tilted_egg};
use crate::Shape;
use pliant_math::Vec3;

/// The line of the back from the head to the tip of the tail, with the radius of the body there.
const SPINE: [(Vec3, f64); 11] = [
    (Vec3::new(0.0, 0.8, 0.33), 0.07),
    (Vec3::new(0.0, 0.72, 0.28), 0.072),
    (Vec3::new(0.0, 0.58, 0.25), 0.085),
    (Vec3::new(0.0, 0.44, 0.16), 0.13),
    (Vec3::new(0.0, 0.37, 0.0), 0.155),
    (Vec3::new(0.0, 0.34, -0.17), 0.135),
    (Vec3::new(0.0, 0.25, -0.33), 0.085),
    (Vec3::new(0.04, 0.13, -0.47), 0.06),
    (Vec3::new(0.14, 0.06, -0.58), 0.043),
    (Vec3::new(0.27, 0.05, -0.62), 0.028),
    (Vec3::new(0.38, 0.11, -0.57), 0.016),
];

pub(super) fn shape() -> Shape {
    let mut parts = vec![melt(chain(&SPINE), 0.04), head()];
    parts.extend(both_sides(|side| vec![front_leg(side), hind_leg(side)]));
    let mut parts = vec![melt(parts, 0.035)];
    parts.extend(spikes());
    parts.push(tilted_egg(at(0.41, 0.145, -0.55), at(0.05, 0.06, 0.014), at(0.0, 0.4, -0.7))); // the tail's blade
    parts.extend(both_sides(|side| vec![wing(side)]));
    melt(parts, 0.015)
}

/// A row of spikes along the back, smaller towards both ends.
fn spikes() -> Vec<Shape> {
    let spike = |pair: &[(Vec3, f64)], part: f64| {
        let middle = pair[0].0.lerp(&pair[1].0, part);
        let radius = pair[0].1 + (pair[1].1 - pair[0].1) * part;
        let along = (pair[1].0 - pair[0].0).normalize();
        let outwards = (Vec3::y() - along * along.y - Vec3::z() * 0.35).normalize();
        let height = 0.025 + 0.25 * radius;
        let root = middle + outwards * (radius - 0.01);
        limb(root, root + outwards * height + along * (0.6 * height), [0.3 * height, 0.004])
    };
    SPINE[..10].windows(2).flat_map(|pair| [spike(pair, 0.25), spike(pair, 0.75)]).collect()
}

fn head() -> Shape {
    let soft = vec![
        egg(at(0.0, 0.83, 0.36), at(0.085, 0.075, 0.095)),
        limb(at(0.0, 0.82, 0.42), at(0.0, 0.795, 0.53), [0.06, 0.045]),
        limb(at(0.0, 0.78, 0.4), at(0.0, 0.745, 0.51), [0.045, 0.03]),
    ];
    let mut parts = vec![melt(soft, 0.02)];
    parts.extend(both_sides(|side| {
        let mut side_parts = vec![
            ball(at(0.062 * side, 0.86, 0.42), 0.024),
            ball(at(0.024 * side, 0.825, 0.565), 0.016), // a nostril
            limb(at(0.04 * side, 0.895, 0.42), at(0.085 * side, 0.88, 0.38), [0.015, 0.012]),
            tilted_egg(
                at(0.115 * side, 0.82, 0.31),
                at(0.06, 0.035, 0.012),
                at(0.0, 0.7 * side, 0.35 * side),
            ),
        ];
        side_parts.extend(chain(&[
            (at(0.045 * side, 0.885, 0.34), 0.026),
            (at(0.07 * side, 0.955, 0.26), 0.018),
            (at(0.075 * side, 1.0, 0.17), 0.006),
        ]));
        side_parts
    }));
    melt(parts, 0.012)
}

fn claws(foot: Vec3, side: f64) -> Vec<Shape> {
    let claw = |x: f64| {
        limb(foot + at(x * side, -0.005, 0.02), foot + at(1.7 * x * side, -0.023, 0.085), [0.024, 0.008])
    };
    [-0.032, 0.0, 0.032].map(claw).into()
}

fn front_leg(side: f64) -> Shape {
    let foot = at(0.15 * side, 0.032, 0.23);
    let mut parts =
        chain(&[(at(0.1 * side, 0.4, 0.17), 0.075), (at(0.155 * side, 0.2, 0.12), 0.05), (foot, 0.036)]);
    parts.extend(claws(foot, side));
    melt(parts, 0.015)
}

fn hind_leg(side: f64) -> Shape {
    let foot = at(0.18 * side, 0.034, -0.1);
    let mut parts = chain(&[
        (at(0.1 * side, 0.33, -0.17), 0.1),
        (at(0.18 * side, 0.2, -0.08), 0.065),
        (at(0.18 * side, 0.1, -0.2), 0.04),
        (foot, 0.036),
    ]);
    parts.extend(claws(foot, side));
    melt(parts, 0.015)
}

/// An arm, three fingers, and a thin skin between them.
fn wing(side: f64) -> Shape {
    let shoulder = at(0.08 * side, 0.5, 0.06);
    let wrist = at(0.3 * side, 0.78, 0.0);
    let tips = [at(0.62 * side, 0.86, -0.16), at(0.58 * side, 0.6, -0.3), at(0.38 * side, 0.42, -0.36)];
    let mut parts = chain(&[(shoulder, 0.042), (at(0.17 * side, 0.62, -0.05), 0.03), (wrist, 0.024)]);
    parts.extend(tips.map(|tip| limb(wrist, tip, [0.019, 0.009])));
    parts.push(limb(wrist, wrist + at(0.01 * side, 0.06, 0.03), [0.018, 0.005])); // the thumb
    let bones = melt(parts, 0.012);
    let hip = at(0.06 * side, 0.42, -0.18);
    let skins = [[tips[0], tips[1]], [tips[1], tips[2]], [tips[2], hip]].map(|pair| skin(wrist, pair));
    let mut parts = vec![bones];
    parts.extend(skins);
    parts.push(skin(shoulder, [wrist, hip]));
    melt(parts, 0.012)
}

/// A thin triangle with a scalloped outer edge.
fn skin(root: Vec3, ends: [Vec3; 2]) -> Shape {
    const HALF_THICKNESS: f64 = 0.011;
    let normal = (ends[0] - root).cross(&(ends[1] - root)).normalize();
    let corners = [root, ends[0], ends[1]];
    let slab = |normal: Vec3| Shape::HalfSpace { normal, offset: normal.dot(&root) + HALF_THICKNESS };
    let mut faces = vec![slab(normal), slab(-normal)];
    faces.extend([0, 1, 2].map(|corner| {
        let (from, to) = (corners[corner], corners[(corner + 1) % 3]);
        let outwards = (to - from).cross(&normal).normalize();
        Shape::HalfSpace { normal: outwards, offset: outwards.dot(&from) }
    }));
    // The reach of a bounded shape, so that the wing has an end.
    let middle = (root + ends[0] + ends[1]) / 3.0;
    let reach = corners.map(|corner| (corner - middle).norm()).into_iter().fold(0.0, f64::max);
    faces.push(ball(middle, reach + HALF_THICKNESS));
    let edge = ends[1] - ends[0];
    let away = ((ends[0] + ends[1]) * 0.5 - root).normalize();
    let scallop = ball((ends[0] + ends[1]) * 0.5 + away * (0.42 * edge.norm()), 0.58 * edge.norm());
    Shape::Difference { base: Box::new(Shape::Intersection(faces)), cuts: vec![scallop] }
}
