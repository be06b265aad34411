//! Particle columns for observers.

use super::Zhou2013;
use pliant_material::elastic::LinearCorotated;
use pliant_math::{Mat, Principal, parallel};
use pliant_world::{Column, Field, World};

impl<const D: usize> Zhou2013<D> {
    /// `Σ V det F` over all particles [m³].
    pub(super) fn present_volume(&self, world: &World<D>) -> f64 {
        let (elasticity, x) = (self.elasticity(), &world.particles.position);
        parallel::sum(x.len(), 0.0, |i| {
            self.matter[i].rest_volume * elasticity.deformation(i, x).sigma.product()
        })
    }

    /// Neighbours of each particle, in the order of the particles.
    pub fn neighbour_counts(&self) -> impl Iterator<Item = usize> {
        (0..self.state.neighbourhoods.len()).map(|i| self.state.neighbourhoods.row(i).len())
    }

    pub(super) fn columns(&self, world: &World<D>) -> Vec<Field> {
        let (elasticity, x) = (self.elasticity(), &world.particles.position);
        let mut parts = vec![None; x.len()];
        parallel::fill(&mut parts, |i| Some(elasticity.deformation(i, x)));
        let parts: Vec<Principal<D>> = parts.into_iter().flatten().collect();
        let stress: Vec<Mat<D>> = parts
            .iter()
            .zip(&self.matter)
            .map(|(parts, matter)| {
                let law = LinearCorotated(matter.lame);
                cauchy(parts, &law)
            })
            .collect();

        let scalar =
            |name: &str, values: Vec<f32>| Field { name: name.to_owned(), column: Column::Scalar(values) };
        let tensor = |name: &str, values: Vec<Mat<D>>, rest: f32| {
            let rows = values.iter().map(|value| padded(value, rest)).collect();
            Field { name: name.to_owned(), column: Column::Tensor(rows) }
        };
        let counts = self.neighbour_counts().map(|count| count as u32).collect();
        let rest = self.rest_position.iter().map(|p| vector(&pliant_math::embed(p))).collect();
        vec![
            Field { name: "rest_position".to_owned(), column: Column::Vector(rest) },
            tensor("F", parts.iter().map(Principal::compose).collect(), 1.0),
            scalar("J", parts.iter().map(|parts| parts.sigma.product() as f32).collect()),
            scalar("pressure", stress.iter().map(|stress| -(stress.trace() / D as f64) as f32).collect()),
            scalar("von_mises", stress.iter().map(von_mises).collect()),
            tensor("stress", stress, 0.0),
            scalar("plastic_strain", self.state.plastic_strain.iter().map(|strain| *strain as f32).collect()),
            Field { name: "neighbour_count".to_owned(), column: Column::Integer(counts) },
        ]
    }
}

/// `P Fᵀ / J` [Pa]; zero for a particle crushed flat.
fn cauchy<const D: usize>(parts: &Principal<D>, law: &LinearCorotated) -> Mat<D> {
    let volume = parts.sigma.product();
    if volume.abs() < 1e-9 {
        return Mat::zeros();
    }
    let principal = law.piola(&parts.sigma).component_mul(&parts.sigma) / volume;
    parts.u * Mat::from_diagonal(&principal) * parts.u.transpose()
}

fn von_mises<const D: usize>(stress: &Mat<D>) -> f32 {
    let deviator = stress - Mat::identity() * (stress.trace() / D as f64);
    (1.5f64.sqrt() * deviator.norm()) as f32
}

fn padded<const D: usize>(value: &Mat<D>, rest: f32) -> [f32; 9] {
    std::array::from_fn(|k| {
        let (row, column) = (k / 3, k % 3);
        if row < D && column < D {
            value[(row, column)] as f32
        } else if row == column {
            rest
        } else {
            0.0
        }
    })
}

fn vector(v: &pliant_math::Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

impl<const D: usize> Zhou2013<D> {
    /// Largest deviation of `det Fp` from 1 over all particles: plastic flow keeps volume.
    pub fn plastic_volume_error(&self) -> f64 {
        let errors = self.state.plastic_deformation.iter().map(|f| (pliant_math::determinant(f) - 1.0).abs());
        errors.fold(0.0, f64::max)
    }
}
