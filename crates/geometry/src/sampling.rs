//! Filling shapes with particles.

mod blue_noise;
mod dense;
mod error;
mod forecast;
mod lattice;
mod poisson_disk;
pub mod quality;
mod random;
mod relax;
mod relaxed;
mod skin_depth;

use crate::{Placement, Shape};
use blue_noise::BlueNoise;
pub use error::SamplingError;
use forecast::Domain;
use pliant_math::Vec3;
use relaxed::Relaxed;
use std::ops::ControlFlow;

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
    /// Relaxed by pressure, cohesion and adhesion to the surface (Kugelstadt 2021, §7): thin parts are kept.
    Relaxed {
        /// How strongly particles seek the distance of one spacing, `β` of Eq. 35.
        cohesion: f64,
        /// How strongly those near the surface are pulled to it, `γ` of Eq. 36.
        adhesion: f64,
    },
    /// Relaxed by an explicit pressure and cohesion (after Jiang 2015), for comparison.
    BlueNoise,
}

impl Sampler {
    /// [`Sampler::Relaxed`] with the values of the paper.
    pub const RELAXED: Self = Self::Relaxed { cohesion: 4.0, adhesion: 0.2 };

    fn is_iterative(&self) -> bool {
        matches!(self, Self::Relaxed { .. } | Self::BlueNoise)
    }
}

/// How far a filling is that takes many iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Iterations done.
    pub iteration: usize,
    /// Iterations there are at most.
    pub most: usize,
    /// Root mean square of how far particles moved in the last one, in spacings.
    pub change: f64,
}

/// Hears how far a filling is, and may stop it.
pub type Observer<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// A shape and how it is to be filled.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// What is filled; in two dimensions its plane `z = 0`.
    pub shape: &'a Shape,
    /// How.
    pub sampler: Sampler,
    /// One particle per `spacing^dimension` [m].
    pub spacing: f64,
    /// 2 or 3.
    pub dimension: usize,
    /// Of what is random.
    pub seed: u64,
    /// Most particles there may be.
    pub limit: usize,
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
    let filling = Filling { shape, sampler: *sampler, spacing, dimension, seed, limit };
    filling.points(&mut |_| ControlFlow::Continue(()))
}

impl Filling<'_> {
    /// The particles, as [`sample`] gives them; `observe` hears of every iteration of those that have some.
    ///
    /// # Errors
    /// As [`sample`], and [`SamplingError::Stopped`] if the observer breaks off.
    pub fn points(&self, observe: &mut Observer<'_>) -> Result<Vec<Vec3>, SamplingError> {
        check(&self.sampler, self.spacing, self.dimension)?;
        if self.sampler.is_iterative() && !self.shape.is_closed() {
            return Err(SamplingError::NotClosed);
        }
        let Self { spacing, dimension, seed, limit, .. } = *self;
        let (shape, placement) = own_frame(self.shape, dimension);
        let domain = Domain::new(shape, spacing, placement.scale, dimension)?;
        domain.check_size(limit)?;
        let points = match self.sampler {
            Sampler::Lattice => lattice::fill(&domain, 0.0, seed),
            Sampler::Jittered { amount } => lattice::fill(&domain, amount, seed),
            Sampler::Random => random::fill(&domain, seed),
            Sampler::PoissonDisk => poisson_disk::fill(&domain, seed, limit)?,
            Sampler::Relaxed { cohesion, adhesion } => {
                relax::relax(&domain, dense::start(&domain, seed), &Relaxed { cohesion, adhesion }, observe)?
            }
            Sampler::BlueNoise => relax::relax(&domain, dense::start(&domain, seed), &BlueNoise, observe)?,
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
        Sampler::Relaxed { cohesion, adhesion } => {
            let is_wrong = |value: &&f64| !(value.is_finite() && **value >= 0.0);
            let wrong = [cohesion, adhesion].into_iter().find(is_wrong);
            wrong.map_or(Ok(()), |value| Err(SamplingError::BadStrength { value: *value }))
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
