//! `pliant resume`: goes on where a run was interrupted, to the very same bits.

use std::path::PathBuf;

use clap::Args;
use pliant_solver::AnySimulation;
use pliant_store::{RunFolder, RunWriter, Status, StoreError};

use super::run::use_threads;
use crate::args::Talk;
use crate::exit::{Failure, INPUT};
use crate::job::{Job, announce, full_plan};
use crate::loading::LoadedScene;
use crate::progress::{Desk, Progress};
use crate::session::{Ending, STATE};

/// Go on with a run that was stopped, killed or failed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant resume runs/quickstart")]
pub struct Options {
    /// Folder of the run.
    folder: PathBuf,
    /// Number of threads; all cores if left out. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    talk: Talk,
    /// Make no pictures, movie and plots; `pliant render` makes them later.
    #[arg(long)]
    no_render: bool,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let mut desk = Desk::open(&options.talk)?;
    let outcome = go_on(options, &mut desk);
    desk.close(outcome)
}

fn go_on(options: &Options, desk: &mut Desk) -> Result<(), Failure> {
    let mut writer = RunFolder::resume(&options.folder)?;
    for warning in writer.run().warnings() {
        desk.progress.warning(&warning)?;
    }
    // Before the scene is read, as in `run`.
    let threads = use_threads(options.threads)?;
    let loaded = LoadedScene::of_run(writer.run())?;
    desk.fill(&loaded.scene)?;
    let progress = &desk.progress;
    let job = Job { loaded: &loaded, plan: full_plan(&loaded.scene), draws: !options.no_render };
    let is_drawn = !job.draws || !loaded.scene.render.enabled || options.folder.join("movie.mp4").is_file();
    if writer.run().manifest().status == Status::Finished && is_drawn {
        let frames = writer.run().frames().len();
        let folder = options.folder.display();
        progress.event("finished", serde_json::json!({ "status": "finished", "folder": options.folder }))?;
        return progress.result(&format!("nothing to do: {folder} is finished, with {frames} frames"));
    }
    if writer.run().manifest().status == Status::Finished {
        return job.conclude(writer, Ending::Finished, Vec::new(), desk);
    }
    let mut simulation = loaded.scene.simulation()?;
    let last_frame = restore(&mut *simulation, &writer, progress)?;
    writer.update_manifest(|manifest| {
        manifest.status = Status::Running;
        manifest.finished = None;
        manifest.threads = threads;
    })?;
    announce(progress, &writer, &*simulation, &[])?;
    job.finish(writer, simulation, last_frame, desk)
}

/// Takes up the latest good state; returns the last frame committed before it. A run that was killed before its
/// first checkpoint starts anew, which comes to the same.
fn restore(
    simulation: &mut dyn AnySimulation,
    writer: &RunWriter,
    progress: &Progress,
) -> Result<Option<u32>, Failure> {
    let recovered = match writer.run().latest_checkpoint() {
        Ok(recovered) => recovered,
        Err(StoreError::NoCheckpoint { skipped, .. }) if skipped.is_empty() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    for skipped in &recovered.skipped {
        let message = format!("{} was passed over: {}", skipped.path.display(), skipped.cause);
        writer.log(&message)?;
        progress.warning(&message)?;
    }
    let path = &recovered.path;
    let state = recovered.checkpoint.section(STATE).ok_or_else(|| {
        let message =
            format!("{} holds no state of a simulation; remove it and resume again", path.display());
        Failure::new(INPUT, message)
    })?;
    simulation.restore(state).map_err(|error| Failure::new(INPUT, format!("{}: {error}", path.display())))?;
    Ok(Some(recovered.checkpoint.meta.frame))
}
