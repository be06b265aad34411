//! Particle-steps a second of the Material Point Method, against the same steps one particle at a time in double
//! precision.

use std::path::Path;

use pliant_scene::Scene;
use serde_json::{Value, json};

use super::Tally;
use crate::exit::Failure;

/// What is measured: a scene with changes.
struct Case {
    label: &'static str,
    is_plane: bool,
    set: &'static [&'static str],
}

const SPACE: &str = include_str!("../../../templates/bench_mpm.toml");
const PLANE: &str = include_str!("../../../templates/bench_mpm_plane.toml");

const CASES: [Case; 5] = [
    Case {
        label: "fixed corotated",
        is_plane: false,
        set: &[
            "materials.first.law=fixed_corotated",
            "materials.second.law=fixed_corotated",
            "materials.third.law=fixed_corotated",
        ],
    },
    Case {
        label: "Neo-Hookean",
        is_plane: false,
        set: &[
            "materials.first.law=neo_hookean",
            "materials.second.law=neo_hookean",
            "materials.third.law=neo_hookean",
        ],
    },
    Case {
        label: "elastic, snow, sand",
        is_plane: false,
        set: &[
            "materials.first.law=fixed_corotated",
            "materials.second.preset=nilles-snow",
            "materials.third.preset=sand",
        ],
    },
    Case {
        label: "water",
        is_plane: false,
        set: &[
            "materials.first.preset=water",
            "materials.second.preset=water",
            "materials.third.preset=water",
        ],
    },
    Case { label: "plane, fixed corotated", is_plane: true, set: &[] },
];

/// Particles along an edge if none are asked for: 8 a cell, 110,592 in space.
pub(super) const SIZE: u16 = 48;
/// A plane of as many particles has an edge of the size to this power.
const PLANE_POWER: f64 = 1.5;
/// A particle as it lies in memory: read on its way to the grid, read and written on the way back [bytes].
const BYTES: [f64; 2] = [3.0 * 104.0, 3.0 * 176.0];
/// Steps before the clock runs: the first ones allocate and sort.
const WARM_UP: usize = 3;

/// All cases at one size.
pub(super) fn measure(size: u16, steps: usize, bandwidth: f64) -> Result<Vec<Value>, Failure> {
    CASES.iter().map(|case| measure_case(case, size, steps, bandwidth)).collect()
}

fn measure_case(case: &Case, size: u16, steps: usize, bandwidth: f64) -> Result<Value, Failure> {
    let is_plane = case.is_plane;
    let edge = if is_plane { f64::from(size).powf(PLANE_POWER).round() } else { f64::from(size) };
    // Three slabs fill the block without gaps when their edge is a whole number of particles.
    let edge = (edge / 3.0).round() * 3.0;
    let run = |precision: &str, steps: usize| -> Result<(usize, Tally), Failure> {
        let mut set: Vec<String> = case.set.iter().map(|change| (*change).to_owned()).collect();
        set.push(format!("spacing={}", 1.0 / edge));
        set.push(format!("method.mpm.precision={precision}"));
        let scene = Scene::from_text(if is_plane { PLANE } else { SPACE }, Path::new("."), &set)?;
        let mut simulation = scene.simulation()?;
        for _ in 0..WARM_UP {
            simulation.step()?;
        }
        let tally = Tally::of(&mut *simulation, steps)?;
        Ok((simulation.particle_count(), tally))
    };
    let (particles, fast) = run("single", steps)?;
    let plain_steps = steps.div_ceil(4);
    let (_, plain) = run("double", plain_steps)?;
    let count = particles as f64;
    let rate = |tally: &Tally, steps: usize| count * steps as f64 / tally.seconds / 1e6;
    let nanoseconds: Vec<Value> = fast
        .stages
        .iter()
        .map(|(name, seconds)| json!({ *name: seconds / (count * steps as f64) * 1e9 }))
        .collect();
    let bytes = BYTES[usize::from(!is_plane)];
    let (fast, plain) = (rate(&fast, steps), rate(&plain, plain_steps));
    Ok(json!({
        "method": "mpm", "case": case.label, "particles": particles, "steps": steps,
        "million_particle_steps_per_second": fast, "plain_million_particle_steps_per_second": plain,
        "times_faster": fast / plain, "ns_per_particle": nanoseconds, "bytes_per_particle_step": bytes,
        "share_of_bandwidth": fast * 1e6 * bytes / bandwidth,
    }))
}

/// A line for people.
pub(super) fn text(case: &Value) -> String {
    let number = |key: &str| case[key].as_f64().unwrap_or(f64::NAN);
    format!(
        "mpm: {}: {} particles, {:.2} million particle-steps a second, {:.1} times the plain code, {:.0} % of the bandwidth",
        case["case"].as_str().unwrap_or_default(),
        case["particles"],
        number("million_particle_steps_per_second"),
        number("times_faster"),
        100.0 * number("share_of_bandwidth")
    )
}
