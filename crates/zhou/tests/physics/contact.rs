//! Bodies against bodies, themselves and colliders.

use crate::common::{
    self, Run, lattice, material, moved, rotated, rotation_about, shape_error, size, with_gravity,
    with_ground, world_of,
};
use pliant_geometry::Shape;
use pliant_math::Vec3;
use pliant_solver::{AnySimulation, Simulation, Solver, Stepping, Totals};
use pliant_world::{Acceleration, World};
use pliant_zhou::zhou2013::Integrator;
use pliant_zhou::{Zhou2013, Zhou2013Settings};

const D: f64 = 0.02;

fn settings() -> Zhou2013Settings {
    Zhou2013Settings { integrator: Integrator::BackwardEuler, ..Zhou2013Settings::default() }
}

fn simulate(world: World<3>, seconds: f64) -> Simulation<3> {
    let solver = Zhou2013::new(&world, settings());
    let stepping = Stepping { frame_time: 0.1, dt: 2e-3, frames: (seconds * 10.0).ceil() as u32 };
    let mut simulation = Simulation::new(world, Box::new(solver), stepping);
    common::finish(&mut simulation);
    simulation
}

fn center(world: &World<3>, body: usize) -> Vec3 {
    let range = world.bodies[body].particles.clone();
    let count = range.len() as f64;
    world.particles.position[range].iter().sum::<Vec3>() / count
}

fn mean_velocity(world: &World<3>, body: usize) -> Vec3 {
    let range = world.bodies[body].particles.clone();
    let count = range.len() as f64;
    world.particles.velocity[range].iter().sum::<Vec3>() / count
}

/// Cubes of n³ particles on top of each other, `lift` spacings apart.
fn stack(n: usize, levels: usize, lift: f64) -> World<3> {
    let mut world = World::empty();
    world.materials.push(material(1e6, 0.3));
    for level in 0..levels {
        // Shifted sideways by odd amounts: lattices that happen to interlock would stand too easily.
        let shift =
            Vec3::new(0.003 * level as f64, (n as f64 + lift) * D * level as f64, 0.0017 * level as f64);
        world.add_body(&format!("cube {level}"), &moved(&lattice([n, n, n], D), shift), D, 0);
    }
    with_ground(with_gravity(world), 0.5)
}

#[test]
fn a_stack_stands_still() {
    let world = stack(4, 3, 0.05);
    let before = simulate(world, 1.0);
    let start: Vec<Vec3> = (0..3).map(|body| center(before.world(), body)).collect();
    let after = {
        let mut simulation = before;
        for _ in 0..500 {
            simulation.step().unwrap();
        }
        simulation
    };
    for (body, start) in start.iter().enumerate() {
        let moved = (center(after.world(), body) - start).norm();
        assert!(moved < 1e-3 * D, "cube {body} crept by {} spacings in a second", moved / D);
        let height = center(after.world(), body).y / D;
        let wanted = 4.0 * body as f64 + 2.0;
        assert!((height - wanted).abs() < 0.25, "cube {body} rests at {height} instead of {wanted}");
    }
}

#[test]
fn colliding_cubes_exchange_momentum_and_part() {
    let mut world = World::empty();
    world.materials.push(material(2e5, 0.3));
    for (shift, speed) in [(0.0, 1.0), (7.5, -1.0)] {
        let points = moved(&lattice([5, 5, 5], D), Vec3::new(shift * D, 0.2 * shift * D, 0.0));
        let range = world.add_body("cube", &points, D, 0);
        world.particles.velocity[range].fill(Vec3::x() * speed);
    }
    let before = Totals::of(&world);
    let after = simulate(world, 0.5);
    let totals = Totals::of(after.world());
    let scale = totals.mass;
    assert!((totals.momentum - before.momentum).norm() < 1e-9 * scale, "{:?}", totals.momentum);
    let spin = (totals.angular_momentum - before.angular_momentum).norm();
    assert!(spin < 0.02 * scale * 0.1, "angular momentum changed by {spin:e}");
    assert!(
        mean_velocity(after.world(), 0).x < 0.0 && mean_velocity(after.world(), 1).x > 0.0,
        "they rebound"
    );
    assert!((center(after.world(), 1) - center(after.world(), 0)).x > 6.0 * D, "they do not stick");
}

#[test]
fn nothing_tunnels_through_a_plate_thinner_than_the_spacing() {
    let mut world = world_of(&moved(&lattice([4, 4, 4], D), Vec3::y() * 0.5), D, material(1e6, 0.3));
    world.particles.velocity.fill(Vec3::y() * -50.0);
    world = with_ground(world, 0.3);
    world.colliders[0].shape = Shape::cuboid(Vec3::new(1.0, 0.2 * D, 1.0)).unwrap();
    let after = simulate(world, 0.1);
    let lowest = after.world().particles.position.iter().map(|x| x.y).fold(f64::MAX, f64::min);
    assert!(lowest > 0.0, "a particle came out at {lowest} m below the plate");
}

#[test]
fn nothing_tunnels_through_another_body() {
    let mut world = World::empty();
    world.materials.push(material(5e5, 0.3));
    world.add_body("wall", &lattice([2, 8, 8], D), D, 0);
    let shot = moved(&lattice([3, 3, 3], D), Vec3::new(-0.3, 0.05, 0.05));
    let range = world.add_body("shot", &shot, D, 0);
    world.particles.velocity[range].fill(Vec3::x() * 30.0);
    let after = simulate(world, 0.1);
    assert!(center(after.world(), 1).x < center(after.world(), 0).x, "the shot stays in front of the wall");
}

/// Acceleration down an incline over one second, by tilting gravity.
fn slide(angle: f64, friction: f64) -> f64 {
    let mut world = world_of(&lattice([6, 3, 6], D), D, material(1e6, 0.3));
    world.accelerations.push(Acceleration::uniform(Vec3::new(angle.sin(), -angle.cos(), 0.0) * 9.81));
    let mut run = Run::new(with_ground(world, friction), settings());
    run.steps(250, 2e-3);
    let before = mean_velocity(&run.world, 0).x;
    run.steps(250, 2e-3);
    (mean_velocity(&run.world, 0).x - before) / 0.5
}

#[test]
fn a_block_slides_down_an_incline_by_coulombs_law() {
    let angle = 0.5f64;
    for friction in [0.0, 0.2, 0.4] {
        let expected = 9.81 * (angle.sin() - friction * angle.cos());
        let found = slide(angle, friction);
        assert!(
            (found - expected).abs() < 0.01 * expected,
            "friction {friction}: {found} instead of {expected}"
        );
    }
    assert!(slide(angle, 0.6).abs() < 1e-6, "tan(0.5) < 0.6: it rests");
}

#[test]
fn a_sticky_ceiling_holds_what_a_clean_one_drops() {
    let drop = |stickiness: f64| {
        let rest = moved(&lattice([4, 4, 4], D), Vec3::y() * (-4.0 * D - 0.0005));
        let mut world = with_ground(with_gravity(world_of(&rest, D, material(1e6, 0.3))), 0.5);
        world.colliders[0].shape = Shape::half_space(-Vec3::y(), Vec3::zeros()).unwrap();
        world.colliders[0].stickiness = stickiness;
        world.particles.velocity.fill(Vec3::y() * 0.5);
        center(simulate(world, 0.5).world(), 0).y
    };
    assert!(drop(1e5) > -2.5 * D, "a sticky ceiling holds a small cube: {}", drop(1e5) / D);
    assert!(drop(0.0) < -0.5, "a clean one does not");
}

#[test]
fn restitution_gives_back_speed() {
    let rebound = |restitution: f64| {
        let rest = moved(&lattice([4, 4, 4], D), Vec3::y() * 0.01);
        let mut world = with_ground(world_of(&rest, D, material(1e7, 0.3)), 0.0);
        world.colliders[0].restitution = restitution;
        world.particles.velocity.fill(Vec3::y() * -1.0);
        mean_velocity(simulate(world, 0.1).world(), 0).y
    };
    let (dead, lively) = (rebound(0.0), rebound(0.8));
    assert!(dead < 0.1 && (0.6..1.0).contains(&lively), "{dead} {lively}");
}

#[test]
fn a_folded_strip_does_not_pass_through_itself() {
    // A long soft strip stood on end: it buckles and its parts fall onto each other.
    let tilt = rotation_about(Vec3::z(), 0.05);
    let rest = moved(&rotated(&lattice([3, 30, 3], D), &tilt), Vec3::y() * 0.05);
    let world = with_ground(with_gravity(world_of(&rest, D, material(5e3, 0.3))), 0.6);
    let after = simulate(world, 1.5);
    let x = &after.world().particles.position;
    // Particles far apart along the strip must keep their distance in space.
    let nearest = (0..x.len())
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .filter(|&(i, j)| (rest[i] - rest[j]).norm() > 6.0 * D)
        .map(|(i, j)| (x[i] - x[j]).norm())
        .fold(f64::MAX, f64::min);
    assert!(nearest > 0.3 * D, "far parts of the strip came within {} spacings", nearest / D);
    assert!(size(x, 1) < 0.5 * size(&rest, 1), "it did fold");
}

#[test]
fn a_moving_paddle_pushes_a_body_along() {
    let mut world = world_of(&lattice([4, 4, 4], D), D, material(1e6, 0.3));
    world = with_ground(world, 0.5);
    world.colliders[0].shape =
        Shape::cuboid(Vec3::new(0.02, 0.5, 0.5)).unwrap().translated(Vec3::new(-0.1, 0.0, 0.0));
    world.colliders[0].motion = pliant_world::Motion::Linear { velocity: Vec3::x() };
    let after = simulate(world, 0.3);
    let face = -0.1 + 0.02 + 0.3;
    let hindmost = after.world().particles.position.iter().map(|x| x.x).fold(f64::MAX, f64::min);
    assert!(hindmost > face, "{hindmost} behind the paddle at {face}");
    assert!((mean_velocity(after.world(), 0).x - 1.0).abs() < 0.3);
    let rest = lattice([4, 4, 4], D);
    assert!(shape_error(&rest, &after.world().particles.position).1 < 0.2 * D);
}

#[test]
fn a_step_that_fails_leaves_everything_as_it_was() {
    let mut world =
        with_ground(world_of(&moved(&lattice([3, 3, 3], D), Vec3::y() * 0.02), D, material(1e6, 0.3)), 0.5);
    world.particles.velocity.fill(Vec3::y() * -100.0);
    let mut solver = Zhou2013::new(&world, Zhou2013Settings { max_iterations: 1, ..settings() });
    let (state, before) = (solver.save(), world.particles.clone());
    let span = pliant_solver::Span { time: 0.0, dt: 2e-3, care: pliant_solver::Care::Strict };
    assert!(solver.step(&mut world, span).is_err());
    assert_eq!((solver.save(), &world.particles), (state, &before));
}

/// How far the plank on two posts has moved after half a second, in spacings.
fn tower(bird_speed: Option<f64>) -> f64 {
    let mut world = World::empty();
    world.materials.push(material(2e6, 0.3));
    let mut block = |counts: [usize; 3], at: [f64; 3], speed: f64| {
        let points = moved(&lattice(counts, D), Vec3::from(at) * D);
        let range = world.add_body("block", &points, D, 0);
        world.particles.velocity[range].fill(Vec3::x() * speed);
    };
    block([10, 2, 3], [0.0, 6.05, 0.0], 0.0);
    block([3, 6, 3], [0.0, 0.0, 0.0], 0.0);
    block([3, 6, 3], [7.0, 0.0, 0.0], 0.0);
    if let Some(speed) = bird_speed {
        block([3, 3, 3], [-8.0, 3.0, 0.0], speed);
    }
    let start = center(&world, 0);
    let after = simulate(with_ground(with_gravity(world), 0.6), 0.5);
    (center(after.world(), 0) - start).norm() / D
}

#[test]
fn a_tower_stands_until_a_bird_hits_it() {
    let (alone, hit) = (tower(None), tower(Some(6.0)));
    assert!(alone < 0.2, "nothing touches it, yet it moved by {alone} spacings");
    assert!(hit > 2.0, "the bird moved the plank by {hit} spacings only");
}
