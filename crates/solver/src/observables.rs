//! Whole-scene quantities: what is conserved, and what should be watched.

use pliant_math::{Vec3, Vect, embed, parallel};
use pliant_world::{VectorField, World};

/// Sums over all particles, taken in a fixed order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Mass [kg].
    pub mass: f64,
    /// Kinetic energy [J].
    pub kinetic_energy: f64,
    /// Energy in constant fields of acceleration, zero at the origin [J].
    pub potential_energy: f64,
    /// Momentum [kg m/s].
    pub momentum: Vec3,
    /// Angular momentum about the origin [kg m²/s].
    pub angular_momentum: Vec3,
    /// Centre of mass [m].
    pub center: Vec3,
}

impl Totals {
    /// Of a world whose particles are all there.
    pub fn of<const D: usize>(world: &World<D>) -> Self {
        Self::at(world, f64::INFINITY)
    }

    /// Of what is there at `time` [s].
    pub fn at<const D: usize>(world: &World<D>, time: f64) -> Self {
        let p = &world.particles;
        let steady: Vec3 = world
            .accelerations
            .iter()
            .filter(|field| field.region.is_none() && field.bodies.is_none())
            .filter_map(|field| match field.field {
                VectorField::Constant(value) => Some(value),
                VectorField::Varying(_) => None,
            })
            .sum();
        let sums = parallel::sum(p.len(), Vect::<12>::zeros(), |i| {
            if !p.is_present(i, time) {
                return Vect::zeros();
            }
            let (mass, x, v) = (p.mass[i], embed(&p.position[i]), embed(&p.velocity[i]));
            let (momentum, moment) = (v * mass, x * mass);
            let spin = x.cross(&momentum);
            let mut row = Vect::<12>::zeros();
            row[0] = mass;
            row[1] = 0.5 * mass * v.norm_squared();
            row[2] = -moment.dot(&steady);
            row.fixed_rows_mut::<3>(3).copy_from(&momentum);
            row.fixed_rows_mut::<3>(6).copy_from(&spin);
            row.fixed_rows_mut::<3>(9).copy_from(&moment);
            row
        });
        let triple = |first: usize| Vec3::new(sums[first], sums[first + 1], sums[first + 2]);
        Self {
            mass: sums[0],
            kinetic_energy: sums[1],
            potential_energy: sums[2],
            momentum: triple(3),
            angular_momentum: triple(6),
            center: if sums[0] > 0.0 { triple(9) / sums[0] } else { Vec3::zeros() },
        }
    }
}
