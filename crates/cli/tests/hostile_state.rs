//! Checkpoints and manifests that mean harm: refused with one clear error, or passed over for an older good one.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use std::fs;
use std::path::Path;

use common::answer::{Answer, ask, complaint, report};
use common::{elastic, folder, pliant, write_scene};

/// A run stopped at frame 2, copied for each attack.
struct Stopped {
    home: tempfile::TempDir,
}

impl Stopped {
    fn new() -> Self {
        let home = folder();
        write_scene(home.path(), "cube.toml", &elastic());
        let arguments = ["run", "cube.toml", "--out", "run", "--no-render", "--frames", "2"];
        pliant(home.path()).args(arguments).assert().success();
        Self { home }
    }

    /// Changes every checkpoint.
    fn attack(&self, change: impl Fn(&Path)) {
        for entry in fs::read_dir(self.home.path().join("run/checkpoints")).unwrap() {
            change(&entry.unwrap().path());
        }
    }

    fn resume(&self) -> Answer {
        ask(self.home.path(), &["resume", "run", "--no-render"])
    }
}

fn overwrite(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn hostile_checkpoints_are_refused() {
    type Attack = fn(&mut Vec<u8>);
    let attacks: [(&str, Attack); 6] = [
        ("truncated", |bytes| bytes.truncate(bytes.len() / 2)),
        ("empty", Vec::clear),
        ("flipped bit", |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
        }),
        ("flipped first byte", |bytes| bytes[0] ^= 1),
        ("longer", |bytes| bytes.extend([0; 100])),
        ("zeros", |bytes| bytes.fill(0)),
    ];
    let mut complaints = Vec::new();
    for (what, attack) in attacks {
        let stopped = Stopped::new();
        stopped.attack(|path| overwrite(path, attack));
        complaints.extend(complaint(what, &stopped.resume(), &["run", "checkpoint"]));
    }
    report(&complaints);
}

#[test]
fn a_damaged_newest_checkpoint_is_passed_over() {
    let stopped = Stopped::new();
    let mut files: Vec<_> = fs::read_dir(stopped.home.path().join("run/checkpoints"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 3);
    overwrite(files.last().unwrap(), |bytes| bytes.truncate(100));
    let answer = stopped.resume();
    assert_eq!(answer.code, Some(0), "{}", answer.message);
    assert!(answer.message.starts_with("warning: ") && answer.message.contains("passed over"));
    write_scene(stopped.home.path(), "cube.toml", &elastic());
    pliant(stopped.home.path())
        .args(["run", "cube.toml", "--no-render", "--out", "whole"])
        .assert()
        .success();
    let hash = |run: &str| common::state_hash(stopped.home.path(), run);
    assert_eq!(hash("run"), hash("whole"));
}

#[test]
fn state_of_another_scene_or_a_newer_program_is_refused() {
    let mut complaints = Vec::new();

    let (stopped, other) = (Stopped::new(), folder());
    let text = elastic().replace("50 kPa", "60 kPa");
    write_scene(other.path(), "cube.toml", &text);
    let arguments = ["run", "cube.toml", "--out", "run", "--no-render", "--frames", "2"];
    pliant(other.path()).args(arguments).assert().success();
    for entry in fs::read_dir(other.path().join("run/checkpoints")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), stopped.home.path().join("run/checkpoints").join(entry.file_name())).unwrap();
    }
    complaints.extend(complaint("checkpoints of another scene", &stopped.resume(), &["another scene"]));

    let stopped = Stopped::new();
    overwrite(&stopped.home.path().join("run/scene.toml"), |bytes| bytes.extend(b"\n# changed\n"));
    complaints.extend(complaint("edited scene", &stopped.resume(), &["scene.toml", "another scene"]));

    let stopped = Stopped::new();
    overwrite(&stopped.home.path().join("run/manifest.json"), |bytes| {
        *bytes = String::from_utf8_lossy(bytes).replace("\"format\": 1", "\"format\": 99").into_bytes();
    });
    complaints.extend(complaint("newer program", &stopped.resume(), &["manifest.json", "99"]));

    let stopped = Stopped::new();
    fs::write(stopped.home.path().join("run/manifest.json"), "{").unwrap();
    complaints.extend(complaint("damaged manifest", &stopped.resume(), &["manifest.json"]));

    let stopped = Stopped::new();
    fs::remove_file(stopped.home.path().join("run/scene.toml")).unwrap();
    let answer = stopped.resume();
    assert_eq!(answer.code, Some(4), "{}", answer.message);
    report(&complaints);
}
