//! What particles carry, and how it spreads.

use super::*;
use pliant_expression::Expression;
use pliant_world::Values;

/// Diffusivity of what is tested [m²/s].
const DIFFUSIVITY: f64 = 0.01;

/// A block of rubber at rest whose particles carry `value` of their place.
fn block<const D: usize>(value: impl Fn(&Vect<D>) -> f64) -> World<D> {
    let mut world = World::empty();
    world.materials.push(Material { diffusivity: DIFFUSIVITY, ..material("rubber") });
    let points = lattice::<D>(0.5, 0.5 / 16.0, |_| true);
    let particles = world.add_body("block", &points, 0.5 / 16.0, 0);
    world.concentrations.push(Values { particles, values: points.iter().map(value).collect() });
    world
}

/// Steps to a time, all of one length.
fn run_to<const D: usize>(world: &mut World<D>, solver: &mut Mpm<f32, D>, end: f64) {
    let steps = (end / solver.longest_step().unwrap()).ceil();
    let dt = end / steps;
    for step in 0..steps as usize {
        solver.step(world, Span { time: step as f64 * dt, dt, care: Care::Strict }).unwrap();
    }
}

fn a_wave_fades_as_the_equation_says<const D: usize>() {
    let wave = |x: &Vect<D>| (std::f64::consts::PI * (x[0] + 0.5)).cos();
    let mut world = block::<D>(wave);
    let mut solver = Mpm::<f32, D>::new(&world, MpmSettings::default());
    let before = solver.state.carried.concentration.clone();
    run_to(&mut world, &mut solver, 5.0);
    let after = &solver.state.carried.concentration;
    let waited = solver.state.carried.waited;
    // No flux through the ends: cos(πx/L) fades by exp(−κ(π/L)² t). The grid has sixteen cells a side.
    let expected = (-DIFFUSIVITY * std::f64::consts::PI.powi(2) * (5.0 - waited)).exp();
    let left = after.iter().zip(&before).map(|(a, b)| a * b).sum::<f64>()
        / before.iter().map(|b| b * b).sum::<f64>();
    assert!((left / expected - 1.0).abs() < 0.02, "{left} {expected}");
    let sum = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    assert!((sum(after) - sum(&before)).abs() < 1e-12, "nothing is lost or made");
}

#[test]
fn waves_fade_as_the_equation_says_in_the_plane_and_in_space() {
    a_wave_fades_as_the_equation_says::<2>();
    a_wave_fades_as_the_equation_says::<3>();
}

#[test]
fn no_value_leaves_the_range_of_those_around_it() {
    let mut world = block::<2>(|x| if x[0] < 0.1 { 1.0 } else { -2.0 });
    world.materials[0].diffusivity = 100.0;
    let mut solver = Mpm::<f32, 2>::new(&world, MpmSettings::default());
    for _ in 0..50 {
        run(&mut world, &mut solver, 1);
        let range = -2.0 - 1e-12..=1.0 + 1e-12;
        assert!(solver.state.carried.concentration.iter().all(|c| range.contains(c)));
    }
    let mean = solver.state.carried.concentration.iter().sum::<f64>() / world.particles.len() as f64;
    let apart = solver.state.carried.concentration.iter().map(|c| (c - mean).abs()).fold(0.0, f64::max);
    assert!(apart < 0.01, "so fast that all are alike: {apart}");
}

#[test]
fn heat_crosses_from_one_species_to_the_other() {
    let mut world = block::<2>(|_| 1.0);
    let points = lattice::<2>(0.5, 0.5 / 16.0, |_| true);
    world.add_body("other", &points, 0.5 / 16.0, 0);
    world.bodies[1].species = 1;
    let species = vec!["hot".to_owned(), "cold".to_owned()];
    let settings = MpmSettings { mixture: Mixture { species, ..Mixture::default() }, ..double() };
    let mut solver = Mpm::<f64, 2>::new(&world, settings);
    for step in 0..40 {
        solver.step(&mut world, Span { time: 0.01 * f64::from(step), dt: 0.01, care: Care::Strict }).unwrap();
    }
    let half = points.len();
    let carried = &solver.state.carried.concentration;
    assert!(carried[..half].iter().all(|c| *c < 0.7) && carried[half..].iter().all(|c| *c > 0.3));
    assert!((carried.iter().sum::<f64>() - half as f64).abs() < 1e-9);
}

#[test]
fn a_hot_plate_melts_what_lies_on_it() {
    let mut world = block::<2>(|_| 0.0);
    world.materials.push(material("water"));
    let expression = |text: &str, names: &[&str]| Expression::compile(text, names).unwrap();
    let melts = Interaction {
        material: 0,
        effect: Effect::Become(1),
        value: expression("c > 0.5", &Interaction::VARIABLES),
    };
    let plate = Supply {
        region: Shape::HalfSpace { normal: Vec3::y(), offset: -0.45 },
        concentration: expression("1", &Surface::VARIABLES),
    };
    let settings = MpmSettings {
        mixture: Mixture { interactions: vec![melts], ..Mixture::default() },
        supplies: vec![plate],
        ..MpmSettings::default()
    };
    let mut solver = Mpm::<f32, 2>::new(&world, settings);
    run_to(&mut world, &mut solver, 0.5);
    for grain in solver.grains() {
        let is_hot = solver.state.carried.at(grain.id) > 0.5;
        // A particle that has just become hot enough melts in the next step.
        assert!(grain.matter == 1 || !is_hot || solver.state.carried.at(grain.id) < 0.55);
        assert!(grain.matter == 0 || grain.position[1] < 0.0);
    }
    let molten = solver.grains().filter(|grain| grain.matter == 1).count();
    assert!((64..512).contains(&molten), "{molten}");
}
