//! Signed distances of the elementary bodies, all exact; negative inside. The axis of turned bodies is y.

use nalgebra::{Vector2, vector};
use pliant_math::Vec3;

/// The plane of a body of revolution: distance from the y axis, height.
fn meridian(p: &Vec3) -> Vector2<f64> {
    vector![p.x.hypot(p.z), p.y]
}

pub(super) fn cuboid(half_extents: &Vec3, p: &Vec3) -> f64 {
    let q = p.abs() - half_extents;
    q.sup(&Vec3::zeros()).norm() + q.max().min(0.0)
}

pub(super) fn cylinder(radius: f64, half_height: f64, p: &Vec3) -> f64 {
    let q = vector![meridian(p).x - radius, p.y.abs() - half_height];
    q.sup(&Vector2::zeros()).norm() + q.max().min(0.0)
}

/// A cone cut off at the top: the nearer of the two caps (as one) and the flank.
pub(super) fn cone(bottom_radius: f64, top_radius: f64, half_height: f64, p: &Vec3) -> f64 {
    let q = meridian(p);
    let cap_radius = if q.y < 0.0 { bottom_radius } else { top_radius };
    let to_caps = vector![q.x - q.x.min(cap_radius), q.y.abs() - half_height];
    let top_edge = vector![top_radius, half_height];
    let downwards = vector![bottom_radius - top_radius, -2.0 * half_height];
    let along = ((q - top_edge).dot(&downwards) / downwards.norm_squared()).clamp(0.0, 1.0);
    let to_flank = q - top_edge - downwards * along;
    let inside = to_flank.x < 0.0 && to_caps.y < 0.0;
    let distance = to_caps.norm().min(to_flank.norm());
    if inside { -distance } else { distance }
}

pub(super) fn capsule(radius: f64, half_height: f64, p: &Vec3) -> f64 {
    meridian(p).x.hypot((p.y.abs() - half_height).max(0.0)) - radius
}

pub(super) fn torus(major_radius: f64, minor_radius: f64, p: &Vec3) -> f64 {
    let q = meridian(p);
    (q.x - major_radius).hypot(q.y) - minor_radius
}

/// The convex hull of two balls: the nearer ball end, or the cone that touches both.
pub(super) fn round_cone(ends: &[Vec3; 2], radii: &[f64; 2], p: &Vec3) -> f64 {
    let axis = ends[1] - ends[0];
    let length_squared = axis.norm_squared();
    let taper = radii[0] - radii[1];
    let cone_squared = length_squared - taper * taper;
    let ball = |end: usize| (p - ends[end]).norm() - radii[end];
    if cone_squared <= 0.0 {
        return ball(0).min(ball(1)); // one ball holds the other
    }
    let length = length_squared.sqrt();
    let from_start = p - ends[0];
    let height = from_start.dot(&axis) / length;
    let radius = (from_start - axis * (height / length)).norm();
    // The cone's flank is reached along its normal: slide the foot point along the axis by that slope.
    let foot = height - radius * taper / cone_squared.sqrt();
    if foot <= 0.0 {
        ball(0)
    } else if foot >= length {
        ball(1)
    } else {
        (radius * cone_squared.sqrt() + height * taper) / length - radii[0]
    }
}

/// Newton's method for the foot point on an ellipsoid, started where it converges monotonically (Eberly 2013).
/// Saved if the ball around the ellipsoid is out of reach already.
pub(super) fn ellipsoid(radii: &Vec3, p: &Vec3, reach: f64) -> f64 {
    let to_ball = p.norm() - radii.max();
    if to_ball >= reach {
        return to_ball;
    }
    // On a symmetry plane the foot point may be a fork; a hair beside it there is one and the same distance.
    let y = p.abs().sup(&(radii * 1e-12));
    let squares = radii.component_mul(radii);
    let weights = radii.component_mul(&y);
    let mut t = (weights - squares).max();
    for _ in 0..64 {
        let ratio = weights.component_div(&squares.add_scalar(t));
        let terms = ratio.component_mul(&ratio);
        let value = terms.sum() - 1.0;
        let slope = -2.0 * terms.component_div(&squares.add_scalar(t)).sum();
        let step = -value / slope;
        t += step;
        if step.abs() <= 1e-14 * (t.abs() + squares.min()) {
            break;
        }
    }
    let foot = squares.component_mul(&y).component_div(&squares.add_scalar(t));
    let outside = y.component_div(radii).norm_squared() >= 1.0;
    let distance = (foot - y).norm();
    if outside { distance } else { -distance }
}
