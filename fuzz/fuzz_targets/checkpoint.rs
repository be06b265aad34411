//! Any bytes as a checkpoint, as a frame, and, behind the checksums, as the state of a simulation.

#![no_main]

use std::cell::RefCell;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use pliant_scene::Scene;
use pliant_solver::AnySimulation;
use pliant_store::scene_files::SceneHash;
use pliant_store::{checkpoint, frame};

/// Four particles in the plane.
const SCENE: &str = "pliant = 1\ndimension = 2\nspacing = 1\nmaterials.a.preset = \"clay\"\n\
                     objects = [{ material = \"a\", shape.box.size = [2, 2] }]\n";

fn simulation() -> Box<dyn AnySimulation> {
    let scene = Scene::from_text(SCENE, Path::new("."), &[]).expect("the scene is right");
    scene.simulation().expect("the scene can be built")
}

thread_local! {
    static SIMULATION: RefCell<Box<dyn AnySimulation>> = RefCell::new(simulation());
}

fuzz_target!(|bytes: &[u8]| {
    let (path, hash) = (Path::new("fuzz"), SceneHash([0; 32]));
    let _ = checkpoint::decode(path, bytes, &hash);
    let _ = frame::decode(path, bytes, &hash);
    SIMULATION.with_borrow_mut(|simulation| drop(simulation.restore(bytes)));
});
