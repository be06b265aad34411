//! Filling shapes with particles.

mod error;
mod forecast;
mod lattice;
mod poisson_disk;
mod random;

use crate::{Placement, Shape};
pub use error::SamplingError;
use forecast::Domain;
use pliant_math::Vec3;

/// How particles are spread in a shape. All aim at one particle per `spacing^dimension`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Sampler {
    /// The centres of cubic cells. A box of n spacings gets n particles across, half a spacing off its faces.
    Lattice,
    /// One particle at a random place in each lattice cell (stratified).
    Jittered {
        /// The part of the cell used, from 0 (the lattice) to 1 (the whole cell).
        amount: f64,
    },
    /// Independent uniform points.
    Random,
    /// Random points that keep their distance (Bridson 2007, 30 attempts).
    PoissonDisk,
}

/// Fills `shape` with about one particle per `spacing^dimension` `[m]`, at most `limit` of them.
///
/// In two dimensions the plane `z = 0` of the shape is filled. The same arguments always give the same points in
/// the same order, whatever the number of threads. The lattice follows the axes of a shape that was turned as a
/// whole (in two dimensions: turned about z).
///
/// # Errors
/// Refuses in milliseconds, before any particle is made, what would exceed `limit`; also unbounded shapes, bad
/// spacings, and shapes in which no particle fits.
pub fn sample(
    shape: &Shape,
    sampler: &Sampler,
    spacing: f64,
    dimension: usize,
    seed: u64,
    limit: usize,
) -> Result<Vec<Vec3>, SamplingError> {
    check(sampler, spacing, dimension)?;
    let (shape, placement) = own_frame(shape, dimension);
    let domain = Domain::new(shape, spacing, placement.scale, dimension)?;
    domain.check_size(limit)?;
    let points = match sampler {
        Sampler::Lattice => lattice::fill(&domain, 0.0, seed),
        Sampler::Jittered { amount } => lattice::fill(&domain, *amount, seed),
        Sampler::Random => random::fill(&domain, seed),
        Sampler::PoissonDisk => poisson_disk::fill(&domain, seed, limit)?,
    };
    if points.is_empty() {
        return Err(SamplingError::Nothing { spacing, thinnest: domain.thinnest() * placement.scale });
    }
    if points.len() > limit {
        return Err(SamplingError::TooMany {
            spacing,
            predicted: points.len() as f64,
            limit,
            suggestion: forecast::coarser(spacing, points.len() as f64, limit, dimension),
        });
    }
    Ok(points.iter().map(|p| placement.to_world(p)).collect())
}

fn check(sampler: &Sampler, spacing: f64, dimension: usize) -> Result<(), SamplingError> {
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(SamplingError::BadSpacing { spacing });
    }
    if dimension != 2 && dimension != 3 {
        return Err(SamplingError::BadDimension { dimension });
    }
    match sampler {
        Sampler::Jittered { amount } if !(0.0..=1.0).contains(amount) => {
            Err(SamplingError::BadJitter { amount: *amount })
        }
        _ => Ok(()),
    }
}

/// The shape in its own coordinates and how to come back, as far as the plane `z = 0` stays itself.
fn own_frame(shape: &Shape, dimension: usize) -> (&Shape, Placement) {
    match shape {
        Shape::Placed { shape, placement } if dimension == 3 || keeps_plane(placement) => (shape, *placement),
        _ => (shape, Placement::identity()),
    }
}

fn keeps_plane(placement: &Placement) -> bool {
    let axis = placement.rotation * Vec3::z();
    placement.translation.z == 0.0 && axis.x.hypot(axis.y) < 1e-12 && axis.z > 0.0
}
