//! The stretch and zero-energy system of a body (Kugelstadt 2021, Eq. 29), ready to be solved again and again.

use super::coarse::Coarse;
use super::factor::Factor;
use super::gradients::{Excess, Operator, Stop, Workspace, dot};
use super::lanes::Lane;
use super::matrix::{Coefficients, Matrix};
use super::product::Product;
use super::rest::Rest;
use rayon::prelude::*;

/// The factorised system. One factor solves it; with several they are the preconditioner of conjugate gradients.
#[derive(Debug)]
pub(crate) struct System {
    factors: Vec<Factor>,
    /// What conjugate gradients need beside the factors; none if there is one factor.
    large: Option<Large>,
}

/// A matrix that is too large for one factor.
#[derive(Debug)]
struct Large {
    product: Product,
    /// None if no particle can move, or if its matrix is not positive definite in single precision: then the parts help alone.
    coarse: Option<Coarse>,
}

impl System {
    /// Assembles and factorises, or says that the matrix is not positive definite.
    pub fn new(rest: &Rest, with: &Coefficients<'_>) -> Option<Self> {
        let matrix = Matrix::assemble(rest, with);
        let factors: Option<Vec<Factor>> =
            rest.parts.par_iter().map(|part| Factor::new(&matrix, part.clone(), &rest.branches)).collect();
        let large = if rest.parts.len() > 1 {
            let product = Product::new(&matrix, &rest.parts)?;
            let coarse = Coarse::new(rest, with.pinned, &product);
            Some(Large { product, coarse })
        } else {
            None
        };
        Some(Self { factors: factors?, large })
    }

    /// Whether one factor holds the whole body.
    pub fn is_direct(&self) -> bool {
        self.large.is_none()
    }

    /// Entries of all factors.
    pub fn entries(&self) -> usize {
        self.factors.iter().map(Factor::entries).sum()
    }

    /// What the factors make of several right-hand sides at once: the solution if there is one factor.
    pub fn precondition(&self, sides: &mut [&mut [Lane]]) {
        let Some(large) = &self.large else {
            self.factors.iter().for_each(|factor| factor.solve(sides));
            return;
        };
        for side in sides {
            let coarse = large.coarse.as_ref().map(|coarse| (coarse, coarse.solve(side)));
            let parts = large.product.split(side);
            parts.into_par_iter().zip(&self.factors).enumerate().for_each(|(index, (part, factor))| {
                factor.solve(&mut [&mut *part]);
                if let Some((coarse, motion)) = &coarse {
                    coarse.add(index, motion, part);
                }
            });
        }
    }

    /// The matrix, where more than one factor needs it.
    pub fn product(&self) -> Option<&Product> {
        self.large.as_ref().map(|large| &large.product)
    }

    /// Solves for several right-hand sides, in place, up to a residual that is tolerated; returns the iterations.
    pub fn solve(
        &self,
        sides: &mut [&mut [Lane]],
        (tolerated, max_iterations): (impl Fn(&[Lane]) -> f64, usize),
    ) -> Result<usize, Excess> {
        let Some(large) = &self.large else {
            self.precondition(sides);
            return Ok(0);
        };
        let mut iterations = 0;
        for side in sides {
            let mut residual = side.to_vec();
            side.fill([0.0; 4]);
            let stop = Stop { residual: tolerated(&residual), max_iterations };
            let mut factors = Preconditioner(self);
            let product = &mut &large.product;
            iterations += Workspace::default().solve(product, &mut factors, &mut residual, side, stop)?;
        }
        Ok(iterations)
    }
}

/// The factors as a preconditioner.
struct Preconditioner<'a>(&'a System);

impl Operator for Preconditioner<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        out.copy_from_slice(x);
        self.0.precondition(&mut [&mut *out]);
        dot(x, out)
    }
}
