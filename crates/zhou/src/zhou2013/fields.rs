//! Particle columns for observers.

use super::Zhou2013;
use pliant_math::{Principal, parallel};
use pliant_solver::columns::Columns;
use pliant_world::{Field, World};

impl<const D: usize> Zhou2013<D> {
    /// `Σ V det F` over all particles [m³].
    pub(super) fn present_volume(&self, world: &World<D>) -> f64 {
        let (elasticity, x) = (self.elasticity(), &world.particles.position);
        parallel::sum(x.len(), 0.0, |i| {
            self.matter[i].rest_volume * elasticity.deformation(i, x).sigma.product()
        })
    }

    pub(super) fn columns(&self, world: &World<D>) -> Vec<Field> {
        let (elasticity, x) = (self.elasticity(), &world.particles.position);
        let mut parts = vec![None; x.len()];
        parallel::fill(&mut parts, |i| Some(elasticity.deformation(i, x)));
        let parts: Vec<Principal<D>> = parts.into_iter().flatten().collect();
        let counts = (0..x.len()).map(|i| self.state.neighbourhoods.row(i).len() as u32).collect();
        Columns {
            rest_position: &self.rest_position,
            deformation: parts,
            lame: self.matter.iter().map(|matter| matter.lame).collect(),
            plastic_strain: &self.state.plastic_strain,
            neighbour_count: counts,
        }
        .fields()
    }
}

impl<const D: usize> Zhou2013<D> {
    /// Largest deviation of `det Fp` from 1 over all particles: plastic flow keeps volume.
    pub fn plastic_volume_error(&self) -> f64 {
        let errors = self.state.plastic_deformation.iter().map(|f| (pliant_math::determinant(f) - 1.0).abs());
        errors.fold(0.0, f64::max)
    }
}
