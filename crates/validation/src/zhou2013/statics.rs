//! Bodies at rest. Long steps of backward Euler are overdamped and so lead to rest.

use super::backward_euler;
use crate::figure::sampled;
use crate::stage::{GRAVITY, Run, accelerate, elastic, hold, lattice, world_of};
use crate::{Figure, Findings, Measure, Resolution, Tolerance};
use pliant_math::{Random, Vec3};
use pliant_solver::StepError;
use pliant_zhou::Zhou2013Settings;
use pliant_zhou::zhou2013::Preconditioner;

const DENSITY: f64 = 1000.0;

/// Stretch of a bar 1 m long. The clamped layer follows Timoshenko's field `u_y = ρg/2E (y² - y₀² + ν r²)`,
/// `u_r = -νρg y r/E`: a rigid clamp would hinder the contraction and stiffen any bar, however fine.
pub(super) fn hanging_bar(resolution: Resolution) -> Result<Findings, StepError> {
    let layers = resolution.pick([10, 20, 40]);
    let (young, poisson, d) = (1e6, 0.3, 1.0 / layers as f64);
    let (across, clamp, load) = (layers / 5, 1.0 - 0.5 * d, DENSITY * GRAVITY / young);
    let rest = lattice([across, layers, across], d);
    let mut world = world_of(&rest, d, elastic(DENSITY, young, poisson));
    accelerate(&mut world, -Vec3::y() * GRAVITY);
    let exact = |x: &Vec3| {
        let (rx, rz) = (x.x - 0.1, x.z - 0.1);
        let along = 0.5 * load * (x.y * x.y - clamp * clamp + poisson * (rx * rx + rz * rz));
        Vec3::new(-poisson * load * x.y * rx, along, -poisson * load * x.y * rz)
    };
    hold(&mut world, |x| x.y > clamp - 0.25 * d, |x| x + exact(x));
    let mut run = Run::new(world, backward_euler());
    run.steps(60, 0.1)?;
    let bottom = || rest.iter().zip(&run.world.particles.position).filter(|(p, _)| p.y < d);
    let mean = |sum: f64| sum / bottom().count() as f64;
    let layers = by_layer(&rest, 1, |i| 1e3 * (rest[i].y - run.world.particles.position[i].y));
    // As far from the axis as a layer is on the mean square.
    let middle =
        |y: f64| -1e3 * exact(&Vec3::new(0.1 + 0.2 / 12.0_f64.sqrt(), y, 0.1 + 0.2 / 12.0_f64.sqrt())).y;
    let figure = Figure::new("Hanging bar", "height [m]", "sinking [mm]")
        .with("simulated", layers)
        .with("exact", sampled(0.0, clamp, middle));
    let measures = vec![Measure {
        quantity: "sinking of the lowest layer".to_owned(),
        unit: "m",
        value: -mean(bottom().map(|(p, q)| q.y - p.y).sum()),
        reference: -mean(bottom().map(|(p, _)| exact(p).y).sum()),
        tolerance: Tolerance::relative(0.01),
    }];
    Ok(Findings { measures, figure: Some(figure) })
}

/// Mean of a quantity over each layer of a lattice, over the place of the layer along `axis`.
fn by_layer(rest: &[Vec3], axis: usize, quantity: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
    let mut order: Vec<usize> = (0..rest.len()).collect();
    order.sort_by(|&a, &b| rest[a][axis].total_cmp(&rest[b][axis]));
    let layers = order.chunk_by(|&a, &b| (rest[a][axis] - rest[b][axis]).abs() < 1e-9);
    let mean = |layer: &[usize]| layer.iter().map(|&i| quantity(i)).sum::<f64>() / layer.len() as f64;
    layers.map(|layer| (rest[layer[0]][axis], mean(layer))).collect()
}

/// Lateral strain and stress of bars between ends that contract freely, against the strain of their middle.
pub(super) fn uniaxial_bar(resolution: Resolution) -> Result<Findings, StepError> {
    let mut measures = Vec::new();
    for poisson in [0.0, 0.3, 0.45] {
        for strain in [-0.1, 0.1] {
            measures.extend(stretched_bar(resolution, poisson, strain)?);
        }
    }
    Ok(measures.into())
}

fn stretched_bar(resolution: Resolution, poisson: f64, strain: f64) -> Result<[Measure; 3], StepError> {
    let (across, young) = (resolution.pick([4, 5, 6]), 1e6);
    let d = 0.2 / across as f64;
    let rest = lattice([across, 4 * across, across], d);
    let mut world = world_of(&rest, d, elastic(DENSITY, young, poisson));
    let exact = |x: &Vec3| {
        let side = |r: f64| 0.1 + (r - 0.1) * (1.0 - poisson * strain);
        Vec3::new(side(x.x), x.y * (1.0 + strain), side(x.z))
    };
    hold(&mut world, |x| x.y < d || x.y > 0.8 - d, exact);
    let mut run = Run::new(world, backward_euler());
    for x in &mut run.world.particles.position {
        x.y *= 1.0 + strain; // the sides have to find their place
    }
    run.steps(12, 0.1)?;
    let is_middle = |i: usize| (rest[i].y - 0.4).abs() < 0.1;
    // Slope of the positions over their places at rest, by least squares, as an extensometer on the middle.
    let middle: Vec<usize> = (0..rest.len()).filter(|&i| is_middle(i)).collect();
    let slope = |axis: usize| {
        let center = middle.iter().map(|&i| rest[i][axis]).sum::<f64>() / middle.len() as f64;
        let (products, squares) = middle.iter().fold((0.0, 0.0), |(products, squares), &i| {
            let from = rest[i][axis] - center;
            (products + from * run.world.particles.position[i][axis], squares + from * from)
        });
        products / squares
    };
    let (axial, lateral) = (slope(1) - 1.0, slope(0) - 1.0);
    let measure = |quantity: &str, unit, value, reference, tolerance| Measure {
        quantity: format!("{quantity}, ν = {poisson}, stretched by {:+.0} %", 100.0 * strain),
        unit,
        value,
        reference,
        tolerance,
    };
    let ends = Tolerance::relative(resolution.pick([0.02, 0.01, 0.01]));
    let contraction = -poisson * axial;
    let stress = young * axial / (1.0 + contraction).powi(2);
    Ok([
        measure("strain of the middle", "", axial, strain, ends),
        measure("lateral strain", "", lateral, contraction, Tolerance::absolute(1e-3)), // 1 % of the strain
        measure("stress", "Pa", run.mean_stress(1, is_middle), stress, Tolerance::relative(0.01)),
    ])
}

/// Deflection of a beam ten times as long as thick under its own weight, held by three layers beyond its end.
/// The deformation gradient is a mean over the neighbourhood, which smooths strain that varies across the
/// section: the beam is too soft by 9.2 (d/b)², known from a fit. The bound is that fit, within 15 %. A beam a hundred
/// times as stiff bends a hundredth as far.
pub(super) fn cantilever(resolution: Resolution) -> Result<Findings, StepError> {
    let across = resolution.pick([4, 6, 8]);
    let softness = 9.2 / (across * across) as f64;
    let beam = Beam { across, young: 1e8, poisson: 0.3, jitter: 0.0, settings: backward_euler() };
    let stiff = Beam { young: 1e10, ..beam.clone() };
    let (soft, stiff) = (beam.bend()?, stiff.bend()?);
    let measures = vec![
        Measure {
            quantity: "deflection of the tip".to_owned(),
            unit: "m",
            value: soft.tip(),
            reference: soft.exact(10.0 * THICKNESS),
            tolerance: Tolerance::Relative(0.85 * softness..=1.15 * softness),
        },
        Measure {
            quantity: "deflection of a beam 100 times as stiff, times 100".to_owned(),
            unit: "m",
            value: 100.0 * stiff.tip(),
            reference: soft.tip(),
            tolerance: Tolerance::relative(0.002),
        },
    ];
    let reference = sampled(0.0, 10.0 * THICKNESS, |at| 1e3 * soft.exact(at));
    let figure = Figure::new("Cantilever", "distance from the clamp [m]", "deflection [mm]")
        .with("simulated", soft.deflection.iter().map(|(at, y)| (*at, 1e3 * y)).collect())
        .with("Timoshenko's beam", reference.clone())
        .with(
            "the same, as soft as the fit says",
            reference.into_iter().map(|(at, y)| (at, y * (1.0 + softness))).collect(),
        );
    Ok(Findings { measures, figure: Some(figure) })
}

/// The same beam with a penalty strong enough to give back what the mean deformation gradient loses: both are second
/// order in the spacing, and cancel for all of these Poisson's ratios, on lattices and off them.
pub(super) fn stiff_cantilever(resolution: Resolution) -> Result<Findings, StepError> {
    let across = resolution.pick([6, 8, 12]);
    let settings = Zhou2013Settings {
        zero_energy: BENDING_PENALTY,
        preconditioner: Preconditioner::CoarseSpace,
        ..backward_euler()
    };
    let mut measures = Vec::new();
    for (poisson, jitter) in [(0.3, 0.0), (0.3, 0.25), (0.0, 0.0), (0.45, 0.25)] {
        let beam = Beam { across, young: 1e8, poisson, jitter, settings: settings.clone() }.bend()?;
        measures.push(Measure {
            quantity: format!(
                "deflection of the tip, ν = {poisson}, particles off a lattice by {jitter} spacings"
            ),
            unit: "m",
            value: beam.tip(),
            reference: beam.exact(10.0 * THICKNESS),
            tolerance: Tolerance::relative(resolution.pick([0.10, 0.05, 0.05])),
        });
    }
    Ok(measures.into())
}

/// Strength of the zero-energy penalty that makes bending right.
pub(super) const BENDING_PENALTY: f64 = 5.0;
/// Thickness of the beam [m].
const THICKNESS: f64 = 0.1;

/// A square beam ten times as long as thick, and how it is sampled.
#[derive(Clone)]
struct Beam {
    across: usize,
    young: f64,
    poisson: f64,
    /// Largest random offset of a particle along each axis, in spacings.
    jitter: f64,
    settings: Zhou2013Settings,
}

/// A beam at rest.
struct Cantilever {
    young: f64,
    poisson: f64,
    /// From the last clamped particles to the end face [m].
    length: f64,
    /// Mean deflection of each layer over its distance from the last clamped particles [m].
    deflection: Vec<(f64, f64)>,
}

impl Beam {
    /// Bends under its own weight, held by three layers beyond its end.
    fn bend(self) -> Result<Cantilever, StepError> {
        let Self { across, young, poisson, jitter, settings } = self;
        let (clamped, layers, d) = (3, 10 * across, THICKNESS / across as f64);
        let cells = lattice([layers + clamped, across, across], d);
        let mut random = Random(1);
        let rest: Vec<Vec3> = cells.iter().map(|x| x + random.vector() * (jitter * d)).collect();
        let mut world = world_of(&rest, d, elastic(DENSITY, young, poisson));
        accelerate(&mut world, -Vec3::y() * GRAVITY);
        hold(&mut world, |x| x.x < clamped as f64 * d, |x| *x);
        let mut run = Run::new(world, settings);
        run.steps(14, 0.1)?;
        let start = (clamped as f64 - 0.5) * d; // where the last clamped particles are
        let layers_of = by_layer(&cells, 0, |i| rest[i].y - run.world.particles.position[i].y);
        let free = layers_of.into_iter().map(|(x, y)| (x - start, y)).filter(|(at, _)| *at > -0.25 * d);
        let length = (layers + clamped) as f64 * d - start;
        Ok(Cantilever { young, poisson, length, deflection: free.collect() })
    }
}

impl Cantilever {
    /// Deflection ten thicknesses from the clamp, where the last layer is.
    fn tip(&self) -> f64 {
        self.deflection.last().map_or(f64::NAN, |(_, y)| *y)
    }

    fn exact(&self, at: f64) -> f64 {
        timoshenko(self.young, self.poisson, THICKNESS, self.length, at)
    }
}

/// Deflection at `at` of a square beam of that `length` under its own weight (Timoshenko, κ = 5/6) [m].
fn timoshenko(young: f64, poisson: f64, thickness: f64, length: f64, at: f64) -> f64 {
    let (load, area) = (DENSITY * GRAVITY * thickness * thickness, thickness * thickness);
    let bending = young * thickness.powi(4) / 12.0;
    let shearing = 5.0 / 6.0 * young / (2.0 * (1.0 + poisson)) * area;
    let bent = load * at * at * (6.0 * length * length - 4.0 * length * at + at * at) / (24.0 * bending);
    bent + load * (length * at - 0.5 * at * at) / shearing
}
