//! What a particle is to the Material Point Method.

use super::scalar::Scalar;
use nalgebra::{SMatrix, SVector};
use pliant_material::History;
use pliant_math::{Mat, Vect};
use serde::{Deserialize, Serialize};

/// A particle with all that it remembers, in one piece: particles are kept in the order of the grid, and a block of the
/// grid owns a slice of them (Nilles 2020, Fig. 7).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Grain<T: Scalar, const D: usize> {
    /// Where it is [m].
    pub position: Vect<D>,
    /// How fast it moves [m/s].
    pub velocity: SVector<T, D>,
    /// `C`: how its velocity changes in space [1/s].
    pub affine: SMatrix<T, D, D>,
    /// Elastic deformation gradient; fluids remember only their volume.
    pub elastic: SMatrix<T, D, D>,
    /// Rest volume times Kirchhoff stress, `V⁰ τ` [J].
    pub stress: SMatrix<T, D, D>,
    /// Mass [kg].
    pub mass: T,
    /// Volume at rest [m³].
    pub volume: T,
    /// Volume that plastic flow remembers; `J` of a fluid.
    pub memory_volume: T,
    /// Strain that plastic flow remembers.
    pub memory_strain: T,
    /// Share of the nodes around that other species have reached (Nilles 2020, Eq. 107).
    pub saturation: T,
    /// Its place in the columns of the world.
    pub id: u32,
    /// Its matter, by index.
    pub matter: u32,
    /// Its species, by index.
    pub species: u8,
}

impl<T: Scalar, const D: usize> Grain<T, D> {
    pub fn history(&self) -> History {
        History { volume: self.memory_volume.wide(), strain: self.memory_strain.wide() }
    }

    pub fn set_history(&mut self, history: &History) {
        (self.memory_volume, self.memory_strain) = (T::of(history.volume), T::of(history.strain));
    }
}

/// The same matrix in double precision.
pub(crate) fn widen<T: Scalar, const D: usize>(m: &SMatrix<T, D, D>) -> Mat<D> {
    m.map(T::wide)
}

/// The nearest matrix in the precision of a grain.
pub(crate) fn narrow<T: Scalar, const D: usize>(m: &Mat<D>) -> SMatrix<T, D, D> {
    m.map(T::of)
}
