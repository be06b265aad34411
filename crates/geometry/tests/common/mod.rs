//! Helpers shared by the tests.

use pliant_geometry::rng::SplitMix64;
use pliant_math::Vec3;

/// Uniform points in a cube of this half width about the origin.
pub fn points_in_cube(count: usize, half_width: f64, seed: u64) -> Vec<Vec3> {
    let mut rng = SplitMix64::new(seed);
    (0..count).map(|_| Vec3::from_fn(|_, _| rng.between(-half_width, half_width))).collect()
}
