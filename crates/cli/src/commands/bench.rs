//! `pliant bench`: how fast the methods are on this machine, against plain loops and what its memory can give.

mod dam;
mod memory;
mod mpm;
mod reach;
mod sph;
mod zhou;

use std::time::Instant;

use clap::Args;
use pliant_solver::AnySimulation;
use pliant_store::machine::Machine;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::run::use_threads;
use crate::console;
use crate::exit::{Failure, INPUT};

/// Measure steps of a built-in scene, against plain loops and the bandwidth of the memory.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant bench zhou --size 27 --size 46 --json")]
pub struct Options {
    /// Methods, or how their names begin; all if left out.
    #[arg(value_name = "METHOD")]
    methods: Vec<String>,
    /// Particles along the edge of the cube, or the height of the bunny; may be repeated. If left out: 27 and 46 for
    /// zhou2013, 34 to 67 for sph, 48 for mpm, for which growth from ten thousand to ten million particles follows.
    #[arg(long = "size", value_name = "N", value_parser = clap::value_parser!(u16).range(6..=400))]
    sizes: Vec<u16>,
    /// Steps to measure.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    steps: u16,
    /// Number of threads; all cores if left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// The method that has several kinds of matter.
const MPM: &str = "mpm";
/// The method that is measured on a bunny.
const SPH: &str = "sph";
/// Its fluids alone.
const DAM: &str = "dam";

/// Numbers in each array of the triad, far more than any cache holds.
const TRIAD: usize = 8_000_000;

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let methods = chosen(&options.methods)?;
    let threads = use_threads(options.threads)?;
    let bandwidth = triad();
    let sizes = |usual: &[u16]| if options.sizes.is_empty() { usual.to_vec() } else { options.sizes.clone() };
    let mut measured = Vec::new();
    let mut facts = json!({
        "threads": threads, "machine": Machine::detect(), "triad_bytes_per_second": bandwidth,
    });
    if methods.contains(&zhou::NAME) {
        measured.extend(zhou::measure(&sizes(&zhou::SIZES), options.steps, bandwidth)?);
        facts["race"] = zhou::race()?;
        // What does not depend on the size is left out where one is asked for.
        if options.sizes.is_empty() {
            facts["iterations"] = zhou::iterations()?;
            facts["scaling"] = zhou::scaling()?;
        }
    }
    if methods.contains(&MPM) {
        if options.sizes.is_empty() {
            facts["mpm"] = reach::measure()?;
        }
        for size in sizes(&[mpm::SIZE]) {
            measured.extend(mpm::measure(size, usize::from(options.steps), bandwidth)?);
        }
    }
    if methods.contains(&SPH) {
        measured.extend(sph::measure(&sizes(&sph::SIZES), usize::from(options.steps))?);
    }
    if methods.contains(&DAM) {
        measured.push(dam::measure(usize::from(options.steps))?);
    }
    facts["cases"] = measured.into();
    if options.json { console::pretty_json(&facts) } else { console::line(&text(&facts)) }
}

fn chosen(names: &[String]) -> Result<Vec<&'static str>, Failure> {
    let known = [zhou::NAME, MPM, SPH, DAM];
    if let Some(name) = names.iter().find(|name| !known.iter().any(|known| known.starts_with(&***name))) {
        let message = format!("there is no method {name} to measure; choose from {}", known.join(", "));
        return Err(Failure::new(INPUT, message));
    }
    let is_chosen = |known: &&str| names.is_empty() || names.iter().any(|name| known.starts_with(&**name));
    Ok(known.into_iter().filter(is_chosen).collect())
}

/// What the measured steps added up to.
#[derive(Default)]
struct Tally {
    seconds: f64,
    solve: f64,
    iterations: f64,
    stages: Vec<(&'static str, f64)>,
}

impl Tally {
    fn of(simulation: &mut dyn AnySimulation, steps: usize) -> Result<Self, Failure> {
        let mut tally = Self::default();
        for _ in 0..steps {
            let start = Instant::now();
            let report = simulation.step()?.report;
            tally.seconds += start.elapsed().as_secs_f64();
            tally.iterations += report.iterations as f64;
            for (name, seconds) in report.stages {
                match tally.stages.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, total)) => *total += seconds,
                    None => tally.stages.push((name, seconds)),
                }
            }
        }
        let solve = tally.stages.iter().find(|(name, _)| *name == "solve");
        tally.solve = solve.map_or(tally.seconds, |(_, seconds)| *seconds);
        Ok(tally)
    }
}

/// Bandwidth of `a = b + s c` over arrays that fit no cache, the best of a few rounds [bytes/s].
fn triad() -> f64 {
    let (b, c) = (vec![1.0_f64; TRIAD], vec![2.0_f64; TRIAD]);
    let mut a = vec![0.0_f64; TRIAD];
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        a.par_chunks_mut(1 << 16).zip(b.par_chunks(1 << 16)).zip(c.par_chunks(1 << 16)).for_each(
            |((a, b), c)| {
                for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                    *a = b + 3.0 * c;
                }
            },
        );
        best = best.min(start.elapsed().as_secs_f64());
    }
    std::hint::black_box(&a);
    (3 * TRIAD * size_of::<f64>()) as f64 / best
}

fn text(facts: &Value) -> String {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let mut lines = vec![format!(
        "{} threads, triad {:.1} GB/s",
        facts["threads"],
        number(&facts["triad_bytes_per_second"]) / 1e9
    )];
    for case in facts["cases"].as_array().into_iter().flatten() {
        if case["method"] == MPM {
            lines.push(mpm::text(case));
            continue;
        }
        if case["method"] == SPH {
            lines.push(if case["case"] == "dam" { dam::text(case) } else { sph::text(case) });
            continue;
        }
        lines.push(zhou::text(case));
    }
    lines.extend(zhou::summary(facts));
    if facts["mpm"].is_object() {
        lines.extend(reach::text(&facts["mpm"]));
    }
    lines.join("\n")
}
