//! A run from where it stands to its end: simulated, exported, drawn, and told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pliant_export::{Exporter, Format, UpAxis};
use pliant_render::Quality;
use pliant_scene::{OutputFormat, Scene};
use pliant_solver::AnySimulation;
use pliant_store::{RunFolder, RunWriter};
use serde_json::json;

use crate::exit::{Failure, INPUT};
use crate::frames::FrameRange;
use crate::loading::LoadedScene;
use crate::pictures::{self, PictureOptions};
use crate::progress::{Desk, Progress};
use crate::session::{Ending, Plan, Session, add};
use crate::signals;
use crate::skins::SkinWriter;

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
        desk: &mut Desk,
    ) -> Result<(), Failure> {
        let (frame, frames) = (simulation.clock().frame(), simulation.frames());
        desk.progress.begin("simulating", frame, frames.min(self.plan.frames.last));
        let scene = &self.loaded.scene;
        let grid_exporters =
            if scene.output.grid { exporters(scene, writer.run(), "grid")? } else { Vec::new() };
        let exporters = exporters(scene, writer.run(), "particles")?;
        let skins = SkinWriter::of_scene(scene, writer.run().path())?;
        let folders = exporters.iter().map(|exporter| exporter.folder().to_owned());
        let formats = folders.chain(skins.iter().map(|skins| skins.folder().to_owned())).collect();
        let (plan, timings) = (self.plan, BTreeMap::new());
        #[rustfmt::skip]
        let mut session = Session {
            writer, simulation, exporters, grid_exporters, skins, plan, desk, timings, last_frame,
        };
        let ending = session.advance()?;
        let writer = session.writer;
        self.conclude(writer, ending, formats, desk)
    }

    /// Pictures and the last words.
    pub fn conclude(
        &self,
        mut writer: RunWriter,
        ending: Ending,
        mut files: Vec<PathBuf>,
        desk: &mut Desk,
    ) -> Result<(), Failure> {
        let folder = writer.run().path().to_owned();
        if let Ending::Signal(signal) = ending {
            let name = signals::name(signal);
            desk.progress.event("stopped", json!({ "folder": folder, "reason": name }))?;
            let text = format!("stopped by {name}; `pliant resume {}` goes on", folder.display());
            desk.progress.result(&text)?;
            return Err(Failure::signal(signal));
        }
        if self.draws && self.loaded.scene.render.enabled {
            let start = Instant::now();
            let made = self.draw(&writer, desk)?;
            files.splice(0..0, made);
            let seconds = start.elapsed().as_secs_f64();
            writer.update_manifest(|manifest| add(&mut manifest.timings, "draw", seconds))?;
        }
        tell_end(&desk.progress, writer.run(), ending, &files)
    }

    fn draw(&self, writer: &RunWriter, desk: &mut Desk) -> Result<Vec<PathBuf>, Failure> {
        let scene = &self.loaded.scene;
        let options = PictureOptions {
            render: scene.render.clone(),
            quality: Quality::default(),
            frames: self.plan.frames,
            out: writer.run().path().to_owned(),
        };
        pictures::make(writer.run(), scene, &options, desk)
    }
}

fn tell_end(progress: &Progress, run: &RunFolder, ending: Ending, files: &[PathBuf]) -> Result<(), Failure> {
    let folder = run.path();
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
fn exporters(scene: &Scene, run: &RunFolder, name: &str) -> Result<Vec<Exporter>, Failure> {
    let options = pliant_export::Options {
        name: name.to_owned(),
        up_axis: up_axis(scene),
        frames_per_second: scene.time.fps,
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
