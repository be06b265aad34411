//! Implicit integration for particle-based elasto-plastic solids: Zhou, Lun, Kalogerakis and Wang 2013, with
//! the corrections of `docs/papers/errata.md`.
//!
//! Departures from the print, each measured: the rest neighbourhood is kept (total Lagrangian) and searched
//! anew only where plastic flow is large; the system is re-linearised within the step; plastic flow enters the
//! system by its secant; energies carry the particle's volume; zero-energy modes are penalised.

mod accept;
mod coarse;
pub(crate) mod contact;
mod edges;
mod effort;
mod elasticity;
mod exact;
mod explicit;
mod fields;
mod integrator;
mod lanes;
mod maps;
mod neighbourhoods;
mod plain;
mod plan;
mod plasticity;
mod predict;
mod scales;
mod settings;
mod settle;
mod solve;
mod state;
mod stiffness;
mod system;
#[cfg(test)]
mod tests;
mod topology;

pub use plain::Comparison;
pub use settings::{Integrator, Preconditioner, Rest, Zhou2013Settings};

use coarse::{Coarse, Groups};
use contact::Detector;
use elasticity::{Fluxes, Matter, Tangent};
use fields::motion_columns;
use plan::tolerance_weights;
use pliant_math::cg;
use pliant_math::{Vect, parallel};
use pliant_solver::onlooker::vectors;
use pliant_solver::stopwatch::Stopwatch;
use pliant_solver::{Onlooker, RestoreError, Solver, Span, StageEnd, StepError, StepReport};
use pliant_world::{Field, Snapshot, World};
use predict::Guess;
use scales::Scales;
use state::State;
use stiffness::Stiffness;

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
    /// The longest stable explicit step [s].
    explicit_step: f64,
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
    /// What helps the linear solver with the relaxed bodies there are; none after they flowed.
    scales: Option<Scales>,
    coarse: Option<Coarse<D>>,
}

impl<const D: usize> Workspace<D> {
    fn forget_relaxed_bodies(&mut self) {
        (self.scales, self.coarse) = (None, None);
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
        let (explicit_steps, strain) = (span.dt / self.explicit_step, self.state.mean_plastic_strain());
        let aid = self.state.effort.aid(self.settings.preconditioner, explicit_steps, strain);

        let mut plan = self.plan(world, span);
        let guess = self.predict(world, span, &plan, aid)?; // 1. Eq. 17 with the last forces
        let Guess { mut departure, mut x, mut near, mut touches } = guess;
        watch.lap("predict");
        onlooker.see(|| StageEnd::of_particles("predict", vec![vectors(Snapshot::POSITION, &x)]));
        plan.weights = tolerance_weights(world, span.dt, &plan.external, &touches);
        let mut hardest = 0;
        let mut is_likely_last = self.settings.relinearisations == 1;
        loop {
            watch.lap("contact");
            self.linearise(&x, &departure, &plan, &touches, world); // 2, 3. Eq. 5 and SVD; Eq. 19 and 25
            watch.lap("linearise");
            self.show_system(&x, onlooker);
            self.prepare_aid(world, &plan, &touches, aid);
            watch.lap("precondition");
            self.work.stiffness.update(&self.state.elasticity(&self.matter), &self.work.tangents, &x); // 3. Eq. 24
            watch.lap("system");
            let outcome = self.solve(world, &plan, &touches, (is_likely_last, aid))?; // 4. Eq. 23
            hardest = hardest.max(outcome.iterations);
            report.iterations += outcome.iterations;
            report.solves += 1;
            parallel::update(&mut departure, |i, departure| *departure += self.work.motion[i]);
            x = plan.positions(&departure);
            watch.lap("solve");
            onlooker.see(|| StageEnd::of_particles("solve", vec![vectors(Snapshot::POSITION, &x)]));
            let before = std::mem::replace(&mut touches, self.touches_anew(world, &mut near, &x, span)?);
            let change = self.change((world, &plan), (&before, &touches));
            if self.is_settled(&change, is_likely_last, &report, span.care)? {
                break;
            }
            is_likely_last = change.is_slight();
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
        self.work.forget_relaxed_bodies();
        self.detector.find_surface(&self.state.neighbourhoods);
        Ok(())
    }

    fn warnings(&self) -> Vec<String> {
        self.degenerate_neighbourhoods()
    }
}

fn check_finite<const D: usize>(quantity: &'static str, values: &[Vect<D>]) -> Result<(), StepError> {
    match values.iter().position(|value| !value.iter().all(|component| component.is_finite())) {
        Some(particle) => Err(StepError::NonFinite { quantity, particle }),
        None => Ok(()),
    }
}
