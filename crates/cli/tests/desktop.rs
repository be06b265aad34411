//! `pliant` alone: the studio on a desktop, help elsewhere.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// What `pliant` without arguments prints in a folder, with or without a display.
fn alone(folder: &Path, display: Option<&str>) -> String {
    let mut command = Command::new(folder.join("pliant"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    if let Some(display) = display {
        command.env("DISPLAY", display);
    }
    let output = command.output().unwrap();
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat()
}

#[test]
fn without_arguments_the_studio_opens_on_a_desktop_and_help_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let program = assert_cmd::cargo::cargo_bin!("pliant");
    std::fs::copy(program, folder.path().join("pliant")).unwrap();
    assert!(alone(folder.path(), Some(":7")).contains("Usage:"), "there is no studio yet");
    let studio = folder.path().join("pliant-studio");
    std::fs::write(&studio, "#!/bin/sh\necho the window opens with $# arguments\n").unwrap();
    std::fs::set_permissions(&studio, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(alone(folder.path(), Some(":7")), "the window opens with 0 arguments\n");
    for no_desktop in [None, Some("")] {
        assert!(alone(folder.path(), no_desktop).contains("Usage:"));
    }
}
