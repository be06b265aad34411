//! Every reader of files that people may hand to the program, as a function of any bytes. It returns where a reader ends
//! with a result or a clear error, and panics where it does not. `tools/fuzz` and [`mutation`](crate::mutation) call them.

use std::cell::RefCell;
use std::path::Path;

use pliant_expression::{Expression, Input};
use pliant_geometry::mesh::{MeshReport, TriangleMesh};
use pliant_geometry::{Shape, mesh};
use pliant_math::Vec3;
use pliant_scene::Scene;
use pliant_solver::AnySimulation;
use pliant_store::journal::Journal;
use pliant_store::scene_files::SceneHash;
use pliant_store::{checkpoint, frame};

/// A reader and the folder of its kept inputs.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Name of its fuzz target and of the folder.
    pub name: &'static str,
    /// Reads any bytes.
    pub read: fn(&[u8]),
}

/// All readers.
pub const READERS: [Reader; 8] = [
    Reader { name: "checkpoint", read: checkpoint },
    Reader { name: "expression", read: expression },
    Reader { name: "gltf", read: gltf },
    Reader { name: "journal", read: journal },
    Reader { name: "obj", read: obj },
    Reader { name: "ply", read: ply },
    Reader { name: "scene", read: scene },
    Reader { name: "stl", read: stl },
];

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

/// Bytes as a checkpoint, as a frame, and, behind the checksums, as the state of a simulation.
pub fn checkpoint(bytes: &[u8]) {
    let (path, hash) = (Path::new("fuzz"), SceneHash([0; 32]));
    let _ = checkpoint::decode(path, bytes, &hash);
    let _ = frame::decode(path, bytes, &hash);
    SIMULATION.with_borrow_mut(|simulation| drop(simulation.restore(bytes)));
}

/// Text as an expression: compiled and evaluated, one value at a time and in a batch with the same bits, or a clear
/// error.
pub fn expression(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let inputs = [0.25, -1.5, 3e3, 0.1];
    match Expression::compile(text, &["x", "y", "z", "t"]) {
        Ok(expression) => {
            let one = expression.evaluate(&inputs);
            let mut many = [0.0; 3];
            expression.evaluate_batch(&inputs.map(Input::Same), &mut many);
            for value in many {
                assert!(value.to_bits() == one.to_bits() || value.is_nan() && one.is_nan());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Text as a scene file: a checked scene or a clear error. Nothing is built: sizes are checked before that.
pub fn scene(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(error) = Scene::from_text(text, Path::new("no-such-folder"), &[]) {
        assert!(!error.to_string().is_empty());
    }
}

/// Bytes as a journal: its lines are good or counted as damaged.
pub fn journal(bytes: &[u8]) {
    let journal = Journal::parse(bytes);
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
    assert!(journal.frames().len() + journal.checkpoints().len() + journal.damaged_lines().len() <= lines);
}

/// Bytes as a `.gltf` file: a mesh and distances to it, or a clear error.
pub fn gltf(bytes: &[u8]) {
    if let Some((triangles, report)) = mesh_of(bytes, "fuzz.gltf")
        && let Ok(shape) = Shape::mesh(triangles, &report)
    {
        let _ = shape.distance(&Vec3::zeros());
    }
}

/// Bytes as a `.obj` file.
pub fn obj(bytes: &[u8]) {
    mesh_of(bytes, "fuzz.obj");
}

/// Bytes as a `.ply` file.
pub fn ply(bytes: &[u8]) {
    mesh_of(bytes, "fuzz.ply");
}

/// Bytes as a `.stl` file.
pub fn stl(bytes: &[u8]) {
    mesh_of(bytes, "fuzz.stl");
}

/// A mesh that was checked and mended, or a clear error.
fn mesh_of(bytes: &[u8], name: &str) -> Option<(TriangleMesh, MeshReport)> {
    let nowhere = Path::new("no-such-folder");
    match mesh::parse(bytes, &nowhere.join(name), nowhere) {
        Ok(found) => Some(found),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}
