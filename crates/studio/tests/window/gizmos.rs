//! Handles in the viewport, dragged with the mouse.

use crate::common::{open_tab, press, studio, until};
use eframe::egui::{self, Pos2, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use pliant_studio::app::Studio;
use pliant_studio::document::ScenePath;
use pliant_studio::panels::Tab;
use serde_json::Value;

/// Where a place of the scene is in the window.
fn on_screen(harness: &Harness<'static, Studio>, place: [f32; 3]) -> Pos2 {
    let rect = harness.get_by_label("Viewport").rect();
    let camera = &harness.state().camera;
    let [x, y] = camera.project(&nalgebra::Vector3::from(place), rect.width() / rect.height()).unwrap();
    rect.center() + Vec2::new(0.5 * x * rect.width(), -0.5 * y * rect.height())
}

fn drag(harness: &mut Harness<'static, Studio>, from: Pos2, by: Vec2) {
    harness.hover_at(from);
    harness.run_steps(1);
    harness.drag_at(from);
    harness.run_steps(1);
    for step in 1..=8 {
        harness.hover_at(from + by * (step as f32 / 8.0));
        harness.run_steps(1);
    }
    harness.drop_at(from + by);
    harness.run_steps(3);
}

fn number(harness: &Harness<'static, Studio>, path: &str) -> f64 {
    let value = harness.state().document.tree().at(&ScenePath::parse(path)).cloned();
    value.as_ref().and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}: {value:?}"))
}

#[test]
fn an_object_is_moved_turned_and_scaled_by_its_handles_and_each_is_one_change() {
    let mut harness = studio();
    harness.run_steps(3);
    let before = harness.state().document.text().to_owned();
    press(&mut harness, "Move");
    let center = on_screen(&harness, [0.0, 0.4, 0.0]);
    let camera = harness.state().camera;
    let rect = harness.get_by_label("Viewport").rect();
    drag(&mut harness, center + Vec2::new(40.0, 0.0), Vec2::new(60.0, 25.0));
    let metres = f64::from(60.0 / rect.height() * camera.height());
    let moved = number(&harness, "objects.0.position.0");
    assert!((moved / metres - 1.0).abs() < 0.02, "{moved} {metres}");
    assert_eq!(number(&harness, "objects.0.position.1"), 0.4, "only along the handle");
    assert_eq!(harness.state().camera, camera, "the camera stays while a handle is held");
    press(&mut harness, "Rotate");
    let center = on_screen(&harness, [moved as f32, 0.4, 0.0]);
    drag(&mut harness, center + Vec2::new(70.0, 0.0), Vec2::new(-70.0, -70.0));
    let turned = number(&harness, "objects.0.rotation");
    assert!((turned - 90.0).abs() < 1.0, "{turned}");
    press(&mut harness, "Scale");
    drag(&mut harness, center + Vec2::new(50.0, 0.0), Vec2::new(69.3, 0.0));
    let scaled = number(&harness, "objects.0.scale");
    assert!((scaled - 2.0).abs() < 0.02, "{scaled}");
    for _ in 0..3 {
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
        harness.run_steps(2);
    }
    assert_eq!(harness.state().document.text(), before);
}

#[test]
fn a_collider_is_moved_while_its_tab_is_open() {
    let mut harness = studio();
    harness.run_steps(3);
    open_tab(&mut harness, Tab::Colliders);
    press(&mut harness, "Add collider");
    until(&mut harness, "the scene is checked", |studio| studio.document.is_checked());
    let chosen = harness.state().selection.collider;
    let path = format!("colliders.{chosen}.position");
    let place = harness.state().document.tree().at(&ScenePath::parse(&path)).cloned();
    let part = |axis: usize| place.as_ref().and_then(|p| p.get(axis)).and_then(Value::as_f64).unwrap_or(0.0);
    press(&mut harness, "Move");
    let center = on_screen(&harness, [part(0) as f32, part(1) as f32, 0.0]);
    drag(&mut harness, center + Vec2::new(0.0, -40.0), Vec2::new(0.0, -50.0));
    assert!(number(&harness, &format!("{path}.1")) > part(1) + 0.01);
}
