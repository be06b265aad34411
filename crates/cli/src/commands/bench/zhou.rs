//! Zhou 2013: what a step, an iteration of its linear solver and a particle cost, from small bodies to a million
//! particles, on a lattice and off it.

use std::path::Path;

use pliant_scene::{AnyWorld, Scene};
use pliant_solver::AnySimulation;
use pliant_zhou::{Zhou2013, Zhou2013Settings};
use serde_json::{Value, json};

use super::{Tally, memory};
use crate::exit::Failure;
use crate::processor::ProcessorWatch;

pub(super) const NAME: &str = "zhou2013";
/// The scene's cube has an edge of one metre.
const SCENE: &str = include_str!("../../../templates/bench.toml");
/// Particles along its edge if none are asked for.
pub(super) const SIZES: [u16; 2] = [27, 46];

/// Memory that an iteration of the linear solver moves for one particle, whatever its neighbours: its block, flux and
/// motion, and the vectors of the solver [bytes].
const BYTES_PER_PARTICLE: f64 = 660.0;
/// Where each edge is stored, weight (16 bytes) and end (4), and read in two passes [bytes].
const BYTES_PER_STORED_EDGE: f64 = 40.0;
/// On a lattice eight bytes tell of six to seven edges, read in two passes [bytes].
const BYTES_PER_LATTICE_EDGE: f64 = 2.5;

/// How particles fill the cube.
#[derive(Clone, Copy, PartialEq)]
enum Places {
    Lattice,
    Scattered,
}

/// Steps before the clock runs: the first ones allocate.
const WARM_UP: usize = 3;
/// Products that the fast and the plain operator are timed on.
const ROUNDS: usize = 5;

/// Particles along the edge of cubes of one spacing and stiffness: 2,744 to a million.
const SCALING: [u16; 4] = [14, 27, 46, 100];
/// Their spacing [m].
const SCALING_SPACING: f64 = 0.02;
/// Steps measured on each.
const SCALING_STEPS: usize = 5;

/// Particles along the edge of the cube that implicit and explicit steps are compared on.
const RACE_SIZE: u16 = 14;
/// Young's modulus there [Pa]: the step of 2 ms is 18 times the longest stable explicit one.
const RACE_YOUNG: f64 = 5.66e8;
/// Simulated time of the comparison [s]: the cube hits the floor after 5 ms.
const RACE_TIME: f64 = 0.02;

/// Young's moduli [Pa] and steps [s] that iterations are counted for, and what a prototype with the paper's single
/// solve and a block-Jacobi preconditioner needed on average.
const YOUNG: [f64; 6] = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const STEPS: [f64; 4] = [1e-3, 2e-3, 5e-3, 1e-2];
const PROTOTYPE: [[f64; 4]; 6] = [
    [2.0, 3.0, 8.0, 19.0],
    [4.0, 8.0, 22.0, 40.0],
    [12.0, 21.0, 43.0, 43.0],
    [15.0, 31.0, 37.0, 48.0],
    [25.0, 39.0, 56.0, 81.0],
    [42.0, 55.0, 80.0, 107.0],
];
/// Simulated time that they are averaged over: an impact at 2 m/s and what follows [s].
const IMPACT_TIME: f64 = 0.1;

/// A line for each size, on a lattice and off it.
pub(super) fn measure(sizes: &[u16], steps: u16, bandwidth: f64) -> Result<Vec<Value>, Failure> {
    let mut cases = Vec::new();
    for &size in sizes {
        for places in [Places::Lattice, Places::Scattered] {
            cases.push(measure_cube(size, places, usize::from(steps), bandwidth)?);
        }
    }
    Ok(cases)
}

/// The scene with a cube of that many particles along its edge.
fn scene(size: u16, changes: &[String]) -> Result<Scene, Failure> {
    let spacing = format!("spacing={}", 1.0 / f64::from(size));
    Ok(Scene::from_text(SCENE, Path::new("."), &[&[spacing], changes].concat())?)
}

fn measure_cube(size: u16, places: Places, steps: usize, bandwidth: f64) -> Result<Value, Failure> {
    let (name, bytes_per_edge, changes) = match places {
        Places::Lattice => ("lattice", BYTES_PER_LATTICE_EDGE, vec![]),
        Places::Scattered => (
            "scattered",
            BYTES_PER_STORED_EDGE,
            vec!["objects.cube.sampler={jittered={amount=0.5}}".to_owned()],
        ),
    };
    let scene = scene(size, &changes)?;
    let mut simulation = scene.simulation()?;
    let neighbours = simulation.snapshot();
    let edges: u64 = neighbours
        .integers("neighbour_count")
        .unwrap_or_default()
        .iter()
        .map(|count| u64::from(*count))
        .sum();
    warm_up(&mut *simulation)?;
    let tally = Tally::of(&mut *simulation, steps)?;
    let particles = simulation.particle_count();
    drop(simulation);
    let per_iteration = tally.solve / tally.iterations.max(1.0);
    let limit = |bytes_per_edge: f64| {
        (edges as f64 * bytes_per_edge + particles as f64 * BYTES_PER_PARTICLE) / bandwidth
    };
    let mut facts = json!({
        "method": NAME,
        "places": name,
        "particles": particles,
        "edges": edges,
        "steps": steps,
        "ms_per_step": tally.seconds / steps as f64 * 1e3,
        "iterations_per_step": tally.iterations / steps as f64,
        "ms_per_iteration": per_iteration * 1e3,
        "stages_ms_per_step": tally.stages.iter()
            .map(|(name, s)| json!({ *name: s / steps as f64 * 1e3 })).collect::<Vec<_>>(),
        "bytes_per_iteration": limit(bytes_per_edge) * bandwidth,
        "bandwidth_limit_ms_per_iteration": limit(bytes_per_edge) * 1e3,
        "times_the_limit": per_iteration / limit(bytes_per_edge),
        "times_the_limit_of_stored_edges": per_iteration / limit(BYTES_PER_STORED_EDGE),
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

fn warm_up(simulation: &mut dyn AnySimulation) -> Result<(), Failure> {
    (0..WARM_UP).try_for_each(|_| simulation.step().map(drop))?;
    Ok(())
}

/// Cost and memory of a particle in cubes of one spacing and stiffness, and whether they depend on the size.
pub(super) fn scaling() -> Result<Value, Failure> {
    let mut lines = Vec::new();
    for (radius, sizes) in [(2.5, &SCALING[..]), (2.0, &SCALING[1..3])] {
        for &size in sizes {
            let edge = f64::from(size) * SCALING_SPACING;
            let changes = [
                format!("spacing={SCALING_SPACING}"),
                format!("objects.cube.shape.box.size=[{edge},{edge},{edge}]"),
                format!("objects.cube.position=[0,{},0]", 0.5 * edge + 1e-3),
                format!("method.zhou2013.neighbour_radius={radius}"),
            ];
            let scene = Scene::from_text(SCENE, Path::new("."), &changes)?;
            let before = memory::begin();
            let mut simulation = scene.simulation()?;
            warm_up(&mut *simulation)?;
            let tally = Tally::of(&mut *simulation, SCALING_STEPS)?;
            let particles = simulation.particle_count() as f64;
            lines.push(json!({
                "particles": particles, "neighbour_radius": radius,
                "microseconds_per_particle_step": tally.seconds / SCALING_STEPS as f64 / particles * 1e6,
                "iterations_per_step": tally.iterations / SCALING_STEPS as f64,
                "peak_bytes_per_particle": before.peak().map(|bytes| bytes / particles),
            }));
        }
    }
    Ok(lines.into())
}

/// Iterations of a step that hits the ground, by stiffness and length of the step, with the paper's single solve.
pub(super) fn iterations() -> Result<Value, Failure> {
    let mut lines = Vec::new();
    for (young, prototype) in YOUNG.into_iter().zip(PROTOTYPE) {
        for (dt, prototype) in STEPS.into_iter().zip(prototype) {
            let changes = [
                "spacing=0.02".to_owned(),
                "objects.cube.shape.box.size=[0.2,0.2,0.2]".to_owned(),
                "objects.cube.position=[0,0.105,0]".to_owned(),
                "objects.cube.velocity=[0,-2,0]".to_owned(),
                format!("time.dt={dt}"),
                format!("materials.rubber.young={young}"),
                "method.zhou2013={integrator=\"backward_euler\",relinearisations=1,max_relinearisations=1}"
                    .to_owned(),
            ];
            let mut simulation = Scene::from_text(SCENE, Path::new("."), &changes)?.simulation()?;
            let (mut steps, mut count) = (0, 0);
            while simulation.clock().time() < IMPACT_TIME {
                count += simulation.step()?.report.iterations;
                steps += 1;
            }
            let mean = f64::from(count as u32) / f64::from(steps);
            lines.push(json!({ "young": young, "dt": dt, "iterations": mean, "prototype": prototype }));
        }
    }
    Ok(lines.into())
}

/// Processor seconds for a simulated second of an impact, implicit at 2 ms and explicit at 0.9 times its limit, with the
/// paper's recursion and with the rest pose kept.
pub(super) fn race() -> Result<Value, Failure> {
    let time = |integrator: &str, rest: &str| -> Result<f64, Failure> {
        let changes = [
            format!("materials.rubber.young={RACE_YOUNG}"),
            format!("method.zhou2013.integrator={integrator}"),
            format!("method.zhou2013.rest={rest}"),
        ];
        let mut simulation = scene(RACE_SIZE, &changes)?.simulation()?;
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

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// One case in words.
pub(super) fn text(case: &Value) -> String {
    let operator = &case["operator"];
    format!(
        "{}, {}: {} particles, {} edges: {:.2} ms a step, {:.1} iterations of {:.3} ms, {:.1} times what memory allows, \
         {:.1} times with stored edges\n  operator {:.3} ms, plain loops on one thread {:.2} ms: {:.1} times faster, \
         {:.1e} apart",
        NAME,
        case["places"].as_str().unwrap_or_default(),
        case["particles"],
        case["edges"],
        number(&case["ms_per_step"]),
        number(&case["iterations_per_step"]),
        number(&case["ms_per_iteration"]),
        number(&case["times_the_limit"]),
        number(&case["times_the_limit_of_stored_edges"]),
        number(&operator["fast_ms"]),
        number(&operator["plain_ms"]),
        number(&operator["times_faster"]),
        number(&operator["difference"])
    )
}

/// What was measured beside the cases, in words.
pub(super) fn summary(facts: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for line in facts["scaling"].as_array().into_iter().flatten() {
        lines.push(format!(
            "radius {}: {} particles: {:.2} µs a particle and step, {:.1} iterations, {:.0} bytes a particle at peak",
            line["neighbour_radius"],
            line["particles"],
            number(&line["microseconds_per_particle_step"]),
            number(&line["iterations_per_step"]),
            number(&line["peak_bytes_per_particle"])
        ));
    }
    for lines_of in
        facts["iterations"].as_array().into_iter().flatten().collect::<Vec<_>>().chunks(STEPS.len())
    {
        let cells: Vec<String> = lines_of
            .iter()
            .map(|line| format!("{:.0} ({:.0})", number(&line["iterations"]), number(&line["prototype"])))
            .collect();
        let young = number(&lines_of[0]["young"]);
        lines
            .push(format!("E = {young:.0e}: iterations at 1, 2, 5, 10 ms (prototype): {}", cells.join(", ")));
    }
    for (rest, race) in facts["race"].as_object().into_iter().flatten() {
        lines.push(format!(
            "impact, rest pose {rest}: implicit {:.0}, explicit {:.0} processor seconds a second, ratio {:.2}",
            number(&race["implicit"]),
            number(&race["explicit"]),
            number(&race["explicit_over_implicit"])
        ));
    }
    lines
}
