//! Water.

use super::measure;
use super::stage::{Run, accelerate, add_plate, fill, quantile, water, world_of};
use crate::stage::GRAVITY;
use crate::{Findings, Measure, Resolution, Tolerance};
use pliant_geometry::Shape;
use pliant_math::Vec3;
use pliant_mpm::{Kernel, MpmSettings, Transfer};
use pliant_solver::StepError;
use pliant_world::{Acceleration, VectorField};

/// Front of Martin and Moyce 1952, a = 2.25 inches: time `t √(2g/a)` and place `x/a`.
const FRONT: [(f64, f64); 6] =
    [(0.832, 1.217), (1.219, 1.474), (1.997, 2.292), (2.547, 2.995), (3.345, 4.134), (4.034, 4.944)];

/// Where the front of a collapsing column is, beside the experiment. The transfer is the blend that water is usually
/// simulated with; with APIC the tip runs 8 to 14 % ahead.
pub(super) fn dam(resolution: Resolution) -> Result<Findings, StepError> {
    let width = 0.05715;
    let spacing = width / resolution.pick([16.0, 32.0, 48.0]);
    let points = fill([0.0; 2], [width, 2.0 * width], spacing, |_| true);
    // Ten times the fastest front.
    let fastest = 2.0 * (GRAVITY * 2.0 * width).sqrt();
    let mut world = world_of(&points, spacing, water(10.0 * fastest));
    accelerate(&mut world, -Vec3::y() * GRAVITY);
    add_plate(&mut world, Vec3::y(), Vec3::zeros(), 0.0);
    add_plate(&mut world, Vec3::x(), Vec3::zeros(), 0.0);
    let mut run = Run::new(world, MpmSettings { transfer: Transfer::Flip(0.97), ..MpmSettings::default() });
    let accepted = resolution.pick([0.15, 0.1, 0.1]);
    let (mut measures, mut speed, mut before) = (Vec::new(), 0.0_f64, (0.0, width));
    for (time, place) in FRONT {
        run.until(time / (2.0 * GRAVITY / width).sqrt())?;
        let reach = run.world.particles.position.iter().map(|x| x[0]).collect();
        let front = quantile(reach, 0.995) + 0.5 * spacing;
        speed = speed.max((front - before.1) / (run.time - before.0));
        before = (run.time, front);
        let quantity = format!("front at T = {time}");
        measures.push(measure(&quantity, "", front / width, place, Tolerance::relative(accepted)));
    }
    measures.push(measure(
        "fastest front over 2 √(gH)",
        "",
        speed / fastest,
        1.0,
        Tolerance::Relative(-1.0..=0.0),
    ));
    Ok(measures.into())
}

/// Pressure, level and residual speed of a tank at rest.
pub(super) fn tank(resolution: Resolution) -> Result<Findings, StepError> {
    let mut measures = Vec::new();
    for kernel in [Kernel::Quadratic, Kernel::Cubic] {
        measures.extend(rest(resolution, kernel)?);
    }
    Ok(measures.into())
}

fn rest(resolution: Resolution, kernel: Kernel) -> Result<Vec<Measure>, StepError> {
    let (width, height) = (0.25, 0.5);
    let spacing = width / resolution.pick([10.0, 16.0, 24.0]);
    let points = fill([0.0; 2], [width, height], spacing, |_| true);
    let speed = 10.0 * (GRAVITY * height).sqrt();
    let mut world = world_of(&points, spacing, water(speed));
    world.accelerations.push(Acceleration {
        field: VectorField::Constant(Vec3::zeros()),
        region: Some(Shape::half_space(Vec3::y(), Vec3::y() * 10.0).expect("a direction")),
        bodies: None,
    });
    add_plate(&mut world, Vec3::y(), Vec3::zeros(), 0.0);
    add_plate(&mut world, Vec3::x(), Vec3::zeros(), 0.0);
    add_plate(&mut world, -Vec3::x(), Vec3::new(width, 0.0, 0.0), 0.0);
    let mut run = Run::new(world, MpmSettings { kernel, ..MpmSettings::default() });
    // Weight comes slowly: water without friction that is dropped on the floor would bounce for ever.
    for part in 1..=100 {
        let share = (f64::from(part) / 75.0).min(1.0);
        run.world.accelerations[0].field = VectorField::Constant(-Vec3::y() * (GRAVITY * share));
        run.until(0.04 * f64::from(part))?;
    }
    let pressure = run.scalars("pressure");
    let level = quantile(run.world.particles.position.iter().map(|x| x[1]).collect(), 1.0) + 0.5 * spacing;
    // Its own weight compresses the water by this much.
    let drop = GRAVITY * height * height / (2.0 * speed * speed);
    let surface = height - drop;
    let expected: Vec<f64> =
        run.world.particles.position.iter().map(|x| 1000.0 * GRAVITY * (surface - x[1])).collect();
    let miss: f64 = pressure.iter().zip(&expected).map(|(p, q)| (p - q).powi(2)).sum();
    let scale: f64 = expected.iter().map(|q| q * q).sum();
    let fastest = run.world.particles.velocity.iter().map(nalgebra::Matrix::norm).fold(0.0, f64::max);
    let label = |quantity: &str| {
        format!("{quantity}, {}", if kernel == Kernel::Cubic { "cubic" } else { "quadratic" })
    };
    let speed = fastest / (GRAVITY * height).sqrt();
    let lowest = at_floor(&run, surface, spacing);
    let wider = resolution.pick([2.0, 1.0, 1.0]);
    let [of_particles, of_lowest, residual] =
        [0.02, 0.02, 0.001].map(|bound| Tolerance::absolute(wider * bound));
    Ok(vec![
        measure(&label("pressure of particles, L2 error"), "", (miss / scale).sqrt(), 0.0, of_particles),
        measure(&label("pressure of the cell at the floor, error"), "", lowest, 0.0, of_lowest),
        measure(&label("speed over √(gH)"), "", speed, 0.0, residual),
        measure(&label("level"), "m", level, surface, Tolerance::relative(wider * 0.01)),
    ])
}

/// Error of the mean pressure of the cell at the floor.
fn at_floor(run: &Run<2>, surface: f64, spacing: f64) -> f64 {
    let all = run.world.particles.position.iter().zip(run.scalars("pressure"));
    let lowest = all.filter(|(x, _)| x[1] < 2.0 * spacing);
    let (found, weight) = lowest.fold((0.0, 0.0), |sum, (x, pressure)| {
        (sum.0 + pressure, sum.1 + 1000.0 * GRAVITY * (surface - x[1]))
    });
    found / weight - 1.0
}
