//! What a scene may choose about the method.

/// Time integration of the implicit step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// First order, damps vibration and spin; the paper's (Eq. 16).
    BackwardEuler,
    /// Second order, keeps bounce and spin; costs the same.
    Bdf2,
}

/// Help for the linear solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preconditioner {
    /// The coarse space wherever plain conjugate gradients need many iterations.
    Automatic,
    /// Plain conjugate gradients.
    None,
    /// Motions that are affine on groups of particles are solved directly.
    CoarseSpace,
}

/// Settings of the Zhou 2013 solver. Defaults are the paper's where it gives one.
#[derive(Clone, Debug, PartialEq)]
pub struct Zhou2013Settings {
    /// Time integration.
    pub integrator: Integrator,
    /// Neighbourhood radius in particle spacings (paper: 2.5; 1.5 is unstable in thin parts).
    pub neighbour_radius: f64,
    /// Strength α of the zero-energy-mode penalty; 0 switches it off.
    pub zero_energy: f64,
    /// Solves per step at least. More than the paper's one: a single linearisation is not stable at large steps.
    pub relinearisations: usize,
    /// Solves per step at most; used while rotations still change.
    pub max_relinearisations: usize,
    /// Relative tolerance of the linear solver, against the motion in one step.
    pub tolerance: f64,
    /// Help for the linear solver.
    pub preconditioner: Preconditioner,
    /// Iterations of one linear solve before the step is halved.
    pub max_iterations: usize,
    /// Plastic strain after which a particle's neighbourhood is searched anew.
    pub rebuild_strain: f64,
    /// Whether parts of one body collide with each other.
    pub self_contact: bool,
}

impl Default for Zhou2013Settings {
    fn default() -> Self {
        Self {
            integrator: Integrator::Bdf2,
            neighbour_radius: 2.5,
            zero_energy: 0.1,
            relinearisations: 2,
            max_relinearisations: 6,
            tolerance: 1e-5,
            preconditioner: Preconditioner::Automatic,
            max_iterations: 2000,
            rebuild_strain: 0.5,
            self_contact: true,
        }
    }
}
