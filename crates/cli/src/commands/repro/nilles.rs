//! The figures of Nilles 2020 and Fumoto: scenes side by side, and what was measured beside what is printed.

mod figures;
mod measures;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use pliant_render::Image;
use pliant_store::RunFolder;
use serde_json::{Value, json};

use super::{Look, Options, Row, draw, write_scenes};
use crate::commands::run;
use crate::exit::{Failure, NUMERICS};
use crate::progress::Desk;

pub use figures::FIGURES;
pub(super) use measures::spacing;

/// A figure: one run a row, and numbers that compare them.
pub struct Figure {
    pub name: &'static str,
    pub shows: &'static str,
    pub(super) claim: &'static str,
    pub(super) rows: &'static [Row],
    pub(super) compare: fn(&[Ran]) -> Vec<Finding>,
}

/// A row that was run.
pub(super) struct Ran {
    pub(super) label: &'static str,
    pub(super) run: RunFolder,
    particles: usize,
    pub(super) steps: f64,
    /// Time spent in steps [s].
    seconds: f64,
    ended: String,
}

/// A number beside what the paper prints.
#[derive(Clone)]
pub(super) struct Finding {
    pub(super) quantity: String,
    pub(super) measured: f64,
    pub(super) printed: Option<f64>,
}

/// Stages of a step, as the methods call them: those with a grid, then those of SPH.
const STAGES: [&str; 10] = [
    "sort",
    "particles to grid",
    "grid",
    "grid to particles",
    "neighbours",
    "divergence",
    "forces",
    "elasticity",
    "pressure",
    "advance",
];

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../../scenes/", $name)))),*]
    };
}

/// Shipped scenes that figures use.
const SCENES: [(&str, &str); 25] = shipped![
    "nilles2020/fig06_spout.toml",
    "nilles2020/fig17_samplers.toml",
    "nilles2020/fig18_one_per_cell.toml",
    "nilles2020/fig19_wider_spline.toml",
    "nilles2020/fig20_volume.toml",
    "nilles2020/fig21_snow_kernels.toml",
    "nilles2020/fig22_plane.toml",
    "nilles2020/fig22_space.toml",
    "nilles2020/fig23_snowballs.toml",
    "nilles2020/fig24_fluids.toml",
    "nilles2020/fig25_spheres.toml",
    "nilles2020/fig26_one_model.toml",
    "nilles2020/fig27_floating.toml",
    "nilles2020/fig28_separate_models.toml",
    "nilles2020/fig29_cubes.toml",
    "nilles2020/fig30_mixer.toml",
    "nilles2020/fig31_armadillo.toml",
    "nilles2020/fig31_snowball.toml",
    "nilles2020/fig32_sand_column.toml",
    "nilles2020/fig33_sand_bunny.toml",
    "nilles2020/fig34_snow_bunny.toml",
    "nilles2020/fig35_limit.toml",
    "nilles2020/fig36_snow_and_sand_in_water.toml",
    "fumoto/fig3_snow.toml",
    "mpm_quickstart.toml",
];

pub(super) const fn row(label: &'static str, scene: &'static str, set: &'static [&'static str]) -> Row {
    Row { label, scene, set }
}

/// Runs and draws the rows, lays their pictures out, and writes what was measured beside them.
pub fn make(figure: &Figure, options: &Options, threads: usize, desk: &mut Desk) -> Result<(), Failure> {
    make_of(figure, (&SCENES, Look::Particles), (options, threads), desk)
}

/// The same for scenes of another paper, and another look.
pub(super) fn make_of(
    figure: &Figure,
    (scenes, look): (&[(&str, &str)], Look),
    (options, threads): (&Options, usize),
    desk: &mut Desk,
) -> Result<(), Failure> {
    let folder = options.out.join(figure.name);
    write_scenes(&folder.join("scenes"), scenes)?;
    let (mut pictures, mut rows) = (Vec::new(), Vec::new());
    for row in figure.rows {
        let ran = Ran::of(row, &folder, (options, threads), desk)?;
        pictures.push(draw(&ran.run, look, desk)?);
        rows.push(ran);
    }
    let file = folder.join("figure.png");
    Image::grid(&pictures)?.save(&file)?;
    let findings = (figure.compare)(&rows);
    let text = report(figure, &rows, &findings);
    let path = folder.join("figure.md");
    fs::write(&path, &text).map_err(|error| Failure::io("write", &path, &error))?;
    let facts: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({ "quantity": finding.quantity, "measured": finding.measured, "printed": finding.printed })
        })
        .collect();
    desk.progress.event("figure", json!({ "figure": figure.name, "picture": file, "findings": facts }))?;
    desk.progress.result(&format!("{text}\nin {}", folder.display()))
}

impl Ran {
    fn of(
        row: &Row,
        folder: &Path,
        (options, threads): (&Options, usize),
        desk: &mut Desk,
    ) -> Result<Self, Failure> {
        let out = folder.join(row.label.replace(", ", "-").replace(' ', "-"));
        let set =
            row.set.iter().map(|change| (*change).to_owned()).chain(options.set.iter().cloned()).collect();
        let scene = folder.join("scenes").join(row.scene);
        let whole = run::Options::whole(scene, set, out.clone(), options.talk.clone());
        let ended = match run::start(&whole, threads, desk) {
            Ok(()) => "to its end".to_owned(),
            // What a model cannot do is part of the figure.
            Err(failure) if failure.code == NUMERICS => failure.message,
            Err(failure) => return Err(failure),
        };
        let run = RunFolder::open(&out)?;
        let (mut steps, mut particles) = (0.0, 0);
        for number in frames(&run) {
            let snapshot = run.read_frame(number)?;
            steps += snapshot.quantity("steps").unwrap_or(0.0);
            particles = snapshot.positions().len();
        }
        let timings = &run.manifest().timings;
        let seconds = STAGES.iter().filter_map(|stage| timings.get(*stage)).sum();
        Ok(Self { label: row.label, run, particles, steps, seconds, ended })
    }

    /// A frame, counted from the end.
    pub(super) fn frame(&self, from_end: usize) -> Option<pliant_world::Snapshot> {
        let numbers = frames(&self.run);
        let number = numbers.len().checked_sub(1 + from_end).and_then(|index| numbers.get(index))?;
        self.run.read_frame(*number).ok()
    }

    pub(super) fn first(&self) -> Option<pliant_world::Snapshot> {
        self.run.read_frame(*frames(&self.run).first()?).ok()
    }
}

pub(super) fn frames(run: &RunFolder) -> Vec<u32> {
    run.frames().map(|entry| entry.frame).collect()
}

/// A number with as many places as it needs.
pub(super) fn figures(value: f64) -> String {
    if value == 0.0 || value.abs() >= 1e-2 { format!("{value:.3}") } else { format!("{value:.1e}") }
}

fn report(figure: &Figure, rows: &[Ran], findings: &[Finding]) -> String {
    let mut text = format!(
        "# {}\n\n{}. The paper: {}.\n\n![rows from top to bottom as in the table](figure.png)\n\n",
        figure.name, figure.shows, figure.claim
    );
    text.push_str(
        "| row | particles | steps | ms a step | seconds | ended |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let pace = 1e3 * row.seconds / row.steps.max(1.0);
        let Ran { label, particles, steps, seconds, ended, .. } = row;
        let _ = writeln!(text, "| {label} | {particles} | {steps:.0} | {pace:.3} | {seconds:.1} | {ended} |");
    }
    if !findings.is_empty() {
        text.push_str("\n| quantity | measured | printed |\n| --- | --- | --- |\n");
        for Finding { quantity, measured, printed } in findings {
            let printed = printed.map_or("-".to_owned(), |value| format!("{value}"));
            let _ = writeln!(text, "| {quantity} | {} | {printed} |", figures(*measured));
        }
    }
    text
}
