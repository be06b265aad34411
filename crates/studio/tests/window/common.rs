//! What tests of the window share: a studio with a small scene, and ways to wait for its threads.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use pliant_render::Image;
use pliant_store::{Existing, Manifest, RunFolder, SceneFiles};
use pliant_studio::app::Studio;
use pliant_studio::document::Document;
use pliant_studio::panels::Tab;

/// A ball of jelly above a floor, in the plane.
pub const SCENE: &str = r#"# a small scene
pliant = 1
title = "Small"
dimension = 2
spacing = 0.04 # coarse

[method.mpm]

[time]
duration = "0.2 s"

[materials.jelly]
preset = "jello"

[[objects]]
name = "ball"
material = "jelly"
shape.ball.radius = 0.2
position = [0, 0.4]

[[colliders]]
name = "floor"
shape.half_space = {}
"#;

/// A studio with a document, without a graphics adapter.
pub fn studio_with(document: Document) -> Harness<'static, Studio> {
    let builder = Harness::builder().with_size(egui::vec2(1280.0, 900.0));
    let mut harness = builder.build_eframe(|context| Studio::new(&context.egui_ctx, document));
    until(&mut harness, "the scene is built", |studio| studio.shown.number > 0);
    harness
}

/// A studio with the small scene.
pub fn studio() -> Harness<'static, Studio> {
    studio_with(Document::new(SCENE))
}

/// Lets the window go on until something is so.
pub fn until(harness: &mut Harness<'static, Studio>, what: &str, is_so: impl Fn(&Studio) -> bool) {
    let start = Instant::now();
    harness.step();
    while !is_so(harness.state()) {
        assert!(
            start.elapsed() < Duration::from_secs(15),
            "waited in vain until {what}: {}",
            harness.state().message
        );
        std::thread::sleep(Duration::from_millis(2));
        harness.step();
    }
}

/// Lets the window go on until a control is shown: what is folded opens over some pictures.
pub fn until_labelled(harness: &mut Harness<'static, Studio>, label: &str) {
    let start = Instant::now();
    while harness.query_all_by_label(label).count() == 0 {
        assert!(start.elapsed() < Duration::from_secs(15), "no control is called {label}");
        std::thread::sleep(Duration::from_millis(2));
        harness.step();
    }
}

/// Opens a tab by its name.
pub fn open_tab(harness: &mut Harness<'static, Studio>, tab: Tab) {
    harness.get_by_role_and_label(egui::accesskit::Role::Button, tab.name()).click();
    harness.run_steps(2);
    assert_eq!(harness.state().tab, tab);
}

/// Presses a button.
pub fn press(harness: &mut Harness<'static, Studio>, name: &str) {
    harness.get_by_role_and_label(egui::accesskit::Role::Button, name).scroll_to_me();
    harness.run_steps(4);
    harness.get_by_role_and_label(egui::accesskit::Role::Button, name).click();
    harness.run_steps(2);
}

/// Types into a field.
pub fn type_into(harness: &mut Harness<'static, Studio>, name: &str, text: &str) {
    let role = egui::accesskit::Role::TextInput;
    harness.get_by_role_and_label(role, name).focus();
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.run_steps(1);
    harness.get_by_role_and_label(role, name).type_text(text);
    harness.run_steps(3);
}

/// A picture from disk, without its opacity.
pub fn read_png(path: &Path) -> Result<Image, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = std::fs::File::open(path).map_err(|error| failed(&error))?;
    let decoder = png::Decoder::new(std::io::BufReader::new(file));
    let mut reader = decoder.read_info().map_err(|error| failed(&error))?;
    let mut bytes = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let info = reader.next_frame(&mut bytes).map_err(|error| failed(&error))?;
    let pixels = bytes[..info.buffer_size()].chunks(info.color_type.samples());
    Image::from_pixels(info.width, info.height, pixels.map(|p| [p[0], p[1], p[2]]).collect())
        .map_err(|error| failed(&error))
}

/// A run of a scene on disk.
pub fn run_of(text: &str, folder: &Path) -> PathBuf {
    let scene_path = folder.join("scene.toml");
    std::fs::write(&scene_path, text).unwrap();
    let scene = pliant_scene::Scene::load(&scene_path, &[]).unwrap();
    let files = SceneFiles::new(text);
    let run = folder.join("run");
    let manifest = Manifest::new("small", 1, 1);
    let mut writer = RunFolder::create(&run, &files, manifest, Existing::Keep).unwrap();
    let mut simulation = scene.simulation().unwrap();
    writer.commit_frame(&simulation.snapshot()).unwrap();
    while !simulation.is_finished() {
        if simulation.step().unwrap().completed_frame.is_some() {
            writer.commit_frame(&simulation.snapshot()).unwrap();
        }
    }
    run
}
