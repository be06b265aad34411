//! Sand.

use super::measure;
use super::stage::{Run, accelerate, add_mirror, add_plate, fill, quantile, world_of};
use crate::stage::{GRAVITY, elastic};
use crate::{Findings, Resolution, Tolerance};
use pliant_material::plastic::{Cohesion, Cone, DruckerPrager, Friction};
use pliant_material::{Material, Plastic};
use pliant_math::Vec3;
use pliant_mpm::MpmSettings;
use pliant_solver::StepError;
use pliant_world::{Motion, World};

/// Share of the sand behind the front: single grains run farther.
const FRONT: f64 = 0.995;

fn sand(degrees: f64) -> Material {
    let flow = DruckerPrager {
        friction: Friction::Angle(degrees.to_radians()),
        cone: Cone::Slope,
        cohesion: Cohesion::Stress(0.0),
        volume_correction: std::env::var("NVC").is_err(),
    };
    Material {
        plastic: Some(Plastic::DruckerPrager(flow)),
        ..elastic(
            1600.0,
            std::env::var("EE").map_or(1e6, |v| v.parse().unwrap()),
            std::env::var("NU").map_or(0.3, |v| v.parse().unwrap()),
        )
    }
}

/// Gravity, and a floor as rough as the sand.
fn ground<const D: usize>(world: &mut World<D>, friction: f64) {
    accelerate(world, -Vec3::y() * GRAVITY);
    add_plate(world, Vec3::y(), Vec3::zeros(), friction);
}

/// Run-out of columns in the plane, over their width.
pub(super) fn column(resolution: Resolution) -> Result<Findings, StepError> {
    let (width, degrees) = (0.2, 31.0_f64);
    let spacing = width / resolution.pick([16.0, 32.0, 48.0]);
    let mut measures = Vec::new();
    for aspect in [0.5, 1.0, 2.0] {
        let points = fill([0.0; 2], [width, aspect * width], spacing, |_| true);
        let mut world = world_of(&points, spacing, sand(degrees));
        ground(&mut world, degrees.to_radians().tan());
        add_plate(&mut world, Vec3::x(), Vec3::zeros(), 0.0);
        let mut run = Run::new(world, MpmSettings::default());
        run.until(6.0 * (aspect * width / GRAVITY).sqrt())?;
        let front =
            quantile(run.world.particles.position.iter().map(|x| x[0]).collect(), FRONT) + 0.5 * spacing;
        let quantity = format!("run-out over width, a = {aspect}");
        measures.push(measure(
            &quantity,
            "",
            front / width - 1.0,
            1.2 * aspect,
            Tolerance::relative(resolution.pick([0.5, 0.35, 0.5])),
        ));
    }
    Ok(measures.into())
}

/// Run-out of round columns, over their radius.
pub(super) fn round_column(resolution: Resolution) -> Result<Findings, StepError> {
    let (radius, degrees) = (0.1, 31.0_f64);
    let spacing = radius / resolution.pick([8.0, 12.0, 16.0]);
    let mut measures = Vec::new();
    for aspect in [0.5, 1.0] {
        let points =
            fill([0.0; 3], [radius, aspect * radius, radius], spacing, |x| x[0].hypot(x[2]) < radius);
        let mut world = world_of(&points, spacing, sand(degrees));
        ground(&mut world, degrees.to_radians().tan());
        add_mirror(&mut world, Vec3::x());
        add_mirror(&mut world, Vec3::z());
        let mut run = Run::new(world, MpmSettings::default());
        run.until(6.0 * (aspect * radius / GRAVITY).sqrt())?;
        let reach = run.world.particles.position.iter().map(|x| x[0].hypot(x[2])).collect();
        let front = quantile(reach, FRONT) + 0.5 * spacing;
        let quantity = format!("run-out over radius, a = {aspect}");
        measures.push(measure(
            &quantity,
            "",
            front / radius - 1.0,
            1.24 * aspect,
            Tolerance::relative(resolution.pick([0.8, 0.6, 0.6])),
        ));
    }
    Ok(measures.into())
}

/// Slope of a heap that a wall drew back from, for three friction angles.
pub(super) fn repose(resolution: Resolution) -> Result<Findings, StepError> {
    let mut measures = Vec::new();
    for (degrees, accepted) in [(20.0, 2.0), (30.0, 2.0), (40.0, 2.0)] {
        let quantity = format!("slope, φ = {degrees}");
        let slope = heap(resolution, degrees)?;
        measures.push(measure(&quantity, "degrees", slope, degrees, Tolerance::absolute(accepted)));
    }
    Ok(measures.into())
}

fn heap(resolution: Resolution, degrees: f64) -> Result<f64, StepError> {
    let (width, height, pace) = (0.5, 0.25, 0.1);
    let spacing = height / resolution.pick([16.0, 24.0, 40.0]);
    let points = fill([0.0; 2], [width, height], spacing, |_| true);
    let mut world = world_of(&points, spacing, sand(degrees));
    // Rough enough that sand slides over sand before it slides over the floor.
    ground(&mut world, 2.0 * degrees.to_radians().tan());
    add_plate(&mut world, Vec3::x(), Vec3::zeros(), 0.0);
    add_plate(&mut world, -Vec3::x(), Vec3::new(width, 0.0, 0.0), 0.0);
    if let Some(wall) = world.colliders.last_mut() {
        wall.motion = Motion::Linear { velocity: Vec3::x() * pace };
    }
    let mut run = Run::new(world, MpmSettings::default());
    run.until(8.0)?;
    Ok(slope(&run, spacing))
}

/// Angle of a line through the surface between a fifth and four fifths of its height [degrees].
fn slope(run: &Run<2>, spacing: f64) -> f64 {
    let bin = 2.0 * spacing;
    let mut surface = std::collections::BTreeMap::<i64, f64>::new();
    for x in &run.world.particles.position {
        let height = surface.entry((x[0] / bin).floor() as i64).or_insert(0.0);
        *height = height.max(x[1]);
    }
    let top = surface.values().copied().fold(0.0, f64::max);
    let inside = |height: f64| height > 0.2 * top && height < 0.8 * top;
    let line: Vec<(f64, f64)> = surface
        .into_iter()
        .filter(|(_, height)| inside(*height))
        .map(|(number, height)| (number as f64 * bin, height))
        .collect();
    let count = line.len() as f64;
    let (x, y) =
        line.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    let (xy, xx) =
        line.iter().fold((0.0, 0.0), |sum, p| (sum.0 + (p.0 - x) * (p.1 - y), sum.1 + (p.0 - x).powi(2)));
    (-xy / xx).atan().to_degrees()
}
