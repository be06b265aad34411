//! The longest stable step of the explicit integrator, found by trying.

use crate::stage::{Run, elastic, lattice, world_of};
use crate::{Findings, Measure, Resolution, Tolerance};
use pliant_math::Vec3;
use pliant_solver::{StepError, Totals};
use pliant_world::World;
use pliant_zhou::Zhou2013Settings;
use pliant_zhou::zhou2013::Integrator;

/// Steps of one trial: one per cent above the limit, noise grows by a quarter in every step.
const STEPS: usize = 300;
/// Growth of the kinetic energy that only an unstable step brings about.
const GROWTH: f64 = 1e6;
/// Halvings of the range from 0.8 to 1.2 times the reference.
const HALVINGS: usize = 6;
/// Highest frequency of a lattice in units of c/d, by power iteration on the assembled stiffness of 14³ particles.
const POWER_ITERATION: f64 = 1.466;

/// Highest frequency of a free block in units of c/d, from its longest stable step 2/ω.
pub(super) fn limit(resolution: Resolution) -> Result<Findings, StepError> {
    let (n, d, material) = (resolution.pick([6, 8, 14]), 0.02, elastic(1000.0, 1e6, 0.3));
    let wave_speed = (material.lame.p_wave() / material.density).sqrt();
    let mut world = world_of(&lattice([n, n, n], d), d, material);
    for (i, v) in world.particles.velocity.iter_mut().enumerate() {
        // Noise that holds every mode: fractions of multiples of irrational numbers.
        *v = Vec3::new(2_f64.sqrt(), 3_f64.sqrt(), 5_f64.sqrt())
            .map(|x| 1e-6 * ((i as f64 * x).fract() - 0.5));
    }
    let expected = 2.0 * d / (POWER_ITERATION * wave_speed);
    let (mut stable, mut unstable) = (0.8 * expected, 1.2 * expected);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (stable + unstable);
        *(if is_stable(&world, middle) { &mut stable } else { &mut unstable }) = middle;
    }
    Ok(vec![Measure {
        quantity: "highest frequency times d/c".to_owned(),
        unit: "",
        value: 2.0 * d / (0.5 * (stable + unstable) * wave_speed),
        reference: POWER_ITERATION,
        tolerance: Tolerance::relative(0.02),
    }]
    .into())
}

fn is_stable(world: &World<3>, dt: f64) -> bool {
    let settings = Zhou2013Settings {
        integrator: Integrator::Explicit,
        substep: Some(dt),
        self_contact: false,
        ..Zhou2013Settings::default()
    };
    let limit = GROWTH * Totals::of(world).kinetic_energy;
    let mut run = Run::new(world.clone(), settings);
    // A step that fails is a sign of the same growth.
    (0..STEPS).all(|_| run.step(dt).is_ok() && Totals::of(&run.world).kinetic_energy < limit)
}
