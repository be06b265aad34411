//! The figures of Nilles 2020 and Fumoto: scenes side by side, and what was measured beside what is printed.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use pliant_render::Image;
use pliant_store::RunFolder;
use serde_json::{Value, json};

use super::{Look, Options, Row, draw, extent, points, write_scenes};
use crate::commands::run;
use crate::exit::{Failure, NUMERICS};
use crate::progress::Desk;

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

const SPOUT: &str = "nilles2020/fig06_spout.toml";
const VOLUME: &str = "nilles2020/fig20_volume.toml";
const MIXER: &str = "nilles2020/fig30_mixer.toml";
const COLUMN: &str = "nilles2020/fig32_sand_column.toml";
const SAND_BUNNY: &str = "nilles2020/fig33_sand_bunny.toml";
const FUMOTO: &str = "fumoto/fig3_snow.toml";

/// All of them.
pub const FIGURES: [Figure; 22] = [
    Figure {
        name: "nilles-fig6",
        shows: "Nilles 2020, Fig. 6: sand from a spout, without and with the correction of its volume",
        claim: "without it, sand gains volume",
        rows: &[
            row("without", SPOUT, &["materials.sand.plastic.drucker_prager.volume_correction=false"]),
            row("with", SPOUT, &[]),
        ],
        compare: heaps,
    },
    Figure {
        name: "nilles-fig17",
        shows: "Nilles 2020, Fig. 17: a snowball filled in four ways",
        claim: "a grid gives false symmetry, random points noise, Poisson disks the most even fracture",
        rows: &[row("samplers", "nilles2020/fig17_samplers.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig18",
        shows: "Nilles 2020, Fig. 18: an elastic ball with one particle in each cell",
        claim: "numerical fracture, worst for the grid, none for Poisson disks",
        rows: &[row("samplers", "nilles2020/fig18_one_per_cell.toml", &[])],
        compare: pieces_by_body,
    },
    Figure {
        name: "nilles-fig19",
        shows: "Nilles 2020, Fig. 19: an elastic ball, 0.9 cells between particles, two splines",
        claim: "the cubic spline holds together what the quadratic one tears",
        rows: &[
            row("quadratic", "nilles2020/fig19_wider_spline.toml", &[]),
            row("cubic", "nilles2020/fig19_wider_spline.toml", &["method.mpm.kernel=cubic"]),
        ],
        compare: pieces,
    },
    Figure {
        name: "nilles-fig20",
        shows: "Nilles 2020, Fig. 20: volume that a fluid loses",
        claim: "38 % and 8 % with quadratic and cubic splines, 22 % and 9 % by the sand model",
        rows: &[
            row("fluid, quadratic", VOLUME, &[]),
            row("fluid, cubic", VOLUME, &["method.mpm.kernel=cubic"]),
            row("sand, quadratic", VOLUME, &["objects.fluid.material=sand"]),
            row("sand, cubic", VOLUME, &["objects.fluid.material=sand", "method.mpm.kernel=cubic"]),
        ],
        compare: volume_loss,
    },
    Figure {
        name: "nilles-fig21",
        shows: "Nilles 2020, Fig. 21: a snowball with two splines",
        claim: "the cubic spline sprays less",
        rows: &[
            row("quadratic", "nilles2020/fig21_snow_kernels.toml", &[]),
            row("cubic", "nilles2020/fig21_snow_kernels.toml", &["method.mpm.kernel=cubic"]),
        ],
        compare: spread,
    },
    Figure {
        name: "nilles-fig22",
        shows: "Nilles 2020, Fig. 22: what cubic splines cost",
        claim: "1.75 times in space, 1.87 with more particles, 1.43 in the plane",
        rows: &[
            row("space, quadratic", "nilles2020/fig22_space.toml", &[]),
            row("space, cubic", "nilles2020/fig22_space.toml", &["method.mpm.kernel=cubic"]),
            row("plane, quadratic", "nilles2020/fig22_plane.toml", &[]),
            row("plane, cubic", "nilles2020/fig22_plane.toml", &["method.mpm.kernel=cubic"]),
        ],
        compare: |rows| vec![ratio(rows, 1, 0, Some(1.75)), ratio(rows, 3, 2, Some(1.43))],
    },
    Figure {
        name: "nilles-fig23",
        shows: "Nilles 2020, Fig. 23: snowballs on a sticky wall",
        claim: "uniform snow sprays and sticks, uneven snow breaks into chunks",
        rows: &[row("snowballs", "nilles2020/fig23_snowballs.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig24",
        shows: "Nilles 2020, Fig. 24: a fluid by four models",
        claim: "fluid, sand, snow and Neo-Hookean matter all run; the last breaks into chunks",
        rows: &[row("models", "nilles2020/fig24_fluids.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig25",
        shows: "Nilles 2020, Fig. 25: what the models of sand and snow can be",
        claim: "from dry sand to elastic, from snow to elastic",
        rows: &[row("spheres", "nilles2020/fig25_spheres.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig27",
        shows: "Nilles 2020, Fig. 27: light bodies in moving water",
        claim: "they are swept away and stay afloat",
        rows: &[row("bodies", "nilles2020/fig27_floating.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig28",
        shows: "Nilles 2020, Fig. 26 and 28: sand, water and circles by one model and by separate ones",
        claim: "separate models take 70 % of the time",
        rows: &[
            row("one model", "nilles2020/fig26_one_model.toml", &["method.mpm.substep=0.2ms"]),
            row("separate models", "nilles2020/fig28_separate_models.toml", &["method.mpm.substep=0.2ms"]),
        ],
        compare: |rows| vec![ratio(rows, 1, 0, Some(0.7))],
    },
    Figure {
        name: "nilles-fig29",
        shows: "Nilles 2020, Fig. 29: squares of three densities in water",
        claim: "the light one floats, the equal one just below the surface, the heavy one sinks",
        rows: &[row("squares", "nilles2020/fig29_cubes.toml", &[])],
        compare: heights,
    },
    Figure {
        name: "nilles-fig30",
        shows: "Nilles 2020, Fig. 30: mixtures of sand, snow and water, stirred, pressed and released",
        claim: "mixtures behave unlike either part",
        rows: &[
            row("sand and snow", MIXER, &[]),
            row("sand and water", MIXER, &["objects.upper.material=water"]),
            row("snow and water", MIXER, &["objects.lower.material=water"]),
            row("snow", MIXER, &["objects.lower.material=snow"]),
            row("water", MIXER, &["objects.lower.material=water", "objects.upper.material=water"]),
            row("sand", MIXER, &["objects.upper.material=sand"]),
        ],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig31",
        shows: "Nilles 2020, Fig. 31: sand and snow in one scene",
        claim: "both keep their properties where they meet",
        rows: &[
            row("armadillo", "nilles2020/fig31_armadillo.toml", &[]),
            row("snowball", "nilles2020/fig31_snowball.toml", &[]),
        ],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig32",
        shows: "Nilles 2020, Fig. 32: a column of sand in water, without and with buoyancy",
        claim: "similar, at the cost of 30 % more time",
        rows: &[
            row("without", COLUMN, &["method.mpm.substep=0.2ms"]),
            row("with buoyancy", COLUMN, &["method.mpm.substep=0.2ms", "method.mpm.buoyancy=water"]),
        ],
        compare: |rows| vec![ratio(rows, 1, 0, Some(1.3))],
    },
    Figure {
        name: "nilles-fig33",
        shows: "Nilles 2020, Fig. 33: a sand bunny in water, low and high drag, two interactions",
        claim: "low drag soaks and collapses faster; less friction lets high drag collapse as well",
        rows: &[
            row("low drag", SAND_BUNNY, &["method.mpm.interactions.1.value=radians(35)"]),
            row(
                "high drag",
                SAND_BUNNY,
                &["method.mpm.interactions.1.value=radians(35)", "method.mpm.drag.literal=1000"],
            ),
            row("low drag, friction falls", SAND_BUNNY, &[]),
            row("high drag, friction falls", SAND_BUNNY, &["method.mpm.drag.literal=1000"]),
        ],
        compare: bunny_heights,
    },
    Figure {
        name: "nilles-fig34",
        shows: "Nilles 2020, Fig. 34: a snow bunny in water, without and with an interaction",
        claim: "soaked snow without shear stiffness runs like a liquid",
        rows: &[
            row("none", "nilles2020/fig34_snow_bunny.toml", &["method.mpm.interactions=[]"]),
            row("stiffness falls", "nilles2020/fig34_snow_bunny.toml", &[]),
        ],
        compare: bunny_heights,
    },
    Figure {
        name: "nilles-fig35",
        shows: "Nilles 2020, Fig. 35: two grids with drag at its limit, and one grid",
        claim: "exactly the same",
        rows: &[
            row("one grid", "nilles2020/fig29_cubes.toml", &["method.mpm.precision=double"]),
            row("two grids", "nilles2020/fig35_limit.toml", &[]),
        ],
        compare: apart,
    },
    Figure {
        name: "nilles-fig36",
        shows: "Nilles 2020, Fig. 36: snow and sand, one species, in water",
        claim: "snow floats until it has soaked",
        rows: &[row("mixture", "nilles2020/fig36_snow_and_sand_in_water.toml", &[])],
        compare: nothing,
    },
    Figure {
        name: "nilles-fig37",
        shows: "Nilles 2020, Fig. 37: Fig. 32 with particle collisions",
        claim: "particles crowd at obstacles; results change",
        rows: &[
            row("without", COLUMN, &["method.mpm.particle_collision=true"]),
            row(
                "with buoyancy",
                COLUMN,
                &["method.mpm.particle_collision=true", "method.mpm.buoyancy=water"],
            ),
        ],
        compare: nothing,
    },
    Figure {
        name: "fumoto-fig3",
        shows: "Fumoto, Fig. 3: snow with one parameter changed at a time",
        claim: "a low critical stretch changes most",
        rows: &[
            row("base", FUMOTO, &[]),
            row("low critical stretch", FUMOTO, &["materials.snow.plastic.snow={critical_stretch=0.001}"]),
            row(
                "low critical compression",
                FUMOTO,
                &["materials.snow.plastic.snow={critical_compression=0.01}"],
            ),
            row("little hardening", FUMOTO, &["materials.snow.plastic.snow={hardening=5}"]),
            row("low stiffness", FUMOTO, &["materials.snow.young=48kPa"]),
            row("PIC", FUMOTO, &["method.mpm.transfer=pic"]),
        ],
        compare: spread,
    },
];

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

pub(super) fn nothing(_: &[Ran]) -> Vec<Finding> {
    Vec::new()
}

/// Time of a step of one row over that of another.
fn ratio(rows: &[Ran], of: usize, over: usize, printed: Option<f64>) -> Finding {
    let pace = |row: &Ran| row.seconds / row.steps;
    Finding {
        quantity: format!("time of a step, {} over {}", rows[of].label, rows[over].label),
        measured: pace(&rows[of]) / pace(&rows[over]),
        printed,
    }
}

/// Particles as pairs of cells, `edge` metres wide.
fn cells(snapshot: &pliant_world::Snapshot, edge: f64) -> HashSet<(i64, i64, i64)> {
    let cell = |value: f64| (value / edge).floor() as i64;
    points(snapshot).iter().map(|x| (cell(x.x), cell(x.y), cell(x.z))).collect()
}

/// Edge of the square or cube that a particle stands for [m].
pub(super) fn spacing(snapshot: &pliant_world::Snapshot) -> f64 {
    2.0 * f64::from(snapshot.scalars("radius").and_then(|r| r.first()).copied().unwrap_or(0.5))
}

/// Cells with particles at the end, beside those at the start: mean over the last frames, since water sloshes.
fn volume_loss(rows: &[Ran]) -> Vec<Finding> {
    let printed = [38.0, 8.0, 22.0, 9.0];
    let mut findings = Vec::new();
    for (row, printed) in rows.iter().zip(printed) {
        let Some(first) = row.first() else { continue };
        let edge = 2.0 * spacing(&first);
        let before = cells(&first, edge).len() as f64;
        let late: Vec<f64> =
            (0..15).filter_map(|k| row.frame(k)).map(|frame| cells(&frame, edge).len() as f64).collect();
        let after = late.iter().sum::<f64>() / late.len().max(1) as f64;
        findings.push(Finding {
            quantity: format!("volume lost, {} [%]", row.label),
            measured: 100.0 * (1.0 - after / before),
            printed: Some(printed),
        });
    }
    findings
}

/// Cells that the heaps fill at the end, per cell of sand at the start.
fn heaps(rows: &[Ran]) -> Vec<Finding> {
    let filled = |row: &Ran| {
        let (first, last) = (row.first()?, row.frame(0)?);
        let edge = 2.0 * spacing(&first);
        Some(cells(&last, edge).len() as f64 / cells(&first, edge).len() as f64)
    };
    rows.iter()
        .map(|row| Finding {
            quantity: format!("room at the end over that at the start, {}", row.label),
            measured: filled(row).unwrap_or(f64::NAN),
            printed: None,
        })
        .collect()
}

/// Width of what was thrown, without the hundredth that flies farthest, over that at the start.
fn spread(rows: &[Ran]) -> Vec<Finding> {
    let width = |snapshot: &pliant_world::Snapshot| {
        let mut values: Vec<f64> = points(snapshot).iter().map(|x| x.x).collect();
        values.sort_by(f64::total_cmp);
        let cut = values.len() / 200;
        values[values.len() - 1 - cut] - values[cut]
    };
    rows.iter()
        .map(|row| Finding {
            quantity: format!("width at the end over that at the start, {}", row.label),
            measured: row
                .frame(0)
                .zip(row.first())
                .map_or(f64::NAN, |(last, first)| width(&last) / width(&first)),
            printed: None,
        })
        .collect()
}

/// Height of the first body at the end over that at the start.
fn bunny_heights(rows: &[Ran]) -> Vec<Finding> {
    let height = |snapshot: &pliant_world::Snapshot| {
        let bodies = snapshot.integers("body").unwrap_or_default();
        let all = points(snapshot);
        let mut own: Vec<f64> =
            all.iter().zip(bodies).filter(|(_, body)| **body == 0).map(|(x, _)| x.y).collect();
        own.sort_by(f64::total_cmp);
        own.get(own.len() * 99 / 100).copied().unwrap_or(f64::NAN)
    };
    rows.iter()
        .map(|row| Finding {
            quantity: format!("height of the bunny at the end over that at the start, {}", row.label),
            measured: row
                .frame(0)
                .zip(row.first())
                .map_or(f64::NAN, |(last, first)| height(&last) / height(&first)),
            printed: None,
        })
        .collect()
}

/// Height of the middle of each square at the end.
fn heights(rows: &[Ran]) -> Vec<Finding> {
    let Some(last) = rows.first().and_then(|row| row.frame(0)) else { return Vec::new() };
    let bodies = last.integers("body").unwrap_or_default();
    let all = points(&last);
    (0u32..)
        .zip(["water", "lighter than water", "as heavy as water", "heavier than water"])
        .map(|(number, name)| {
            let own: Vec<f64> =
                all.iter().zip(bodies).filter(|(_, body)| **body == number).map(|(x, _)| x.y).collect();
            let measured = own.iter().sum::<f64>() / own.len().max(1) as f64;
            Finding { quantity: format!("mean height at the end, {name} [m]"), measured, printed: None }
        })
        .collect()
}

/// Pieces that a ball has come into: groups of particles within two cells of each other, of more than three particles.
fn count_pieces(points: &[pliant_math::Vec3], reach: f64) -> f64 {
    let mut group: Vec<usize> = (0..points.len()).collect();
    fn root(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    for a in 0..points.len() {
        for b in 0..a {
            if (points[a] - points[b]).norm() < reach {
                let (one, other) = (root(&mut group, a), root(&mut group, b));
                group[one] = other;
            }
        }
    }
    let mut sizes = vec![0; points.len()];
    for i in 0..points.len() {
        sizes[root(&mut group, i)] += 1;
    }
    sizes.iter().filter(|size| **size > 3).count() as f64
}

fn pieces(rows: &[Ran]) -> Vec<Finding> {
    rows.iter()
        .map(|row| Finding {
            quantity: format!("pieces at the end, {}", row.label),
            measured: row
                .frame(0)
                .map_or(f64::NAN, |last| count_pieces(&points(&last), 2.0 * spacing(&last))),
            printed: None,
        })
        .collect()
}

fn pieces_by_body(rows: &[Ran]) -> Vec<Finding> {
    let Some(last) = rows.first().and_then(|row| row.frame(0)) else { return Vec::new() };
    let bodies = last.integers("body").unwrap_or_default();
    let all = points(&last);
    (0u32..)
        .zip(["grid", "random", "stratified", "Poisson disks"])
        .map(|(number, name)| {
            let own: Vec<_> =
                all.iter().zip(bodies).filter(|(_, body)| **body == number).map(|(x, _)| *x).collect();
            let measured = count_pieces(&own, 2.0 * spacing(&last));
            Finding { quantity: format!("pieces at the end, {name}"), measured, printed: None }
        })
        .collect()
}

/// How far the same particles of two runs are apart at the end.
fn apart(rows: &[Ran]) -> Vec<Finding> {
    let ends = rows.first().and_then(|row| row.frame(0)).zip(rows.get(1).and_then(|row| row.frame(0)));
    let Some((one, two)) = ends else { return Vec::new() };
    let (one, two) = (points(&one), points(&two));
    let farthest = one.iter().zip(&two).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let size = extent(&one, 0);
    vec![
        Finding {
            quantity: "farthest that a particle is from itself [m]".to_owned(),
            measured: farthest,
            printed: Some(0.0),
        },
        Finding {
            quantity: "the same over the width of the scene".to_owned(),
            measured: farthest / size,
            printed: None,
        },
    ]
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
