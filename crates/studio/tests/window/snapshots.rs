//! Pictures of the viewport beside the ones that are kept. `PLIANT_UPDATE=1` keeps the new ones; without an adapter these
//! tests say so and pass.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::{SCENE, read_png};
use pliant_render::Image;
use pliant_scene::Scene;
use pliant_studio::headless::Drawing;
use pliant_studio::viewport::look::{Grain, LayerProperty};
use pliant_studio::viewport::{Bounds, Camera, Device, Lens, Look, Renderer, Scenery, State};

const SIZE: [u32; 2] = [180, 120];
const DARK: [u8; 3] = [30, 33, 38];
const LIGHT: [u8; 3] = [244, 245, 247];
/// A channel that differs by more than this is seen; adapters and compilers round otherwise.
const SEEN: u8 = 24;
/// Share of pixels that may differ so: edges of balls that fall on another pixel.
const FEW: f64 = 0.01;
/// Mean difference of all channels that may be.
const MEAN: f64 = 1.0;

/// A ball of jelly and one of snow above a floor and a pillar, in space.
const SPACE: &str = r##"pliant = 1
spacing = 0.05
[method.mpm]
[materials.jelly]
preset = "jello"
color = "#d04a2a"
[materials.snow]
preset = "snow"
[[objects]]
material = "jelly"
shape.ball.radius = 0.3
position = [0, 0.5, 0]
velocity = [0, -3, 0]
[[objects]]
material = "snow"
shape.box.size = [0.4, 0.4, 0.4]
position = [-0.7, 0.2, 0.1]
velocity = [2, 0, 0]
[[colliders]]
shape.half_space = {}
[[colliders]]
shape.ball.radius = 0.2
position = [0.7, 0.2, 0.2]
"##;

struct Kept {
    name: &'static str,
    scene: &'static str,
    look: Look,
    camera: fn(Camera) -> Camera,
}

fn state(text: &str) -> State {
    let scene = Scene::from_text(text, Path::new("."), &[]).unwrap();
    let mut simulation = scene.simulation().unwrap();
    for _ in 0..4 {
        simulation.step().unwrap();
    }
    State::new(Arc::new(simulation.snapshot()), Some(Arc::new(scene)))
}

fn all() -> Vec<Kept> {
    let dark = Look { background: Some(DARK), ..Look::default() };
    let light = Look { background: Some(LIGHT), ..Look::default() };
    let speed = Look { colour_by: "speed".to_owned(), particle_lines: true, ..dark.clone() };
    let mut layer = Look { grain: Grain::Points, grid_lines: true, ..light.clone() };
    (layer.layer.is_shown, layer.layer.property) = (true, LayerProperty::Mass);
    let mut glass = light.clone();
    glass.body_mut(0).opacity = 0.4;
    let near = |camera: Camera| Camera { distance: 0.35 * camera.distance, ..camera };
    let flat = |camera: Camera| Camera { lens: Lens::Orthographic, elevation: 40.0, ..camera };
    let turned = Look { grain: Grain::Icosahedra, ..dark.clone() };
    let surface = Look { grain: Grain::Surface, ..light.clone() };
    let kept = |name, scene, look, camera| Kept { name, scene, look, camera };
    vec![
        kept("plane_dark", SCENE, speed, |camera| camera),
        kept("plane_light", SCENE, layer, |camera| camera),
        kept("space_dark", SPACE, dark, |camera| camera),
        kept("space_light", SPACE, light, flat),
        kept("space_near", SPACE, glass, near),
        kept("space_solids", SPACE, turned, near),
        kept("space_surface", SPACE, surface, |camera| camera),
    ]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/window/snapshots")
}

/// What speaks against two pictures being the same.
fn difference(kept: &[u8], drawn: &[u8]) -> Option<String> {
    if kept.len() != drawn.len() {
        return Some("another size".to_owned());
    }
    let seen = kept.chunks(3).zip(drawn.chunks(3));
    let seen = seen.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > SEEN)).count();
    let share = seen as f64 / (kept.len() / 3) as f64;
    let sum: u64 = kept.iter().zip(drawn).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    let mean = sum as f64 / kept.len() as f64;
    (share > FEW || mean > MEAN).then(|| format!("{:.2} % of pixels differ, {mean:.2} levels", 100.0 * share))
}

#[test]
fn the_viewport_looks_as_it_did() {
    let device = match Device::headless() {
        Ok(device) => device,
        Err(error) => return println!("not tested: {error}"),
    };
    let updates = std::env::var_os("PLIANT_UPDATE").is_some();
    let states = [state(SCENE), state(SPACE)];
    let mut wrong = Vec::new();
    for Kept { name, scene, look, camera } in all() {
        let state = &states[usize::from(scene == SPACE)];
        let is_flat = scene == SCENE;
        let bounds = Bounds::of(state.snapshot.positions(), 0.05);
        let seeing = Camera { is_flat, ..Camera::default() }.seeing(&bounds, 1.5);
        let renderer = Renderer::new(device.clone(), 4);
        let mut drawing = Drawing { renderer, scenery: Scenery::default(), look, camera: camera(seeing) };
        let image = drawing.picture(state, SIZE).unwrap();
        let path = folder().join(format!("{name}.png"));
        if updates {
            image.save(&path).unwrap();
            continue;
        }
        let bytes = |image: &Image| image.pixels().iter().flatten().copied().collect::<Vec<u8>>();
        let found = read_png(&path).map_or_else(Some, |kept| difference(&bytes(&kept), &bytes(&image)));
        if let Some(found) = found {
            let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
            image.save(&seen).unwrap();
            wrong.push(format!("{name}: {found}; see {}", seen.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\nIf they are right, PLIANT_UPDATE=1 keeps them.", wrong.join("\n"));
}

#[test]
fn a_difference_is_found() {
    let grey = vec![128; 3 * 1000];
    let mut other = grey.clone();
    other.iter_mut().take(30).for_each(|x| *x += 20);
    assert_eq!(difference(&grey, &other), None);
    other.iter_mut().take(60).for_each(|x| *x = 255);
    assert!(difference(&grey, &other).is_some());
    assert!(difference(&grey, &grey[3..]).is_some());
}
