//! A dam that breaks: what the pressure solve of fluids costs.

use std::path::Path;

use pliant_scene::Scene;
use serde_json::{Value, json};

use super::{Tally, memory};
use crate::exit::Failure;

const SCENE: &str = include_str!("../../../templates/bench_dam.toml");
/// Steps before the clock runs: pressures have to build up.
const WARM_UP: usize = 10;

/// Steps of 83 thousand particles.
pub(super) fn measure(steps: usize) -> Result<Value, Failure> {
    memory::begin();
    let scene = Scene::from_text(SCENE, Path::new("."), &[])?;
    let mut simulation = scene.simulation()?;
    Tally::of(&mut *simulation, WARM_UP)?;
    let tally = Tally::of(&mut *simulation, steps)?;
    let stages: Vec<Value> = tally
        .stages
        .iter()
        .map(|(name, seconds)| json!({ "stage": name, "ms": 1e3 * seconds / steps as f64 }))
        .collect();
    Ok(json!({
        "method": "sph", "case": "dam", "particles": simulation.particle_count(), "dt": scene.time.dt, "steps": steps,
        "step_ms": 1e3 * tally.seconds / steps as f64, "steps_per_second": steps as f64 / tally.seconds,
        "iterations": tally.iterations / steps as f64, "stages": stages, "peak_bytes": memory::bytes("VmHWM:"),
    }))
}

/// A line for people.
pub(super) fn text(case: &Value) -> String {
    let number = |key: &str| case[key].as_f64().unwrap_or(f64::NAN);
    format!(
        "sph: a dam of {} particles, {} ms: step {:.0} ms, {:.2} steps a second ({:.0} iterations), peak {:.0} MB",
        case["particles"],
        number("dt") * 1e3,
        number("step_ms"),
        number("steps_per_second"),
        number("iterations"),
        number("peak_bytes") / 1e6,
    )
}
