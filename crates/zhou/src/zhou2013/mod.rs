//! Implicit integration for particle-based elasto-plastic solids: Zhou, Lun, Kalogerakis and Wang 2013, with
//! the corrections of `docs/papers/errata.md`.
//!
//! Departures from the print, each measured: the rest neighbourhood is kept (total Lagrangian) and searched
//! anew only where plastic flow is large; the system is re-linearised within the step; plastic flow enters the
//! system by its secant; energies carry the particle's volume; zero-energy modes are penalised.

mod coarse;
pub(crate) mod contact;
mod edges;
mod effort;
mod elasticity;
mod explicit;
mod fields;
mod integrator;
mod lanes;
mod neighbourhoods;
mod plain;
mod plasticity;
mod settings;
mod state;
mod stiffness;
mod system;
#[cfg(test)]
mod tests;
mod topology;

pub use plain::Comparison;
pub use settings::{Integrator, Preconditioner, Rest, Zhou2013Settings};

use coarse::{Coarse, Correction, Groups, Parts};
use contact::{Detector, Positions, Touch};
use effort::Effort;
use elasticity::{Fluxes, Matter, Tangent};
use fields::motion_columns;
use integrator::Coefficients;
use pliant_math::cg::{self, Outcome, Stop};
use pliant_math::{Vect, parallel};
use pliant_solver::onlooker::vectors;
use pliant_solver::stopwatch::Stopwatch;
use pliant_solver::{Care, Onlooker, RestoreError, Solver, Span, StageEnd, StepError, StepReport};
use pliant_world::{Field, Snapshot, World};
use state::State;
use std::ops::Range;
use stiffness::Stiffness;
use system::ImplicitOperator;

/// Solves go on while a rotation still changes by more than this [rad].
const SETTLED_TURN: f64 = 0.02;
/// A step whose rotations still change by more than this after the last solve is halved [rad].
const ROUGH_TURN: f64 = 0.3;
/// A solve that is certain to be repeated about a better position is this many times less exact.
const FIRST_GUESS: f64 = 100.0;
/// Below this tolerance a solve is repeated on what single precision left.
const SINGLE_TOLERANCE: f64 = 1e-6;
/// A solve that ends above its tolerance by more than this factor is not accepted.
const TOLERABLE_EXCESS: f64 = 100.0;

/// The solver: what it remembers of a world, and scratch.
#[derive(Debug)]
pub struct Zhou2013<const D: usize> {
    settings: Zhou2013Settings,
    matter: Vec<Matter>,
    /// Kernel radius of each particle [m].
    support: Vec<f64>,
    rest_position: Vec<Vect<D>>,
    pinned: Vec<bool>,
    detector: Detector,
    groups: Groups<D>,
    state: State<D>,
    work: Workspace<D>,
}

/// Scratch of a step; never saved.
#[derive(Debug)]
struct Workspace<const D: usize> {
    tangents: Vec<Tangent<D>>,
    fluxes: Fluxes<D>,
    stiffness: Stiffness<D>,
    residual: Vec<Vect<D>>,
    motion: Vec<Vect<D>>,
    cg: cg::Workspace<D>,
}

/// What stays fixed while a step is solved.
struct Plan<const D: usize> {
    beta: f64,
    dt: f64,
    /// Velocity that inertia alone leads to, `v*` [m/s].
    velocity: Vec<Vect<D>>,
    /// Where inertia alone leads, `q*` [m].
    inertial: Vec<Vect<D>>,
    /// External acceleration [m/s²].
    external: Vec<Vect<D>>,
    /// Weights of the stopping rule: 1/(mass × travel that matters)².
    weights: Vec<f64>,
}

impl<const D: usize> Plan<D> {
    fn positions(&self, departure: &[Vect<D>]) -> Vec<Vect<D>> {
        let mut x = vec![Vect::zeros(); departure.len()];
        parallel::fill(&mut x, |i| self.inertial[i] + departure[i]);
        x
    }
}

impl<const D: usize> Solver<D> for Zhou2013<D> {
    /// One implicit step: the six steps of Zhou 2013 §4, in the paper's order.
    fn step_seen(
        &mut self,
        world: &mut World<D>,
        span: Span,
        onlooker: &mut Onlooker<'_>,
    ) -> Result<StepReport, StepError> {
        if self.settings.integrator == Integrator::Explicit {
            return self.explicit_step(world, span);
        }
        let mut watch = Stopwatch::start();
        let mut report = StepReport::default();

        let mut plan = self.plan(world, span);
        // Departures from `q*` are small numbers: far from the origin they keep digits that positions lose.
        let mut departure = self.predict(world, span, &plan); // 1. Eq. 17 with the last forces
        let mut x = plan.positions(&departure);
        let start = &world.particles.position;
        let positions = Positions { start, now: &x };
        let near = self.detector.broad_phase(world, &self.state.neighbourhoods, positions, span)?;
        watch.lap("predict");
        onlooker.see(|| StageEnd::of_particles("predict", vec![vectors(Snapshot::POSITION, &x)]));
        let mut touches = self.touches(world, &near, &x);
        plan.weights = tolerance_weights(world, span.dt, &plan.external, &touches);
        let (mut help, mut hardest) = (None, 0);
        loop {
            watch.lap("contact");
            self.linearise(&x, &departure, &plan, &touches, world); // 2, 3. Eq. 5 and SVD; Eq. 19 and 25
            watch.lap("linearise");
            self.show_system(&x, onlooker);
            if help.is_none() && self.state.effort.is_aided(self.settings.preconditioner) {
                help = self.coarse_space(world, &plan, &touches);
                watch.lap("precondition");
            }
            self.work.stiffness.update(&self.state.elasticity(&self.matter), &self.work.tangents); // 3. Eq. 24
            watch.lap("system");
            let tolerance = self.tolerance(report.solves + 1);
            let outcome = self.solve(world, &plan, &touches, (tolerance, help.as_mut()))?; // 4. Eq. 23
            hardest = hardest.max(outcome.iterations);
            report.iterations += outcome.iterations;
            report.solves += 1;
            parallel::update(&mut departure, |i, departure| *departure += self.work.motion[i]);
            x = plan.positions(&departure);
            watch.lap("solve");
            onlooker.see(|| StageEnd::of_particles("solve", vec![vectors(Snapshot::POSITION, &x)]));
            let before = std::mem::replace(&mut touches, self.touches(world, &near, &x));
            if self.is_settled(&before, &touches, &report, span.care)? {
                break;
            }
        }
        check_finite("position", &x)?;
        self.judge(world, &plan, &departure, (hardest, span.care))?;
        report.contacts = self.accept(world, &plan, &touches, (x, departure)); // 5. v from the change of position
        self.state.effort.learn(hardest);
        watch.lap("contact");
        onlooker.see(|| StageEnd::of_particles("velocity", motion_columns(world)));
        report.yielding = self.split_plastic_flow(world, span.dt); // 6. Eq. 12–13
        self.update_neighbourhoods(world); // 6. Eq. 14–15
        watch.lap("plasticity");
        report.stages = watch.laps();
        Ok(report)
    }

    fn longest_step(&self) -> Option<f64> {
        let is_adaptive =
            self.settings.step_error.is_some() && self.settings.integrator != Integrator::Explicit;
        is_adaptive.then(|| self.state.effort.next_step())
    }

    fn elastic_energy(&self, world: &World<D>) -> f64 {
        self.elasticity().energy(&world.particles.position)
    }

    fn volume(&self, world: &World<D>) -> f64 {
        self.present_volume(world)
    }

    fn fields(&self, world: &World<D>) -> Vec<Field> {
        self.columns(world)
    }

    fn save(&self) -> Vec<u8> {
        self.state.to_bytes()
    }

    fn restore(&mut self, world: &World<D>, bytes: &[u8]) -> Result<(), RestoreError> {
        self.state = State::from_bytes(bytes, world.particles.len())?;
        self.detector.find_surface(&self.state.neighbourhoods);
        Ok(())
    }

    fn warnings(&self) -> Vec<String> {
        self.degenerate_neighbourhoods()
    }
}

impl<const D: usize> Zhou2013<D> {
    fn plan(&self, world: &World<D>, span: Span) -> Plan<D> {
        let past = self.state.past.as_ref();
        let step = Coefficients::new(self.settings.integrator, span.dt, past.map(|past| past.dt));
        let particles = &world.particles;
        let count = particles.len();
        let (mut velocity, mut inertial) = (vec![Vect::zeros(); count], vec![Vect::zeros(); count]);
        parallel::update_pair(&mut velocity, &mut inertial, |i, velocity, inertial| {
            let base = step.base(&particles.position[i], past.map(|past| &past.position[i]));
            *velocity = step.base(&particles.velocity[i], past.map(|past| &past.velocity[i]));
            *inertial = base + *velocity * step.beta;
        });
        let mut external = vec![Vect::zeros(); count];
        parallel::fill(&mut external, |i| {
            world.acceleration_at(&particles.position[i], particles.body[i], span.time + span.dt)
        });
        Plan { beta: step.beta, dt: span.dt, velocity, inertial, external, weights: vec![0.0; count] }
    }

    /// How far from `q*` the forces of the last step would take each particle.
    fn predict(&self, world: &World<D>, span: Span, plan: &Plan<D>) -> Vec<Vect<D>> {
        let mut departure = vec![Vect::zeros(); world.particles.len()];
        parallel::fill(&mut departure, |i| {
            let force = self.state.force[i] / world.particles.mass[i];
            (plan.external[i] + force) * (plan.beta * plan.beta)
        });
        for (i, position) in world.pinned_positions(span.time + span.dt) {
            departure[i] = position - plan.inertial[i];
        }
        departure
    }

    fn touches(&self, world: &World<D>, near: &contact::Candidates, x: &[Vect<D>]) -> Vec<Touch<D>> {
        let positions = Positions { start: &world.particles.position, now: x };
        self.detector.touches(world, &self.state.history, near, positions)
    }

    /// Rotations and secant moduli at `x`, and the right-hand side of the system.
    fn linearise(
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
    fn coarse_space(&self, world: &World<D>, plan: &Plan<D>, touches: &[Touch<D>]) -> Option<Coarse> {
        self.groups.factorise(&Parts {
            elasticity: self.elasticity(),
            tangents: &self.work.tangents,
            touches,
            mass: &world.particles.mass,
            beta_squared: plan.beta * plan.beta,
        })
    }

    /// Tolerance of the solve with that number within a step.
    fn tolerance(&self, number: usize) -> f64 {
        let Zhou2013Settings { tolerance, relinearisations, .. } = self.settings;
        if number < relinearisations { (FIRST_GUESS * tolerance).min(1.0) } else { tolerance }
    }

    fn solve(
        &mut self,
        world: &World<D>,
        plan: &Plan<D>,
        touches: &[Touch<D>],
        (tolerance, help): (f64, Option<&mut Coarse>),
    ) -> Result<Outcome, StepError> {
        let Workspace { tangents, fluxes, stiffness, residual, motion, cg } = &mut self.work;
        check_finite("force", residual)?;
        let bound = tolerance.powi(2) * residual.len() as f64;
        let stop = Stop {
            weights: &plan.weights,
            residual_squared: bound,
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
        if excess > TOLERABLE_EXCESS || excess.is_nan() {
            return Err(StepError::NotConverged { iterations: outcome.iterations, excess });
        }
        Ok(outcome)
    }

    /// Whether the step is solved: rotations and contacts would not change any more. Otherwise the paper's
    /// single linearisation is repeated about the new position.
    fn is_settled(
        &self,
        before: &[Touch<D>],
        after: &[Touch<D>],
        report: &StepReport,
        care: Care,
    ) -> Result<bool, StepError> {
        if report.solves < self.settings.relinearisations {
            return Ok(false);
        }
        let (elasticity, Workspace { tangents, motion, .. }) = (self.elasticity(), &self.work);
        let turn = parallel::max(motion.len(), |i| elasticity.turn(i, &tangents[i], motion));
        let (particle, angle) = turn.unwrap_or((0, 0.0));
        let is_last = report.solves >= self.settings.max_relinearisations;
        if is_last && care == Care::Strict && angle > ROUGH_TURN {
            return Err(StepError::Rough { particle, angle });
        }
        Ok(is_last || angle <= SETTLED_TURN && loaded(before).eq(loaded(after)))
    }

    /// Plans the next adaptive step by the error of this one: backward Euler misses `Δt² |a| / 2` of the way, BDF2 what
    /// the change of forces from step to step adds to it.
    fn judge(
        &mut self,
        world: &World<D>,
        plan: &Plan<D>,
        departure: &[Vect<D>],
        (iterations, care): (usize, Care),
    ) -> Result<(), StepError> {
        let Some(allowed) = self.settings.step_error else { return Ok(()) };
        let particles = &world.particles;
        let (mass, body, beta_squared) = (&particles.mass, &particles.body, plan.beta * plan.beta);
        let is_first_order = plan.beta == plan.dt;
        let worst = parallel::max(departure.len(), |i| {
            if self.pinned[i] {
                return 0.0;
            }
            let acceleration = departure[i] / beta_squared;
            let missed = match is_first_order {
                true => acceleration,
                false => acceleration - plan.external[i] - self.state.force[i] / mass[i],
            };
            0.5 * plan.dt * plan.dt * missed.norm() / world.bodies[body[i] as usize].spacing
        });
        let (particle, error) = worst.unwrap_or((0, 0.0));
        if care == Care::Strict && Effort::is_coarse(error, allowed) {
            return Err(StepError::Coarse { particle, error, allowed });
        }
        self.state.effort.plan(plan.dt, error, allowed, iterations);
        Ok(())
    }

    /// Takes the step; returns the number of contacts that carry load.
    fn accept(
        &mut self,
        world: &mut World<D>,
        plan: &Plan<D>,
        touches: &[Touch<D>],
        (x, departure): (Vec<Vect<D>>, Vec<Vect<D>>),
    ) -> usize {
        let particles = &mut world.particles;
        parallel::fill(&mut self.state.force, |i| {
            let needed = departure[i] / (plan.beta * plan.beta) - plan.external[i];
            if self.pinned[i] { Vect::zeros() } else { needed * particles.mass[i] }
        });
        let gains = departure.iter().map(|departure| departure / plan.beta);
        let velocity = plan.velocity.iter().zip(gains).map(|(velocity, gain)| velocity + gain).collect();
        let old_velocity = std::mem::replace(&mut particles.velocity, velocity);
        let old_position = std::mem::replace(&mut particles.position, x);
        for touch in touches {
            touch.rebound(plan.dt, &particles.mass, &old_velocity, &mut particles.velocity);
        }
        self.state.past =
            Some(integrator::Past { dt: plan.dt, position: old_position, velocity: old_velocity });
        self.state.history.remember(touches);
        self.state.history.len()
    }
}

/// The stopping rule measures each particle's error against what its body moves in a step, about its own centre or
/// against what it hits: the answer then depends neither on the origin nor on how fast other bodies are.
fn tolerance_weights<const D: usize>(
    world: &World<D>,
    dt: f64,
    external: &[Vect<D>],
    touches: &[Touch<D>],
) -> Vec<f64> {
    let particles = &world.particles;
    let mut impact = vec![0.0_f64; world.bodies.len()];
    for touch in touches.iter().filter(|touch| touch.is_loaded()) {
        let speed = (touch.relative(&particles.velocity) - touch.surface_velocity).norm();
        for i in touch.support.iter().map(|&(j, _)| j).chain([touch.particle]) {
            let fastest = &mut impact[particles.body[i as usize] as usize];
            *fastest = fastest.max(speed);
        }
    }
    let mut weights = vec![0.0; particles.len()];
    for (body, impact) in world.bodies.iter().zip(impact) {
        let range = body.particles.clone();
        let count = range.len().max(1) as f64;
        let velocity = &particles.velocity[range.clone()];
        let mean = velocity.iter().sum::<Vect<D>>() / count;
        let spread = velocity.iter().map(|v| (v - mean).norm_squared()).sum::<f64>() / count;
        let pull = external[range.clone()].iter().map(Vect::norm).sum::<f64>() / count;
        let speed = spread.sqrt().max(impact).max(pull * dt).max(1e-6 * body.spacing / dt);
        for i in range {
            weights[i] = (particles.mass[i] * dt * speed).powi(-2);
        }
    }
    weights
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

/// Keys of the contacts that carry load, in order.
fn loaded<const D: usize>(touches: &[Touch<D>]) -> impl Iterator<Item = (u32, contact::Target)> {
    touches.iter().filter(|touch| touch.is_loaded()).map(|touch| (touch.particle, touch.target))
}

fn check_finite<const D: usize>(quantity: &'static str, values: &[Vect<D>]) -> Result<(), StepError> {
    match values.iter().position(|value| !value.iter().all(|component| component.is_finite())) {
        Some(particle) => Err(StepError::NonFinite { quantity, particle }),
        None => Ok(()),
    }
}
