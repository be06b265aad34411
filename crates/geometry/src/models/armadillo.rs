//! An armadillo that stands up and raises its hands.

use super::clay::{at, ball, both_sides, chain, egg, limb, melt, tilted_egg};
use crate::{Placement, Shape};
use nalgebra::UnitQuaternion;
use pliant_math::Vec3;

pub(super) fn shape() -> Shape {
    let mut parts = vec![melt(vec![torso(), head()], 0.05)];
    parts.extend(both_sides(|side| vec![arm(side), leg(side)]));
    parts.push(tail());
    let body = melt(parts, 0.035);
    let mut parts = vec![body, shell()];
    parts.extend(both_sides(|side| vec![ear(side)]));
    melt(parts, 0.015)
}

fn torso() -> Shape {
    let mut parts = vec![
        egg(at(0.0, 0.42, 0.02), at(0.16, 0.2, 0.14)),
        egg(at(0.0, 0.57, 0.0), at(0.15, 0.12, 0.11)),
        limb(at(0.0, 0.62, 0.02), at(0.0, 0.76, 0.06), [0.085, 0.065]),
    ];
    // Folds of the belly.
    parts.extend([0.32, 0.39, 0.46].map(|y| egg(at(0.0, y, 0.085), at(0.11, 0.03, 0.085))));
    melt(parts, 0.03)
}

/// Overlapping plates down the back: slices of an egg, each a little proud of the next.
fn shell() -> Shape {
    let plate = |number: i32| {
        let lean = UnitQuaternion::from_euler_angles(0.3 - 0.09 * f64::from(number), 0.0, 0.0);
        let middle = at(0.0, 0.33 + 0.055 * f64::from(number), -0.05);
        let slab = Shape::Cuboid { half_extents: at(0.3, 0.017, 0.25) };
        let slab = slab.placed(Placement { rotation: lean, translation: middle, scale: 1.0 });
        let back = Shape::HalfSpace { normal: Vec3::z(), offset: 0.02 };
        Shape::Intersection(vec![slab, back, egg(at(0.0, 0.48, -0.04), at(0.198, 0.258, 0.168))])
    };
    let core = Shape::Intersection(vec![
        egg(at(0.0, 0.48, -0.04), at(0.187, 0.247, 0.157)),
        Shape::HalfSpace { normal: Vec3::z(), offset: 0.02 },
    ]);
    let mut parts = vec![core];
    parts.extend((0..7).map(plate));
    melt(parts, 0.012)
}

fn head() -> Shape {
    let skull = vec![
        egg(at(0.0, 0.8, 0.08), at(0.085, 0.08, 0.105)),
        limb(at(0.0, 0.785, 0.13), at(0.0, 0.735, 0.31), [0.058, 0.026]),
        limb(at(0.0, 0.755, 0.12), at(0.0, 0.71, 0.25), [0.045, 0.018]), // the lower jaw
    ];
    let mut parts = vec![melt(skull, 0.03), ball(at(0.0, 0.742, 0.33), 0.021)];
    parts.extend(both_sides(|side| vec![ball(at(0.058 * side, 0.828, 0.146), 0.022)]));
    melt(parts, 0.012)
}

fn ear(side: f64) -> Shape {
    let lean = at(-0.15, 0.5 * side, -0.5 * side);
    let leaf = tilted_egg(at(0.105 * side, 0.92, 0.045), at(0.042, 0.105, 0.017), lean);
    let hollow = tilted_egg(at(0.115 * side, 0.925, 0.063), at(0.026, 0.08, 0.014), lean);
    Shape::Difference { base: Box::new(leaf), cuts: vec![hollow] }
}

fn arm(side: f64) -> Shape {
    let (elbow, wrist) = (at(0.3 * side, 0.575, 0.06), at(0.36 * side, 0.7, 0.13));
    let mut parts = chain(&[(at(0.13 * side, 0.62, 0.01), 0.062), (elbow, 0.046), (wrist, 0.034)]);
    let palm = at(0.372 * side, 0.745, 0.145);
    parts.push(ball(palm, 0.04));
    let arm = melt(parts, 0.03);
    let tips = [(-0.07, 0.055, 0.035), (-0.03, 0.1, 0.015), (0.025, 0.1, 0.01), (0.07, 0.065, 0.015)];
    let mut parts = vec![arm];
    parts.extend(tips.map(|(x, y, z)| {
        let reach = at(x * side, y, z);
        limb(palm + reach * 0.3, palm + reach, [0.017, 0.009])
    }));
    melt(parts, 0.012)
}

fn leg(side: f64) -> Shape {
    let parts = vec![
        limb(at(0.09 * side, 0.3, 0.01), at(0.145 * side, 0.18, 0.06), [0.09, 0.065]),
        limb(at(0.145 * side, 0.18, 0.06), at(0.15 * side, 0.06, 0.0), [0.062, 0.045]),
        limb(at(0.15 * side, 0.042, -0.02), at(0.165 * side, 0.036, 0.1), [0.042, 0.036]),
    ];
    let mut parts = vec![melt(parts, 0.035)];
    parts.extend([-0.035, 0.0, 0.035].map(|x| {
        limb(at(0.165 * side + 0.7 * x, 0.03, 0.11), at(0.17 * side + 1.3 * x, 0.014, 0.17), [0.026, 0.012])
    }));
    melt(parts, 0.012)
}

fn tail() -> Shape {
    let joints = [
        (at(0.0, 0.31, -0.1), 0.085),
        (at(0.0, 0.18, -0.24), 0.06),
        (at(0.03, 0.08, -0.36), 0.042),
        (at(0.09, 0.04, -0.47), 0.028),
        (at(0.17, 0.045, -0.54), 0.018),
        (at(0.24, 0.075, -0.56), 0.01),
    ];
    melt(chain(&joints), 0.02)
}
