//! Slips in the formulas of Nilles 2020, settled by what matter does.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its stage must fail")]

use pliant_material::{Material, preset};
use pliant_math::Vect;
use pliant_mpm::MpmSettings;
use pliant_mpm::{Drag, DragMode, Mixture, Precision, solver};
use pliant_solver::{Care, Span};
use pliant_world::World;

/// Distance between particles [m].
const SPACING: f64 = 0.02;
/// Length of a step [s].
const DT: f64 = 1e-4;

fn material(name: &str) -> Material {
    preset(name).unwrap().material()
}

fn square(count: usize) -> Vec<Vect<2>> {
    let at = |i: usize| (i as f64 + 0.5) * SPACING;
    (0..count * count).map(|i| Vect::from([at(i % count), at(i / count)])).collect()
}

/// Takes steps of `DT` and brings the world up to date.
fn run(world: &mut World<2>, settings: MpmSettings, steps: usize) {
    let mut solver =
        solver(world, MpmSettings { precision: Precision::Double, substep: Some(DT), ..settings });
    for step in 0..steps {
        solver.step(world, Span { time: step as f64 * DT, dt: DT, care: Care::Strict }).unwrap();
    }
    solver.publish(world);
}

/// Eq. 116 adds the stress where Eq. 115 takes it away. Stretched matter pulls back with the minus.
#[test]
fn stress_pulls_stretched_matter_back() {
    let mut world = World::empty();
    world.materials.push(material("rubber"));
    world.add_body("square", &square(16), SPACING, 0);
    let middle = 8.0 * SPACING;
    for i in 0..world.particles.len() {
        world.particles.velocity[i] = (world.particles.position[i] - Vect::repeat(middle)) * 10.0;
    }
    let width = |world: &World<2>| {
        let x = world.particles.position.iter().map(|x| x[0]);
        x.clone().fold(f64::MIN, f64::max) - x.fold(f64::MAX, f64::min)
    };
    let start = width(&world);
    let mut widths = vec![start];
    for _ in 0..20 {
        // A fresh solver has forgotten the stretch; one run for each time remembers it.
        let mut copy = world.clone();
        run(&mut copy, MpmSettings::default(), 10 * widths.len());
        widths.push(width(&copy));
    }
    let widest = widths.iter().copied().fold(f64::MIN, f64::max);
    assert!(widest > start * 1.005, "{widths:?}");
    assert!(widths[20] < widest, "it comes back: {widths:?}");
    assert!(widest < start * 1.2, "it does not fly apart: {widths:?}");
}

/// Velocities in the middle of two species that overlap, with densities as 2 to 3 and velocities 1 and 0, after a step.
fn after_one_step(share: f64) -> (f64, f64) {
    let mut world = World::empty();
    world.materials = ["nilles-water", "nilles-water"].map(material).to_vec();
    (world.materials[0].density, world.materials[1].density) = (2000.0, 3000.0);
    for species in 0..2u8 {
        for i in world.add_body("fluid", &square(16), SPACING, u16::from(species)) {
            world.particles.velocity[i][0] = 1.0 - f64::from(species);
        }
        world.bodies[usize::from(species)].species = species;
    }
    // Mass of a node in the middle: density times the area of a cell, which is two spacings wide.
    let masses = 5000.0 * (2.0 * SPACING).powi(2);
    let species = vec!["first".to_owned(), "second".to_owned()];
    let drag = Drag::Literal(share / (DT * masses));
    let mixture = Mixture { species, drag, mode: DragMode::Free, ..Mixture::default() };
    run(&mut world, MpmSettings { mixture, ..MpmSettings::default() }, 1);
    let half = world.particles.len() / 2;
    let middle = 16 * 8 + 8;
    (world.particles.velocity[middle][0], world.particles.velocity[half + middle][0])
}

/// Eq. 108 prints `c_E = 1/(2 Δt (m_w + m_s))`. With it the difference of velocities is only halved; without the 2 both
/// become 0.4, as on one grid.
#[test]
fn drag_at_its_limit_has_no_factor_two() {
    let (first, second) = after_one_step(1.0);
    assert!((first - 0.4).abs() < 1e-12 && (second - 0.4).abs() < 1e-12, "{first} {second}");
    let (first, second) = after_one_step(0.5);
    assert!((first - 0.7).abs() < 1e-12 && (second - 0.2).abs() < 1e-12, "{first} {second}");
}
