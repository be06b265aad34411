//! `[method.sph]`: settings of Smoothed Particle Hydrodynamics.

use pliant_sph::SphSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{NotNegative, Number, Positive, RadiusRange, ToleranceRange};
use super::value::{At, Count, Value};

/// Settings of Smoothed Particle Hydrodynamics.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SphFile {
    /// How the elastic step is solved.
    pub(crate) elasticity: ElasticityFile,
    /// What is done against zero-energy modes of solids.
    pub(crate) zero_energy: ZeroEnergyFile,
    /// Support of the kernel in particle spacings.
    pub(crate) support: Value<Number, RadiusRange>,
    /// Neighbours at rest that a solid particle keeps, the closest first; all within the support if left out. 10 take
    /// three quarters of the memory and two thirds of the time of all.
    pub(crate) nearest: Option<At<Count<6, 200>>>,
    /// Where the volume of a solid particle comes from.
    pub(crate) volume: SolidVolumeFile,
    /// How the pressures that keep fluids, solids and walls apart are found.
    pub(crate) pressure: PressureSolverFile,
    /// What the pressure does inside solids.
    pub(crate) solid_pressure: SolidPressureFile,
    /// Relative tolerance of the linear solvers.
    pub(crate) tolerance: Value<Number, ToleranceRange>,
    /// Iterations of one linear solve before the step is given up.
    pub(crate) max_iterations: Count<1, 1_000_000>,
    /// Particles of one body up to which its matrix is factorised as a whole; larger ones are solved in parts.
    pub(crate) direct_limit: Count<100, 1_000_000>,
    /// Mean relative error of the density that the pressure may leave.
    pub(crate) density_error: Value<Number, ToleranceRange>,
    /// Mean relative rise of the density in a step that the divergence solve of `dfsph` may leave.
    pub(crate) divergence_error: Value<Number, ToleranceRange>,
    /// Share of a spacing that a particle may move in a step.
    pub(crate) courant: Value<Number, Positive>,
    /// Viscosity against jostling of fluid particles, in spacings times √(p/ρ): lets fluids come to rest; 0 for none.
    pub(crate) artificial_viscosity: Value<Number, NotNegative>,
    /// Surface tension of fluids: the coefficient of Akinci 2013, about 1 for water.
    pub(crate) surface_tension: Value<Number, NotNegative>,
    /// Transfer viscosity of micropolar fluids (Bender 2019) in m²/s: keeps small eddies alive; 0 for none.
    pub(crate) vorticity: Value<Number, NotNegative>,
}

impl Default for SphFile {
    fn default() -> Self {
        let settings = SphSettings::default();
        let count = |value: usize| u32::try_from(value).expect("defaults are small");
        Self {
            elasticity: ElasticityFile::Corrected,
            zero_energy: ZeroEnergyFile::Implicit(Value::number(0.1)),
            support: Value::number(settings.support),
            nearest: None,
            volume: SolidVolumeFile::Sampled,
            pressure: PressureSolverFile::Dfsph,
            solid_pressure: SolidPressureFile::Contact,
            tolerance: Value::number(settings.tolerance),
            max_iterations: Count(count(settings.max_iterations)),
            direct_limit: Count(count(settings.direct_limit)),
            density_error: Value::number(settings.density_error),
            divergence_error: Value::number(settings.divergence_error),
            courant: Value::number(settings.courant),
            surface_tension: Value::number(settings.surface_tension),
            artificial_viscosity: Value::number(settings.artificial_viscosity),
            vorticity: Value::number(settings.vorticity),
        }
    }
}

/// How the elastic step is solved.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ElasticityFile {
    /// By two corrections with the constant matrix: bodies come to rest where statics wants them, whatever the step, and
    /// stiff ones are stable.
    Corrected,
    /// Stretch, then volume, as printed in the paper. Where a body comes to rest depends on the step.
    Split,
    /// All at once, by conjugate gradients with the factor of the stretch as preconditioner.
    Unsplit,
    /// All at once by plain conjugate gradients (Peer 2018), for comparison; no control of zero-energy modes.
    Peer2018,
    /// Explicit (Becker 2009), for comparison: needs tiny steps.
    Becker2009,
}

/// What is done against zero-energy modes; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ZeroEnergyFile {
    /// Nothing.
    None,
    /// Explicit forces of this strength (Ganzenmüller 2015).
    Explicit(Value<Number, NotNegative>),
    /// The implicit penalty of the paper, of this strength; 0.1 is common.
    Implicit(Value<Number, NotNegative>),
}

/// Where the volume of a solid particle comes from.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SolidVolumeFile {
    /// From the sampling: volumes add up to that of the shape.
    Sampled,
    /// From the kernel, as printed in the paper; too large at surfaces.
    Kernel,
}

/// How pressures are found.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PressureSolverFile {
    /// Velocities free of divergence, then positions of constant density (Bender and Koschier 2017).
    Dfsph,
    /// A constant density alone, through velocities (Ihmsen et al. 2014), for comparison.
    Iisph,
}

/// What the pressure does inside solids.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SolidPressureFile {
    /// It acts between particles that are no neighbours at rest: contact. Poisson's ratio is right.
    Contact,
    /// It acts between all particles, as in the paper: solids cannot be compressed.
    Incompressible,
}
