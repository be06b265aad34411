//! What a particle is to the Material Point Method, alone and in packs of sixteen.

use super::registers::{LANES, Row};
use super::scalar::Scalar;
use nalgebra::{SMatrix, SVector};
use pliant_material::History;
use pliant_math::{Mat, Vect};
use serde::{Deserialize, Serialize};

/// A particle with all that it remembers, in one piece.
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

/// Sixteen particles side by side, number by number: what is done to all of them is done in registers.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(64))]
pub(crate) struct Pack<T: Scalar, const D: usize> {
    pub position: [Row<f64>; D],
    pub velocity: [Row<T>; D],
    /// By columns, as all matrices here.
    pub affine: [[Row<T>; D]; D],
    pub elastic: [[Row<T>; D]; D],
    /// The diagonal of the stress, which is symmetric.
    pub stress: [Row<T>; D],
    /// The rest of the stress, at [`beside`].
    pub shear: [Row<T>; D],
    pub mass: Row<T>,
    pub volume: Row<T>,
    pub memory_volume: Row<T>,
    pub memory_strain: Row<T>,
    pub saturation: Row<T>,
    pub id: Row<u32>,
    pub matter: Row<u32>,
}

/// Where the entry in row `a` and another column `b` of a symmetric matrix is kept.
#[inline(always)]
pub(crate) const fn beside(dimension: usize, a: usize, b: usize) -> usize {
    dimension - a - b
}

impl<T: Scalar, const D: usize> Pack<T, D> {
    /// Sixteen times a particle that weighs nothing, where `like` is.
    fn filled(like: &Grain<T, D>) -> Self {
        let zero = [T::zero(); LANES];
        let mut elastic = [[zero; D]; D];
        for (axis, column) in elastic.iter_mut().enumerate() {
            column[axis] = [T::one(); LANES];
        }
        Self {
            position: std::array::from_fn(|axis| [like.position[axis]; LANES]),
            velocity: [zero; D],
            affine: [[zero; D]; D],
            elastic,
            stress: [zero; D],
            shear: [zero; D],
            mass: zero,
            volume: zero,
            memory_volume: [T::one(); LANES],
            memory_strain: zero,
            saturation: zero,
            id: [like.id; LANES],
            matter: [like.matter; LANES],
        }
    }

    #[inline(always)]
    pub fn position(&self, lane: usize) -> Vect<D> {
        Vect::from_fn(|axis, _| self.position[axis][lane])
    }

    /// The particle in a lane.
    #[inline(always)]
    pub fn get(&self, lane: usize, species: u8) -> Grain<T, D> {
        let matrix = |rows: &[[Row<T>; D]; D]| SMatrix::from_fn(|row, column| rows[column][row][lane]);
        let stress = |row: usize, column: usize| {
            if row == column { self.stress[row][lane] } else { self.shear[beside(D, row, column)][lane] }
        };
        Grain {
            position: self.position(lane),
            velocity: SVector::from_fn(|axis, _| self.velocity[axis][lane]),
            affine: matrix(&self.affine),
            elastic: matrix(&self.elastic),
            stress: SMatrix::from_fn(stress),
            mass: self.mass[lane],
            volume: self.volume[lane],
            memory_volume: self.memory_volume[lane],
            memory_strain: self.memory_strain[lane],
            saturation: self.saturation[lane],
            id: self.id[lane],
            matter: self.matter[lane],
            species,
        }
    }

    /// Puts a particle into a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, grain: &Grain<T, D>) {
        for column in 0..D {
            self.position[column][lane] = grain.position[column];
            self.velocity[column][lane] = grain.velocity[column];
            self.stress[column][lane] = grain.stress[(column, column)];
            for row in 0..D {
                self.affine[column][row][lane] = grain.affine[(row, column)];
                self.elastic[column][row][lane] = grain.elastic[(row, column)];
                if row < column {
                    self.shear[beside(D, row, column)][lane] = grain.stress[(row, column)];
                }
            }
        }
        self.mass[lane] = grain.mass;
        self.volume[lane] = grain.volume;
        self.memory_volume[lane] = grain.memory_volume;
        self.memory_strain[lane] = grain.memory_strain;
        self.saturation[lane] = grain.saturation;
        self.id[lane] = grain.id;
        self.matter[lane] = grain.matter;
    }
}

/// The particles of one block of the grid (Nilles 2020, Fig. 7), sorted by matter. Lanes that are left over in the last
/// pack weigh nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bunch<T: Scalar, const D: usize> {
    pub packs: Vec<Pack<T, D>>,
    count: usize,
    pub species: u8,
}

impl<T: Scalar, const D: usize> Bunch<T, D> {
    /// A bunch of particles of one species.
    pub fn of<'a>(grains: impl ExactSizeIterator<Item = &'a Grain<T, D>>) -> Self {
        let mut packs: Vec<Pack<T, D>> = Vec::with_capacity(grains.len().div_ceil(LANES));
        let (mut count, mut species) = (0, 0);
        for grain in grains {
            if count % LANES == 0 {
                packs.push(Pack::filled(grain));
            }
            packs[count / LANES].set(count % LANES, grain);
            (count, species) = (count + 1, grain.species);
        }
        Self { packs, count, species }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// How many lanes of pack `number` are particles.
    #[inline(always)]
    pub fn lanes(&self, number: usize) -> usize {
        (self.count - number * LANES).min(LANES)
    }

    pub fn get(&self, index: usize) -> Grain<T, D> {
        self.packs[index / LANES].get(index % LANES, self.species)
    }

    pub fn set(&mut self, index: usize, grain: &Grain<T, D>) {
        self.packs[index / LANES].set(index % LANES, grain);
    }

    pub fn position(&self, index: usize) -> Vect<D> {
        self.packs[index / LANES].position(index % LANES)
    }

    /// Where a particle is [m], and how fast it moves [m/s].
    pub fn motion(&self, index: usize) -> (Vect<D>, Vect<D>) {
        let (pack, lane) = (&self.packs[index / LANES], index % LANES);
        (pack.position(lane), Vect::from_fn(|axis, _| pack.velocity[axis][lane].wide()))
    }

    /// Its particles, one by one.
    pub fn iter(&self) -> impl Iterator<Item = Grain<T, D>> {
        (0..self.count).map(|index| self.get(index))
    }

    /// Changes each of its particles.
    pub fn update(&mut self, mut change: impl FnMut(&mut Grain<T, D>)) {
        for index in 0..self.count {
            let mut grain = self.get(index);
            change(&mut grain);
            self.set(index, &grain);
        }
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
