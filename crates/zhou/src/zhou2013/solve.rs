//! One linearised solve within a step (Zhou 2013, Eq. 19–25).

use super::coarse::{Coarse, Correction, Parts};
use super::contact::{self, Positions, Touch};
use super::elasticity::Matter;
use super::plan::Plan;
use super::system::ImplicitOperator;
use super::{Workspace, Zhou2013, check_finite};
use pliant_math::cg::{self, ErrorBound, Outcome, Stop};
use pliant_math::{Vect, parallel};
use pliant_solver::{Span, StepError};
use pliant_world::World;
use std::ops::Range;

/// Whoever asks for a finer tolerance than this lets less pass of what is allowed to the others, by its square.
const USUAL_TOLERANCE: f64 = 1e-5;
/// A solve that will be repeated about a better position ends when its error is below this share of its motion: what
/// rotations and contacts still change is larger.
const FORCING: f64 = 0.05;
/// Below this tolerance a solve is repeated on what single precision left.
const SINGLE_TOLERANCE: f64 = 1e-6;
/// A solve that ends above its tolerance by more than this factor is not accepted.
const TOLERABLE_EXCESS: f64 = 100.0;
impl<const D: usize> Zhou2013<D> {
    /// What may touch in this step.
    pub(super) fn near(
        &self,
        world: &World<D>,
        x: &[Vect<D>],
        span: Span,
    ) -> Result<contact::Candidates<D>, StepError> {
        let positions = Positions { start: &world.particles.position, now: x };
        self.detector.broad_phase(world, &self.state.neighbourhoods, positions, span)
    }

    pub(super) fn touches(
        &self,
        world: &World<D>,
        near: &contact::Candidates<D>,
        x: &[Vect<D>],
    ) -> Vec<Touch<D>> {
        let positions = Positions { start: &world.particles.position, now: x };
        self.detector.touches(world, &self.state.history, near, positions)
    }

    /// The contacts at `x`, also with what was too far away when they were last searched for.
    pub(super) fn touches_anew(
        &self,
        world: &World<D>,
        near: &mut contact::Candidates<D>,
        x: &[Vect<D>],
        span: Span,
    ) -> Result<Vec<Touch<D>>, StepError> {
        if self.detector.is_outdated(near, x) {
            *near = self.near(world, x, span)?;
        }
        Ok(self.touches(world, near, x))
    }

    /// Rotations and secant moduli at `x`, and the right-hand side of the system.
    pub(super) fn linearise(
        &mut self,
        x: &[Vect<D>],
        departure: &[Vect<D>],
        plan: &Plan<D>,
        touches: &[Touch<D>],
        world: &World<D>,
    ) {
        let Workspace { tangents, fluxes, residual, .. } = &mut self.work;
        self.state.elasticity(&self.matter).linearise(x, plan.dt, tangents, fluxes);
        for touch in touches {
            touch.add_gradient(&mut fluxes.gradient);
        }
        let (gradient, mass) = (&fluxes.gradient, &world.particles.mass);
        let beta_squared = plan.beta * plan.beta;
        parallel::fill(residual, |i| {
            if self.pinned[i] {
                return Vect::zeros();
            }
            let inertia = plan.external[i] * beta_squared - departure[i];
            inertia * mass[i] - gradient[i] * beta_squared
        });
    }

    /// The coarse system of this step, if it can be factorised.
    pub(super) fn coarse_space(
        &self,
        world: &World<D>,
        plan: &Plan<D>,
        touches: &[Touch<D>],
    ) -> Option<Coarse> {
        self.groups.factorise(&Parts {
            elasticity: self.elasticity(),
            tangents: &self.work.tangents,
            touches,
            mass: &world.particles.mass,
            beta_squared: plan.beta * plan.beta,
        })
    }

    pub(super) fn leniency(&self) -> f64 {
        (self.settings.tolerance / USUAL_TOLERANCE).min(1.0).powi(2)
    }

    pub(super) fn solve(
        &mut self,
        world: &World<D>,
        plan: &Plan<D>,
        touches: &[Touch<D>],
        (is_likely_last, help): (bool, Option<&mut Coarse>),
    ) -> Result<Outcome, StepError> {
        let (tolerance, forcing) = (self.settings.tolerance, FORCING * self.leniency());
        let Workspace { tangents, fluxes, stiffness, residual, motion, cg } = &mut self.work;
        check_finite("force", residual)?;
        let bound = tolerance.powi(2) * residual.len() as f64;
        let stop = Stop {
            weights: &plan.weights,
            residual_squared: bound,
            error: Some(ErrorBound {
                masses: &world.particles.mass,
                energy: bound,
                share: if is_likely_last { 0.0 } else { forcing.powi(2) },
            }),
            max_iterations: self.settings.max_iterations,
        };
        let elasticity = self.state.elasticity(&self.matter);
        let mut operator = ImplicitOperator {
            elasticity,
            tangents,
            touches,
            mass: &world.particles.mass,
            pinned: &self.pinned,
            beta_squared: plan.beta * plan.beta,
            stiffness,
        };
        let free = free_bodies(world, &self.pinned, &self.matter, touches);
        let impulse: Vec<Vect<D>> = free.iter().map(|body| residual[body.clone()].iter().sum()).collect();
        let right_side = (tolerance < SINGLE_TOLERANCE).then(|| residual.clone());
        let mut correction = help.map(|coarse| Correction { groups: &self.groups, coarse });
        let help = correction.as_mut().map(|correction| correction as &mut dyn cg::Preconditioner<D>);
        let mut outcome = cg.solve(&mut operator, help, residual, motion, stop);
        if let Some(right_side) = right_side {
            // The solver saw the operator in single precision: what that left is solved for again.
            operator.residual(&right_side, motion, fluxes, residual);
            let first = motion.clone();
            let again = cg.solve(&mut operator, None, residual, motion, stop);
            parallel::update(motion, |i, u| *u += first[i]);
            outcome = Outcome { iterations: outcome.iterations + again.iterations, ..again };
        }
        for (body, impulse) in free.into_iter().zip(impulse) {
            keep_momentum(&world.particles.mass[body.clone()], impulse, &mut motion[body]);
        }
        let excess = (outcome.residual_squared / bound).sqrt();
        if excess.is_nan() || !outcome.converged && excess > TOLERABLE_EXCESS {
            return Err(StepError::NotConverged { iterations: outcome.iterations, excess });
        }
        Ok(outcome)
    }
}

/// Bodies that nothing outside acts on in the system: neither pins, nor contacts, nor matter they may merge with.
fn free_bodies<const D: usize>(
    world: &World<D>,
    pinned: &[bool],
    matter: &[Matter],
    touches: &[Touch<D>],
) -> Vec<Range<usize>> {
    let mut is_free: Vec<bool> = world
        .bodies
        .iter()
        .map(|body| body.particles.clone().all(|i| !pinned[i] && !matter[i].merges))
        .collect();
    for touch in touches.iter().filter(|touch| touch.is_loaded()) {
        for i in touch.support.iter().map(|&(j, _)| j).chain([touch.particle]) {
            is_free[world.particles.body[i as usize] as usize] = false;
        }
    }
    let free = world.bodies.iter().zip(is_free).filter(|(_, is_free)| *is_free);
    free.map(|(body, _)| body.particles.clone()).collect()
}

/// Inner forces cannot move a free body: its momentum is set right to the last digit, which the single-precision
/// product alone would not do.
fn keep_momentum<const D: usize>(mass: &[f64], impulse: Vect<D>, motion: &mut [Vect<D>]) {
    let carried: Vect<D> = motion.iter().zip(mass).map(|(u, mass)| u * *mass).sum();
    let shift = (impulse - carried) / mass.iter().sum::<f64>();
    parallel::update(motion, |_, u| *u += shift);
}
