//! `pliant run`: from a scene file to frames, pictures, a movie and plots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use pliant_export::{Exporter, Format, UpAxis};
use pliant_render::Quality;
use pliant_scene::{Forecast, OutputFormat, Scene};
use pliant_solver::AnySimulation;
use pliant_store::{Existing, Manifest, RunFolder, RunWriter};
use serde_json::json;

use super::check;
use crate::args::{SceneArgs, Talk};
use crate::exit::{Failure, INPUT};
use crate::frames::FrameRange;
use crate::loading::{LoadedScene, run_folder};
use crate::pictures::{self, PictureOptions};
use crate::progress::{Progress, Voice};
use crate::session::{Ending, Plan, Session};
use crate::signals::Signals;

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
    let signals = Signals::listen()?;
    let mut progress = Progress::new(Voice::choose(&options.talk));
    let outcome = start(options, &signals, &mut progress);
    report_failure(&progress, outcome)
}

/// Programs that read events learn of a failure there too.
pub fn report_failure(progress: &Progress, outcome: Result<(), Failure>) -> Result<(), Failure> {
    if let Err(failure) = &outcome {
        progress.event("failed", json!({ "exit_code": failure.code, "message": failure.message }))?;
    }
    outcome
}

fn start(options: &Options, signals: &Signals, progress: &mut Progress) -> Result<(), Failure> {
    let SceneArgs { scene, set, seed } = &options.scene;
    let loaded = LoadedScene::read(scene, set, *seed)?;
    let folder = run_folder(options.out.as_deref(), scene, &loaded.scene);
    let threads = use_threads(options.threads)?;
    let forecast = loaded.scene.check(threads)?;
    if options.dry_run {
        return tell_plan(progress, &folder, &forecast);
    }
    let files = loaded.files()?;
    let simulation = loaded.scene.simulation()?;
    let manifest = Manifest::new(loaded.scene.title.clone(), loaded.scene.seed, threads);
    let existing = if options.overwrite { Existing::Replace } else { Existing::Keep };
    let writer = RunFolder::create(&folder, &files, manifest, existing)?;
    announce(progress, &writer, &*simulation, &forecast.warnings)?;
    let job = Job { loaded: &loaded, plan: plan(options, &loaded.scene)?, draws: !options.no_render };
    job.finish(writer, simulation, None, progress, signals)
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
        .map_err(|error| Failure::new(INPUT, format!("cannot use {count} threads: {error}")))?;
    Ok(rayon::current_num_threads())
}

fn plan(options: &Options, scene: &Scene) -> Result<Plan, Failure> {
    let stop_at = options.stop_at.unwrap_or(f64::INFINITY);
    if stop_at.is_nan() || stop_at < 0.0 {
        return Err(Failure::new(INPUT, format!("--stop-at must be a time in seconds, got {stop_at}")));
    }
    Ok(Plan { frames: options.frames.unwrap_or(FrameRange::ALL), stop_at, ..full_plan(scene) })
}

/// All of a scene.
pub fn full_plan(scene: &Scene) -> Plan {
    let seconds = scene.output.checkpoint_interval.clamp(0.0, 1e9);
    Plan {
        frames: FrameRange::ALL,
        stop_at: f64::INFINITY,
        checkpoint_interval: Duration::from_secs_f64(seconds),
    }
}

/// Tells and logs what begins.
pub fn announce(
    progress: &Progress,
    writer: &RunWriter,
    simulation: &dyn AnySimulation,
    warnings: &[String],
) -> Result<(), Failure> {
    let (particles, frames) = (simulation.particle_count(), simulation.frames());
    let manifest = writer.run().manifest();
    let folder = writer.run().path();
    writer.log(&format!(
        "pliant {} at frame {} of {frames}: {particles} particles, {} threads, seed {}",
        manifest.program_version,
        simulation.clock().frame(),
        manifest.threads,
        manifest.seed
    ))?;
    progress.event(
        "started",
        json!({
            "folder": folder, "title": manifest.scene_title, "particles": particles, "frames": frames,
            "threads": manifest.threads, "seed": manifest.seed, "frame": simulation.clock().frame(),
        }),
    )?;
    progress.note(&format!("{particles} particles, {frames} frames, {} threads", manifest.threads))?;
    for warning in warnings {
        writer.log(&format!("warning: {warning}"))?;
        progress.warning(warning)?;
    }
    Ok(())
}

/// A run from where it stands to its end.
pub struct Job<'a> {
    /// The scene.
    pub loaded: &'a LoadedScene,
    /// When to stop.
    pub plan: Plan,
    /// Whether pictures are made at the end.
    pub draws: bool,
}

impl Job<'_> {
    /// Simulates, draws and says where everything is. `last_frame` is the last one committed before.
    pub fn finish(
        &self,
        writer: RunWriter,
        simulation: Box<dyn AnySimulation>,
        last_frame: Option<u32>,
        progress: &mut Progress,
        signals: &Signals,
    ) -> Result<(), Failure> {
        let (frame, frames) = (simulation.clock().frame(), simulation.frames());
        progress.begin("simulating", frame, frames.min(self.plan.frames.last));
        let exporters = exporters(&self.loaded.scene, writer.run())?;
        let formats = exporters.iter().map(|exporter| exporter.folder().to_owned()).collect();
        let (plan, timings) = (self.plan, BTreeMap::new());
        let mut session =
            Session { writer, simulation, exporters, plan, progress, signals, timings, last_frame };
        let ending = session.advance()?;
        let writer = session.writer;
        self.conclude(writer, ending, formats, progress, signals)
    }

    /// Pictures and the last words.
    pub fn conclude(
        &self,
        mut writer: RunWriter,
        ending: Ending,
        mut files: Vec<PathBuf>,
        progress: &mut Progress,
        signals: &Signals,
    ) -> Result<(), Failure> {
        let folder = writer.run().path().to_owned();
        if let Ending::Signal(signal) = ending {
            progress.result(&format!("stopped; `pliant resume {}` goes on", folder.display()))?;
            return Err(Failure::signal(signal));
        }
        if self.draws && self.loaded.scene.render.enabled {
            let start = Instant::now();
            let made = self.draw(&writer, progress, signals)?;
            files.splice(0..0, made);
            let seconds = start.elapsed().as_secs_f64();
            writer.update_manifest(|manifest| crate::session::add(&mut manifest.timings, "draw", seconds))?;
        }
        tell_end(progress, writer.run(), ending, &folder, &files)
    }

    fn draw(
        &self,
        writer: &RunWriter,
        progress: &mut Progress,
        signals: &Signals,
    ) -> Result<Vec<PathBuf>, Failure> {
        let scene = &self.loaded.scene;
        let options = PictureOptions {
            render: scene.render.clone(),
            quality: Quality::default(),
            frames: self.plan.frames,
            out: writer.run().path().to_owned(),
        };
        Ok(pictures::make(writer.run(), scene, &options, progress, signals)?.files)
    }
}

fn tell_end(
    progress: &Progress,
    run: &RunFolder,
    ending: Ending,
    folder: &Path,
    files: &[PathBuf],
) -> Result<(), Failure> {
    let hash = run.frames().last().map(|entry| entry.state_hash.clone());
    let word = run.manifest().status.word();
    let frames = run.frames().len();
    progress.event(
        "finished",
        json!({ "status": word, "folder": folder, "files": files, "frames": frames, "state_hash": hash }),
    )?;
    let names: Vec<String> =
        files.iter().map(|file| file.strip_prefix(folder).unwrap_or(file).display().to_string()).collect();
    let list = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
    let more = match ending {
        Ending::Enough => format!("; `pliant resume {}` goes on", folder.display()),
        _ => String::new(),
    };
    progress.result(&format!("{word}, {frames} frames in {}{list}{more}", folder.display()))
}

/// One exporter for each format the scene asks for, aware of what earlier exports left.
fn exporters(scene: &Scene, run: &RunFolder) -> Result<Vec<Exporter>, Failure> {
    let options = pliant_export::Options {
        up_axis: up_axis(scene),
        frames_per_second: scene.time.fps,
        ..pliant_export::Options::default()
    };
    let mut exporters = Vec::new();
    for format in &scene.output.formats {
        let mut exporter = Exporter::new(export_format(*format)?, run.path(), options.clone())?;
        run.frames().for_each(|entry| exporter.keep(entry.frame, entry.time));
        exporters.push(exporter);
    }
    Ok(exporters)
}

/// The axis a scene calls up.
pub fn up_axis(scene: &Scene) -> UpAxis {
    match scene.up_axis {
        pliant_scene::UpAxis::Y => UpAxis::Y,
        pliant_scene::UpAxis::Z => UpAxis::Z,
    }
}

fn export_format(format: OutputFormat) -> Result<Format, Failure> {
    Ok(match format {
        OutputFormat::Vtp => Format::Vtp,
        OutputFormat::Ply => Format::Ply,
        OutputFormat::Geo => Format::Geo,
        OutputFormat::Bgeo => Format::Bgeo,
        OutputFormat::Csv => Format::Csv,
        OutputFormat::Npz => Format::Npz,
        other => return Err(Failure::new(INPUT, format!("this program cannot write {other:?}"))),
    })
}
