//! The engine beside the plain file that teaches the method, which shares no code with it.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

#[path = "../examples/fumoto.rs"]
mod fumoto;

use fumoto::{Settings, snowball};
use nalgebra::Vector2;
use pliant_material::plastic::Snow;
use pliant_material::{Lame, Law, Material, Plastic, preset};
use pliant_math::{Vec3, Vect};
use pliant_mpm::{Domain, Gradient, Kernel, MpmSettings, Precision, Transfer, VolumeRule, solver};
use pliant_solver::{Care, Span};
use pliant_world::{Acceleration, Column, World};

fn material(settings: &Settings) -> Material {
    let snow = Snow {
        critical_compression: settings.compression,
        critical_stretch: settings.stretch,
        hardening: settings.hardening,
        det_min: 1e-3,
        det_max: 1e3,
    };
    Material {
        law: Some(Law::FixedCorotated),
        lame: Lame::new(settings.young, settings.poisson).unwrap(),
        plastic: Some(Plastic::Snow(snow)),
        density: 400.0,
        ..preset("snow").unwrap().material()
    }
}

/// Positions and plastic volumes after `steps` of the engine.
fn engine(settings: &Settings, steps: usize) -> (Vec<Vect<2>>, Vec<f32>) {
    let (h, nodes) = (settings.grid_size, settings.resolution[0]);
    let mut world = World::<2>::empty();
    world.materials.push(material(settings));
    world.add_body("snow", &settings.position, 0.5 * h, 0);
    world.particles.velocity.fill(settings.velocity);
    world.particles.mass.fill(settings.mass);
    world.accelerations.push(Acceleration::uniform(Vec3::new(settings.force.x, settings.force.y, 0.0)));
    let (low, high) = (2.0 * h, (nodes - 3) as f64 * h);
    let walls = Domain { min: Vec3::repeat(low), max: Vec3::repeat(high), friction: 0.0, sticky: true };
    let settings_of_engine = MpmSettings {
        spacing: Some(h),
        kernel: Kernel::Cubic,
        transfer: Transfer::Flip(settings.blending),
        gradient: Gradient::Kernel,
        precision: Precision::Double,
        volume: VolumeRule::Grid,
        domain: Some(walls),
        ..MpmSettings::default()
    };
    let mut solver = solver(&world, settings_of_engine);
    let dt = settings.time_step;
    for step in 0..steps {
        let span = Span { time: step as f64 * dt, dt, care: Care::Strict };
        solver.step(&mut world, span).unwrap();
    }
    solver.publish(&mut world);
    let fields = solver.fields(&world);
    let volumes = fields.into_iter().find(|field| field.name == "Jp").unwrap().column;
    let Column::Scalar(volumes) = volumes else { panic!("a number a particle") };
    (world.particles.position, volumes)
}

fn plain(settings: &Settings, steps: usize) -> fumoto::Mpm {
    let mut mpm = fumoto::Mpm::initialise(settings.clone());
    (0..steps).for_each(|_| mpm.simulate());
    mpm
}

#[test]
fn the_engine_and_the_plain_file_agree_on_a_snowball_that_breaks() {
    // PIC, for which the particle's and the grid's velocity are the same: Eq. 17 moves by the former, the engine by the
    // latter.
    let settings = snowball(Vector2::new(1.0, -3.0), 0.0);
    let steps = 1200;
    let (position, volume) = engine(&settings, steps);
    let mpm = plain(&settings, steps);
    let miss = position.iter().zip(&mpm.position).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(miss < 1e-9, "{miss:e} m apart");
    let packed = mpm.plastic.iter().map(nalgebra::Matrix::determinant).fold(f64::INFINITY, f64::min);
    assert!(packed < 0.98, "the snowball hit nothing: {packed}");
    for (a, b) in volume.iter().zip(&mpm.plastic) {
        assert!((f64::from(*a) - b.determinant()).abs() < 1e-5, "{a} {}", b.determinant());
    }
}

#[test]
fn a_blend_with_flip_moves_the_snowball_as_far() {
    let settings = snowball(Vector2::new(1.0, -3.0), 0.95);
    let middle = |positions: &[Vect<2>]| positions.iter().sum::<Vect<2>>() / positions.len() as f64;
    let found = middle(&engine(&settings, 900).0);
    let wanted = middle(&plain(&settings, 900).position);
    assert!((found - wanted).norm() < 0.2 * settings.grid_size, "{found} {wanted}");
}

#[test]
fn frames_are_written_for_houdini_and_played_back() {
    let folder = std::env::temp_dir().join(format!("pliant-fumoto-{}", std::process::id()));
    let mpm = plain(&snowball(Vector2::zeros(), 0.95), 1);
    mpm.save_frame(3, &folder).unwrap();
    let files: Vec<_> = std::fs::read_dir(folder.join("geo")).unwrap().flatten().collect();
    let file = files.iter().find(|file| file.file_name().to_string_lossy().ends_with("0003.geo")).unwrap();
    assert!(mpm.render().contains('O'));
    let settings = snowball(Vector2::zeros(), 0.95);
    let mut player = fumoto::Mpm::prep(mpm.position.len(), settings.grid_size, settings.resolution);
    assert_ne!(player.render(), mpm.render());
    player.play(&file.path()).unwrap();
    assert_eq!(player.render(), mpm.render());
    let mut smaller = fumoto::Mpm::prep(3, settings.grid_size, settings.resolution);
    assert!(smaller.play(&file.path()).unwrap_err().to_string().contains("3 particles"));
    std::fs::remove_dir_all(&folder).unwrap();
}
