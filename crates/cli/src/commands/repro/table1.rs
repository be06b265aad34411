//! Zhou 2013, Table 1: what a simulated second costs the implicit method and the explicit ones, each explicit one at
//! the largest step it bears. The paper prints no moduli, so ours were chosen such that its explicit step is about the
//! longest stable one of our explicit mode.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use pliant_store::machine::Machine;
use serde_json::{Value, json};

use super::{Options, SCENES, write_scenes};
use crate::commands::stable_dt::Search;
use crate::exit::Failure;
use crate::loading::LoadedScene;
use crate::progress::Desk;

/// A line of the table.
pub(super) struct Row {
    pub label: &'static str,
    pub scene: &'static str,
    /// The scene just before it hits the ground or the tower.
    pub set: &'static [&'static str],
    /// Neighbourhood radius the paper gave GBB09, in spacings.
    radius: f64,
    /// Simulated time of a trial [s].
    time: f64,
    /// The paper's steps: explicit, GBB09 [s].
    paper_dt: [f64; 2],
    /// The paper's total times on its graphics card: implicit, explicit, GBB09 [s].
    paper: [f64; 3],
}

pub(super) const ROWS: [Row; 5] = [
    Row {
        label: "Armadillo (top)",
        scene: "armadillo.toml",
        set: &[
            "spacing=20mm",
            "objects.armadillo.position=[0,0.29,0]",
            "objects.armadillo.velocity=[0,-3,0]",
            "materials.body.young=16MPa",
            "materials.body.plastic={bargteil2007={yield_stress=2000}}",
        ],
        radius: 5.5,
        time: 0.02,
        paper_dt: [5e-5, 1e-4],
        paper: [59.0, 467.0, 623.0],
    },
    Row {
        label: "Armadillo (middle)",
        scene: "armadillo.toml",
        set: &[
            "spacing=20mm",
            "objects.armadillo.position=[0,0.29,0]",
            "objects.armadillo.velocity=[0,-3,0]",
            "materials.body.young=16MPa",
        ],
        radius: 4.5,
        time: 0.02,
        paper_dt: [5e-5, 6e-4],
        paper: [94.0, 496.0, 74.0],
    },
    Row {
        label: "Armadillo (bottom)",
        scene: "armadillo.toml",
        set: &[
            "spacing=20mm",
            "objects.armadillo.position=[0,0.29,0]",
            "objects.armadillo.velocity=[0,-3,0]",
            "materials.body.young=100MPa",
        ],
        radius: 4.5,
        time: 0.02,
        paper_dt: [2e-5, 1e-4],
        paper: [149.0, 1244.0, 443.0],
    },
    Row {
        label: "Cube (Fig. 5)",
        scene: "cube_elastic.toml",
        // The paper's 14³ particles.
        set: &[
            "spacing=0.0142857",
            "objects.cube.position=[0,0.105,0]",
            "objects.cube.velocity=[0,-3,0]",
            "materials.cube.young=28MPa",
        ],
        radius: 2.5,
        time: 0.02,
        paper_dt: [1e-4, 2e-4],
        paper: [52.0, 90.0, 29.0],
    },
    Row {
        label: "Angry Birds",
        scene: "angry_birds.toml",
        set: &[
            "spacing=3.3cm",
            "time.dt=2ms",
            "objects.bird.position=[0.62,0.45,0]",
            "materials.wood.young=250MPa",
        ],
        radius: 4.5,
        time: 0.02,
        paper_dt: [5e-5, 5e-5],
        paper: [158.0, 1153.0, 629.0],
    },
];

/// The paper's implicit step [s].
pub(super) const IMPLICIT_DT: f64 = 2e-3;
/// The largest stable step and the shortest unstable one differ by this share.
const PRECISION: f64 = 0.1;
/// Time for the trials of one cell.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a method costs in a scene.
struct Cell {
    method: &'static str,
    /// Largest stable step that was found [s].
    largest: Option<f64>,
    /// Step that was timed [s].
    dt: f64,
    /// Processor time over simulated time.
    cost: f64,
    /// Whether the search ended before it knew the step to its precision.
    cut_short: bool,
}

impl Cell {
    fn facts(&self) -> Value {
        let Self { method, largest, dt, cost, cut_short } = self;
        json!({
            "method": method, "largest_stable_dt": largest, "timed_dt": dt, "seconds_per_second": cost,
            "cut_short": cut_short,
        })
    }

    /// Largest step, with the paper's beside it, and cost.
    fn text(&self, paper: &str) -> String {
        match self.largest {
            None if self.cut_short => format!("none found{paper}"),
            None => format!("unstable{paper}"),
            Some(largest) => {
                let sign = if self.cut_short { "≥ " } else { "" };
                format!("{sign}{largest:.1e} s{paper}: {:.0}", self.cost)
            }
        }
    }
}

/// One scene with all methods.
struct Line {
    row: &'static Row,
    particles: usize,
    cells: Vec<Cell>,
}

/// Fills the table and writes it as `table.md` and `table.json`.
pub fn make(options: &Options, threads: usize, desk: &mut Desk) -> Result<(), Failure> {
    let folder = options.out.join("zhou-table1");
    write_scenes(&folder.join("scenes"), &SCENES)?;
    let lines: Result<Vec<Line>, Failure> = ROWS.iter().map(|row| measure(row, options, desk)).collect();
    let lines = lines?;
    let text = report(&lines, threads);
    let facts = json!({
        "figure": "zhou-table1", "threads": threads, "machine": Machine::detect(),
        "rows": lines.iter().map(Line::facts).collect::<Vec<_>>(),
    });
    let pretty = format!("{facts:#}\n");
    for (name, text) in [("table.md", &text), ("table.json", &pretty)] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| Failure::io("write", &path, &error))?;
    }
    desk.progress.event("figure", facts)?;
    desk.progress.result(&format!("{text}\nin {}", folder.display()))
}

fn measure(row: &'static Row, options: &Options, desk: &Desk) -> Result<Line, Failure> {
    let path = options.out.join("zhou-table1/scenes").join(row.scene);
    let load = |method: &str| {
        let mut set: Vec<String> = row.set.iter().map(|change| (*change).to_owned()).collect();
        set.extend((!method.is_empty()).then(|| format!("method={{{method}}}")));
        set.extend(options.set.iter().cloned());
        LoadedScene::read(&path, &set, None)
    };
    let gbb2009 = format!("gbb2009={{neighbour_radius={}}}", row.radius);
    let methods = [
        ("implicit", ""),
        ("explicit, rest pose updated", "zhou2013={integrator=\"explicit\",rest=\"updated\"}"),
        ("explicit, rest pose kept", "zhou2013={integrator=\"explicit\"}"),
        ("GBB09", &gbb2009),
    ];
    let mut line = Line { row, particles: 0, cells: Vec::new() };
    for (name, method) in methods {
        let scene = load(method)?.scene;
        let scale = scene.step_scale()?;
        line.particles = scene.simulation()?.particle_count();
        let mut search = Search::new(&scene, row.time, &desk.signals);
        search.patience = Some(PATIENCE);
        let largest = search.largest(scale.first_guess, PRECISION)?;
        // The implicit method is timed at the paper's step if it bears it, the others at the longest they bear.
        let timed = largest.map(|dt| if method.is_empty() { dt.min(IMPLICIT_DT) } else { dt });
        if let Some(dt) = timed.filter(|dt| search.trials.iter().all(|trial| trial.dt != *dt)) {
            search.is_stable(dt)?;
        }
        let trial = search.trials.iter().find(|trial| Some(trial.dt) == timed);
        line.cells.push(Cell {
            method: name,
            largest,
            dt: timed.unwrap_or(f64::NAN),
            cost: trial.map_or(f64::NAN, |trial| trial.seconds / row.time),
            cut_short: search.is_cut_short,
        });
    }
    Ok(line)
}

impl Line {
    /// What method number `index` costs over what the implicit one costs.
    fn ratio(&self, index: usize) -> f64 {
        self.cells[index].cost / self.cells[0].cost
    }

    fn ratio_text(&self, index: usize) -> String {
        let ratio = self.ratio(index);
        if ratio.is_finite() { format!("{ratio:.2}") } else { "–".to_owned() }
    }

    /// The same in the paper, for its explicit method and for GBB09.
    fn paper(&self) -> [f64; 2] {
        let [implicit, explicit, gbb2009] = self.row.paper;
        [explicit / implicit, gbb2009 / implicit]
    }

    fn facts(&self) -> Value {
        let [explicit, gbb2009] = self.paper();
        json!({
            "scene": self.row.label, "particles": self.particles, "changes": self.row.set, "time": self.row.time,
            "cells": self.cells.iter().map(Cell::facts).collect::<Vec<_>>(),
            "explicit_updated_over_implicit": self.ratio(1), "explicit_kept_over_implicit": self.ratio(2),
            "gbb09_over_implicit": self.ratio(3),
            "paper_dt": self.row.paper_dt, "paper_explicit_over_implicit": explicit, "paper_gbb09_over_implicit": gbb2009,
        })
    }
}

fn report(lines: &[Line], threads: usize) -> String {
    let mut text = format!(
        "# zhou-table1\n\nZhou 2013, Table 1, in impacts: the largest stable step, and processor seconds for a simulated \
         second with it on {threads} threads. The implicit method is timed at 2 ms, or at its largest step if that is \
         shorter. Steps and ratios of the paper are in brackets; ratios are to the implicit method.\n\n"
    );
    text.push_str("| scene | particles | implicit | explicit, updated | explicit, kept | GBB09 | updated / implicit | kept / implicit | GBB09 / implicit |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for line in lines {
        let [explicit, gbb2009] = line.paper();
        let [explicit_dt, gbb2009_dt] = line.row.paper_dt;
        let steps = [
            " (2e-3)".to_owned(),
            format!(" ({explicit_dt:.0e})"),
            String::new(),
            format!(" ({gbb2009_dt:.0e})"),
        ];
        let cells: Vec<String> =
            line.cells.iter().zip(steps).map(|(cell, paper)| cell.text(&paper)).collect();
        let ratios = [(1, format!(" ({explicit:.1})")), (2, String::new()), (3, format!(" ({gbb2009:.1})"))]
            .map(|(index, paper)| line.ratio_text(index) + &paper);
        let (label, particles) = (line.row.label, line.particles);
        let _ = writeln!(text, "| {label} | {particles} | {} | {} |", cells.join(" | "), ratios.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_stand_beside_the_papers_and_what_was_not_found_is_said() {
        let cell = |largest: Option<f64>, cost, cut_short| Cell {
            method: "",
            largest,
            dt: largest.unwrap_or(f64::NAN),
            cost,
            cut_short,
        };
        let cells = vec![
            cell(Some(3e-3), 10.0, false),
            cell(Some(5e-5), 40.0, false),
            cell(Some(5e-5), 20.0, true),
            cell(None, f64::NAN, false),
        ];
        let text = report(&[Line { row: &ROWS[1], particles: 100, cells }], 1);
        let expected = "| Armadillo (middle) | 100 | 3.0e-3 s (2e-3): 10 | 5.0e-5 s (5e-5): 40 | ≥ 5.0e-5 s: 20 | \
                        unstable (6e-4) | 4.00 (5.3) | 2.00 | – (0.8) |";
        assert_eq!(text.lines().last(), Some(expected));
    }
}
