//! Everything that is changed can be taken back: scene and looks in one row, moves of the camera in another.

use std::time::Duration;

use crate::common::{SCENE, open_tab, press, studio, type_into};
use eframe::egui::{self, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use pliant_studio::app::Studio;
use pliant_studio::panels::Tab;

fn undo(harness: &mut Harness<'static, Studio>) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(2);
}

fn redo(harness: &mut Harness<'static, Studio>) {
    harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    harness.run_steps(2);
}

#[test]
fn looks_views_and_scenes_are_taken_back_in_the_order_they_were_changed() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::View);
    harness.get_by_label("Particle velocities").click();
    harness.run_steps(3);
    open_tab(&mut harness, Tab::Scene);
    type_into(&mut harness, "title", "Better");
    harness.key_press(Key::Escape);
    harness.run_steps(2);
    open_tab(&mut harness, Tab::Camera);
    press(&mut harness, "Keep view");
    assert_eq!(harness.state().views.len(), 1);
    let state = |harness: &Harness<'static, Studio>| {
        let studio = harness.state();
        (studio.look.particle_lines, studio.document.text() == SCENE, studio.views.len())
    };
    assert_eq!(state(&harness), (true, false, 1));
    let mut seen = Vec::new();
    for _ in 0..3 {
        undo(&mut harness);
        seen.push(state(&harness));
    }
    assert_eq!(seen, [(true, false, 0), (true, true, 0), (false, true, 0)]);
    assert!(!harness.state().can_undo() && harness.state().can_redo());
    for expected in [(true, true, 0), (true, false, 0), (true, false, 1)] {
        redo(&mut harness);
        assert_eq!(state(&harness), expected, "{}", harness.state().message);
    }
    undo(&mut harness);
    open_tab(&mut harness, Tab::View);
    harness.get_by_label("Shadows").click();
    harness.run_steps(3);
    assert!(!harness.state().can_redo(), "a new change ends the way forward");
}

#[test]
fn what_is_dragged_is_one_change() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::View);
    let before = harness.state().look.clone();
    let at = harness.get_by_role_and_label(egui::accesskit::Role::SpinButton, "Size factor").rect().center();
    harness.drag_at(at);
    harness.run_steps(2);
    for step in 1..6 {
        harness.hover_at(at + egui::vec2(20.0 * step as f32, 0.0));
        harness.run_steps(1);
    }
    harness.drop_at(at + egui::vec2(100.0, 0.0));
    harness.run_steps(3);
    assert!(harness.state().look.size > before.size, "{}", harness.state().look.size);
    undo(&mut harness);
    assert_eq!(harness.state().look, before);
    assert!(!harness.state().can_undo());
}

#[test]
fn kept_looks_and_settings_of_the_method_and_the_movie_come_back() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::View);
    press(&mut harness, "Keep look");
    harness.get_by_label("Delete").click();
    harness.run_steps(3);
    assert!(harness.state().looks.is_empty());
    undo(&mut harness);
    assert_eq!(harness.state().looks.len(), 1);
    open_tab(&mut harness, Tab::Simulation);
    harness.get_by_label("Limit steps per picture").click();
    harness.run_steps(3);
    open_tab(&mut harness, Tab::Record);
    press(&mut harness, "1080p");
    undo(&mut harness);
    undo(&mut harness);
    let studio = harness.state();
    assert_eq!((studio.record.size, studio.pace.steps_per_picture), ([1280, 720], None));
}

#[test]
fn the_camera_goes_back_to_where_it_stood() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Camera);
    let rest = |harness: &mut Harness<'static, Studio>| {
        std::thread::sleep(Duration::from_millis(450));
        harness.run_steps(2);
    };
    rest(&mut harness);
    let first = harness.state().camera;
    press(&mut harness, "Right side");
    rest(&mut harness);
    let second = harness.state().camera;
    let viewport = harness.get_by_label("Viewport").rect().center();
    harness.hover_at(viewport);
    for _ in 0..3 {
        let (unit, phase, modifiers) = (egui::MouseWheelUnit::Line, egui::TouchPhase::Move, Modifiers::NONE);
        harness.event(egui::Event::MouseWheel {
            unit,
            delta: egui::vec2(0.0, 1.0),
            phase,
            modifiers,
            source: egui::MouseWheelSource::Wheel,
        });
        harness.run_steps(3);
    }
    assert!(harness.state().camera.distance < second.distance);
    harness.key_press(Key::OpenBracket);
    harness.run_steps(2);
    assert_eq!(harness.state().camera, second, "all turns of the wheel are one move");
    harness.key_press(Key::OpenBracket);
    harness.run_steps(2);
    assert_eq!(harness.state().camera, first);
    harness.key_press(Key::CloseBracket);
    harness.run_steps(2);
    assert_eq!(harness.state().camera, second);
    assert!(!harness.state().can_undo(), "looking around is no change of anything");
}
