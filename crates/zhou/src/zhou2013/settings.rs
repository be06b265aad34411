//! What a scene may choose about the method.

use crate::explicit::Resistance;
use pliant_world::World;

/// Time integration of the implicit step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// First order, damps vibration and spin; the paper's (Eq. 16).
    BackwardEuler,
    /// Second order, keeps bounce and spin; costs the same.
    Bdf2,
    /// Symplectic Euler in sub-steps (Eq. 10–11), for comparison.
    Explicit,
}

/// Which rest pose a particle remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The first one; searched anew only after large plastic flow.
    Kept,
    /// The paper's recursion (Eq. 14–15), for comparison: a new one after every step. Motion that the fit does not
    /// see is forgotten, so that elastic bodies drift.
    Updated,
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
    /// Which rest pose a particle remembers.
    pub rest: Rest,
    /// Largest error of a particle's position that a step may make, in spacings: steps are then as long as that allows.
    /// If none, all are as long as the scene says.
    pub step_error: Option<f64>,
    /// Longest explicit sub-step [s]; chosen from the stiffest material if none.
    pub substep: Option<f64>,
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
            rest: Rest::Kept,
            step_error: None,
            substep: None,
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

impl Zhou2013Settings {
    /// What limits an explicit sub-step.
    pub fn resistance(&self) -> Resistance {
        Resistance { radius: self.neighbour_radius, pressure: 0.0, viscosity: 0.0 }
    }

    /// The longest sub-step of an explicit run [s].
    pub fn longest_substep<const D: usize>(&self, world: &World<D>) -> f64 {
        self.substep.unwrap_or_else(|| self.resistance().safe_step(world))
    }
}
