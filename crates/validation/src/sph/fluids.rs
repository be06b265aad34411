//! Fluids.

use super::{Run, measure};
use crate::stage::{GRAVITY, accelerate, add_plate, elastic, lattice, world_of};
use crate::{Findings, Resolution, Tolerance};
use pliant_material::{EquationOfState, Fluid, Law, Material};
use pliant_math::Vec3;
use pliant_solver::{Solver, StepError};
use pliant_sph::SphSettings;
use pliant_world::{Column, Motion, World};

/// Front of Martin and Moyce 1952, a = 2.25 inches: time `t √(2g/a)` and place `x/a`.
const FRONT: [(f64, f64); 4] = [(0.832, 1.217), (1.219, 1.474), (1.997, 2.292), (2.547, 2.995)];

fn fluid(viscosity: f64) -> Material {
    let fluid = Fluid { state: EquationOfState::Tait { exponent: 7.0 }, bulk_modulus: 1e6, viscosity };
    Material { law: Some(Law::Fluid(fluid)), lame: fluid.lame(), ..elastic(1000.0, 1.0, 0.0) }
}

/// A lattice between walls that it touches: the floor, the left side, and front and back.
fn basin(counts: [usize; 3], d: f64, viscosity: f64) -> World<3> {
    let mut world = world_of(&lattice(counts, d), d, fluid(viscosity));
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
    let world = basin([across, 2 * across, 4], d, 1e-3);
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
        measures.push(measure(&quantity, "", front / width, place, Tolerance::relative(0.1)));
    }
    let share = speed / fastest;
    measures.push(measure("fastest front over 2 √(gH)", "", share, 1.0, Tolerance::Relative(-1.0..=0.0)));
    Ok(measures.into())
}

/// Pressure, level and residual speed of a tank at rest.
pub(super) fn tank(resolution: Resolution) -> Result<Findings, StepError> {
    let across = resolution.pick([6, 8, 12]);
    let (d, height) = (0.25 / across as f64, 0.5);
    let mut world = basin([across, 2 * across, across], d, 5.0);
    let right = Vec3::x() * 0.25;
    add_plate(&mut world, -Vec3::x(), right, 0.0, Motion::Static);
    let mut run = Run::new(world, SphSettings { elastic_step: 4e-3, ..SphSettings::default() });
    run.until(2.0)?;
    let fields = run.solver.fields(&run.world);
    let pressure = fields.iter().find_map(|field| match &field.column {
        Column::Scalar(values) if field.name == "pressure" => Some(values),
        _ => None,
    });
    let Some(pressure) = pressure else { unreachable!("the method has pressures") };
    let x = &run.world.particles.position;
    let level = x.iter().map(|x| x.y).fold(0.0, f64::max) + 0.5 * d;
    // Layers two spacings thick, from the floor up to the last but one: pressures of single particles sway.
    let layers = across - 1;
    let (mut miss, mut scale) = (0.0, 0.0);
    for layer in 0..layers {
        let height = 2.0 * d * layer as f64;
        let members: Vec<usize> =
            (0..x.len()).filter(|&i| (height..height + 2.0 * d).contains(&x[i].y)).collect();
        let mean = |sum: f64| sum / members.len().max(1) as f64;
        let found = mean(members.iter().map(|&i| f64::from(pressure[i])).sum());
        let expected = mean(members.iter().map(|&i| 1000.0 * GRAVITY * (level - x[i].y)).sum());
        (miss, scale) = (miss + (found - expected).powi(2), scale + expected * expected);
    }
    let fastest = run.world.particles.velocity.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let share = fastest / (GRAVITY * height).sqrt();
    Ok(vec![
        measure("pressure of layers, L2 error", "", (miss / scale).sqrt(), 0.0, Tolerance::absolute(0.1)),
        measure("speed over √(gH)", "", share, 0.0, Tolerance::absolute(0.02)),
        measure("level", "m", level, height, Tolerance::relative(0.03)),
    ]
    .into())
}
