//! The thread itself: what it was told, and the next step.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use pliant_scene::Scene;
use pliant_solver::{AnySimulation, Onlooker, SimulationError, StepStatus};

use super::stages::{Gate, StageShown};
use super::{Command, Effort, KEPT_PARTICLES, Pace, Phase, Shared, Shown};

#[derive(Default)]
pub(super) struct Plan {
    pace: Pace,
    goal: Goal,
    /// Wall and simulated time at which playing began, for the speed.
    began: Option<(Instant, f64)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Goal {
    #[default]
    Stay,
    Forever,
    OneStep,
    OneStage,
    OneFrame,
    Until(f64),
}

pub(super) struct Running {
    scene: Arc<Scene>,
    simulation: Box<dyn AnySimulation>,
    effort: Effort,
    number: u64,
    /// The stage the last step ended with, if it was taken by stages.
    stage: Option<StageShown>,
}

pub(super) struct Desk {
    pub(super) shared: Arc<Shared>,
    pub(super) wake: Box<dyn Fn() + Send>,
    pub(super) running: Option<Running>,
    pub(super) plan: Plan,
    /// Commands that came in the midst of a step.
    pub(super) held: VecDeque<Command>,
}

impl Desk {
    pub(super) fn serve(mut self, commands: &Receiver<Command>) {
        loop {
            let wait = self.wait();
            match commands.recv_timeout(wait) {
                Ok(command) => {
                    self.obey(command);
                    while let Ok(command) = commands.try_recv() {
                        self.obey(command);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.advance(commands);
            for command in std::mem::take(&mut self.held) {
                self.obey(command);
            }
        }
    }

    /// How long to listen before the next step.
    fn wait(&self) -> Duration {
        if self.plan.goal == Goal::Stay {
            return Duration::from_secs(3600);
        }
        let Some(running) = &self.running else { return Duration::from_secs(3600) };
        if self.must_wait_for_window(running) {
            return Duration::from_millis(2);
        }
        let ahead = self.plan.pace.speed.zip(self.plan.began).map_or(0.0, |(speed, (wall, time))| {
            (running.simulation.clock().time() - time) / speed.max(1e-9) - wall.elapsed().as_secs_f64()
        });
        Duration::from_secs_f64(ahead.clamp(0.0, 0.05))
    }

    fn must_wait_for_window(&self, running: &Running) -> bool {
        let limit = self.plan.pace.steps_per_picture.unwrap_or(u32::MAX).max(1);
        let plays = self.plan.goal == Goal::Forever;
        plays && running.effort.steps >= limit && !self.shared.is_taken.load(Ordering::Acquire)
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Load(scene) => self.load(scene, None),
            Command::Swap(scene) => {
                let state = self.running.as_mut().map(|running| running.simulation.save());
                self.load(scene, state);
            }
            Command::Reset => {
                if let Some(running) = &self.running {
                    self.load(Arc::clone(&running.scene), None);
                }
            }
            Command::Play => self.go(Goal::Forever),
            Command::Pause => self.stay(Phase::Paused),
            Command::Step => self.go(Goal::OneStep),
            Command::Stage => self.go(Goal::OneStage),
            Command::Frame => self.go(Goal::OneFrame),
            Command::Until(time) => self.go(Goal::Until(time)),
            Command::Pace(pace) => {
                self.plan.pace = pace;
                self.mark_start();
            }
        }
    }

    fn go(&mut self, goal: Goal) {
        let Some(running) = &self.running else { return };
        if running.simulation.is_finished() {
            return;
        }
        self.plan.goal = goal;
        self.mark_start();
        self.tell(Phase::Playing);
    }

    fn mark_start(&mut self) {
        let time = self.running.as_ref().map_or(0.0, |running| running.simulation.clock().time());
        self.plan.began = Some((Instant::now(), time));
    }

    fn stay(&mut self, phase: Phase) {
        self.plan.goal = Goal::Stay;
        if self.running.is_some() {
            self.publish();
            self.tell(phase);
        }
    }

    fn load(&mut self, scene: Arc<Scene>, state: Option<Vec<u8>>) {
        self.tell(Phase::Building);
        let goal = std::mem::take(&mut self.plan.goal);
        let number = self.running.take().map_or(0, |running| running.number);
        let built = catch_unwind(AssertUnwindSafe(|| {
            let mut simulation = scene.simulation().map_err(|error| error.to_string())?;
            if let Some(state) = state {
                simulation
                    .restore(&state)
                    .map_err(|error| format!("{error}; this change needs a fresh start: press Reset"))?;
            }
            Ok::<_, String>(simulation)
        }));
        match built.unwrap_or_else(|defect| Err(defect_text(&*defect))) {
            Ok(simulation) => {
                self.running =
                    Some(Running { scene, simulation, effort: Effort::default(), number, stage: None });
                self.publish();
                self.tell(Phase::Paused);
                if goal != Goal::Stay {
                    self.go(goal);
                }
            }
            Err(message) => self.tell(Phase::Failed(message)),
        }
    }

    /// Takes a step, if one is due.
    fn advance(&mut self, commands: &Receiver<Command>) {
        if self.plan.goal == Goal::Stay {
            return;
        }
        let Some(running) = &self.running else { return };
        if self.must_wait_for_window(running) {
            return;
        }
        let ahead = self.plan.pace.speed.zip(self.plan.began).is_some_and(|(speed, (wall, time))| {
            running.simulation.clock().time() - time > wall.elapsed().as_secs_f64() * speed
        });
        if ahead && self.plan.goal == Goal::Forever {
            self.publish_if_wanted();
            return;
        }
        match self.plan.goal {
            Goal::OneStage => self.step_by_stages(commands),
            _ => self.step(),
        }
    }

    fn step(&mut self) {
        let Some(running) = &mut self.running else { return };
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| running.simulation.step()));
        running.effort.wall += start.elapsed().as_secs_f64();
        running.stage = None;
        self.conclude(outcome);
    }

    /// Takes a step that stops where its stages end. How long it took is not told: it waited for the window.
    fn step_by_stages(&mut self, commands: &Receiver<Command>) {
        let Some(running) = &mut self.running else { return };
        let before = Arc::new(running.simulation.snapshot());
        let mut gate = Gate {
            shared: &self.shared,
            wake: &*self.wake,
            commands,
            held: &mut self.held,
            before: Arc::clone(&before),
            number: &mut running.number,
            is_open: false,
        };
        let simulation = &mut running.simulation;
        let mut outcome = catch_unwind(AssertUnwindSafe(|| {
            simulation.step_seen(&mut Onlooker::new(&mut |end| gate.stop(end)))
        }));
        running.stage = None;
        if let Ok(Ok(status)) = &mut outcome {
            let laps = std::mem::take(&mut status.report.stages);
            let name = laps.last().map_or("step", |(name, _)| name);
            running.stage = Some(StageShown { name, is_last: true, before, nodes: None });
        }
        self.conclude(outcome);
    }

    /// What follows a step.
    fn conclude(&mut self, outcome: std::thread::Result<Result<StepStatus, SimulationError>>) {
        let Some(running) = &mut self.running else { return };
        let status = match outcome {
            Ok(Ok(status)) => status,
            Ok(Err(error)) => return self.stay(Phase::Failed(error.to_string())),
            Err(defect) => {
                // The state may be half-way through a step: it is not shown, and cannot go on.
                self.running = None;
                self.plan.goal = Goal::Stay;
                return self.tell(Phase::Failed(defect_text(&*defect)));
            }
        };
        running.effort.add(&status);
        let (is_finished, time) = (running.simulation.is_finished(), running.simulation.clock().time());
        let is_frame = status.completed_frame.is_some();
        match self.plan.goal {
            _ if is_finished => self.stay(Phase::Finished),
            Goal::OneStep | Goal::OneStage => self.stay(Phase::Paused),
            Goal::OneFrame if is_frame => self.stay(Phase::Paused),
            Goal::Until(end) if time >= end * (1.0 - 1e-12) => self.stay(Phase::Paused),
            _ if is_frame => self.publish(),
            _ => self.publish_if_wanted(),
        }
    }

    fn publish_if_wanted(&mut self) {
        let limit = self.plan.pace.steps_per_picture.unwrap_or(1);
        let is_due = self.running.as_ref().is_some_and(|running| running.effort.steps >= limit);
        if is_due && self.shared.is_taken.load(Ordering::Acquire) {
            self.publish();
        }
    }

    fn publish(&mut self) {
        let Some(running) = &mut self.running else { return };
        running.number += 1;
        let shown = Shown {
            snapshot: Arc::new(running.simulation.snapshot()),
            scene: Some(Arc::clone(&running.scene)),
            number: running.number,
            frames: running.simulation.frames(),
            effort: std::mem::take(&mut running.effort),
            step_limit: running.simulation.step_limit(),
            warnings: running.simulation.warnings(),
            stage: running.stage.clone(),
        };
        let particles = |shown: &Shown| shown.snapshot.positions().len().max(1);
        let mut passed = self.shared.passed.lock().unwrap_or_else(PoisonError::into_inner);
        if passed.iter().map(particles).sum::<usize>() < KEPT_PARTICLES {
            passed.push(shown.clone());
        }
        drop(passed);
        *self.shared.shown.lock().unwrap_or_else(PoisonError::into_inner) = shown;
        self.shared.is_taken.store(false, Ordering::Release);
        (self.wake)();
    }

    fn tell(&self, phase: Phase) {
        *self.shared.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
        (self.wake)();
    }
}

fn defect_text(defect: &(dyn std::any::Any + Send)) -> String {
    let text = defect.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| defect.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    format!("a defect of Pliant stopped the simulation: {text}; please report it with the scene")
}
