use crate::tests::{ball, floor, lattice, material};
use crate::{Integrator, MpmSettings, Precision, solver};
use pliant_material::{Lame, Material};
use pliant_math::{Vec3, Vect};
use pliant_solver::{AnySimulation, Care, Simulation, Solver, Span, StepReport, Stepping, Totals};
use pliant_world::{Acceleration, World};

const GRAVITY: f64 = 9.81;

fn implicit() -> MpmSettings {
    MpmSettings { integrator: Integrator::Implicit, precision: Precision::Double, ..MpmSettings::default() }
}

fn explicit() -> MpmSettings {
    MpmSettings { integrator: Integrator::Explicit, ..implicit() }
}

/// Steps of one length to `end`; the solver and the last report.
fn march<const D: usize>(
    world: &mut World<D>,
    settings: MpmSettings,
    (dt, end): (f64, f64),
) -> (Box<dyn Solver<D>>, StepReport) {
    let mut solver = solver(world, settings);
    let mut report = StepReport::default();
    for step in 0..(end / dt).round() as usize {
        let span = Span { time: step as f64 * dt, dt, care: Care::Strict };
        report = solver.step(world, span).unwrap();
    }
    solver.publish(world);
    (solver, report)
}

fn stiff(young: f64) -> Material {
    Material { lame: Lame::new(young, 0.3).unwrap(), density: 1000.0, ..material("rubber") }
}

/// A square of 20 cm, `gap` above the floor.
fn block(young: f64, gap: f64) -> World<2> {
    let (half, spacing) = (0.1, 0.02);
    let mut world = World::empty();
    world.materials.push(stiff(young));
    let shift = Vect::from([0.0, half + gap]);
    let points: Vec<Vect<2>> = lattice::<2>(half, spacing, |_| true).iter().map(|x| x + shift).collect();
    world.add_body("block", &points, spacing, 0);
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -GRAVITY, 0.0)));
    world.colliders.push(floor(0.5));
    world
}

#[test]
fn a_stiff_block_rests_and_falls_at_steps_of_a_quarter_frame() {
    // Waves cross a cell in 0.04 ms; the step is 200 times as long.
    let dt = 1.0 / 120.0;
    for gap in [0.0, 0.05] {
        let mut world = block(1e9, gap);
        let (solver, _) = march(&mut world, implicit(), (dt, 60.0 * dt));
        let fastest = world.particles.velocity.iter().map(Vect::norm).fold(0.0, f64::max);
        let lowest = world.particles.position.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
        let highest = world.particles.position.iter().map(|x| x[1]).fold(0.0, f64::max);
        assert!(fastest < 1e-3, "{gap}: {fastest}");
        // Half a spacing above the floor, or as far as its nodes reach: one and a half cells.
        assert!((0.009..0.06).contains(&lowest), "{gap}: {lowest}");
        assert!((highest - lowest - 0.18).abs() < 1e-3, "{gap}: {}", highest - lowest);
        let energy = solver.elastic_energy(&world);
        // A hundredth of what the fall brings.
        assert!(energy < 0.2, "{energy}");
    }
}

#[test]
fn shrinking_steps_come_to_the_explicit_answer() {
    // A disc that was stretched rings; ten periods of a cell's wave.
    let ring = |settings: MpmSettings, dt: f64| {
        let mut world = ball::<2>(0.1, 0.02);
        world.materials[0] = stiff(1e5);
        for (x, v) in world.particles.position.iter().zip(&mut world.particles.velocity) {
            *v = Vect::from([4.0 * x[0], -4.0 * x[1]]);
        }
        march(&mut world, settings, (dt, 0.016));
        world.particles.position
    };
    let exact = ring(explicit(), 1e-5);
    let error = |dt: f64| {
        let found = ring(implicit(), dt);
        let sum: f64 = found.iter().zip(&exact).map(|(a, b)| (a - b).norm_squared()).sum();
        (sum / exact.len() as f64).sqrt()
    };
    let errors = [2e-4, 1e-4, 5e-5].map(error);
    // Backward Euler is of first order.
    assert!(errors[1] < 0.65 * errors[0] && errors[2] < 0.65 * errors[1], "{errors:?}");
    assert!(errors[2] < 0.02 * 0.02, "{errors:?}");
}

#[test]
fn a_free_body_keeps_its_momenta() {
    let mut world = ball::<3>(0.1, 0.025);
    for (x, v) in world.particles.position.iter().zip(&mut world.particles.velocity) {
        *v = Vect::from([-5.0 * x[1], 0.3 + 5.0 * x[0], 0.0]);
    }
    let before = Totals::of(&world);
    march(&mut world, implicit(), (2e-3, 0.04));
    let after = Totals::of(&world);
    // Solves end at a thousandth of the forces; what they leave sums to nothing only if it is balanced.
    let drift = (after.momentum - before.momentum).norm() / before.momentum.norm();
    assert!(drift < 1e-9, "{drift:e}");
}

/// A column of sand, 8 by 16 cells, beside nothing.
fn column() -> World<2> {
    let spacing = 0.0125;
    let mut world = World::empty();
    world.materials.push(material("sand"));
    let points: Vec<Vect<2>> =
        lattice::<2>(0.2, spacing, |x| x[0].abs() < 0.1).iter().map(|x| x + Vect::from([0.0, 0.2])).collect();
    world.add_body("column", &points, spacing, 0);
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -GRAVITY, 0.0)));
    world.colliders.push(floor(0.5));
    world
}

#[test]
fn sand_falls_apart_as_with_explicit_steps() {
    let shape = |settings: MpmSettings, dt: f64| {
        let mut world = column();
        march(&mut world, settings, (dt, 0.5));
        let mean = |f: &dyn Fn(&Vect<2>) -> f64| {
            world.particles.position.iter().map(f).sum::<f64>() / world.particles.len() as f64
        };
        (mean(&|x| x[0].abs()), mean(&|x| x[1]))
    };
    let (wide, high) = shape(explicit(), 1e-4);
    let (wide_implicit, high_implicit) = shape(implicit(), 1.0 / 500.0);
    assert!(wide > 0.08 && high < 0.12, "the column stands: {wide} {high}");
    assert!((wide_implicit / wide - 1.0).abs() < 0.15, "{wide_implicit} {wide}");
    // A particle's distance to the next, 12.5 mm; the column was 400 mm high.
    assert!((high_implicit - high).abs() < 0.0125, "{high_implicit} {high}");
}

#[test]
fn bits_do_not_depend_on_threads() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = column();
            march(&mut world, MpmSettings { precision: Precision::Single, ..implicit() }, (2e-3, 0.02));
            world.particles.position
        })
    };
    let alone = on(1);
    for threads in [2, 3, 8] {
        assert_eq!(alone, on(threads), "{threads} threads");
    }
}

#[test]
fn friction_holds_a_block_or_lets_it_slide() {
    for (friction, tilt) in [(0.6_f64, 0.5_f64), (0.2, 0.5)] {
        let mut world = block(1e8, 0.0);
        world.colliders[0].friction = friction;
        world.accelerations[0] =
            Acceleration::uniform(Vec3::new(GRAVITY * tilt.sin(), -GRAVITY * tilt.cos(), 0.0));
        let (dt, end) = (2e-3, 0.2);
        march(&mut world, implicit(), (dt, end));
        let speed = Totals::of(&world).momentum.x / Totals::of(&world).mass;
        let expected = (GRAVITY * (tilt.sin() - friction * tilt.cos())).max(0.0) * end;
        assert!((speed - expected).abs() < 0.03 * GRAVITY * end, "{friction}: {speed} {expected}");
    }
}

#[test]
fn water_spreads_on_the_floor() {
    // Waves cross a cell in 0.9 ms. Steps that do not balance are halved.
    let mut world = block(1e6, 0.0);
    world.materials[0] = material("water");
    let stepping = Stepping { frame_time: 0.1, dt: 4e-3, frames: 2 };
    let solver = solver(&world, implicit());
    let mut simulation = Simulation::new(world, solver, stepping);
    while !simulation.is_finished() {
        simulation.step().unwrap();
    }
    let position = &simulation.world().particles.position;
    let spread = position.iter().map(|x| x[0].abs()).fold(0.0, f64::max);
    let lowest = position.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    assert!(spread > 0.15 && lowest > -0.01, "{spread} {lowest}");
    assert!(simulation.steps() < 200, "{} steps, explicit ones are 450", simulation.steps());
}

#[test]
fn a_held_end_carries_a_stiff_beam() {
    // A beam of eight by two cells, held at its left end; its own weight bends it by 0.1 mm.
    let mut world = World::<2>::empty();
    world.materials.push(stiff(1e9));
    let points = lattice::<2>(0.16, 0.02, |x| x[1].abs() < 0.04);
    world.add_body("beam", &points, 0.02, 0);
    let particles: Vec<u32> = (0u32..).zip(&points).filter(|(_, x)| x[0] < -0.1).map(|(i, _)| i).collect();
    let initial = particles.iter().map(|&i| points[i as usize]).collect();
    world.pins.push(pliant_world::Pin { particles, initial, motion: pliant_world::Motion::Static });
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -GRAVITY, 0.0)));
    march(&mut world, implicit(), (1.0 / 120.0, 0.25));
    let sag = points.iter().zip(&world.particles.position).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
    assert!(sag < 1e-3, "{sag}");
}
