//! One instant of a simulation as named columns: all that caches, exporters and pictures ever see.
//!
//! Always three-dimensional (`z = 0` in two dimensions) and single precision: exact state lives in checkpoints.

use serde::{Deserialize, Serialize};

/// One frame: particle columns and whole-scene quantities. Holds nothing that depends on the wall clock,
/// so the same scene gives the same bytes on any number of threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Number of the frame; frame 0 is the initial state.
    pub frame: u32,
    /// Simulation steps taken since the start.
    pub step: u64,
    /// Simulated time [s].
    pub time: f64,
    /// SHA-256 of the double-precision particle state, in hexadecimal.
    pub state_hash: String,
    /// Whole-scene values by name, in a fixed order, e.g. `kinetic_energy` [J], `momentum_x` [kg m/s],
    /// `dt` [s], `iterations`, `contacts`.
    pub quantities: Vec<(String, f64)>,
    /// Particle columns, all of the same length; [`Snapshot::POSITION`] is always there.
    pub fields: Vec<Field>,
}

/// A named particle column. Names that methods share: `position velocity id radius mass density body
/// material color rest_position F J stress pressure von_mises plastic_strain neighbour_count`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Name of the column.
    pub name: String,
    /// Its values.
    pub column: Column,
}

/// Values of one particle column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Column {
    /// One whole number a particle (id, body, material, neighbour count).
    Integer(Vec<u32>),
    /// One number a particle.
    Scalar(Vec<f32>),
    /// One vector a particle.
    Vector(Vec<[f32; 3]>),
    /// One 3×3 tensor a particle, row by row.
    Tensor(Vec<[f32; 9]>),
}

impl Column {
    /// Number of particles.
    pub fn len(&self) -> usize {
        match self {
            Self::Integer(values) => values.len(),
            Self::Scalar(values) => values.len(),
            Self::Vector(values) => values.len(),
            Self::Tensor(values) => values.len(),
        }
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of these particles only.
    #[must_use]
    pub fn of(&self, particles: &[usize]) -> Self {
        fn pick<T: Copy>(values: &[T], particles: &[usize]) -> Vec<T> {
            particles.iter().map(|&i| values[i]).collect()
        }
        match self {
            Self::Integer(values) => Self::Integer(pick(values, particles)),
            Self::Scalar(values) => Self::Scalar(pick(values, particles)),
            Self::Vector(values) => Self::Vector(pick(values, particles)),
            Self::Tensor(values) => Self::Tensor(pick(values, particles)),
        }
    }
}

impl Snapshot {
    /// Name of the column every snapshot has [m].
    pub const POSITION: &'static str = "position";
    /// Name of the velocity column [m/s].
    pub const VELOCITY: &'static str = "velocity";
    /// Name of the column of particle radii, half the spacing [m].
    pub const RADIUS: &'static str = "radius";

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.column)
    }

    /// The vector column of that name.
    pub fn vectors(&self, name: &str) -> Option<&[[f32; 3]]> {
        match self.column(name) {
            Some(Column::Vector(values)) => Some(values),
            _ => None,
        }
    }

    /// The scalar column of that name.
    pub fn scalars(&self, name: &str) -> Option<&[f32]> {
        match self.column(name) {
            Some(Column::Scalar(values)) => Some(values),
            _ => None,
        }
    }

    /// The whole-number column of that name.
    pub fn integers(&self, name: &str) -> Option<&[u32]> {
        match self.column(name) {
            Some(Column::Integer(values)) => Some(values),
            _ => None,
        }
    }

    /// Particle positions [m].
    pub fn positions(&self) -> &[[f32; 3]] {
        self.vectors(Self::POSITION).unwrap_or_default()
    }

    /// The whole-scene quantity of that name.
    pub fn quantity(&self, name: &str) -> Option<f64> {
        self.quantities.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }
}
