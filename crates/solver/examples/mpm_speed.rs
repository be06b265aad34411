//! Million particle-steps a second of the Material Point Method.
use pliant_material::elastic::Law;
use pliant_material::preset;
use pliant_math::{Vec3, Vect};
use pliant_solver::{AnySimulation, MpmSettings, Simulation, Stepping, mpm};
use pliant_world::{Acceleration, World};
use std::collections::BTreeMap;
use std::time::Instant;

fn measure<const D: usize>(label: &str, names: &[&str], law: Option<Law>, edge: usize) {
    if std::env::args().nth(2).is_some_and(|only| !label.contains(&only)) {
        return;
    }
    let mut world = World::<D>::empty();
    world.materials = names.iter().map(|name| preset(name).unwrap().material()).collect();
    for m in &mut world.materials {
        m.law = law.or(m.law);
    }
    let spacing = 1.0 / edge as f64;
    let points: Vec<Vect<D>> = (0..edge.pow(D as u32))
        .map(|n| {
            let mut rest = n;
            Vect::from_fn(|_, _| {
                let k = rest % edge;
                rest /= edge;
                (k as f64 + 0.5) * spacing
            })
        })
        .collect();
    let third = points.len() / names.len();
    for (k, part) in points.chunks(third.max(1)).take(names.len()).enumerate() {
        world.add_body("b", part, spacing, k as u16);
    }
    for (i, v) in world.particles.velocity.iter_mut().enumerate() {
        v[0] = 0.3 * ((i % 97) as f64 / 97.0 - 0.5);
    }
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
    let settings = MpmSettings { domain: Some(mpm::Domain { min: Vec3::zeros(), max: Vec3::repeat(1.0), friction: 0.3, sticky: false }), ..MpmSettings::default() };
    let count = world.particles.len();
    let solver = mpm::solver(&world, settings);
    let mut sim = Simulation::new(world, solver, Stepping { frame_time: 10.0, dt: 1.0, frames: 1 });
    let steps = (6_000_000 / count).clamp(4, 200);
    for _ in 0..steps / 2 {
        sim.step().unwrap();
    }
    let start = Instant::now();
    let mut stages: BTreeMap<&str, f64> = BTreeMap::new();
    for _ in 0..steps {
        for (name, t) in sim.step().unwrap().report.stages {
            *stages.entry(name).or_default() += t;
        }
    }
    let t = start.elapsed().as_secs_f64();
    let per = |t: f64| t / (steps * count) as f64 * 1e9;
    println!("{label:24} {count:8} particles {:6.2} Mpps; ns/particle: {:?}", 1e3 / per(t), stages.iter().map(|(n, t)| format!("{n} {:.1}", per(*t))).collect::<Vec<_>>());
}

fn main() {
    let big: usize = std::env::args().nth(1).map_or(48, |a| a.parse().unwrap());
    measure::<3>("fixed corotated", &["rubber"], Some(Law::FixedCorotated), big);
    measure::<3>("neo-hookean", &["rubber"], Some(Law::NeoHookean), big);
    measure::<3>("elastic, snow, sand", &["rubber", "nilles-snow", "sand"], None, big);
    measure::<3>("water", &["water"], None, big);
    measure::<2>("2D fixed corotated", &["rubber"], Some(Law::FixedCorotated), 400);
}
