//! Particle columns for observers.

use super::Zhou2013;
use pliant_math::Vect;
use pliant_math::{Principal, parallel};
use pliant_solver::columns::{Columns, padded};
use pliant_solver::onlooker::vectors;
use pliant_solver::{Onlooker, StageEnd};
use pliant_world::{Column, Field, Snapshot, World};

impl<const D: usize> Zhou2013<D> {
    /// `Σ V det F` over all particles [m³].
    pub(super) fn present_volume(&self, world: &World<D>) -> f64 {
        let (elasticity, x) = (self.elasticity(), &world.particles.position);
        parallel::sum(x.len(), 0.0, |i| self.matter[i].rest_volume * elasticity.dilation(i, x))
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

    /// Shows the rotations at `x` and the right-hand side of the system: stages 2 and 3.
    pub(super) fn show_system(&self, x: &[Vect<D>], onlooker: &mut Onlooker<'_>) {
        onlooker.see(|| {
            let turns = self.work.tangents.iter().map(|tangent| padded(&tangent.rotation, 1.0)).collect();
            let rotation = Field { name: "rotation".to_owned(), column: Column::Tensor(turns) };
            StageEnd::of_particles("rotations", vec![vectors(Snapshot::POSITION, x), rotation])
        });
        onlooker.see(|| {
            let right_side = vectors("right_side", &self.work.residual);
            StageEnd::of_particles("system", vec![vectors(Snapshot::POSITION, x), right_side])
        });
    }
}

/// Places and velocities as columns.
pub(super) fn motion_columns<const D: usize>(world: &World<D>) -> Vec<Field> {
    let particles = &world.particles;
    vec![vectors(Snapshot::POSITION, &particles.position), vectors(Snapshot::VELOCITY, &particles.velocity)]
}

impl<const D: usize> Zhou2013<D> {
    /// Largest deviation of `det Fp` from 1 over all particles: plastic flow keeps volume.
    pub fn plastic_volume_error(&self) -> f64 {
        let errors =
            self.state.plastic_deformation.stored().iter().map(|f| (pliant_math::determinant(f) - 1.0).abs());
        errors.fold(0.0, f64::max)
    }
}
