//! What is exported reads back as it was.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod readers;

use pliant_export::{ExportError, Exporter, Format, Options, UpAxis};
use pliant_world::snapshot::{Column, Field, Snapshot};
use readers::{Columns, binary_json, columns_of, houdini, npz, sample, table, vtp};
use std::fs;
use std::path::Path;
use tempfile::tempdir;

fn export(format: Format, snapshot: &Snapshot, folder: &Path) -> Vec<u8> {
    let mut exporter = Exporter::new(format, folder, Options::default()).unwrap();
    fs::read(exporter.write(snapshot).unwrap()).unwrap()
}

fn read(format: Format, bytes: &[u8]) -> Columns {
    match format {
        Format::Vtp => vtp::read(bytes),
        Format::Ply => table::read_ply(bytes),
        Format::Csv => table::read_csv(bytes),
        Format::Geo => houdini::read(&serde_json::from_slice(bytes).unwrap()).points,
        Format::Bgeo => houdini::read(&binary_json::decode(bytes)).points,
        Format::Npz => {
            let mut columns = npz::read(bytes);
            columns.retain(|name, _| name != "time" && name != "frame");
            columns
        }
    }
}

/// Particle counts around the lengths at which binary JSON changes its encoding.
const COUNTS: [u32; 6] = [1, 80, 81, 240, 241, 30_000];

#[test]
fn every_format_gives_back_every_column() {
    let folder = tempdir().unwrap();
    for format in Format::ALL {
        for count in COUNTS {
            let snapshot = sample(2, count);
            let mut expected = columns_of(&snapshot);
            if format == Format::Ply {
                // PLY colours are bytes by convention; the sample's are whole steps of one.
                expected
                    .get_mut("color")
                    .unwrap()
                    .iter_mut()
                    .for_each(|value| *value = (*value * 255.0).round());
            }
            let found = read(format, &export(format, &snapshot, folder.path()));
            assert!(found.keys().eq(expected.keys()), "{format}: {:?}", found.keys());
            for (name, values) in expected {
                assert!(found[&name] == values, "{format}, {count} particles: column {name} differs");
            }
        }
    }
}

#[test]
fn a_snapshot_without_particles_is_a_valid_file() {
    let folder = tempdir().unwrap();
    for format in Format::ALL {
        let columns = read(format, &export(format, &sample(0, 0), folder.path()));
        assert!(columns.values().all(Vec::is_empty), "{format}");
    }
}

#[test]
fn times_are_stored_where_the_format_has_a_place() {
    let folder = tempdir().unwrap();
    let snapshot = sample(5, 3);
    assert_eq!(vtp::time(&export(Format::Vtp, &snapshot, folder.path())), snapshot.time);
    assert_eq!(npz::read(&export(Format::Npz, &snapshot, folder.path()))["time"], [snapshot.time]);
    let text = serde_json::from_slice(&export(Format::Geo, &snapshot, folder.path())).unwrap();
    let binary = binary_json::decode(&export(Format::Bgeo, &snapshot, folder.path()));
    for json in [text, binary] {
        let detail = houdini::read(&json).detail;
        assert_eq!(detail["frame"], [5.0]);
        assert_eq!(detail["fps"], [24.0]);
        assert_eq!(detail["time"], [f64::from(snapshot.time as f32)]);
    }
}

#[test]
fn houdini_gets_whole_numbers_beyond_its_signed_range() {
    let folder = tempdir().unwrap();
    let mut snapshot = sample(0, 2);
    snapshot.fields[0].column = Column::Integer(vec![u32::MAX, 7]);
    let bytes = export(Format::Bgeo, &snapshot, folder.path());
    let text = binary_json::decode(&bytes).to_string();
    assert!(text.contains("int64") && text.contains("4294967295"), "{text}");
}

#[test]
fn with_z_up_vectors_and_tensors_turn_and_colours_do_not() {
    let folder = tempdir().unwrap();
    let mut snapshot = sample(0, 1);
    snapshot.fields[1].column = Column::Vector(vec![[1.0, 2.0, 3.0]]);
    let options = Options { up_axis: UpAxis::Z, ..Options::default() };
    let mut exporter = Exporter::new(Format::Npz, folder.path(), options).unwrap();
    let columns = npz::read(&fs::read(exporter.write(&snapshot).unwrap()).unwrap());
    let before = columns_of(&snapshot);
    assert_eq!(columns["position"], [1.0, -3.0, 2.0]);
    assert_eq!(columns["color"], before["color"]);
    let trace = |values: &[f64]| values[0] + values[4] + values[8];
    assert!((trace(&columns["stress"]) - trace(&before["stress"])).abs() < 1e-6);
    assert_ne!(columns["stress"], before["stress"]);
}

#[test]
fn the_collection_is_complete_after_each_frame() {
    let folder = tempdir().unwrap();
    let mut exporter = Exporter::new(Format::Vtp, folder.path(), Options::default()).unwrap();
    for frame in 0..4 {
        exporter.write(&sample(frame, 5)).unwrap();
        assert_eq!(collection(folder.path()).len(), frame as usize + 1);
    }
    let mut resumed = Exporter::new(Format::Vtp, folder.path(), Options::default()).unwrap();
    for frame in 0..3 {
        resumed.keep(frame, f64::from(frame) / 24.0);
    }
    resumed.keep(77, 3.0);
    resumed.write(&sample(3, 5)).unwrap();
    let entries = collection(folder.path());
    assert_eq!(entries.len(), 4, "a frame without a file is not listed");
    assert_eq!(entries[3], ("particles.0003.vtp".to_owned(), 3.0 / 24.0));
}

/// The files and times of a PVD collection; every file must exist.
fn collection(folder: &Path) -> Vec<(String, f64)> {
    let text = fs::read_to_string(folder.join("vtp/particles.pvd")).unwrap();
    assert!(text.starts_with("<?xml") && text.trim_end().ends_with("</VTKFile>"));
    let lines = text.lines().filter(|line| line.contains("<DataSet"));
    let entry = |line: &str| {
        let file = readers::xml_attribute(line, "file").to_owned();
        assert!(folder.join("vtp").join(&file).is_file());
        (file, readers::xml_attribute(line, "timestep").parse().unwrap())
    };
    lines.map(entry).collect()
}

#[test]
fn half_written_files_of_an_interrupted_export_are_swept() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("ply")).unwrap();
    fs::write(folder.path().join("ply/.particles.0003.ply.tmp"), b"ply\nform").unwrap();
    Exporter::new(Format::Ply, folder.path(), Options::default()).unwrap();
    assert_eq!(fs::read_dir(folder.path().join("ply")).unwrap().count(), 0);
}

#[test]
fn an_unknown_format_is_answered_with_the_known_ones() {
    let error = "abc".parse::<Format>().unwrap_err();
    assert_eq!(error.to_string(), "unknown format `abc`; choose one of vtp, ply, geo, bgeo, csv, npz");
    assert_eq!(error.exit_code(), 2);
    for format in Format::ALL {
        assert_eq!(format.name().parse::<Format>().unwrap(), format);
    }
}

#[test]
fn names_that_would_leave_the_folder_or_break_a_file_are_refused() {
    let folder = tempdir().unwrap();
    for name in ["", "../up", "a b", "a\"b"] {
        let options = Options { name: name.into(), ..Options::default() };
        assert!(matches!(
            Exporter::new(Format::Vtp, folder.path(), options),
            Err(ExportError::UnsuitableName { .. })
        ));
    }
    let mut exporter = Exporter::new(Format::Vtp, folder.path(), Options::default()).unwrap();
    let mut snapshot = sample(0, 2);
    snapshot.fields.push(Field { name: "a\"<b".into(), column: Column::Scalar(vec![0.0; 2]) });
    assert!(matches!(exporter.write(&snapshot), Err(ExportError::InvalidSnapshot { .. })));
    snapshot.fields.pop();
    snapshot.fields.push(Field { name: "short".into(), column: Column::Scalar(vec![0.0]) });
    let error = exporter.write(&snapshot).unwrap_err();
    assert!(error.to_string().contains("column `short` has not one value a particle"), "{error}");
}

#[test]
fn an_export_that_cannot_be_written_names_the_file() {
    let folder = tempdir().unwrap();
    let mut exporter = Exporter::new(Format::Ply, folder.path(), Options::default()).unwrap();
    fs::remove_dir_all(exporter.folder()).unwrap();
    let error = exporter.write(&sample(0, 2)).unwrap_err();
    assert!(error.to_string().contains("particles.0000.ply"), "{error}");
    assert_eq!(error.exit_code(), 4);
}
