//! Shorter steps along the residual at stiff particles save iterations of the linear solver, the coarse space most of them on
//! slender bodies, and momentum is kept.

use crate::common::{Run, lattice, material, moved, plastic, with_gravity, with_ground, world_of};
use pliant_math::Vec3;
use pliant_solver::Totals;
use pliant_world::World;
use pliant_zhou::Zhou2013Settings;
use pliant_zhou::zhou2013::Preconditioner;

const SPACING: f64 = 0.02;
/// The step of 2 ms is 42 times the longest stable explicit one.
const YOUNG: f64 = 2.4e8;
const DT: f64 = 2e-3;

/// A body of 30 particles' height with a trunk, a head, legs and arms.
fn humanoid() -> Vec<Vec3> {
    // Counts and lower corners in spacings.
    let parts = [
        ([8, 11, 5], [6, 13, 0]), // trunk
        ([4, 6, 4], [8, 24, 0]),  // head
        ([4, 13, 4], [5, 0, 0]),  // legs
        ([4, 13, 4], [11, 0, 0]),
        ([12, 3, 3], [-6, 20, 1]), // arms
        ([12, 3, 3], [14, 20, 1]),
    ];
    let part = |(counts, corner): ([usize; 3], [i32; 3])| {
        moved(&lattice(counts, SPACING), Vec3::from(corner.map(f64::from)) * SPACING)
    };
    parts.into_iter().flat_map(part).collect()
}

fn settings(preconditioner: Preconditioner) -> Zhou2013Settings {
    Zhou2013Settings { preconditioner, ..Zhou2013Settings::default() }
}

/// A humanoid that hits the ground with its feet at 2 m/s.
fn falling() -> World<3> {
    let positions = moved(&humanoid(), Vec3::y() * 0.001);
    let mut world = with_ground(with_gravity(world_of(&positions, SPACING, material(YOUNG, 0.3))), 0.5);
    world.particles.velocity.fill(Vec3::y() * -2.0);
    world
}

#[test]
fn a_slender_body_needs_far_fewer_iterations() {
    let iterations = |preconditioner| {
        let mut run = Run::new(falling(), settings(preconditioner));
        run.steps(5, DT);
        run.iterations
    };
    let (plain, aided) = (iterations(Preconditioner::None), iterations(Preconditioner::CoarseSpace));
    assert!(5 * aided <= 2 * plain, "{aided} with the coarse space, {plain} without");
}

#[test]
fn contacts_and_thin_parts_cost_fewer_iterations() {
    let iterations = |preconditioner| {
        let mut world = falling();
        world.materials.fill(material(1e6, 0.3));
        let mut run = Run::new(world, settings(preconditioner));
        run.steps(10, DT);
        run.iterations
    };
    let (plain, aided) = (iterations(Preconditioner::None), iterations(Preconditioner::Automatic));
    assert!(4 * aided <= 3 * plain, "{aided} with scales, {plain} without");
}

#[test]
fn a_free_body_keeps_its_momentum_with_it() {
    let positions = humanoid();
    let mut world = world_of(&positions, SPACING, material(YOUNG, 0.3));
    let center = Totals::of(&world).center;
    for (v, x) in world.particles.velocity.iter_mut().zip(&positions) {
        *v = (Vec3::y() * 5.0).cross(&(x - center));
    }
    let mut run = Run::new(world, settings(Preconditioner::CoarseSpace));
    run.steps(20, DT);
    let totals = Totals::of(&run.world);
    let speed = totals.momentum.norm() / totals.mass;
    assert!(speed < 1e-9, "the centre moves at {speed:e} m/s");
}

/// A lump, just before it hits the ground at 3 m/s.
fn lump(material: pliant_material::Material) -> Run {
    let positions = moved(&lattice([10, 10, 10], SPACING), Vec3::y() * 0.001);
    let mut world = with_ground(with_gravity(world_of(&positions, SPACING, material)), 0.5);
    world.particles.velocity.fill(Vec3::y() * -3.0);
    Run::new(world, Zhou2013Settings { tolerance: 1e-4, ..Zhou2013Settings::default() })
}

/// Iterations of a step, on average, that it takes after that.
fn iterations_after_impact(material: pliant_material::Material) -> f64 {
    let mut run = lump(material);
    run.steps(60, 5e-3);
    let before = run.iterations;
    run.steps(40, 5e-3);
    (run.iterations - before) as f64 / 40.0
}

#[test]
fn a_puddle_takes_tens_of_iterations_not_hundreds() {
    let lump = iterations_after_impact(material(2e4, 0.35));
    let puddle = iterations_after_impact(plastic(2e4, 0.35, 200.0));
    // 4.3 times as many; 20 times while flattened neighbourhoods were kept.
    assert!(puddle < 7.0 * lump, "{puddle} iterations a step in the puddle, {lump} in the lump");
}

#[test]
fn spray_comes_to_rest() {
    let mut run = lump(plastic(2e4, 0.35, 200.0));
    run.steps(60, 0.02);
    let fastest = run.world.particles.velocity.iter().map(Vec3::norm).fold(0.0, f64::max);
    // 0.005; 0.15 while jumps of spray were carried on.
    assert!(fastest < 0.05, "a particle still moves at {fastest} m/s");
}
