//! `pliant sample`: the particles a scene starts with.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pliant_export::{Exporter, Format};
use pliant_geometry::neighbours::Cells;
use pliant_geometry::sampling::quality::{self, Quality};
use pliant_math::Vec3;
use pliant_scene::{Matter, Object, Scene};
use pliant_world::Snapshot;
use serde_json::{Value, json};

use crate::args::{SceneArgs, Talk};
use crate::console;
use crate::exit::{Failure, INPUT};
use crate::frames::FrameRange;
use crate::job::up_axis;
use crate::loading::LoadedScene;
use crate::pictures::{self, PictureOptions, create};
use crate::progress::Desk;

/// Fill the objects of a scene and tell how well: counts, neighbours, spacing, density, degenerate places.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant sample scenes/quickstart.toml --out points.ply")]
pub struct Options {
    #[command(flatten)]
    scene: SceneArgs,
    /// File for the particles; its extension is the format: ply, csv, vtp, geo, bgeo, npz.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// File for a picture of the particles (PNG).
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// What colours of the picture show: material, or a field such as neighbour_count; the scene's if left out.
    #[arg(long, value_name = "FIELD", requires = "picture")]
    color_by: Option<String>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Bins of the histogram of spacings, from 0 to twice the nominal one.
const BINS: usize = 20;

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let SceneArgs { scene: path, set, seed } = &options.scene;
    let loaded = LoadedScene::read(path, set, *seed)?;
    Desk::open(&Talk { quiet: options.json, json: false })?.fill(&loaded.scene)?;
    let mut simulation = loaded.scene.simulation()?;
    let snapshot = simulation.snapshot();
    if let Some(file) = &options.out {
        save(&snapshot, file, &loaded)?;
    }
    if let Some(file) = &options.picture {
        draw(&snapshot, file, &loaded.scene, options.color_by.as_deref())?;
    }
    let mut facts = facts(&snapshot, &simulation.warnings());
    facts["objects"] =
        loaded.scene.objects.iter().filter_map(|object| quality(object, &loaded.scene)).collect();
    if options.json {
        return console::pretty_json(&facts);
    }
    console::line(&text(&facts))?;
    for (what, file) in [("particles", &options.out), ("picture", &options.picture)] {
        if let Some(file) = file {
            console::line(&format!("{what} in {}", file.display()))?;
        }
    }
    Ok(())
}

fn draw(snapshot: &Snapshot, file: &Path, scene: &Scene, color_by: Option<&str>) -> Result<(), Failure> {
    let mut render = scene.render.clone();
    render.surface = false;
    if let Some(field) = color_by {
        (render.color_by, render.range) = (field.to_owned(), None);
    }
    let (frames, quality) = (FrameRange::ALL, pliant_render::Quality::default());
    let options = PictureOptions { render, quality, frames, out: PathBuf::new() };
    Ok(pictures::of_snapshot(snapshot, scene, &options)?.save(file)?)
}

/// How well the shape of an object is filled; nothing for one of given points.
fn quality(object: &Object, scene: &Scene) -> Option<Value> {
    let (Matter::Filled { shape, .. }, Some(points)) = (&object.matter, object.filling()) else {
        return None;
    };
    let found = Quality::of(points, shape, object.spacing, scene.dimension);
    let range = |range: &quality::Range| json!({ "min": range.min, "mean": range.mean, "max": range.max });
    Some(json!({
        "name": object.name,
        "particles": found.count,
        "neighbours": range(&found.neighbours),
        "few_neighbours": found.lonely,
        "coplanar": found.coplanar,
        "colinear": found.colinear,
        "nearest_over_spacing": range(&found.nearest),
        "nearest_deviation": found.nearest_deviation,
        "histogram": found.histogram,
        "density_error": found.density_error,
        "outside": found.outside,
        "apart": found.apart,
    }))
}

fn save(snapshot: &Snapshot, file: &Path, loaded: &LoadedScene) -> Result<(), Failure> {
    let extension = file.extension().map(|extension| extension.to_string_lossy().into_owned());
    let Some(extension) = extension else {
        let message = format!("{} has no extension; write points.ply, for example", file.display());
        return Err(Failure::new(INPUT, message));
    };
    let format: Format = extension.parse()?;
    let mut work = file.as_os_str().to_owned();
    work.push(".part");
    let work = PathBuf::from(work);
    create(&work)?;
    let settings = pliant_export::Options {
        up_axis: up_axis(&loaded.scene),
        frames_per_second: loaded.scene.time.fps,
        ..pliant_export::Options::default()
    };
    let written = Exporter::new(format, &work, settings)
        .and_then(|mut exporter| exporter.write(snapshot))
        .map_err(Failure::from)
        .and_then(|path| fs::rename(path, file).map_err(|error| Failure::io("write", file, &error)));
    let removed = fs::remove_dir_all(&work).map_err(|error| Failure::io("remove", &work, &error));
    written.and(removed)
}

fn facts(snapshot: &Snapshot, warnings: &[String]) -> Value {
    let bodies = snapshot.integers("body").unwrap_or_default();
    let count = bodies.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sizes = vec![0_usize; count];
    bodies.iter().for_each(|body| sizes[*body as usize] += 1);
    let neighbours = snapshot.integers("neighbour_count").unwrap_or_default();
    let total: u64 = neighbours.iter().map(|count| u64::from(*count)).sum();
    let spacings = spacings(snapshot);
    json!({
        "particles": bodies.len(),
        "particles_of_bodies": sizes,
        "neighbours": {
            "min": neighbours.iter().min(),
            "mean": total as f64 / neighbours.len().max(1) as f64,
            "max": neighbours.iter().max(),
        },
        "nearest_over_spacing": {
            "min": spacings.iter().copied().reduce(f64::min),
            "mean": spacings.iter().sum::<f64>() / spacings.len().max(1) as f64,
            "max": spacings.iter().copied().reduce(f64::max),
            "histogram": histogram(&spacings),
        },
        "degenerate": warnings,
    })
}

/// Distance of every particle to the nearest other one within two spacings, over the spacing.
fn spacings(snapshot: &Snapshot) -> Vec<f64> {
    let positions: Vec<Vec3> =
        snapshot.positions().iter().map(|position| Vec3::from(position.map(f64::from))).collect();
    let radii = snapshot.scalars(Snapshot::RADIUS).unwrap_or_default();
    let largest = radii.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let cells = Cells::new(&positions, 4.0 * f64::from(largest));
    let nearest = |(i, position): (usize, &Vec3)| {
        let mut best = f64::INFINITY;
        cells.for_each_near(position, |j, there| {
            if j as usize != i {
                best = best.min((there - position).norm());
            }
        });
        let spacing = 2.0 * f64::from(radii.get(i).copied().unwrap_or(largest));
        Some(best / spacing).filter(|ratio| *ratio <= 2.0)
    };
    positions.iter().enumerate().filter_map(nearest).collect()
}

fn histogram(spacings: &[f64]) -> Vec<usize> {
    let mut bins = vec![0; BINS];
    for spacing in spacings {
        bins[((spacing * 0.5 * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    bins
}

fn text(facts: &Value) -> String {
    let number = |value: &Value| value.as_f64().map_or("-".to_owned(), |number| format!("{number:.3}"));
    let (neighbours, nearest) = (&facts["neighbours"], &facts["nearest_over_spacing"]);
    let mut lines =
        vec![format!("{} particles, by body: {}", facts["particles"], facts["particles_of_bodies"])];
    if !neighbours["min"].is_null() {
        lines.push(format!(
            "neighbours in this method: {} to {}, mean {}",
            neighbours["min"],
            neighbours["max"],
            number(&neighbours["mean"])
        ));
    }
    lines.push(format!(
        "nearest particle, in spacings: {} to {}, mean {}",
        number(&nearest["min"]),
        number(&nearest["max"]),
        number(&nearest["mean"])
    ));
    for object in facts["objects"].as_array().into_iter().flatten() {
        lines.push(format!(
            "{}: {:.0} to {:.0} neighbours within two spacings; density error {}; {} particles with few neighbours, {} \
             with coplanar and {} with colinear ones, {} outside, {} apart; nearest ± {}",
            object["name"].as_str().unwrap_or_default(),
            object["neighbours"]["min"].as_f64().unwrap_or(f64::NAN),
            object["neighbours"]["max"].as_f64().unwrap_or(f64::NAN),
            number(&object["density_error"]),
            object["few_neighbours"],
            object["coplanar"],
            object["colinear"],
            object["outside"],
            object["apart"],
            number(&object["nearest_deviation"]),
        ));
    }
    let bins: Vec<u64> =
        nearest["histogram"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let most = bins.iter().copied().max().unwrap_or(0).max(1);
    for (bin, count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
        let bar = "#".repeat(usize::try_from(count * 40 / most).unwrap_or(40));
        lines.push(format!("  {:.1} {count:>8} {bar}", bin as f64 * 2.0 / BINS as f64));
    }
    let degenerate = facts["degenerate"].as_array().into_iter().flatten().filter_map(Value::as_str);
    lines.extend(degenerate.map(|warning| format!("warning: {warning}")));
    lines.join("\n")
}
