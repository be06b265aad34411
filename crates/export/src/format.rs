//! The formats there are.

use crate::{ExportError, csv, houdini, npz, ply, vtp};
use pliant_world::snapshot::Snapshot;
use std::fmt;
use std::str::FromStr;

/// A file format for particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// VTK PolyData with appended binary arrays, and a PVD collection with the times: ParaView.
    Vtp,
    /// Binary PLY: Blender, MeshLab, and nearly everything else.
    Ply,
    /// Houdini geometry as JSON text.
    Geo,
    /// Houdini geometry as binary JSON.
    Bgeo,
    /// Comma-separated values with a header line.
    Csv,
    /// NumPy arrays by name.
    Npz,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [Self::Vtp, Self::Ply, Self::Geo, Self::Bgeo, Self::Csv, Self::Npz];

    /// Name of the format, of its folder, and the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vtp => "vtp",
            Self::Ply => "ply",
            Self::Geo => "geo",
            Self::Bgeo => "bgeo",
            Self::Csv => "csv",
            Self::Npz => "npz",
        }
    }

    /// The names of all formats.
    pub fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::name).to_vec()
    }

    /// The file of a valid snapshot, in an empty buffer that may bring its memory along.
    pub(crate) fn encode(self, snapshot: &Snapshot, frames_per_second: f64, buffer: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Vtp => vtp::encode(snapshot, buffer),
            Self::Ply => ply::encode(snapshot, buffer),
            Self::Geo => houdini::encode_text(snapshot, frames_per_second, buffer),
            Self::Bgeo => houdini::encode_binary(snapshot, frames_per_second, buffer),
            Self::Csv => csv::encode(snapshot, buffer),
            Self::Npz => npz::encode(snapshot, buffer),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = ExportError;

    fn from_str(name: &str) -> Result<Self, ExportError> {
        let found = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| ExportError::UnknownFormat { name: name.to_owned() })
    }
}
