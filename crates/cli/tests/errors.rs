//! Things that go wrong outside the scene: files, folders, disks.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::{elastic, folder, pliant, write_scene};

fn fails(home: &Path, arguments: &[&str], code: i32) -> String {
    let output = pliant(home).args(arguments).assert().code(code).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: "), "{message}");
    assert!(!message.contains("panicked") && !message.contains("RUST_BACKTRACE"), "{message}");
    message
}

#[test]
fn a_missing_scene_is_named() {
    let home = folder();
    let message = fails(home.path(), &["run", "no/such.toml"], 2);
    assert!(message.contains("no/such.toml"), "{message}");
}

#[test]
fn an_unknown_key_is_shown_with_its_place_and_the_nearest_one() {
    let home = folder();
    write_scene(home.path(), "typo.toml", &elastic().replace("young =", "yuong ="));
    let message = fails(home.path(), &["run", "typo.toml"], 2);
    let line = 1 + elastic().lines().position(|line| line.starts_with("young")).unwrap();
    assert!(message.contains(&format!("typo.toml:{line}:1")), "{message}");
    assert!(message.contains("did you mean `young`?"), "{message}");
}

#[test]
fn an_unreadable_mesh_is_named() {
    let home = folder();
    fs::write(home.path().join("broken.obj"), "v 0 0 0\nf 1 2 9\n").unwrap();
    let text = elastic().replace("shape.box.size = [0.3, 0.3, 0.3]", "shape.mesh.path = \"broken.obj\"");
    write_scene(home.path(), "mesh.toml", &text);
    let message = fails(home.path(), &["run", "mesh.toml"], 2);
    assert!(message.contains("broken.obj") && message.contains("mesh.toml:"), "{message}");
}

#[test]
fn an_output_folder_that_is_a_file_or_holds_other_things_is_refused() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    fs::write(home.path().join("taken"), "mine").unwrap();
    let message = fails(home.path(), &["run", "cube.toml", "--out", "taken"], 4);
    assert!(message.contains("taken"), "{message}");
    fs::create_dir(home.path().join("full")).unwrap();
    fs::write(home.path().join("full/thesis.tex"), "mine").unwrap();
    let message = fails(home.path(), &["run", "cube.toml", "--out", "full"], 2);
    assert!(message.contains("thesis.tex"), "{message}");
    assert_eq!(fs::read(home.path().join("full/thesis.tex")).unwrap(), b"mine");
}

#[test]
fn a_read_only_folder_is_an_error_of_the_file_system() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let locked = home.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write to read-only folders");
        return;
    }
    let message = fails(home.path(), &["run", "cube.toml", "--out", "locked/run"], 4);
    assert!(message.contains("locked/run") && message.contains("permission"), "{message}");
}

/// Runs a shell script in a folder; none where there is no such shell.
fn shell(home: &Path, script: &str) -> Option<std::process::Output> {
    std::process::Command::new("bash").args(["-c", script]).current_dir(home).output().ok()
}

#[test]
fn a_limit_on_files_is_an_error_and_the_run_can_be_resumed() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    // Acts like a full disk for every user: writes beyond the limit fail. Checkpoints are larger than frames.
    let program = env!("CARGO_BIN_EXE_pliant");
    let script = format!("trap '' XFSZ; ulimit -f 60; {program} run cube.toml --out run --no-render");
    let Some(output) = shell(home.path(), &script) else { return };
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("run/checkpoints"), "{message}");
    pliant(home.path()).args(["resume", "run", "--no-render"]).assert().success();
    assert_eq!(common::info(home.path(), "run")["frames"], 6);
}

#[test]
fn a_full_disk_is_an_error_and_the_run_can_be_resumed() {
    let home = folder();
    let small = home.path().join("small");
    fs::create_dir(&small).unwrap();
    write_scene(home.path(), "cube.toml", &elastic());
    let program = env!("CARGO_BIN_EXE_pliant");
    let script = format!(
        "mount -t tmpfs -o size=700k tmpfs small || exit 99
         {program} run cube.toml --out small/run --no-render; code=$?
         mount -o remount,size=9m small && {program} resume small/run --no-render && {program} info small/run
         umount small; exit $code"
    );
    // In a mount namespace of its own, which ends with it whatever happens.
    let command = format!("unshare --mount bash -c {}", quoted(&script));
    let output = shell(home.path(), &command);
    let Some(output) = output.filter(|output| matches!(output.status.code(), Some(0..=98))) else {
        eprintln!("skipped: this user may not mount a small disk");
        return;
    };
    let (said, message) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(4), "{said}{message}");
    assert!(message.contains("small/run") && message.contains("disk is full"), "{message}");
    assert!(said.contains("finished") && said.contains("6, "), "{said}");
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn a_full_stdout_is_told() {
    let home = folder();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(["materials"])
        .current_dir(home.path())
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8(output.stderr).unwrap().contains("stdout"));
}

#[test]
fn folders_that_are_no_runs_are_refused() {
    let home = folder();
    for command in [
        vec!["info", "."],
        vec!["resume", "."],
        vec!["render", "."],
        vec!["surface", "."],
        vec!["export", ".", "--format", "vtp"],
    ] {
        let message = fails(home.path(), &command, 2);
        assert!(message.contains("not a run folder"), "{message}");
    }
}

#[test]
fn wrong_options_are_errors_of_input() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    for arguments in [
        vec!["run"],
        vec!["run", "cube.toml", "--threads", "0"],
        vec!["run", "cube.toml", "--frames", "9-3"],
        vec!["run", "cube.toml", "--stop-at", "-1"],
        vec!["run", "cube.toml", "--stop-at", "NaN"],
        vec!["run", "cube.toml", "--set", "time.duration"],
        vec!["run", "cube.toml", "--set", "time.durration=1s"],
        vec!["run", "cube.toml", "--seed", "-4"],
        vec!["render", "x", "--size", "0x0"],
        vec!["export", "x", "--format", "abc"],
        vec!["fly"],
    ] {
        fails(home.path(), &arguments, 2);
    }
}

/// A small scene of the Material Point Method in the plane.
const SAND: &str = r#"pliant = 1
dimension = 2
spacing = "5 cm"
[time]
duration = "20 ms"
fps = 50
[render]
width = 64
height = 48
[method.mpm]
drag.physical = 1e5
[materials.sand]
preset = "sand"
density = 1600
plastic.drucker_prager = { friction_angle = 30 }
[[objects]]
material = "sand"
shape.box.size = [0.3, 0.3]
"#;

#[test]
fn bad_values_of_the_material_point_method_get_one_clear_error_each() {
    let home = folder();
    fs::write(home.path().join("note.png"), "not a picture").unwrap();
    let cases = [
        ("negative density", "density = 1600", "density = -1600", "density"),
        ("friction angle of 90 degrees", "friction_angle = 30", "friction_angle = 90", "friction_angle"),
        ("drag that is no number", "drag.physical = 1e5", "drag.physical = nan", "drag"),
        ("division by zero on one particle", "density = 1600", "density = \"1600 / (x - 0.025)\"", "density"),
        (
            "a bitmap that is no image",
            "box.size = [0.3, 0.3]",
            "image = { path = \"note.png\", width = 1 }",
            "note.png",
        ),
        (
            "a domain without particles",
            "[[objects]]\nmaterial = \"sand\"\nshape.box.size = [0.3, 0.3]",
            "",
            "object",
        ),
        (
            "a surface of no collider",
            "[materials.sand]",
            "surfaces = [{ collider = \"wall\" }]\n[materials.sand]",
            "wall",
        ),
        (
            "friction below zero",
            "[materials.sand]",
            "domain = { min = [0, 0], max = [1, 1], friction = -1 }\n[materials.sand]",
            "friction",
        ),
        (
            "buoyancy with implicit steps",
            "drag.physical = 1e5",
            "integrator = \"implicit\"\nspecies = [\"a\"]\nbuoyancy = \"a\"",
            "buoyancy",
        ),
        (
            "colours of both kinds",
            "material = \"sand\"",
            "material = \"sand\"\ncolor = \"#ffffff\"\ncolors = [{ color = \"#000000\" }]",
            "colors",
        ),
    ];
    for (what, from, to, word) in cases {
        let text = SAND.replacen(from, to, 1);
        assert_ne!(text, SAND, "{what}: nothing was changed");
        write_scene(home.path(), "bad.toml", &text);
        let message = fails(home.path(), &["run", "bad.toml"], 2);
        assert!(message.contains("bad.toml") && message.contains(word), "{what}: {message}");
        assert_eq!(message.matches("error: ").count(), 1, "{what}: {message}");
    }
}
