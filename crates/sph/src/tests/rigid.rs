//! Rigid bodies beside known answers.

use super::{D, SOLID, WATER, lattice, run, settings, wall, world};
use crate::{PressureSolver, Sph, SphSettings};
use pliant_math::Vec3;
use pliant_solver::{Care, Solver, Span};
use pliant_world::{Joint, JointKind, World};
use std::f64::consts::PI;

/// Adds a rigid block of a density [kg/m³].
fn add_block(world: &mut World<3>, counts: [usize; 3], corner: Vec3, density: f64) -> std::ops::Range<usize> {
    let block = world.add_body("block", &lattice(counts, corner), D, SOLID);
    world.bodies.last_mut().unwrap().rigid = true;
    block.clone().for_each(|i| world.particles.mass[i] = density * D.powi(3));
    block
}

/// A tank of `across` by `across` particles, filled `layers` high, but not where a block will be.
fn tank(across: usize, layers: usize, hole: impl Fn(&Vec3) -> bool) -> World<3> {
    let mut world = world(1e5, 9.81);
    let mut water = lattice([across, layers, across], Vec3::zeros());
    water.retain(|x| !hole(x));
    world.add_body("water", &water, D, WATER);
    let far = across as f64 * D;
    for (normal, point) in [
        (Vec3::y(), Vec3::zeros()),
        (Vec3::x(), Vec3::zeros()),
        (-Vec3::x(), Vec3::new(far, 0.0, 0.0)),
        (Vec3::z(), Vec3::zeros()),
        (-Vec3::z(), Vec3::new(0.0, 0.0, far)),
    ] {
        world.colliders.push(wall(normal, point, 0.3));
    }
    world
}

fn middle(world: &World<3>, particles: std::ops::Range<usize>) -> Vec3 {
    let count = particles.len() as f64;
    particles.map(|i| world.particles.position[i]).sum::<Vec3>() / count
}

/// Depth of a floating block over its height, for a density beside that of water.
fn immersion(density: f64, pressure: PressureSolver) -> f64 {
    let (side, across, layers) = (6, 14, 10);
    let low = 4.0 * D;
    let inside = |x: &Vec3| {
        let (from, to) = (low, low + side as f64 * D);
        (x.x > from && x.x < to) && (x.z > from && x.z < to) && x.y > 0.25
    };
    let mut world = tank(across, layers, inside);
    let volume = world.particles.len() as f64 * D.powi(3);
    let block = add_block(&mut world, [side; 3], Vec3::new(low, 0.25, low), density);
    let mut solver = Sph::new(&world, SphSettings { pressure, ..settings(4e-3) });
    run(&mut world, &mut solver, 0.0, 3.0);
    // What the block displaces raises the level.
    let (area, base) = ((across as f64 * D).powi(2), (side as f64 * D).powi(2));
    let height = side as f64 * D;
    let bottom = middle(&world, block.clone()).y - 0.5 * height;
    let level = (volume - base * bottom) / (area - base);
    let tilt = world.particles.position[block.start + 5].y - world.particles.position[block.start].y;
    assert!(tilt.abs() < 2.0 * D, "the block has turned over: {tilt} m");
    (level - bottom) / height
}

#[test]
fn a_block_floats_as_deep_as_archimedes_says() {
    for (share, pressure) in [
        (0.3, PressureSolver::Dfsph),
        (0.6, PressureSolver::Dfsph),
        (0.3, PressureSolver::Iisph),
        (0.6, PressureSolver::Iisph),
    ] {
        let depth = immersion(1000.0 * share, pressure);
        assert!((depth - share).abs() < 0.07, "{pressure:?}: {depth} of its height, not {share}");
    }
}

#[test]
fn a_heavy_block_sinks_and_lies_on_the_floor() {
    let mut world = tank(8, 6, |_| false);
    let block = add_block(&mut world, [4; 3], Vec3::new(2.0 * D, 6.5 * D, 2.0 * D), 3000.0);
    let corners = [block.start, block.end - 1];
    let apart = (world.particles.position[corners[0]] - world.particles.position[corners[1]]).norm();
    let mut solver = Sph::new(&world, settings(4e-3));
    run(&mut world, &mut solver, 0.0, 3.0);
    let height = middle(&world, block.clone()).y / D;
    // A film of water may stay below it.
    assert!((1.9..3.0).contains(&height), "its middle is {height} spacings above the floor, not 2");
    let after = (world.particles.position[corners[0]] - world.particles.position[corners[1]]).norm();
    assert!((after / apart - 1.0).abs() < 1e-9, "it has changed its shape");
    let speed = block.map(|i| world.particles.velocity[i].norm()).fold(0.0, f64::max);
    assert!(speed < 0.02, "it still moves at {speed} m/s");
}

/// A block that hangs from a joint beside its end.
fn pendulum(kind: JointKind) -> (World<3>, f64, f64) {
    let mut world = world(1e5, 9.81);
    let size = Vec3::new(2.0, 8.0, 2.0) * D;
    add_block(&mut world, [2, 8, 2], -0.5 * size, 1000.0);
    let anchor = Vec3::new(0.0, 0.5, 0.0);
    // It starts at an angle, at rest.
    let angle = 0.1_f64;
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vec3::z() * angle);
    world.particles.position.iter_mut().for_each(|x| *x = anchor + turn * (*x - anchor));
    world.joints.push(Joint { kind, bodies: [Some(0), None], anchor, axis: Vec3::z() });
    let arm = anchor.y;
    // Moment of inertia of a block about the joint, over its mass.
    let inertia = (size.x * size.x + size.y * size.y) / 12.0 + arm * arm;
    (world, angle, 2.0 * PI * (inertia / (9.81 * arm)).sqrt())
}

#[test]
fn a_pendulum_swings_with_its_period() {
    for kind in [JointKind::Ball, JointKind::Hinge] {
        let (mut world, angle, period) = pendulum(kind);
        let mut solver = Sph::new(&world, settings(2e-3));
        let (mut time, mut crossings, mut last) = (0.0, Vec::new(), angle);
        while crossings.len() < 9 {
            solver.step(&mut world, Span { time, dt: 2e-3, care: Care::Strict }).unwrap();
            time += 2e-3;
            let count = world.particles.len();
            let side = middle(&world, 0..count).x;
            if side.signum() != last.signum() {
                crossings.push(time - 2e-3 * side / (side - last));
            }
            last = side;
        }
        let found = (crossings[8] - crossings[0]) / 4.0;
        // A swing of 0.1 takes 1 + a²/16 times as long as a small one.
        let expected = period * (1.0 + angle * angle / 16.0);
        assert!((found / expected - 1.0).abs() < 0.005, "{kind:?}: {found} s, not {expected} s");
        let held = world.particles.position.iter().map(|x| (x - Vec3::new(0.0, 0.5, 0.0)).norm());
        let near = held.fold(f64::INFINITY, f64::min);
        assert!((near - 0.3 - 0.5 * D).abs() < 0.1 * D, "the nearest particle is {near} m from the joint");
    }
}

#[test]
fn blocks_that_collide_keep_their_momentum() {
    let mut world = world(1e5, 0.0);
    let left = add_block(&mut world, [4; 3], Vec3::zeros(), 1000.0);
    add_block(&mut world, [3; 3], Vec3::new(0.3, 0.04, 0.02), 2000.0);
    world.add_body("jelly", &lattice([4; 3], Vec3::new(0.7, 0.02, 0.0)), D, SOLID);
    left.for_each(|i| world.particles.velocity[i] = Vec3::new(2.0, 0.0, 0.0));
    let momentum = |world: &World<3>| -> (Vec3, Vec3) {
        let p = &world.particles;
        let all = || p.velocity.iter().zip(&p.mass).map(|(v, m)| v * *m);
        (all().sum(), p.position.iter().zip(all()).map(|(x, p)| x.cross(&p)).sum())
    };
    let before = momentum(&world);
    let mut solver = Sph::new(&world, settings(2e-3));
    run(&mut world, &mut solver, 0.0, 0.5);
    let after = momentum(&world);
    let pushed = world.particles.velocity[world.bodies[2].particles.start].x;
    assert!(pushed > 0.1, "the last body moves at {pushed} m/s");
    let error = (after.0 - before.0).norm() / before.0.norm();
    assert!(error < 1e-5, "{error} of the momentum");
}

/// Water, a jelly, a floating block on a joint, and one that sinks.
fn crowd() -> World<3> {
    let mut world = tank(8, 4, |_| false);
    world.add_body("jelly", &lattice([3; 3], Vec3::new(0.2, 0.4, 0.2)), D, SOLID);
    add_block(&mut world, [3; 3], Vec3::new(0.05, 0.3, 0.05), 500.0);
    add_block(&mut world, [2; 3], Vec3::new(0.25, 0.25, 0.05), 3000.0);
    let anchor = Vec3::new(0.0, 0.5, 0.1);
    world.joints.push(Joint { kind: JointKind::Ball, bodies: [Some(2), None], anchor, axis: Vec3::z() });
    world
}

#[test]
fn bits_do_not_depend_on_threads_nor_on_a_stop_in_between() {
    let settings = || SphSettings { elastic_step: 4e-3, ..SphSettings::default() };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = crowd();
            let mut solver = Sph::new(&world, settings());
            run(&mut world, &mut solver, 0.0, 0.1);
            world.particles.position
        })
    };
    let alone = on(1);
    for threads in [2, 3, 8] {
        assert!(alone == on(threads), "{threads} threads");
    }
    let (mut world, mut time) = (crowd(), 0.0);
    let mut solver = Sph::new(&world, settings());
    while time < 0.1 {
        let saved = solver.save();
        solver = Sph::new(&crowd(), settings());
        solver.restore(&world, &saved).unwrap();
        let dt = solver.longest_step().unwrap();
        solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
        solver.admit(&mut world, time);
    }
    assert!(alone == world.particles.position, "after a stop at every step");
}
