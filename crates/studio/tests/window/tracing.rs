//! Obstacles on the graphics processor beside the same rays walked plainly, pixel by pixel. Without an adapter these tests
//! say so and pass.

use std::path::Path;
use std::sync::Arc;

use pliant_scene::Scene;
use pliant_studio::headless::Drawing;
use pliant_studio::viewport::look::{Grain, Obstacles};
use pliant_studio::viewport::{Camera, Device, Lens, Look, Renderer, Scenery, State};

const SIZE: [u32; 2] = [96, 72];
const BACKGROUND: [u8; 3] = [255, 255, 255];
const SCENE: &str = "pliant = 1\nspacing = 0.1\n[method.mpm]\n[materials.a]\npreset = \"jello\"\ncolor = \"#ff0000\"\n\
                     [[objects]]\nmaterial = \"a\"\nshape.ball.radius = 0.15\nposition = [0, 0, 0]\n[[colliders]]\n\
                     color = \"#2040c0\"\nposition = [0.1, 0.05, 0]\nrotation = [20, 30, 10]\nscale = 1.2\n";

/// Shapes of every kind, alone and joined.
const SHAPES: [&str; 11] = [
    "shape.ball.radius = 0.5",
    "shape.box.size = [0.8, 0.5, 0.6]",
    "shape.ellipsoid.radii = [0.6, 0.3, 0.2]",
    "shape.cylinder = { radius = 0.3, height = 0.9 }",
    "shape.cone = { radius = 0.4, height = 0.8, top_radius = 0.1 }",
    "shape.capsule = { radius = 0.2, height = 1.0 }",
    "shape.torus = { radius = 0.4, tube_radius = 0.12 }",
    "shape.union.shapes = [{ shape.ball.radius = 0.3 }, { shape.box.size = [0.2, 0.2, 1.2], position = [0.2, 0, 0] }]",
    "shape.intersection.shapes = [{ shape.ball.radius = 0.5 }, { shape.box.size = [0.6, 0.7, 0.8] }]",
    "shape.difference.shapes = [{ shape.box.size = [0.9, 0.6, 0.9] }, { shape.ball.radius = 0.4, position = [0, 0.3, 0] }]",
    "shape.smooth_union = { blend = 0.2, shapes = [{ shape.ball.radius = 0.3 }, { shape.ball.radius = 0.3, position = [0.5, 0, 0] }] }",
];

fn scene(text: &str) -> Arc<Scene> {
    Arc::new(Scene::from_text(text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

fn state(scene: &Arc<Scene>) -> State {
    let snapshot = scene.simulation().unwrap().snapshot();
    State::new(Arc::new(snapshot), Some(Arc::clone(scene)))
}

/// A renderer for all pictures of a test: to make one takes longer than to draw.
fn drawing() -> Option<Drawing> {
    match Device::headless() {
        Ok(device) => Some(Drawing {
            renderer: Renderer::new(device, 1),
            scenery: Scenery::default(),
            look: Look::default(),
            camera: Camera::default(),
        }),
        Err(error) => {
            println!("not tested: {error}");
            None
        }
    }
}

fn picture(drawing: &mut Drawing, state: &State, look: Look, camera: Camera) -> pliant_render::Image {
    (drawing.scenery, drawing.camera) = (Scenery::default(), camera);
    drawing.look = Look { background: Some(BACKGROUND), ..look };
    drawing.picture(state, SIZE).unwrap()
}

/// Whether the ray through the middle of a pixel meets the obstacle, by the distance itself.
fn is_met(scene: &Scene, camera: &Camera, pixel: usize) -> bool {
    let [width, height] = SIZE.map(|side| side as f32);
    let (i, j) = ((pixel % SIZE[0] as usize) as f32, (pixel / SIZE[0] as usize) as f32);
    let ray = camera.ray(2.0 * (i + 0.5) / width - 1.0, 1.0 - 2.0 * (j + 0.5) / height, width / height);
    let (origin, direction) = (ray.origin.cast::<f64>(), ray.direction.cast::<f64>());
    let shape = &scene.colliders[0].shape;
    let mut along = 0.0;
    while along < 20.0 {
        let distance = shape.distance(&(origin + direction * along));
        if distance < 1e-5 {
            return true;
        }
        along += distance;
    }
    false
}

#[test]
fn every_shape_is_seen_where_its_distance_says() {
    let Some(mut drawing) = drawing() else { return };
    for (number, shape) in SHAPES.iter().enumerate() {
        let scene = scene(&format!("{SCENE}{shape}\n"));
        let lens = if number % 2 == 0 { Lens::Perspective } else { Lens::Orthographic };
        let camera = Camera { target: [0.1, 0.0, 0.0], distance: 3.0, lens, ..Camera::default() };
        let look = Look { grain: Grain::Hidden, ..Look::default() };
        let image = picture(&mut drawing, &state(&scene), look, camera);
        let seen: Vec<bool> = image.pixels().iter().map(|pixel| *pixel != BACKGROUND).collect();
        let met: Vec<bool> = (0..seen.len()).map(|pixel| is_met(&scene, &camera, pixel)).collect();
        let covered = met.iter().filter(|is| **is).count();
        let wrong = seen.iter().zip(&met).filter(|(a, b)| a != b).count();
        // Pixels whose middle lies within a hair of the rim.
        let allowed = covered / 60;
        assert!(covered > 300 && wrong <= allowed, "{shape}: {wrong} of {covered} pixels");
    }
}

#[test]
fn an_eye_inside_an_obstacle_looks_out_of_it() {
    let Some(mut drawing) = drawing() else { return };
    let red = |image: &pliant_render::Image| {
        image.pixels().iter().filter(|p| p[0] > 90 && p[1] < 60 && p[2] < 60).count()
    };
    // A wall with a hole around everything, and the eye within the wall.
    let wall = "shape.difference.shapes = [{ shape.box.size = [9, 9, 9] }, { shape.ball.radius = 1.5 }]";
    let scene = scene(&format!("{SCENE}{wall}\n"));
    let camera = Camera { target: [0.0; 3], distance: 3.0, ..Camera::default() };
    let free = Look { obstacles: Obstacles::Hidden, ..Look::default() };
    let expected = red(&picture(&mut drawing, &state(&scene), free, camera));
    let image = picture(&mut drawing, &state(&scene), Look::default(), camera);
    assert!(expected > 100);
    assert!(red(&image).abs_diff(expected) * 20 < expected, "{} of {expected}", red(&image));
    let behind = image.pixels().iter().filter(|pixel| **pixel != BACKGROUND).count();
    assert!(behind > image.pixels().len() / 2, "the far side of the hole is seen behind the matter");
}

#[test]
fn obstacles_before_and_after_all_matter_hide_less_and_more() {
    let Some(mut drawing) = drawing() else { return };
    // A small ball of jelly within a large ball.
    let scene = scene(&format!("{SCENE}shape.ball.radius = 0.4\n"));
    let camera = Camera { target: [0.0; 3], distance: 3.0, ..Camera::default() };
    let mut red = |obstacles: Obstacles| {
        let look = Look { obstacles, ..Look::default() };
        let image = picture(&mut drawing, &state(&scene), look, camera);
        image.pixels().iter().filter(|p| p[0] > 90 && p[1] < 60 && p[2] < 60).count()
    };
    let [in_place, before, after, hidden] =
        [Obstacles::InPlace, Obstacles::Before, Obstacles::After, Obstacles::Hidden].map(&mut red);
    assert_eq!((in_place, after), (0, 0), "inside an obstacle nothing is seen");
    assert!(before == hidden && before > 50, "{before} {hidden}");
}

#[test]
fn an_obstacle_that_changes_is_drawn_as_it_is_at_the_time() {
    let Some(mut drawing) = drawing() else { return };
    let text = SCENE.replace("rotation = [20, 30, 10]\n", "");
    let keys = "shape.morph = [{ time = 0, shape.ball.radius = 0.2 }, { time = 1, shape.ball.radius = 0.5 }]";
    let scene = scene(&format!("{text}{keys}\n"));
    let camera = Camera { distance: 3.0, target: [0.1, 0.05, 0.0], ..Camera::default() };
    let mut covered = |time: f64| {
        let mut state = state(&scene);
        let mut snapshot = (*state.snapshot).clone();
        snapshot.time = time;
        state.snapshot = Arc::new(snapshot);
        let look = Look { grain: Grain::Hidden, ..Look::default() };
        let image = picture(&mut drawing, &state, look, camera);
        image.pixels().iter().filter(|pixel| **pixel != BACKGROUND).count() as f64
    };
    let (small, middle, large) = (covered(0.0), covered(0.5), covered(1.0));
    assert!((middle / small - (0.35_f64 / 0.2).powi(2)).abs() < 0.5, "{small} {middle}");
    assert!((large / small - 6.25).abs() < 1.2, "{small} {large}");
}
