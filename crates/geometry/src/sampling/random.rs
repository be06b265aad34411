//! Independent uniform points.

use super::forecast::Domain;
use crate::rng::SplitMix64;
use pliant_math::Vec3;
use rayon::prelude::*;

/// One point per cell of the bounds, anywhere in the bounds; those in the shape stay.
pub(super) fn fill(domain: &Domain, seed: u64) -> Vec<Vec3> {
    let count = domain.cells().round().max(1.0) as u64;
    (0..count)
        .into_par_iter()
        .map(|number| domain.uniform(&mut SplitMix64::for_stream(seed, number)))
        .filter(|p| domain.accepts(p))
        .collect()
}
