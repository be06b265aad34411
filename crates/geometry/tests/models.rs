//! The creatures we ship.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::points_in_cube;
use pliant_geometry::{Aabb, Sampler, models, sample};

#[test]
fn every_model_stands_on_the_ground_and_is_a_metre_tall() {
    for name in models::names() {
        let shape = models::by_name(name).unwrap();
        let points = sample(&shape, &Sampler::Lattice, 0.02, 3, 0, 1_000_000).unwrap();
        let bounds = Aabb::of_points(&points).unwrap();
        assert!((-0.005..0.03).contains(&bounds.min.y), "{name}: feet at {}", bounds.min.y);
        assert!((0.9..1.1).contains(&bounds.max.y), "{name}: head at {}", bounds.max.y);
        assert!(points.len() > 4000, "{name}: {} particles", points.len());
    }
    assert!(models::by_name("teapot").is_none());
}

#[test]
fn every_model_hangs_together() {
    for name in models::names() {
        let spacing = 0.0125;
        let shape = models::by_name(name).unwrap();
        let points = sample(&shape, &Sampler::Lattice, spacing, 3, 0, 1_000_000).unwrap();
        let key = |p: &pliant_math::Vec3| (p / spacing).map(|c| c.round() as i64);
        let offset = points[0] - key(&points[0]).map(|c| c as f64) * spacing;
        let mut left: std::collections::BTreeSet<[i64; 3]> =
            points.iter().map(|p| key(&(p - offset)).into()).collect();
        let total = left.len();
        let mut open = vec![left.pop_first().unwrap()];
        while let Some([i, j, k]) = open.pop() {
            for neighbour in 0..27 {
                let next = [i + neighbour % 3 - 1, j + neighbour / 3 % 3 - 1, k + neighbour / 9 - 1];
                if left.remove(&next) {
                    open.push(next);
                }
            }
        }
        assert!(left.len() * 200 < total, "{name}: {} of {total} particles lie apart", left.len());
    }
}

#[test]
fn no_model_has_a_distance_steeper_than_one() {
    for name in models::names() {
        let shape = models::by_name(name).unwrap();
        let points = points_in_cube(4000, 1.0, 31);
        let distances: Vec<f64> = points.iter().map(|p| shape.distance(p)).collect();
        for i in (0..points.len()).step_by(2) {
            let near = points[i] + (points[i + 1] - points[i]) * 1e-3;
            let rise = (shape.distance(&near) - distances[i]).abs();
            assert!(rise <= (near - points[i]).norm() * (1.0 + 1e-9) + 1e-12, "{name} at {:?}", points[i]);
            assert!((distances[i] - distances[i + 1]).abs() <= (points[i] - points[i + 1]).norm() + 1e-9);
        }
    }
}
