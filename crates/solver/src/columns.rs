//! Particle columns that the methods for solids share.

use pliant_material::Lame;
use pliant_material::elastic::LinearCorotated;
use pliant_math::{Mat, Principal, Vec3, Vect, embed};
use pliant_world::{Column, Field};

/// What a method for solids knows of its particles.
pub struct Columns<'a, const D: usize> {
    /// Positions at the start [m].
    pub rest_position: &'a [Vect<D>],
    /// Elastic deformation gradients.
    pub deformation: Vec<Principal<D>>,
    /// Moduli.
    pub lame: Vec<Lame>,
    /// Plastic strain so far.
    pub plastic_strain: &'a [f64],
    /// Neighbours of each particle.
    pub neighbour_count: Vec<u32>,
}

impl<const D: usize> Columns<'_, D> {
    /// The columns observers see.
    pub fn fields(self) -> Vec<Field> {
        let parts = &self.deformation;
        let stress: Vec<Mat<D>> = parts
            .iter()
            .zip(&self.lame)
            .map(|(parts, lame)| cauchy(parts, &LinearCorotated(*lame)))
            .collect();
        let field = |name: &str, column: Column| Field { name: name.to_owned(), column };
        let scalar = |name: &str, values: Vec<f32>| field(name, Column::Scalar(values));
        let tensor = |name: &str, values: Vec<Mat<D>>, rest: f32| {
            field(name, Column::Tensor(values.iter().map(|value| padded(value, rest)).collect()))
        };
        let rest = self.rest_position.iter().map(|p| vector(&embed(p))).collect();
        vec![
            field("rest_position", Column::Vector(rest)),
            tensor("F", parts.iter().map(Principal::compose).collect(), 1.0),
            scalar("J", parts.iter().map(|parts| parts.sigma.product() as f32).collect()),
            scalar("pressure", stress.iter().map(|stress| -(stress.trace() / D as f64) as f32).collect()),
            scalar("von_mises", stress.iter().map(von_mises).collect()),
            tensor("stress", stress, 0.0),
            scalar("plastic_strain", self.plastic_strain.iter().map(|strain| *strain as f32).collect()),
            field("neighbour_count", Column::Integer(self.neighbour_count)),
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

/// Von Mises equivalent of a stress [Pa].
pub fn von_mises<const D: usize>(stress: &Mat<D>) -> f32 {
    let deviator = stress - Mat::identity() * (stress.trace() / D as f64);
    (1.5f64.sqrt() * deviator.norm()) as f32
}

/// A matrix in space, row by row; what a plane matrix lacks is `rest` on the diagonal.
pub fn padded<const D: usize>(value: &Mat<D>, rest: f32) -> [f32; 9] {
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

/// A vector in single precision.
pub fn vector(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
