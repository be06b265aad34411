//! `pliant repro`: the figures of the papers, run, drawn side by side and measured.

mod bunny_tables;
mod flicker;
mod kugelstadt;
mod nilles;
mod sampling;
mod table1;
mod whole_scenes;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pliant_math::{Mat, Vec3, principal};
use pliant_render::{Image, Quality};
use pliant_store::RunFolder;
use pliant_world::Snapshot;
use serde_json::{Value, json};

use super::run;
use crate::args::Talk;
use crate::console;
use crate::exit::{Failure, INPUT, NUMERICS};
use crate::frames::FrameRange;
use crate::loading::LoadedScene;
use crate::pictures::{self, PictureOptions};
use crate::progress::Desk;

/// Run the scenes of a figure, draw them side by side, and measure what the paper claims.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant repro zhou-fig2 --out runs/repro")]
pub struct Options {
    /// Figures; what there is is listed if none is named.
    #[arg(value_name = "FIGURE")]
    figures: Vec<String>,
    /// Folder that gets one folder a figure.
    #[arg(long, value_name = "DIR", default_value = "runs/repro")]
    out: PathBuf,
    /// Change a value of all scenes, such as spacing=5mm for more particles; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Number of threads; all cores if left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    talk: Talk,
}

/// A figure: the scenes that make it, one a row, and what the paper says of it.
struct Figure {
    name: &'static str,
    shows: &'static str,
    claim: &'static str,
    /// How each row is drawn, one below the other.
    looks: &'static [Look],
    rows: &'static [Row],
}

/// What a picture shows of the matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Particles,
    Surface,
}

/// One row: a shipped scene with changes.
struct Row {
    label: &'static str,
    scene: &'static str,
    set: &'static [&'static str],
}

/// Shipped scenes that figures use, and what they include.
const SCENES: [(&str, &str); 7] = [
    ("bunny.toml", include_str!("../../../../scenes/zhou2013/bunny.toml")),
    ("armadillo.toml", include_str!("../../../../scenes/zhou2013/armadillo.toml")),
    ("angry_birds.toml", include_str!("../../../../scenes/zhou2013/angry_birds.toml")),
    ("cube_elastic.toml", include_str!("../../../../scenes/zhou2013/cube_elastic.toml")),
    ("cube_medium.toml", include_str!("../../../../scenes/zhou2013/cube_medium.toml")),
    ("cube_plastic.toml", include_str!("../../../../scenes/zhou2013/cube_plastic.toml")),
    ("parts/cube.toml", include_str!("../../../../scenes/zhou2013/parts/cube.toml")),
];

const FIGURES: [Figure; 6] = [
    Figure {
        name: "zhou-fig1",
        shows: "Zhou 2013, Fig. 1: a bunny drops on the ground, three stiffnesses",
        claim: "stable from soft to stiff with the same step",
        looks: &[Look::Surface],
        rows: &[
            Row { label: "soft", scene: "bunny.toml", set: &["materials.body.young=50kPa"] },
            Row { label: "medium", scene: "bunny.toml", set: &[] },
            Row { label: "stiff", scene: "bunny.toml", set: &["materials.body.young=5MPa"] },
        ],
    },
    Figure {
        name: "zhou-fig2",
        shows: "Zhou 2013, Fig. 2: a cube, purely elastic, medium plastic and highly plastic",
        claim: "the elastic cube gets its shape back, the others keep a permanent deformation",
        looks: &[Look::Particles],
        rows: &[
            Row { label: "elastic", scene: "cube_elastic.toml", set: &[] },
            Row { label: "medium", scene: "cube_medium.toml", set: &[] },
            Row { label: "plastic", scene: "cube_plastic.toml", set: &[] },
        ],
    },
    Figure {
        name: "zhou-fig3",
        shows: "Zhou 2013, Fig. 3: an armadillo, liquid-like, medium and nearly rigid",
        claim: "one method from very soft to nearly rigid",
        looks: &[Look::Surface],
        rows: &[
            Row {
                label: "liquid-like",
                scene: "armadillo.toml",
                set: &[
                    "materials.body.young=20kPa",
                    "materials.body.plastic={bargteil2007={yield_stress=500}}",
                ],
            },
            Row { label: "medium", scene: "armadillo.toml", set: &[] },
            Row { label: "nearly-rigid", scene: "armadillo.toml", set: &["materials.body.young=50MPa"] },
        ],
    },
    Figure {
        name: "zhou-fig4",
        shows: "Zhou 2013, Fig. 4: large elastic deformation, implicit against GBB09",
        claim: "the implicit method stays stable, GBB09 does not",
        looks: &[Look::Surface, Look::Particles],
        rows: &[
            Row { label: "zhou2013", scene: "armadillo.toml", set: &["materials.body.young=50kPa"] },
            Row {
                label: "gbb2009",
                scene: "armadillo.toml",
                set: &["materials.body.young=50kPa", "method=gbb2009"],
            },
        ],
    },
    Figure {
        name: "zhou-fig5",
        shows: "Zhou 2013, Fig. 5: a cube dropped straight, implicit against GBB09",
        claim: "the implicit method keeps the angle of the cube, GBB09 turns and drifts",
        looks: &[Look::Particles],
        rows: &[
            Row { label: "zhou2013", scene: "cube_elastic.toml", set: &[] },
            Row { label: "updated", scene: "cube_elastic.toml", set: &["method.zhou2013.rest=updated"] },
            // The largest step that `pliant stable-dt` finds for it, less a margin.
            Row { label: "gbb2009", scene: "cube_elastic.toml", set: &["method={gbb2009={substep=0.0003}}"] },
        ],
    },
    Figure {
        name: "zhou-angrybirds",
        shows: "Zhou 2013, Table 1: a bird against a tower",
        claim: "many bodies in contact",
        looks: &[Look::Surface],
        rows: &[Row { label: "angry-birds", scene: "angry_birds.toml", set: &[] }],
    },
];

/// What a paper shows in numbers only.
struct Study {
    name: &'static str,
    shows: &'static str,
    make: fn(&Options, usize, &mut Desk) -> Result<(), Failure>,
}

const STUDIES: [Study; 6] = [
    Study {
        name: "zhou-flicker",
        shows: "Zhou 2013, video: a hand of a falling armadillo, implicit against GBB09",
        make: flicker::make,
    },
    Study {
        name: "zhou-table1",
        shows: "Zhou 2013, Table 1: what a simulated second costs, implicit, explicit and GBB09",
        make: table1::make,
    },
    Study {
        name: "zhou-scenes",
        shows: "Zhou 2013, scenes of Table 1 from impact to rest: implicit against explicit",
        make: whole_scenes::make,
    },
    Study {
        name: "kugelstadt-tables",
        shows: "Kugelstadt 2021, Tables 1 and 2: the split solver against Peer 2018 on the moving bunny",
        make: bunny_tables::make,
    },
    Study {
        name: "kugelstadt-fig5",
        shows: "Kugelstadt 2021, Fig. 5: a sculpture and an armadillo, filled in three ways",
        make: sampling::comparison,
    },
    Study {
        name: "kugelstadt-fig6",
        shows: "Kugelstadt 2021, Fig. 6: a dragon filled at several resolutions",
        make: sampling::resolutions,
    },
];

/// Pictures of a row, as shares of its frames.
const COLUMNS: [f64; 4] = [0.1, 0.4, 0.7, 1.0];

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    if options.figures.is_empty() {
        return list(options);
    }
    options.figures.iter().try_for_each(|name| check_name(name))?;
    let threads = run::use_threads(options.threads)?;
    let mut desk = Desk::open(&options.talk)?;
    let outcome = options.figures.iter().try_for_each(|name| {
        let figures = FIGURES.iter().filter(|figure| figure.name == name);
        let studies = STUDIES.iter().filter(|study| study.name == name);
        figures.into_iter().try_for_each(|figure| make(figure, options, threads, &mut desk))?;
        studies.into_iter().try_for_each(|study| (study.make)(options, threads, &mut desk))?;
        let grids = nilles::FIGURES.iter().filter(|figure| figure.name == name);
        grids.into_iter().try_for_each(|figure| nilles::make(figure, options, threads, &mut desk))?;
        let elastic = kugelstadt::FIGURES.iter().filter(|(figure, _)| figure.name == name);
        elastic.into_iter().try_for_each(|figure| kugelstadt::make(figure, options, threads, &mut desk))
    });
    desk.close(outcome)
}

/// Names of all figures and studies, and what they show.
fn contents() -> impl Iterator<Item = (&'static str, &'static str)> {
    let figures = FIGURES.iter().map(|figure| (figure.name, figure.shows));
    let studies = STUDIES.iter().map(|study| (study.name, study.shows));
    let grids = nilles::FIGURES.iter().map(|figure| (figure.name, figure.shows));
    let elastic = kugelstadt::FIGURES.iter().map(|(figure, _)| (figure.name, figure.shows));
    figures.chain(studies).chain(grids).chain(elastic)
}

fn list(options: &Options) -> Result<(), Failure> {
    if options.talk.json {
        let all: Vec<Value> =
            contents().map(|(name, shows)| json!({ "name": name, "shows": shows })).collect();
        return console::pretty_json(&json!(all));
    }
    let lines: Vec<String> = contents().map(|(name, shows)| format!("{name:22} {shows}")).collect();
    console::line(&lines.join("\n"))
}

fn check_name(name: &str) -> Result<(), Failure> {
    let names: Vec<&str> = contents().map(|(name, _)| name).collect();
    if names.contains(&name) {
        return Ok(());
    }
    Err(Failure::new(INPUT, format!("there is no figure `{name}`; try one of {}", names.join(", "))))
}

/// Runs and draws the rows, lays their pictures out, and writes what was measured beside them.
fn make(figure: &Figure, options: &Options, threads: usize, desk: &mut Desk) -> Result<(), Failure> {
    let folder = options.out.join(figure.name);
    write_scenes(&folder.join("scenes"), &SCENES)?;
    let (mut pictures, mut measures) = (Vec::new(), Vec::new());
    for row in figure.rows {
        let out = folder.join(row.label);
        let set =
            row.set.iter().map(|change| (*change).to_owned()).chain(options.set.iter().cloned()).collect();
        let scene = folder.join("scenes").join(row.scene);
        let run_options = run::Options::whole(scene, set, out.clone(), options.talk.clone());
        let ended = match run::start(&run_options, threads, desk) {
            Ok(()) => "to its end".to_owned(),
            // What a baseline cannot do is part of the figure.
            Err(failure) if failure.code == NUMERICS => failure.message,
            Err(failure) => return Err(failure),
        };
        let run = RunFolder::open(&out)?;
        for look in figure.looks {
            pictures.push(draw(&run, *look, desk)?);
        }
        measures.push(Measure::of(row.label, &run, ended)?);
    }
    let file = folder.join("figure.png");
    Image::grid(&pictures)?.save(&file)?;
    let text = report(figure, &measures);
    let path = folder.join("figure.md");
    fs::write(&path, &text).map_err(|error| Failure::io("write", &path, &error))?;
    let facts: Vec<Value> = measures.iter().map(Measure::facts).collect();
    desk.progress.event("figure", json!({ "figure": figure.name, "picture": file, "rows": facts }))?;
    desk.progress.result(&format!("{text}\nin {}", folder.display()))
}

/// Writes shipped scenes, and the folders they are in, into a folder.
fn write_scenes(folder: &Path, scenes: &[(&str, &str)]) -> Result<(), Failure> {
    for (name, text) in scenes {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| Failure::io("create", parent, &error))?;
        fs::write(&path, text).map_err(|error| Failure::io("write", &path, &error))?;
    }
    Ok(())
}

/// The pictures of a row, each with a camera of its own: what falls and rolls away would be small in a common one.
fn draw(run: &RunFolder, look: Look, desk: &Desk) -> Result<Vec<Image>, Failure> {
    let scene = LoadedScene::of_run(run)?.scene;
    let mut render = scene.render.clone();
    render.surface = look == Look::Surface;
    let (frames, quality) = (FrameRange::ALL, Quality::default());
    let options = PictureOptions { render, quality, frames, out: run.path().to_owned() };
    let numbers: Vec<u32> = run.frames().map(|entry| entry.frame).collect();
    let last = numbers.len().saturating_sub(1) as f64;
    COLUMNS
        .iter()
        .filter_map(|share| numbers.get((share * last).round() as usize))
        .map(|number| pictures::still(run, &scene, &options, *number, &desk.signals))
        .collect()
}

/// What a row shows in numbers, from its first and its last frame.
struct Measure {
    label: &'static str,
    particles: usize,
    time: f64,
    seconds: f64,
    /// Height at the end over height at the start.
    height: f64,
    width: f64,
    /// How far the centre moved along the ground [m].
    drift: f64,
    /// How far the best rigid motion turns [degrees].
    turn: f64,
    /// Root mean square distance from that rigid motion, in particle spacings.
    shape_error: f64,
    ended: String,
}

impl Measure {
    fn of(label: &'static str, run: &RunFolder, ended: String) -> Result<Self, Failure> {
        let mut numbers = run.frames().map(|entry| entry.frame);
        let first = numbers.next().unwrap_or(0);
        let (start, end) = (run.read_frame(first)?, run.read_frame(numbers.last().unwrap_or(first))?);
        let (rest, now) = (points(&start), points(&end));
        let center = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len().max(1) as f64;
        let (from, to) = (center(&rest), center(&now));
        let covariance: Mat<3> = rest.iter().zip(&now).map(|(p, q)| (q - to) * (p - from).transpose()).sum();
        let rotation = principal(&covariance).rotation();
        let misfit: f64 =
            rest.iter().zip(&now).map(|(p, q)| (q - to - rotation * (p - from)).norm_squared()).sum();
        let spacing =
            2.0 * f64::from(start.scalars("radius").and_then(|r| r.first()).copied().unwrap_or(0.5));
        let travel = to - from;
        Ok(Self {
            label,
            particles: rest.len(),
            time: end.time,
            seconds: run.manifest().timings.iter().filter(|(name, _)| *name != "draw").map(|(_, s)| s).sum(),
            height: extent(&now, 1) / extent(&rest, 1),
            width: extent(&now, 0) / extent(&rest, 0),
            drift: travel.x.hypot(travel.z),
            turn: ((rotation.trace() - 1.0) / 2.0).clamp(-1.0, 1.0).acos().to_degrees(),
            shape_error: (misfit / rest.len().max(1) as f64).sqrt() / spacing,
            ended,
        })
    }

    fn facts(&self) -> Value {
        json!({
            "row": self.label, "particles": self.particles, "time": self.time, "seconds": self.seconds,
            "height_ratio": self.height, "width_ratio": self.width, "drift_m": self.drift,
            "turn_degrees": self.turn, "shape_error_spacings": self.shape_error, "ended": self.ended,
        })
    }
}

fn points(snapshot: &Snapshot) -> Vec<Vec3> {
    snapshot.positions().iter().map(|p| Vec3::from(p.map(f64::from))).collect()
}

fn extent(points: &[Vec3], axis: usize) -> f64 {
    let values = points.iter().map(|p| p[axis]);
    values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
}

fn report(figure: &Figure, measures: &[Measure]) -> String {
    let mut text = format!(
        "# {}\n\n{}. The paper: {}.\n\n![rows from top to bottom as in the table](figure.png)\n\n",
        figure.name, figure.shows, figure.claim
    );
    text.push_str("| row | particles | simulated s | wall s | height | width | drift m | turn deg | shape error d | ended |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for row in measures {
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.1} | {:.3} | {:.3} | {:.2e} | {:.3} | {:.3} | {} |",
            row.label,
            row.particles,
            row.time,
            row.seconds,
            row.height,
            row.width,
            row.drift,
            row.turn,
            row.shape_error,
            row.ended
        );
    }
    text
}
