//! The linear system of the implicit step (Zhou 2013, Eq. 23–25), multiplied by the mass so that it stays
//! symmetric for unequal masses: `(M + β² K) u = M (q* − x) + β² (f_ext − ∂E/∂x)`.

use super::contact::Springs;
use super::elasticity::{Elasticity, Fluxes, Tangent};
use super::stiffness::Stiffness;
use pliant_math::cg::LinearOperator;
use pliant_math::{Vect, parallel};

/// The operator `M + β² K`; pinned particles are removed equations.
pub(super) struct ImplicitOperator<'a, const D: usize> {
    pub elasticity: Elasticity<'a, D>,
    pub tangents: &'a [Tangent<D>],
    pub springs: &'a mut Springs<D>,
    pub mass: &'a [f64],
    pub pinned: &'a [bool],
    /// β² [s²].
    pub beta_squared: f64,
    pub stiffness: &'a mut Stiffness<D>,
}

impl<const D: usize> LinearOperator<D> for ImplicitOperator<'_, D> {
    fn apply(&mut self, u: &[Vect<D>], out: &mut [Vect<D>]) -> f64 {
        self.stiffness.spread(&self.elasticity, self.tangents, u);
        self.springs.strain(u);
        let (elasticity, stiffness, springs) = (&self.elasticity, &*self.stiffness, &*self.springs);
        let (mass, pinned, scale) = (self.mass, self.pinned, self.beta_squared);
        parallel::update_and_sum(out, 0.0, |i, out| {
            let inertia = u[i] * mass[i];
            let resistance = stiffness.product(elasticity, i, &u[i]) * scale;
            *out = if pinned[i] { Vect::zeros() } else { inertia + resistance + springs.force_on(i) };
            u[i].dot(out)
        })
    }
}

impl<const D: usize> ImplicitOperator<'_, D> {
    /// What is left of the right side after the motion `u`, in double precision.
    pub fn residual(
        &mut self,
        right_side: &[Vect<D>],
        u: &[Vect<D>],
        work: &mut Fluxes<D>,
        out: &mut [Vect<D>],
    ) {
        self.elasticity.product(self.tangents, u, work);
        self.springs.strain(u);
        let (product, scale) = (&work.gradient, self.beta_squared);
        parallel::fill(out, |i| {
            if self.pinned[i] {
                return Vect::zeros();
            }
            right_side[i] - u[i] * self.mass[i] - product[i] * scale - self.springs.force_on(i)
        });
    }
}
