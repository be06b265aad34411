//! Every tab by the names of its controls: what is clicked and typed reaches the scene and the simulation.

use crate::common::{SCENE, open_tab, press, run_of, studio, studio_with, type_into, until};
use eframe::egui::{self, accesskit::Role};
use egui_kittest::kittest::Queryable;
use pliant_studio::app::{Apply, Showing};
use pliant_studio::document::Document;
use pliant_studio::panels::Tab;
use pliant_studio::worker::Phase;

#[test]
fn the_simulation_plays_pauses_steps_and_starts_again() {
    let mut harness = studio();
    press(&mut harness, "Step");
    until(&mut harness, "a step is taken", |studio| studio.shown.snapshot.step == 1);
    press(&mut harness, "Frame");
    until(&mut harness, "a frame is done", |studio| studio.shown.snapshot.frame == 1);
    press(&mut harness, "Play");
    until(&mut harness, "it is over", |studio| studio.shown.snapshot.frame == 6);
    until(&mut harness, "it rests", |studio| studio.worker.phase() == Phase::Finished);
    press(&mut harness, "Reset");
    until(&mut harness, "it starts again", |studio| studio.shown.snapshot.step == 0);
}

#[test]
fn every_control_of_every_tab_has_a_name() {
    let mut harness = studio();
    for tab in Tab::ALL {
        open_tab(&mut harness, tab);
        harness.check_accessibility();
    }
}

#[test]
fn the_scene_tab_changes_the_text_and_keeps_its_comments() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Scene);
    type_into(&mut harness, "title", "Better");
    type_into(&mut harness, "spacing", "5 cm");
    let text = harness.state().document.text().to_owned();
    assert_eq!(text, SCENE.replace("Small", "Better").replace("0.04 #", "\"5 cm\" #"));
    harness.state_mut().document.undo();
    assert_eq!(harness.state().document.text(), SCENE.replace("Small", "Better"));
    harness.state_mut().document.undo();
    assert_eq!(harness.state().document.text(), SCENE);
}

#[test]
fn a_mistake_is_told_under_its_field_while_it_is_typed() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Scene);
    type_into(&mut harness, "spacing", "2 bananas");
    until(&mut harness, "the mistake is found", |studio| !studio.document.problems().is_empty());
    harness.run_steps(2);
    let found = harness.query_all_by_label_contains("bananas").count();
    assert!(found > 0, "{:?}", harness.state().document.problems());
    type_into(&mut harness, "spacing", "2 cm");
    until(&mut harness, "it is mended", |studio| studio.document.scene().is_some());
}

#[test]
fn objects_are_added_copied_moved_and_deleted() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Objects);
    press(&mut harness, "Add object");
    assert!(harness.state().document.text().contains("name = \"object 2\""));
    press(&mut harness, "Copy");
    press(&mut harness, "Up");
    let text = harness.state().document.text().to_owned();
    assert_eq!(text.matches("[[objects]]").count(), 3);
    assert!(text.starts_with("# a small scene"));
    press(&mut harness, "Delete");
    assert_eq!(harness.state().document.text().matches("[[objects]]").count(), 2);
    until(&mut harness, "the scene is checked", |studio| studio.document.is_checked());
    assert!(harness.state().document.scene().is_some(), "{:?}", harness.state().document.problems());
}

#[test]
fn materials_take_presets_and_names() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Materials);
    press(&mut harness, "snow");
    assert!(harness.state().document.text().contains("preset = \"snow\""));
    type_into(&mut harness, "Name", "ice");
    press(&mut harness, "Rename material");
    let text = harness.state().document.text().to_owned();
    assert!(text.contains("[materials.ice]") && text.contains("material = \"ice\""), "{text}");
    press(&mut harness, "Duplicate material");
    assert!(harness.state().document.text().contains("[materials.ice-2]"));
    press(&mut harness, "Add material");
    assert!(harness.state().document.text().contains("material-1"));
}

#[test]
fn colliders_are_added_and_edited() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Colliders);
    press(&mut harness, "Add collider");
    type_into(&mut harness, "friction", "0.25");
    let text = harness.state().document.text().to_owned();
    assert!(text.contains("name = \"collider 2\"") && text.contains("friction = 0.25"), "{text}");
}

#[test]
fn the_method_tab_sets_pace_and_applies_changes_at_once() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Simulation);
    harness.get_by_label("Limit steps per picture").click();
    harness.run_steps(2);
    assert_eq!(harness.state().pace.steps_per_picture, Some(10));
    harness.state_mut().apply = Apply::Live;
    press(&mut harness, "Step");
    until(&mut harness, "a step is taken", |studio| studio.shown.snapshot.step == 1);
    open_tab(&mut harness, Tab::Scene);
    harness.state_mut().document.type_text(SCENE.replace("dimension", "gravity = [0, 30]\ndimension"));
    until(&mut harness, "the change is taken up", |studio| {
        !studio.is_stale() && studio.document.scene().is_some()
    });
    press(&mut harness, "Step");
    until(&mut harness, "it goes on", |studio| studio.shown.snapshot.step == 2);
    assert!(harness.state().shown.snapshot.quantity("momentum_y").unwrap() > 0.0, "gravity points up now");
}

#[test]
fn the_look_tab_changes_what_is_seen() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::View);
    for name in ["Particle velocities", "Grid velocities", "Grid layer", "Fixed range", "Shadows"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    let look = &harness.state().look;
    assert!(
        look.particle_lines
            && look.grid_lines
            && look.layer.is_shown
            && look.range.is_some()
            && !look.shadows
    );
    press(&mut harness, "Keep look");
    press(&mut harness, "Standard look");
    assert!(!harness.state().look.particle_lines);
    press(&mut harness, "Use standard");
    assert!(harness.state().look.particle_lines);
}

#[test]
fn the_camera_tab_keeps_views() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Camera);
    press(&mut harness, "Right side");
    assert_eq!(harness.state().camera.azimuth, 90.0);
    press(&mut harness, "Keep view");
    press(&mut harness, "Front");
    assert_eq!(harness.state().camera.azimuth, 0.0);
    press(&mut harness, "Go");
    assert_eq!(harness.state().camera.azimuth, 90.0);
}

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
    while harness.state_mut().states().len() < 2 {
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
fn teaching_goes_through_the_ten_stages_of_one_step() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Teaching);
    let scene = harness.state().shown.scene.clone().unwrap();
    let free = |values: &[(String, String)]| values.last().unwrap().1.clone();
    let mut seen = Vec::new();
    for stage in 0..10 {
        press(&mut harness, "Next stage");
        until(&mut harness, "the stage is explained", |studio| {
            studio.teaching.stage == stage && studio.shown.stage.is_some()
        });
        seen.push((
            harness.state().shown.stage.as_ref().unwrap().name,
            harness.state().stage_values(&scene, stage),
        ));
    }
    let names: Vec<&str> = seen.iter().map(|(name, _)| *name).collect();
    assert_eq!(names[..5], ["particles to grid"; 5]);
    assert_eq!(names[5..7], ["grid"; 2]);
    assert_eq!(names[7..], ["grid to particles"; 3]);
    assert_eq!(harness.state().shown.snapshot.step, 1);
    // The node as worked out by hand, and as the method has it.
    assert_eq!(seen[1].1[1].1, seen[1].1[2].1, "{:?}", seen[1].1);
    assert_eq!(free(&seen[4].1), "(0.0000, 0.0000, 0.0000)", "at rest and without stress nothing moves");
    assert!(free(&seen[6].1).starts_with("(0.0000, -0.0"), "gravity has reached the node: {:?}", seen[6].1);
    let position = harness.state().shown.snapshot.positions()[0];
    assert!(seen[9].1[1].1.contains(&format!("{:.4}", position[1])), "{:?}", seen[9].1);
}

#[test]
fn the_stage_button_shows_the_state_after_each_stage_of_zhou() {
    let text = SCENE.replace("[method.mpm]", "[method.zhou2013]").replace("jello", "rubber");
    let mut harness = studio_with(Document::new(&text));
    let scene = harness.state().shown.scene.clone().unwrap();
    for (stage, name) in ["predict", "rotations", "system", "solve"].into_iter().enumerate() {
        press(&mut harness, "Stage");
        until(&mut harness, name, |studio| {
            studio.shown.stage.as_ref().is_some_and(|stage| stage.name == name)
        });
        assert_eq!(harness.state().tab, Tab::Teaching);
        harness.step();
        assert_eq!(harness.state().teaching.stage, stage);
        let values = harness.state().stage_values(&scene, stage);
        let shows = |what: &str| values.iter().any(|(name, _)| name == what);
        assert_eq!(shows("R"), name == "rotations", "{values:?}");
        assert_eq!(shows("right-hand side b"), name == "system", "{values:?}");
        assert_eq!(harness.state().shown.snapshot.step, 0);
    }
    press(&mut harness, "Leave step");
    until(&mut harness, "the step is over", |studio| studio.shown.snapshot.step == 1);
}

#[test]
fn text_is_edited_saved_and_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, SCENE).unwrap();
    let mut harness = studio_with(Document::open(&path).unwrap());
    open_tab(&mut harness, Tab::Text);
    let field = harness.get_by_role_and_label(Role::MultilineTextInput, "Scene text");
    field.focus();
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Home);
    harness.get_by_role_and_label(Role::MultilineTextInput, "Scene text").type_text("# mine\n");
    harness.run_steps(2);
    assert!(harness.state().document.text().contains("# mine"));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::S);
    harness.run_steps(2);
    assert!(std::fs::read_to_string(&path).unwrap().contains("# mine"));
    assert!(!harness.state().document.is_changed());
}

#[test]
fn handles_move_turn_and_scale_the_chosen_object() {
    let mut harness = studio();
    let studio = harness.state_mut();
    studio.camera.is_flat = true;
    studio.move_object(0, 0.25);
    studio.turn_object(30.0);
    studio.scale_object(2.0);
    let text = studio.document.text().to_owned();
    assert!(text.contains("position = [0.25, 0.4]"), "{text}");
    assert!(text.contains("rotation = 30.0") && text.contains("scale = 2.0"), "{text}");
}

#[test]
fn menus_show_their_keys_and_templates_open() {
    let mut harness = studio();
    harness.get_by_label("File").click();
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Save as").is_some());
    harness.get_by_label_contains("New from template").hover();
    harness.run_steps(6);
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    open_tab(&mut harness, Tab::Scene);
    press(&mut harness, "Sand");
    assert!(harness.state().document.text().contains("sand"));
}

#[test]
fn a_click_on_a_particle_reads_it_and_another_on_nothing_lets_go() {
    let mut harness = studio();
    harness.run_steps(3);
    let click = |harness: &mut egui_kittest::Harness<'static, pliant_studio::app::Studio>, at: egui::Pos2| {
        harness.event(egui::Event::PointerMoved(at));
        for pressed in [true, false] {
            let (button, modifiers) = (egui::PointerButton::Primary, egui::Modifiers::NONE);
            harness.event(egui::Event::PointerButton { pos: at, button, pressed, modifiers });
        }
        harness.run_steps(2);
    };
    let viewport = harness.get_by_label("Viewport").rect();
    let studio = harness.state();
    let place = nalgebra::Vector3::from(studio.shown.snapshot.positions()[7]);
    let [x, y] = studio.camera.project(&place, viewport.width() / viewport.height()).unwrap();
    let at = viewport.center() + egui::vec2(0.5 * x * viewport.width(), -0.5 * y * viewport.height());
    click(&mut harness, at);
    assert_eq!(harness.state().history.probe().unwrap().id, 7);
    open_tab(&mut harness, Tab::Charts);
    assert!(harness.query_all_by_label("Particle 7").count() > 0);
    click(&mut harness, viewport.left_top() + egui::vec2(4.0, 4.0));
    assert!(harness.state().history.probe().is_none());
}
