//! Elastic bodies that vibrate, spin and slide.

use super::measure;
use super::stage::{Run, accelerate, add_plate, double, fill, world_of};
use crate::stage::{GRAVITY, elastic};
use crate::{Findings, Resolution, Tolerance};
use pliant_geometry::Shape;
use pliant_math::{Vec3, Vect};
use pliant_mpm::MpmSettings;
use pliant_mpm::Transfer;
use pliant_solver::StepError;
use pliant_world::{Acceleration, VectorField, World};
use std::f64::consts::PI;

/// Velocity of the right half of a bar that vibrates about its middle, against `v cos ωt`, over ten periods.
pub(super) fn bar(resolution: Resolution) -> Result<Findings, StepError> {
    let mut measures = Vec::new();
    for (name, transfer, accepted) in [
        ("APIC", Transfer::Apic, resolution.pick([0.04, 0.02, 0.01])),
        ("FLIP", Transfer::Flip(1.0), resolution.pick([0.06, 0.02, 0.01])),
    ] {
        let error = vibrate(resolution.pick([20, 40, 80]), MpmSettings { transfer, ..double() })?;
        let quantity = format!("root mean square error of the velocity over its amplitude, {name}");
        measures.push(measure(&quantity, "", error, 0.0, Tolerance::Absolute(0.0..=accepted)));
    }
    Ok(measures.into())
}

fn vibrate(cells: usize, settings: MpmSettings) -> Result<f64, StepError> {
    let (length, speed, period) = (25.0, 0.1, 10.0);
    let cell = length / cells as f64;
    let spacing = 0.5 * cell;
    let points = fill([-length, 0.0], [length, 2.0 * cell], spacing, |_| true);
    let mut world = world_of(&points, spacing, elastic(1.0, 100.0, 0.0));
    for (v, x) in world.particles.velocity.iter_mut().zip(&points) {
        v[0] = speed * (0.5 * PI * x[0] / length).sin();
    }
    let mut run = Run::new(world, settings);
    let amplitude = 2.0 / PI * speed;
    let (mut sum, samples) = (0.0, 400);
    for sample in 1..=samples {
        let time = 10.0 * period * f64::from(sample) / f64::from(samples);
        run.until(time)?;
        let half = points.iter().zip(&run.world.particles.velocity).filter(|(x, _)| x[0] > 0.0);
        let mean = half.map(|(_, v)| v[0]).sum::<f64>() / (0.5 * points.len() as f64);
        sum += (mean - amplitude * (2.0 * PI * time / period).cos()).powi(2);
    }
    Ok((sum / f64::from(samples)).sqrt() / amplitude)
}

/// What a spinning disc keeps in ten turns. It starts unstretched, gives way to its own inertia and breathes about the stretch
/// of equilibrium: at the same angular momentum a stretched disc has less kinetic energy, the rest is elastic.
pub(super) fn spin(resolution: Resolution) -> Result<Findings, StepError> {
    let spun = turn_ten_times(0.5 / resolution.pick([10.0, 16.0, 32.0]))?;
    let turning = Tolerance::absolute(resolution.pick([3e-3, 1e-3, 2e-4]));
    let lost = Tolerance::absolute(resolution.pick([0.01, 0.005, 0.005]));
    let kinetic = spun.kinetic_energy;
    Ok(vec![
        measure("momentum gained, over m ω R", "", spun.momentum, 0.0, Tolerance::absolute(1e-12)),
        measure("angular momentum of the particles kept", "", spun.angular_momentum, 1.0, turning),
        measure("kinetic and elastic energy kept", "", spun.energy, 1.0, lost.clone()),
        measure("kinetic energy kept, mean of the last turn", "", kinetic, stretched_energy(), lost),
    ]
    .into())
}

/// Radius [m], angular velocity [rad/s], density [kg/m³], Young's modulus [Pa] and Poisson's ratio of the disc.
const DISC: (f64, f64, f64, f64, f64) = (0.5, 10.0, 1000.0, 1e6, 0.3);

/// Kinetic energy of the disc in equilibrium over that of the unstretched one with the same angular momentum. In plane strain
/// `u = A r ((3 − 2ν) R² − r²)` with `A = ρ ω² (1 + ν)(1 − 2ν)/(8 E (1 − ν))`, and the moment of inertia grows by twice the mean of
/// `u/r`, weighted with `r²`.
fn stretched_energy() -> f64 {
    let (radius, omega, density, young, poisson) = DISC;
    let factor =
        density * omega * omega * (1.0 + poisson) * (1.0 - 2.0 * poisson) / (8.0 * young * (1.0 - poisson));
    let stretch = factor * radius * radius * (3.0 - 2.0 * poisson - 2.0 / 3.0);
    1.0 / (1.0 + 2.0 * stretch)
}

/// What is left of the start after ten turns.
struct Spun {
    /// Momentum that was gained, over `m ω R`.
    momentum: f64,
    /// That of the particles alone: what their affine velocities carry as well is in
    /// `a_free_body_keeps_momentum_and_angular_momentum` of the solver.
    angular_momentum: f64,
    energy: f64,
    /// In the mean of the last turn, in which the disc breathes fifteen times.
    kinetic_energy: f64,
}

fn turn_ten_times(spacing: f64) -> Result<Spun, StepError> {
    let (radius, omega, density, young, poisson) = DISC;
    let points = fill([-radius; 2], [radius; 2], spacing, |x| x.norm() < radius);
    let mut world = world_of(&points, spacing, elastic(density, young, poisson));
    for (v, x) in world.particles.velocity.iter_mut().zip(&points) {
        *v = Vect::from([-omega * x[1], omega * x[0]]);
    }
    let mut run = Run::new(world, double());
    // The first step fills the affine velocities, which start at zero and hold a part of the motion from then on.
    run.step(1.0)?;
    run.solver.publish(&mut run.world);
    let (before, energy) = (run.totals(), run.energy());
    let turn = 2.0 * PI / omega;
    let (mut kinetic_energy, samples) = (0.0, 200);
    for sample in 1..=samples {
        run.until(turn * (9.0 + f64::from(sample) / f64::from(samples)))?;
        kinetic_energy += run.totals().kinetic_energy / f64::from(samples);
    }
    let after = run.totals();
    Ok(Spun {
        momentum: (after.momentum - before.momentum).norm() / (before.mass * omega * radius),
        angular_momentum: after.angular_momentum.z / before.angular_momentum.z,
        energy: run.energy() / energy,
        kinetic_energy: kinetic_energy / before.kinetic_energy,
    })
}

/// Acceleration of a block down a plane for several coefficients of friction, and how far it creeps at rest.
pub(super) fn incline(resolution: Resolution) -> Result<Findings, StepError> {
    let angle = 0.5_f64;
    let mut measures = Vec::new();
    for friction in [0.0, 0.2, 0.4] {
        let acceleration = slide(resolution, angle, friction)?;
        let reference = GRAVITY * (angle.sin() - friction * angle.cos());
        let quantity = format!("acceleration, μ = {friction}");
        measures.push(measure(&quantity, "m/s²", acceleration, reference, Tolerance::relative(0.01)));
    }
    for friction in [0.6, 0.8] {
        let creep = creep(resolution, angle, friction)?;
        let quantity = format!("creep in ten seconds, μ = {friction}, in cells");
        measures.push(measure(&quantity, "", creep, 0.0, Tolerance::absolute(1e-3)));
    }
    Ok(measures.into())
}

/// How far a block at rest on the plane goes in ten seconds, in cells. Its weight comes slowly: a block that is dropped on the
/// plane rings, presses with twice its weight and with none, and slips each time, as a real one would.
fn creep(resolution: Resolution, angle: f64, friction: f64) -> Result<f64, StepError> {
    let (mut world, spacing) = block(resolution, friction);
    let down = Vec3::new(angle.sin(), -angle.cos(), 0.0) * GRAVITY;
    let still = VectorField::Constant(Vec3::zeros());
    // A region, though it holds everything: what acts everywhere is taken to act always.
    let region = Some(Shape::half_space(Vec3::y(), Vec3::y() * 10.0).expect("a direction"));
    world.accelerations.push(Acceleration { field: still, region, bodies: None });
    // Steps of half the usual length: nodes at the rim that stick have little mass, and ring at longer ones.
    let mut run = Run::new(world, MpmSettings { courant: 0.25, ..double() });
    for part in 1..=100 {
        let share = f64::from(part) / 100.0;
        run.world.accelerations[0].field = VectorField::Constant(down * share);
        run.until(0.02 * f64::from(part))?;
    }
    let start = run.totals().center.x;
    run.until(12.0)?;
    Ok((run.totals().center.x - start) / (2.0 * spacing))
}

fn block(resolution: Resolution, friction: f64) -> (World<2>, f64) {
    let spacing = 0.1 / resolution.pick([6.0, 10.0, 16.0]);
    let points = fill([0.0, 0.0], [0.2, 0.1], spacing, |_| true);
    let mut world = world_of(&points, spacing, elastic(1800.0, 1e6, 0.0));
    add_plate(&mut world, Vec3::y(), Vec3::zeros(), friction);
    (world, spacing)
}

/// Mean acceleration in the second of two seconds. Gravity is tilted rather than the plane.
fn slide(resolution: Resolution, angle: f64, friction: f64) -> Result<f64, StepError> {
    let (mut world, _) = block(resolution, friction);
    accelerate(&mut world, Vec3::new(angle.sin(), -angle.cos(), 0.0) * GRAVITY);
    let mut run = Run::new(world, double());
    run.until(1.0)?;
    let before = run.totals().momentum.x;
    run.until(2.0)?;
    let totals = run.totals();
    Ok((totals.momentum.x - before) / totals.mass)
}
