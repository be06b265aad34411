//! How the cost of the Material Point Method grows: with particles, with the space they span, and with stiffness.

use std::path::Path;
use std::time::Instant;

use pliant_scene::Scene;
use pliant_store::machine::Machine;
use serde_json::{Value, json};

use super::mpm::{SPACE, WARM_UP};
use super::{Tally, memory};
use crate::exit::Failure;

/// Particles along the edge of the block: from ten thousand to ten million.
const SIZES: [u32; 4] = [21, 45, 99, 216];
/// Particle-steps that each of them is measured on, at least so many steps.
const WORK: f64 = 3e7;
const FEWEST_STEPS: usize = 4;
/// The largest is left out on a machine with less memory than this [bytes].
const MEMORY: u64 = 5 << 30;

const APART: &str = include_str!("../../../templates/bench_mpm_apart.toml");
/// How far apart two bodies stand [m]: side by side, and ten kilometres.
const DISTANCES: [f64; 2] = [2.0, 1e4];

const STIFF: &str = include_str!("../../../../../scenes/stiff_blocks.toml");
/// Young's moduli of the blocks [Pa]: of rubber, of hard plastic, of wood.
const MODULI: [f64; 3] = [1e6, 1e9, 1e10];
/// Simulated time in which the blocks fall and hit [s].
const RACE_TIME: f64 = 0.2;

const PITCH: &str = include_str!("../../../templates/bench_mpm_pitch.toml");
/// Viscosities of a block that sinks under its weight [Pa s]: of peanut butter and of soft pitch.
const VISCOSITIES: [f64; 2] = [2e2, 2e4];
/// Simulated time of that [s].
const SINKING_TIME: f64 = 0.02;

/// All of it.
pub(super) fn measure() -> Result<Value, Failure> {
    Ok(json!({ "growth": growth()?, "distance": distance()?, "stiff": stiff()?, "viscous": viscous()? }))
}

/// Speed and memory for more and more particles, the smallest number first: the peak of the process only rises.
fn growth() -> Result<Vec<Value>, Failure> {
    let fits = |size: &&u32| **size < 200 || Machine::detect().memory >= MEMORY;
    SIZES
        .iter()
        .filter(fits)
        .map(|size| {
            let changes =
                [format!("spacing={}", 1.0 / f64::from(*size)), "max_particles=100000000".to_owned()];
            let found = timed(SPACE, &changes)?;
            let peak = memory::bytes("VmHWM:");
            Ok(json!({
                "particles": found.particles,
                "million_particle_steps_per_second": found.rate / 1e6,
                "peak_bytes": peak,
                "peak_bytes_per_particle": peak.map(|peak| peak / found.particles as f64),
            }))
        })
        .collect()
}

/// The same two bodies near each other and far apart.
fn distance() -> Result<Value, Failure> {
    let mut rates = Vec::new();
    for distance in DISTANCES {
        let half = 0.5 * distance;
        let changes =
            [format!("objects.0.position=[-{half}, 0.5, 0]"), format!("objects.1.position=[{half}, 0.5, 0]")];
        rates.push(timed(APART, &changes)?.rate / 1e6);
    }
    Ok(json!({
        "metres": DISTANCES, "million_particle_steps_per_second": rates, "far_over_near": rates[1] / rates[0],
    }))
}

struct Timed {
    particles: usize,
    /// Particle-steps a second.
    rate: f64,
}

fn timed(scene: &str, changes: &[String]) -> Result<Timed, Failure> {
    let mut simulation = Scene::from_text(scene, Path::new("."), changes)?.simulation()?;
    for _ in 0..WARM_UP {
        simulation.step()?;
    }
    let particles = simulation.particle_count();
    let steps = ((WORK / particles as f64) as usize).max(FEWEST_STEPS);
    let tally = Tally::of(&mut *simulation, steps)?;
    Ok(Timed { particles, rate: (particles * steps) as f64 / tally.seconds })
}

/// Wall time of the same fall with explicit and with implicit steps, for matter that is stiffer and stiffer.
fn stiff() -> Result<Vec<Value>, Failure> {
    MODULI.iter().map(|young| race(STIFF, &format!("materials.wood.young={young}"), RACE_TIME)).collect()
}

/// The same for matter that is more and more viscous.
fn viscous() -> Result<Vec<Value>, Failure> {
    let change = |viscosity: &f64| format!("materials.pitch.law.fluid.viscosity={viscosity}");
    VISCOSITIES.iter().map(|viscosity| race(PITCH, &change(viscosity), SINKING_TIME)).collect()
}

fn race(scene: &str, change: &str, end: f64) -> Result<Value, Failure> {
    let seconds = |integrator: &str| -> Result<(f64, u64), Failure> {
        let changes = [format!("method.mpm.integrator={integrator}"), change.to_owned()];
        let mut simulation = Scene::from_text(scene, Path::new("."), &changes)?.simulation()?;
        let start = Instant::now();
        while simulation.clock().time() < end {
            simulation.step()?;
        }
        Ok((start.elapsed().as_secs_f64(), simulation.steps()))
    };
    let ((explicit, explicit_steps), (implicit, implicit_steps)) =
        (seconds("explicit")?, seconds("implicit")?);
    Ok(json!({
        "change": change, "explicit_seconds": explicit, "explicit_steps": explicit_steps,
        "implicit_seconds": implicit, "implicit_steps": implicit_steps,
        "explicit_over_implicit": explicit / implicit,
    }))
}

/// Lines for people.
pub(super) fn text(facts: &Value) -> Vec<String> {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let each = |key: &str| facts[key].as_array().into_iter().flatten();
    let mut lines: Vec<String> = each("growth").map(|found| {
        format!(
            "mpm: {} particles: {:.1} million particle-steps a second, peak {:.2} GB, {:.0} bytes a particle",
            found["particles"],
            number(&found["million_particle_steps_per_second"]),
            number(&found["peak_bytes"]) / 1e9,
            number(&found["peak_bytes_per_particle"])
        )
    })
    .collect();
    let apart = &facts["distance"];
    lines.push(format!(
        "mpm: two bodies {} m apart: {:.2} times the speed of {} m apart",
        apart["metres"][1],
        number(&apart["far_over_near"]),
        apart["metres"][0]
    ));
    lines.extend(each("stiff").chain(each("viscous")).map(|race| {
        format!(
            "mpm: {}: explicit {:.2} s in {} steps, implicit {:.2} s in {} steps, ratio {:.2}",
            race["change"].as_str().unwrap_or_default(),
            number(&race["explicit_seconds"]),
            race["explicit_steps"],
            number(&race["implicit_seconds"]),
            race["implicit_steps"],
            number(&race["explicit_over_implicit"])
        )
    }));
    lines
}
