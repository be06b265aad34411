//! The simulation on a thread of its own. The window sends [`Command`]s and takes pictures of the state when it wants
//! one; neither ever waits for a step.

mod desk;
mod stages;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use pliant_scene::Scene;
use pliant_world::Snapshot;

use desk::{Desk, Plan};
pub use stages::StageShown;

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
    /// Take one stage of a step and stay; beginning, going on or ending a step.
    Stage,
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
    /// Where in a step it stands, if steps are taken stage by stage.
    pub stage: Option<StageShown>,
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
        let desk = Desk {
            shared: Arc::clone(&shared),
            wake: Box::new(wake),
            running: None,
            plan: Plan::default(),
            held: std::collections::VecDeque::new(),
        };
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
