//! The real binary, small scenes, and a look into what a run leaves behind.
#![allow(dead_code, reason = "each test file uses some of it")]

pub mod answer;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A folder for one test.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The program, in a folder.
pub fn pliant(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    command.current_dir(folder).timeout(Duration::from_secs(60));
    command
}

/// The program as a child that can be signalled.
pub fn start(folder: &Path, arguments: &[&str]) -> Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_pliant"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Sends a signal by its name, such as `INT`.
pub fn send(child: &Child, signal: &str) {
    let text = format!("kill -{signal} {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &text]).status().unwrap().success());
}

/// Waits for a condition, a minute at most.
pub fn wait_for(what: &str, mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Writes a scene and returns its path.
pub fn write_scene(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

/// Facts of `pliant info --json`.
pub fn info(folder: &Path, run: &str) -> Value {
    let output = pliant(folder).args(["info", run, "--json"]).assert().success().get_output().stdout.clone();
    serde_json::from_slice(&output).unwrap()
}

/// The state hash of the last frame of a run.
pub fn state_hash(folder: &Path, run: &str) -> String {
    info(folder, run)["state_hash"].as_str().unwrap().to_owned()
}

/// Frames listed in the journal of a run that may be under way or dead.
pub fn committed(folder: &Path, run: &str) -> Vec<(u64, String)> {
    let text = fs::read_to_string(folder.join(run).join("journal.jsonl")).unwrap_or_default();
    let entries = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    entries
        .filter(|entry| entry["kind"] == "frame")
        .map(|entry| (entry["frame"].as_u64().unwrap(), entry["state_hash"].as_str().unwrap().to_owned()))
        .collect()
}

/// What all small scenes share: five frames, tiny pictures, checkpoints at every step.
const HEAD: &str = r#"pliant = 1
spacing = "5 cm"
[time]
duration = "0.1 s"
fps = 50
dt = "4 ms"
[render]
width = 64
height = 48
[output]
checkpoint_interval = "1 us"
"#;

/// An elastic cube of 216 particles falls on the floor.
pub fn elastic() -> String {
    format!(
        r#"{HEAD}formats = ["vtp"]
[materials.soft]
young = "50 kPa"
[[objects]]
name = "cube"
material = "soft"
shape.box.size = [0.3, 0.3, 0.3]
position = [0, 0.16, 0]
velocity = [0.5, -2, 0]
[[colliders]]
shape.half_space = {{}}
"#
    )
}

/// A ball of clay hits the floor.
pub fn plastic() -> String {
    format!(
        r#"{HEAD}[materials.clay]
preset = "clay"
[[objects]]
material = "clay"
shape.ball.radius = "15 cm"
position = [0, 0.16, 0]
velocity = [1, -6, 0]
[[colliders]]
shape.half_space = {{}}
"#
    )
}

/// Two bodies of different stiffness collide.
pub fn two_bodies() -> String {
    format!(
        r#"{HEAD}[materials.soft]
young = "50 kPa"
[materials.stiff]
preset = "rubber"
[[objects]]
material = "soft"
shape.box.size = [0.25, 0.25, 0.25]
position = [-0.15, 0, 0]
velocity = [3, 0, 0]
[[objects]]
material = "stiff"
shape.ball.radius = "13 cm"
position = [0.17, 0.02, 0]
sampler.jittered = {{ amount = 0.2 }}
"#
    )
}

/// A bar, pinned at one end, is pushed by a moving and turning collider.
pub fn pushed_bar() -> String {
    format!(
        r#"{HEAD}[materials.rubber]
preset = "rubber"
[[objects]]
material = "rubber"
shape.box.size = [0.5, 0.2, 0.2]
[[objects.pins]]
region = {{ shape.box.size = [0.06, 0.4, 0.4], position = [-0.25, 0, 0] }}
[[colliders]]
shape.box.size = [0.1, 0.1, 0.5]
position = [0.2, 0.17, 0]
motion.linear.velocity = [0, -1, 0]
[[colliders]]
shape.box.size = [0.3, 0.02, 0.3]
position = [0.1, -0.16, 0]
motion.rotating = {{ rate = "90 deg/s" }}
"#
    )
}

/// A disc falls on a slope in the plane.
pub fn plane() -> String {
    format!(
        r#"dimension = 2
{HEAD}[materials.soft]
young = "30 kPa"
[[objects]]
material = "soft"
shape.ball.radius = "40 cm"
position = [0, 0.42]
velocity = [0, -2]
[[colliders]]
shape.half_space.normal = [0.2, 1]
"#
    )
}
