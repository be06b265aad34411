//! IISPH in the place of DFSPH.

use super::{D, SOLID, WATER, compare_bits, lattice, rest_of, run, tank, world};
use crate::{PressureSolver, Sph, SphSettings};
use pliant_math::Vec3;
use pliant_world::World;

fn settings() -> SphSettings {
    SphSettings { elastic_step: 4e-3, pressure: PressureSolver::Iisph, ..SphSettings::default() }
}

#[test]
fn water_comes_to_rest_at_its_density_with_the_pressure_of_its_depth() {
    let mut world = tank();
    let mut solver = Sph::new(&world, settings());
    // Particles find their places by slips, the last of which come by chance after up to eight seconds.
    run(&mut world, &mut solver, 0.0, 11.0);
    let density = &solver.state.density;
    let too_dense = density.iter().map(|&density| f64::from(density - 1.0).max(0.0));
    let too_dense = too_dense.sum::<f64>() / density.len() as f64;
    assert!(too_dense < settings().density_error, "it is too dense by {too_dense}");
    let [rms, level, error] = rest_of(&world, &solver);
    assert!(rms < 1e-3, "still swirls at {rms} of the speed of a wave");
    // Its surface sinks until it is dense: without a divergence solve nothing knows that it is open.
    assert!((level - 1.0).abs() < 0.015, "the level is {level} of what it was");
    assert!(error < 0.15, "pressures of single particles are off by {error}");
}

#[test]
fn drops_and_bodies_that_collide_in_flight_keep_their_momentum() {
    let mut world = world(1e5, 0.0);
    let drop = world.add_body("drop", &lattice([5, 5, 5], Vec3::zeros()), D, WATER);
    world.add_body("other", &lattice([4, 4, 4], Vec3::new(0.4, 0.05, 0.02)), D, WATER);
    let jelly = world.add_body("jelly", &lattice([4, 4, 4], Vec3::new(0.65, 0.1, 0.02)), D, SOLID);
    drop.for_each(|i| world.particles.velocity[i] = Vec3::new(2.0, 0.2, 0.0));
    let momentum = |world: &World<3>| -> Vec3 {
        let p = &world.particles;
        p.velocity.iter().zip(&p.mass).map(|(v, m)| v * *m).sum()
    };
    let before = momentum(&world);
    let mut solver = Sph::new(&world, settings());
    run(&mut world, &mut solver, 0.0, 0.4);
    let pushed = jelly.map(|i| world.particles.velocity[i].x).sum::<f64>() / 64.0;
    assert!(pushed > 0.1, "the jelly is pushed to {pushed} m/s");
    let error = (momentum(&world) - before).norm() / before.norm();
    assert!(error < 1e-5, "{error}");
}

#[test]
fn bits_do_not_depend_on_threads_nor_on_a_stop_in_between() {
    compare_bits(&settings());
}
