//! Steps by their error: long where motion is smooth, short where it is not.

use crate::common::{lattice, material, moved, with_gravity, with_ground, world_of};
use pliant_math::Vec3;
use pliant_solver::{AnySimulation, Simulation, Stepping};
use pliant_zhou::{Zhou2013, Zhou2013Settings};

const D: f64 = 0.02;
const FRAME: f64 = 0.05;

/// A cube that falls by 0.2 m and comes to rest, for 1.5 s: its height after each frame [m], and the steps it took.
fn dropped(dt: f64, step_error: Option<f64>) -> (Vec<f64>, Vec<f64>) {
    let rest = moved(&lattice([5, 5, 5], D), Vec3::y() * 0.2);
    let world = with_ground(with_gravity(world_of(&rest, D, material(1e6, 0.3))), 0.5);
    let settings = Zhou2013Settings { step_error, ..Zhou2013Settings::default() };
    let solver = Zhou2013::new(&world, settings);
    let stepping = Stepping { frame_time: FRAME, dt, frames: 30 };
    let mut simulation = Simulation::new(world, Box::new(solver), stepping);
    let (mut heights, mut steps) = (Vec::new(), Vec::new());
    while !simulation.is_finished() {
        let status = simulation.step().expect("the cube falls and rests");
        steps.push(status.dt);
        if status.completed_frame.is_some() {
            let x = &simulation.world().particles.position;
            heights.push(x.iter().map(|x| x.y).sum::<f64>() / x.len() as f64);
        }
    }
    (heights, steps)
}

#[test]
fn adaptive_steps_are_few_and_follow_short_ones() {
    let (fine, many) = dropped(1e-3, None);
    let (found, steps) = dropped(FRAME, Some(0.1));
    assert!(4 * steps.len() < many.len(), "{} steps instead of {}", steps.len(), many.len());
    // In free fall, which BDF2 follows exactly but for its first step, and at rest.
    for frame in [1, 2, 27, 28, 29] {
        let apart = (found[frame] - fine[frame]).abs();
        assert!(apart < 0.25 * D, "frame {frame}: {} m instead of {}", found[frame], fine[frame]);
    }
    let (shortest, longest) =
        steps.iter().fold((f64::MAX, 0.0_f64), |(low, high), &dt| (low.min(dt), high.max(dt)));
    assert!(longest > 5.0 * shortest, "steps from {shortest} s to {longest} s");
}
