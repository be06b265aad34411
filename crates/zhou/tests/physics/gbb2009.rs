//! The baseline: what it keeps, what it loses, and when it becomes unstable.

use crate::common::{
    self, lattice, material, moved, plastic, rigid_fit, shape_error, size, with_gravity, with_ground,
    world_of,
};
use pliant_material::Material;
use pliant_math::{Random, Vec3};
use pliant_solver::{AnySimulation, Care, Simulation, Solver, Span, StepError, Stepping, Totals};
use pliant_world::{Motion, Pin, World};
use pliant_zhou::gbb2009::Neighbours;
use pliant_zhou::{Gbb2009, Gbb2009Settings};

const D: f64 = 0.02;

/// Steps of fixed length.
struct Run {
    world: World<3>,
    solver: Gbb2009<3>,
    time: f64,
}

impl Run {
    fn new(world: World<3>, settings: Gbb2009Settings) -> Self {
        let solver = Gbb2009::new(&world, settings);
        Self { world, solver, time: 0.0 }
    }

    fn try_step(&mut self, dt: f64) -> Result<(), StepError> {
        let span = Span { time: self.time, dt, care: Care::Strict };
        self.solver.step(&mut self.world, span)?;
        self.time += dt;
        Ok(())
    }

    fn steps(&mut self, count: usize, dt: f64) {
        for _ in 0..count {
            self.try_step(dt).expect("the step is taken");
        }
    }

    fn energy(&self) -> f64 {
        Totals::of(&self.world).kinetic_energy + self.solver.elastic_energy(&self.world)
    }
}

/// A free cube of 6³ particles with small random velocities [m/s].
fn humming(young: f64, speed: f64) -> World<3> {
    let mut world = world_of(&lattice([6, 6, 6], D), D, material(young, 0.3));
    let mut random = Random(2);
    world.particles.velocity.iter_mut().for_each(|v| *v = random.vector() * speed);
    world
}

#[test]
fn free_flight_keeps_momentum_and_angular_momentum() {
    let mut world = humming(1e5, 0.5);
    world.particles.velocity.iter_mut().for_each(|v| *v += Vec3::new(3.0, -1.0, 2.0));
    let mut run =
        Run::new(world, Gbb2009Settings { viscosity: 0.1, pressure: 1e4, ..Gbb2009Settings::default() });
    let before = Totals::of(&run.world);
    run.steps(50, 2e-3);
    let after = Totals::of(&run.world);
    let momentum = (after.momentum - before.momentum).norm() / before.momentum.norm();
    let spin = (after.angular_momentum - before.angular_momentum).norm() / before.angular_momentum.norm();
    assert!(momentum < 1e-12, "{momentum:e}");
    assert!(spin < 1e-11, "{spin:e}");
}

#[test]
fn a_free_cube_goes_on_spinning() {
    let rest = lattice([6, 6, 6], D);
    let mut world = world_of(&rest, D, material(1e6, 0.3));
    let center = Totals::of(&world).center;
    let omega = Vec3::y() * (4.0 * std::f64::consts::PI);
    for (v, x) in world.particles.velocity.iter_mut().zip(&rest) {
        *v = omega.cross(&(x - center));
    }
    let before = Totals::of(&world).kinetic_energy;
    let mut run = Run::new(world, Gbb2009Settings::default());
    run.steps(250, 2e-3); // one turn
    let kept = Totals::of(&run.world).kinetic_energy / before;
    assert!((kept - 1.0).abs() < 0.02, "{kept}");
    let (rms, _) = shape_error(&rest, &run.world.particles.position);
    assert!(rms < 0.1 * D, "{} d", rms / D);
}

/// Energy after 400 sub-steps of a share of the critical length, over that at the start; infinite if refused.
fn growth(share: f64, neighbours: Neighbours) -> f64 {
    let world = humming(1e6, 1e-4);
    let mut settings = Gbb2009Settings { neighbours, ..Gbb2009Settings::default() };
    let dt = share * settings.resistance::<3>().critical_step(&world);
    settings.substep = Some(dt);
    let mut run = Run::new(world, settings);
    let before = run.energy();
    for _ in 0..400 {
        if run.try_step(dt).is_err() {
            return f64::INFINITY;
        }
    }
    run.energy() / before
}

#[test]
fn steps_below_the_limit_are_stable_and_above_it_are_not() {
    for neighbours in [Neighbours::Within(2.5), Neighbours::Within(3.5)] {
        let (below, above) = (growth(0.9, neighbours), growth(1.3, neighbours));
        assert!(below < 2.0, "{neighbours:?}: energy grows {below} times at 0.9 of the limit");
        assert!(above > 1e3, "{neighbours:?}: energy grows only {above} times at 1.3 of the limit");
    }
}

#[test]
fn an_explosion_is_refused_and_changes_nothing() {
    let world = humming(1e6, 0.1);
    let dt = 2.0 * Gbb2009Settings::default().resistance::<3>().critical_step(&world);
    let mut run = Run::new(world, Gbb2009Settings { substep: Some(dt), ..Gbb2009Settings::default() });
    let (cause, before) = loop {
        let before = (run.world.particles.clone(), run.solver.save());
        if let Err(cause) = run.try_step(dt) {
            break (cause, before);
        }
        assert!(run.time < 500.0 * dt, "twice the critical step explodes");
    };
    assert!(matches!(cause, StepError::Distorted { .. }), "{cause}");
    assert_eq!((run.world.particles, run.solver.save()), before);
}

/// A cube of n³ particles dropped flat.
fn dropped(n: usize, matter: Material, height: f64) -> World<3> {
    let rest = moved(&lattice([n, n, n], D), Vec3::y() * height);
    with_ground(with_gravity(world_of(&rest, D, matter)), 0.5)
}

/// What Gerszewski 2009 adds for stability.
fn with_fluid_forces() -> Gbb2009Settings {
    Gbb2009Settings { pressure: 1e6, viscosity: 10.0, ..Gbb2009Settings::default() }
}

#[test]
fn a_cube_dropped_flat_turns_and_loses_its_shape() {
    // The method of Zhou 2013 keeps both: spin_and_shape.rs, a_cube_dropped_flat_neither_drifts_nor_turns.
    let world = dropped(8, material(1e5, 0.3), 0.3);
    let rest = world.particles.position.clone();
    let substep = Some(0.7 * Gbb2009Settings::default().resistance::<3>().critical_step(&world));
    let mut run = Run::new(world, Gbb2009Settings { substep, ..Gbb2009Settings::default() });
    run.steps(500, 2e-3);
    let now = &run.world.particles.position;
    let (rotation, from, to) = rigid_fit(&rest, now);
    let angle = ((rotation.trace() - 1.0) / 2.0).clamp(-1.0, 1.0).acos().to_degrees();
    let (drift, shape) = ((to - from).xz().norm(), shape_error(&rest, now).0 / D);
    assert!(angle > 1.0 || drift > 1e-3, "{angle} degrees, {drift} m");
    assert!(shape > 0.5, "{shape} d");
}

#[test]
fn a_plastic_cube_dents_and_an_elastic_one_does_not() {
    let height = |matter: Material| {
        let world = dropped(6, matter, 0.2);
        let before = size(&world.particles.position, 1);
        let mut run = Run::new(world, with_fluid_forces());
        run.steps(200, 2e-3);
        size(&run.world.particles.position, 1) / before
    };
    let (soft, hard) = (height(plastic(1e6, 0.3, 3e3)), height(material(1e6, 0.3)));
    assert!(soft < 0.9, "{soft}");
    assert!((hard - 1.0).abs() < 0.02, "{hard}");
}

#[test]
fn the_stress_clamp_stills_small_vibrations() {
    let parting = |stress_clamp: f64| {
        let mut run =
            Run::new(humming(1e6, 1e-5), Gbb2009Settings { stress_clamp, ..Gbb2009Settings::default() });
        let before = run.world.particles.velocity.clone();
        run.steps(1, 5e-3);
        let after = &run.world.particles.velocity;
        before.iter().zip(after).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / 1e-5
    };
    assert_eq!(parting(1e-4), 0.0, "no force acts below the clamp");
    assert!(parting(0.0) > 0.1, "forces act without it: {}", parting(0.0));
}

#[test]
fn colliding_cubes_stay_apart_and_keep_momentum() {
    let mut world = world_of(&lattice([5, 5, 5], D), D, material(1e5, 0.3));
    world.add_body("other", &moved(&lattice([5, 5, 5], D), Vec3::new(5.5 * D, 0.3 * D, 0.0)), D, 0);
    for i in world.bodies[1].particles.clone() {
        world.particles.velocity[i] = Vec3::new(-1.0, 0.0, 0.0);
    }
    let mut run = Run::new(world, Gbb2009Settings::default());
    let before = Totals::of(&run.world);
    let mut nearest = f64::INFINITY;
    for _ in 0..100 {
        run.try_step(1e-3).unwrap();
        let center = |body: usize| {
            let range = run.world.bodies[body].particles.clone();
            run.world.particles.position[range].iter().map(|x| x.x).sum::<f64>() / 125.0
        };
        nearest = nearest.min(center(1) - center(0));
    }
    let after = Totals::of(&run.world);
    assert!((after.momentum - before.momentum).norm() < 1e-12 * before.momentum.norm());
    assert!(after.kinetic_energy < before.kinetic_energy);
    assert!(nearest > 3.5 * D, "they do not pass through each other: {} d", nearest / D);
    let pushed = run.world.particles.velocity[..125].iter().map(|v| v.x).sum::<f64>() / 125.0;
    assert!(pushed < -0.3, "the first cube was pushed: {pushed} m/s");
}

#[test]
fn a_pinned_layer_drags_its_cube_along_and_pushes_another() {
    let rest = lattice([5, 5, 5], D);
    let mut world = world_of(&rest, D, material(1e5, 0.3));
    world.add_body("pushed", &moved(&rest, Vec3::new(5.2 * D, 0.0, 0.0)), D, 0);
    let particles: Vec<u32> = (0u32..125).filter(|&i| rest[i as usize].x > 4.0 * D).collect();
    let initial = particles.iter().map(|&i| rest[i as usize]).collect();
    let motion = Motion::Linear { velocity: Vec3::new(0.5, 0.0, 0.0) };
    world.pins.push(Pin { particles: particles.clone(), initial, motion });
    let mut run = Run::new(world, with_fluid_forces());
    run.steps(100, 2e-3);
    let p = &run.world.particles;
    for &i in &particles {
        let error = (p.position[i as usize] - rest[i as usize] - Vec3::x() * 0.1).norm();
        assert!(error < 1e-12, "a pin holds exactly: {error:e}");
    }
    let mean = |range: std::ops::Range<usize>| p.velocity[range].iter().map(|v| v.x).sum::<f64>() / 125.0;
    assert!((mean(0..125) - 0.5).abs() < 0.1, "{}", mean(0..125));
    assert!(mean(125..250) > 0.4, "{}", mean(125..250));
}

/// The state after a drop onto the ground, with everything switched on.
fn eventful() -> Simulation<3> {
    let world = dropped(7, plastic(1e5, 0.3, 5e3), 0.01);
    let settings = Gbb2009Settings {
        neighbours: Neighbours::Nearest(40),
        pressure: 1e4,
        viscosity: 1.0,
        ..Gbb2009Settings::default()
    };
    let solver = Gbb2009::new(&world, settings);
    Simulation::new(world, Box::new(solver), Stepping { frame_time: 0.01, dt: 2e-3, frames: 8 })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = eventful();
            common::finish(&mut simulation);
            simulation.save()
        })
    };
    let alone = on(1);
    for threads in [2, 3, 8] {
        assert!(alone == on(threads), "{threads} threads");
    }
}

#[test]
fn a_saved_state_continues_with_the_same_bits() {
    let mut whole = eventful();
    for _ in 0..13 {
        whole.step().unwrap();
    }
    let bytes = whole.save();
    common::finish(&mut whole);
    let mut continued = eventful();
    continued.restore(&bytes).unwrap();
    common::finish(&mut continued);
    assert!(whole.save() == continued.save());
    assert!(continued.restore(&bytes[..bytes.len() / 2]).is_err());
}
