//! Cholesky factors of the constant matrix: one for a body, or one for each of several parts of a body that is too large
//! for that (domain decomposition, the authors' own suggestion in §10), which then help conjugate gradients.

use super::matrix::Matrix;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use std::ops::Range;

/// A factor of a part of the matrix.
#[derive(Debug)]
pub(crate) struct Factor {
    /// The particles it is for.
    pub range: Range<usize>,
    symbolic: SymbolicCholesky<u32>,
    values: Vec<f32>,
}

impl Factor {
    /// `L Lᵀ = A`, or none if the matrix is not positive definite in single precision.
    pub fn new(matrix: &Matrix, range: Range<usize>) -> Option<Self> {
        let size = range.len();
        let part = if size + 1 == matrix.starts.len() { None } else { Some(matrix.part(range.clone())) };
        let Matrix { starts, rows, values } = part.as_ref().unwrap_or(matrix);
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, rows);
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        // Particles are in the order of elimination already; the library takes a lower triangle with an order only.
        let order: Vec<u32> = (0..size as u32).collect();
        let order = SymmetricOrdering::Custom(PermRef::new_checked(&order, &order, size));
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Lower, order, params).ok()?;
        let mut factor = vec![0.0f32; symbolic.len_val()];
        // The order of sums inside a factorisation must not depend on the number of threads.
        let mut memory = MemBuffer::try_new(
            symbolic.factorize_numeric_llt_scratch::<f32>(Par::Seq, faer::prelude::default()),
        )
        .ok()?;
        symbolic
            .factorize_numeric_llt(
                &mut factor,
                SparseColMatRef::new(pattern, values),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                faer::prelude::default(),
            )
            .ok()?;
        Some(Self { range, symbolic, values: factor })
    }

    /// Entries of the factor.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Solves for all columns at once; `columns` holds them one after the other.
    pub fn solve(&self, columns: &mut [f32]) {
        let count = columns.len() / self.range.len().max(1);
        let right_sides = MatMut::from_column_major_slice_mut(columns, self.range.len(), count);
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f32>(count, Par::Seq));
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            right_sides,
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }
}
