//! The small pictures of templates and presets: there is one of each, and `PLIANT_UPDATE=1` draws them anew.

use std::path::Path;
use std::sync::Arc;

use pliant_render::Image;
use pliant_scene::Scene;
use pliant_studio::gallery::{COLUMNS, Gallery, TILE, decode};
use pliant_studio::headless::Drawing;
use pliant_studio::templates::TEMPLATES;
use pliant_studio::viewport::{Bounds, Camera, Device, Look, Renderer, Scenery, State};

/// Colour behind the pictures.
const BACKGROUND: [u8; 3] = [52, 57, 66];
/// Pictures are drawn this many times as large, and made smaller.
const FINE: u32 = 4;
/// Templates are drawn at this share of their time, when something happens.
const SHARE: f64 = 0.35;
/// Stiff matter takes short steps, and does not change: it is drawn after this many.
const MOST_STEPS: usize = 4000;

/// A ball of a material on its way to the floor.
fn preset_scene(name: &str, method: &str) -> String {
    format!(
        "pliant = 1\nspacing = 0.02\n[method]\n{method} = {{}}\n[time]\nduration = \"0.1 s\"\n[materials.a]\npreset = \"{name}\"\n\
         [[objects]]\nmaterial = \"a\"\nshape.ball.radius = 0.12\nposition = [0, 0.125, 0]\nvelocity = [0.3, -2.5, 0]\n\
         [[colliders]]\nshape.half_space = {{}}\nfriction = 0.5\n"
    )
}

fn picture(scene: Scene, end: f64, device: &Device) -> Image {
    let mut simulation = scene.simulation().unwrap();
    for _ in 0..MOST_STEPS {
        if simulation.is_finished() || simulation.clock().time() >= end {
            break;
        }
        simulation.step().unwrap();
    }
    let state = State::new(Arc::new(simulation.snapshot()), Some(Arc::new(scene)));
    let is_flat = state.scene.as_ref().unwrap().dimension == 2;
    let bounds = Bounds::of(state.snapshot.positions(), 0.03);
    let mut camera = Camera { is_flat, ..Camera::default() }.seeing(&bounds, TILE[0] as f32 / TILE[1] as f32);
    camera.distance *= if is_flat { 1.0 } else { 0.8 };
    let look = Look { background: Some(BACKGROUND), ..Look::default() };
    let renderer = Renderer::new(device.clone(), 4);
    let mut drawing = Drawing { renderer, scenery: Scenery::default(), look, camera };
    smaller(&drawing.picture(&state, TILE.map(|side| side * FINE)).unwrap())
}

/// Means of squares of pixels: particles smaller than a pixel make no patterns.
fn smaller(image: &Image) -> Image {
    let [width, fine] = [TILE[0] as usize, FINE as usize];
    let pixel = |place: usize| {
        let [x, y] = [place % width * fine, place / width * fine];
        let squares = (0..fine * fine).map(|k| image.pixels()[(y + k / fine) * width * fine + x + k % fine]);
        let sum = squares.fold([0_u32; 3], |sum, p| [0, 1, 2].map(|k| sum[k] + u32::from(p[k])));
        sum.map(|channel| (channel / (FINE * FINE)) as u8)
    };
    Image::from_pixels(TILE[0], TILE[1], (0..width * TILE[1] as usize).map(pixel).collect()).unwrap()
}

/// Writes an album and the list of what it shows.
fn keep(name: &str, pictures: &[(String, Image)]) {
    let rows = pictures.len().div_ceil(COLUMNS as usize);
    let [width, height] = TILE.map(|side| side as usize);
    let mut pixels = vec![[0; 3]; COLUMNS as usize * width * rows * height];
    for (place, (_, image)) in pictures.iter().enumerate() {
        let (column, row) = (place % COLUMNS as usize, place / COLUMNS as usize);
        for (y, line) in image.pixels().chunks(width).enumerate() {
            let start = (row * height + y) * COLUMNS as usize * width + column * width;
            pixels[start..start + width].copy_from_slice(line);
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/gallery");
    let album = Image::from_pixels(COLUMNS * TILE[0], rows as u32 * TILE[1], pixels).unwrap();
    album.save(&folder.join(format!("{name}.png"))).unwrap();
    let names: Vec<&str> = pictures.iter().map(|(name, _)| name.as_str()).collect();
    std::fs::write(folder.join(format!("{name}.txt")), names.join("\n") + "\n").unwrap();
}

fn update() {
    let device = Device::headless().unwrap();
    let templates = TEMPLATES.iter().map(|template| {
        let scene = Scene::from_text(template.text, Path::new("."), &[]).unwrap();
        let end = SHARE * scene.time.duration;
        (template.title.to_owned(), picture(scene, end, &device))
    });
    keep("templates", &templates.collect::<Vec<_>>());
    let presets = pliant_material::PRESETS.iter().map(|preset| {
        let scene = ["mpm", "zhou2013"].iter().find_map(|method| {
            Scene::from_text(&preset_scene(preset.name, method), Path::new("."), &[]).ok()
        });
        (preset.name.to_owned(), picture(scene.unwrap(), 1.0, &device))
    });
    keep("presets", &presets.collect::<Vec<_>>());
}

#[test]
fn every_template_and_preset_has_a_picture() {
    if std::env::var_os("PLIANT_UPDATE").is_some() {
        return update();
    }
    let gallery = Gallery::default();
    let missing: Vec<&str> = TEMPLATES
        .iter()
        .filter(|template| gallery.templates.place(template.title).is_none())
        .map(|template| template.title)
        .chain(
            pliant_material::PRESETS
                .iter()
                .map(|preset| preset.name)
                .filter(|name| gallery.presets.place(name).is_none()),
        )
        .collect();
    assert!(missing.is_empty(), "no picture of {missing:?}: PLIANT_UPDATE=1 draws them");
    for (png, count) in [
        (&include_bytes!("../../src/gallery/templates.png")[..], TEMPLATES.len()),
        (&include_bytes!("../../src/gallery/presets.png")[..], pliant_material::PRESETS.len()),
    ] {
        let image = decode(png).unwrap();
        let rows = count.div_ceil(COLUMNS as usize);
        assert_eq!(image.size, [(COLUMNS * TILE[0]) as usize, rows * TILE[1] as usize]);
        // Every picture shows something: colours differ within it.
        for place in 0..count {
            let [x, y] =
                [place % COLUMNS as usize * TILE[0] as usize, place / COLUMNS as usize * TILE[1] as usize];
            let corner = image[(x, y)];
            let other = (0..TILE[1] as usize).any(|row| image[(x + TILE[0] as usize / 2, y + row)] != corner);
            assert!(other, "picture {place} is empty");
        }
    }
}
