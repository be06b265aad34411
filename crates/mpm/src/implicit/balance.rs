//! Newton's method on the velocities of the nodes.

use super::supports::{Support, still};
use super::tangent::{Point, Tangent};
use super::web::Web;
use pliant_math::cg::{LinearOperator, Preconditioner, Stop, Workspace};
use pliant_math::{Mat, Vect, parallel};
use pliant_solver::{Care, StepError};

/// Inertia and forces of one step.
pub(super) struct Balance<'a, const D: usize> {
    pub web: Web<D>,
    pub points: Vec<Point<D>>,
    /// Velocities without forces between particles [m/s].
    pub goal: &'a [Vect<D>],
    pub mass: &'a [f64],
    pub dt: f64,
    pub spacing: f64,
    pub care: Care,
}

/// The velocities at which forces balance, and what it took.
#[derive(Clone, Debug)]
pub(crate) struct Found<const D: usize> {
    pub velocity: Vec<Vect<D>>,
    /// Applications of the linear operator.
    pub iterations: usize,
    /// Linear systems.
    pub solves: usize,
    /// Speed of the fastest particle [m/s].
    pub speed: f64,
}

/// Forces balance when what is left of them is this share of those that act.
const BALANCED: f64 = 1e-3;
/// Each linear system is solved to this share: the next one corrects the rest.
const SOLVED: f64 = 0.02;
/// Linear systems before the step is given up.
const MAX_SOLVES: usize = 25;
/// Applications of the operator in one linear system.
const MAX_ITERATIONS: usize = 2000;
/// Trials along one direction.
const MAX_TRIALS: usize = 8;
/// A direction has been followed too far when forces push back this much harder than they pulled.
const OVERSHOT: f64 = 0.5;

/// How nodes are held at an iterate.
struct Held<const D: usize> {
    free: Vec<Mat<D>>,
    friction: Vec<Vect<D>>,
}

impl<const D: usize> Balance<'_, D> {
    /// Velocities at which inertia, forces at the end of the step and obstacles balance.
    pub fn solve(&self, mut supports: Vec<Support<D>>) -> Result<Found<D>, StepError> {
        let count = self.mass.len();
        let weights: Vec<f64> = self.mass.iter().map(|mass| 1.0 / mass).collect();
        let mut found = Found { velocity: self.goal.to_vec(), iterations: 0, solves: 0, speed: 0.0 };
        let mut held = Held { free: vec![Mat::identity(); count], friction: vec![Vect::zeros(); count] };
        self.revise(&mut supports, &mut found.velocity, &vec![Vect::zeros(); count], &mut held);
        let (mut workspace, mut step) = (Workspace::default(), vec![Vect::zeros(); count]);
        let mut tangents = Vec::new();
        loop {
            let stress = self.linearise(&found.velocity, &mut tangents);
            let load = self.load(&found.velocity, &stress);
            let changed = self.revise(&mut supports, &mut found.velocity, &load, &mut held);
            let load = if changed { self.load_at(&found.velocity) } else { load };
            let mut residual = held.left(&load);
            let size = norm(&residual, &weights);
            let tolerance = BALANCED * self.scale(&stress, &weights);
            if size <= tolerance {
                return Ok(found);
            }
            if !size.is_finite() || found.solves == MAX_SOLVES {
                return self.give_up(found, size / tolerance);
            }
            let before = residual.clone();
            let mut system = System { balance: self, tangents: &tangents, free: &held.free, stress };
            let mut inertia = Inertia { inverse: &weights, free: &held.free };
            let stop = Stop {
                weights: &weights,
                residual_squared: (SOLVED * size).max(0.5 * tolerance).powi(2),
                error: None,
                max_iterations: MAX_ITERATIONS,
            };
            let outcome = workspace.solve(&mut system, Some(&mut inertia), &mut residual, &mut step, stop);
            found.iterations += outcome.iterations;
            found.solves += 1;
            self.follow(&mut found.velocity, &step, &before, &held);
        }
    }

    /// Rough is good enough where no smaller step is left.
    fn give_up(&self, found: Found<D>, excess: f64) -> Result<Found<D>, StepError> {
        if self.care == Care::LastResort && excess.is_finite() {
            return Ok(found);
        }
        Err(StepError::NotConverged { iterations: found.iterations, excess })
    }

    /// Moves along a direction, less far where forces would turn round.
    fn follow(&self, velocity: &mut Vec<Vect<D>>, step: &[Vect<D>], residual: &[Vect<D>], held: &Held<D>) {
        let along = |r: &[Vect<D>]| parallel::sum(step.len(), 0.0, |i| r[i].dot(&step[i]));
        let start = along(residual);
        let mut share = 1.0;
        for _ in 0..MAX_TRIALS {
            let trial: Vec<Vect<D>> = velocity.iter().zip(step).map(|(v, s)| v + s * share).collect();
            let end = along(&held.left(&self.load_at(&trial)));
            if end >= -OVERSHOT * start {
                *velocity = trial;
                return;
            }
            let secant = start / (start - end);
            share *= if secant.is_finite() { secant.clamp(0.1, 0.8) } else { 0.1 };
        }
        velocity.iter_mut().zip(step).for_each(|(v, s)| *v += s * share);
    }

    /// Stresses at the end of the step, and their differentials.
    fn linearise(&self, velocity: &[Vect<D>], tangents: &mut Vec<Tangent<D>>) -> Vec<Mat<D>> {
        let mut answers = vec![None; self.points.len()];
        parallel::fill(&mut answers, |p| {
            let (stress, tangent) = self.points[p].linearise(&self.motion(p, velocity), self.dt);
            Some((stress, tangent.positive()))
        });
        let (stress, all): (Vec<_>, Vec<_>) = answers.into_iter().flatten().unzip();
        *tangents = all;
        stress
    }

    /// `G = Δt ∇v` of a particle.
    fn motion(&self, p: usize, velocity: &[Vect<D>]) -> Mat<D> {
        self.web.gradient(p, velocity) * self.dt
    }

    /// Impulses that are not balanced: `m (v* − v) − Δt Σ V P Fᵀ ∇w` (Nilles 2020, Eq. 45 at the end of the step).
    fn load(&self, velocity: &[Vect<D>], stress: &[Mat<D>]) -> Vec<Vect<D>> {
        let mut load = vec![Vect::zeros(); velocity.len()];
        parallel::fill(&mut load, |i| {
            (self.goal[i] - velocity[i]) * self.mass[i] - self.web.force(i, stress) * self.dt
        });
        load
    }

    fn load_at(&self, velocity: &[Vect<D>]) -> Vec<Vect<D>> {
        let mut stress = vec![Mat::zeros(); self.points.len()];
        parallel::fill(&mut stress, |p| self.points[p].stress(&self.motion(p, velocity), self.dt));
        self.load(velocity, &stress)
    }

    /// How large the impulses are that have to balance.
    fn scale(&self, stress: &[Mat<D>], weights: &[f64]) -> f64 {
        let forces = parallel::sum(weights.len(), 0.0, |i| {
            (self.web.force(i, stress) * self.dt).norm_squared() * weights[i]
        });
        // Motion of a millionth of a cell is nothing even where no force acts.
        let least = (1e-6 * self.spacing / self.dt).powi(2) * self.mass.iter().sum::<f64>();
        (forces + least).sqrt()
    }

    /// Asks all obstacles again; whether anything is held differently.
    fn revise(
        &self,
        supports: &mut [Support<D>],
        velocity: &mut [Vect<D>],
        load: &[Vect<D>],
        held: &mut Held<D>,
    ) -> bool {
        let still = still(self.spacing, self.dt);
        let mut changed = false;
        for support in supports {
            let node = support.node;
            let revision = support.revise(&mut velocity[node], &load[node], still);
            (held.free[node], held.friction[node]) = (revision.free, revision.friction);
            changed |= revision.changed;
        }
        changed
    }
}

impl<const D: usize> Held<D> {
    /// What obstacles leave of the load.
    fn left(&self, load: &[Vect<D>]) -> Vec<Vect<D>> {
        let mut left = vec![Vect::zeros(); load.len()];
        parallel::fill(&mut left, |i| self.free[i] * (load[i] + self.friction[i]));
        left
    }
}

fn norm<const D: usize>(vector: &[Vect<D>], weights: &[f64]) -> f64 {
    parallel::sum(vector.len(), 0.0, |i| vector[i].norm_squared() * weights[i]).sqrt()
}

/// `M + Δt² K` on the directions that obstacles leave free.
struct System<'a, 'b, const D: usize> {
    balance: &'a Balance<'b, D>,
    tangents: &'a [Tangent<D>],
    free: &'a [Mat<D>],
    stress: Vec<Mat<D>>,
}

impl<const D: usize> LinearOperator<D> for System<'_, '_, D> {
    fn apply(&mut self, x: &[Vect<D>], out: &mut [Vect<D>]) -> f64 {
        let Self { balance, tangents, free, stress } = self;
        parallel::fill(stress, |p| tangents[p].apply(&balance.motion(p, x)));
        parallel::update_and_sum(out, 0.0, |i, out| {
            *out = free[i] * (x[i] * balance.mass[i] + balance.web.force(i, stress) * balance.dt);
            out.dot(&x[i])
        })
    }
}

/// The inverse of the mass. As good here as a diagonal with stiffness, and what is left of the load keeps adding up to
/// nothing: momentum is conserved though systems are solved roughly.
struct Inertia<'a, const D: usize> {
    inverse: &'a [f64],
    free: &'a [Mat<D>],
}

impl<const D: usize> Preconditioner<D> for Inertia<'_, D> {
    fn apply(&mut self, residual: &[Vect<D>], out: &mut [Vect<D>]) -> f64 {
        let Self { inverse, free } = self;
        parallel::update_and_sum(out, 0.0, |i, out| {
            *out = free[i] * residual[i] * inverse[i];
            out.dot(&residual[i])
        })
    }
}
