//! Whole steps: contact, fluids at rest, what is conserved, and what does not depend on threads.

mod dent;
mod disorder;
mod fluids;
mod iisph;
mod rigid;
mod stiff;

use crate::{Elasticity, Sph, SphSettings, ZeroEnergy};
use pliant_geometry::Shape;
use pliant_material::{Lame, preset};
use pliant_math::Vec3;
use pliant_solver::{Care, Solver, Span};
use pliant_world::{Acceleration, Collider, Motion, World};

/// Spacing of particles [m].
const D: f64 = 0.05;
/// Index of the materials of [`world`].
const SOLID: u16 = 0;
const WATER: u16 = 1;

fn lattice(counts: [usize; 3], corner: Vec3) -> Vec<Vec3> {
    let [nx, ny, nz] = counts;
    (0..nx * ny * nz)
        .map(|k| {
            let cell = Vec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / nx / ny) as f64);
            corner + (cell + Vec3::repeat(0.5)) * D
        })
        .collect()
}

fn wall(normal: Vec3, point: Vec3, friction: f64) -> Collider {
    Collider {
        name: "wall".to_owned(),
        shape: Shape::half_space(normal, point).unwrap(),
        motion: Motion::Static,
        friction,
        stickiness: 0.0,
        restitution: 0.0,
        color: [0.5; 3],
        visible: true,
    }
}

fn world(young: f64, gravity: f64) -> World<3> {
    let mut world = World::empty();
    let mut material = preset("rubber").expect("a preset").material();
    material.lame = Lame::new(young, 0.3).unwrap();
    material.density = 1000.0;
    world.materials.push(material);
    world.materials.push(preset("water").expect("a preset").material());
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -gravity, 0.0)));
    world
}

fn settings(dt: f64) -> SphSettings {
    SphSettings { elastic_step: dt, ..SphSettings::default() }
}

/// Steps as long as the method takes them, from `time` to `end` [s].
fn run(world: &mut World<3>, solver: &mut Sph, mut time: f64, end: f64) {
    while time < end {
        let dt = solver.longest_step().unwrap();
        solver.step(world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
        solver.admit(world, time);
    }
}

fn fastest(world: &World<3>) -> f64 {
    world.particles.velocity.iter().map(Vec3::norm).fold(0.0, f64::max)
}

fn lowest(world: &World<3>) -> f64 {
    world.particles.position.iter().map(|x| x.y).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_tilted_cube_comes_to_rest_on_the_floor() {
    let mut world = world(2e5, 9.81);
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vec3::new(0.15, 0.1, 0.5));
    let cube: Vec<Vec3> =
        lattice([6, 6, 6], Vec3::repeat(-0.15)).iter().map(|x| turn * x + Vec3::new(0.0, 0.3, 0.0)).collect();
    world.add_body("cube", &cube, D, SOLID);
    world.colliders.push(wall(Vec3::y(), Vec3::zeros(), 0.5));
    let mut solver = Sph::new(&world, settings(4e-3));
    run(&mut world, &mut solver, 0.0, 3.0);
    // It lies flat and sticks, but friction is no part of the elastic solve, and a slight wobble does not die out.
    assert!(fastest(&world) < 0.15, "still moves at {} m/s", fastest(&world));
    let height = world.particles.position.iter().map(|x| x.y).sum::<f64>() / 216.0;
    assert!((height / 0.15 - 1.0).abs() < 0.03, "its middle is {height} m above the floor");
    let low = lowest(&world) / D;
    assert!((0.45..0.55).contains(&low), "the lowest particle is {low} spacings above the floor");
}

#[test]
fn bodies_that_collide_keep_their_momentum() {
    let mut world = world(1e5, 0.0);
    let left = world.add_body("left", &lattice([5, 5, 5], Vec3::zeros()), D, SOLID);
    let right = world.add_body("right", &lattice([4, 4, 4], Vec3::new(0.4, 0.05, 0.02)), D, SOLID);
    left.for_each(|i| world.particles.velocity[i] = Vec3::new(2.0, 0.0, 0.0));
    let momentum = |world: &World<3>| -> Vec3 {
        let p = &world.particles;
        p.velocity.iter().zip(&p.mass).map(|(v, m)| v * *m).sum()
    };
    let before = momentum(&world);
    let mut solver = Sph::new(&world, settings(2e-3));
    run(&mut world, &mut solver, 0.0, 0.4);
    let pushed = right.map(|i| world.particles.velocity[i].x).sum::<f64>() / 64.0;
    assert!(pushed > 1.0, "the other body moves at {pushed} m/s");
    let error = (momentum(&world) - before).norm() / before.norm();
    assert!(error < 1e-5, "{error}");
}

/// Water of ten layers between walls.
fn tank() -> World<3> {
    let mut world = world(1e5, 9.81);
    world.add_body("water", &lattice([6, 10, 6], Vec3::zeros()), D, WATER);
    let size = 6.0 * D;
    for (normal, point) in [
        (Vec3::y(), Vec3::zeros()),
        (Vec3::x(), Vec3::zeros()),
        (-Vec3::x(), Vec3::new(size, 0.0, 0.0)),
        (Vec3::z(), Vec3::zeros()),
        (-Vec3::z(), Vec3::new(0.0, 0.0, size)),
    ] {
        world.colliders.push(wall(normal, point, 0.0));
    }
    world
}

/// Speed of the water of a [`tank`], over that of a wave; its level and the error of its gauges, over what they should be.
fn rest_of(world: &World<3>, solver: &Sph) -> [f64; 3] {
    let (count, depth) = (world.particles.len() as f64, 10.0 * D);
    let square: f64 = world.particles.velocity.iter().map(Vec3::norm_squared).sum();
    let wave = (9.81 * depth).sqrt();
    // Twice the height of the center; a lattice starts at the level that the volume asks for.
    let level = 2.0 * world.particles.position.iter().map(|x| x.y).sum::<f64>() / count / depth;
    let weight = |i: usize| 1000.0 * 9.81 * (depth - world.particles.position[i].y);
    let squares = |value: &dyn Fn(usize) -> f64| (0..world.particles.len()).map(value).sum::<f64>();
    let gauges = solver.gauges(world);
    let error = squares(&|i| (f64::from(gauges[i]) - weight(i)).powi(2));
    [(square / count).sqrt() / wave, level, (error / squares(&|i| weight(i).powi(2))).sqrt()]
}

#[test]
fn water_at_rest_stays_and_has_the_pressure_of_its_depth() {
    let mut world = tank();
    let mut solver = Sph::new(&world, settings(4e-3));
    run(&mut world, &mut solver, 0.0, 6.0);
    let [rms, level, error] = rest_of(&world, &solver);
    assert!(rms < 4e-3, "still swirls at {rms} of the speed of a wave");
    assert!((level - 1.0).abs() < 0.01, "the level is {level} of what it was");
    assert!(error < 0.15, "pressures of single particles are off by {error}");
}

/// A jelly in water that pours in, on a moving floor.
fn mixed() -> World<3> {
    let mut world = world(1e5, 9.81);
    world.add_body("jelly", &lattice([4, 4, 4], Vec3::new(0.05, 0.3, 0.05)), D, SOLID);
    world.add_body("twin", &lattice([4, 4, 4], Vec3::new(0.05, 0.8, 0.05)), D, SOLID);
    world.add_body("water", &lattice([6, 4, 6], Vec3::zeros()), D, WATER);
    let late = world.add_body("late", &lattice([3, 3, 3], Vec3::new(0.1, 1.1, 0.1)), D, SOLID);
    world.particles.birth = vec![0.0; late.start];
    world.particles.birth.resize(late.end, 0.03);
    let mut floor = wall(Vec3::y(), Vec3::zeros(), 0.3);
    floor.motion = Motion::Linear { velocity: Vec3::new(0.0, 0.5, 0.0) };
    world.colliders.push(floor);
    world
}

#[test]
fn bits_do_not_depend_on_threads_nor_on_a_stop_in_between() {
    compare_bits(&SphSettings { vorticity: 0.01, surface_tension: 0.5, ..settings(4e-3) });
}

fn compare_bits(settings: &SphSettings) {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = mixed();
            let mut solver = Sph::new(&world, settings.clone());
            run(&mut world, &mut solver, 0.0, 0.1);
            world.particles.position
        })
    };
    let alone = on(1);
    for threads in [2, 3, 8] {
        assert!(alone == on(threads), "{threads} threads");
    }
    let mut world = mixed();
    let mut solver = Sph::new(&world, settings.clone());
    let mut time = 0.0;
    while time < 0.1 {
        let saved = solver.save();
        solver = Sph::new(&mixed(), settings.clone());
        solver.restore(&world, &saved).unwrap();
        let dt = solver.longest_step().unwrap();
        solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
        solver.admit(&mut world, time);
    }
    assert!(alone == world.particles.position, "after a stop at every step");
}

#[test]
fn a_body_that_is_yet_to_appear_does_nothing() {
    let mut world = mixed();
    let late = world.bodies[3].particles.start;
    let start = world.particles.position[late];
    let mut solver = Sph::new(&world, settings(4e-3));
    run(&mut world, &mut solver, 0.0, 0.02);
    assert_eq!(world.particles.position[late], start);
    run(&mut world, &mut solver, 0.02, 0.1);
    assert!(world.particles.position[late].y < start.y - 0.01, "it falls once it is there");
}

#[test]
fn copies_share_one_factor() {
    let world = mixed();
    let solver = Sph::new(&world, settings(4e-3));
    let shapes: Vec<_> = solver.solids().bodies.iter().map(|body| &body.shape).collect();
    assert!(std::sync::Arc::ptr_eq(shapes[0], shapes[1]), "the twin is a copy");
    assert!(!std::sync::Arc::ptr_eq(shapes[0], shapes[2]), "the smaller body is not");
}

/// Root mean square distance of a free body from its rest shape after its particles were thrown about [spacings].
fn shape_error_after_shaking(zero_energy: ZeroEnergy) -> f64 {
    let mut world = world(2e5, 0.0);
    let rest = lattice([6, 6, 6], Vec3::repeat(-0.15));
    world.add_body("cube", &rest, D, SOLID);
    let mut solver = Sph::new(&world, SphSettings { zero_energy, ..settings(2e-3) });
    let mut state = 9u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 31) as f64 - 0.5
    };
    world.particles.position.iter_mut().for_each(|x| *x = Vec3::new(next(), next(), next()) * 0.3);
    run(&mut world, &mut solver, 0.0, 2.0);
    let x = &world.particles.position;
    let center = x.iter().sum::<Vec3>() / x.len() as f64;
    let covariance: nalgebra::Matrix3<f64> =
        rest.iter().zip(x).map(|(rest, x)| (x - center) * rest.transpose()).sum();
    let svd = covariance.svd(true, true);
    let turn = svd.u.unwrap() * svd.v_t.unwrap();
    let square = rest.iter().zip(x).map(|(rest, x)| (x - center - turn * rest).norm_squared());
    (square.sum::<f64>() / x.len() as f64).sqrt() / D
}

#[test]
fn a_body_thrown_into_disorder_recovers_with_control_of_zero_energy_modes_only() {
    let (with, without) =
        (shape_error_after_shaking(ZeroEnergy::Implicit(1.0)), shape_error_after_shaking(ZeroEnergy::None));
    assert!(with < 0.01, "{with} spacings with control");
    // Lattices without control stay crumpled: 0.07 spacings beside less than a thousandth.
    assert!(without > 50.0 * with && without > 0.04, "{without} spacings without, {with} with");
}

#[test]
fn all_ways_to_solve_bend_a_cantilever_alike() {
    let droop = |elasticity: Elasticity| {
        let mut world = world(1e6, 9.81);
        world.add_body("beam", &lattice([12, 4, 4], Vec3::zeros()), D, SOLID);
        let held: Vec<u32> =
            (0..192u32).filter(|&i| world.particles.position[i as usize].x < 2.0 * D).collect();
        let initial = held.iter().map(|&i| world.particles.position[i as usize]).collect();
        world.pins.push(pliant_world::Pin { particles: held, initial, motion: Motion::Static });
        let zero_energy = match elasticity {
            Elasticity::Peer2018 | Elasticity::Becker2009 => ZeroEnergy::None,
            _ => ZeroEnergy::Implicit(0.01),
        };
        let mut solver = Sph::new(&world, SphSettings { elasticity, zero_energy, ..settings(2e-3) });
        let before = world.particles.position[11].y;
        run(&mut world, &mut solver, 0.0, 0.05);
        before - world.particles.position[11].y
    };
    let reference = droop(Elasticity::Unsplit);
    assert!(reference > 0.2 * D, "{reference} m");
    for elasticity in [Elasticity::Corrected, Elasticity::Split, Elasticity::Peer2018, Elasticity::Becker2009]
    {
        let other = droop(elasticity);
        assert!((other / reference - 1.0).abs() < 0.2, "{elasticity:?}: {other} m, not {reference} m");
    }
}

#[test]
fn a_thin_plate_stops_a_jet_of_water() {
    let mut world = world(1e5, 0.0);
    let water = world.add_body("water", &lattice([3, 8, 3], Vec3::new(0.0, 0.1, 0.0)), D, WATER);
    water.for_each(|i| world.particles.velocity[i] = Vec3::new(0.0, -10.0, 0.0));
    let plate = Shape::cuboid(Vec3::new(1.0, 0.005, 1.0)).unwrap().translated(Vec3::new(0.075, 0.0, 0.075));
    world.colliders.push(Collider { shape: plate, ..wall(Vec3::y(), Vec3::zeros(), 0.0) });
    let mut solver = Sph::new(&world, settings(4e-3));
    run(&mut world, &mut solver, 0.0, 0.08);
    let through = world.particles.position.iter().filter(|x| x.y < 0.0 && x.xz().amax() < 1.0).count();
    assert_eq!(through, 0, "particles behind the plate");
}
