//! A walrus, resting on its flippers.

use super::clay::{at, ball, both_sides, chain, egg, limb, melt, tilted_egg};
use crate::Shape;

pub(super) fn shape() -> Shape {
    let mut parts = vec![body()];
    parts.extend(both_sides(|side| vec![front_flipper(side), hind_flipper(side)]));
    let body = melt(parts, 0.04);
    let mut parts = vec![melt(vec![body, head()], 0.05)];
    parts.extend(both_sides(|side| vec![tusk(side)]));
    melt(parts, 0.01)
}

fn body() -> Shape {
    let mut parts = chain(&[
        (at(0.0, 0.66, 0.2), 0.2),
        (at(0.0, 0.425, 0.08), 0.3),
        (at(0.0, 0.315, -0.25), 0.28),
        (at(0.0, 0.19, -0.62), 0.155),
        (at(0.0, 0.09, -0.88), 0.075),
    ]);
    // Folds of fat around the neck.
    parts.push(tilted_egg(at(0.0, 0.56, 0.2), at(0.27, 0.09, 0.24), at(0.5, 0.0, 0.0)));
    parts.push(tilted_egg(at(0.0, 0.7, 0.22), at(0.215, 0.07, 0.2), at(0.4, 0.0, 0.0)));
    melt(parts, 0.06)
}

fn head() -> Shape {
    let mut soft = vec![egg(at(0.0, 0.84, 0.27), at(0.16, 0.15, 0.17))];
    soft.extend(both_sides(|side| vec![egg(at(0.068 * side, 0.79, 0.4), at(0.085, 0.075, 0.07))]));
    soft.push(egg(at(0.0, 0.735, 0.38), at(0.06, 0.04, 0.06))); // the chin
    let mut parts = vec![melt(soft, 0.04), egg(at(0.0, 0.85, 0.445), at(0.035, 0.022, 0.025))];
    parts.extend(both_sides(|side| {
        let mut side_parts = vec![ball(at(0.1 * side, 0.9, 0.375), 0.026)];
        for (x, y, z) in [(0.05, 0.8, 0.463), (0.09, 0.805, 0.452), (0.075, 0.77, 0.455), (0.12, 0.78, 0.425)]
        {
            let root = at(x * side, y, z);
            side_parts.push(limb(root, root + at(0.055 * side, -0.025, 0.035), [0.009, 0.005])); // whiskers
        }
        side_parts
    }));
    melt(parts, 0.012)
}

fn tusk(side: f64) -> Shape {
    let joints = [
        (at(0.06 * side, 0.76, 0.42), 0.028),
        (at(0.07 * side, 0.63, 0.46), 0.023),
        (at(0.062 * side, 0.5, 0.46), 0.012),
    ];
    melt(chain(&joints), 0.01)
}

fn front_flipper(side: f64) -> Shape {
    let mut parts = chain(&[
        (at(0.22 * side, 0.42, 0.16), 0.1),
        (at(0.37 * side, 0.2, 0.22), 0.065),
        (at(0.42 * side, 0.055, 0.26), 0.05),
    ]);
    parts.push(tilted_egg(at(0.48 * side, 0.034, 0.34), at(0.105, 0.028, 0.14), at(0.0, 0.5 * side, 0.0)));
    melt(parts, 0.05)
}

fn hind_flipper(side: f64) -> Shape {
    let mut parts = vec![limb(at(0.02 * side, 0.08, -0.88), at(0.1 * side, 0.04, -0.97), [0.06, 0.035])];
    parts
        .extend([0.02, 0.12, 0.21].map(|x| {
            limb(at(0.1 * side, 0.035, -0.97), at(x * side, 0.02, -1.12 + 0.4 * x), [0.033, 0.018])
        }));
    melt(parts, 0.03)
}
