//! Heat that spreads.

use super::measure;
use super::stage::{Run, fill, world_of};
use crate::stage::elastic;
use crate::{Findings, Resolution, Tolerance};
use pliant_material::Material;
use pliant_mpm::MpmSettings;
use pliant_solver::StepError;
use pliant_world::Values;
use std::f64::consts::PI;

/// How much of a wave of heat along a bar is left, and the temperature beside a step of it.
pub(super) fn diffusion(resolution: Resolution) -> Result<Findings, StepError> {
    let (diffusivity, time) = (0.02, 2.0);
    let wave = |x: f64| (PI * x).cos();
    let fading = (-diffusivity * PI * PI * time).exp();
    // A quarter as fast, so that what a step sends across has not reached the ends.
    let (slow, step) = (0.25 * diffusivity, |x: f64| if x < 0.5 { 1.0 } else { 0.0 });
    let bound = || Tolerance::relative(resolution.pick([0.1, 0.02, 0.01]));
    let faded = along_bar(resolution, diffusivity, time, &wave)?;
    let spread = along_bar(resolution, slow, time, &step)?;
    let left = faded.iter().map(|(x, c)| c * wave(*x)).sum::<f64>()
        / faded.iter().map(|(x, _)| wave(*x).powi(2)).sum::<f64>();
    let crossed = spread.iter().filter(|(x, _)| *x > 0.5).map(|(_, c)| c).sum::<f64>() / spread.len() as f64;
    Ok(vec![
        measure("share of a wave that is left", "", left, fading, bound()),
        measure("heat that has crossed a step", "m", crossed, (slow * time / PI).sqrt(), bound()),
    ]
    .into())
}

/// Place and temperature of the particles of a bar of one metre, after a while.
fn along_bar(
    resolution: Resolution,
    diffusivity: f64,
    time: f64,
    start: &dyn Fn(f64) -> f64,
) -> Result<Vec<(f64, f64)>, StepError> {
    let spacing = 1.0 / resolution.pick([16.0, 32.0, 64.0]);
    let points = fill([0.0; 2], [1.0, 0.25], spacing, |_| true);
    let mut world = world_of(&points, spacing, Material { diffusivity, ..elastic(1000.0, 1e5, 0.3) });
    let values: Vec<f64> = world.particles.position.iter().map(|x| start(x[0])).collect();
    world.concentrations.push(Values { particles: 0..values.len(), values });
    let mut run = Run::new(world, MpmSettings::default());
    run.until(time)?;
    let carried = run.scalars("concentration");
    Ok(run.world.particles.position.iter().map(|x| x[0]).zip(carried).collect())
}
