//! The stretch and zero-energy system of a body (Kugelstadt 2021, Eq. 29), ready to be solved again and again.

use super::factor::Factor;
use super::gradients::{Excess, Operator, Stop, Workspace, dot};
use super::lanes::{Columns, Lane};
use super::matrix::{Coefficients, Matrix};
use super::rest::Rest;
use super::strain::Moduli;
use super::sums;
use pliant_math::parallel;
use rayon::prelude::*;
use wide::f32x4;

/// The factorised system. One factor solves it; with several they are the preconditioner of conjugate gradients.
#[derive(Debug)]
pub(crate) struct System {
    factors: Vec<Factor>,
}

impl System {
    /// Assembles and factorises, or says that the matrix is not positive definite.
    pub fn new(rest: &Rest, with: &Coefficients<'_>) -> Option<Self> {
        let matrix = Matrix::assemble(rest, with);
        let factors: Option<Vec<Factor>> =
            rest.parts.par_iter().map(|part| Factor::new(&matrix, part.clone(), &rest.branches)).collect();
        Some(Self { factors: factors? })
    }

    /// Whether one factor holds the whole body.
    pub fn is_direct(&self) -> bool {
        self.factors.len() == 1
    }

    /// Entries of all factors.
    pub fn entries(&self) -> usize {
        self.factors.iter().map(Factor::entries).sum()
    }

    /// What the factors make of several right-hand sides at once: the solution if there is one factor.
    pub fn precondition(&self, sides: &mut [&mut [Lane]]) {
        if let [factor] = &self.factors[..] {
            return factor.solve(sides);
        }
        for side in sides {
            let mut left = &mut **side;
            let mut parts = Vec::with_capacity(self.factors.len());
            for factor in &self.factors {
                let (part, rest) = left.split_at_mut(factor.range.len());
                parts.push((factor, part));
                left = rest;
            }
            parts.into_par_iter().for_each(|(factor, part)| factor.solve(&mut [part]));
        }
    }

    /// Solves for several right-hand sides, in place; returns the iterations.
    pub fn solve(
        &self,
        stretch: &mut StretchSystem<'_>,
        sides: &mut [&mut [Lane]],
        (tolerance, max_iterations): (f64, usize),
    ) -> Result<usize, Excess> {
        if self.is_direct() {
            self.precondition(sides);
            return Ok(0);
        }
        let mut iterations = 0;
        for side in sides {
            let mut residual = side.to_vec();
            side.fill([0.0; 4]);
            let stop = Stop { residual: tolerance * dot(&residual, &residual).sqrt(), max_iterations };
            let mut factors = Preconditioner(self);
            iterations += Workspace::default().solve(stretch, &mut factors, &mut residual, side, stop)?;
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

/// `M + 2Δt² DᵀKD + Δt² HᵀK̃H` with what `moduli` has in place of `2 μ`, applied and never assembled.
pub(crate) struct StretchSystem<'a> {
    pub rest: &'a Rest,
    pub moduli: &'a Moduli,
    pub mass: &'a [f32],
    pub pinned: &'a [bool],
    pub dt_squared: f32,
    /// What particles pull with, reused from product to product.
    pub(super) flux: Vec<[Columns; 2]>,
}

impl Operator for StretchSystem<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        let Self { rest, moduli, .. } = *self;
        let mut flux = std::mem::take(&mut self.flux);
        flux.resize(x.len(), [Columns::ZERO; 2]);
        parallel::fill(&mut flux, |i| {
            let here = f32x4::from(x[i]);
            let [f, b] = sums::moments(rest.row(i), |j| f32x4::from(x[j]) - here);
            let f = f.matrix() * rest.correction[i];
            let stretch = f * moduli.stretch[i] as f32;
            let penalty = (f * rest.spread[i] - b.matrix()) * moduli.penalty[i];
            [((stretch + penalty) * rest.correction[i]).into(), (f * moduli.penalty[i]).into()]
        });
        parallel::fill(out, |i| {
            if self.pinned[i] {
                return x[i];
            }
            let here = f32x4::from(x[i]);
            let apart = |j: usize| f32x4::from(x[j]) - here;
            let force = sums::pull((rest, i), &flux, &moduli.penalty, apart);
            let scale = self.dt_squared * rest.volume[i] as f32;
            (here * f32x4::splat(self.mass[i]) - force * f32x4::splat(scale)).to_array()
        });
        self.flux = flux;
        dot(x, out)
    }
}
