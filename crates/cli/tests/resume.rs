//! The very same bits: whatever the number of threads, wherever a run was interrupted.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use std::fs;
use std::path::Path;

use common::{elastic, folder, pliant, state_hash, write_scene};
use pliant_proof::{
    Lab, Report, conservation, corruption, faults, golden, kill, memory, misuse, mutation, numerics, resume,
    scenes, signals, steps, threads, typos, writers,
};

/// The program under test, with fixed random numbers.
fn lab() -> Lab {
    Lab { program: env!("CARGO_BIN_EXE_pliant").into(), seed: 2013 }
}

/// Fails with everything that went against the guarantee.
fn holds(report: std::io::Result<Report>) {
    let report = report.unwrap();
    assert!(report.passed(), "{}\n{}", report.line(), report.failures.join("\n"));
}

// A small slice of each measurement of crates/proof, whose program does the long ones.

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    holds(threads::measure(&lab(), &scenes::small(), &[1, 2, 3, 8]));
}

#[test]
fn a_run_resumed_at_any_step_ends_with_the_same_bits() {
    holds(resume::measure(&lab(), &scenes::small(), 8));
}

#[test]
fn twenty_kills_lose_nothing_and_change_no_bit() {
    holds(kill::measure(&lab(), &scenes::small(), 20));
}

#[test]
fn signals_save_the_state_and_have_their_exit_codes() {
    holds(signals::measure(&lab(), &scenes::small(), 12));
}

#[test]
fn a_second_writer_is_refused() {
    holds(writers::measure(&lab(), &scenes::small()[0], 4));
}

#[test]
fn what_the_system_refuses_is_told_and_the_run_can_go_on() {
    holds(faults::measure(&lab(), &scenes::small()[0], 5));
}

#[test]
fn damage_is_noticed_and_never_changes_a_bit() {
    holds(corruption::measure(&lab(), &scenes::small()[0], 20));
}

#[test]
fn mutated_files_make_no_reader_panic_or_hang() {
    holds(mutation::measure(&lab(), 500));
}

#[test]
fn memory_is_forecast() {
    // One each of an elastic and a plastic body in space, and of a body in the plane.
    let variants = memory::variants();
    holds(memory::measure(&lab(), &[0, 11, 14].map(|index| variants[index].clone())));
}

#[test]
fn bad_numerics_end_with_a_reason_and_write_no_bad_number() {
    holds(numerics::measure(&lab(), 12));
}

#[test]
fn steps_longer_than_advised_recover_or_stop_with_a_reason() {
    holds(steps::measure(&lab(), &scenes::material_points(), &steps::FACTORS));
}

#[test]
fn free_flight_keeps_particles_mass_and_momentum() {
    holds(conservation::measure(&lab(), 3));
}

#[test]
fn folders_of_earlier_builds_go_on() {
    holds(golden::measure(&lab()));
}

#[test]
fn every_slip_in_every_key_is_refused_with_a_suggestion() {
    holds(typos::measure("q"));
}

#[test]
fn unusual_surroundings_change_nothing() {
    holds(misuse::measure(&lab(), &scenes::small()[0]));
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
