//! The linear system of the implicit step (Zhou 2013, Eq. 23–25), multiplied by the mass so that it stays
//! symmetric for unequal masses: `(M + β² K) u = M (q* − x) + β² (f_ext − ∂E/∂x)`.

use super::contact::Touch;
use super::elasticity::{Elasticity, Fluxes, Tangent};
use super::stiffness::Stiffness;
use pliant_math::cg::LinearOperator;
use pliant_math::{Vect, parallel};

/// The operator `M + β² K`; pinned particles are removed equations.
pub(super) struct ImplicitOperator<'a, const D: usize> {
    pub elasticity: Elasticity<'a, D>,
    pub tangents: &'a [Tangent<D>],
    pub touches: &'a [Touch<D>],
    pub mass: &'a [f64],
    pub pinned: &'a [bool],
    /// β² [s²].
    pub beta_squared: f64,
    pub stiffness: &'a mut Stiffness<D>,
}

impl<const D: usize> LinearOperator<D> for ImplicitOperator<'_, D> {
    fn apply(&mut self, u: &[Vect<D>], out: &mut [Vect<D>]) -> f64 {
        self.stiffness.spread(&self.elasticity, self.tangents, u);
        let (elasticity, stiffness, scale) = (&self.elasticity, &*self.stiffness, self.beta_squared);
        let (mass, pinned) = (self.mass, self.pinned);
        let curvature = parallel::update_and_sum(out, 0.0, |i, out| {
            let inertia = u[i] * mass[i];
            let resistance = stiffness.product(elasticity, i, &u[i]) * scale;
            *out = if pinned[i] { Vect::zeros() } else { inertia + resistance };
            u[i].dot(out)
        });
        curvature + self.add_contacts(u, out)
    }
}

impl<const D: usize> ImplicitOperator<'_, D> {
    fn add_contacts(&self, u: &[Vect<D>], out: &mut [Vect<D>]) -> f64 {
        let added = self.touches.iter().map(|touch| touch.add_stiffness(self.beta_squared, u, out)).sum();
        for touch in self.touches {
            for j in touch.support.iter().map(|&(j, _)| j).chain([touch.particle]) {
                if self.pinned[j as usize] {
                    out[j as usize] = Vect::zeros();
                }
            }
        }
        added
    }

    /// What is left of the right side after the motion `u`, in double precision.
    pub fn residual(&self, right_side: &[Vect<D>], u: &[Vect<D>], work: &mut Fluxes<D>, out: &mut [Vect<D>]) {
        self.elasticity.product(self.tangents, u, work);
        let (product, scale) = (&work.gradient, self.beta_squared);
        parallel::fill(out, |i| {
            if self.pinned[i] { Vect::zeros() } else { u[i] * self.mass[i] + product[i] * scale }
        });
        self.add_contacts(u, out);
        parallel::update(out, |i, out| *out = right_side[i] - *out);
    }
}
