//! Runs, charts, files and measurements: what is watched rather than built.

use crate::common::{SCENE, open_tab, press, run_of, studio, studio_with, until};
use egui_kittest::kittest::Queryable;
use pliant_studio::app::Showing;
use pliant_studio::document::Document;
use pliant_studio::panels::Tab;
use pliant_studio::worker::Phase;

#[test]
fn charts_show_the_scene_and_the_chosen_particle_and_are_exported() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = studio();
    harness.state_mut().history.choose(Some(3));
    open_tab(&mut harness, Tab::Charts);
    press(&mut harness, "Play");
    until(&mut harness, "it is over", |studio| studio.worker.phase() == Phase::Finished);
    harness.run_steps(2);
    assert!(harness.query_by_label("Energy [J]").is_some());
    assert!(harness.query_all_by_label("Particle 3").count() > 0);
    let history = &harness.state().history;
    assert!(history.rows().len() > 3 && history.probe().unwrap().rows.len() > 3);
    history.export(folder.path()).unwrap();
    let csv = std::fs::read_to_string(folder.path().join("charts.csv")).unwrap();
    assert!(csv.lines().next().unwrap().contains("kinetic_energy") && csv.lines().count() > 4);
    assert!(folder.path().join("particle-3.csv").exists());
}

#[test]
fn caches_are_played_compared_and_their_damaged_frames_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_of(SCENE, folder.path());
    let frame = run.join("frames/frame.0003.plf");
    let mut bytes = std::fs::read(&frame).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&frame, bytes).unwrap();
    let mut harness = studio();
    harness.state_mut().open(&run);
    until(&mut harness, "the run is open", |studio| studio.showing == Showing::Caches);
    harness.state_mut().timeline.place = 3;
    until(&mut harness, "the damage is found", |studio| !studio.players[0].damaged().is_empty());
    open_tab(&mut harness, Tab::Cache);
    assert!(harness.query_by_label_contains("frame 3 is passed over").is_some());
    let shown = harness.state_mut().states();
    assert!(shown.is_empty() || shown[0].snapshot.frame != 3);
    harness.state_mut().add_cache(&run);
    until(&mut harness, "the second run is open", |studio| studio.players.len() == 2);
    harness.state_mut().timeline.place = 6;
    let start = std::time::Instant::now();
    while !harness.state_mut().has_frames() {
        assert!(start.elapsed().as_secs() < 20);
        harness.step();
    }
    assert!(harness.state_mut().states().iter().all(|state| state.snapshot.frame == 6));
    press(&mut harness, "Close all runs");
    assert_eq!(harness.state().showing, Showing::Live);
}

#[test]
fn particles_are_written_and_replayed_as_geo() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, SCENE).unwrap();
    let mut harness = studio_with(Document::open(&path).unwrap());
    open_tab(&mut harness, Tab::Record);
    press(&mut harness, "Write .geo");
    press(&mut harness, "Frame");
    until(&mut harness, "a frame is done", |studio| studio.shown.snapshot.frame == 1);
    press(&mut harness, "Write .geo");
    until(&mut harness, "both are written", |studio| !studio.is_at_work());
    harness.state_mut().open(&folder.path().join("particles/geo"));
    until(&mut harness, "they are open", |studio| !studio.players.is_empty());
    let player = &harness.state().players[0];
    assert_eq!(player.marks().len(), 2, "{}", harness.state().message);
    harness.state_mut().showing = Showing::Live;
    harness.get_by_label("Write every frame as .geo").click();
    harness.run_steps(2);
    press(&mut harness, "Play");
    until(&mut harness, "it is over", |studio| studio.worker.phase() == Phase::Finished);
    until(&mut harness, "all frames are listed", |studio| studio.players[0].marks().len() == 7);
}

#[test]
fn the_benchmark_measures_chosen_scenes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, SCENE).unwrap();
    let mut harness = studio_with(Document::open(&path).unwrap());
    open_tab(&mut harness, Tab::Benchmark);
    press(&mut harness, "Add this scene");
    harness.state_mut().bench.steps = 5;
    press(&mut harness, "Start benchmark");
    until(&mut harness, "it is measured", |studio| !studio.bench.is_running());
    assert_eq!(harness.state().bench.results[0].as_ref().unwrap().steps, 5);
    harness.run_steps(2);
    press(&mut harness, "Write benchmark.csv");
    let csv = std::fs::read_to_string(folder.path().join("benchmark.csv")).unwrap();
    assert!(csv.contains("particles to grid"), "{csv}");
}

#[test]
fn the_charts_of_a_cache_go_over_all_its_frames_and_so_does_its_chosen_particle() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_of(SCENE, folder.path());
    let mut harness = studio();
    harness.state_mut().open(&run);
    until(&mut harness, "the run is open", |studio| studio.showing == Showing::Caches);
    harness.state_mut().history.choose(Some(5));
    open_tab(&mut harness, Tab::Charts);
    until(&mut harness, "the run is read", |studio| studio.survey.history.rows().len() == 7);
    until(&mut harness, "its first frame is shown", |studio| studio.players[0].is_kept(0));
    harness.run_steps(2);
    let charted = harness.state().charted();
    assert_eq!(charted.probe().unwrap().rows.len(), 7);
    let heights = pliant_studio::history::History::curve(&charted.probe().unwrap().rows, "position y");
    assert!(heights.first().unwrap()[1] > heights.last().unwrap()[1], "it falls: {heights:?}");
    for title in ["Energy [J]", "position [m]", "velocity [m/s]", "stress [Pa]", "F"] {
        assert!(harness.query_all_by_label(title).count() > 0, "{title}");
    }
    let charts = folder.path().join("charts");
    charted.export(&charts).unwrap();
    for file in ["charts.csv", "energy.png", "particle-5.csv", "particle-5/position_y.png"] {
        assert!(charts.join(file).exists(), "{file}");
    }
}

#[test]
fn a_cache_that_vanishes_while_it_is_open_is_marked_and_nothing_stops() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_of(SCENE, folder.path());
    let mut harness = studio();
    harness.state_mut().open(&run);
    until(&mut harness, "the run is open", |studio| studio.showing == Showing::Caches);
    until(&mut harness, "its first frame is shown", |studio| studio.players[0].is_kept(0));
    std::fs::remove_dir_all(run.join("frames")).unwrap();
    harness.state_mut().timeline.place = 5;
    until(&mut harness, "the loss is found", |studio| studio.players[0].damaged().len() == 6);
    open_tab(&mut harness, Tab::Cache);
    assert_eq!(harness.query_all_by_label_contains("is passed over").count(), 6);
    let shown = harness.state_mut().states();
    assert_eq!(shown[0].snapshot.frame, 0, "what was read before is still shown");
}

#[test]
fn two_runs_keep_the_same_time_although_their_frames_differ() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let runs = [
        run_of(SCENE, first.path()),
        run_of(&SCENE.replace("duration = \"0.2 s\"", "duration = \"0.2 s\"\nfps = 60"), second.path()),
    ];
    let mut harness = studio();
    harness.state_mut().open(&runs[0]);
    until(&mut harness, "the first run is open", |studio| studio.players.len() == 1);
    harness.state_mut().add_cache(&runs[1]);
    until(&mut harness, "the second run is open", |studio| studio.players.len() == 2);
    harness.state_mut().timeline.place = 3;
    let start = std::time::Instant::now();
    while !harness.state_mut().has_frames() {
        assert!(start.elapsed().as_secs() < 20);
        harness.step();
    }
    let states = harness.state_mut().states();
    let [a, b] = [0, 1].map(|i| states[i].snapshot.clone());
    assert!((a.time - b.time).abs() < 1e-9 && a.frame != b.frame, "{} {}", a.time, b.time);
}
