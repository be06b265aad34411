//! Pictures of synthetic snapshots, to look at after a change of light or colour:
//! `cargo run -p pliant-render --example gallery -- FOLDER`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use pliant_geometry::{Placement, Shape};
use pliant_math::Vec3;
use pliant_render::{
    Collider, ColourBy, Coverage, FieldColours, Framing, Movie, Quality, Renderer, Style, SurfaceMesh,
    SurfaceOptions, View, surface_of, write_plots,
};
use pliant_world::snapshot::{Column, Field, Snapshot};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("give a folder for the pictures")?);
    std::fs::create_dir_all(&folder)?;
    let cube = cube(15, 0.02);
    take(&folder, "cube", &cube, &[ground()], &ColourBy::Body)?;
    take(&folder, "speed", &cube, &[ground()], &by(&cube, "velocity"))?;
    let creature = creature(0.012);
    take(&folder, "creature", &creature, &[ground(), ball()], &ColourBy::Body)?;
    take(&folder, "pressure", &creature, &[ground(), ball()], &by(&creature, "pressure"))?;
    let start = Instant::now();
    let skin = surface_of(&creature, &SurfaceOptions::default())?;
    println!("surface: {} triangles, {:.3} s", skin.triangles.len(), start.elapsed().as_secs_f64());
    skin.save_ply(&folder.join("skin.ply"))?;
    take_with(&folder, "skin", &creature, Some(&skin), &[ground(), ball()], &ColourBy::Body)?;
    let disc = disc(0.01);
    take(&folder, "disc", &disc, &[ground(), ball()], &ColourBy::Body)?;
    take(&folder, "disc_speed", &disc, &[ground(), ball()], &by(&disc, "velocity"))?;
    movie(&folder)?;
    plots(&folder)
}

/// A cube that falls, bounces and turns.
fn movie(folder: &Path) -> Outcome {
    let (fps, count) = (30.0, 75);
    let frames: Vec<Snapshot> = (0..count).map(|frame| falling(f64::from(frame) / fps)).collect();
    let mut framing = Framing::default();
    let mut colours = FieldColours::new("velocity");
    for frame in &frames {
        framing.include(frame);
        colours.range.include(frame, "velocity");
    }
    let style = Style {
        width: 640,
        height: 360,
        quality: Quality::Normal,
        colour_by: ColourBy::Field(colours),
        shows_time: true,
        ..Style::default()
    };
    let camera = framing.camera(16.0 / 9.0, Coverage::AllAround);
    let renderer = Renderer::new(style);
    let start = Instant::now();
    let mut movie = Movie::new(640, 360, fps)?;
    let mut encoding = 0.0;
    for frame in &frames {
        let camera = camera.orbited(12.0 * frame.time);
        let image =
            renderer.picture(&View { snapshot: frame, surface: None, colliders: &[ground()], camera })?;
        let before = Instant::now();
        movie.push(&image)?;
        encoding += before.elapsed().as_secs_f64();
    }
    movie.save(&folder.join("falling.mp4"))?;
    println!("movie: {count} frames, {:.2} s, of it {encoding:.2} s encoding", start.elapsed().as_secs_f64());
    Ok(())
}

fn falling(time: f64) -> Snapshot {
    let mut snapshot = cube(14, 0.02);
    snapshot.time = time;
    let height = 0.25 * (4.0 * time).cos().abs() * (-0.5 * time).exp();
    for field in &mut snapshot.fields {
        if let ("position", Column::Vector(positions)) = (field.name.as_str(), &mut field.column) {
            positions.iter_mut().for_each(|position| position[1] += height as f32 - 0.1);
        }
    }
    snapshot
}

fn plots(folder: &Path) -> Outcome {
    let row = |i: i32| {
        let t = f64::from(i) / 50.0;
        let (kinetic, elastic) = (800.0 * (3.0 * t).sin().powi(2), 300.0 * (3.0 * t).cos().powi(2));
        let potential = 900.0 * (-t).exp();
        let energies = [("kinetic", kinetic), ("elastic", elastic), ("potential", potential)];
        let mut row: Vec<(String, f64)> = energies.map(|(name, e)| (format!("{name}_energy"), e)).to_vec();
        row.push(("total_energy".to_owned(), kinetic + elastic + potential));
        row.push(("dt".to_owned(), 2e-3));
        (t, row)
    };
    let written = write_plots(&(0..150).map(row).collect::<Vec<_>>(), folder)?;
    println!("plots: {} files", written.len());
    Ok(())
}

fn by(snapshot: &Snapshot, field: &str) -> ColourBy {
    let mut colours = FieldColours::new(field);
    colours.range.include(snapshot, field);
    ColourBy::Field(colours)
}

fn take(
    folder: &Path,
    name: &str,
    snapshot: &Snapshot,
    colliders: &[Collider],
    colour_by: &ColourBy,
) -> Outcome {
    take_with(folder, name, snapshot, None, colliders, colour_by)
}

fn take_with(
    folder: &Path,
    name: &str,
    snapshot: &Snapshot,
    surface: Option<&SurfaceMesh>,
    colliders: &[Collider],
    colour_by: &ColourBy,
) -> Outcome {
    let mut framing = Framing::default();
    framing.include(snapshot);
    framing.include_point(&Vec3::zeros());
    let camera = if name.starts_with("disc") {
        framing.flat_camera(16.0 / 9.0)
    } else {
        framing.camera(16.0 / 9.0, Coverage::OneSide)
    };
    let style = Style { colour_by: colour_by.clone(), ..Style::default() };
    let view = View { snapshot, surface, colliders, camera };
    let start = Instant::now();
    let image = Renderer::new(style).picture(&view)?;
    println!("{name}: {} particles, {:.3} s", snapshot.positions().len(), start.elapsed().as_secs_f64());
    Ok(image.save(&folder.join(format!("{name}.png")))?)
}

fn ground() -> Collider {
    Collider::new(&Shape::HalfSpace { normal: Vec3::y(), offset: 0.0 }, None)
}

fn ball() -> Collider {
    let placement = Placement::translation(Vec3::new(-0.55, 0.14, 0.05));
    Collider::new(&Shape::Ball { radius: 0.14 }, None).at(placement)
}

/// Particles with the fields a solver would give them.
fn snapshot(particles: &[(Vec3, u32)], radius: f32) -> Snapshot {
    let positions = particles.iter().map(|(p, _)| p.cast::<f32>().into()).collect();
    let speed = |p: &Vec3| Vec3::new(-p.z, -2.0 * p.y, p.x).cast::<f32>().into();
    let velocities = particles.iter().map(|(p, _)| speed(p)).collect();
    let pressures = particles.iter().map(|(p, _)| 9e4 * ((9.0 * p.y).sin() + 0.2) as f32).collect();
    let bodies = particles.iter().map(|(_, body)| *body).collect();
    let columns = [
        ("position", Column::Vector(positions)),
        ("velocity", Column::Vector(velocities)),
        ("pressure", Column::Scalar(pressures)),
        ("radius", Column::Scalar(vec![radius; particles.len()])),
        ("body", Column::Integer(bodies)),
    ];
    let fields = columns.into_iter().map(|(name, column)| Field { name: name.to_owned(), column }).collect();
    Snapshot { fields, ..Snapshot::default() }
}

fn cube(side: u32, spacing: f64) -> Snapshot {
    let at = |i: u32| (f64::from(i) - 0.5 * f64::from(side - 1)) * spacing;
    let turn = nalgebra::Rotation3::from_euler_angles(0.35, 0.5, 0.2);
    let grid = (0..side).flat_map(|i| (0..side).flat_map(move |j| (0..side).map(move |k| (i, j, k))));
    let place = |(i, j, k)| (turn * Vec3::new(at(i), at(j), at(k)) + Vec3::new(0.0, 0.32, 0.0), 0);
    snapshot(&grid.map(place).collect::<Vec<_>>(), 0.5 * spacing as f32)
}

fn creature(spacing: f64) -> Snapshot {
    let balls = [
        (Vec3::new(0.0, 0.2, 0.0), 0.2, 1),
        (Vec3::new(0.02, 0.44, 0.1), 0.13, 1),
        (Vec3::new(-0.06, 0.6, 0.08), 0.05, 1),
        (Vec3::new(-0.09, 0.68, 0.07), 0.04, 1),
        (Vec3::new(0.10, 0.6, 0.08), 0.05, 1),
        (Vec3::new(0.13, 0.68, 0.07), 0.04, 1),
        (Vec3::new(0.0, 0.12, -0.22), 0.07, 1),
        (Vec3::new(0.45, 0.12, 0.12), 0.12, 0),
        (Vec3::new(0.42, 0.08, -0.35), 0.08, 2),
    ];
    let mut particles = Vec::new();
    for (i, j, k) in (0..120).flat_map(|i| (0..80).flat_map(move |j| (0..80).map(move |k| (i, j, k)))) {
        let p = Vec3::new(f64::from(i) - 60.0, f64::from(j), f64::from(k) - 40.0) * spacing;
        if let Some((_, _, body)) = balls.iter().find(|(center, radius, _)| (p - center).norm() < *radius) {
            particles.push((p + Vec3::new(0.0, 0.5 * spacing, 0.0), *body));
        }
    }
    snapshot(&particles, 0.5 * spacing as f32)
}

fn disc(spacing: f64) -> Snapshot {
    let grid = (-30..=30).flat_map(|i| (0..=70).map(move |j| (i, j)));
    let place = |(i, j): (i32, i32)| Vec3::new(f64::from(i), f64::from(j), 0.0) * spacing;
    let is_in = |p: &Vec3, center: Vec3| (p - center).norm() < 0.16;
    let round = grid.map(place).filter_map(|p| {
        let body =
            [Vec3::new(-0.1, 0.17, 0.0), Vec3::new(0.1, 0.5, 0.0)].iter().position(|c| is_in(&p, *c))?;
        Some((p, if body == 0 { 1 } else { 3 }))
    });
    snapshot(&round.collect::<Vec<_>>(), 0.5 * spacing as f32)
}
