//! Cholesky factors of the constant matrix: one for a body, or one for each of several parts of a body that is too large
//! for that (domain decomposition, the authors' own suggestion in §10), which then help conjugate gradients; and one of the grid
//! over such a body.

use super::lanes::Lane;
use super::matrix::Matrix;
use super::ordering::Twig;
use super::sweep::Sweep;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side};
use std::ops::Range;

/// A factor of a part of the matrix.
#[derive(Debug)]
pub(crate) struct Factor {
    /// The particles it is for.
    pub range: Range<usize>,
    sweep: Sweep,
}

impl Factor {
    /// `L Lᵀ = A`, or none if the matrix is not positive definite in single precision. The elimination tree has these
    /// `branches`.
    pub fn new(matrix: &Matrix, range: Range<usize>, branches: &[Twig]) -> Option<Self> {
        let size = range.len();
        let part = if size + 1 == matrix.starts.len() { None } else { Some(matrix.part(range.clone())) };
        let Matrix { starts, rows, values } = part.as_ref().unwrap_or(matrix);
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, rows);
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        // Particles are in the order of elimination already.
        let symbolic =
            factorize_symbolic_cholesky(pattern, Side::Upper, SymmetricOrdering::Identity, params).ok()?;
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
                Side::Upper,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                faer::prelude::default(),
            )
            .ok()?;
        let SymbolicCholeskyRaw::Supernodal(blocks) = symbolic.raw() else { return None };
        Some(Self { range, sweep: Sweep::new(blocks, &factor, branches) })
    }

    /// Entries of the factor.
    pub fn entries(&self) -> usize {
        self.sweep.entries()
    }

    /// Solves for several right-hand sides at once, in place.
    pub fn solve(&self, sides: &mut [&mut [Lane]]) {
        self.sweep.solve(sides);
    }
}
