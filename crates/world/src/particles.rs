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
}

impl<const D: usize> Particles<D> {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }
}
