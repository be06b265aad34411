//! `[method.*]`: which method simulates, and its settings.

use pliant_zhou::{Gbb2009Settings, Zhou2013Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mpm::MpmFile;
use super::quantity::{
    NotNegative, Number, Positive, Pressure, RadiusRange, Time, ToleranceRange, Viscosity,
};
use super::sph::SphFile;
use super::value::{At, Count, Value};

/// Simulation method and its settings; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MethodFile {
    /// Implicit simulation of elasto-plastic solids by particles (Zhou, Lun, Kalogerakis and Wang 2013).
    Zhou2013(Zhou2013File),
    /// Explicit simulation without a rest pose (Gerszewski, Bhattacharya and Bargteil 2009): the baseline that
    /// Zhou 2013 compares with. Elastic bodies lose their shape; `pressure` and `viscosity` slow that down.
    Gbb2009(Gbb2009File),
    /// Material Point Method (Nilles 2020): snow, sand, mud, fluids and solids, alone or mixed, on a grid without end.
    Mpm(Box<MpmFile>),
    /// Smoothed Particle Hydrodynamics (Kugelstadt 2021): elastic solids and fluids in one pressure solve, in space.
    Sph(SphFile),
}

impl Default for MethodFile {
    fn default() -> Self {
        Self::Zhou2013(Zhou2013File::default())
    }
}

/// Settings of the Zhou 2013 method.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Zhou2013File {
    /// Time integration.
    pub(crate) integrator: IntegratorFile,
    /// Which rest pose a particle remembers.
    pub(crate) rest: RestFile,
    /// Largest error of a particle's position that a step may make, in spacings, such as 0.2. Steps are then as long as
    /// that allows, up to `time.dt`; if left out, all are `time.dt` long.
    pub(crate) step_error: Option<Value<Number, Positive>>,
    /// Longest sub-step of the explicit integrator; a safe one for the stiffest material if left out.
    pub(crate) substep: Option<Value<Time, Positive>>,
    /// Radius of neighbourhoods in particle spacings. 2 is cheaper on lattices; 1.5 is unstable in thin parts.
    pub(crate) neighbour_radius: Value<Number, RadiusRange>,
    /// Strength of the penalty against zero-energy modes; 0 switches it off. 5 makes thin parts bend as stiffly as they
    /// should, within 5 % from 8 particles across.
    pub(crate) zero_energy: Value<Number, NotNegative>,
    /// Linear solves of a step, at least. The paper's single one is not stable at large steps.
    pub(crate) relinearisations: Count<1, 50>,
    /// Linear solves of a step, at most; more than the least while rotations still change.
    pub(crate) max_relinearisations: At<Count<1, 50>>,
    /// Relative tolerance of the linear solver, against the motion in one step.
    pub(crate) tolerance: Value<Number, ToleranceRange>,
    /// Help for the linear solver.
    pub(crate) preconditioner: PreconditionerFile,
    /// Iterations of one linear solve before the step is halved.
    pub(crate) max_iterations: Count<1, 1_000_000>,
    /// Plastic strain after which the neighbourhood of a particle is searched anew.
    pub(crate) rebuild_strain: Value<Number, Positive>,
    /// Whether parts of one body collide with each other.
    pub(crate) self_contact: bool,
}

impl Default for Zhou2013File {
    fn default() -> Self {
        let settings = Zhou2013Settings::default();
        let count = |value: usize| u32::try_from(value).expect("defaults are small");
        Self {
            integrator: IntegratorFile::Bdf2,
            rest: RestFile::Kept,
            step_error: None,
            substep: None,
            neighbour_radius: Value::number(settings.neighbour_radius),
            zero_energy: Value::number(settings.zero_energy),
            relinearisations: Count(count(settings.relinearisations)),
            max_relinearisations: At::nowhere(Count(count(settings.max_relinearisations))),
            tolerance: Value::number(settings.tolerance),
            preconditioner: PreconditionerFile::Automatic,
            max_iterations: Count(count(settings.max_iterations)),
            rebuild_strain: Value::number(settings.rebuild_strain),
            self_contact: settings.self_contact,
        }
    }
}

/// Settings of the Gerszewski 2009 method.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Gbb2009File {
    /// Radius of neighbourhoods in particle spacings, 2.5 if left out. Zhou 2013 needs 4.5 and 5.5 for some scenes.
    pub(crate) neighbour_radius: Option<Value<Number, RadiusRange>>,
    /// This many of the nearest particles are neighbours, instead of all within a radius.
    pub(crate) nearest: Option<At<Count<6, 200>>>,
    /// Longest explicit sub-step, instead of 0.9 times the limit of the stiffest material.
    pub(crate) substep: Option<Value<Time, Positive>>,
    /// Stiffness of an SPH pressure that resists crowding; 0 switches it off.
    pub(crate) pressure: Value<Pressure, NotNegative>,
    /// SPH viscosity; 0 switches it off.
    pub(crate) viscosity: Value<Viscosity, NotNegative>,
    /// Principal stresses below this share of Young's modulus are taken for zero, against flicker in free fall
    /// (Zhou 2013: 1e-5).
    pub(crate) stress_clamp: Value<Number, NotNegative>,
}

impl Default for Gbb2009File {
    fn default() -> Self {
        let settings = Gbb2009Settings::default();
        Self {
            neighbour_radius: None,
            nearest: None,
            substep: None,
            pressure: Value::number(settings.pressure),
            viscosity: Value::number(settings.viscosity),
            stress_clamp: Value::number(settings.stress_clamp),
        }
    }
}

/// Time integration.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IntegratorFile {
    /// Second order: keeps bounce and spin.
    Bdf2,
    /// First order, the paper's: damps vibration and spin.
    BackwardEuler,
    /// The explicit integration that the paper compares with (Eq. 10–11), in sub-steps.
    Explicit,
}

/// Which rest pose a particle remembers.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RestFile {
    /// The first one; neighbourhoods are searched anew only after large plastic flow.
    Kept,
    /// The paper's recursion (Eq. 14–15): a new one after every step, for comparison. Elastic bodies drift.
    Updated,
}

/// Help for the linear solver.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PreconditionerFile {
    /// The coarse space wherever plain conjugate gradients need many iterations.
    Automatic,
    /// Plain conjugate gradients.
    None,
    /// Motions that are affine on groups of particles are solved directly: for stiff and slender bodies.
    CoarseSpace,
}
