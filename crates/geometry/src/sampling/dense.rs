//! The start of a relaxation: as many particles as the shape has room for, thinned out of a dense lattice.

use super::forecast::Domain;
use super::lattice;
use crate::rng::SplitMix64;
use pliant_math::Vec3;
use rayon::prelude::*;

/// One particle per `spacing^dimension` of the volume, also in parts that are thinner than a spacing.
///
/// A lattice of half the spacing (Kugelstadt 2021, §7) finds the thin parts and, its points being anywhere in their
/// cells, the volume without rounding. Along a curve that fills
/// space, one particle of every four or eight stays, a random one, so that each part keeps its share.
pub(super) fn start(domain: &Domain, seed: u64) -> Vec<Vec3> {
    let fine = Domain { shape: domain.shape, spacing: 0.5 * domain.spacing, ..*domain };
    let points = lattice::fill(&fine, 1.0, seed);
    let mut sorted: Vec<(u64, usize)> =
        points.iter().enumerate().map(|(number, p)| (place_on_curve(&fine, p), number)).collect();
    sorted.par_sort_unstable();
    let per_particle = f64::from(1 << domain.dimension);
    let count = (sorted.len() as f64 / per_particle).round().max(1.0) as usize;
    let stride = sorted.len() as f64 / count as f64;
    let pick = |number: usize| {
        let part = SplitMix64::for_stream(seed, number as u64).unit();
        let index = ((number as f64 + part) * stride) as usize;
        points[sorted[index.min(sorted.len() - 1)].1]
    };
    if sorted.is_empty() { Vec::new() } else { (0..count).map(pick).collect() }
}

/// The number of a point's cell along the Z curve.
fn place_on_curve(domain: &Domain, p: &Vec3) -> u64 {
    let cell = ((p - domain.bounds.min) / domain.spacing).map(|c| (c + 1.0).floor().clamp(0.0, 2e6) as u64);
    (0..21).fold(0, |place, bit| {
        place | (0..3).fold(0, |bits, axis| bits | ((cell[axis] >> bit) & 1) << (3 * bit + axis as u64))
    })
}
