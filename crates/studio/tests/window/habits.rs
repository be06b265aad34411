//! What people expect of any window: menus, keys, files, mouse, drag and drop, sharp displays.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::{SCENE, open_tab, press, run_of, studio, studio_with, type_into, until};
use eframe::egui::{self, accesskit::Role};
use eframe::egui_wgpu::RenderState;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use pliant_studio::app::{Showing, Studio, View};
use pliant_studio::document::{Change, Document, ScenePath};
use pliant_studio::panels::Tab;
use pliant_studio::viewport::Device;

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

/// A file that someone drops onto the window.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

fn drop_file(harness: &mut Harness<'static, Studio>, path: &Path) {
    harness.input_mut().dropped_files.push(Arc::new(Dropped(path.to_owned())));
    harness.run_steps(2);
}

#[test]
fn a_scene_a_mesh_and_a_run_can_be_dropped_onto_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = studio();
    let scene = folder.path().join("other.toml");
    std::fs::write(&scene, SCENE.replace("Small", "Dropped")).unwrap();
    drop_file(&mut harness, &scene);
    assert!(harness.state().document.text().contains("Dropped"));
    assert_eq!(harness.state().document.path(), Some(scene.as_path()));
    let mesh = folder.path().join("wedge.obj");
    std::fs::write(&mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        .unwrap();
    drop_file(&mut harness, &mesh);
    let text = harness.state().document.text().to_owned();
    assert!(text.contains("name = \"wedge\"") && text.contains("wedge.obj"), "{text}");
    harness.state_mut().document.undo();
    assert!(!harness.state().document.text().contains("wedge"), "a dropped mesh can be taken back");
    let run = run_of(SCENE, folder.path());
    drop_file(&mut harness, &run);
    until(&mut harness, "the run is open", |studio| studio.showing == Showing::Caches);
    assert_eq!(harness.state().players[0].marks().len(), 7);
    drop_file(&mut harness, &folder.path().join("not-there.toml"));
    assert!(harness.state().message.contains("cannot open"), "{}", harness.state().message);
}

/// A window of 900 x 700 points that draws, on a display with that many pixels a point.
fn drawing_studio(
    scale: f32,
    way: fn(&RenderState, &egui::Context) -> Option<View>,
) -> Harness<'static, Studio> {
    let builder = Harness::builder().with_size(egui::vec2(900.0, 700.0)).with_pixels_per_point(scale).wgpu();
    let mut harness = builder.build_eframe(|context| {
        let state = context.wgpu_render_state.as_ref();
        let view = state.and_then(|state| way(state, &context.egui_ctx));
        Studio::new(&context.egui_ctx, Document::new(SCENE)).with_view(view)
    });
    until(&mut harness, "the scene is built", |studio| studio.shown.number > 0);
    until(&mut harness, "the viewport is drawn", |studio| studio.drawn_pixels().is_some());
    harness.run_steps(3);
    until(&mut harness, "the viewport is drawn", Studio::is_drawn);
    harness
}

#[test]
fn on_a_sharp_display_the_viewport_is_drawn_with_all_its_pixels() {
    if let Err(error) = Device::headless() {
        return println!("not tested: {error}");
    }
    let mut sizes = Vec::new();
    for scale in [1.0, 2.0] {
        let mut harness = drawing_studio(scale, View::in_window);
        let viewport = harness.get_by_label("Viewport").rect();
        let drawn = harness.state().drawn_pixels().unwrap();
        let expected = [viewport.width(), viewport.height()].map(|side| (side * scale) as u32);
        assert!(drawn.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 1), "{drawn:?} {expected:?}");
        let picture = harness.render().unwrap();
        assert_eq!(picture.width(), (900.0 * scale) as u32);
        // Controls keep their size in points: nothing moves.
        sizes.push((viewport, harness.get_by_role_and_label(Role::Button, "Play").rect()));
    }
    assert!((sizes[0].0.width() - sizes[1].0.width()).abs() < 3.0, "{sizes:?}");
    assert!((sizes[0].1.center() - sizes[1].1.center()).length() < 3.0, "{sizes:?}");
}

#[test]
fn with_the_device_of_the_window_and_apart_from_it_the_same_is_seen() {
    if let Err(error) = Device::headless() {
        return println!("not tested: {error}");
    }
    let ways: [fn(&RenderState, &egui::Context) -> Option<View>; 2] =
        [View::in_window, |state, _| View::with_window(state)];
    let [apart, straight] = ways.map(|way| {
        let mut harness = drawing_studio(1.0, way);
        let viewport = harness.get_by_label("Viewport").rect();
        let picture = harness.render().unwrap();
        let pixels = picture
            .enumerate_pixels()
            .filter(|(x, y, _)| viewport.shrink(2.0).contains(egui::pos2(*x as f32 + 0.5, *y as f32 + 0.5)));
        pixels.map(|(_, _, pixel)| pixel.0).collect::<Vec<_>>()
    });
    assert_eq!(apart.len(), straight.len());
    let differs = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 24);
    let edges = apart.iter().zip(&straight).filter(differs).count() as f64 / apart.len() as f64;
    let colours: std::collections::BTreeSet<_> = apart.iter().collect();
    assert!(colours.len() > 20, "only {} colours are seen", colours.len());
    // One has smooth edges, the other has not.
    assert!(edges < 0.03, "{:.1} % of the pixels differ", 100.0 * edges);
}

#[test]
fn the_camera_looks_at_what_was_opened_last() {
    let mut harness = studio();
    let sees = |studio: &Studio, place: f32| (studio.camera.target[0] - place).abs() < 0.5;
    until(&mut harness, "the camera is set", |studio| sees(studio, 0.0));
    harness.state_mut().new_scene(&SCENE.replace("position = [0, 0.4]", "position = [7, 0.4]"));
    until(&mut harness, "the camera sees the new scene", |studio| sees(studio, 7.0));
    let folder = tempfile::tempdir().unwrap();
    let run = run_of(&SCENE.replace("position = [0, 0.4]", "position = [-5, 0.4]"), folder.path());
    harness.state_mut().open_cache(&run);
    until(&mut harness, "the camera sees the run", |studio| sees(studio, -5.0));
}

#[test]
fn the_file_is_read_again_when_another_program_changes_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, SCENE).unwrap();
    let mut harness = studio_with(Document::open(&path).unwrap());
    std::fs::write(&path, SCENE.replace("Small", "Theirs")).unwrap();
    harness.state_mut().keep_house();
    assert!(harness.state().document.text().contains("Theirs"));
    // What was changed here too is not thrown away without asking.
    let mine = Change::Set(ScenePath::parse("title"), "Mine".into());
    harness.state_mut().change(&mine);
    std::fs::write(&path, SCENE.replace("Small", "Others")).unwrap();
    harness.state_mut().keep_house();
    harness.run_steps(2);
    assert!(harness.state().document.text().contains("Mine"));
    press(&mut harness, "Take theirs");
    assert!(harness.state().document.text().contains("Others"));
    harness.state_mut().document.undo();
    assert!(harness.state().document.text().contains("Mine"));
}

#[test]
fn what_a_crash_left_unsaved_is_offered_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, SCENE).unwrap();
    let mut crashed = studio_with(Document::open(&path).unwrap());
    crashed.state_mut().change(&Change::Set(ScenePath::parse("title"), "Unsaved".into()));
    crashed.state_mut().keep_house();
    drop(crashed);
    let mut harness = studio_with(Document::open(&path).unwrap());
    harness.run_steps(2);
    press(&mut harness, "Recover");
    assert!(harness.state().document.text().contains("Unsaved"));
    assert!(std::fs::read_to_string(&path).unwrap().contains("Small"), "the file itself is as it was");
}

/// A storage as the window has one.
#[derive(Default)]
struct Shelf(BTreeMap<String, String>);

impl eframe::Storage for Shelf {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

#[test]
fn tabs_looks_views_themes_and_recent_files_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, SCENE).unwrap();
    let mut harness = studio();
    harness.state_mut().open(&path);
    open_tab(&mut harness, Tab::Camera);
    press(&mut harness, "Keep view");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::D);
    harness.run_steps(2);
    harness.state_mut().look.colour_by = "speed".to_owned();
    let mut shelf = Shelf::default();
    eframe::App::save(harness.state_mut(), &mut shelf);
    let mut again = Harness::builder().build_eframe(move |context| {
        Studio::new(&context.egui_ctx, Document::new(SCENE)).recalling(Some(&shelf))
    });
    again.run_steps(2);
    let studio = again.state();
    assert_eq!((studio.tab, studio.views.len()), (Tab::Camera, 1));
    assert_eq!(studio.look.colour_by, "speed");
    assert_eq!(studio.recent, std::slice::from_ref(&path));
    assert!(!studio.is_dark());
    again.get_by_label("File").click();
    again.run_steps(3);
    again.get_by_label_contains("Recent").click();
    again.run_steps(3);
    again.get_by_label(&path.display().to_string()).click();
    again.run_steps(2);
    assert_eq!(again.state().document.path(), Some(path.as_path()));
}

#[test]
fn keys_undo_redo_and_step() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Scene);
    type_into(&mut harness, "title", "Better");
    // The field lets go of the keyboard first.
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    harness.run_steps(2);
    assert_eq!(harness.state().document.text(), SCENE);
    harness.key_press_modifiers(egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, egui::Key::Z);
    harness.run_steps(2);
    assert!(harness.state().document.text().contains("Better"));
    harness.key_press(egui::Key::Period);
    until(&mut harness, "a step is taken", |studio| studio.shown.snapshot.step == 1);
}
