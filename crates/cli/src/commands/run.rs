//! `pliant run`: from a scene file to frames, pictures, a movie and plots.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant_scene::{Forecast, Scene};
use pliant_store::{Existing, Manifest, RunFolder};
use serde_json::json;

use super::check;
use crate::args::{SceneArgs, Talk};
use crate::exit::{Failure, INPUT, LIMIT};
use crate::frames::FrameRange;
use crate::job::{Job, announce, full_plan};
use crate::loading::{LoadedScene, run_folder};
use crate::progress::{Desk, Progress};
use crate::session::Plan;

/// Simulate a scene and leave frames, pictures, a movie and plots in a folder.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  pliant run scenes/quickstart.toml --out runs/drop --set time.duration=1s"
)]
pub struct Options {
    #[command(flatten)]
    scene: SceneArgs,
    /// Folder of the run; runs/NAME after the scene file if left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of threads; all cores if left out. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Stop after frame N; with A-B, export and draw only frames A to B. `resume` goes on from there.
    #[arg(long, value_name = "N|A-B", value_parser = FrameRange::parse_until)]
    frames: Option<FrameRange>,
    /// Stop when the simulated time reaches this many seconds. `resume` goes on from there.
    #[arg(long, value_name = "SECONDS")]
    stop_at: Option<f64>,
    #[command(flatten)]
    talk: Talk,
    /// Say what would be done and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Replace a run that is already in the folder.
    #[arg(long)]
    overwrite: bool,
    /// Make no pictures, movie and plots; `pliant render` makes them later.
    #[arg(long)]
    no_render: bool,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let mut desk = Desk::open(&options.talk)?;
    // Before anything is read: meshes are prepared on all threads, and their number is settled with their first use.
    let outcome = use_threads(options.threads).and_then(|threads| start(options, threads, &mut desk));
    desk.close(outcome)
}

impl Options {
    /// All of a scene with changes, in a folder of its own that may be there already.
    pub fn whole(scene: PathBuf, set: Vec<String>, out: PathBuf, talk: Talk) -> Self {
        Self {
            scene: SceneArgs { scene, set, seed: None },
            out: Some(out),
            threads: None,
            frames: None,
            stop_at: None,
            talk,
            dry_run: false,
            overwrite: true,
            no_render: true,
        }
    }
}

/// Simulates a scene on that many threads.
pub fn start(options: &Options, threads: usize, desk: &mut Desk) -> Result<(), Failure> {
    let SceneArgs { scene, set, seed } = &options.scene;
    let loaded = LoadedScene::read(scene, set, *seed)?;
    let folder = run_folder(options.out.as_deref(), scene, &loaded.scene);
    desk.fill(&loaded.scene)?;
    let (simulation, forecast) = loaded.scene.prepare(threads)?;
    if options.dry_run {
        return tell_plan(&desk.progress, &folder, &forecast);
    }
    if forecast.particle_count == 0 {
        let message = format!("{} has nothing to simulate; add an object", scene.display());
        return Err(Failure::new(INPUT, message));
    }
    let files = loaded.files()?;
    let manifest = Manifest::new(loaded.scene.title.clone(), loaded.scene.seed, threads);
    let existing = if options.overwrite { Existing::Replace } else { Existing::Keep };
    let writer = RunFolder::create(&folder, &files, manifest, existing)?;
    announce(&desk.progress, &writer, &*simulation, &forecast.warnings)?;
    let job = Job { loaded: &loaded, plan: plan(options, &loaded.scene)?, draws: !options.no_render };
    job.finish(writer, simulation, None, desk)
}

fn tell_plan(progress: &Progress, folder: &Path, forecast: &Forecast) -> Result<(), Failure> {
    for warning in &forecast.warnings {
        progress.warning(warning)?;
    }
    progress.event("dry_run", json!({ "folder": folder, "forecast": check::facts(forecast) }))?;
    progress.result(&format!("would write to {}: {}", folder.display(), check::summary(forecast)))
}

/// Sets the number of threads, once, and says how many there are.
pub fn use_threads(asked: Option<u16>) -> Result<usize, Failure> {
    let count = asked.map_or(0, usize::from);
    rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build_global()
        .map_err(|error| Failure::new(LIMIT, cannot_use(asked, &error)))?;
    Ok(rayon::current_num_threads())
}

fn cannot_use(asked: Option<u16>, error: &rayon::ThreadPoolBuildError) -> String {
    let count = asked.map_or("a thread for each core".to_owned(), |count| format!("{count} threads"));
    format!("cannot use {count}: {error}; try --threads 1 or a higher limit of memory and processes")
}

fn plan(options: &Options, scene: &Scene) -> Result<Plan, Failure> {
    let stop_at = options.stop_at.unwrap_or(f64::INFINITY);
    if stop_at.is_nan() || stop_at < 0.0 {
        return Err(Failure::new(INPUT, format!("--stop-at must be a time in seconds, got {stop_at}")));
    }
    Ok(Plan { frames: options.frames.unwrap_or(FrameRange::ALL), stop_at, ..full_plan(scene) })
}
