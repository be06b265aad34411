//! Settings of the method.

/// How the method runs. The defaults are those of Kugelstadt 2021 where it names them.
#[derive(Clone, Debug, PartialEq)]
pub struct SphSettings {
    /// How the elastic step is solved.
    pub elasticity: Elasticity,
    /// What is done against zero-energy modes (§4).
    pub zero_energy: ZeroEnergy,
    /// Kernel support in particle spacings.
    pub support: f64,
    /// Neighbours at rest that are kept, the closest first (§9); all within the support if none.
    pub nearest: Option<usize>,
    /// Where the volume of a solid particle comes from.
    pub volume: VolumeRule,
    /// How pressures are found.
    pub pressure: PressureSolver,
    /// What the pressure does inside solids.
    pub solid_pressure: SolidPressure,
    /// Fixed step of elasticity, for which its matrix is factorised [s].
    pub elastic_step: f64,
    /// Relative tolerance of the linear solvers.
    pub tolerance: f64,
    /// Iterations of a linear solver before it gives up.
    pub max_iterations: usize,
    /// Particles of one body up to which its matrix is factorised as a whole.
    pub direct_limit: usize,
    /// Mean relative error of the density that the pressure leaves.
    pub density_error: f64,
    /// Mean relative change of the density in a step that the divergence solve of DFSPH leaves.
    pub divergence_error: f64,
    /// Share of a spacing that a particle may move in a step (§6: 0.4).
    pub courant: f64,
    /// Viscosity against jostling of fluid particles, in spacings times √(p/ρ); 0 for none.
    pub artificial_viscosity: f64,
    /// Surface tension of fluids: the coefficient γ of Akinci 2013, about 1 for water.
    pub surface_tension: f64,
    /// Transfer viscosity of micropolar fluids (Bender 2019) [m²/s]; 0 for none.
    pub vorticity: f64,
}

/// How the elastic step is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elasticity {
    /// By corrections with the constant matrix: bodies come to rest where statics wants them, whatever the step.
    Corrected,
    /// Stretch first, then volume, as printed (Eq. 27–30). Where a body comes to rest depends on the step.
    Split,
    /// All at once: conjugate gradients on the whole system, with the factor of the stretch as preconditioner.
    Unsplit,
    /// All at once by plain conjugate gradients (Peer 2018), for comparison.
    Peer2018,
    /// Explicit forces of corotated SPH (Becker 2009), for comparison.
    Becker2009,
}

/// What is done against zero-energy modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ZeroEnergy {
    /// Nothing.
    None,
    /// The explicit forces of Ganzenmüller 2015, of this strength.
    Explicit(f64),
    /// The implicit penalty of Kugelstadt 2021, of this strength α.
    Implicit(f64),
}

/// Where the volume of a solid particle comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeRule {
    /// From the sampling: volumes add up to that of the shape.
    Sampled,
    /// From the kernel (Eq. 5); too large at surfaces.
    Kernel,
}

/// How the pressures that keep matter from being compressed are found (§6 names both).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PressureSolver {
    /// Velocities free of divergence, then a constant density that moves positions only (Bender and Koschier 2017).
    Dfsph,
    /// A constant density alone, through velocities (Ihmsen et al. 2014).
    Iisph,
}

/// What the pressure does inside solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolidPressure {
    /// It acts between particles that are no neighbours at rest: contact. Elasticity alone resists compression, so
    /// Poisson's ratio is right.
    Contact,
    /// It acts between all particles, as in the paper: solids cannot be compressed, whatever their Poisson's ratio.
    Incompressible,
}

impl Default for SphSettings {
    fn default() -> Self {
        Self {
            elasticity: Elasticity::Corrected,
            zero_energy: ZeroEnergy::Implicit(0.1),
            support: 2.0,
            nearest: None,
            volume: VolumeRule::Sampled,
            pressure: PressureSolver::Dfsph,
            solid_pressure: SolidPressure::Contact,
            elastic_step: 2e-3,
            tolerance: 1e-4,
            max_iterations: 1000,
            direct_limit: 100_000,
            density_error: 1e-3,
            divergence_error: 1e-4,
            courant: 0.4,
            artificial_viscosity: 0.1,
            surface_tension: 0.0,
            vorticity: 0.0,
        }
    }
}
