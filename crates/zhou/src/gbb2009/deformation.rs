//! What a sub-step does to the deformation stored in each particle.

use super::forces::Local;
use super::neighbourhoods::Neighbourhoods;
use super::{Gbb2009, State};
use pliant_material::plastic::Trial;
use pliant_math::{Mat, Principal, Vect, parallel, principal};
use pliant_solver::StepError;

/// A displacement gradient above this is no small step: neighbours pass each other.
const MAX_INCREMENT: f64 = 0.5;

/// The incremental deformation gradient of particle i for the displacements `u`,
/// `G = (Σ w (q_j' − q_i') pᵀ)(Σ w p pᵀ)⁻¹`, and the norm of `G − I`. Written for displacements, so that nothing
/// is lost far from the origin. A direction that no neighbour covers turns with the others.
pub(super) fn increment<const D: usize>(
    near: &Neighbourhoods<D>,
    i: usize,
    local: &Local<D>,
    u: &[Vect<D>],
) -> (Mat<D>, f64) {
    let mut moment = Mat::zeros();
    for edge in near.row(i) {
        moment += (u[edge.neighbour] - u[i]) * (edge.offset * edge.weight).transpose();
    }
    let gradient = moment * local.inverse_moment;
    let full = match &local.covered {
        None => Mat::identity() + gradient,
        Some(covered) => {
            let mut parts = principal(&(covered + gradient));
            for k in local.rank()..D {
                parts.sigma[k] = 1.0;
            }
            parts.compose()
        }
    };
    (full, gradient.norm())
}

impl<const D: usize> Gbb2009<D> {
    /// `F ← G F` for the displacements `u` of a sub-step.
    ///
    /// # Errors
    /// When a neighbourhood changes too much to be followed.
    pub(super) fn deform(
        &self,
        near: &Neighbourhoods<D>,
        locals: &[Local<D>],
        u: &[Vect<D>],
        elastic: &mut [Mat<D>],
    ) -> Result<(), StepError> {
        let mut sizes = vec![0.0; u.len()];
        parallel::update_pair(elastic, &mut sizes, |i, f, size| {
            let (g, norm) = increment(near, i, &locals[i], u);
            (*f, *size) = (g * *f, norm);
        });
        match parallel::max(sizes.len(), |i| sizes[i]) {
            Some((particle, increment)) if increment > MAX_INCREMENT => {
                Err(StepError::Distorted { particle, increment, limit: MAX_INCREMENT })
            }
            Some((particle, increment)) if increment.is_nan() => {
                Err(StepError::NonFinite { quantity: "deformation", particle })
            }
            _ => Ok(()),
        }
    }

    /// Splits `F = Fe Fp` where the material yields and keeps Fe (Zhou 2013, Eq. 12–13); returns how many
    /// particles flowed.
    pub(super) fn split_plastic_flow(&self, state: &mut State<D>, dt: f64) -> usize {
        if self.matter.iter().all(|matter| matter.plastic.is_none()) {
            return 0;
        }
        let State { elastic, plastic_strain, .. } = state;
        let mut flowed = vec![0usize; elastic.len()];
        parallel::update_triple(elastic, plastic_strain, &mut flowed, |i, f, (plastic_strain, flowed)| {
            *flowed = 0;
            let Some(plastic) = self.matter[i].plastic else { return };
            let Principal { u, sigma, v } = principal(f);
            let lame = &self.matter[i].lame;
            let trial = Trial { lame, sigma: &sigma, plastic_strain: *plastic_strain, dt };
            if let Some(flow) = plastic.flow(&trial) {
                *f = Principal { u, sigma: sigma.component_div(&flow.stretch), v }.compose();
                *plastic_strain += flow.strain;
                *flowed = 1;
            }
        });
        flowed.iter().sum()
    }
}
