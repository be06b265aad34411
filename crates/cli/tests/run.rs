//! What `pliant run` leaves behind and says.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use std::fs;
use std::path::Path;

use common::{elastic, folder, info, pliant, write_scene};
use serde_json::Value;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_run_leaves_frames_pictures_movie_plots_and_exports() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let output = pliant(home.path()).args(["run", "cube.toml"]).assert().success().get_output().clone();
    let run = home.path().join("runs/cube");
    for name in ["manifest.json", "journal.jsonl", "log.txt", "scene.toml", "movie.mp4"] {
        assert!(run.join(name).metadata().unwrap().len() > 0, "{name}");
    }
    for (folder, extension, count) in
        [("frames", "plf", 6), ("pictures", "png", 6), ("vtp", "vtp", 6), ("vtp", "pvd", 1)]
    {
        let found = files(&run.join(folder), extension);
        assert_eq!(found, count, "{folder}/*.{extension}");
    }
    assert!(files(&run.join("plots"), "svg") > 2 && files(&run.join("plots"), "png") > 2);
    let said = text(&output.stdout);
    assert_eq!(said.lines().count(), 1, "piped output is one line: {said}");
    assert!(said.contains("runs/cube") && said.contains("movie.mp4") && said.contains("finished"), "{said}");
    assert_eq!(text(&output.stderr), "");

    let facts = info(home.path(), "runs/cube");
    assert_eq!((facts["frames"].as_u64(), facts["particles"].as_u64()), (Some(6), Some(216)));
    let manifest: Value = serde_json::from_slice(&fs::read(run.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["final_state_hash"], facts["state_hash"]);
    assert_eq!(manifest["status"]["state"], "finished");
    assert!(manifest["timings"]["solve"].as_f64().unwrap() > 0.0);
    assert!(manifest["machine"]["cores"].as_u64().unwrap() > 0);
}

fn files(folder: &Path, extension: &str) -> usize {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|found| found == extension)).count()
}

#[test]
fn json_lines_parse_one_by_one() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let arguments = ["run", "cube.toml", "--json", "--out", "here"];
    let output = pliant(home.path()).args(arguments).assert().success().get_output().clone();
    let events: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!((count("started"), count("frame"), count("picture"), count("finished")), (1, 6, 6, 1));
    assert_eq!(events[0]["event"], "started");
    assert_eq!(events[0]["particles"], 216);
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["status"]), (&"finished".into(), &"finished".into()));
    assert_eq!(last["state_hash"], info(home.path(), "here")["state_hash"]);
    let frame = events.iter().rfind(|event| event["event"] == "frame").unwrap();
    assert!(frame["total_energy"].is_f64() && frame["iterations"].is_f64() && frame["dt"].is_f64());
}

#[test]
fn quiet_says_nothing() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let arguments = ["run", "cube.toml", "--quiet", "--no-render"];
    let output = pliant(home.path()).args(arguments).assert().success().get_output().clone();
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    assert!(!home.path().join("runs/cube/movie.mp4").exists());
}

#[test]
fn a_dry_run_writes_nothing_and_predicts_the_particles() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let arguments = ["run", "cube.toml", "--dry-run", "--json"];
    let output = pliant(home.path()).args(arguments).assert().success().get_output().clone();
    let event: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(event["forecast"]["particles"], 216);
    assert!(!home.path().join("runs").exists());
}

#[test]
fn an_existing_run_is_kept_unless_overwriting_is_asked_for() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let run = |more: &[&str]| {
        let mut command = pliant(home.path());
        command.args(["run", "cube.toml", "--no-render", "--frames", "1"]).args(more);
        command.assert()
    };
    run(&[]).success();
    let refused = text(&run(&[]).code(2).get_output().stderr);
    assert!(refused.contains("already holds") && refused.contains("runs/cube"), "{refused}");
    run(&["--overwrite"]).success();
}

#[test]
fn options_change_the_scene_and_are_remembered() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let set = ["--set", "objects.cube.velocity=[0,1,0]", "--seed", "7", "--no-render"];
    pliant(home.path()).args(["run", "cube.toml"]).args(set).args(["--frames", "2"]).assert().success();
    assert_eq!(info(home.path(), "runs/cube")["seed"], 7);
    pliant(home.path()).args(["resume", "runs/cube", "--no-render"]).assert().success();
    pliant(home.path()).args(["run", "cube.toml", "--out", "whole"]).args(set).assert().success();
    assert_eq!(common::state_hash(home.path(), "runs/cube"), common::state_hash(home.path(), "whole"));
}

#[test]
fn a_run_can_stop_early_by_frame_or_time() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let stopped = |name: &str, option: &[&str]| {
        let arguments = ["run", "cube.toml", "--no-render", "--out", name];
        pliant(home.path()).args(arguments).args(option).assert().success();
        let facts = info(home.path(), name);
        assert_eq!(facts["status"]["state"], "stopped");
        facts["last_frame"].as_u64().unwrap()
    };
    assert_eq!(stopped("a", &["--frames", "3"]), 3);
    assert_eq!(stopped("b", &["--stop-at", "0.05"]), 2);
    assert_eq!(stopped("c", &["--frames", "2-3"]), 3);
    assert_eq!(files(&home.path().join("c/vtp"), "vtp"), 2);
}

#[test]
fn a_reader_that_goes_away_does_not_stop_the_run() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let program = env!("CARGO_BIN_EXE_pliant");
    let script = format!(
        "{program} run cube.toml --json --no-render | head -n 1 > /dev/null; echo ${{PIPESTATUS[0]}}"
    );
    let shell = std::process::Command::new("bash").args(["-c", &script]).current_dir(home.path()).output();
    let Ok(output) = shell else { return };
    assert_eq!(text(&output.stdout).trim(), "0");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(info(home.path(), "runs/cube")["status"]["state"], "finished");
}
