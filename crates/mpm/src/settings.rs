//! Settings of the Material Point Method.

use super::kernel::Kernel;
use pliant_expression::Expression;
use pliant_geometry::Shape;
use pliant_material::Parameter;
use pliant_math::Vec3;

/// How a scene is simulated by the Material Point Method. The defaults are those of Nilles 2020: MLS-MPM with APIC and
/// quadratic splines.
#[derive(Clone, Debug)]
pub struct MpmSettings {
    /// Distance between nodes of the grid [m]; twice the smallest particle spacing if none.
    pub spacing: Option<f64>,
    /// Spline between particles and grid.
    pub kernel: Kernel,
    /// Splines along x, y and z, where they are not all the same; `kernel` is then the widest of those in use.
    pub mixed: Option<[Kernel; 3]>,
    /// How velocities travel.
    pub transfer: Transfer,
    /// How the grid's velocity gradient and the particles' forces are taken.
    pub gradient: Gradient,
    /// Numbers of the particles.
    pub precision: Precision,
    /// How velocities of the grid follow from forces.
    pub integrator: Integrator,
    /// Share of the stable step that is taken.
    pub courant: f64,
    /// A step of this length always, whatever is stable [s].
    pub substep: Option<f64>,
    /// Walls of a bounded domain.
    pub domain: Option<Domain>,
    /// Whether particles, not only nodes, are kept out of obstacles.
    pub particle_collision: bool,
    /// Where the rest volume of a particle comes from.
    pub volume: VolumeRule,
    /// What species do to each other; matter of one species shares a grid.
    pub mixture: Mixture,
    /// Where particles are given what they carry.
    pub supplies: Vec<Supply>,
    /// Where colliders are not to all matter, always and everywhere what they say themselves.
    pub surfaces: Vec<Surface>,
}

impl Default for MpmSettings {
    fn default() -> Self {
        Self {
            spacing: None,
            kernel: Kernel::Quadratic,
            mixed: None,
            transfer: Transfer::Apic,
            gradient: Gradient::MovingLeastSquares,
            precision: Precision::Single,
            integrator: Integrator::Explicit,
            courant: 0.5,
            substep: None,
            domain: None,
            particle_collision: false,
            volume: VolumeRule::Constant,
            mixture: Mixture::default(),
            supplies: Vec::new(),
            surfaces: Vec::new(),
        }
    }
}

/// A place that gives particles what they carry.
#[derive(Clone, Debug)]
pub struct Supply {
    /// Where.
    pub region: Shape,
    /// What particles there carry, of [`Surface::VARIABLES`].
    pub concentration: Expression,
}

/// How velocities travel between particles and grid (Nilles 2020, Eq. 63–69).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transfer {
    /// Affine particle-in-cell: keeps angular momentum.
    Apic,
    /// This share of FLIP, the rest PIC; 0 is PIC, 1 is FLIP.
    Flip(f64),
    /// Affine velocities, and this share of FLIP: livelier than APIC (Fei 2021). Keeps momentum, and angular momentum only of
    /// rigid motion: what APIC takes from the affine velocities on the way to the grid and back, this does not give back.
    AffineFlip(f64),
}

impl Transfer {
    /// Whether particles carry affine velocities.
    pub(crate) fn is_affine(self) -> bool {
        matches!(self, Self::Apic | Self::AffineFlip(_))
    }

    /// Share of the change of velocity on the grid, rather than of the velocity, that particles take.
    pub(crate) fn flip_share(self) -> f64 {
        match self {
            Self::Apic => 0.0,
            Self::Flip(share) | Self::AffineFlip(share) => share,
        }
    }
}

/// How velocities of the grid follow from forces (Nilles 2020, step 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// By the forces at the start of a step: steps are as short as waves ask for.
    Explicit,
    /// By the forces at its end: steps are as long as motion allows.
    Implicit,
}

/// How gradients are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// By the affine velocity (Hu 2018; Nilles 2020, Eq. 112–118).
    MovingLeastSquares,
    /// By the slope of the spline (Stomakhin 2013).
    Kernel,
}

/// Numbers of the particles; positions are always double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Fast.
    Single,
    /// Conservation to twelve digits, for checks.
    Double,
}

/// Walls that keep everything inside a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Lower corner [m].
    pub min: Vec3,
    /// Upper corner [m].
    pub max: Vec3,
    /// Coulomb friction of the walls.
    pub friction: f64,
    /// Whether matter sticks to them (Fumoto: velocity zero).
    pub sticky: bool,
}

/// Where the rest volume of a particle comes from (Nilles 2020, Eq. 121–122).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeRule {
    /// The cell of the sampler.
    Constant,
    /// Mass over the density that the grid sees at the start (step 2 of the paper).
    Grid,
}

/// What species do to each other where they overlap (Nilles 2020, §6.2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mixture {
    /// Names of the species; one grid each.
    pub species: Vec<String>,
    /// Momentum exchange.
    pub drag: Drag,
    /// How it is integrated.
    pub mode: DragMode,
    /// The species whose pressure lifts the others; none without buoyancy.
    pub buoyancy: Option<usize>,
    /// Parameters that depend on the saturation.
    pub interactions: Vec<Interaction>,
}

/// Momentum exchange between two species.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drag {
    /// `f = c_E m_s m_w Δv` with nodal masses (Nilles 2020, Eq. 103): depends on the grid spacing.
    Literal(f64),
    /// `f = V_node D Δv` with `D = n² ρ g / k` [kg/(m³ s)]: does not.
    Physical(f64),
}

impl Default for Drag {
    fn default() -> Self {
        Self::Physical(0.0)
    }
}

/// How momentum exchange is integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DragMode {
    /// Implicitly: stable for any drag.
    #[default]
    Implicit,
    /// Explicitly, as the paper does; too much drag explodes.
    Free,
    /// Explicitly, at most to equal velocities (Nilles 2020, Eq. 109 without the 2).
    Clamp,
    /// Always to equal velocities: what one grid does.
    Limit,
}

/// A parameter of a material as a function of the state of its particles (Nilles 2020, Eq. 105, 111, 125, 126).
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// The material, by index.
    pub material: usize,
    /// What changes.
    pub effect: Effect,
    /// Its value, of [`Interaction::VARIABLES`].
    pub value: Expression,
}

impl Interaction {
    /// Names that an interaction may use: saturation, volume ratio, plastic volume and strain, the place and time, and what is
    /// carried.
    pub const VARIABLES: [&'static str; 9] = ["phi", "J", "Jp", "q", "x", "y", "z", "t", "c"];
}

/// What an interaction changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A parameter of the material.
    Parameter(Parameter),
    /// Whether the particle behaves as this other material: where the value is not 0.
    Become(usize),
}

/// Friction and stickiness of a collider to some species, by place and time.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The collider, by index.
    pub collider: usize,
    /// The species, by index; all if none.
    pub species: Option<usize>,
    /// Coulomb friction, of [`Surface::VARIABLES`]; that of the collider if none.
    pub friction: Option<Expression>,
    /// Tensile stress up to which matter clings to it [Pa], of [`Surface::VARIABLES`]; that of the collider if none.
    pub stickiness: Option<Expression>,
}

impl Surface {
    /// Names that its expressions may use: place [m] and time [s].
    pub const VARIABLES: [&'static str; 4] = ["x", "y", "z", "t"];
}
