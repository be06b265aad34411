//! `pliant bench`: how fast the methods are on this machine, against what its memory can give.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use pliant_scene::Scene;
use pliant_solver::AnySimulation;
use pliant_store::machine::Machine;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::run::use_threads;
use crate::console;
use crate::exit::Failure;

/// Measure steps of a built-in scene, and how near they come to the bandwidth of the memory.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant bench --size 30 --json")]
pub struct Options {
    /// Particles along the edge of the cube.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(4..=200))]
    size: u16,
    /// Steps to measure.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    steps: u16,
    /// Number of threads; all cores if left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// A method and the scene it is measured on.
struct Case {
    name: &'static str,
    scene: &'static str,
    /// Memory that an iteration of the linear solver moves for one neighbour, if all others are in a cache [bytes].
    bytes_per_edge: f64,
    /// The same for one particle: its block, flux, motion, and the vectors of the solver [bytes].
    bytes_per_particle: f64,
}

/// One case a method. The scene's cube has an edge of one metre.
const CASES: [Case; 1] = [Case {
    name: "zhou2013",
    scene: include_str!("../../templates/bench.toml"),
    // On a lattice an edge is an index and the number of its weight, read in two passes.
    bytes_per_edge: 12.0,
    bytes_per_particle: 616.0,
}];

/// Steps before the clock runs: the first ones allocate.
const WARM_UP: usize = 3;
/// Numbers in each array of the triad, far more than any cache holds.
const TRIAD: usize = 8_000_000;

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let threads = use_threads(options.threads)?;
    let bandwidth = triad();
    let cases: Result<Vec<Value>, Failure> =
        CASES.iter().map(|case| measure(case, options, bandwidth)).collect();
    let facts = json!({
        "threads": threads, "machine": Machine::detect(), "triad_bytes_per_second": bandwidth, "cases": cases?,
    });
    if options.json { console::pretty_json(&facts) } else { console::line(&text(&facts)) }
}

fn measure(case: &Case, options: &Options, bandwidth: f64) -> Result<Value, Failure> {
    let spacing = format!("spacing={}", 1.0 / f64::from(options.size));
    let scene = Scene::from_text(case.scene, Path::new("."), &[spacing])?;
    let mut simulation = scene.simulation()?;
    let edges: u64 = simulation
        .snapshot()
        .integers("neighbour_count")
        .unwrap_or_default()
        .iter()
        .map(|count| u64::from(*count))
        .sum();
    for _ in 0..WARM_UP {
        simulation.step()?;
    }
    let tally = Tally::of(&mut *simulation, usize::from(options.steps))?;
    let steps = f64::from(options.steps);
    let per_iteration = tally.solve / tally.iterations.max(1.0);
    let particles = simulation.particle_count();
    let bytes = edges as f64 * case.bytes_per_edge + particles as f64 * case.bytes_per_particle;
    let limit = bytes / bandwidth;
    Ok(json!({
        "method": case.name,
        "particles": particles,
        "edges": edges,
        "steps": options.steps,
        "ms_per_step": tally.seconds / steps * 1e3,
        "iterations_per_step": tally.iterations / steps,
        "ms_per_iteration": per_iteration * 1e3,
        "stages_ms_per_step": tally.stages.iter().map(|(name, s)| json!({ *name: s / steps * 1e3 })).collect::<Vec<_>>(),
        "bytes_per_iteration": bytes,
        "bandwidth_limit_ms_per_iteration": limit * 1e3,
        "times_the_limit": per_iteration / limit,
    }))
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
        lines.push(format!(
            "{}: {} particles, {} edges: {:.2} ms a step, {:.1} iterations of {:.3} ms, {:.1} times what memory allows",
            case["method"].as_str().unwrap_or_default(),
            case["particles"],
            case["edges"],
            number(&case["ms_per_step"]),
            number(&case["iterations_per_step"]),
            number(&case["ms_per_iteration"]),
            number(&case["times_the_limit"])
        ));
    }
    lines.join("\n")
}
