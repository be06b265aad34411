//! Two species in one place.

use super::measure;
use super::stage::{Run, double, fill, water};
use crate::stage::GRAVITY;
use crate::{Findings, Resolution, Tolerance};
use pliant_math::Vec3;
use pliant_mpm::MpmSettings;
use pliant_mpm::{Drag, DragMode, Mixture};
use pliant_solver::StepError;
use pliant_world::{Acceleration, VectorField, World};

/// Two fluids that fill the same square, by their partial densities [kg/m³].
fn overlapping(count: usize, densities: [f64; 2]) -> World<2> {
    let spacing = 0.32 / count as f64;
    let points = fill([-0.16; 2], [0.16; 2], spacing, |_| true);
    let mut world = World::empty();
    for (species, density) in (0u8..).zip(densities) {
        let mut matter = water(1.0);
        matter.density = density;
        world.materials.push(matter);
        world.add_body("species", &points, spacing, u16::from(species));
        world.bodies[usize::from(species)].species = species;
    }
    world
}

fn mixed(drag: Drag, mode: DragMode, dt: f64) -> MpmSettings {
    let species = vec!["skeleton".to_owned(), "water".to_owned()];
    MpmSettings {
        mixture: Mixture { species, drag, mode, ..Mixture::default() },
        substep: Some(dt),
        ..double()
    }
}

/// Velocity of the second species against the first at the middle of the square [m/s].
fn difference(world: &World<2>) -> f64 {
    let half = world.particles.len() / 2;
    let distance = |i: &usize| world.particles.position[*i].norm();
    let middle = (0..half).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
    world.particles.velocity[half + middle][0] - world.particles.velocity[middle][0]
}

/// The difference in velocity after two steps on three grids, and with steps far longer than its time.
pub(super) fn relaxation(_: Resolution) -> Result<Findings, StepError> {
    let (coefficient, dt, steps) = (2e6, 1e-4, 2);
    let pace = coefficient * (1.0 / 1000.0 + 1.0 / 2500.0) * dt;
    let mut measures = Vec::new();
    for count in [32, 40, 48] {
        let relaxed = relax(count, coefficient, dt, steps)?;
        let quantity = format!("difference in velocity after two steps, {count} particles across");
        measures.push(measure(
            &quantity,
            "m/s",
            relaxed,
            (1.0 + pace).powi(-steps),
            Tolerance::absolute(1e-12),
        ));
    }
    let wild = relax(32, coefficient * 1000.0 / pace, dt, 1)?;
    measures.push(measure(
        "difference after a step of 1000 τ",
        "m/s",
        wild,
        1.0 / 1001.0,
        Tolerance::absolute(1e-12),
    ));
    Ok(measures.into())
}

fn relax(count: usize, coefficient: f64, dt: f64, steps: i32) -> Result<f64, StepError> {
    let mut world = overlapping(count, [1000.0, 2500.0]);
    let half = world.particles.len() / 2;
    world.particles.velocity[half..].iter_mut().for_each(|v| v[0] = 1.0);
    let mut run = Run::new(world, mixed(Drag::Physical(coefficient), DragMode::Implicit, dt));
    run.until(f64::from(steps) * dt)?;
    Ok(difference(&run.world))
}

/// Flow through a skeleton that is too heavy to move.
pub(super) fn darcy(resolution: Resolution) -> Result<Findings, StepError> {
    let (porosity, density) = (0.4, 1000.0);
    let mut measures = Vec::new();
    for (permeability, gradient) in [(1e-3, 0.5), (1e-2, 0.5), (1e-3, 1.0)] {
        let drag = porosity * porosity * density * GRAVITY / permeability;
        let mut world = overlapping(resolution.pick([24, 32, 40]), [1e9, porosity * density]);
        world.accelerations.push(Acceleration {
            field: VectorField::Constant(Vec3::x() * gradient * GRAVITY),
            region: None,
            bodies: Some(vec![1]),
        });
        let relaxation = porosity * density / drag;
        let mut run = Run::new(world, mixed(Drag::Physical(drag), DragMode::Implicit, 0.1 * relaxation));
        run.until(12.0 * relaxation)?;
        let quantity = format!("n v, k = {permeability} m/s, i = {gradient}");
        let flow = porosity * difference(&run.world);
        measures.push(measure(&quantity, "m/s", flow, permeability * gradient, Tolerance::relative(0.02)));
    }
    Ok(measures.into())
}
