//! Sand.

use super::measure;
use super::stage::{Run, accelerate, add_mirror, add_plate, fill, quantile, world_of};
use crate::stage::{GRAVITY, elastic};
use crate::{Findings, Measure, Resolution, Tolerance};
use pliant_geometry::Shape;
use pliant_material::plastic::{Cohesion, Cone, DruckerPrager, Friction};
use pliant_material::{Material, Plastic};
use pliant_math::Vec3;
use pliant_mpm::MpmSettings;
use pliant_solver::StepError;
use pliant_world::World;

/// Share of the sand behind the front of round heaps, whose rim is a thin wedge all around: single grains run farther.
const ROUND_FRONT: f64 = 0.999;

fn sand(degrees: f64, cone: Cone) -> Material {
    let flow = DruckerPrager {
        friction: Friction::Angle(degrees.to_radians()),
        cone,
        cohesion: Cohesion::Stress(0.0),
        volume_correction: true,
    };
    Material { plastic: Some(Plastic::DruckerPrager(flow)), ..elastic(1600.0, 1e6, 0.3) }
}

/// Gravity, and a floor as rough as the sand.
fn ground<const D: usize>(world: &mut World<D>, friction: f64) {
    accelerate(world, -Vec3::y() * GRAVITY);
    add_plate(world, Vec3::y(), Vec3::zeros(), friction);
}

/// Where a layer that is one particle deep ends [m]: what an observer calls the front of a deposit.
fn front(places: &[pliant_math::Vect<2>], spacing: f64) -> f64 {
    let bin = 2.0 * spacing;
    let mut depths = std::collections::BTreeMap::<i64, f64>::new();
    for x in places {
        *depths.entry((x[0] / bin).floor() as i64).or_insert(0.0) += spacing * spacing / bin;
    }
    let depth = |number: i64| depths.get(&number).copied().unwrap_or(0.0);
    let end = (0..).find(|number| depth(*number) < spacing).unwrap_or(0);
    // The bin in which it ends is filled in part.
    bin * (end as f64 + depth(end) / spacing)
}

/// Run-out of columns in the plane, over their width. The angle of the experiments is that of a slope, so that of the sand is
/// too ([`Cone::Slope`]). Run-out grows with resolution until a thin rim is resolved, so the smaller side of every column has
/// the same number of particles.
pub(super) fn column(resolution: Resolution) -> Result<Findings, StepError> {
    let (width, degrees) = (0.2, 31.0_f64);
    let mut measures = Vec::new();
    for aspect in [0.5, 1.0, 2.0_f64] {
        let spacing = width * aspect.min(1.0) / resolution.pick([16.0, 32.0, 48.0]);
        let points = fill([0.0; 2], [width, aspect * width], spacing, |_| true);
        let mut world = world_of(&points, spacing, sand(degrees, Cone::Slope));
        ground(&mut world, degrees.to_radians().tan());
        add_plate(&mut world, Vec3::x(), Vec3::zeros(), 0.0);
        let mut run = Run::new(world, MpmSettings::default());
        run.until(6.0 * (aspect * width / GRAVITY).sqrt())?;
        let front = front(&run.world.particles.position, spacing);
        let quantity = format!("run-out over width, a = {aspect}");
        measures.push(measure(
            &quantity,
            "",
            front / width - 1.0,
            1.2 * aspect,
            Tolerance::relative(resolution.pick([0.5, 0.15, 0.15])),
        ));
    }
    Ok(measures.into())
}

/// Surface of aluminium bars that have collapsed beside a wall, from 0.2 m by 0.1 m (Bui et al. 2008, Fig. 13, as digitised for
/// MaterialPointSolver.jl): place and height [m].
const BARS: [(f64, f64); 23] = [
    (0.0001, 0.0992),
    (0.0196, 0.0993),
    (0.0398, 0.0959),
    (0.0600, 0.0890),
    (0.0803, 0.0844),
    (0.1001, 0.0776),
    (0.1203, 0.0722),
    (0.1401, 0.0665),
    (0.1603, 0.0616),
    (0.1802, 0.0539),
    (0.2000, 0.0474),
    (0.2202, 0.0425),
    (0.2408, 0.0348),
    (0.2622, 0.0307),
    (0.2820, 0.0265),
    (0.3022, 0.0215),
    (0.3221, 0.0189),
    (0.3423, 0.0136),
    (0.3622, 0.0109),
    (0.3824, 0.0079),
    (0.4022, 0.0037),
    (0.4221, 0.0022),
    (0.4423, 0.0015),
];

/// How far the surface of collapsed bars is from that of the experiment, with its friction angle and bulk modulus.
pub(super) fn bars(resolution: Resolution) -> Result<Findings, StepError> {
    let spacing = 0.1 / resolution.pick([24.0, 50.0, 64.0]);
    let points = fill([0.0; 2], [0.2, 0.1], spacing, |_| true);
    let flow = sand(19.8, Cone::PlaneStrain).plastic;
    let material = Material { plastic: flow, ..elastic(2650.0, 0.84e6, 0.3) };
    let mut world = world_of(&points, spacing, material);
    // Rough enough that bars slide over bars before they slide over the floor.
    ground(&mut world, 2.0);
    add_plate(&mut world, Vec3::x(), Vec3::zeros(), 0.0);
    let mut run = Run::new(world, MpmSettings::default());
    run.until(1.0)?;
    let reach = 2.0 * spacing;
    let misses: Vec<f64> = BARS
        .iter()
        .map(|(x, height)| {
            let near = run.world.particles.position.iter().filter(|place| (place[0] - x).abs() < reach);
            // At the wall only one side has particles.
            let width = reach + reach.min(*x);
            (near.count() as f64 * spacing * spacing / width - height).abs() / (2.0 * spacing)
        })
        .collect();
    let worst = misses.iter().copied().fold(0.0, f64::max);
    let square = misses.iter().map(|miss| miss * miss).sum::<f64>() / misses.len() as f64;
    Ok(vec![
        measure("farthest from the surface, in cells", "", worst, 0.0, Tolerance::absolute(2.0)),
        measure(
            "root mean square distance from the surface, in cells",
            "",
            square.sqrt(),
            0.0,
            Tolerance::absolute(1.0),
        ),
    ]
    .into())
}

/// Run-out of round columns, over their radius, below and above the aspect at which its law changes. The angle is that of a
/// slope, as in [`column`], and so is the need of resolution: a rim of the same volume is thinner the rounder it is.
pub(super) fn round_column(resolution: Resolution) -> Result<Findings, StepError> {
    let (radius, degrees) = (0.1, 31.0_f64);
    let spacing = radius / resolution.pick([10.0, 48.0, 56.0]);
    let mut measures = Vec::new();
    for (aspect, law) in [(1.0, 1.24), (2.0, 1.6 * 2.0_f64.sqrt())] {
        let points =
            fill([0.0; 3], [radius, aspect * radius, radius], spacing, |x| x[0].hypot(x[2]) < radius);
        let mut world = world_of(&points, spacing, sand(degrees, Cone::Slope));
        ground(&mut world, degrees.to_radians().tan());
        add_mirror(&mut world, Vec3::x());
        add_mirror(&mut world, Vec3::z());
        let mut run = Run::new(world, MpmSettings::default());
        run.until(4.0 * (aspect * radius / GRAVITY).sqrt())?;
        let reach = run.world.particles.position.iter().map(|x| x[0].hypot(x[2])).collect();
        let front = quantile(reach, ROUND_FRONT) + 0.5 * spacing;
        let quantity = format!("run-out over radius, a = {aspect}");
        let accepted = Tolerance::relative(resolution.pick([0.5, 0.15, 0.15]));
        measures.push(measure(&quantity, "", front / radius - 1.0, law, accepted));
    }
    Ok(measures.into())
}

/// Slope that is left when sand has run out through a slot beside it, for three friction angles. Sand that has come to
/// rest by flowing down a slope has the angle of the flow; one that slid as a wedge, as behind a wall that is drawn back,
/// may rest at any angle below it.
pub(super) fn repose(resolution: Resolution) -> Result<Findings, StepError> {
    let mut measures = Vec::new();
    for degrees in [20.0, 30.0, 40.0] {
        let quantity = format!("slope, φ = {degrees}");
        let accepted = Tolerance::absolute(resolution.pick([4.0, 2.0, 2.0]));
        let mut run = drained(resolution, degrees)?;
        measures.push(measure(&quantity, "degrees", settled_slope(&mut run)?, degrees, accepted));
    }
    if resolution != Resolution::Coarse {
        measures.push(minute(resolution)?);
    }
    Ok(measures.into())
}

/// How the slope of a heap that has collapsed on a rough floor changes while it lies there for a minute. The heap beside the
/// slot is not asked: the edge of its ledge has no cells to stand on, and lets grains go for as long as one waits.
fn minute(resolution: Resolution) -> Result<Measure, StepError> {
    let (side, degrees) = (0.2, 30.0_f64);
    let spacing = side / resolution.pick([16.0, 32.0, 40.0]);
    let points = fill([0.0; 2], [side; 2], spacing, |_| true);
    let material = Material { plastic: sand(degrees, Cone::Slope).plastic, ..elastic(2600.0, 5.98e6, 0.3) };
    let mut world = world_of(&points, spacing, material);
    ground(&mut world, 2.0 * degrees.to_radians().tan());
    add_plate(&mut world, Vec3::x(), Vec3::zeros(), 0.0);
    let mut run = Run::new(world, MpmSettings { courant: 0.25, ..MpmSettings::default() });
    run.until(4.0)?;
    let before = slope_by_weight(&run);
    run.until(64.0)?;
    let quantity = format!("change of the slope of a heap in a minute, φ = {degrees}");
    let crept = slope_by_weight(&run) - before;
    Ok(measure(&quantity, "degrees", crept, 0.0, Tolerance::absolute(0.1)))
}

/// Slope of the half heap that has this area and centre of mass [degrees]: a wedge `A = H²/2 tan θ` has its centre at `H/3`.
/// Every grain counts, so that a change of a hundredth of a degree can be told.
fn slope_by_weight(run: &Run<2>) -> f64 {
    let places = &run.world.particles.position;
    let count = places.len() as f64;
    let area = count * run.world.bodies[0].spacing.powi(2);
    let centre = places.iter().map(|x| x[1]).sum::<f64>() / count;
    (4.5 * centre * centre / area).atan().to_degrees()
}

/// Width of the slot, which is half of one beside a mirror, and of the sand beside it [m].
const SLOT: f64 = 0.1;
const LEDGE: f64 = 0.4;

/// The sand three seconds after the slot was opened.
fn drained(resolution: Resolution, degrees: f64) -> Result<Run<2>, StepError> {
    let spacing = 0.25 / resolution.pick([20.0, 32.0, 40.0]);
    let tangent = degrees.to_radians().tan();
    let points = fill([0.0; 2], [SLOT + LEDGE, LEDGE * tangent + 0.08], spacing, |_| true);
    let material = Material { plastic: sand(degrees, Cone::Slope).plastic, ..elastic(2600.0, 5.98e6, 0.3) };
    let mut world = world_of(&points, spacing, material);
    // Rough enough that sand slides over sand before it slides over the floor.
    ground(&mut world, 2.0 * tangent);
    if let Some(floor) = world.colliders.last_mut() {
        let slab = Shape::cuboid(Vec3::new(0.5, 0.1, 1.0)).expect("a box has a size");
        floor.shape = slab.translated(Vec3::new(SLOT + 0.5, -0.1, 0.0));
    }
    add_plate(&mut world, Vec3::y(), Vec3::y() * -0.8, 0.2);
    add_plate(&mut world, Vec3::x(), Vec3::zeros(), 0.0);
    add_plate(&mut world, -Vec3::x(), Vec3::x() * (SLOT + LEDGE), 0.0);
    // Half the usual step: at that, light nodes at the surface ring, and a steep heap creeps.
    let mut run = Run::new(world, MpmSettings { courant: 0.25, ..MpmSettings::default() });
    run.until(3.0)?;
    Ok(run)
}

/// Mean slope over the next second [degrees].
fn settled_slope(run: &mut Run<2>) -> Result<f64, StepError> {
    let (start, samples) = (run.time, 10);
    let mut sum = 0.0;
    for sample in 1..=samples {
        run.until(start + 0.1 * f64::from(sample))?;
        sum += slope(run);
    }
    Ok(sum / f64::from(samples))
}

/// What of the ledge is not slope: its rim, and the crest at the smooth wall, where a ridge and its image meet and which is
/// round [m].
const RIM: f64 = 0.05;
const CREST: f64 = 0.08;

/// Angle of a line through the height of the sand over the middle of the ledge [degrees].
fn slope(run: &Run<2>) -> f64 {
    let spacing = run.world.bodies[0].spacing;
    let bin = 4.0 * spacing;
    let mut heights = std::collections::BTreeMap::<i64, f64>::new();
    for x in run.world.particles.position.iter().filter(|x| x[1] > 0.0) {
        *heights.entry((x[0] / bin).floor() as i64).or_insert(0.0) += spacing * spacing / bin;
    }
    let line: Vec<(f64, f64)> = heights
        .into_iter()
        .map(|(number, height)| ((number as f64 + 0.5) * bin, height))
        .filter(|(x, _)| *x > SLOT + RIM && *x < SLOT + LEDGE - CREST)
        .collect();
    let count = line.len() as f64;
    let (x, y) =
        line.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    let (xy, xx) =
        line.iter().fold((0.0, 0.0), |sum, p| (sum.0 + (p.0 - x) * (p.1 - y), sum.1 + (p.0 - x).powi(2)));
    (xy / xx).atan().to_degrees()
}
