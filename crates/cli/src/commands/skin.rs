//! `pliant skin`: fine meshes that follow the particles of a run.

use std::path::{Path, PathBuf};

use clap::Args;
use pliant_geometry::mesh;
use pliant_render::Skins;
use pliant_scene::Scene;
use pliant_store::RunFolder;
use serde_json::json;

use crate::args::Talk;
use crate::exit::{Failure, INPUT};
use crate::frames::FrameRange;
use crate::loading::LoadedScene;
use crate::progress::Desk;
use crate::skins::{MeshFormat, SkinWriter};

/// Let fine meshes follow the bodies of a run, one file a frame, with velocities.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant skin runs/drop --mesh bunny.obj --format ply")]
pub struct Options {
    /// Folder of the run.
    folder: PathBuf,
    /// Mesh in its place at the start of the run; the skins of the scene if left out.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Object that wears the mesh; may be left out if there is only one.
    #[arg(long, value_name = "NAME", requires = "mesh")]
    object: Option<String>,
    /// File format of the meshes.
    #[arg(long, short, value_enum, default_value_t = MeshFormat::Ply)]
    format: MeshFormat,
    /// Frame N, or frames A to B; all if left out.
    #[arg(long, value_name = "N|A-B", value_parser = FrameRange::parse)]
    frames: Option<FrameRange>,
    /// Folder for the meshes; `skin` in the folder of the run if left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    talk: Talk,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let mut desk = Desk::open(&options.talk)?;
    let outcome = dress(options, &mut desk);
    desk.close(outcome)
}

fn dress(options: &Options, desk: &mut Desk) -> Result<(), Failure> {
    let Desk { progress, signals } = desk;
    let run = RunFolder::open(&options.folder)?;
    let scene = LoadedScene::of_run(&run)?.scene;
    let skins = match &options.mesh {
        Some(file) => given(&scene, options.object.as_deref(), file)?,
        None => Skins::new(scene.skins()?),
    };
    if skins.is_empty() {
        let message = "no object of this run wears a skin; name a mesh with --mesh, or give an object of the scene a \
                       `skin`";
        return Err(Failure::new(INPUT, message));
    }
    let frames = options.frames.unwrap_or(FrameRange::ALL).of(&run)?;
    let folder = options.out.clone().unwrap_or_else(|| run.path().join("skin"));
    let mut writer = SkinWriter::new(skins, vec![options.format], folder.clone())?;
    let count = u32::try_from(frames.len()).unwrap_or(u32::MAX);
    progress.begin("skins", 0, count);
    for (done, frame) in (1_u32..).zip(&frames) {
        signals.check()?;
        let vertices = writer.write(&run.read_frame(*frame)?)?;
        progress.advance_to(done);
        progress.event("skin", json!({ "frame": frame, "vertices": vertices }))?;
    }
    progress.event("finished", json!({ "frames": count, "folder": folder }))?;
    progress.result(&format!("{count} meshes in {}", folder.display()))
}

/// The mesh of a file, worn by the bodies of one object.
fn given(scene: &Scene, object: Option<&str>, file: &Path) -> Result<Skins, Failure> {
    let names: Vec<&str> = scene.objects.iter().map(|object| object.name.as_str()).collect();
    let name = match (object, names.as_slice()) {
        (Some(name), _) if names.contains(&name) => name,
        (None, [only]) => *only,
        (Some(name), _) => {
            let message = format!("the run has no object `{name}`; it has {}", names.join(", "));
            return Err(Failure::new(INPUT, message));
        }
        (None, _) => {
            let message =
                format!("say which object wears the mesh: --object with one of {}", names.join(", "));
            return Err(Failure::new(INPUT, message));
        }
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let mesh = mesh::load_surface(file, folder).map_err(|error| Failure::new(INPUT, error.to_string()))?;
    Ok(Skins::new(scene.skins_of(name, &mesh)?))
}
