//! The start of a relaxation: as many particles as the shape has room for, thinned out of a dense lattice.

use super::forecast::Domain;
use super::lattice;
use super::skin_depth::{Site, thickness};
use crate::rng::SplitMix64;
use pliant_math::{Vec3, parallel};
use rayon::prelude::*;

/// Times the share of its volume that a part thinner than a spacing may get.
const MOST_COVER: f64 = 4.0;

/// One particle per `spacing^dimension` of the volume. Parts thinner than a spacing get as many as cover them, up to four
/// times their share: they would come apart into clumps otherwise.
///
/// A lattice of half the spacing (Kugelstadt 2021, §7) finds the thin parts and, its points being anywhere in their
/// cells, the volume without rounding. Along a curve that fills space, one particle of every four or eight stays, a random
/// one, so that each part keeps its share.
pub(super) fn start(domain: &Domain, seed: u64) -> Vec<Vec3> {
    let fine = Domain { shape: domain.shape, spacing: 0.5 * domain.spacing, ..*domain };
    let points = lattice::fill(&fine, 1.0, seed);
    let mut sorted: Vec<(u64, usize)> =
        points.iter().enumerate().map(|(number, p)| (place_on_curve(&fine, p), number)).collect();
    sorted.par_sort_unstable();
    let mut shares = vec![0.0; points.len()];
    parallel::fill(&mut shares, |place| cover(domain, &points[sorted[place].1]));
    let per_particle = f64::from(1 << domain.dimension);
    let total: f64 = shares.iter().sum();
    let count = (total / per_particle).round().max(1.0);
    let stride = total / count;
    let (mut chosen, mut passed) = (Vec::with_capacity(count as usize), 0.0);
    for (share, (_, number)) in shares.iter().zip(&sorted) {
        passed += share;
        let part = SplitMix64::for_stream(seed, chosen.len() as u64).unit();
        if passed > (chosen.len() as f64 + part) * stride {
            chosen.push(points[*number]);
        }
    }
    chosen
}

/// How much more than its share of the volume the neighbourhood of a point gets.
fn cover(domain: &Domain, p: &Vec3) -> f64 {
    let site = Site::look(domain, p, 0.5 * domain.spacing);
    if !site.is_near() {
        return 1.0;
    }
    let foot = p - site.normal * site.distance(p);
    (domain.spacing / thickness(domain, &foot, &site.normal)).clamp(1.0, MOST_COVER)
}

/// The number of a point's cell along the Z curve.
fn place_on_curve(domain: &Domain, p: &Vec3) -> u64 {
    let cell = ((p - domain.bounds.min) / domain.spacing).map(|c| (c + 1.0).floor().clamp(0.0, 2e6) as u64);
    (0..21).fold(0, |place, bit| {
        place | (0..3).fold(0, |bits, axis| bits | ((cell[axis] >> bit) & 1) << (3 * bit + axis as u64))
    })
}
