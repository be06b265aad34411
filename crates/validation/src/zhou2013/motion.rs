//! Bodies that move.

use super::backward_euler;
use crate::figure::sampled;
use crate::stage::{GRAVITY, Run, accelerate, add_plate, elastic, lattice, world_of};
use crate::{Figure, Findings, Measure, Resolution, Tolerance};
use pliant_math::Vec3;
use pliant_solver::{StepError, Totals};
use pliant_world::{Motion, World};
use pliant_zhou::Zhou2013Settings;
use pliant_zhou::zhou2013::Integrator;

/// Step [s].
const DT: f64 = 2e-3;

/// Share of its angular momentum that a free cube keeps for one second, and the speed of its centre.
pub(super) fn spin(resolution: Resolution) -> Result<Findings, StepError> {
    let omega = 10.0 * std::f64::consts::PI;
    let theory = |time: f64| 1.0 / (1.0 + 2.0 * omega * omega * DT * time).sqrt();
    let mut figure = Figure::new("Spinning cube", "time [s]", "angular momentum over that at the start");
    let mut measures = Vec::new();
    for (name, integrator, reference, accepted) in [
        ("backward Euler", Integrator::BackwardEuler, theory(1.0), 0.01),
        ("BDF2", Integrator::Bdf2, 1.0, 0.03),
    ] {
        let (path, drift) = spun(resolution, omega, integrator)?;
        let kept = path.last().map_or(f64::NAN, |(_, kept)| *kept);
        figure = figure.with(name, path);
        measures.push(Measure {
            quantity: format!("angular momentum kept, {name}"),
            unit: "",
            value: kept,
            reference,
            tolerance: Tolerance::absolute(accepted),
        });
        measures.push(Measure {
            quantity: format!("speed of the centre, {name}"),
            unit: "m/s",
            value: drift,
            reference: 0.0,
            tolerance: Tolerance::absolute(1e-10),
        });
    }
    let figure = Some(figure.with("backward Euler, theory", sampled(0.0, 1.0, theory)));
    Ok(Findings { measures, figure })
}

/// Share of the angular momentum over time, and the speed of the centre at the end.
type Spun = (Vec<(f64, f64)>, f64);

fn spun(resolution: Resolution, omega: f64, integrator: Integrator) -> Result<Spun, StepError> {
    let (n, edge) = (resolution.pick([5, 8, 12]), 0.16);
    let d = edge / n as f64;
    let rest = lattice([n, n, n], d);
    let mut world = world_of(&rest, d, elastic(1000.0, 1e6, 0.3));
    let center = Totals::of(&world).center;
    for (v, x) in world.particles.velocity.iter_mut().zip(&rest) {
        *v = (Vec3::y() * omega).cross(&(x - center));
    }
    let spin = |world: &World<3>| {
        let totals = Totals::of(world);
        (totals.angular_momentum - totals.center.cross(&totals.momentum)).norm()
    };
    let before = spin(&world);
    let mut run = Run::new(world, Zhou2013Settings { integrator, ..Zhou2013Settings::default() });
    let mut path = vec![(0.0, 1.0)];
    for _ in 0..50 {
        run.steps(10, DT)?;
        path.push((run.time, spin(&run.world) / before));
    }
    let totals = Totals::of(&run.world);
    Ok((path, totals.momentum.norm() / totals.mass))
}

/// Acceleration of a block down a plane for several coefficients of friction.
pub(super) fn incline(resolution: Resolution) -> Result<Findings, StepError> {
    let angle = 0.5_f64;
    let mut measures = Vec::new();
    for friction in [0.0, 0.2, 0.4, 0.6] {
        let driven = GRAVITY * (angle.sin() - friction * angle.cos());
        measures.push(Measure {
            quantity: format!("acceleration, μ = {friction}"),
            unit: "m/s²",
            value: slide(resolution, angle, friction)?,
            reference: driven.max(0.0),
            tolerance: if driven > 0.0 { Tolerance::relative(0.01) } else { Tolerance::absolute(1e-6) },
        });
    }
    Ok(measures.into())
}

/// Mean acceleration in the second half of a second. Gravity is tilted rather than the plane.
fn slide(resolution: Resolution, angle: f64, friction: f64) -> Result<f64, StepError> {
    let n = resolution.pick([2, 3, 4]);
    let d = 0.06 / n as f64;
    let mut world = world_of(&lattice([2 * n, n, 2 * n], d), d, elastic(1000.0, 1e6, 0.3));
    accelerate(&mut world, Vec3::new(angle.sin(), -angle.cos(), 0.0) * GRAVITY);
    add_plate(&mut world, Vec3::y(), Vec3::zeros(), friction, Motion::Static);
    let mut run = Run::new(world, backward_euler());
    let speed = |run: &Run| Totals::of(&run.world).momentum.x / Totals::of(&run.world).mass;
    run.steps(250, 2e-3)?;
    let before = speed(&run);
    run.steps(250, 2e-3)?;
    Ok((speed(&run) - before) / 0.5)
}
