//! The stretch and zero-energy system of a body (Kugelstadt 2021, Eq. 29), ready to be solved again and again.

use super::factor::Factor;
use super::gradients::{Excess, Lane, Operator, Stop, Workspace, dot};
use super::matrix::{Coefficients, Matrix};
use super::rest::Rest;
use super::strain::Moduli;
use nalgebra::{Matrix3, Vector3};
use pliant_math::parallel;
use rayon::prelude::*;

/// The factorised system. One factor solves it; with several they are the preconditioner of conjugate gradients.
#[derive(Debug)]
pub(crate) struct System {
    factors: Vec<Factor>,
    dt_squared: f32,
}

impl System {
    /// Assembles and factorises, or says that the matrix is not positive definite.
    pub fn new(rest: &Rest, with: &Coefficients<'_>) -> Option<Self> {
        let matrix = Matrix::assemble(rest, with);
        let factors: Option<Vec<Factor>> =
            rest.parts.par_iter().map(|part| Factor::new(&matrix, part.clone())).collect();
        Some(Self { factors: factors?, dt_squared: (with.dt * with.dt) as f32 })
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
        let count = sides.len();
        let solved: Vec<Vec<f32>> = self
            .factors
            .par_iter()
            .map(|factor| {
                let size = factor.range.len();
                let mut columns = vec![0.0; 3 * count * size];
                for (column, chunk) in columns.chunks_exact_mut(size).enumerate() {
                    let side = &sides[column / 3][factor.range.clone()];
                    chunk.iter_mut().zip(side).for_each(|(value, lane)| *value = lane[column % 3]);
                }
                factor.solve(&mut columns);
                columns
            })
            .collect();
        for (factor, columns) in self.factors.iter().zip(&solved) {
            for (column, chunk) in columns.chunks_exact(factor.range.len()).enumerate() {
                let side = &mut sides[column / 3][factor.range.clone()];
                chunk.iter().zip(side).for_each(|(value, lane)| lane[column % 3] = *value);
            }
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
            stretch.dt_squared = self.dt_squared;
            let mut factors = Preconditioner(self);
            iterations += Workspace::default().solve(stretch, &mut factors, &mut residual, side, stop)?;
        }
        Ok(iterations)
    }
}

/// The factors as a preconditioner.
pub(crate) struct Preconditioner<'a>(pub &'a System);

impl Operator for Preconditioner<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) {
        out.copy_from_slice(x);
        self.0.precondition(&mut [out]);
    }
}

/// `M + 2Δt² DᵀKD + Δt² HᵀK̃H`, applied and never assembled; or, with rotations, the whole system of linear corotated
/// elasticity that Peer 2018 solves.
pub(crate) struct StretchSystem<'a> {
    pub rest: &'a Rest,
    pub moduli: &'a Moduli,
    pub mass: &'a [f32],
    pub pinned: &'a [bool],
    pub dt_squared: f32,
    /// Rotations `R_i` for the stress `R (2μ ε + λ tr ε)`; none for the stress `2μ F`.
    pub turn: Option<&'a [Matrix3<f32>]>,
}

impl Operator for StretchSystem<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) {
        let (rest, alpha) = (self.rest, self.moduli.zero_energy as f32);
        let mut both = vec![(Matrix3::zeros(), Matrix3::zeros()); x.len()];
        parallel::fill(&mut both, |i| {
            let (mut f, mut b) = (Matrix3::<f32>::zeros(), Matrix3::<f32>::zeros());
            for edge in rest.row(i) {
                let apart = vector(&x[edge.to as usize]) - vector(&x[i]);
                let product = apart * Vector3::from(edge.offset).transpose();
                f += product * edge.steepness;
                b += product * edge.weight;
            }
            f *= rest.correction[i];
            let (mu, lambda) = (self.moduli.shear[i] as f32, self.moduli.dilation[i] as f32);
            let stress = match self.turn {
                None => f * (2.0 * mu) + (f * rest.spread[i] - b) * (alpha * mu),
                Some(turn) => {
                    let local = turn[i].tr_mul(&f);
                    let strain = (local + local.transpose()) * 0.5;
                    turn[i] * (strain * (2.0 * mu) + Matrix3::from_diagonal_element(lambda * strain.trace()))
                }
            };
            (stress * rest.correction[i], f * mu)
        });
        parallel::fill(out, |i| {
            if self.pinned[i] {
                return x[i];
            }
            let mut force = Vector3::zeros();
            let (flux, stiff) = &both[i];
            for edge in rest.row(i) {
                let j = edge.to as usize;
                let weight = alpha * edge.weight;
                let through = (flux + both[j].0) * edge.steepness - (stiff + both[j].1) * weight;
                let shear = (self.moduli.shear[i] + self.moduli.shear[j]) as f32;
                force +=
                    through * Vector3::from(edge.offset) + (vector(&x[j]) - vector(&x[i])) * (weight * shear);
            }
            let image = vector(&x[i]) * self.mass[i] - force * (self.dt_squared * rest.volume[i] as f32);
            [image.x, image.y, image.z, 0.0]
        });
    }
}

fn vector(lane: &Lane) -> Vector3<f32> {
    Vector3::new(lane[0], lane[1], lane[2])
}

/// A preconditioner that does nothing.
pub(crate) struct Plain;

impl Operator for Plain {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) {
        out.copy_from_slice(x);
    }
}
