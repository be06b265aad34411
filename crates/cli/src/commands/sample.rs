//! `pliant sample`: the particles a scene starts with.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pliant_export::{Exporter, Format};
use pliant_geometry::neighbours::Cells;
use pliant_math::Vec3;
use pliant_world::Snapshot;
use serde_json::{Value, json};

use crate::args::SceneArgs;
use crate::console;
use crate::exit::{Failure, INPUT};
use crate::job::up_axis;
use crate::loading::LoadedScene;
use crate::pictures::create;

/// Fill the objects of a scene and tell how evenly: counts, neighbours, spacing.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant sample scenes/quickstart.toml --out points.ply")]
pub struct Options {
    #[command(flatten)]
    scene: SceneArgs,
    /// File for the particles; its extension is the format: ply, csv, vtp, geo, bgeo, npz.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
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
    let mut simulation = loaded.scene.simulation()?;
    let snapshot = simulation.snapshot();
    if let Some(file) = &options.out {
        save(&snapshot, file, &loaded)?;
    }
    let facts = facts(&snapshot, &simulation.warnings());
    if options.json {
        return console::pretty_json(&facts);
    }
    console::line(&text(&facts))?;
    options.out.as_ref().map_or(Ok(()), |file| console::line(&format!("particles in {}", file.display())))
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
        cells.for_each_near(position, |j| {
            if j as usize != i {
                best = best.min((positions[j as usize] - position).norm());
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
    let mut lines = vec![
        format!("{} particles, by body: {}", facts["particles"], facts["particles_of_bodies"]),
        format!(
            "neighbours: {} to {}, mean {}",
            neighbours["min"],
            neighbours["max"],
            number(&neighbours["mean"])
        ),
        format!(
            "nearest particle, in spacings: {} to {}, mean {}",
            number(&nearest["min"]),
            number(&nearest["max"]),
            number(&nearest["mean"])
        ),
    ];
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
