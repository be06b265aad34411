//! The programs that read our files must agree with each other about them. Needs Python with the packages that
//! `tools/verify_exports.py` names; without them the test says so and passes. `PLIANT_PYTHON` chooses the interpreter.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod readers;

use pliant_export::{Exporter, Format, Options, UpAxis};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::tempdir;

/// Runs the script on a folder; `None` if there is no Python.
fn verify(folder: &Path) -> Option<Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/verify_exports.py");
    let python = std::env::var_os("PLIANT_PYTHON").unwrap_or_else(|| "python3".into());
    Command::new(python).arg(script).arg(folder).output().ok()
}

#[test]
fn independent_readers_find_the_same_in_every_format() {
    for up_axis in [UpAxis::Y, UpAxis::Z] {
        let folder = tempdir().unwrap();
        for format in Format::ALL {
            let options = Options { up_axis, ..Options::default() };
            let mut exporter = Exporter::new(format, folder.path(), options).unwrap();
            for frame in 0..2 {
                exporter.write(&readers::sample(frame, 2500)).unwrap();
            }
        }
        let Some(output) = verify(folder.path()) else {
            println!("skipped: there is no python3");
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout);
        println!("{text}");
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_changed_file_is_noticed() {
    let folder = tempdir().unwrap();
    for format in [Format::Npz, Format::Bgeo] {
        let mut exporter = Exporter::new(format, folder.path(), Options::default()).unwrap();
        let frame = if format == Format::Npz { readers::sample(0, 50) } else { readers::sample(1, 50) };
        exporter.write(&pliant_world::snapshot::Snapshot { frame: 0, ..frame }).unwrap();
    }
    let Some(output) = verify(folder.path()) else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("skipped") || (text.contains("WRONG") && !output.status.success()), "{text}");
}
