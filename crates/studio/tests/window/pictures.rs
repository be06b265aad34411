//! Pictures of the viewport on whatever adapter there is; without one these tests say so and pass.

use std::path::Path;
use std::sync::Arc;

use crate::common::SCENE;
use pliant_scene::Scene;
use pliant_studio::headless::{Drawing, Wish};
use pliant_studio::viewport::look::{Grain, LayerProperty, ShadowGrain};
use pliant_studio::viewport::{Bounds, Camera, Device, Look, Renderer, Scenery, State};

const SPACE: &str = "pliant = 1\nspacing = 0.05\n[method.mpm]\n[materials.a]\npreset = \"jello\"\ncolor = \"#ff0000\"\n\
                     [[objects]]\nmaterial = \"a\"\nshape.ball.radius = 0.3\nposition = [0, 0.5, 0]\nvelocity = [0, -3, 0]\n\
                     [[colliders]]\nshape.half_space = {}\n[[colliders]]\nshape.ball.radius = 0.2\nposition = [0.8, 0.2, 0]\n";

fn drawing(look: Look, camera: Camera) -> Option<Drawing> {
    match Device::headless() {
        Ok(device) => {
            Some(Drawing { renderer: Renderer::new(device, 4), scenery: Scenery::default(), look, camera })
        }
        Err(error) => {
            println!("not tested: {error}");
            None
        }
    }
}

fn state(text: &str, steps: usize) -> State {
    let scene = Scene::from_text(text, Path::new("."), &[]).unwrap();
    let mut simulation = scene.simulation().unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    State::new(Arc::new(simulation.snapshot()), Some(Arc::new(scene)))
}

fn camera(state: &State) -> Camera {
    let is_flat = state.scene.as_ref().unwrap().dimension == 2;
    let bounds = Bounds::of(state.snapshot.positions(), 0.3);
    Camera { is_flat, ..Camera::default() }.seeing(&bounds, 4.0 / 3.0)
}

/// Share of pixels that are so.
fn share(image: &pliant_render::Image, is_so: impl Fn(&[u8; 3]) -> bool) -> f64 {
    image.pixels().iter().filter(|pixel| is_so(pixel)).count() as f64 / image.pixels().len() as f64
}

fn is_red(pixel: &[u8; 3]) -> bool {
    pixel[0] > 60
        && u32::from(pixel[0]) > 2 * u32::from(pixel[1])
        && u32::from(pixel[0]) > 2 * u32::from(pixel[2])
}

#[test]
fn a_ball_covers_the_part_of_the_picture_it_should() {
    let state = state(SPACE, 0);
    let look = Look { obstacles: pliant_studio::viewport::look::Obstacles::Hidden, ..Look::default() };
    let camera =
        Camera { target: [0.0, 0.5, 0.0], distance: 2.0, azimuth: 0.0, elevation: 0.0, ..Camera::default() };
    let Some(mut drawing) = drawing(look, camera) else { return };
    let image = drawing.picture(&state, [320, 240]).unwrap();
    // The outermost particles reach half a spacing beyond a lattice inside the ball: radius 0.3 m at 2 m, seen at 35°.
    let pixels = 0.3 / (4.0 - 0.09_f64).sqrt() / (17.5_f64.to_radians().tan()) * 120.0;
    let expected = std::f64::consts::PI * pixels * pixels / (320.0 * 240.0);
    let seen = share(&image, is_red);
    assert!((seen / expected - 1.0).abs() < 0.08, "{seen} {expected}");
}

#[test]
fn every_kind_of_particle_and_layer_is_drawn() {
    for text in [SPACE, SCENE] {
        let state = state(text, 3);
        let camera = camera(&state);
        let mut looks: Vec<Look> =
            Grain::ALL.iter().map(|(grain, _)| Look { grain: *grain, ..Look::default() }).collect();
        for property in LayerProperty::ALL {
            let mut look = Look { grid_lines: true, particle_lines: true, ..Look::default() };
            (look.layer.is_shown, look.layer.property) = (true, property.0);
            looks.push(look);
        }
        looks.push(Look { colour_by: "von_mises".to_owned(), shadows: false, ..Look::default() });
        let mut translucent = Look::default();
        translucent.body_mut(0).opacity = 0.4;
        looks.push(translucent);
        let mut pictures = Vec::new();
        for look in looks {
            let Some(mut drawing) = drawing(look, camera) else { return };
            pictures.push(drawing.picture(&state, [160, 120]).unwrap());
        }
        for (i, one) in pictures.iter().enumerate() {
            for (j, other) in pictures.iter().enumerate().skip(i + 1) {
                // A surface around particles of the plane does not exist: it is as empty as hidden particles.
                let is_surface = text == SCENE && (i, j) == (3, 4);
                assert!(one != other || is_surface, "looks {i} and {j} give the same picture");
            }
        }
    }
}

#[test]
fn shadows_darken_the_floor_under_a_ball() {
    let state = state(SPACE, 0);
    let camera = Camera { target: [0.0, 0.2, 0.0], distance: 4.0, elevation: 35.0, ..Camera::default() };
    let lit = Look { shadows: false, ..Look::default() };
    let Some(mut without) = drawing(lit.clone(), camera) else { return };
    let bright = without.picture(&state, [320, 240]).unwrap();
    let Some(mut with) = drawing(Look { shadows: true, ..lit }, camera) else { return };
    let dark = with.picture(&state, [320, 240]).unwrap();
    let darker = bright.pixels().iter().zip(dark.pixels()).filter(|(a, b)| a[1] > b[1] + 20).count();
    let brighter = bright.pixels().iter().zip(dark.pixels()).filter(|(a, b)| b[1] > a[1] + 20).count();
    assert!(darker > 300 && brighter == 0, "{darker} {brighter}");
    // Squares close the gaps between balls, icosahedra are smaller than the balls around them.
    let shaded = |grain: ShadowGrain| {
        let look = Look { shadow_grain: grain, ..Look::default() };
        let image = drawing(look, camera).unwrap().picture(&state, [320, 240]).unwrap();
        bright.pixels().iter().zip(image.pixels()).filter(|(a, b)| a[1] > b[1] + 20).count()
    };
    let [squares, solids] = [ShadowGrain::Squares, ShadowGrain::Icosahedra].map(shaded);
    assert!(squares > darker && solids < darker && solids > 300, "{squares} {darker} {solids}");
}

#[test]
fn numbers_that_are_none_are_drawn_as_such() {
    let state = state(SCENE, 0);
    let mut snapshot = (*state.snapshot).clone();
    for field in &mut snapshot.fields {
        match &mut field.column {
            pliant_world::Column::Vector(values) => {
                values.iter_mut().step_by(3).for_each(|v| *v = [f32::NAN; 3]);
            }
            pliant_world::Column::Scalar(values) => {
                values.iter_mut().step_by(2).for_each(|v| *v = f32::INFINITY);
            }
            pliant_world::Column::Tensor(values) => values.iter_mut().for_each(|v| *v = [f32::NAN; 9]),
            pliant_world::Column::Integer(_) => {}
        }
    }
    let broken = State::new(Arc::new(snapshot), state.scene.clone());
    for (grain, _) in Grain::ALL {
        let mut look = Look {
            grain,
            colour_by: "pressure".to_owned(),
            grid_lines: true,
            particle_lines: true,
            ..Look::default()
        };
        look.layer.is_shown = true;
        let Some(mut drawing) = drawing(look, camera(&state)) else { return };
        drawing.picture(&broken, [64, 48]).unwrap();
    }
}

#[test]
fn a_run_becomes_a_movie_without_a_window() {
    if Device::headless().is_err() {
        println!("not tested: no adapter");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run = crate::common::run_of(SCENE, folder.path());
    let wish = Wish { run, out: None, size: Some([160, 120]), colour_by: Some("speed".to_owned()) };
    let movie = pliant_studio::headless::render(&wish).unwrap();
    assert!(std::fs::metadata(movie).unwrap().len() > 1000);
}

#[test]
fn a_body_that_wears_a_skin_shows_it_as_its_surface() {
    let look = Look { grain: Grain::Surface, ..Look::default() };
    let bare = state(SPACE, 0);
    let dressed = state(&SPACE.replace("velocity = [0, -3, 0]", "skin.surface = \"2 cm\""), 0);
    let mut pictures = Vec::new();
    for state in [&bare, &dressed] {
        let Some(mut drawing) = drawing(look.clone(), camera(state)) else { return };
        pictures.push(drawing.picture(state, [160, 120]).unwrap());
    }
    assert!(pictures[0] != pictures[1], "a skin lies on the shape itself, a surface around the particles");
    assert!(share(&pictures[1], is_red) > 0.03);
}

#[test]
fn snow_is_coloured_by_how_much_it_has_hardened() {
    // Packed to nine tenths of its volume: a factor of e for a hardening of 10 (Nilles 2020, Eq. 86).
    let text = SPACE.replace("jello", "snow").replace("velocity = [0, -3, 0]", "volume_ratio = 0.9");
    let packed = state(&text, 0);
    let factors = packed.snapshot.scalars("hardening").unwrap();
    assert!(factors.iter().all(|factor| (factor / 1_f32.exp() - 1.0).abs() < 1e-4), "{:?}", factors.first());
    let choices = pliant_studio::viewport::colours::colour_choices(&packed.snapshot);
    assert!(choices.contains(&"hardening".to_owned()), "{choices:?}");
    assert!(state(SPACE, 0).snapshot.scalars("hardening").is_none(), "jelly does not harden");
}
