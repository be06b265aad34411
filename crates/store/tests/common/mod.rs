//! What the tests of run folders share.
#![allow(dead_code, reason = "each test file uses its own part")]

use pliant_store::{CheckpointMeta, Existing, Manifest, RunFolder, RunWriter, SceneFiles};
use pliant_world::snapshot::{Column, Field, Snapshot};
use std::path::Path;

/// A small generator with a fixed seed, so that failures repeat.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }
}

/// A snapshot with one column of each type.
pub fn snapshot(frame: u32, particles: u32) -> Snapshot {
    let number = |i: u32, k: u32| (i * 7 + k + frame) as f32 * 0.125 - 3.0;
    let range = || 0..particles;
    let field = |name: &str, column| Field { name: name.into(), column };
    Snapshot {
        frame,
        step: u64::from(frame) * 10,
        time: f64::from(frame) / 24.0,
        state_hash: format!("{frame:064x}"),
        quantities: vec![("kinetic_energy".into(), 0.1 + f64::from(frame)), ("dt".into(), 1.0 / 3.0)],
        fields: vec![
            field(
                "position",
                Column::Vector(range().map(|i| [number(i, 0), number(i, 1), number(i, 2)]).collect()),
            ),
            field("id", Column::Integer(range().collect())),
            field("radius", Column::Scalar(range().map(|i| number(i, 3)).collect())),
            field(
                "F",
                Column::Tensor(range().map(|i| std::array::from_fn(|k| number(i, k as u32))).collect()),
            ),
        ],
    }
}

pub fn scene() -> SceneFiles {
    SceneFiles::new("title = \"drop\"\n").with_asset("meshes/duck.obj", "v 0 0 0\n")
}

pub fn new_run(folder: &Path) -> RunWriter {
    RunFolder::create(folder, &scene(), Manifest::new("drop", 1, 2), Existing::Keep).unwrap()
}

pub fn meta(frame: u32) -> CheckpointMeta {
    CheckpointMeta { step: u64::from(frame) * 10, frame, time: f64::from(frame) / 24.0 }
}

/// All files below a folder, by path relative to it.
pub fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(next).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                pending.push(entry.path());
            } else {
                found.push(entry.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}
