//! The product with the stiffness `LᵀCL` of Eq. 24, the inner loop of the linear solver, in single precision.
//!
//! The frozen rotation R and `K = N Φ⁻¹` enter only as `Q = R Kᵀ` and `W = μ K Kᵀ − κ N`: a motion of moment M
//! makes the flux `Z = M W + μ Q Mᵀ Q + λ (Q:M) Q`. What single precision could lose are the differences between
//! neighbours of a motion that is nearly the same everywhere, so a motion is kept as a sum of two numbers.
//!
//! Where particles form a lattice, eight of a line are taken at once; elsewhere one row of edges after the other, in the
//! order of places once flow has mixed them.

mod columns;
mod eight;
mod lines;
mod packed;
mod places;
mod rows;
mod sums;

pub(super) use lines::Lines;
pub(super) use places::Places;

use super::elasticity::{Elasticity, Tangent};
use packed::Packed;
use pliant_math::Vect;
use rows::Rows;

/// The linearised elasticity of all particles, and scratch of the product.
#[derive(Debug)]
pub(super) struct Stiffness<const D: usize> {
    rows: Rows<D>,
    packed: Option<Packed<D>>,
    /// Motion of the first particle: only departures from it deform anything.
    common: Vect<D>,
}

impl<const D: usize> Default for Stiffness<D> {
    fn default() -> Self {
        Self { rows: Rows::default(), packed: None, common: Vect::zeros() }
    }
}

impl<const D: usize> Stiffness<D> {
    /// Takes over a linearisation about the positions `x`.
    pub fn update(&mut self, elasticity: &Elasticity<'_, D>, tangents: &[Tangent<D>], x: &[Vect<D>]) {
        match elasticity.neighbourhoods.lines() {
            Some(lines) => {
                let packed = self.packed.get_or_insert_default();
                packed.update(lines, elasticity, tangents);
            }
            None => {
                self.packed = None;
                self.rows.update(elasticity, tangents, x);
            }
        }
    }

    /// Fluxes of the motion `u`; [`Stiffness::product`] then gives `K u`.
    pub fn spread(&mut self, elasticity: &Elasticity<'_, D>, tangents: &[Tangent<D>], u: &[Vect<D>]) {
        self.common = u.first().copied().unwrap_or_else(Vect::zeros);
        match &mut self.packed {
            Some(packed) => packed.spread(elasticity, tangents, u, &self.common),
            None => self.rows.spread(elasticity.neighbourhoods, u, &self.common),
        }
    }

    /// `K u` at particle i of the motion last spread.
    #[inline(always)]
    pub fn product(&self, elasticity: &Elasticity<'_, D>, i: usize, u: &Vect<D>) -> Vect<D> {
        let neighbours = match &self.packed {
            Some(packed) => packed.product(i),
            None => self.rows.product(i),
        };
        neighbours + (u - self.common) * elasticity.kappa_sum[i]
    }
}
