//! From steps to frames: sub-stepping, roll-back, snapshots and checkpoints, for every method alike.

use crate::{Care, Clock, Onlooker, RestoreError, Solver, Span, StageEnd, StepError, StepReport};
use pliant_math::{Vect, parallel};
use pliant_world::{Snapshot, World};
use serde::{Deserialize, Serialize};

/// How time is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stepping {
    /// Time between frames [s].
    pub frame_time: f64,
    /// Longest step [s].
    pub dt: f64,
    /// Frames of the run.
    pub frames: u32,
}

/// A world, a method and a clock.
pub struct Simulation<const D: usize> {
    pub(crate) world: World<D>,
    pub(crate) solver: Box<dyn Solver<D>>,
    pub(crate) clock: Clock,
    /// Longest step of the scene [s].
    dt: f64,
    frames: u32,
    /// Steps taken since the start.
    pub(crate) steps: u64,
    /// Easy steps since the last hard one; enough of them and the step is doubled.
    easy_steps: u32,
    /// What the steps of the present frame added up to.
    pub(crate) tally: Tally,
}

/// What the steps of a frame did, for its snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub steps: u32,
    pub iterations: u64,
    pub solves: u64,
    pub rejected: u32,
    pub contacts: u64,
    pub yielding: u64,
    pub smallest_dt: f64,
}

/// What a step did, for progress and logs.
#[derive(Clone, Debug, PartialEq)]
pub struct StepStatus {
    /// Time after the step [s].
    pub time: f64,
    /// Its length [s].
    pub dt: f64,
    /// What the method reports.
    pub report: StepReport,
    /// Why longer steps were given up before this one was taken.
    pub rejected: Vec<StepError>,
    /// Frame that is complete now, if this step completed one.
    pub completed_frame: Option<u32>,
}

/// Why a run cannot go on. The last accepted state is intact and can be saved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "stopped at t = {time:.6} s: {cause}, even with the smallest step of {dt:.2e} s; \
     try a smaller time.dt, a softer material or slower motion"
)]
pub struct SimulationError {
    /// When [s].
    pub time: f64,
    /// Step that failed [s].
    pub dt: f64,
    /// What went wrong.
    pub cause: StepError,
}

/// Easy steps in a row after which a halved step is doubled again.
const EASY_STEPS: u32 = 4;

/// A simulation whose dimension is no longer visible: what programs use.
pub trait AnySimulation: Send {
    /// Takes one step, halving it as often as needed.
    ///
    /// # Errors
    /// When even the smallest step fails; the state is that of the last accepted step.
    fn step(&mut self) -> Result<StepStatus, SimulationError> {
        self.step_seen(&mut Onlooker::none())
    }
    /// As [`AnySimulation::step`], to the same bits, with an onlooker who sees each stage but the last where it ends. A
    /// step that is given up and taken shorter is seen from its first stage again.
    ///
    /// # Errors
    /// As [`AnySimulation::step`].
    fn step_seen(&mut self, onlooker: &mut Onlooker<'_>) -> Result<StepStatus, SimulationError>;
    /// Whether all frames are done.
    fn is_finished(&self) -> bool;
    /// The clock.
    fn clock(&self) -> &Clock;
    /// Frames of the run.
    fn frames(&self) -> u32;
    /// Steps taken since the start.
    fn steps(&self) -> u64;
    /// Number of particles, those included that have yet to appear.
    fn particle_count(&self) -> usize;
    /// What observers see now.
    fn snapshot(&mut self) -> Snapshot;
    /// The grid of the method now, a node a row; none for a method without a grid.
    fn grid(&self) -> Option<Snapshot>;
    /// The exact state, for a checkpoint.
    fn save(&mut self) -> Vec<u8>;
    /// Takes up a saved state.
    ///
    /// # Errors
    /// When the bytes are not a state of this scene.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError>;
    /// What a user should know before the run.
    fn warnings(&self) -> Vec<String>;
    /// How long a step may be from here and what bounds it; none for a method that takes any.
    fn step_limit(&self) -> Option<String>;
}

/// The exact state of a simulation.
#[derive(Serialize, Deserialize)]
struct Saved<const D: usize> {
    clock: Clock,
    steps: u64,
    easy_steps: u32,
    tally: Tally,
    position: Vec<Vect<D>>,
    velocity: Vec<Vect<D>>,
    solver: Vec<u8>,
}

impl<const D: usize> Simulation<D> {
    /// At time 0.
    pub fn new(mut world: World<D>, mut solver: Box<dyn Solver<D>>, stepping: Stepping) -> Self {
        // The solver has seen the shape at rest; from now on it finds it deformed.
        for displacement in std::mem::take(&mut world.displacements) {
            for (i, value) in displacement.particles.zip(&displacement.values) {
                world.particles.position[i] += value;
            }
        }
        solver.admit(&mut world, 0.0);
        let Stepping { frame_time, dt, frames } = stepping;
        let clock = match solver.longest_step() {
            None => Clock::new(frame_time, dt),
            Some(_) => Clock::paced(frame_time),
        };
        Self { world, solver, clock, dt, frames, steps: 0, easy_steps: 0, tally: Tally::default() }
    }

    /// A step of the method. Onlookers see the particles that are there, as in snapshots.
    fn try_step(&mut self, span: Span, onlooker: &mut Onlooker<'_>) -> Result<StepReport, StepError> {
        if !onlooker.is_there() {
            return parallel::inside(|| self.solver.step(&mut self.world, span));
        }
        // Not on a worker: an onlooker may take their time, and others need it.
        let Some(present) = self.world.particles.present(span.time) else {
            return self.solver.step_seen(&mut self.world, span, onlooker);
        };
        let mut see = |mut end: StageEnd| {
            end.particles.iter_mut().for_each(|field| field.column = field.column.of(&present));
            onlooker.see(|| end);
        };
        self.solver.step_seen(&mut self.world, span, &mut Onlooker::new(&mut see))
    }

    /// The world at the last complete frame, and later where a method keeps it up to date ([`Solver::publish`]).
    pub fn world(&self) -> &World<D> {
        &self.world
    }
}

impl<const D: usize> AnySimulation for Simulation<D> {
    fn step_seen(&mut self, onlooker: &mut Onlooker<'_>) -> Result<StepStatus, SimulationError> {
        if self.clock.at_frame() {
            self.tally = Tally::default();
        }
        let mut rejected = Vec::new();
        let longest = self.solver.longest_step().map(|longest| longest.min(self.dt));
        let (ticks, dt, report) = loop {
            let ticks = self.clock.next(longest);
            let dt = self.clock.seconds(ticks);
            let care = if self.clock.level() == Clock::FINEST { Care::LastResort } else { Care::Strict };
            match self.try_step(Span { time: self.clock.time(), dt, care }, onlooker) {
                Ok(report) => break (ticks, dt, report),
                Err(cause) => {
                    if !self.clock.refine() {
                        return Err(SimulationError { time: self.clock.time(), dt, cause });
                    }
                    rejected.push(cause);
                }
            }
        };
        self.clock.advance(ticks);
        self.solver.admit(&mut self.world, self.clock.time());
        self.steps += 1;
        self.tally.add(dt, &report, rejected.len());
        self.easy_steps = if rejected.is_empty() { self.easy_steps + 1 } else { 0 };
        // Not every step may be followed by one of twice its length: the next one may.
        if self.easy_steps >= EASY_STEPS && self.clock.coarsen() {
            self.easy_steps = 0;
        }
        let completed_frame = self.clock.at_frame().then(|| self.clock.frame());
        if completed_frame.is_some() {
            self.solver.publish(&mut self.world);
        }
        Ok(StepStatus { time: self.clock.time(), dt, report, rejected, completed_frame })
    }

    fn is_finished(&self) -> bool {
        self.clock.frame() >= self.frames
    }

    fn clock(&self) -> &Clock {
        &self.clock
    }

    fn frames(&self) -> u32 {
        self.frames
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn particle_count(&self) -> usize {
        self.world.particles.len()
    }

    fn grid(&self) -> Option<Snapshot> {
        let (frame, step, time) = (self.clock.frame(), self.steps, self.clock.time());
        self.solver.grid().map(|fields| Snapshot { frame, step, time, fields, ..Snapshot::default() })
    }

    fn snapshot(&mut self) -> Snapshot {
        self.solver.publish(&mut self.world);
        self.observe()
    }

    fn save(&mut self) -> Vec<u8> {
        self.solver.publish(&mut self.world);
        let saved = Saved {
            clock: self.clock,
            steps: self.steps,
            easy_steps: self.easy_steps,
            tally: self.tally,
            position: self.world.particles.position.clone(),
            velocity: self.world.particles.velocity.clone(),
            solver: self.solver.save(),
        };
        postcard::to_stdvec(&saved).expect("writing to memory cannot fail")
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let saved: Saved<D> = postcard::from_bytes(bytes).map_err(|error| RestoreError(error.to_string()))?;
        let count = self.world.particles.len();
        if saved.position.len() != count || saved.velocity.len() != count {
            return Err(RestoreError(format!(
                "it has {} particles, the scene {count}",
                saved.position.len()
            )));
        }
        self.solver.restore(&self.world, &saved.solver)?;
        (self.world.particles.position, self.world.particles.velocity) = (saved.position, saved.velocity);
        (self.clock, self.steps) = (saved.clock, saved.steps);
        (self.easy_steps, self.tally) = (saved.easy_steps, saved.tally);
        Ok(())
    }

    fn warnings(&self) -> Vec<String> {
        self.solver.warnings()
    }

    fn step_limit(&self) -> Option<String> {
        self.solver.step_limit()
    }
}

impl Tally {
    fn add(&mut self, dt: f64, report: &StepReport, rejected: usize) {
        self.smallest_dt = if self.steps == 0 { dt } else { self.smallest_dt.min(dt) };
        self.steps += 1;
        self.rejected += rejected as u32;
        self.iterations += report.iterations as u64;
        self.solves += report.solves as u64;
        self.contacts += report.contacts as u64;
        self.yielding += report.yielding as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepReport;
    use pliant_world::Field;

    /// Refuses one step, early in the run.
    struct Stumbling {
        refusals: u32,
    }

    impl Solver<3> for Stumbling {
        fn step_seen(
            &mut self,
            _: &mut World<3>,
            span: Span,
            _: &mut Onlooker<'_>,
        ) -> Result<StepReport, StepError> {
            if span.time > 0.09 && self.refusals > 0 {
                self.refusals -= 1;
                return Err(StepError::NonFinite { quantity: "force", particle: 0 });
            }
            Ok(StepReport::default())
        }

        fn elastic_energy(&self, _: &World<3>) -> f64 {
            0.0
        }

        fn volume(&self, _: &World<3>) -> f64 {
            0.0
        }

        fn fields(&self, _: &World<3>) -> Vec<Field> {
            Vec::new()
        }

        fn save(&self) -> Vec<u8> {
            Vec::new()
        }

        fn restore(&mut self, _: &World<3>, _: &[u8]) -> Result<(), RestoreError> {
            Ok(())
        }

        fn warnings(&self) -> Vec<String> {
            Vec::new()
        }
    }

    #[test]
    fn full_steps_return_soon_after_a_hard_one() {
        for refusals in 1..6 {
            let stepping = Stepping { frame_time: 1.0, dt: 0.01, frames: 1 };
            let solver = Box::new(Stumbling { refusals });
            let mut simulation = Simulation::new(World::empty(), solver, stepping);
            let mut steps = 0;
            while !simulation.is_finished() {
                steps += 1;
                simulation.step().unwrap();
            }
            assert_eq!(simulation.clock().level(), 0, "{refusals} refusals");
            assert!(steps < 100 + 8 * refusals, "{steps} steps after {refusals} refusals");
        }
    }
}
