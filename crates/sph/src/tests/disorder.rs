//! Bodies far from their shape.

use super::{D, SOLID, lattice, run, settings, world};
use crate::{Elasticity, Sph, SphSettings};
use pliant_math::Vec3;

#[test]
fn a_free_body_in_disorder_does_not_turn_itself() {
    for elasticity in [Elasticity::Split, Elasticity::Corrected] {
        let mut world = world(1e6, 0.0);
        let mut points = lattice([6, 5, 4], Vec3::zeros());
        world.add_body("body", &points, D, SOLID);
        let mut solver = Sph::new(&world, SphSettings { elasticity, ..settings(2e-3) });
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) as f64 / (1u64 << 31) as f64 - 0.5) * 2.0 * D
        };
        points.iter_mut().for_each(|x| *x += Vec3::new(next(), next(), next()));
        world.particles.position = points;
        run(&mut world, &mut solver, 0.0, 0.1);
        let p = &world.particles;
        let center = p.position.iter().sum::<Vec3>() / p.len() as f64;
        let spins = p.position.iter().zip(&p.velocity).map(|(x, v)| (x - center).cross(v));
        let (spin, all) = spins.fold((Vec3::zeros(), 0.0), |(sum, all), s| (sum + s, all + s.norm()));
        assert!(all > 0.0 && spin.norm() < 0.02 * all, "{elasticity:?}: {} of {all}", spin.norm());
    }
}
