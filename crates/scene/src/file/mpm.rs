//! `[method.mpm]`: settings of the Material Point Method.

use pliant_mpm::MpmSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::{
    Any, DragDensity, Fraction, Length, NotNegative, Number, OfPlaceAndTime, Positive, Pressure, Time,
};
use super::shape::PlacedFile;
use super::value::{At, Value};
use super::vector::Vector;

/// Settings of the Material Point Method.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MpmFile {
    /// Distance between nodes of the grid; twice the smallest particle spacing if left out.
    pub(crate) grid_spacing: Option<Value<Length, Positive>>,
    /// Spline between particles and grid.
    pub(crate) kernel: KernelFile,
    /// Splines along each axis, instead of `kernel`: two in the plane, three in space. Where they differ, particles go one
    /// at a time.
    pub(crate) kernels: Option<At<Vec<KernelFile>>>,
    /// How velocities travel between particles and grid.
    pub(crate) transfer: TransferFile,
    /// How gradients are taken.
    pub(crate) gradient: GradientFile,
    /// Numbers of the particles; positions are always double.
    pub(crate) precision: PrecisionFile,
    /// How velocities of the grid follow from forces.
    pub(crate) integrator: GridIntegratorFile,
    /// Share of the stable step that is taken; with implicit steps, cells that the fastest particle may cross.
    pub(crate) courant: Value<Number, Positive>,
    /// Steps of this length, whatever is stable; chosen from waves, motion and friction if left out.
    pub(crate) substep: Option<Value<Time, Positive>>,
    /// Walls around everything; without them the grid has no end.
    pub(crate) domain: Option<At<DomainFile>>,
    /// Whether particles, not only nodes of the grid, are kept out of all obstacles. Obstacles that are thinner than
    /// the grid, or have edges, always stop particles.
    pub(crate) particle_collision: bool,
    /// Where the rest volume of a particle comes from.
    pub(crate) volume: VolumeFile,
    /// Names of species; each has a grid of its own, and objects say which they are.
    pub(crate) species: Vec<At<String>>,
    /// Momentum exchange between species.
    pub(crate) drag: DragFile,
    /// How momentum exchange is integrated.
    pub(crate) drag_mode: DragModeFile,
    /// The species whose pressure lifts the others.
    pub(crate) buoyancy: Option<At<String>>,
    /// Parameters that depend on the state of particles, such as their saturation.
    pub(crate) interactions: Vec<At<InteractionFile>>,
    /// Places that give particles what they carry: a hot plate, a tap of dye.
    pub(crate) supplies: Vec<At<SupplyFile>>,
    /// What colliders are to some species, in some places or at some times; the first that fits counts.
    pub(crate) surfaces: Vec<At<SurfaceFile>>,
}

impl Default for MpmFile {
    fn default() -> Self {
        let settings = MpmSettings::default();
        Self {
            grid_spacing: None,
            kernel: KernelFile::Quadratic,
            kernels: None,
            transfer: TransferFile::Apic,
            gradient: GradientFile::MovingLeastSquares,
            precision: PrecisionFile::Single,
            integrator: GridIntegratorFile::Explicit,
            courant: Value::number(settings.courant),
            substep: None,
            domain: None,
            particle_collision: settings.particle_collision,
            volume: VolumeFile::Constant,
            species: Vec::new(),
            drag: DragFile::Physical(Value::number(0.0)),
            drag_mode: DragModeFile::Implicit,
            buoyancy: None,
            interactions: Vec::new(),
            supplies: Vec::new(),
            surfaces: Vec::new(),
        }
    }
}

/// Spline between particles and grid.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KernelFile {
    /// Two nodes an axis: cheap and noisy.
    Linear,
    /// Three nodes an axis.
    Quadratic,
    /// Four nodes an axis: smoother, fluids keep more of their volume.
    Cubic,
}

/// How velocities travel; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TransferFile {
    /// Affine particle-in-cell: keeps momentum and angular momentum, and is calm.
    Apic,
    /// Particle-in-cell: strongly damped.
    Pic,
    /// Fluid-implicit-particle: hardly damped, noisy.
    Flip,
    /// This share of FLIP, the rest PIC; 0.95 is common.
    Blend(Value<Number, Fraction>),
    /// APIC with this share of FLIP: keeps more of the energy of elastic bodies; 0.98 for a start.
    AffineFlip(Value<Number, Fraction>),
}

/// How gradients are taken.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GradientFile {
    /// By the affine velocity (MLS-MPM).
    MovingLeastSquares,
    /// By the slope of the spline, as in older codes.
    Kernel,
}

/// How velocities of the grid follow from forces.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GridIntegratorFile {
    /// By the forces at the start of a step: cheap steps, as short as waves in the stiffest matter ask for.
    Explicit,
    /// By the forces at the end of a step: dear steps, as long as the fastest motion allows; for stiff matter.
    Implicit,
}

/// Numbers of the particles.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PrecisionFile {
    /// Fast.
    Single,
    /// Conservation to twelve digits, for checks.
    Double,
}

/// Where the rest volume of a particle comes from.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VolumeFile {
    /// The cell of its sampler.
    Constant,
    /// Its mass over the density that the grid sees at the start.
    Grid,
}

/// A box with walls.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DomainFile {
    /// Lower corner.
    pub(crate) min: Vector<Length>,
    /// Upper corner.
    pub(crate) max: Vector<Length>,
    /// Coulomb friction of the walls.
    #[serde(default = "smooth")]
    pub(crate) friction: Value<Number, NotNegative>,
    /// Whether matter sticks to the walls.
    #[serde(default)]
    pub(crate) sticky: bool,
}

fn smooth() -> Value<Number, NotNegative> {
    Value::number(0.0)
}

/// Momentum exchange between species; one of:
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DragFile {
    /// Force a volume and difference in velocity, `n² ρ g / k`: does not depend on the grid.
    Physical(Value<DragDensity, NotNegative>),
    /// `c_E` of Nilles 2020, Eq. 103: depends on the grid.
    Literal(Value<Number, NotNegative>),
}

/// How momentum exchange is integrated.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DragModeFile {
    /// Stable for any drag.
    Implicit,
    /// Explicitly; too much drag explodes.
    Free,
    /// Explicitly, at most to equal velocities.
    Clamp,
    /// Always to equal velocities: what a single grid does.
    Limit,
}

/// A parameter of a material as a function of the state of its particles.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InteractionFile {
    /// The material it applies to.
    pub(crate) material: At<String>,
    /// What changes: `young`, `poisson`, `mu`, `lambda`, `yield_stress`, `friction_angle`, `cohesion` and so on, in SI
    /// units and radians; this or `become`.
    #[serde(default)]
    pub(crate) parameter: Option<At<String>>,
    /// Particles behave as this material where the value is not 0; this or `parameter`.
    #[serde(default)]
    pub(crate) r#become: Option<At<String>>,
    /// Expression of the saturation `phi`, volume ratio `J`, plastic volume `Jp` and strain `q`, concentration `c`, and `x y z t`.
    pub(crate) value: At<String>,
}

/// A place that gives particles what they carry.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SupplyFile {
    /// Where.
    pub(crate) region: PlacedFile,
    /// What particles there carry.
    pub(crate) concentration: Value<OfPlaceAndTime<Number>, Any>,
}

/// Friction and stickiness of a collider to some species, in some places or at some times.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SurfaceFile {
    /// The collider it applies to.
    pub(crate) collider: At<String>,
    /// The species it applies to; all if left out.
    #[serde(default)]
    pub(crate) species: Option<At<String>>,
    /// Coulomb friction; that of the collider if left out.
    #[serde(default)]
    pub(crate) friction: Option<Value<OfPlaceAndTime<Number>, NotNegative>>,
    /// Tensile stress up to which matter clings to it; that of the collider if left out.
    #[serde(default)]
    pub(crate) stickiness: Option<Value<OfPlaceAndTime<Pressure>, NotNegative>>,
}
