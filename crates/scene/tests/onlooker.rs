//! Steps that are looked at, stage by stage, end with the same bits as steps that are not.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

use pliant_scene::Scene;
use pliant_solver::{Onlooker, StageEnd};
use std::path::Path;

const BALL: &str = "pliant = 1\nspacing = 0.05\n[materials.a]\npreset = \"rubber\"\n\
                    [[objects]]\nmaterial = \"a\"\nshape.ball.radius = 0.15\nposition = [0, 0.14, 0]\nvelocity = [0, -1, 0]\n\
                    [[colliders]]\nshape.half_space = {}\n";

/// The names of the stages of each of the first steps that are seen, and the hash after them.
fn run(text: &str, is_seen: impl Fn(u64) -> bool) -> (Vec<Vec<&'static str>>, String) {
    let scene = Scene::from_text(text, Path::new("."), &[]).unwrap();
    let mut simulation = scene.simulation().unwrap();
    let mut seen = Vec::new();
    for step in 0..4 {
        if is_seen(step) {
            let mut names = Vec::new();
            let count = simulation.particle_count();
            let mut look = |end: StageEnd| {
                assert!(end.particles.iter().all(|field| field.column.len() == count), "{}", end.name);
                names.push(end.name);
            };
            simulation.step_seen(&mut Onlooker::new(&mut look)).unwrap();
            seen.push(names);
        } else {
            simulation.step().unwrap();
        }
    }
    (seen, simulation.snapshot().state_hash)
}

#[test]
fn who_looks_at_a_step_changes_no_bit_of_it() {
    let methods = [
        ("zhou2013 = {}", &["predict", "rotations", "system", "solve"][..]),
        ("mpm = {}", &["particles to grid", "grid"]),
        ("mpm = { integrator = \"implicit\" }", &["particles to grid", "grid"]),
        ("sph = {}", &["neighbours", "forces", "elasticity", "pressure"]),
        ("gbb2009 = {}", &[]),
    ];
    for (method, stages) in methods {
        let text = format!("{BALL}[method]\n{method}\n");
        let (seen, hash) = run(&text, |step| step % 2 == 1);
        assert_eq!(hash, run(&text, |_| false).1, "{method}");
        for names in seen {
            // A step that was given up and taken shorter is seen again from its start.
            assert!(stages.iter().all(|stage| names.contains(stage)), "{method}: {names:?}");
        }
    }
}
