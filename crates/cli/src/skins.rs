//! Skins of a run as files.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use pliant_render::Skins;
use pliant_scene::{Scene, SkinFormat};
use pliant_world::Snapshot;

use crate::exit::Failure;
use crate::pictures::create;

/// File format of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MeshFormat {
    /// Binary PLY with all fields, velocities among them.
    Ply,
    /// Wavefront OBJ: geometry only.
    Obj,
    /// VTK polygons with all fields, for ParaView.
    Vtp,
}

impl MeshFormat {
    /// Its extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Ply => "ply",
            Self::Obj => "obj",
            Self::Vtp => "vtp",
        }
    }

    /// Writes a mesh of a moment [s].
    pub fn save(self, mesh: &pliant_render::SurfaceMesh, path: &Path, time: f64) -> Result<(), Failure> {
        match self {
            Self::Ply => mesh.save_ply(path)?,
            Self::Obj => mesh.save_obj(path)?,
            Self::Vtp => mesh.save_vtp(path, time)?,
        }
        Ok(())
    }
}

impl From<SkinFormat> for MeshFormat {
    fn from(format: SkinFormat) -> Self {
        match format {
            SkinFormat::Ply => Self::Ply,
            SkinFormat::Obj => Self::Obj,
            SkinFormat::Vtp => Self::Vtp,
        }
    }
}

/// Writes the skins of snapshots, one file a frame and format.
pub struct SkinWriter {
    skins: Skins,
    formats: Vec<MeshFormat>,
    folder: PathBuf,
}

impl SkinWriter {
    /// A writer into a folder, which is made.
    pub fn new(skins: Skins, formats: Vec<MeshFormat>, folder: PathBuf) -> Result<Self, Failure> {
        create(&folder)?;
        Ok(Self { skins, formats, folder })
    }

    /// What a scene wants written while it runs, if it wants something.
    pub fn of_scene(scene: &Scene, run: &Path) -> Result<Option<Self>, Failure> {
        let skins = Skins::new(scene.skins()?);
        if scene.output.skins.is_empty() || skins.is_empty() {
            return Ok(None);
        }
        let formats = scene.output.skins.iter().map(|format| MeshFormat::from(*format)).collect();
        Self::new(skins, formats, run.join("skin")).map(Some)
    }

    /// Where the files go.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the files of a snapshot; returns how many vertices they have.
    pub fn write(&mut self, snapshot: &Snapshot) -> Result<usize, Failure> {
        let mesh = self.skins.follow(snapshot)?;
        for format in &self.formats {
            let name = format!("skin.{:04}.{}", snapshot.frame, format.extension());
            format.save(&mesh, &self.folder.join(name), snapshot.time)?;
        }
        Ok(mesh.positions.len())
    }
}
