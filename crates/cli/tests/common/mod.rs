//! The real binary, small scenes, and a look into what a run leaves behind.
#![allow(dead_code, unused_imports, reason = "each test file uses some of it")]

pub mod answer;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
pub use pliant_proof::scenes::elastic;
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
