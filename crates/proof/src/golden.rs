//! R14: a run folder of an earlier build still reads, draws and goes on; one of a later version is refused by name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::lab::copy_folder;
use crate::scenes::Case;
use crate::{Answer, Lab, Report, Room};

/// Folders of stopped runs, one for each version of the formats.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

/// The version whose folder is written anew on demand.
const CURRENT: &str = "format-1";

/// A disc of a few dozen particles that hits the ground: small enough to be kept for ever.
const SCENE: &str = r#"pliant = 1
dimension = 2
title = "Golden"
spacing = "10 cm"
[time]
duration = "0.2 s"
fps = 20
dt = "10 ms"
[render]
width = 64
height = 48
[materials.clay]
preset = "clay"
[[objects]]
material = "clay"
shape.ball.radius = "25 cm"
position = [0, 0.3]
velocity = [0.5, -3]
[[colliders]]
shape.half_space = {}
"#;

/// Makes the folder of the current formats anew.
///
/// # Errors
/// When the program cannot be started or the folder not be written.
pub fn write(lab: &Lab) -> io::Result<()> {
    let room = lab.room()?;
    let case = Case::of_text("golden", SCENE.to_owned(), 0.2);
    let answer = room.simulate(&case, "run", &["--frames", "2", "--threads", "1"])?;
    if !answer.is_success() {
        return Err(io::Error::other(answer.describe()));
    }
    let target = kept().join(CURRENT);
    fs::remove_dir_all(&target).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    copy_folder(&room.path().join("run"), &target)
}

/// Reads, draws and resumes every kept folder, and offers each as one of a later version.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab) -> io::Result<Report> {
    let mut report = Report::new("R14", "golden");
    let mut folders: Vec<PathBuf> = fs::read_dir(kept())?.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    report.expect(!folders.is_empty(), || "no folder is kept".to_owned());
    for folder in &folders {
        let room = lab.room()?;
        copy_folder(folder, &room.path().join("run"))?;
        goes_on(&room, &mut report)?;
        let room = lab.room()?;
        copy_folder(folder, &room.path().join("run"))?;
        make_later(&room.path().join("run/manifest.json"))?;
        refused(&room.ask(&["resume", "run", "--no-render", "--quiet"])?, "manifest", &mut report);
    }
    let room = lab.room()?;
    room.write("later.toml", SCENE.replacen("pliant = 1", "pliant = 99", 1))?;
    refused(&room.ask(&["check", "later.toml"])?, "scene", &mut report);
    report.summary = format!(
        "{} kept run folders read, drawn and resumed; a manifest and a scene of a later version refused by name",
        folders.len()
    );
    report.figure("folders", folders.len());
    Ok(report)
}

fn goes_on(room: &Room, report: &mut Report) -> io::Result<()> {
    let before = room.view("run").committed();
    for arguments in [
        vec!["info", "run", "--json"],
        vec!["render", "run", "--frames", "1-1", "--out", "drawn", "--quiet"],
        vec!["resume", "run", "--no-render", "--quiet"],
    ] {
        let answer = room.ask(&arguments)?;
        report.expect(answer.is_success(), || format!("{}: {}", arguments[0], answer.describe()));
    }
    let after = room.view("run").committed();
    let is_longer = before.len() == 3 && after.len() == 5 && after.starts_with(&before);
    report.expect(is_longer, || format!("{} frames became {}", before.len(), after.len()));
    let drawn =
        room.view("drawn").files().iter().filter(|path| path.extension().is_some_and(|e| e == "png")).count();
    report.expect(drawn > 0, || "no picture was drawn".to_owned());
    Ok(())
}

/// Notes a failure unless version 99 was refused by its number.
fn refused(answer: &Answer, what: &str, report: &mut Report) {
    let is_refused = answer.is_clear_error(&[2]) && answer.stderr.contains("99");
    report.expect(is_refused, || format!("a later {what}: {}", answer.describe()));
}

/// Makes a manifest one of version 99.
fn make_later(path: &Path) -> io::Result<()> {
    let mut manifest: Value = serde_json::from_slice(&fs::read(path)?)?;
    manifest["format"] = 99.into();
    fs::write(path, manifest.to_string())
}
