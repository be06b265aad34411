//! The very same bits: whatever the number of threads, wherever a run was interrupted.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{
    committed, elastic, folder, info, plane, plastic, pliant, pushed_bar, send, start, state_hash,
    two_bodies, wait_for, write_scene,
};
use pliant_geometry::rng::SplitMix64;
use tempfile::TempDir;

/// The five small scenes, each in its own file.
fn scenes() -> (TempDir, [&'static str; 5]) {
    let home = folder();
    let names = ["elastic", "plastic", "two_bodies", "pushed_bar", "plane"];
    for (name, text) in names.iter().zip([elastic(), plastic(), two_bodies(), pushed_bar(), plane()]) {
        write_scene(home.path(), &format!("{name}.toml"), &text);
    }
    (home, names)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (home, names) = scenes();
    for name in names {
        let hashes = [1, 2, 3, 8].map(|threads| {
            let (scene, out) = (format!("{name}.toml"), format!("{name}-{threads}"));
            let threads = threads.to_string();
            let arguments = ["run", &scene, "--out", &out, "--threads", &threads, "--no-render"];
            pliant(home.path()).args(arguments).assert().success();
            let frames = committed(home.path(), &out);
            assert_eq!(frames.len(), 6, "{name}");
            assert_ne!(frames[0].1, frames[5].1, "{name} must move");
            frames
        });
        assert!(hashes.iter().all(|frames| *frames == hashes[0]), "{name}: {hashes:?}");
    }
}

#[test]
fn a_run_resumed_at_any_step_ends_with_the_same_bits() {
    let (home, names) = scenes();
    let mut rng = SplitMix64::new(2013);
    for name in names {
        let scene = format!("{name}.toml");
        let run = |out: &str, more: &[&str]| {
            let arguments = ["run", &scene, "--no-render", "--out", out];
            pliant(home.path()).args(arguments).args(more).assert().success();
        };
        run(name, &[]);
        // Steps are 4 ms: this lands between frames as well as on them.
        let stop = format!("{:.3}", 0.004 * (1.0 + (rng.unit() * 23.0).floor()));
        run("part", &["--stop-at", &stop, "--threads", "2"]);
        assert_eq!(info(home.path(), "part")["status"]["state"], "stopped", "{name} at {stop} s");
        pliant(home.path()).args(["resume", "part", "--no-render", "--threads", "3"]).assert().success();
        assert_eq!(state_hash(home.path(), "part"), state_hash(home.path(), name), "{name} at {stop} s");
        assert_eq!(committed(home.path(), "part"), committed(home.path(), name), "{name} at {stop} s");
        fs::remove_dir_all(home.path().join("part")).unwrap();
    }
}

/// Longer, so that there is time to be killed in.
fn long(home: &TempDir) {
    let text = elastic().replace("duration = \"0.1 s\"", "duration = \"0.4 s\"");
    write_scene(home.path(), "long.toml", &text);
}

#[test]
fn twenty_kills_lose_nothing_and_change_no_bit() {
    let home = folder();
    long(&home);
    let began = Instant::now();
    pliant(home.path()).args(["run", "long.toml", "--out", "whole", "--no-render"]).assert().success();
    let whole = began.elapsed();
    let expected = committed(home.path(), "whole");
    let mut rng = SplitMix64::new(4);
    let mut before = Vec::new();
    for kill in 0..20 {
        let begun = home.path().join("killed/manifest.json").exists();
        let mut arguments =
            if begun { vec!["resume", "killed"] } else { vec!["run", "long.toml", "--out", "killed"] };
        arguments.push("--no-render");
        let mut child = start(home.path(), &arguments);
        std::thread::sleep(whole.mul_f64(rng.unit() * 0.25));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = committed(home.path(), "killed");
        assert!(now.starts_with(&before), "kill {kill} lost a frame: {before:?}, now {now:?}");
        assert!(expected.starts_with(&now), "kill {kill} changed a frame");
        before = now;
    }
    let last = if home.path().join("killed/journal.jsonl").exists() {
        vec!["resume", "killed", "--no-render"]
    } else {
        vec!["run", "long.toml", "--out", "killed", "--no-render"]
    };
    pliant(home.path()).args(last).assert().success();
    assert_eq!(committed(home.path(), "killed"), expected);
    let stray = |folder: &str| {
        let entries = fs::read_dir(home.path().join(folder)).unwrap().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().contains("tmp")).count()
    };
    for folder in ["killed", "killed/frames", "killed/checkpoints", "killed/vtp"] {
        assert_eq!(stray(folder), 0, "{folder}");
    }
    assert_eq!(fs::read_dir(home.path().join("killed/vtp")).unwrap().count(), expected.len() + 1);
}

#[test]
fn signals_save_the_state_and_have_their_exit_codes() {
    let home = folder();
    let text = elastic().replace("duration = \"0.1 s\"", "duration = \"100 s\"");
    write_scene(home.path(), "endless.toml", &text);
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let mut child = start(home.path(), &["run", "endless.toml", "--out", signal]);
        wait_for("three frames", || committed(home.path(), signal).len() > 3);
        send(&child, signal);
        let sent = Instant::now();
        let status = child.wait().unwrap();
        assert!(sent.elapsed() < Duration::from_secs(2), "{signal} took {:?}", sent.elapsed());
        assert_eq!(status.code(), Some(code), "{signal}");
        let facts = info(home.path(), signal);
        assert_eq!(facts["status"]["state"], "stopped", "{signal}");
        assert!(facts["status"]["reason"].as_str().unwrap().contains(signal), "{facts}");
    }
    let before = committed(home.path(), "INT");
    let mut child = start(home.path(), &["resume", "INT"]);
    wait_for("more frames", || committed(home.path(), "INT").len() > before.len() + 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let after = committed(home.path(), "INT");
    assert!(after.starts_with(&before));
    let term = committed(home.path(), "TERM");
    let both = after.len().min(term.len());
    assert_eq!(after[..both], term[..both], "an interruption leaves no trace in the frames");
}

#[test]
fn a_second_writer_is_refused() {
    let home = folder();
    let text = elastic().replace("duration = \"0.1 s\"", "duration = \"100 s\"");
    write_scene(home.path(), "endless.toml", &text);
    let mut child = start(home.path(), &["run", "endless.toml", "--out", "busy"]);
    wait_for("a frame", || !committed(home.path(), "busy").is_empty());
    let number = child.id().to_string();
    for arguments in [vec!["resume", "busy"], vec!["run", "endless.toml", "--out", "busy", "--overwrite"]] {
        let output = pliant(home.path()).args(arguments).assert().code(4).get_output().clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("busy") && message.contains(&number), "{message}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_finished_run_has_nothing_to_resume() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    pliant(home.path()).args(["run", "cube.toml", "--no-render"]).assert().success();
    let again = pliant(home.path()).args(["resume", "runs/cube", "--no-render"]).assert().success();
    let said = String::from_utf8(again.get_output().stdout.clone()).unwrap();
    assert!(said.contains("finished"), "{said}");
    pliant(home.path()).args(["resume", "runs/cube"]).assert().success();
    assert!(home.path().join("runs/cube/movie.mp4").is_file(), "what is missing is made");
}

/// A cube of 30 cm as a glTF text and the buffer it names: eight corners and twelve triangles.
fn write_gltf_cube(folder: &Path) {
    let corner = |index: usize| [0, 1, 2].map(|axis| if index >> axis & 1 == 1 { 0.15_f32 } else { -0.15 });
    let faces: [[u16; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut buffer: Vec<u8> = (0..8).flat_map(corner).flat_map(f32::to_le_bytes).collect();
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]);
    buffer.extend(triangles.flat_map(u16::to_le_bytes));
    fs::create_dir_all(folder.join("parts")).unwrap();
    fs::write(folder.join("parts/the cube.bin"), buffer).unwrap();
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3"},
        {"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}],
        "bufferViews":[{"buffer":0,"byteLength":96},{"buffer":0,"byteOffset":96,"byteLength":72}],
        "buffers":[{"uri":"parts/the%20cube.bin","byteLength":168}]}"#;
    fs::write(folder.join("cube.gltf"), text).unwrap();
}

#[test]
fn a_run_of_a_mesh_with_buffers_needs_nothing_but_its_folder() {
    let home = folder();
    let original = home.path().join("original");
    fs::create_dir(&original).unwrap();
    write_gltf_cube(&original);
    let text = elastic().replace("shape.box.size = [0.3, 0.3, 0.3]", "shape.mesh.path = \"cube.gltf\"");
    write_scene(&original, "cube.toml", &text);
    let run = |out: &str, more: &[&str]| {
        let arguments = ["run", "original/cube.toml", "--no-render", "--out", out];
        pliant(home.path()).args(arguments).args(more).assert().success();
    };
    run("whole", &[]);
    run("part", &["--frames", "2"]);
    fs::rename(&original, home.path().join("moved")).unwrap();
    pliant(home.path()).args(["resume", "part", "--no-render"]).assert().success();
    assert_eq!(state_hash(home.path(), "part"), state_hash(home.path(), "whole"));
}
