//! Particle columns that every method shares.

use pliant_math::Vect;

/// Columns of equal length, one entry a particle. Particles of one body are contiguous.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles<const D: usize> {
    /// Where each particle is [m].
    pub position: Vec<Vect<D>>,
    /// How fast it moves [m/s].
    pub velocity: Vec<Vect<D>>,
    /// Mass [kg] (per metre of depth in two dimensions).
    pub mass: Vec<f64>,
    /// Volume at rest [m³] (area in two dimensions).
    pub rest_volume: Vec<f64>,
    /// Index of the body it belongs to.
    pub body: Vec<u32>,
    /// Index of its material.
    pub material: Vec<u16>,
    /// When it appears [s]; shorter than the others where all that follow are there from the start.
    pub birth: Vec<f64>,
}

/// Share of a time by which births may come early: that of rounding.
const ROUNDING: f64 = 1e-12;

impl<const D: usize> Particles<D> {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// When particle `i` appears [s].
    pub fn birth_of(&self, i: usize) -> f64 {
        self.birth.get(i).copied().unwrap_or(0.0)
    }

    /// Whether particle `i` is there at `time` [s].
    pub fn is_present(&self, i: usize, time: f64) -> bool {
        self.birth_of(i) <= time * (1.0 + ROUNDING)
    }

    /// The particles that are there at `time` [s], in rising order; none if all are.
    pub fn present(&self, time: f64) -> Option<Vec<usize>> {
        let is_missing = self.birth.iter().any(|birth| *birth > time * (1.0 + ROUNDING));
        is_missing.then(|| (0..self.len()).filter(|&i| self.is_present(i, time)).collect())
    }

    /// Where particle `i` starts if it is taken up at `time` [s]: it has moved on since its birth.
    pub fn place_at(&self, i: usize, time: f64) -> Vect<D> {
        self.position[i] + self.velocity[i] * (time - self.birth_of(i)).max(0.0)
    }
}
