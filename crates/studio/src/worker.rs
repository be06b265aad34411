//! The simulation on a thread of its own. The window sends [`Command`]s and takes pictures of the state when it wants
//! one; neither ever waits for a step.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pliant_scene::Scene;
use pliant_solver::AnySimulation;
use pliant_world::Snapshot;

/// States are kept for a window that does not look, until they have this many particles in all.
const KEPT_PARTICLES: usize = 1_000_000;

/// What the window asks for.
pub enum Command {
    /// Take up a scene at time 0.
    Load(Arc<Scene>),
    /// Take up a changed scene where the present one stands.
    Swap(Arc<Scene>),
    /// Go on.
    Play,
    /// Stay.
    Pause,
    /// Take one step and stay.
    Step,
    /// Go to the end of the frame and stay.
    Frame,
    /// Back to time 0.
    Reset,
    /// Go on until that time and stay [s].
    Until(f64),
    /// How fast to go.
    Pace(Pace),
}

/// How fast the simulation may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pace {
    /// Steps for each picture the window shows; as many as there is time for if none.
    pub steps_per_picture: Option<u32>,
    /// Simulated seconds for each second of the clock on the wall; as many as there is time for if none.
    pub speed: Option<f64>,
}

/// What the simulation is doing.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Phase {
    /// Nothing: there is no scene.
    #[default]
    Empty,
    /// Particles are being placed.
    Building,
    /// It stays where it is.
    Paused,
    /// It goes on.
    Playing,
    /// All frames are done.
    Finished,
    /// It cannot go on; the last good state is shown.
    Failed(String),
}

/// A state of the simulation for the window.
#[derive(Clone, Default)]
pub struct Shown {
    /// Particles and quantities.
    pub snapshot: Arc<Snapshot>,
    /// The scene it is a state of.
    pub scene: Option<Arc<Scene>>,
    /// Counts the states that were published.
    pub number: u64,
    /// Frames of the whole run.
    pub frames: u32,
    /// Steps since the state before, and what they took.
    pub effort: Effort,
    /// How long a step may be from here and what bounds it.
    pub step_limit: Option<String>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// What the steps since the last picture took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effort {
    /// Steps.
    pub steps: u32,
    /// Length of the last one [s].
    pub dt: f64,
    /// Steps that were given up and taken shorter.
    pub rejected: u32,
    /// Applications of the linear operator.
    pub iterations: u64,
    /// Wall time of the steps [s].
    pub wall: f64,
    /// Wall time by stage, in the order of the method [s].
    pub stages: Vec<(String, f64)>,
}

#[derive(Default)]
struct Shared {
    shown: Mutex<Shown>,
    /// States since the window last looked, for the charts.
    passed: Mutex<Vec<Shown>>,
    phase: Mutex<Phase>,
    /// Whether the window has taken the last picture.
    is_taken: AtomicBool,
}

/// The thread, seen from the window.
pub struct Worker {
    commands: Sender<Command>,
    shared: Arc<Shared>,
}

impl Worker {
    /// Starts the thread; `wake` is called when there is something new to see.
    pub fn start(wake: impl Fn() + Send + 'static) -> Self {
        let (commands, received) = mpsc::channel();
        let shared = Arc::new(Shared { is_taken: AtomicBool::new(true), ..Shared::default() });
        let desk =
            Desk { shared: Arc::clone(&shared), wake: Box::new(wake), running: None, plan: Plan::default() };
        std::thread::spawn(move || desk.serve(&received));
        Self { commands, shared }
    }

    /// Asks for something; it is done when the present step is over.
    pub fn send(&self, command: Command) {
        // The thread ends only when this sender is gone.
        let _ = self.commands.send(command);
    }

    /// The newest state.
    pub fn shown(&self) -> Shown {
        self.shared.is_taken.store(true, Ordering::Release);
        self.shared.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The states since the last call, oldest first: the ends of all frames are among them, unless they are too many
    /// to keep.
    pub fn passed(&self) -> Vec<Shown> {
        std::mem::take(&mut *self.shared.passed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the simulation is doing.
    pub fn phase(&self) -> Phase {
        self.shared.phase.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[derive(Default)]
struct Plan {
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
    OneFrame,
    Until(f64),
}

struct Running {
    scene: Arc<Scene>,
    simulation: Box<dyn AnySimulation>,
    effort: Effort,
    number: u64,
}

struct Desk {
    shared: Arc<Shared>,
    wake: Box<dyn Fn() + Send>,
    running: Option<Running>,
    plan: Plan,
}

impl Desk {
    fn serve(mut self, commands: &Receiver<Command>) {
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
            self.advance();
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
                self.running = Some(Running { scene, simulation, effort: Effort::default(), number });
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
    fn advance(&mut self) {
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
        self.step();
    }

    fn step(&mut self) {
        let Some(running) = &mut self.running else { return };
        let start = Instant::now();
        let status = match catch_unwind(AssertUnwindSafe(|| running.simulation.step())) {
            Ok(Ok(status)) => status,
            Ok(Err(error)) => return self.stay(Phase::Failed(error.to_string())),
            Err(defect) => {
                // The state may be half-way through a step: it is not shown, and cannot go on.
                self.running = None;
                self.plan.goal = Goal::Stay;
                return self.tell(Phase::Failed(defect_text(&*defect)));
            }
        };
        running.effort.wall += start.elapsed().as_secs_f64();
        running.effort.add(&status);
        let (is_finished, time) = (running.simulation.is_finished(), running.simulation.clock().time());
        let is_frame = status.completed_frame.is_some();
        match self.plan.goal {
            _ if is_finished => self.stay(Phase::Finished),
            Goal::OneStep => self.stay(Phase::Paused),
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

impl Effort {
    fn add(&mut self, status: &pliant_solver::StepStatus) {
        self.steps += 1;
        self.dt = status.dt;
        self.rejected += status.rejected.len() as u32;
        self.iterations += status.report.iterations as u64;
        for (stage, seconds) in &status.report.stages {
            match self.stages.iter_mut().find(|(known, _)| known == stage) {
                Some((_, sum)) => *sum += seconds,
                None => self.stages.push(((*stage).to_owned(), *seconds)),
            }
        }
    }

    /// Wall time by stage for each step [s].
    pub fn per_step(&self) -> BTreeMap<String, f64> {
        let steps = f64::from(self.steps.max(1));
        self.stages.iter().map(|(stage, seconds)| (stage.clone(), seconds / steps)).collect()
    }
}

fn defect_text(defect: &(dyn std::any::Any + Send)) -> String {
    let text = defect.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| defect.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    format!("a defect of Pliant stopped the simulation: {text}; please report it with the scene")
}

#[cfg(test)]
mod tests {
    use super::{Command, Pace, Phase, Worker};
    use std::path::Path;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    const SCENE: &str = "pliant = 1\ndimension = 2\nspacing = 0.05\n[method.mpm]\n[time]\nduration = \"0.2 s\"\n\
                         [materials.jelly]\npreset = \"jello\"\n[[objects]]\nmaterial = \"jelly\"\n\
                         shape.ball.radius = 0.2\n";

    fn scene(text: &str) -> Arc<pliant_scene::Scene> {
        Arc::new(pliant_scene::Scene::from_text(text, Path::new("."), &[]).unwrap())
    }

    fn wait(worker: &Worker, is_there: impl Fn(&Worker) -> bool) {
        let start = Instant::now();
        while !is_there(worker) {
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", worker.phase());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn a_scene_plays_to_its_end() {
        let worker = Worker::start(|| {});
        worker.send(Command::Load(scene(SCENE)));
        worker.send(Command::Step);
        wait(&worker, |worker| worker.shown().snapshot.step == 1);
        worker.send(Command::Frame);
        wait(&worker, |worker| worker.shown().snapshot.frame == 1);
        worker.send(Command::Play);
        wait(&worker, |worker| worker.phase() == Phase::Finished);
        let shown = worker.shown();
        assert_eq!(shown.snapshot.frame, 6);
        assert!(shown.effort.stages.iter().any(|(_, seconds)| *seconds > 0.0));
        worker.send(Command::Reset);
        wait(&worker, |worker| worker.shown().snapshot.step == 0 && worker.phase() == Phase::Paused);
    }

    #[test]
    fn steps_wait_for_the_window() {
        let worker = Worker::start(|| {});
        worker.send(Command::Pace(Pace { steps_per_picture: Some(1), speed: None }));
        worker.send(Command::Load(scene(SCENE)));
        worker.send(Command::Play);
        wait(&worker, |worker| worker.shown().snapshot.step >= 1);
        let before = worker.shown().snapshot.step;
        std::thread::sleep(Duration::from_millis(200));
        // One picture was taken, so one more may have been made, and one step beyond it.
        assert!(worker.shown().snapshot.step <= before + 2);
    }

    #[test]
    fn a_changed_scene_goes_on_where_the_other_stood() {
        let worker = Worker::start(|| {});
        worker.send(Command::Load(scene(SCENE)));
        worker.send(Command::Until(0.05));
        wait(&worker, |worker| worker.phase() == Phase::Paused && worker.shown().snapshot.time >= 0.05);
        let before = worker.shown().snapshot;
        worker.send(Command::Swap(scene(&format!("gravity = [0, 50]\n{SCENE}"))));
        worker.send(Command::Step);
        wait(&worker, |worker| worker.shown().snapshot.step == before.step + 1);
        let after = worker.shown().snapshot;
        assert!(after.quantity("momentum_y") > before.quantity("momentum_y"), "gravity points up now");
        worker.send(Command::Swap(scene(&SCENE.replace("0.05", "0.04"))));
        wait(&worker, |worker| matches!(worker.phase(), Phase::Failed(_)));
    }
}
