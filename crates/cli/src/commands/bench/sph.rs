//! Tables 1 and 2 of Kugelstadt 2021 as ratios: the factorised elastic step against that of Peer 2018, which solves the
//! whole system by conjugate gradients, in the same program and on the same bunny.

use std::path::Path;
use std::time::Instant;

use pliant_math::parallel;
use pliant_scene::{AnyWorld, Method, Scene};
use pliant_solver::{Care, Solver, Span};
use pliant_sph::Sph;
use serde_json::{Value, json};

use super::memory;
use crate::exit::{Failure, NUMERICS};

const SCENE: &str = include_str!("../../../templates/bench_sph.toml");
/// Particles along the height of the bunny: about 4,200, 8,200, 16,200 and 31,700, the sizes of Table 1.
pub(super) const SIZES: [u16; 4] = [34, 42, 53, 67];
/// Steps before the clock runs: the feet have to start moving.
const WARM_UP: usize = 10;
/// Young's moduli of Table 2 [Pa].
const YOUNG: [f64; 5] = [1e5, 5e5, 1e6, 5e6, 1e7];
/// Steps of Table 2 [s].
const STEPS: [f64; 4] = [1e-3, 2e-3, 5e-3, 1e-2];
/// The size at which Table 2 is measured.
const TABLE_2: u16 = 42;

/// One line of Table 1 for each size, then those of Table 2.
pub(super) fn measure(sizes: &[u16], steps: usize) -> Result<Vec<Value>, Failure> {
    let mut cases = Vec::new();
    for &size in sizes {
        cases.push(compare(size, 1e6, 2e-3, steps)?);
    }
    if sizes.contains(&TABLE_2) {
        for young in YOUNG.into_iter().filter(|&young| young != 1e6) {
            cases.push(compare(TABLE_2, young, 2e-3, steps)?);
        }
        for dt in STEPS.into_iter().filter(|&dt| dt != 2e-3) {
            cases.push(compare(TABLE_2, 1e6, dt, steps)?);
        }
    }
    Ok(cases)
}

/// What one way to solve the elastic step costs.
struct Cost {
    particles: usize,
    start_up: f64,
    elastic: f64,
    step: f64,
    iterations: f64,
    entries: usize,
}

fn compare(size: u16, young: f64, dt: f64, steps: usize) -> Result<Value, Failure> {
    memory::begin();
    let ours = cost(size, young, dt, ("corrected", steps))?;
    let peak = memory::bytes("VmHWM:");
    let peer = cost(size, young, dt, ("peer2018", steps.div_ceil(2)))?;
    Ok(json!({
        "method": "sph", "particles": ours.particles, "young": young, "dt": dt, "steps": steps,
        "elastic_ms": ours.elastic * 1e3, "step_ms": ours.step * 1e3, "start_up_s": ours.start_up,
        "iterations": ours.iterations, "factor_entries": ours.entries, "factor_bytes": 4 * ours.entries,
        "peak_bytes": peak,
        "peer2018_elastic_ms": peer.elastic * 1e3, "peer2018_step_ms": peer.step * 1e3,
        "peer2018_iterations": peer.iterations, "times_faster": peer.elastic / ours.elastic,
    }))
}

fn cost(size: u16, young: f64, dt: f64, (elasticity, steps): (&str, usize)) -> Result<Cost, Failure> {
    let mut changes = vec![
        format!("spacing={}", 1.0 / f64::from(size)),
        format!("materials.rubber.young={young}"),
        format!("time.dt={dt}"),
        format!("method.sph.elasticity={elasticity}"),
    ];
    if elasticity == "peer2018" {
        changes.push("method.sph.zero_energy=none".to_owned());
    }
    let scene = Scene::from_text(SCENE, Path::new("."), &changes)?;
    let (AnyWorld::Space(mut world), Method::Sph(settings)) = (scene.build()?, &scene.method) else {
        unreachable!("the scene is in space and names the method");
    };
    let watch = Instant::now();
    let mut solver = Sph::new(&world, settings.clone());
    let mut cost = Cost {
        particles: world.particles.len(),
        start_up: watch.elapsed().as_secs_f64(),
        elastic: 0.0,
        step: 0.0,
        iterations: 0.0,
        entries: solver.factor_entries(),
    };
    for step in 0..WARM_UP + steps {
        let span = Span { time: step as f64 * dt, dt, care: Care::LastResort };
        let watch = Instant::now();
        let report = parallel::inside(|| solver.step(&mut world, span))
            .map_err(|error| Failure::new(NUMERICS, error))?;
        if step >= WARM_UP {
            let elastic = report.stages.iter().filter(|(name, _)| *name == "elasticity");
            cost.step += watch.elapsed().as_secs_f64() / steps as f64;
            cost.elastic += elastic.map(|(_, seconds)| seconds).sum::<f64>() / steps as f64;
            cost.iterations += report.iterations as f64 / steps as f64;
        }
    }
    Ok(cost)
}

/// A line for people.
pub(super) fn text(case: &Value) -> String {
    let number = |key: &str| case[key].as_f64().unwrap_or(f64::NAN);
    format!(
        "sph: {} particles, {:.1} MPa, {} ms: elastic {:.1} ms ({:.0} iterations), step {:.1} ms, start {:.2} s, factor \
         {:.1} M numbers, peak {:.0} MB; Peer 2018 {:.1} ms ({:.0} iterations): {:.1} times faster",
        case["particles"],
        number("young") / 1e6,
        number("dt") * 1e3,
        number("elastic_ms"),
        number("iterations"),
        number("step_ms"),
        number("start_up_s"),
        number("factor_entries") / 1e6,
        number("peak_bytes") / 1e6,
        number("peer2018_elastic_ms"),
        number("peer2018_iterations"),
        number("times_faster"),
    )
}
