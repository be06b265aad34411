//! The coarse matrix in square blocks, one per pair of groups that are near each other, and its Cholesky factor.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use faer::{MatMut, Side};
use pliant_math::Mat;

/// Unknowns of a group in space; in the plane fewer of them are used.
const WIDTH: usize = 12;
/// A block, row by row.
pub(super) type Block = [[f64; WIDTH]; WIDTH];

/// Where a block is: the lower half of the matrix has `row >= column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub column: u32,
    pub row: u32,
}

/// A spring between two groups: `stiffness` times a function of each.
#[derive(Debug)]
pub(super) struct Spring<const D: usize> {
    pub at: Place,
    /// The functions of the row and of the column.
    pub functions: [[f64; 4]; 2],
    pub stiffness: Mat<D>,
}

/// The lower half of a symmetric matrix, column by column.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks<const D: usize> {
    places: Vec<Place>,
    values: Vec<Block>,
}

impl<const D: usize> Blocks<D> {
    /// Unknowns of a group: D + 1 functions in D directions.
    pub const SIDE: usize = D * (D + 1);

    /// Adds up blocks of the same place, in the order they come in.
    pub fn collect(parts: impl Iterator<Item = (Place, Block)>) -> Self {
        let mut parts: Vec<(Place, Block)> = parts.collect();
        parts.sort_by_key(|(place, _)| *place);
        let mut blocks = Self::default();
        for (place, part) in parts {
            if blocks.places.last() != Some(&place) {
                blocks.places.push(place);
                blocks.values.push([[0.0; WIDTH]; WIDTH]);
            }
            let sum = blocks.values.iter_mut().last().into_iter().flatten().flatten();
            sum.zip(part.as_flattened()).for_each(|(sum, value)| *sum += value);
        }
        blocks
    }

    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = (Place, &Block)> {
        self.places.iter().copied().zip(&self.values)
    }

    /// The block of a place; a new one, of zeros, if there is none yet.
    fn at(&mut self, place: Place) -> &mut Block {
        let at = self.places.binary_search(&place).unwrap_or_else(|at| {
            self.places.insert(at, place);
            self.values.insert(at, [[0.0; WIDTH]; WIDTH]);
            at
        });
        &mut self.values[at]
    }

    fn add(&mut self, Spring { at, functions: [left, right], stiffness }: &Spring<D>) {
        let block = self.at(*at);
        for (n, row) in block.iter_mut().enumerate().take(Self::SIDE) {
            for (m, value) in row.iter_mut().enumerate().take(Self::SIDE) {
                *value += stiffness[(n % D, m % D)] * left[n / D] * right[m / D];
            }
        }
    }

    /// Blocks of each column.
    fn columns(&self) -> impl Iterator<Item = (&[Place], &[Block])> {
        let places = self.places.chunk_by(|a, b| a.column == b.column);
        let mut start = 0;
        places.map(move |places| {
            let values = &self.values[start..start + places.len()];
            start += places.len();
            (places, values)
        })
    }

    /// Rows of each scalar column of the lower half.
    fn pattern(&self) -> SymbolicSparseColMat<usize> {
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for (places, _) in self.columns() {
            for m in 0..Self::SIDE {
                for place in places {
                    let first = if place.row == place.column { m } else { 0 };
                    rows.extend((first..Self::SIDE).map(|n| place.row as usize * Self::SIDE + n));
                }
                starts.push(rows.len());
            }
        }
        let size = starts.len() - 1;
        SymbolicSparseColMat::new_checked(size, size, starts, None, rows)
    }

    fn entries(&self) -> Vec<f64> {
        let largest = self
            .values
            .as_flattened()
            .as_flattened()
            .iter()
            .fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let mut entries = Vec::new();
        for (places, blocks) in self.columns() {
            for m in 0..Self::SIDE {
                for (place, block) in places.iter().zip(blocks) {
                    let first = if place.row == place.column { m } else { 0 };
                    let at = entries.len();
                    entries.extend((first..Self::SIDE).map(|n| block[n][m]));
                    if place.row == place.column {
                        // Functions that vanish on a flat group would leave the matrix singular.
                        entries[at] += 1e-10 * largest;
                    }
                }
            }
        }
        entries
    }
}

/// The Cholesky factor of inertia, stiffness and contacts, renewed as they change; its pattern hardly does.
#[derive(Debug)]
pub(super) struct Factor<const D: usize> {
    places: Vec<Place>,
    pattern: Option<(SymbolicSparseColMat<usize>, SymbolicLlt<usize>)>,
    factor: Option<Llt<usize, f64>>,
    /// The β² of a factor without contacts, which serves until contacts come.
    free: Option<f64>,
}

impl<const D: usize> Default for Factor<D> {
    fn default() -> Self {
        Self { places: Vec::new(), pattern: None, factor: None, free: None }
    }
}

impl<const D: usize> Factor<D> {
    /// Whether there is one: what was factorised was positive definite in floating point.
    pub fn is_ready(&self) -> bool {
        self.factor.is_some()
    }

    /// Factorises `M + β² K` with springs added.
    pub fn update(
        &mut self,
        (inertia, beta_squared, stiffness): (&Blocks<D>, f64, &Blocks<D>),
        springs: &[Spring<D>],
    ) {
        if springs.is_empty() && self.free == Some(beta_squared) {
            return;
        }
        self.free = springs.is_empty().then_some(beta_squared);
        let mut matrix = stiffness.clone();
        matrix
            .values
            .as_flattened_mut()
            .as_flattened_mut()
            .iter_mut()
            .for_each(|value| *value *= beta_squared);
        for (place, block) in inertia.places.iter().zip(&inertia.values) {
            let sums = matrix.at(*place).as_flattened_mut();
            sums.iter_mut().zip(block.as_flattened()).for_each(|(sum, value)| *sum += value);
        }
        springs.iter().for_each(|spring| matrix.add(spring));
        if self.pattern.is_none() || self.places != matrix.places {
            let pattern = matrix.pattern();
            let symbolic = SymbolicLlt::try_new(pattern.as_ref(), Side::Lower).ok();
            self.pattern = symbolic.map(|symbolic| (pattern, symbolic));
            self.places.clone_from(&matrix.places);
        }
        self.factor = self.pattern.as_ref().and_then(|(pattern, symbolic)| {
            let matrix = SparseColMat::new(pattern.clone(), matrix.entries());
            Llt::try_new_with_symbolic(symbolic.clone(), matrix.as_ref(), Side::Lower).ok()
        });
    }

    /// Takes a right side to the solution.
    pub fn solve(&self, values: &mut [f64]) {
        if let Some(factor) = &self.factor {
            let rows = values.len();
            factor.solve_in_place(MatMut::from_column_major_slice_mut(values, rows, 1));
        }
    }
}
