//! `pliant bench`: how fast the methods are on this machine, against plain loops and what its memory can give.

mod mpm;
mod sph;

use std::path::Path;
use std::time::Instant;

use clap::Args;
use pliant_scene::{AnyWorld, Scene};
use pliant_solver::AnySimulation;
use pliant_store::machine::Machine;
use pliant_zhou::{Zhou2013, Zhou2013Settings};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::run::use_threads;
use crate::console;
use crate::exit::{Failure, INPUT};
use crate::processor::ProcessorWatch;

/// Measure steps of a built-in scene, against plain loops and the bandwidth of the memory.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant bench zhou --size 27 --size 46 --json")]
pub struct Options {
    /// Methods, or how their names begin; all if left out.
    #[arg(value_name = "METHOD")]
    methods: Vec<String>,
    /// Particles along the edge of the cube, or the height of the bunny; may be repeated. 27 and 46 for zhou2013, 48 for
    /// mpm, 34 to 67 for sph if left out.
    #[arg(long = "size", value_name = "N", value_parser = clap::value_parser!(u16).range(6..=200))]
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

/// A method and the scene it is measured on.
struct Case {
    name: &'static str,
    scene: &'static str,
    /// Memory that an iteration of the linear solver moves for one neighbour, if all others are in a cache [bytes].
    bytes_per_edge: f64,
    /// The same for one particle: its block, flux, motion, and the vectors of the solver [bytes].
    bytes_per_particle: f64,
}

/// The scene's cube has an edge of one metre.
const CASE: Case = Case {
    name: "zhou2013",
    scene: include_str!("../../templates/bench.toml"),
    // On a lattice eight bytes tell of six to seven edges, read in two passes.
    bytes_per_edge: 2.5,
    bytes_per_particle: 660.0,
};
/// Particles along its edge if none are asked for.
const SIZES: [u16; 2] = [27, 46];
/// The method that has several kinds of matter.
const MPM: &str = "mpm";
/// The method that is measured on a bunny.
const SPH: &str = "sph";

/// Steps before the clock runs: the first ones allocate.
const WARM_UP: usize = 3;
/// Numbers in each array of the triad, far more than any cache holds.
const TRIAD: usize = 8_000_000;

/// Products that the fast and the plain operator are timed on.
const ROUNDS: usize = 5;
/// Particles along the edge of the cube that implicit and explicit steps are compared on.
const RACE_SIZE: u16 = 14;
/// Young's modulus there [Pa]: the step of 2 ms is 18 times the longest stable explicit one.
const RACE_YOUNG: f64 = 5.66e8;
/// Simulated time of the comparison [s]: the cube hits the floor after 5 ms.
const RACE_TIME: f64 = 0.02;

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
    if methods.contains(&CASE.name) {
        for size in sizes(&SIZES) {
            measured.push(measure(&CASE, size, options.steps, bandwidth)?);
        }
        facts["race"] = race()?;
    }
    if methods.contains(&MPM) {
        for size in sizes(&[mpm::SIZE]) {
            measured.extend(mpm::measure(size, usize::from(options.steps), bandwidth)?);
        }
    }
    if methods.contains(&SPH) {
        measured.extend(sph::measure(&sizes(&sph::SIZES), usize::from(options.steps))?);
    }
    facts["cases"] = measured.into();
    if options.json { console::pretty_json(&facts) } else { console::line(&text(&facts)) }
}

fn chosen(names: &[String]) -> Result<Vec<&'static str>, Failure> {
    let known = [CASE.name, MPM, SPH];
    if let Some(name) = names.iter().find(|name| !known.iter().any(|known| known.starts_with(&***name))) {
        let message = format!("there is no method {name} to measure; choose from {}", known.join(", "));
        return Err(Failure::new(INPUT, message));
    }
    let is_chosen = |known: &&str| names.is_empty() || names.iter().any(|name| known.starts_with(&**name));
    Ok(known.into_iter().filter(is_chosen).collect())
}

/// The scene of a case with a cube of that many particles along its edge.
fn scene(case: &Case, size: u16, changes: &[String]) -> Result<Scene, Failure> {
    let spacing = format!("spacing={}", 1.0 / f64::from(size));
    Ok(Scene::from_text(case.scene, Path::new("."), &[&[spacing], changes].concat())?)
}

fn measure(case: &Case, size: u16, steps: u16, bandwidth: f64) -> Result<Value, Failure> {
    let scene = scene(case, size, &[])?;
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
    let tally = Tally::of(&mut *simulation, usize::from(steps))?;
    let particles = simulation.particle_count();
    drop(simulation);
    let steps = f64::from(steps);
    let per_iteration = tally.solve / tally.iterations.max(1.0);
    let bytes = edges as f64 * case.bytes_per_edge + particles as f64 * case.bytes_per_particle;
    let limit = bytes / bandwidth;
    let mut facts = json!({
        "method": case.name,
        "particles": particles,
        "edges": edges,
        "steps": steps,
        "ms_per_step": tally.seconds / steps * 1e3,
        "iterations_per_step": tally.iterations / steps,
        "ms_per_iteration": per_iteration * 1e3,
        "stages_ms_per_step": tally.stages.iter().map(|(name, s)| json!({ *name: s / steps * 1e3 })).collect::<Vec<_>>(),
        "bytes_per_iteration": bytes,
        "bandwidth_limit_ms_per_iteration": limit * 1e3,
        "times_the_limit": per_iteration / limit,
    });
    if let AnyWorld::Space(world) = scene.build()? {
        let mut solver = Zhou2013::new(&world, Zhou2013Settings::default());
        let found = solver.compare_operator(&world, scene.time.dt, ROUNDS);
        facts["operator"] = json!({
            "plain_ms": found.plain_seconds * 1e3, "fast_ms": found.fast_seconds * 1e3,
            "times_faster": found.plain_seconds / found.fast_seconds, "difference": found.difference,
        });
    }
    Ok(facts)
}

/// Processor seconds for a simulated second of an impact, implicit at 2 ms and explicit at 0.9 times its limit, with the
/// paper's recursion and with the rest pose kept.
fn race() -> Result<Value, Failure> {
    let time = |integrator: &str, rest: &str| -> Result<f64, Failure> {
        let changes = [
            format!("materials.rubber.young={RACE_YOUNG}"),
            format!("method.zhou2013.integrator={integrator}"),
            format!("method.zhou2013.rest={rest}"),
        ];
        let mut simulation = scene(&CASE, RACE_SIZE, &changes)?.simulation()?;
        let watch = ProcessorWatch::start();
        while simulation.clock().time() < RACE_TIME {
            simulation.step()?;
        }
        Ok(watch.seconds() / simulation.clock().time())
    };
    let mut facts = json!({});
    for rest in ["updated", "kept"] {
        let (implicit, explicit) = (time("backward_euler", rest)?, time("explicit", rest)?);
        facts[rest] = json!({
            "implicit": implicit, "explicit": explicit, "explicit_over_implicit": explicit / implicit,
        });
    }
    Ok(facts)
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
            lines.push(sph::text(case));
            continue;
        }
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
        let operator = &case["operator"];
        lines.push(format!(
            "  operator {:.3} ms, plain loops on one thread {:.2} ms: {:.1} times faster, {:.1e} apart",
            number(&operator["fast_ms"]),
            number(&operator["plain_ms"]),
            number(&operator["times_faster"]),
            number(&operator["difference"])
        ));
    }
    for (rest, race) in facts["race"].as_object().into_iter().flatten() {
        lines.push(format!(
            "impact, rest pose {rest}: implicit {:.0}, explicit {:.0} processor seconds a second, ratio {:.2}",
            number(&race["implicit"]),
            number(&race["explicit"]),
            number(&race["explicit_over_implicit"])
        ));
    }
    lines.join("\n")
}
