//! The simulation on its thread, as the window sees it.

use super::{Command, Pace, Phase, Worker};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SCENE: &str = "pliant = 1\ndimension = 2\nspacing = 0.05\n[method.mpm]\n[time]\nduration = \"0.2 s\"\n\
                     [materials.jelly]\npreset = \"jello\"\n[[objects]]\nmaterial = \"jelly\"\n\
                     shape.ball.radius = 0.2\n";

fn scene(text: &str) -> Arc<pliant_scene::Scene> {
    Arc::new(pliant_scene::Scene::from_text(text, Path::new("."), &[]).unwrap())
}

fn wait(worker: &Worker, is_there: impl Fn(&Worker) -> bool) {
    let start = Instant::now();
    while !is_there(worker) {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", worker.phase());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_scene_plays_to_its_end() {
    let worker = Worker::start(|| {});
    worker.send(Command::Load(scene(SCENE)));
    worker.send(Command::Step);
    wait(&worker, |worker| worker.shown().snapshot.step == 1);
    worker.send(Command::Frame);
    wait(&worker, |worker| worker.shown().snapshot.frame == 1);
    worker.send(Command::Play);
    wait(&worker, |worker| worker.phase() == Phase::Finished);
    let shown = worker.shown();
    assert_eq!(shown.snapshot.frame, 6);
    assert!(shown.effort.stages.iter().any(|(_, seconds)| *seconds > 0.0));
    worker.send(Command::Reset);
    wait(&worker, |worker| worker.shown().snapshot.step == 0 && worker.phase() == Phase::Paused);
}

/// Goes through one step stage by stage; returns the names of its stages and the hash of the state after it.
fn staged(text: &str) -> (Vec<&'static str>, String) {
    let worker = Worker::start(|| {});
    worker.send(Command::Load(scene(text)));
    wait(&worker, |worker| worker.phase() == Phase::Paused);
    let mut names = Vec::new();
    for _ in 0..40 {
        let number = worker.shown().number;
        worker.send(Command::Stage);
        wait(&worker, |worker| worker.shown().number > number && worker.phase() == Phase::Paused);
        let shown = worker.shown();
        let stage = shown.stage.clone().unwrap();
        names.push(stage.name);
        assert_eq!(stage.before.step, 0);
        if stage.is_last {
            assert_eq!(shown.snapshot.step, 1);
            return (names, shown.snapshot.state_hash.clone());
        }
        assert_eq!(shown.snapshot.step, 0, "the step is not over after {}", stage.name);
        assert_eq!(stage.nodes.is_some(), text.contains("mpm"), "a grid after {}", stage.name);
    }
    panic!("the step does not end: {names:?}");
}

/// The hash after one step as a whole.
fn whole(text: &str) -> String {
    let mut simulation = scene(text).simulation().unwrap();
    simulation.step().unwrap();
    simulation.snapshot().state_hash
}

#[test]
fn a_step_of_the_point_method_is_taken_stage_by_stage_to_the_same_bits() {
    let (names, hash) = staged(SCENE);
    assert_eq!(names, ["particles to grid", "grid", "grid to particles"]);
    assert_eq!(hash, whole(SCENE));
}

#[test]
fn a_step_of_zhou_is_taken_stage_by_stage_to_the_same_bits() {
    let text = SCENE.replace("[method.mpm]\n", "[method.zhou2013]\n").replace("jello", "rubber");
    let (names, hash) = staged(&text);
    assert_eq!(names[..4], ["predict", "rotations", "system", "solve"]);
    assert_eq!(names[names.len() - 2..], ["velocity", "plasticity"]);
    assert_eq!(hash, whole(&text));
}

#[test]
fn other_wishes_in_the_midst_of_a_step_end_it_first() {
    let worker = Worker::start(|| {});
    worker.send(Command::Load(scene(SCENE)));
    worker.send(Command::Stage);
    wait(&worker, |worker| worker.shown().stage.is_some());
    worker.send(Command::Step);
    wait(&worker, |worker| worker.shown().snapshot.step == 1 && worker.phase() == Phase::Paused);
    worker.send(Command::Stage);
    wait(&worker, |worker| worker.shown().stage.is_some_and(|stage| !stage.is_last));
    worker.send(Command::Reset);
    wait(&worker, |worker| worker.shown().snapshot.step == 0 && worker.shown().stage.is_none());
    worker.send(Command::Stage);
    wait(&worker, |worker| worker.shown().stage.is_some());
    worker.send(Command::Play);
    wait(&worker, |worker| worker.phase() == Phase::Finished);
}

#[test]
fn steps_wait_for_the_window() {
    let worker = Worker::start(|| {});
    worker.send(Command::Pace(Pace { steps_per_picture: Some(1), speed: None }));
    worker.send(Command::Load(scene(SCENE)));
    worker.send(Command::Play);
    wait(&worker, |worker| worker.shown().snapshot.step >= 1);
    let before = worker.shown().snapshot.step;
    std::thread::sleep(Duration::from_millis(200));
    // One picture was taken, so one more may have been made, and one step beyond it.
    assert!(worker.shown().snapshot.step <= before + 2);
}

#[test]
fn a_changed_scene_goes_on_where_the_other_stood() {
    let worker = Worker::start(|| {});
    worker.send(Command::Load(scene(SCENE)));
    worker.send(Command::Until(0.05));
    wait(&worker, |worker| worker.phase() == Phase::Paused && worker.shown().snapshot.time >= 0.05);
    let before = worker.shown().snapshot;
    worker.send(Command::Swap(scene(&format!("gravity = [0, 50]\n{SCENE}"))));
    worker.send(Command::Step);
    wait(&worker, |worker| worker.shown().snapshot.step == before.step + 1);
    let after = worker.shown().snapshot;
    assert!(after.quantity("momentum_y") > before.quantity("momentum_y"), "gravity points up now");
    worker.send(Command::Swap(scene(&SCENE.replace("0.05", "0.04"))));
    wait(&worker, |worker| matches!(worker.phase(), Phase::Failed(_)));
}
