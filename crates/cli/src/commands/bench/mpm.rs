//! Particle-steps a second of the Material Point Method, against the same steps one particle at a time in double
//! precision.

use std::path::Path;

use pliant_mpm::{arithmetic_limit, register_width};
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

pub(super) const SPACE: &str = include_str!("../../../templates/bench_mpm.toml");
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
/// Memory that a step moves for a particle in the plane and in space: what goes to the grid is read (place, velocity, affine
/// velocity, stress, mass), what comes back is read (place, deformation, volume, memory, matter) and written (all but
/// mass, volume and number) [bytes].
const BYTES: [f64; 2] = [60.0 + 48.0 + 84.0, 100.0 + 76.0 + 144.0];
/// Products and sums that a step of fixed corotated matter takes for a particle: on the way to the grid weights, the linear
/// field and lines of four nodes; on the way back the same and the gradient; then deformation, rotation and stress.
const OPERATIONS: [f64; 2] = [339.0 + 311.0 + 80.0, 817.0 + 754.0 + 450.0];
/// Steps before the clock runs: the first ones allocate and sort.
pub(super) const WARM_UP: usize = 3;

/// All cases at one size.
pub(super) fn measure(size: u16, steps: usize, bandwidth: f64) -> Result<Vec<Value>, Failure> {
    let limits = Limits { bandwidth, arithmetic: rayon::broadcast(|_| arithmetic_limit()).iter().sum() };
    CASES.iter().map(|case| measure_case(case, size, steps, &limits)).collect()
}

/// What the machine gives: bytes, and products and sums a second.
struct Limits {
    bandwidth: f64,
    arithmetic: f64,
}

fn measure_case(case: &Case, size: u16, steps: usize, limits: &Limits) -> Result<Value, Failure> {
    let is_plane = case.is_plane;
    let edge = if is_plane { f64::from(size).powf(PLANE_POWER).round() } else { f64::from(size) };
    // Three slabs fill the block without gaps when their edge is a whole number of particles.
    let edge = (edge / 3.0).round() * 3.0;
    let run = |precision: &str, steps: usize| -> Result<(usize, Tally), Failure> {
        let mut set: Vec<String> = case.set.iter().map(|change| (*change).to_owned()).collect();
        set.push(format!("spacing={}", 1.0 / edge));
        set.push(format!("method.mpm.precision={precision}"));
        set.push("max_particles=100000000".to_owned());
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
    let (bytes, operations) = (BYTES[usize::from(!is_plane)], OPERATIONS[usize::from(!is_plane)]);
    let (fast, plain) = (rate(&fast, steps), rate(&plain, plain_steps));
    Ok(json!({
        "method": "mpm", "case": case.label, "particles": particles, "steps": steps,
        "million_particle_steps_per_second": fast, "plain_million_particle_steps_per_second": plain,
        "times_faster": fast / plain, "ns_per_particle": nanoseconds, "bytes_per_particle_step": bytes,
        "share_of_bandwidth": fast * 1e6 * bytes / limits.bandwidth,
        "flops_per_particle_step": operations, "flops_per_second_limit": limits.arithmetic,
        "share_of_flops": fast * 1e6 * operations / limits.arithmetic,
        "numbers_in_a_register": register_width(),
    }))
}

/// A line for people.
pub(super) fn text(case: &Value) -> String {
    let number = |key: &str| case[key].as_f64().unwrap_or(f64::NAN);
    format!(
        "mpm: {}: {} particles, {:.2} million particle-steps a second, {:.1} times the plain code; {:.0} bytes a particle-step, {:.0} % of the bandwidth; {:.0} flops, {:.0} % of the arithmetic",
        case["case"].as_str().unwrap_or_default(),
        case["particles"],
        number("million_particle_steps_per_second"),
        number("times_faster"),
        number("bytes_per_particle_step"),
        100.0 * number("share_of_bandwidth"),
        number("flops_per_particle_step"),
        100.0 * number("share_of_flops")
    )
}
