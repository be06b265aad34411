//! Scenes become worlds with the particles, masses and motions they describe.

use std::path::Path;

use pliant_scene::{AnyWorld, Scene};
use pliant_world::World;

const BASE: &str = "pliant = 1\nspacing = 0.05\n[materials.m]\nyoung = 1e5\ndensity = 2000\n[[objects]]\nname = \"cube\"\n\
    shape.box.size = [0.2, 0.2, 0.2]\nposition = [0, 1, 0]\nmaterial = \"m\"\n";

fn scene(text: &str) -> Scene {
    Scene::from_text(text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn space(text: &str) -> World<3> {
    match scene(text).build().unwrap_or_else(|error| panic!("{error}")) {
        AnyWorld::Space(world) => world,
        AnyWorld::Plane(_) => panic!("expected a world in space"),
    }
}

fn build_error(text: &str) -> String {
    scene(text).build().expect_err("it cannot be built").to_string()
}

#[test]
fn a_box_is_filled_and_weighs_what_it_should() {
    let world = space(BASE);
    assert_eq!((world.particles.len(), world.bodies.len()), (64, 1));
    let mass: f64 = world.particles.mass.iter().sum();
    assert!((mass - 2000.0 * 0.008).abs() < 1e-9);
    let center: pliant_math::Vec3 = world.particles.position.iter().sum::<pliant_math::Vec3>() / 64.0;
    assert!((center - pliant_math::Vec3::new(0.0, 1.0, 0.0)).norm() < 1e-12);
}

#[test]
fn a_body_weighs_the_same_whatever_fills_it() {
    let mass = |sampler: &str| {
        let text = format!("{BASE}sampler = {sampler}\n");
        space(&text).particles.mass.iter().sum::<f64>()
    };
    for sampler in ["\"lattice\"", "\"poisson_disk\"", "{ jittered = { amount = 1 } }"] {
        assert!((mass(sampler) - 2000.0 * 0.008).abs() < 1e-9, "{sampler}: {}", mass(sampler));
    }
}

#[test]
fn particles_draw_their_colours_by_share() {
    let colors = "spacing = 0.01\ncolors = [{ color = [1, 0, 0], share = 3 }, { color = [0, 0, 1] }]\n";
    let world = space(&format!("{BASE}{colors}"));
    let drawn = &world.colors[0].values;
    assert_eq!(drawn.len(), world.particles.len());
    let red = drawn.iter().filter(|color| color[0] == 1.0).count() as f64 / drawn.len() as f64;
    // Eight thousand draws: half a hundredth is one standard deviation.
    assert!((red - 0.75).abs() < 0.02, "{red}");
    assert_eq!(world.colors, space(&format!("{BASE}{colors}")).colors, "the same in every run");
}

#[test]
fn a_picture_colours_what_stands_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    // Two pixels: red on the left, blue on the right.
    let picture =
        image::RgbImage::from_fn(2, 1, |x, _| image::Rgb(if x == 0 { [255, 0, 0] } else { [0, 0, 255] }));
    picture.save(folder.path().join("two.png")).unwrap();
    let text = format!("{BASE}color_image = {{ path = \"two.png\", width = 0.2 }}\nrotation = [0, 180, 0]\n");
    let scene = Scene::from_text(&text, folder.path(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let Ok(AnyWorld::Space(world)) = scene.build() else { panic!("a world in space") };
    for (x, color) in world.particles.position.iter().zip(&world.colors[0].values) {
        // Turned about y, left is right.
        assert_eq!(*color, if x.x > 0.0 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] }, "{x}");
    }
}

#[test]
fn expressions_give_every_particle_its_own_values() {
    let text = BASE
        .replace("density = 2000", "density = \"1000 + 1000 * (x > 0)\"")
        .replace("1e5", "\"1e5 * (2 + x)\"")
        + "velocity = [\"y\", 0, \"-x\"]\n";
    let world = space(&text);
    for (i, p) in world.particles.position.iter().enumerate() {
        let density = if p.x > 0.0 { 2000.0 } else { 1000.0 };
        assert!((world.particles.mass[i] / world.particles.rest_volume[i] - density).abs() < 1e-9);
        assert!((world.material_of(i).lame.young() - 1e5 * (2.0 + p.x)).abs() < 1e-4);
        assert_eq!(world.particles.velocity[i], pliant_math::Vec3::new(p.y, 0.0, -p.x));
    }
}

#[test]
fn values_out_of_range_name_the_key_and_the_particle() {
    let error = build_error(&BASE.replace("1e5", "\"1e5 * x\""));
    assert!(
        error.starts_with("the value is -7500 Pa at (-0.0750, 0.9250, -0.0750) m, but must be positive"),
        "{error}"
    );
    assert!(error.contains("young = \"1e5 * x\""), "{error}");
    let error = build_error(&(BASE.to_owned() + "velocity = [0, \"1/(x - x)\", 0]"));
    assert!(error.contains("but must be finite"), "{error}");
    let error = build_error(&BASE.replace("pliant = 1", "pliant = 1\ngravity = [0, \"ln(-t-1)\", 0]"));
    assert!(error.starts_with("the acceleration is not finite at"), "{error}");
    assert!(error.contains("gravity = [0, \"ln(-t-1)\", 0]"), "{error}");
}

#[test]
fn spin_turns_about_the_centre_of_mass() {
    let world = space(&(BASE.to_owned() + "velocity = [1, 0, 0]\nspin = [0, 0, \"60 rpm\"]\n"));
    let momentum: pliant_math::Vec3 =
        world.particles.velocity.iter().zip(&world.particles.mass).map(|(v, m)| v * *m).sum();
    assert!((momentum - pliant_math::Vec3::new(16.0, 0.0, 0.0)).norm() < 1e-9);
    let p = world.particles.position[0] - pliant_math::Vec3::new(0.0, 1.0, 0.0);
    let expected =
        pliant_math::Vec3::new(1.0 - std::f64::consts::TAU * p.y, std::f64::consts::TAU * p.x, 0.0);
    assert!((world.particles.velocity[0] - expected).norm() < 1e-9);
}

#[test]
fn copies_are_bodies_of_their_own() {
    let pin = "pins = [{ region = { shape.box.size = [1, 0.1, 1], position = [0, 1.1, 0] }, \
        motion.rotating = { axis = [0, 1, 0], rate = 1 } }]\n";
    let world = space(&(BASE.to_owned() + "copies = { count = [2, 1, 2], step = [0.5, 0, 0.5] }\n" + pin));
    let names: Vec<&str> = world.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["cube", "cube.2", "cube.3", "cube.4"]);
    assert_eq!(world.pins.len(), 4);
    for (pin, body) in world.pins.iter().zip(&world.bodies) {
        assert_eq!(pin.particles.len(), 16, "the top layer of each copy");
        assert!(pin.particles.iter().all(|&i| body.particles.contains(&(i as usize))));
        let center = pin.initial.iter().sum::<pliant_math::Vec3>() / 16.0;
        let moved = pin.motion.world_from_initial(1.0).transform_point(&center.into());
        assert!((moved.coords - center).norm() < 1e-9, "each copy turns about itself");
    }
}

#[test]
fn a_pin_that_holds_nothing_is_an_error() {
    let error = build_error(&(BASE.to_owned() + "pins = [{ region.shape.ball.radius = 0.1 }]\n"));
    assert!(error.starts_with("this pin holds no particle of `cube`"), "{error}");
    assert!(error.contains("^ move or enlarge its region"), "{error}");
}

#[test]
fn plane_scenes_take_two_components() {
    let text = "pliant = 1\ndimension = 2\nspacing = 0.1\ngravity = [0, -9.81]\n[materials.m]\nyoung = 1e5\n[[objects]]\n\
        shape.box.size = [1, 0.5]\nrotation = 90\nspin = 1\nmaterial = \"m\"\nvelocity = [1, 0]\n\
        [[colliders]]\nshape.box.size = [10, 1]\nposition = [0, -2]\n";
    let AnyWorld::Plane(world) = scene(text).build().unwrap() else { panic!("expected a plane world") };
    assert_eq!(world.particles.len(), 50);
    let widest = world.particles.position.iter().map(|p| p.x).fold(0.0, f64::max);
    assert!((widest - 0.2).abs() < 1e-9, "it was turned");
    assert!((world.particles.mass.iter().sum::<f64>() - 500.0).abs() < 1e-9);
    let collider = &world.colliders[0];
    let contact =
        collider.contact(&collider.world_from_initial(0.0), &pliant_math::Vec3::new(0.0, -1.6, 0.0), 1.0);
    assert!((contact.unwrap().normal - pliant_math::Vec3::y()).norm() < 1e-9, "pushed within the plane");
    let tilted =
        Scene::from_text(&text.replace("rotation = 90", "rotation = [90, 0, 0]"), Path::new("."), &[]);
    assert!(tilted.unwrap_err().to_string().starts_with("a scene of dimension 2 turns about z only"));
}

#[test]
fn too_many_particles_are_refused_before_they_are_made() {
    let start = std::time::Instant::now();
    let error = build_error(&BASE.replace("spacing = 0.05", "spacing = \"1 nm\""));
    assert!(error.contains("more than the limit of 2000000"), "{error}");
    assert!(start.elapsed().as_millis() < 500);
}

#[test]
fn every_shape_can_be_filled() {
    for shape in [
        "box.size = [0.3, 0.3, 0.3]",
        "ball.radius = 0.2",
        "ellipsoid.radii = [0.1, 0.2, 0.3]",
        "cylinder = { radius = 0.2, height = 0.3 }",
        "cone = { radius = 0.2, height = 0.3 }",
        "capsule = { radius = 0.2, height = 0.3 }",
        "torus = { radius = 0.3, tube_radius = 0.1 }",
        "heightfield = { heights = [[0, 1], [1, 2]], height_scale = \"10 cm\", size = [1, 1], thickness = 0.2 }",
        "model = { name = \"bunny\", height = 1 }",
        "union.shapes = [{ shape.ball.radius = 0.1 }, { shape.ball.radius = 0.1, position = [0.1, 0, 0] }]",
        "intersection.shapes = [{ shape = \"half_space\" }, { shape.ball.radius = 0.2, rotation = [0, 0, 45] }]",
        "difference.shapes = [{ shape.ball.radius = 0.2 }, { shape.ball.radius = 0.1, scale = 0.5 }]",
        "smooth_union = { shapes = [{ shape.ball.radius = 0.1 }], blend = 0.1 }",
    ] {
        let world = space(&BASE.replace("box.size = [0.2, 0.2, 0.2]", shape));
        assert!(world.particles.len() >= 8, "{shape}: {}", world.particles.len());
    }
}

#[test]
fn a_forecast_counts_and_warns() {
    let ground = "[[colliders]]\nshape = \"half_space\"\nname = \"ground\"\n";
    let good = scene(&(BASE.to_owned() + ground)).check(2).unwrap();
    assert_eq!((good.particle_count, good.frame_count, good.step_count), (64, 60, 60 * 17));
    assert!(good.warnings.is_empty(), "{:?}", good.warnings);
    let fast = scene(&(BASE.to_owned() + "velocity = [100, 0, 0]\n" + ground)).check(2).unwrap();
    assert!(fast.warnings.is_empty(), "{:?}", fast.warnings);
    assert!(good.memory_bytes > 100_000 && good.wall_time > 0.01);
    for (text, expected) in [
        (BASE.to_owned(), "nothing is below `cube`"),
        (
            BASE.replace("[0, 1, 0]", "[0, -1, 0]") + ground,
            "64 of 64 particles of `cube` start inside the collider `ground`",
        ),
        (
            BASE.to_owned() + "copies = { count = [2, 1, 1], step = [0.15, 0, 0] }\n" + ground,
            "`cube` and `cube.2` overlap",
        ),
        (
            "method.sph = {}\n".to_owned()
                + BASE
                + ground
                + "[materials.water]\npreset = \"water\"\n[[objects]]\nname = \"sea\"\n\
                   shape.box.size = [0.3, 0.3, 0.3]\nposition = [0, 1, 0]\nmaterial = \"water\"\n",
            "`cube` and `sea` overlap",
        ),
        (
            "method = \"gbb2009\"\n".to_owned() + &BASE.replace("[0, 1, 0]", "[0, 100, 0]") + ground,
            "`cube` reaches about 19.6 m/s",
        ),
        // The implicit method sees a collider at any speed, but another body only within two spacings.
        (
            BASE.to_owned()
                + "velocity = [100, 0, 0]\ncopies = { count = [2, 1, 1], step = [5, 0, 0] }\n"
                + ground,
            "spacings in a step",
        ),
        (BASE.replace("1e5", "1e13") + ground, "is long for the stiffest material"),
    ] {
        let warnings = scene(&text).check(2).unwrap().warnings;
        assert!(warnings.iter().any(|warning| warning.contains(expected)), "{expected}: {warnings:?}");
    }
}

#[test]
fn the_explicit_method_is_chosen_by_name_and_its_sub_steps_are_forecast() {
    let ground = "[[colliders]]\nshape = \"half_space\"\n";
    let explicit = |settings: &str| scene(&format!("{BASE}{ground}[method.gbb2009]\n{settings}"));
    let forecast = |settings: &str| explicit(settings).check(2).unwrap();
    // 2 d/(κ c) = 2 · 0.05/(1.47 √(1.346e5/2000)) s = 8.3 ms.
    let plain = forecast("");
    assert_eq!((plain.substeps, plain.warnings.len()), (1.0, 0), "{:?}", plain.warnings);
    assert_eq!(forecast("substep = \"0.1 ms\"").substeps, 20.0);
    let stiff = scene(&format!("method = \"gbb2009\"\n{}{ground}", BASE.replace("1e5", "1e9")));
    assert_eq!(stiff.method.name(), "gbb2009");
    assert!((20.0..40.0).contains(&stiff.check(2).unwrap().substeps), "{}", stiff.check(2).unwrap().substeps);
    assert!(forecast("neighbour_radius = 4.5").memory_bytes > plain.memory_bytes);
    assert!(forecast("nearest = 200").memory_bytes > plain.memory_bytes);
    let mut simulation =
        explicit("nearest = 30\npressure = \"100 kPa\"\nviscosity = \"1 Pa*s\"").simulation().unwrap();
    simulation.step().unwrap();
    assert_eq!(simulation.steps(), 1);
}

#[test]
fn a_trial_step_is_judged() {
    let ground = "[[colliders]]\nshape = \"half_space\"\n[method.gbb2009]\n";
    let explicit = scene(&(BASE.replace("[0, 1, 0]", "[0, 0.2, 0]") + ground));
    let scale = explicit.step_scale().unwrap();
    assert!((scale.first_guess / scale.crossing_time - 2.0 / 1.47).abs() < 1e-9, "{scale:?}");
    let verdict = |share: f64| {
        let mut trial = explicit.step_trial(share * scale.first_guess, 0.4).unwrap();
        (0..10_000).find_map(|_| trial.advance()).expect("a trial ends")
    };
    assert_eq!(verdict(0.2), pliant_scene::Verdict::Stable);
    let pliant_scene::Verdict::Unstable { time, cause } = verdict(3.0) else {
        panic!("three times the limit")
    };
    assert!(time <= 0.4 && !cause.is_empty(), "{time} {cause}");
}

const EMITTER: &str = "pliant = 1\nspacing = 0.05\ndimension = 2\nmethod = \"mpm\"\ntime.duration = 1\n[materials.m]\n\
    young = 1e5\ndensity = 2000\n[[objects]]\nname = \"spout\"\nshape.box.size = [0.2, 0.1]\nmaterial = \"m\"\n";

fn plane(text: &str) -> World<2> {
    match scene(text).build().unwrap_or_else(|error| panic!("{error}")) {
        AnyWorld::Plane(world) => world,
        AnyWorld::Space(_) => panic!("expected a world in the plane"),
    }
}

#[test]
fn bursts_are_bodies_that_appear_one_after_the_other_until_the_end() {
    let bursts = "velocity = [0, -1]\nemit.bursts = { start = 0.25, every = 0.5, count = 9 }\n";
    let world = plane(&(EMITTER.to_owned() + bursts));
    let names: Vec<&str> = world.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!((names, world.particles.len()), (vec!["spout", "spout.2"], 16));
    let births: Vec<f64> = (0..16).map(|i| world.particles.birth_of(i)).collect();
    assert_eq!((&births[..8], &births[8..]), (&[0.25; 8][..], &[0.75; 8][..]));
    assert!(!world.particles.is_present(0, 0.2) && world.particles.is_present(0, 0.25));
    assert_eq!(world.particles.present(0.5), Some((0..8).collect()));
    assert_eq!(world.particles.present(0.75), None);
}

#[test]
fn a_stream_is_a_row_of_layers_at_the_spacing_of_the_shape() {
    let stream = "velocity = [2, 0]\nemit.stream = { start = 0.1, duration = 0.5 }\n";
    let world = plane(&(EMITTER.to_owned() + stream));
    let p = &world.particles;
    assert_eq!(world.bodies.len(), 1);
    // Four columns of two at first, then a column for every spacing that the stream moves, at the rear.
    assert_eq!(p.len(), 8 + 2 * 20);
    for time in [0.1, 0.333, 0.6] {
        let mut along: Vec<f64> =
            (0..p.len()).filter(|&i| p.is_present(i, time)).map(|i| p.place_at(i, time)[0]).collect();
        along.sort_by(f64::total_cmp);
        let gaps = along.chunks(2).map(|pair| pair[0]).collect::<Vec<_>>();
        assert!(gaps.windows(2).all(|pair| (pair[1] - pair[0] - 0.05).abs() < 1e-9), "{time}: {gaps:?}");
        assert!(gaps[0] >= -0.075 - 1e-9 && gaps[0] < -0.025, "{time}: {gaps:?}");
    }
}

#[test]
fn spins_and_expressions_give_particles_their_velocity_gradient() {
    let world = plane(&(EMITTER.to_owned() + "spin = 3\nvelocity = [\"2 * y\", \"x * x\"]\n"));
    for (i, x) in world.particles.position.iter().enumerate() {
        let expected = pliant_math::Mat::<2>::new(0.0, 2.0 - 3.0, 2.0 * x[0] + 3.0, 0.0);
        assert!((world.initial_velocity_gradient(i) - expected).amax() < 1e-9);
    }
    assert!(plane(&(EMITTER.to_owned() + "velocity = [1, 0]\n")).velocity_gradients.is_empty());
}
