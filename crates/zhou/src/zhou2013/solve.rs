//! One linearised solve within a step (Zhou 2013, Eq. 19–25).

use super::coarse::Correction;
use super::contact::{self, Positions, Springs, Touch};
use super::effort::Aid;
use super::elasticity::Matter;
use super::plan::Plan;
use super::scales::{Moment, Scales};
use super::system::ImplicitOperator;
use super::{Workspace, Zhou2013, check_finite};
use pliant_math::cg::{ErrorBound, Outcome, Stop};
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
/// How fast the error of a solve falls is told from this many iterations at least. The coarse space takes the bulk of it in the
/// first few; what is left falls more slowly.
const PLAIN_WINDOW: usize = 2;
const AIDED_WINDOW: usize = 4;

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

    /// Makes ready what helps the linear solver. What depends on the relaxed bodies alone is kept until they flow.
    pub(super) fn prepare_aid(&mut self, world: &World<D>, plan: &Plan<D>, touches: &[Touch<D>], aid: Aid) {
        let (elasticity, mass) = (self.state.elasticity(&self.matter), &world.particles.mass);
        let Workspace { tangents, scales, coarse, .. } = &mut self.work;
        let now = Moment { touches, mass, beta_squared: plan.beta * plan.beta };
        if aid != Aid::None {
            scales.get_or_insert_with(|| Scales::new(&elasticity, tangents)).update(&world.bodies, now);
        }
        if aid == Aid::CoarseSpace {
            let coarse = coarse.get_or_insert_with(|| self.groups.assemble(&elasticity, tangents, mass));
            self.groups.factorise(coarse, tangents, now);
        }
    }

    pub(super) fn leniency(&self) -> f64 {
        (self.settings.tolerance / USUAL_TOLERANCE).min(1.0).powi(2)
    }

    pub(super) fn solve(
        &mut self,
        world: &World<D>,
        plan: &Plan<D>,
        touches: &[Touch<D>],
        (is_likely_last, aid): (bool, Aid),
    ) -> Result<Outcome, StepError> {
        let (tolerance, forcing) = (self.settings.tolerance, FORCING * self.leniency());
        let Workspace { tangents, fluxes, stiffness, residual, motion, cg, scales, coarse } = &mut self.work;
        check_finite("force", residual)?;
        let bound = tolerance.powi(2) * residual.len() as f64;
        let stop = Stop {
            weights: &plan.weights,
            residual_squared: bound,
            error: Some(ErrorBound {
                masses: &world.particles.mass,
                energy: bound,
                share: if is_likely_last { 0.0 } else { forcing.powi(2) },
                window: if aid == Aid::CoarseSpace { AIDED_WINDOW } else { PLAIN_WINDOW },
            }),
            max_iterations: self.settings.max_iterations,
        };
        let elasticity = self.state.elasticity(&self.matter);
        let beta_squared = plan.beta * plan.beta;
        let mut operator = ImplicitOperator {
            elasticity,
            tangents,
            springs: &mut Springs::new(touches, beta_squared, motion.len()),
            mass: &world.particles.mass,
            pinned: &self.pinned,
            beta_squared,
            stiffness,
        };
        let free = free_clusters(world, &self.pinned, &self.matter, touches);
        let impulses: Vec<Vect<D>> = free
            .iter()
            .map(|cluster| cluster.iter().flat_map(|body| &residual[body.clone()]).sum())
            .collect();
        let right_side = (tolerance < SINGLE_TOLERANCE).then(|| residual.clone());
        let scaling = scales.as_ref().map(Scales::scaling).filter(|_| aid != Aid::None);
        let coarse = coarse.as_mut().filter(|coarse| aid == Aid::CoarseSpace && coarse.is_ready());
        let mut outcome = match (scaling, coarse) {
            (Some(scaling), Some(coarse)) => {
                let mut correction = Correction { groups: &self.groups, coarse, scaling };
                cg.solve(&mut operator, Some(&mut correction), residual, motion, stop)
            }
            (Some(mut scaling), None) => cg.solve(&mut operator, Some(&mut scaling), residual, motion, stop),
            (None, _) => cg.solve(&mut operator, None, residual, motion, stop),
        };
        if let Some(right_side) = right_side {
            // The solver saw the operator in single precision: what that left is solved for again.
            operator.residual(&right_side, motion, fluxes, residual);
            let first = motion.clone();
            let again = cg.solve(&mut operator, None, residual, motion, stop);
            parallel::update(motion, |i, u| *u += first[i]);
            outcome = Outcome { iterations: outcome.iterations + again.iterations, ..again };
        }
        for (cluster, impulse) in free.iter().zip(impulses) {
            keep_momentum(&world.particles.mass, cluster, impulse, motion);
        }
        let excess = (outcome.residual_squared / bound).sqrt();
        if excess.is_nan() || !outcome.converged && excess > TOLERABLE_EXCESS {
            return Err(StepError::NotConverged { iterations: outcome.iterations, excess });
        }
        Ok(outcome)
    }
}

/// Bodies that touch each other and nothing else: neither pins, nor colliders, nor matter they may merge with.
fn free_clusters<const D: usize>(
    world: &World<D>,
    pinned: &[bool],
    matter: &[Matter],
    touches: &[Touch<D>],
) -> Vec<Vec<Range<usize>>> {
    let body_of = |i: u32| world.particles.body[i as usize] as usize;
    let mut cluster: Vec<usize> = (0..world.bodies.len()).collect();
    for touch in touches.iter().filter(|touch| touch.is_loaded()) {
        for &(j, _) in &touch.support {
            let (a, b) = (cluster[body_of(touch.particle)], cluster[body_of(j)]);
            if a != b {
                cluster.iter_mut().filter(|other| **other == a.max(b)).for_each(|other| *other = a.min(b));
            }
        }
    }
    let mut clusters: Vec<Option<Vec<Range<usize>>>> = vec![Some(Vec::new()); world.bodies.len()];
    for touch in touches.iter().filter(|touch| touch.is_loaded() && touch.support.is_empty()) {
        clusters[cluster[body_of(touch.particle)]] = None;
    }
    for (body, cluster) in world.bodies.iter().zip(&cluster) {
        let range = body.particles.clone();
        if range.clone().any(|i| pinned[i] || matter[i].merges) {
            clusters[*cluster] = None;
        } else if let Some(bodies) = &mut clusters[*cluster] {
            bodies.push(range);
        }
    }
    clusters.into_iter().flatten().filter(|bodies| !bodies.is_empty()).collect()
}

/// Inner forces cannot move what nothing outside acts on: its momentum is set right to the last digit, which neither the
/// single-precision product nor a preconditioner would do.
fn keep_momentum<const D: usize>(
    mass: &[f64],
    cluster: &[Range<usize>],
    impulse: Vect<D>,
    motion: &mut [Vect<D>],
) {
    let particles = || cluster.iter().cloned().flatten();
    let carried: Vect<D> = particles().map(|i| motion[i] * mass[i]).sum();
    let shift = (impulse - carried) / particles().map(|i| mass[i]).sum::<f64>();
    particles().for_each(|i| motion[i] += shift);
}
