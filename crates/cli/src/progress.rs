//! What a run says while it works: a line that changes on a terminal, JSON lines for programs, else silence.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pliant_scene::Scene;
use pliant_solver::StepStatus;
use pliant_world::Snapshot;
use serde_json::{Value, json};

use crate::args::Talk;
use crate::console;
use crate::exit::Failure;
use crate::signals::Signals;

/// Where progress is told and requests to stop arrive.
pub struct Desk {
    /// Tells how far the work is.
    pub progress: Progress,
    /// Requests to stop.
    pub signals: Signals,
}

impl Desk {
    /// Opens for a command with these wishes.
    pub fn open(talk: &Talk) -> Result<Self, Failure> {
        Ok(Self { progress: Progress::new(Voice::choose(talk)), signals: Signals::listen()? })
    }

    /// Fills the shapes of a scene, which may take a while, and listens for requests to stop.
    pub fn fill(&mut self, scene: &Scene) -> Result<(), Failure> {
        let (progress, signals) = (&mut self.progress, &self.signals);
        let outcome = scene.fill(&mut |name, now| {
            let total = u32::try_from(now.most).unwrap_or(u32::MAX);
            let done = u32::try_from(now.iteration).unwrap_or(total);
            if done == 1 {
                progress.begin(&format!("filling {name}"), 0, total);
            }
            progress.advance_to(done);
            if signals.received().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        signals.check()?;
        Ok(outcome?)
    }

    /// Programs that read events learn of a failure there too.
    pub fn close(&self, outcome: Result<(), Failure>) -> Result<(), Failure> {
        if let Err(Failure { code, message }) = &outcome
            && !message.is_empty()
        {
            self.progress.event("failed", json!({ "exit_code": code, "message": message }))?;
        }
        outcome
    }
}

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A line that changes; used on terminals.
    Bar,
    /// One line at the end; used when piped.
    Plain,
    /// JSON lines on stdout.
    Json,
    /// Nothing but errors.
    Quiet,
}

impl Voice {
    /// The voice the options ask for, or the one that suits where stderr goes.
    pub fn choose(talk: &Talk) -> Self {
        match talk {
            Talk { json: true, .. } => Self::Json,
            Talk { quiet: true, .. } => Self::Quiet,
            _ if io::stderr().is_terminal() => Self::Bar,
            _ => Self::Plain,
        }
    }
}

/// Tells how far a command is.
pub struct Progress {
    voice: Voice,
    bar: ProgressBar,
    last_update: Option<Instant>,
    energy: f64,
}

/// The line is redrawn at most this often.
const INTERVAL: Duration = Duration::from_millis(100);

impl Progress {
    /// Ready to speak.
    pub fn new(voice: Voice) -> Self {
        Self { voice, bar: ProgressBar::hidden(), last_update: None, energy: f64::NAN }
    }

    /// An event for programs; people are not told.
    pub fn event(&self, event: &str, mut details: Value) -> Result<(), Failure> {
        if self.voice != Voice::Json {
            return Ok(());
        }
        if let Some(map) = details.as_object_mut() {
            map.insert("event".to_owned(), event.into());
        }
        console::json(&details)
    }

    /// Something doubtful.
    pub fn warning(&self, message: &str) -> Result<(), Failure> {
        match self.voice {
            Voice::Quiet => {}
            Voice::Json => self.event("warning", json!({ "message": message }))?,
            _ => self.bar.suspend(|| console::warning(message)),
        }
        Ok(())
    }

    /// Something worth knowing on a terminal.
    pub fn note(&self, message: &str) -> Result<(), Failure> {
        if self.voice == Voice::Bar { self.bar.suspend(|| console::line(message)) } else { Ok(()) }
    }

    /// What was made, as the last word.
    pub fn result(&self, text: &str) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        if matches!(self.voice, Voice::Bar | Voice::Plain) { console::line(text) } else { Ok(()) }
    }

    /// Starts the line for work of that many parts, some of which are done.
    pub fn begin(&mut self, what: &str, done: u32, total: u32) {
        self.bar.finish_and_clear();
        if self.voice != Voice::Bar {
            return;
        }
        let template = format!("{what} {{bar:20}} {{pos}}/{{len}} {{wide_msg}} {{elapsed}} ETA {{eta}}");
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar =
            ProgressBar::with_draw_target(Some(u64::from(total)), ProgressDrawTarget::stderr_with_hz(10));
        self.bar.set_style(style.progress_chars("━╸ "));
        self.bar.set_position(u64::from(done));
        self.bar.reset_eta();
    }

    /// One part is done.
    pub fn advance_to(&self, done: u32) {
        self.bar.set_position(u64::from(done));
    }

    /// What the last step did.
    pub fn step(&mut self, status: &StepStatus) {
        let is_due = self.last_update.is_none_or(|last| last.elapsed() >= INTERVAL);
        if self.voice != Voice::Bar || !is_due {
            return;
        }
        self.last_update = Some(Instant::now());
        self.bar.set_message(describe(status, self.energy));
    }

    /// A frame was committed.
    pub fn frame(&mut self, snapshot: &Snapshot) -> Result<(), Failure> {
        self.energy = snapshot.quantity("total_energy").unwrap_or(f64::NAN);
        self.advance_to(snapshot.frame);
        if self.voice != Voice::Json {
            return Ok(());
        }
        let mut details = json!({
            "frame": snapshot.frame,
            "time": snapshot.time,
            "step": snapshot.step,
            "state_hash": snapshot.state_hash,
        });
        for (name, value) in &snapshot.quantities {
            details[name] = (*value).into();
        }
        self.event("frame", details)
    }
}

/// Time, step, iterations, energy and milliseconds a stage.
fn describe(status: &StepStatus, energy: f64) -> String {
    let stages: Vec<String> =
        status.report.stages.iter().map(|(name, seconds)| format!("{name} {:.1}", seconds * 1e3)).collect();
    let energy = if energy.is_finite() { format!("E {energy:.3e} J ") } else { String::new() };
    format!(
        "t {:.3} s dt {:.2} ms it {} {energy}ms: {}",
        status.time,
        status.dt * 1e3,
        status.report.iterations,
        stages.join(" ")
    )
}
