//! A run under way: steps become frames, frames go to disk, and whatever happens nothing committed is lost.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use pliant_export::Exporter;
use pliant_solver::AnySimulation;
use pliant_store::manifest::now_utc;
use pliant_store::{CheckpointMeta, FrameCommit, RunWriter, Status};
use pliant_world::Snapshot;
use serde_json::json;

use crate::exit::{Failure, NUMERICS};
use crate::frames::FrameRange;
use crate::progress::Desk;
use crate::signals;
use crate::skins::SkinWriter;

/// Name of the section of a checkpoint that holds the state.
pub const STATE: &str = "simulation";

/// A simulation, where it is written, and who listens.
pub struct Session<'a> {
    /// The run folder.
    pub writer: RunWriter,
    /// What is simulated.
    pub simulation: Box<dyn AnySimulation>,
    /// Formats written as frames are committed.
    pub exporters: Vec<Exporter>,
    /// The same for the nodes of the grid.
    pub grid_exporters: Vec<Exporter>,
    /// Skins written as frames are committed.
    pub skins: Option<SkinWriter>,
    /// When to stop.
    pub plan: Plan,
    /// Where progress is told and requests to stop arrive.
    pub desk: &'a mut Desk,
    /// Wall time by stage [s].
    pub timings: BTreeMap<String, f64>,
    /// The last frame that was committed.
    pub last_frame: Option<u32>,
}

/// When a run stops and saves.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Frames to make and to export.
    pub frames: FrameRange,
    /// Simulated time after which the run stops [s].
    pub stop_at: f64,
    /// Wall time between checkpoints.
    pub checkpoint_interval: Duration,
}

/// How the simulation came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All frames are there.
    Finished,
    /// The options asked for no more.
    Enough,
    /// A signal asked to stop.
    Signal(u8),
}

impl Session<'_> {
    /// Simulates until the end, a limit or a signal, and leaves the folder so that the run can go on from there.
    pub fn advance(&mut self) -> Result<Ending, Failure> {
        let outcome = self.steps();
        let status = match &outcome {
            Ok(Ending::Finished) => Status::Finished,
            Ok(Ending::Enough) => Status::Stopped { reason: "as asked by the options".to_owned() },
            Ok(Ending::Signal(signal)) => Status::Stopped { reason: signals::name(*signal).to_owned() },
            Err(failure) => Status::Failed { reason: failure.message.clone() },
        };
        let closed = self.close(status);
        // What went wrong first is what the user needs to know.
        outcome.and_then(|ending| closed.map(|()| ending))
    }

    fn steps(&mut self) -> Result<Ending, Failure> {
        if self.last_frame.is_none() {
            self.commit_frame()?;
            self.commit_checkpoint()?;
        }
        let mut saved = Instant::now();
        loop {
            if let Some(ending) = self.ending() {
                self.commit_checkpoint()?;
                return Ok(ending);
            }
            self.step()?;
            if saved.elapsed() >= self.plan.checkpoint_interval {
                self.commit_checkpoint()?;
                saved = Instant::now();
            }
        }
    }

    fn ending(&self) -> Option<Ending> {
        if let Some(signal) = self.desk.signals.received() {
            return Some(Ending::Signal(signal));
        }
        let clock = self.simulation.clock();
        let is_enough = clock.frame() >= self.plan.frames.last || clock.time() >= self.plan.stop_at;
        match self.simulation.is_finished() {
            true => Some(Ending::Finished),
            false => is_enough.then_some(Ending::Enough),
        }
    }

    fn step(&mut self) -> Result<(), Failure> {
        let status = match self.simulation.step() {
            Ok(status) => status,
            Err(error) => {
                self.writer.log(&error.to_string())?;
                self.commit_checkpoint()?;
                let frame = self.last_frame.unwrap_or_default();
                let folder = self.writer.run().path().display();
                let message = format!("{error}; the last good frame is {frame} in {folder}");
                return Err(Failure::new(NUMERICS, message));
            }
        };
        for (stage, seconds) in &status.report.stages {
            add(&mut self.timings, stage, *seconds);
        }
        if !status.rejected.is_empty() {
            let causes: Vec<String> = status.rejected.iter().map(ToString::to_string).collect();
            let dt = status.dt;
            self.writer.log(&format!(
                "t = {:.6} s: halved to {dt:.2e} s: {}",
                status.time,
                causes.join("; ")
            ))?;
        }
        self.desk.progress.step(&status);
        if status.completed_frame.is_some() { self.commit_frame() } else { Ok(()) }
    }

    fn commit_frame(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        let snapshot = self.simulation.snapshot();
        if let FrameCommit::Differs { committed_state, recomputed_state } =
            self.writer.commit_frame(&snapshot)?
        {
            let frame = snapshot.frame;
            return Err(Failure::new(
                NUMERICS,
                format!(
                    "frame {frame} was committed with state {committed_state} but is now {recomputed_state}: \
                 the run was made by another version of the program; run the scene again"
                ),
            ));
        }
        self.last_frame = Some(snapshot.frame);
        add(&mut self.timings, "write frames", start.elapsed().as_secs_f64());
        self.export(&snapshot)?;
        self.writer.log(&format!("frame {} at t = {:.6} s", snapshot.frame, snapshot.time))?;
        self.desk.progress.frame(&snapshot)
    }

    fn export(&mut self, snapshot: &Snapshot) -> Result<(), Failure> {
        let start = Instant::now();
        if self.plan.frames.contains(snapshot.frame) {
            for exporter in &mut self.exporters {
                exporter.write(snapshot)?;
            }
            let grid = if self.grid_exporters.is_empty() { None } else { self.simulation.grid() };
            for (exporter, grid) in self.grid_exporters.iter_mut().zip(grid.iter().cycle()) {
                exporter.write(grid)?;
            }
            if let Some(skins) = &mut self.skins {
                skins.write(snapshot)?;
            }
        }
        add(&mut self.timings, "export", start.elapsed().as_secs_f64());
        Ok(())
    }

    fn commit_checkpoint(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        let clock = self.simulation.clock();
        let frame = self.last_frame.unwrap_or_default();
        let meta = CheckpointMeta { step: self.simulation.steps(), frame, time: clock.time() };
        self.writer.commit_checkpoint(meta, &[(STATE, &self.simulation.save())])?;
        add(&mut self.timings, "write checkpoints", start.elapsed().as_secs_f64());
        self.desk.progress.event("checkpoint", json!({ "step": meta.step, "time": meta.time }))
    }

    /// Writes down how the run ended.
    fn close(&mut self, status: Status) -> Result<(), Failure> {
        let timings = std::mem::take(&mut self.timings);
        self.writer.log(&format!("{} after {} steps", status.word(), self.simulation.steps()))?;
        let hash = self.writer.run().frames().last().map(|entry| entry.state_hash.clone());
        let hash = hash.filter(|_| status == Status::Finished);
        self.writer.update_manifest(|manifest| {
            manifest.finished = Some(now_utc());
            manifest.status = status;
            manifest.final_state_hash = hash;
            for (stage, seconds) in timings {
                add(&mut manifest.timings, &stage, seconds);
            }
        })?;
        Ok(())
    }
}

/// Adds to the time of a stage.
pub fn add(timings: &mut BTreeMap<String, f64>, stage: &str, seconds: f64) {
    *timings.entry(stage.to_owned()).or_default() += seconds;
}
