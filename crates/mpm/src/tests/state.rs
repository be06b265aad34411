//! Checkpoints, threads, and matter that appears later.

use super::*;

#[test]
fn bits_do_not_depend_on_threads_or_on_a_resume() {
    let stepping = Stepping { frame_time: 0.02, dt: 2e-3, frames: 5 };
    let simulate = |threads: usize, resume: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let fresh = || {
                let world = mixed_scene();
                let solver = solver(&world, MpmSettings::default());
                Simulation::new(world, solver, stepping)
            };
            let mut simulation = fresh();
            while !simulation.is_finished() {
                simulation.step().unwrap();
                if resume && simulation.steps().is_multiple_of(97) {
                    let bytes = simulation.save();
                    simulation = fresh();
                    simulation.restore(&bytes).unwrap();
                }
            }
            simulation.save()
        })
    };
    let alone = simulate(1, false);
    for (threads, resume) in [(2, false), (3, true), (8, false)] {
        assert!(alone == simulate(threads, resume), "{threads} threads, resume: {resume}");
    }
}

#[test]
fn a_malformed_state_is_refused() {
    let world = mixed_scene();
    let mut solver = solver(&world, MpmSettings::default());
    let bytes = solver.save();
    assert!(solver.restore(&world, &bytes).is_ok());
    let mut random = Random(7);
    for _ in 0..200 {
        let mut broken = bytes.clone();
        let at = ((random.number() * 0.5 + 0.5) * (broken.len() - 1) as f64) as usize;
        broken[at] ^= 0x55;
        let _ = solver.restore(&world, &broken);
        let _ = solver.restore(&world, &bytes[..at]);
    }
}

#[test]
fn a_particle_takes_the_memory_that_is_written_down() {
    let bytes = [size_of::<Pack<f32, 2>>(), size_of::<Pack<f32, 3>>()].map(|bytes| bytes / registers::LANES);
    assert_eq!(bytes, [100, 160]);
}

/// A ball from the start, and one that falls on it from 0.03 s on.
fn two_balls(second: bool) -> World<2> {
    let mut world = ball::<2>(0.1, 0.02);
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
    if second {
        let above: Vec<_> = world.particles.position.iter().map(|x| x + Vect::from([0.03, 0.21])).collect();
        for i in world.add_body("late", &above, 0.02, 0) {
            world.particles.birth.resize(i, 0.0);
            world.particles.birth.push(0.03);
            world.particles.velocity[i] = Vect::from([0.0, -2.0]);
        }
    }
    world
}

fn simulate(world: World<2>, frames: u32) -> Simulation<2> {
    let solver = solver(&world, MpmSettings::default());
    Simulation::new(world, solver, Stepping { frame_time: 0.01, dt: 0.01, frames })
}

fn run_to_frame(simulation: &mut Simulation<2>, frame: u32) {
    while simulation.clock().frame() < frame {
        simulation.step().unwrap();
    }
}

#[test]
fn matter_that_has_yet_to_appear_touches_nothing_and_weighs_nothing() {
    let (mut with, mut without) = (simulate(two_balls(true), 6), simulate(two_balls(false), 6));
    let one = without.snapshot();
    for frame in 0..=2 {
        run_to_frame(&mut with, frame);
        run_to_frame(&mut without, frame);
        let (a, b) = (with.snapshot(), without.snapshot());
        assert_eq!((a.fields, a.quantities), (b.fields, b.quantities), "frame {frame}");
    }
    run_to_frame(&mut with, 3);
    let both = with.snapshot();
    assert_eq!(both.positions().len(), 2 * one.positions().len());
    let mass = both.quantity("mass").unwrap() / one.quantity("mass").unwrap();
    assert!((mass - 2.0).abs() < 1e-12, "{mass}");
    run_to_frame(&mut with, 6);
    run_to_frame(&mut without, 6);
    assert!(
        with.snapshot().quantity("momentum_y").unwrap() < without.snapshot().quantity("momentum_y").unwrap()
    );
    let pushed = |simulation: &mut Simulation<2>| simulation.snapshot().positions()[0][1];
    assert!(pushed(&mut with) < pushed(&mut without) - 1e-3, "the second ball hits the first");
}

#[test]
fn births_survive_a_checkpoint_before_and_after_them() {
    let mut whole = simulate(two_balls(true), 6);
    run_to_frame(&mut whole, 6);
    for steps in [1, 4, 9] {
        let mut first = simulate(two_balls(true), 6);
        (0..steps).for_each(|_| drop(first.step().unwrap()));
        let mut second = simulate(two_balls(true), 6);
        second.restore(&first.save()).unwrap();
        run_to_frame(&mut second, 6);
        assert_eq!(whole.snapshot(), second.snapshot(), "after {steps} steps");
    }
}
