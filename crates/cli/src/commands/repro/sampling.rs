//! Kugelstadt 2021, Fig. 5 and 6: what samplers make of models with thin parts.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use pliant_geometry::sampling::quality::Quality;
use pliant_render::Image;
use pliant_scene::Matter;
use serde_json::{Value, json};

use super::{Options, kugelstadt, write_scenes};
use crate::exit::{Failure, INPUT};
use crate::frames::FrameRange;
use crate::loading::LoadedScene;
use crate::pictures::{self, PictureOptions};
use crate::progress::Desk;

/// One filling of a model.
struct Line {
    scene: &'static str,
    set: Vec<String>,
    label: String,
}

/// A filling as found.
struct Found {
    label: String,
    seconds: f64,
    quality: Quality,
    picture: Image,
}

/// Fig. 5: two models by three samplers.
pub(super) fn comparison(options: &Options, _: usize, desk: &mut Desk) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for (scene, object) in [("fig5_sculpture.toml", "sculpture"), ("fig5_armadillo.toml", "armadillo")] {
        for sampler in ["lattice", "relaxed", "blue_noise"] {
            let set = vec![format!("objects.{object}.sampler={sampler}")];
            lines.push(Line { scene, set, label: format!("{object}, {sampler}") });
        }
    }
    let shows =
        "Kugelstadt 2021, Fig. 5: a sculpture and an armadillo by a lattice, relaxed, and after Jiang 2015";
    make("kugelstadt-fig5", shows, lines, options, desk)
}

/// Fig. 6: a dragon at several resolutions.
pub(super) fn resolutions(options: &Options, _: usize, desk: &mut Desk) -> Result<(), Failure> {
    let line = |spacing: &str| Line {
        scene: "fig6_dragon.toml",
        set: vec![format!("spacing={spacing}")],
        label: format!("dragon, spacing {spacing}"),
    };
    let lines = ["4cm", "2.5cm", "1.5cm"].map(line).into_iter().collect();
    let shows = "Kugelstadt 2021, Fig. 6: a dragon relaxed at several resolutions";
    make("kugelstadt-fig6", shows, lines, options, desk)
}

fn make(
    name: &str,
    shows: &str,
    lines: Vec<Line>,
    options: &Options,
    desk: &mut Desk,
) -> Result<(), Failure> {
    let folder = options.out.join(name);
    write_scenes(&folder.join("scenes"), &kugelstadt::SCENES)?;
    let mut found = Vec::new();
    for line in lines {
        let path = folder.join("scenes").join("kugelstadt2021").join(line.scene);
        found.push(fill(&path, line, &options.set, desk)?);
    }
    let rows: Vec<Vec<Image>> =
        found.chunks(3).map(|row| row.iter().map(|f| f.picture.clone()).collect()).collect();
    let file = folder.join("figure.png");
    Image::grid(&rows)?.save(&file)?;
    let text = report(name, shows, &found);
    let path = folder.join("figure.md");
    fs::write(&path, &text).map_err(|error| Failure::io("write", &path, &error))?;
    let facts: Vec<Value> = found.iter().map(facts).collect();
    desk.progress.event("figure", json!({ "figure": name, "picture": file, "rows": facts }))?;
    desk.progress.result(&format!("{text}\nin {}", folder.display()))
}

fn fill(path: &std::path::Path, line: Line, more: &[String], desk: &mut Desk) -> Result<Found, Failure> {
    let set: Vec<String> = line.set.into_iter().chain(more.iter().cloned()).collect();
    let scene = LoadedScene::read(path, &set, None)?.scene;
    let start = Instant::now();
    desk.fill(&scene)?;
    let seconds = start.elapsed().as_secs_f64();
    let object = scene.objects.first().ok_or_else(|| Failure::new(INPUT, "the scene has no object"))?;
    let (Matter::Filled { shape, .. }, Some(points)) = (&object.matter, object.filling()) else {
        return Err(Failure::new(INPUT, "the object of the scene has no shape to fill"));
    };
    let quality = Quality::of(points, shape, object.spacing, scene.dimension);
    let drawing = PictureOptions {
        render: scene.render.clone(),
        quality: pliant_render::Quality::default(),
        frames: FrameRange::ALL,
        out: PathBuf::new(),
    };
    let picture = pictures::of_snapshot(&scene.simulation()?.snapshot(), &scene, &drawing)?;
    Ok(Found { label: line.label, seconds, quality, picture })
}

fn facts(found: &Found) -> Value {
    let quality = &found.quality;
    json!({
        "row": found.label, "seconds": found.seconds, "particles": quality.count,
        "neighbours_min": quality.neighbours.min, "few_neighbours": quality.lonely,
        "coplanar": quality.coplanar, "colinear": quality.colinear,
        "nearest_min": quality.nearest.min, "nearest_mean": quality.nearest.mean,
        "nearest_deviation": quality.nearest_deviation, "density_error": quality.density_error,
        "outside": quality.outside, "apart": quality.apart,
    })
}

fn report(name: &str, shows: &str, found: &[Found]) -> String {
    let mut text = format!(
        "# {name}\n\n{shows}. The paper: denser and better distributed than Jiang 2015, thin parts kept, fewer \
         degenerate neighbourhoods than a lattice.\n\n![in the order of the table, three a row](figure.png)\n\n\
         | filling | particles | fewest neighbours | few | coplanar | colinear | nearest, least | mean | deviation | \
         density error | outside | apart | seconds |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for Found { label, seconds, quality, .. } in found {
        let _ = writeln!(
            text,
            "| {label} | {} | {:.0} | {} | {} | {} | {:.2} | {:.3} | {:.3} | {} | {} | {} | {seconds:.1} |",
            quality.count,
            quality.neighbours.min,
            quality.lonely,
            quality.coplanar,
            quality.colinear,
            quality.nearest.min,
            quality.nearest.mean,
            quality.nearest_deviation,
            quality.density_error.map_or("-".to_owned(), |error| format!("{error:.4}")),
            quality.outside,
            quality.apart,
        );
    }
    text
}
