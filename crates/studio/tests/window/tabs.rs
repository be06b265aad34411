//! Every tab by the names of its controls: what is clicked and typed reaches the scene and the simulation.

use crate::common::{SCENE, open_tab, press, studio, type_into, until};
use egui_kittest::kittest::Queryable;
use pliant_studio::app::Apply;
use pliant_studio::document::ScenePath;
use pliant_studio::panels::Tab;
use pliant_studio::worker::Phase;

#[test]
fn the_simulation_plays_pauses_steps_and_starts_again() {
    let mut harness = studio();
    press(&mut harness, "Step");
    until(&mut harness, "a step is taken", |studio| studio.shown.snapshot.step == 1);
    press(&mut harness, "Frame");
    until(&mut harness, "a frame is done", |studio| studio.shown.snapshot.frame == 1);
    until(&mut harness, "it rests", |studio| studio.worker.phase() == Phase::Paused);
    harness.run_steps(1);
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
    let names = |harness: &egui_kittest::Harness<'static, pliant_studio::app::Studio>| {
        harness.state().document.tree().names(&ScenePath::parse("materials"))
    };
    assert_eq!(names(&harness), ["ice", "ice-2", "material-1"]);
    press(&mut harness, "Move material up");
    assert_eq!(names(&harness), ["ice", "material-1", "ice-2"]);
    press(&mut harness, "Move material up");
    press(&mut harness, "Move material down");
    press(&mut harness, "Delete material");
    assert_eq!(names(&harness), ["ice", "ice-2"]);
    until(&mut harness, "the scene is checked", |studio| studio.document.is_checked());
    assert!(harness.state().document.scene().is_some(), "{:?}", harness.state().document.problems());
}

#[test]
fn colliders_are_added_copied_moved_renamed_and_deleted() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Colliders);
    press(&mut harness, "Add collider");
    type_into(&mut harness, "friction", "0.25");
    let text = harness.state().document.text().to_owned();
    assert!(text.contains("name = \"collider 2\"") && text.contains("friction = 0.25"), "{text}");
    type_into(&mut harness, "name", "bump");
    press(&mut harness, "Copy");
    press(&mut harness, "Up");
    let text = harness.state().document.text().to_owned();
    let place = |name: &str| text.find(name).unwrap_or_else(|| panic!("{name}: {text}"));
    assert!(place("\"bump\"") < place("\"floor\"") && place("\"floor\"") < place("\"bump copy\""), "{text}");
    press(&mut harness, "Delete");
    press(&mut harness, "Add container");
    assert_eq!(harness.state().document.text().matches("[[colliders]]").count(), 3);
    until(&mut harness, "the scene is checked", |studio| studio.document.is_checked());
    assert!(harness.state().document.scene().is_some(), "{:?}", harness.state().document.problems());
}

#[test]
fn emitters_are_objects_that_go_on_appearing() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Objects);
    press(&mut harness, "Add emitter");
    until(&mut harness, "the scene is checked", |studio| studio.document.is_checked());
    let studio = harness.state();
    assert!(studio.document.text().contains("emitter 2"), "{}", studio.document.text());
    let scene = studio.document.scene().unwrap_or_else(|| panic!("{:?}", studio.document.problems()));
    assert!(scene.objects[1].emission.is_some());
    type_into(&mut harness, "count", "7");
    assert!(harness.state().document.text().contains("count = 7"), "{}", harness.state().document.text());
    press(&mut harness, "Copy");
    press(&mut harness, "Up");
    press(&mut harness, "Delete");
    assert_eq!(harness.state().document.text().matches("[[objects]]").count(), 2);
}

#[test]
fn a_mistake_in_an_expression_is_told_while_it_is_typed() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Objects);
    type_into(&mut harness, "density", "1000 + 200*sin(3*x");
    until(&mut harness, "the mistake is found", |studio| !studio.document.problems().is_empty());
    harness.run_steps(2);
    let told = harness.state().document.problems()[0].message.clone();
    assert!(harness.query_all_by_label_contains(&told).count() > 0, "{told}");
    type_into(&mut harness, "density", "1000 + 200*sin(3*x)");
    until(&mut harness, "it is mended", |studio| studio.document.scene().is_some());
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
