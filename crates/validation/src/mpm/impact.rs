//! Bodies that hit each other or a wall.

use super::measure;
use super::stage::{Run, add_mirror, add_plate, double, fill, quantile, world_of};
use crate::stage::elastic;
use crate::{Findings, Resolution, Tolerance};
use pliant_material::Plastic;
use pliant_material::plastic::VonMises;
use pliant_math::{Vec3, Vect};
use pliant_mpm::{MpmSettings, Transfer};
use pliant_solver::StepError;

/// Energy, momentum and time of touch of two disks.
pub(super) fn disks(resolution: Resolution) -> Result<Findings, StepError> {
    let mut measures = Vec::new();
    for (name, transfer, lost) in [
        ("APIC", Transfer::Apic, [0.33, 0.18, 0.07]),
        ("affine FLIP", Transfer::AffineFlip(1.0), [0.1, 0.05, 0.05]),
    ] {
        let cell = 1.0 / resolution.pick([20.0, 40.0, 80.0]);
        let Meeting { momentum, kept, touch } = meet(cell, transfer)?;
        let label = |quantity: &str| format!("{quantity}, {name}");
        let accepted = Tolerance::Absolute(-resolution.pick(lost)..=0.0);
        measures.extend([
            measure(&label("momentum over m v"), "", momentum, 0.0, Tolerance::absolute(1e-13)),
            measure(&label("energy kept at 3 s"), "", kept, 1.0, accepted),
            measure(
                &label("first touch, a hundredth of the momentum turned"),
                "s",
                touch,
                1.58579,
                Tolerance::absolute(2.0 * cell / 0.2828),
            ),
        ]);
    }
    Ok(measures.into())
}

/// What became of two disks after they met.
struct Meeting {
    /// Momentum of both over that of one.
    momentum: f64,
    /// Share of the energy at the start.
    kept: f64,
    /// When they first touched [s].
    touch: f64,
}

fn meet(cell: f64, transfer: Transfer) -> Result<Meeting, StepError> {
    let (spacing, radius) = (0.5 * cell, 0.2);
    let mut world = world_of::<2>(&[], spacing, elastic(1000.0, 1000.0, 0.3));
    world.bodies.clear();
    for (name, center, speed) in [("lower", 0.2, 0.1), ("upper", 0.8, -0.1)] {
        let middle = Vect::<2>::repeat(center);
        let points = fill([0.0; 2], [1.0; 2], spacing, |x| (x - middle).norm() < radius);
        for i in world.add_body(name, &points, spacing, 0) {
            world.particles.velocity[i] = Vect::repeat(speed);
        }
    }
    let mut run = Run::new(world, MpmSettings { transfer, ..double() });
    let (start, body) = (run.energy(), run.world.bodies[0].particles.clone());
    let pace = |run: &Run<2>| {
        run.world.particles.velocity[body.clone()].iter().map(|v| v[0]).sum::<f64>() / body.len() as f64
    };
    let mut touch = f64::NAN;
    for sample in 1..=300 {
        run.until(0.01 * f64::from(sample))?;
        if touch.is_nan() && pace(&run) < 0.1 * 0.99 {
            touch = run.time;
        }
    }
    let totals = run.totals();
    let momentum = totals.momentum.norm() / (totals.mass * 0.1);
    Ok(Meeting { momentum, kept: run.energy() / start, touch })
}

/// Length and radius of a copper bar after it hit a smooth wall.
pub(super) fn taylor(resolution: Resolution) -> Result<Findings, StepError> {
    let (length, radius) = (32.4e-3, 3.2e-3);
    let spacing = radius / resolution.pick([8.0, 12.0, 16.0]);
    let points = fill([0.0; 3], [radius, length, radius], spacing, |x| x[0].hypot(x[2]) < radius);
    let mut copper = elastic(8930.0, 117e9, 0.35);
    copper.plastic = Some(Plastic::VonMises(VonMises { yield_stress: 400e6, hardening: 100e6 }));
    let mut world = world_of(&points, spacing, copper);
    world.particles.velocity.iter_mut().for_each(|v| v[1] = -227.0);
    add_plate(&mut world, Vec3::y(), Vec3::zeros(), 0.0);
    add_mirror(&mut world, Vec3::x());
    add_mirror(&mut world, Vec3::z());
    let mut run = Run::new(world, double());
    run.until(80e-6)?;
    let x = &run.world.particles.position;
    let top = x.iter().map(|x| x[1]).fold(f64::MIN, f64::max) + 0.5 * spacing;
    // The wall, unless the bar has left it: particles at the foot are crushed far below half a spacing.
    let bottom = (x.iter().map(|x| x[1]).fold(f64::MAX, f64::min) - 0.5 * spacing).max(0.0);
    let foot = x.iter().map(|x| x[0].hypot(x[2])).fold(f64::MIN, f64::max) + 0.5 * spacing;
    let strain = quantile(run.scalars("plastic_strain"), 1.0);
    Ok(vec![
        measure(
            "length at the end",
            "m",
            top - bottom,
            21.43e-3,
            Tolerance::relative(resolution.pick([0.03, 0.01, 0.01])),
        ),
        measure(
            "radius at the end",
            "m",
            foot,
            7.2e-3,
            Tolerance::relative(resolution.pick([0.06, 0.03, 0.03])),
        ),
        measure(
            "largest plastic strain",
            "",
            strain,
            2.95,
            Tolerance::absolute(resolution.pick([0.8, 0.5, 0.5])),
        ),
    ]
    .into())
}
