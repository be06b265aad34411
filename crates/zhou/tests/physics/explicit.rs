//! The explicit mode of Zhou 2013 (Eq. 10–11): how long its steps may be, and that it is the same physics.

use crate::common::{Run, lattice, material, moved, plastic, size, with_gravity, with_ground, world_of};
use pliant_math::Vec3;
use pliant_solver::{Care, Solver, Span, Totals};
use pliant_zhou::zhou2013::Integrator;
use pliant_zhou::{Zhou2013, Zhou2013Settings};

const SPACING: f64 = 0.02;

fn explicit(substep: Option<f64>) -> Zhou2013Settings {
    Zhou2013Settings { integrator: Integrator::Explicit, substep, ..Zhou2013Settings::default() }
}

/// Kinetic energy of a free cube that was given a push of 1 mm/s at one particle, after many steps of `share` of the
/// longest stable one, over what it was given; infinite if the run broke off.
fn energy_after(share: f64) -> f64 {
    let mut world = world_of(&lattice([8, 8, 8], SPACING), SPACING, material(1e6, 0.3));
    // Without the penalty, whose stiffness the limit of the elastic forces does not count.
    let settings = Zhou2013Settings { zero_energy: 0.0, ..explicit(None) };
    let dt = share * settings.resistance().critical_step(&world);
    world.particles.velocity[0] = Vec3::new(1e-3, 0.0, 0.0);
    let start = Totals::of(&world).kinetic_energy;
    let mut solver = Zhou2013::new(&world, Zhou2013Settings { substep: Some(dt), ..settings });
    for k in 0..800 {
        let span = Span { time: f64::from(k) * dt, dt, care: Care::Strict };
        if solver.step(&mut world, span).is_err() {
            return f64::INFINITY;
        }
    }
    Totals::of(&world).kinetic_energy / start
}

#[test]
fn steps_below_the_limit_are_stable_and_steps_above_it_are_not() {
    let (below, above) = (energy_after(0.95), energy_after(1.1));
    assert!(below < 1.5, "{below}");
    assert!(above > 1e3, "{above}");
}

/// Root mean square height about the centre [m].
fn spread(positions: &[Vec3]) -> f64 {
    let center = positions.iter().map(|x| x.y).sum::<f64>() / positions.len() as f64;
    (positions.iter().map(|x| (x.y - center).powi(2)).sum::<f64>() / positions.len() as f64).sqrt()
}

#[test]
fn it_swings_as_the_implicit_method_does_in_short_steps() {
    let rest = lattice([6, 6, 6], SPACING);
    let heights = |settings: Zhou2013Settings, steps: usize| {
        let mut run = Run::new(world_of(&rest, SPACING, material(1e5, 0.3)), settings);
        for x in &mut run.world.particles.position {
            x.y *= 1.1;
        }
        let mut heights = Vec::new();
        for _ in 0..15 {
            run.steps(steps, 2e-3 / steps as f64);
            heights.push(spread(&run.world.particles.position) / spread(&rest));
        }
        heights
    };
    let (explicit, implicit) = (heights(explicit(Some(5e-5)), 1), heights(Zhou2013Settings::default(), 40));
    let swing =
        implicit.iter().copied().fold(f64::MIN, f64::max) - implicit.iter().copied().fold(f64::MAX, f64::min);
    assert!(swing > 0.05, "{implicit:?}");
    for (a, b) in explicit.iter().zip(&implicit) {
        assert!((a - b).abs() < 0.1 * swing, "{explicit:?} {implicit:?}");
    }
}

#[test]
fn it_keeps_momentum_in_free_flight_and_dents_what_yields() {
    let rest = lattice([6, 6, 6], SPACING);
    let mut world = world_of(&rest, SPACING, material(1e5, 0.3));
    world.particles.velocity[7] = Vec3::new(1.0, 2.0, 3.0);
    let before = Totals::of(&world).momentum;
    let mut run = Run::new(world, explicit(None));
    run.steps(50, 2e-3);
    let change = (Totals::of(&run.world).momentum - before).norm();
    assert!(change < 1e-12 * before.norm(), "{change:e}");

    let dropped = moved(&rest, Vec3::y() * 0.5);
    let world = with_ground(with_gravity(world_of(&dropped, SPACING, plastic(5e5, 0.3, 1e4))), 0.5);
    let mut run = Run::new(world, explicit(None));
    run.steps(300, 2e-3);
    let height = size(&run.world.particles.position, 1) / size(&rest, 1);
    assert!((0.5..0.95).contains(&height), "{height}");
}
