//! One code path from very soft to very stiff, from purely elastic to highly plastic.

use crate::common::{
    finish, lattice, material, moved, plastic, rotated, rotation_about, shape_error, with_gravity,
    with_ground, world_of,
};
use pliant_material::Material;
use pliant_math::Vec3;
use pliant_solver::{Simulation, Stepping};
use pliant_zhou::zhou2013::Integrator;
use pliant_zhou::{Zhou2013, Zhou2013Settings};

const D: f64 = 0.02;

/// A cube of 6³ particles dropped on its edge from 0.2 m, seen 0.45 s later: its fastest particle [m/s] and its
/// largest shape error in spacings.
fn dropped(matter: Material, dt: f64, settings: Zhou2013Settings) -> (f64, f64) {
    let tilt = rotation_about(Vec3::new(1.0, 0.0, 0.3), 0.4);
    let rest = moved(&rotated(&lattice([6, 6, 6], D), &tilt), Vec3::y() * 0.2);
    let world = with_ground(with_gravity(world_of(&rest, D, matter)), 0.5);
    let solver = Zhou2013::new(&world, settings);
    let stepping = Stepping { frame_time: 0.05, dt, frames: 9 };
    let mut simulation = Simulation::new(world, Box::new(solver), stepping);
    finish(&mut simulation);
    let particles = &simulation.world().particles;
    let fastest = particles.velocity.iter().map(Vec3::norm).fold(0.0, f64::max);
    (fastest, shape_error(&rest, &particles.position).1 / D)
}

#[test]
fn elastic_cubes_of_any_stiffness_are_stable_at_any_step() {
    let usual = Zhou2013Settings::default();
    // The paper's integration, the default, and the penalty that makes bending right.
    for settings in [
        Zhou2013Settings { integrator: Integrator::BackwardEuler, ..usual.clone() },
        usual.clone(),
        Zhou2013Settings { zero_energy: 5.0, ..usual },
    ] {
        let Zhou2013Settings { integrator, zero_energy, .. } = settings;
        for young in [1e4, 1e5, 1e6, 1e7, 1e8, 1e9] {
            for dt in [1e-3, 1e-2] {
                let (fastest, shape) = dropped(material(young, 0.3), dt, settings.clone());
                let case = format!("E = {young:e}, dt = {dt}, {integrator:?}, penalty {zero_energy}");
                // One and a half times the impact speed of 2 m/s.
                assert!(fastest < 3.0, "{case}: {fastest} m/s");
                assert!(young < 1e7 || shape < 0.2, "{case}: {shape} d");
            }
        }
    }
}

#[test]
fn plastic_cubes_of_any_yield_stress_are_stable_at_any_step() {
    for yield_stress in [5e2, 5e3, 5e4, 5e5] {
        for dt in [1e-3, 1e-2] {
            let (fastest, _) = dropped(plastic(1e6, 0.3, yield_stress), dt, Zhou2013Settings::default());
            assert!(fastest < 3.0, "yield stress {yield_stress:e}, dt = {dt}: {fastest} m/s");
        }
    }
}
