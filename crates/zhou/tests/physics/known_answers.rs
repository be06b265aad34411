//! Loads with known answers, and plastic flow (acceptance tests of the method).

use crate::common::{
    DENSITY, Run, lattice, material, moved, plastic, size, with_gravity, with_ground, world_of,
};
use pliant_geometry::Shape;
use pliant_math::Vec3;
use pliant_solver::Solver;
use pliant_world::{Column, Motion, Pin, World};
use pliant_zhou::Zhou2013Settings;
use pliant_zhou::zhou2013::Integrator;

fn pin(world: &mut World<3>, motion: Motion, select: impl Fn(&Vec3) -> bool) {
    let positions = &world.particles.position;
    let particles: Vec<u32> = (0u32..).zip(positions).filter(|(_, x)| select(x)).map(|(i, _)| i).collect();
    let initial = particles.iter().map(|&i| positions[i as usize]).collect();
    world.pins.push(Pin { particles, initial, motion });
}

fn euler() -> Zhou2013Settings {
    Zhou2013Settings { integrator: Integrator::BackwardEuler, ..Zhou2013Settings::default() }
}

/// Tip displacement error of a bar 1 m long hung from its top layer, against Timoshenko's exact field
/// `u_y = ρg/2E (y² − y₀² + ν r²)`, `u_r = −νρg y r/E`. The clamped layer follows the exact field too: a rigid
/// clamp would hinder the contraction and stiffen any bar, however fine.
fn hanging_bar_error(layers: usize) -> f64 {
    let (young, poisson, d) = (1e6, 0.3, 1.0 / layers as f64);
    let across = layers / 5;
    let rest = lattice([across, layers, across], d);
    let mut world = with_gravity(world_of(&rest, d, material(young, poisson)));
    let (clamp, load) = (1.0 - 0.5 * d, DENSITY * 9.81 / young);
    let exact = |x: &Vec3| {
        let (rx, rz) = (x.x - 0.1, x.z - 0.1);
        let along = 0.5 * load * (x.y * x.y - clamp * clamp + poisson * (rx * rx + rz * rz));
        Vec3::new(-poisson * load * x.y * rx, along, -poisson * load * x.y * rz)
    };
    pin(&mut world, Motion::Static, |x| x.y > clamp - 0.25 * d);
    for x in &mut world.pins[0].initial {
        *x += exact(x);
    }
    let mut run = Run::new(world, euler());
    run.steps(60, 0.1); // long backward Euler steps: overdamped, so it goes to rest
    let bottom = rest.iter().zip(&run.world.particles.position).filter(|(p, _)| p.y < d);
    let (found, wanted) = bottom.fold((0.0, 0.0), |(f, w), (p, q)| (f + q.y - p.y, w + exact(p).y));
    found / wanted - 1.0
}

#[test]
fn a_hanging_bar_stretches_as_it_should() {
    let (coarse, fine) = (hanging_bar_error(20), hanging_bar_error(40));
    assert!(coarse.abs() < 0.005, "20 layers: {coarse}");
    assert!(fine.abs() < 0.005, "40 layers: {fine}");
}

struct Compression {
    plateau: f64,
    permanent: f64,
    determinant_error: f64,
}

/// Volume average of the vertical Cauchy stress: the platens' force over the area, by the virial theorem [Pa].
fn mean_pressure(run: &Run) -> f64 {
    let columns = run.solver.fields(&run.world);
    let column =
        |name: &str| &columns.iter().find(|field| field.name == name).expect("a column of the method").column;
    let (Column::Tensor(stress), Column::Scalar(ratio)) = (column("stress"), column("J")) else {
        unreachable!("stress is a tensor, J a scalar")
    };
    let weighted = stress.iter().zip(ratio).map(|(stress, j)| f64::from(-stress[4] * j)).sum::<f64>();
    weighted / ratio.iter().map(|&j| f64::from(j)).sum::<f64>()
}

/// A plastic block of yield stress 20 kPa between platens, compressed by 20 % and released.
fn compress(rate: f64, dt: f64) -> Compression {
    let (n, d) = (8, 0.02);
    let (height, span) = (n as f64 * d, (n - 1) as f64 * d); // of the block, and between its outer layers
    let rest = lattice([n, n, n], d);
    let mut world = with_ground(with_ground(world_of(&rest, d, plastic(1e6, 0.3, 2e4)), 0.0), 0.0);
    world.colliders[1].shape = Shape::half_space(-Vec3::y(), Vec3::y() * height).expect("y is a direction");
    let frames = [(0.0, 0.0), (0.2 / rate, -0.2 * span), (0.4 / rate, 0.0)];
    let keyframe = |(time, y): (f64, f64)| pliant_world::Keyframe {
        time,
        translation: Vec3::y() * y,
        rotation: nalgebra::UnitQuaternion::identity(),
        center: Vec3::zeros(),
    };
    world.colliders[1].motion =
        Motion::keyframes(frames.into_iter().map(keyframe).collect()).expect("times rise");
    let mut run = Run::new(world, euler());
    let mut forces = Vec::new();
    while run.time < 0.2 / rate - 0.5 * dt {
        run.step(dt);
        let strain = run.time * rate;
        if strain > 0.1 && strain < 0.19 {
            forces.push(mean_pressure(&run));
        }
    }
    while run.time < 0.4 / rate {
        run.step(dt);
    }
    let now = &run.world.particles.position;
    Compression {
        plateau: forces.iter().sum::<f64>() / forces.len() as f64,
        permanent: 1.0 - size(now, 1) / size(&rest, 1),
        determinant_error: run.solver.plastic_volume_error(),
    }
}

#[test]
fn a_plastic_block_yields_at_its_yield_stress_whatever_the_step_and_rate() {
    let reference = compress(0.5, 2e-3);
    assert!((0.9..1.05).contains(&(reference.plateau / 2e4)), "plateau {} Pa", reference.plateau);
    assert!((reference.permanent - 0.183).abs() < 0.005, "permanent strain {}", reference.permanent);
    assert!(reference.determinant_error < 1e-10, "{:e}", reference.determinant_error);
    for (rate, dt) in [(0.5, 5e-4), (5.0, 2e-3)] {
        let other = compress(rate, dt);
        let change = other.plateau / reference.plateau - 1.0;
        assert!(change.abs() < 0.05, "rate {rate}, dt {dt}: plateau {} Pa", other.plateau);
    }
}

/// Height and width of a dropped cube over those at rest, and its mean volume ratio.
fn dropped(yield_stress: Option<f64>, dt: f64) -> (f64, f64) {
    let d = 0.02;
    let rest = moved(&lattice([10, 10, 10], d), Vec3::y());
    let matter = yield_stress.map_or(material(5e5, 0.3), |stress| plastic(5e5, 0.3, stress));
    let world = with_ground(with_gravity(world_of(&rest, d, matter)), 0.5);
    let mut run = Run::new(world, euler());
    run.steps((1.5 / dt).round() as usize, dt);
    let volume: f64 = run.world.particles.rest_volume.iter().sum();
    let ratio = run.solver.volume(&run.world) / volume;
    assert!((ratio - 1.0).abs() < 0.005, "mean volume ratio {ratio}");
    (size(&run.world.particles.position, 1) / size(&rest, 1), ratio)
}

#[test]
fn dropped_cubes_rebound_dent_or_flatten_by_their_yield_stress() {
    let (elastic, _) = dropped(None, 2e-3);
    let (medium, _) = dropped(Some(2e4), 2e-3);
    let (high, _) = dropped(Some(4e3), 2e-3);
    assert!((elastic - 1.0).abs() < 0.01, "elastic {elastic}");
    assert!((medium - 0.825).abs() < 0.03, "medium {medium}");
    assert!((high - 0.41).abs() < 0.05, "high {high}");
    let (fine, _) = dropped(Some(2e4), 5e-4);
    assert!((medium - fine).abs() < 0.05, "2 ms {medium}, 0.5 ms {fine}");
}
