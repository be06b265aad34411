//! `pliant export`: frames of a run as files other programs read.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pliant_export::{Exporter, Format, UpAxis};
use pliant_store::RunFolder;
use serde_json::json;

use crate::args::Talk;
use crate::exit::Failure;
use crate::frames::FrameRange;
use crate::job::up_axis;
use crate::loading::LoadedScene;
use crate::progress::Desk;

/// Write the frames of a run for ParaView, Houdini, Blender, NumPy or spreadsheets.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  pliant export runs/quickstart --format vtp,ply --frames 10-20 --up-axis z"
)]
pub struct Options {
    /// Folder of the run.
    folder: PathBuf,
    /// Formats, separated by commas: vtp, ply, geo, bgeo, csv, npz.
    #[arg(long, short, required = true, value_delimiter = ',', value_name = "FORMAT")]
    format: Vec<Format>,
    /// Frame N, or frames A to B; all if left out.
    #[arg(long, value_name = "N|A-B", value_parser = FrameRange::parse)]
    frames: Option<FrameRange>,
    /// The axis that points up in the files; the scene's if left out.
    #[arg(long, value_name = "AXIS")]
    up_axis: Option<Axis>,
    /// Folder for the files, one folder a format; the folder of the run if left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    talk: Talk,
}

/// An axis that may point up.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Axis {
    /// As simulated: Houdini, Maya.
    Y,
    /// Blender, robotics.
    Z,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let mut desk = Desk::open(&options.talk)?;
    let outcome = export(options, &mut desk);
    desk.close(outcome)
}

fn export(options: &Options, desk: &mut Desk) -> Result<(), Failure> {
    let Desk { progress, signals } = desk;
    let run = RunFolder::open(&options.folder)?;
    let frames = options.frames.unwrap_or(FrameRange::ALL).of(&run)?;
    let mut exporters = exporters(options, &run)?;
    let count = u32::try_from(frames.len()).unwrap_or(u32::MAX);
    progress.begin("exporting", 0, count);
    for (done, frame) in (1_u32..).zip(&frames) {
        signals.check()?;
        let snapshot = run.read_frame(*frame)?;
        for exporter in &mut exporters {
            let file = exporter.write(&snapshot)?;
            progress.event("exported", json!({ "frame": frame, "file": file }))?;
        }
        progress.advance_to(done);
    }
    let folders: Vec<String> =
        exporters.iter().map(|exporter| exporter.folder().display().to_string()).collect();
    progress.event("finished", json!({ "frames": count, "folders": folders }))?;
    progress.result(&format!("{count} frames in {}", folders.join(", ")))
}

fn exporters(options: &Options, run: &RunFolder) -> Result<Vec<Exporter>, Failure> {
    let loaded = LoadedScene::of_run(run)?;
    let parent = options.out.as_deref().unwrap_or(run.path());
    let settings = pliant_export::Options {
        up_axis: match options.up_axis {
            Some(Axis::Y) => UpAxis::Y,
            Some(Axis::Z) => UpAxis::Z,
            None => up_axis(&loaded.scene),
        },
        frames_per_second: loaded.scene.time.fps,
        ..pliant_export::Options::default()
    };
    let mut exporters = Vec::new();
    for format in &options.format {
        let mut exporter = Exporter::new(*format, parent, settings.clone())?;
        run.frames().for_each(|entry| exporter.keep(entry.frame, entry.time));
        exporters.push(exporter);
    }
    Ok(exporters)
}
