//! Fluids.

use super::{Run, measure};
use crate::stage::{GRAVITY, accelerate, add_plate, elastic, lattice, world_of};
use crate::{Findings, Resolution, Tolerance};
use pliant_material::{EquationOfState, Fluid, Law, Material};
use pliant_math::Vec3;
use pliant_solver::StepError;
use pliant_sph::SphSettings;
use pliant_world::{Motion, World};

/// Front of Martin and Moyce 1952, a = 2.25 inches: time `t √(2g/a)` and place `x/a`.
const FRONT: [(f64, f64); 6] =
    [(0.832, 1.217), (1.219, 1.474), (1.997, 2.292), (2.547, 2.995), (3.345, 4.134), (4.034, 4.944)];

fn water() -> Material {
    let fluid = Fluid { state: EquationOfState::Tait { exponent: 7.0 }, bulk_modulus: 1e6, viscosity: 1e-3 };
    Material { law: Some(Law::Fluid(fluid)), lame: fluid.lame(), ..elastic(1000.0, 1.0, 0.0) }
}

/// A lattice between walls that it touches: the floor, the left side, and front and back.
fn basin(counts: [usize; 3], d: f64) -> World<3> {
    let mut world = world_of(&lattice(counts, d), d, water());
    accelerate(&mut world, -Vec3::y() * GRAVITY);
    let far = Vec3::z() * (counts[2] as f64 * d);
    for (outward, point) in [
        (Vec3::y(), Vec3::zeros()),
        (Vec3::x(), Vec3::zeros()),
        (Vec3::z(), Vec3::zeros()),
        (-Vec3::z(), far),
    ] {
        add_plate(&mut world, outward, point, 0.0, Motion::Static);
    }
    world
}

/// Where the front of a collapsing column is, beside the experiment.
pub(super) fn dam(resolution: Resolution) -> Result<Findings, StepError> {
    let width = 0.05715;
    let across = resolution.pick([10, 16, 24]);
    let d = width / across as f64;
    let mut world = basin([across, 2 * across, 4], d);
    world.colliders[0].stickiness = f64::INFINITY;
    let mut run = Run::new(world, SphSettings { elastic_step: 1e-3, ..SphSettings::default() });
    let fastest = 2.0 * (GRAVITY * 2.0 * width).sqrt();
    let (mut measures, mut speed, mut before) = (Vec::new(), 0.0_f64, (0.0, width));
    for (time, place) in FRONT {
        run.until(time / (2.0 * GRAVITY / width).sqrt())?;
        let mut reach: Vec<f64> = run.world.particles.position.iter().map(|x| x.x).collect();
        reach.sort_by(f64::total_cmp);
        let front = reach[(0.995 * (reach.len() - 1) as f64) as usize] + 0.5 * d;
        speed = speed.max((front - before.1) / (run.time - before.0));
        before = (run.time, front);
        let quantity = format!("front at T = {time}");
        measures.push(measure(&quantity, "", front / width, place, Tolerance::relative(0.12)));
    }
    let share = speed / fastest;
    measures.push(measure("fastest front over 2 √(gH)", "", share, 1.0, Tolerance::Relative(-1.0..=0.0)));
    Ok(measures.into())
}

/// Honey between two plates to which it sticks and two along which it slips, driven along them.
fn channel(counts: [usize; 3], d: f64, (viscosity, drive): (f64, f64)) -> World<3> {
    let mut honey = water();
    let Some(Law::Fluid(fluid)) = &mut honey.law else { unreachable!("water is a fluid") };
    fluid.viscosity = viscosity;
    let mut world = world_of(&lattice(counts, d), d, honey);
    accelerate(&mut world, Vec3::z() * drive);
    for (outward, point) in [
        (Vec3::y(), Vec3::zeros()),
        (-Vec3::y(), Vec3::y() * (counts[1] as f64 * d)),
        (Vec3::x(), Vec3::zeros()),
        (-Vec3::x(), Vec3::x() * (counts[0] as f64 * d)),
    ] {
        add_plate(&mut world, outward, point, 0.0, Motion::Static);
    }
    world.colliders[..2].iter_mut().for_each(|plate| plate.stickiness = f64::INFINITY);
    world
}

/// Honey that is driven along between two plates to which it sticks, beside the parabola of Poiseuille.
pub(super) fn poiseuille(resolution: Resolution) -> Result<Findings, StepError> {
    let (height, viscosity, drive) = (0.5, 1000.0, 4.0);
    let layers = resolution.pick([8, 12, 16]);
    let world = channel([6, layers, 4 * layers], height / layers as f64, (viscosity, drive));
    let mut run = Run::new(world, SphSettings { elastic_step: 2e-3, ..SphSettings::default() });
    // Eight times as long as the slowest part of the start takes to decay to a third.
    run.until(0.2)?;
    let p = &run.world.particles;
    let middle = |x: &Vec3| (x.z - 2.0 * height).abs() < 0.5 * height;
    let inside = (0..p.len()).filter(|&i| middle(&p.position[i]));
    let (mut flow, mut exact, mut error) = (0.0, 0.0, 0.0_f64);
    for i in inside {
        let y = p.position[i].y;
        let speed = 1000.0 * drive / (2.0 * viscosity) * y * (height - y);
        flow += p.velocity[i].z;
        exact += speed;
        error = error.max((p.velocity[i].z - speed).abs());
    }
    let fastest = 1000.0 * drive * height * height / (8.0 * viscosity);
    Ok(vec![
        measure("flow over that of theory", "", flow / exact, 1.0, Tolerance::relative(0.05)),
        measure(
            "largest error over the fastest speed",
            "",
            error / fastest,
            0.0,
            Tolerance::Absolute(0.0..=0.05),
        ),
    ]
    .into())
}

/// Water at rest beside hydrostatics.
pub(super) fn tank(resolution: Resolution) -> Result<Findings, StepError> {
    let (across, layers) = resolution.pick([(6, 10), (10, 20), (14, 30)]);
    let depth = 0.5;
    let d = depth / layers as f64;
    let mut world = basin([across, layers, across], d);
    add_plate(&mut world, -Vec3::x(), Vec3::x() * (across as f64 * d), 0.0, Motion::Static);
    let mut run = Run::new(world, SphSettings { elastic_step: 0.08 * d, ..SphSettings::default() });
    run.until(8.0)?;
    let p = &run.world.particles;
    let count = p.len() as f64;
    let pressures = run.pressures();
    let weight = |y: f64| 1000.0 * GRAVITY * (depth - y);
    let (mut single, mut by_depth, mut all) = (0.0, 0.0, 0.0);
    for layer in 0..layers {
        let of_layer = |i: &usize| (p.position[*i].y / d).max(0.0) as usize == layer;
        let errors: Vec<f64> = (0..p.len())
            .filter(of_layer)
            .map(|i| {
                all += weight(p.position[i].y).powi(2);
                f64::from(pressures[i]) - weight(p.position[i].y)
            })
            .collect();
        single += errors.iter().map(|error| error * error).sum::<f64>();
        by_depth += errors.iter().sum::<f64>().powi(2) / (errors.len() as f64).max(1.0);
    }
    let square: f64 = p.velocity.iter().map(Vec3::norm_squared).sum();
    let speed = (square / count).sqrt() / (GRAVITY * depth).sqrt();
    let level = 2.0 * p.position.iter().map(|x| x.y).sum::<f64>() / count / depth;
    let within = |error: f64| Tolerance::Absolute(0.0..=error);
    Ok(vec![
        measure("pressure by depth, L2 error", "", (by_depth / all).sqrt(), 0.0, within(0.02)),
        measure("pressure of single particles, L2 error", "", (single / all).sqrt(), 0.0, within(0.06)),
        measure("root mean square speed over √(gH)", "", speed, 0.0, within(1e-3)),
        measure("level over that of the volume", "", level, 1.0, Tolerance::relative(0.01)),
    ]
    .into())
}
