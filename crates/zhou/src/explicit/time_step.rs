//! How long an explicit sub-step may be.

use pliant_solver::StepError;
use pliant_world::World;

/// Highest frequency of a lattice over that of a wave across one spacing, `κ = ω d/c`, by neighbourhood radius in
/// spacings: measured by power iteration. Between the entries it is interpolated.
const KAPPA: [(f64, f64); 7] =
    [(1.5, 2.09), (2.0, 1.80), (2.5, 1.47), (3.0, 1.18), (3.5, 1.01), (4.5, 0.78), (5.5, 0.635)];
/// Share of the limit that is used.
const SAFETY: f64 = 0.9;
/// Sub-steps one step may have.
pub const MAX_SUBSTEPS: f64 = 1e5;

/// What the longest explicit step depends on besides the particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resistance {
    /// Radius of neighbourhoods in particle spacings.
    pub radius: f64,
    /// Stiffness beside that of the material [Pa].
    pub pressure: f64,
    /// Viscosity [Pa s].
    pub viscosity: f64,
}

impl Resistance {
    /// The longest explicit sub-step that is stable for small motions about the rest pose, `2 d/(κ c)` of the
    /// stiffest particle, shortened by the viscosity [s].
    pub fn critical_step<const D: usize>(&self, world: &World<D>) -> f64 {
        let Self { radius, pressure, viscosity } = *self;
        let particles = &world.particles;
        let limit = |i: usize| {
            let spacing = world.bodies[particles.body[i] as usize].spacing;
            let density = particles.mass[i] / particles.rest_volume[i];
            let stiffness = world.material_of(i).lame.p_wave() + pressure;
            let frequency = kappa(radius) * (stiffness / density).sqrt() / spacing;
            damped_limit(frequency, viscous_rate::<D>(radius * spacing, viscosity / density))
        };
        (0..particles.len()).map(limit).fold(f64::INFINITY, f64::min)
    }

    /// The longest sub-step a run takes if its settings do not say: a safe share of the critical one [s].
    pub fn safe_step<const D: usize>(&self, world: &World<D>) -> f64 {
        SAFETY * self.critical_step(world)
    }
}

/// Number of equal sub-steps no longer than `longest` that make up `dt`.
pub fn substeps(dt: f64, longest: f64) -> f64 {
    // The margin keeps a step that is a multiple of the sub-step at that multiple, whatever the last bit says.
    (dt / longest * (1.0 - 1e-9)).ceil().max(1.0)
}

/// The same, as a number to count to.
///
/// # Errors
/// When there would be more than a run can bear.
pub(crate) fn count_substeps(dt: f64, longest: f64) -> Result<u32, StepError> {
    let count = substeps(dt, longest);
    if count <= MAX_SUBSTEPS {
        Ok(count as u32)
    } else {
        Err(StepError::TooManySubsteps { count, limit: MAX_SUBSTEPS })
    }
}

fn kappa(radius: f64) -> f64 {
    let upper = KAPPA.partition_point(|entry| entry.0 < radius).clamp(1, KAPPA.len() - 1);
    let ((r0, k0), (r1, k1)) = (KAPPA[upper - 1], KAPPA[upper]);
    k0 + (k1 - k0) * (radius - r0) / (r1 - r0)
}

/// Fastest decay of a velocity by the SPH viscosity of kinematic viscosity `nu` [1/s]: that of neighbours that
/// move against each other, twice the sum of a row. `Σ w h² / Σ w r²` is 4.3 in a disc and 3.2 in a ball, and
/// larger on a coarse lattice, which has fewer points near the rim.
fn viscous_rate<const D: usize>(support: f64, nu: f64) -> f64 {
    let share = if D == 2 { 6.0 } else { 4.0 };
    4.0 * nu * (D + 2) as f64 * share / (support * support)
}

/// Largest dt with `γ dt + ½ (ω dt)² ≤ 2`: symplectic Euler on a damped oscillator.
fn damped_limit(omega: f64, gamma: f64) -> f64 {
    4.0 / (gamma + (gamma * gamma + 4.0 * omega * omega).sqrt())
}
