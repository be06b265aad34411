//! `pliant surface`: a mesh around the particles of each frame.

use std::path::PathBuf;

use clap::Args;
use pliant_render::{SurfaceOptions, surface_of};
use pliant_store::RunFolder;
use serde_json::json;

use crate::args::Talk;
use crate::exit::Failure;
use crate::frames::FrameRange;
use crate::pictures::create;
use crate::progress::Desk;
use crate::skins::MeshFormat;

/// Reconstruct the surface of the particles of a run, one mesh a frame.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant surface runs/quickstart --format obj --frames 10-20")]
pub struct Options {
    /// Folder of the run.
    folder: PathBuf,
    /// File format of the meshes.
    #[arg(long, short, value_enum, default_value_t = MeshFormat::Ply)]
    format: MeshFormat,
    /// Frame N, or frames A to B; all if left out.
    #[arg(long, value_name = "N|A-B", value_parser = FrameRange::parse)]
    frames: Option<FrameRange>,
    /// Edge of the cells the surface is found in, in particle radii; smaller is finer and slower.
    #[arg(long, value_name = "RADII", default_value_t = SurfaceOptions::default().cell_size)]
    cell_size: f32,
    /// Rounds of smoothing.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(0..=1000))]
    smoothing: u16,
    /// Folder for the meshes; `surface` in the folder of the run if left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    talk: Talk,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let mut desk = Desk::open(&options.talk)?;
    let outcome = reconstruct(options, &mut desk);
    desk.close(outcome)
}

fn reconstruct(options: &Options, desk: &mut Desk) -> Result<(), Failure> {
    let Desk { progress, signals } = desk;
    let run = RunFolder::open(&options.folder)?;
    let frames = options.frames.unwrap_or(FrameRange::ALL).of(&run)?;
    let folder = options.out.clone().unwrap_or_else(|| run.path().join("surface"));
    create(&folder)?;
    let settings =
        SurfaceOptions { cell_size: options.cell_size, smoothing_rounds: usize::from(options.smoothing) };
    let count = u32::try_from(frames.len()).unwrap_or(u32::MAX);
    progress.begin("surfaces", 0, count);
    for (done, frame) in (1_u32..).zip(&frames) {
        signals.check()?;
        let snapshot = run.read_frame(*frame)?;
        let mesh = surface_of(&snapshot, &settings)?;
        let path = folder.join(format!("surface.{frame:04}.{}", options.format.extension()));
        options.format.save(&mesh, &path, snapshot.time)?;
        progress.advance_to(done);
        progress
            .event("surface", json!({ "frame": frame, "file": path, "triangles": mesh.triangles.len() }))?;
    }
    progress.event("finished", json!({ "frames": count, "folder": folder }))?;
    progress.result(&format!("{count} meshes in {}", folder.display()))
}
