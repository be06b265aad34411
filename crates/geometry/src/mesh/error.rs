//! What can be wrong with a file of geometry, and where.

use std::fmt;
use std::path::Path;

/// Larger files are refused: their meshes would not fit into memory beside a simulation.
const FILE_LIMIT: u64 = 1 << 30;

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of text, counted from one.
    Line(usize),
    /// A line and the column of a value in it, both counted from one.
    Cell(usize, usize),
    /// A byte of a binary file, counted from zero.
    Byte(usize),
    /// The file as a whole.
    File,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, ", line {line}"),
            Place::Cell(line, column) => write!(f, ", line {line}, column {column}"),
            Place::Byte(byte) => write!(f, ", byte {byte}"),
            Place::File => Ok(()),
        }
    }
}

/// A file of geometry that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {reason}; check the path and its permissions")]
    Unreadable {
        /// The file as given.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The file is larger than any mesh we can handle.
    #[error("{path} has {bytes} bytes, more than the {FILE_LIMIT} allowed; decimate the mesh")]
    TooLarge {
        /// The file as given.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// The ending is not one of a known format.
    #[error(
        "{path}: unknown kind of file \"{ending}\"; meshes are read from .obj, .ply, .stl, .gltf and .glb"
    )]
    UnknownFormat {
        /// The file as given.
        path: String,
        /// Its ending, in lower case.
        ending: String,
    },
    /// The ending is not one of a known format of points.
    #[error("{path}: unknown kind of file \"{ending}\"; points are read from .csv, .txt, .xyz and .ply")]
    UnknownPointFormat {
        /// The file as given.
        path: String,
        /// Its ending, in lower case.
        ending: String,
    },
    /// The contents are broken.
    #[error("{path}{place}: {problem}; {hint}")]
    Malformed {
        /// The file as given.
        path: String,
        /// Where it is broken.
        place: Place,
        /// What is wrong.
        problem: String,
        /// What to try.
        hint: &'static str,
    },
}

/// A fault found while reading, before the file's name is known.
#[derive(Debug)]
pub(crate) struct Fault {
    pub place: Place,
    pub problem: String,
    pub hint: &'static str,
}

impl Fault {
    pub fn new(place: Place, problem: impl Into<String>, hint: &'static str) -> Self {
        Self { place, problem: problem.into(), hint }
    }

    pub fn in_file(self, path: &str) -> MeshError {
        let Self { place, problem, hint } = self;
        MeshError::Malformed { path: path.to_owned(), place, problem, hint }
    }
}

/// The whole file, if it has a size we can handle.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, MeshError> {
    let name = path.display().to_string();
    let unreadable =
        |error: std::io::Error| MeshError::Unreadable { path: name.clone(), reason: error.to_string() };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(MeshError::Unreadable { path: name, reason: "it is not a file".into() });
    }
    if metadata.len() > FILE_LIMIT {
        return Err(MeshError::TooLarge { path: name, bytes: metadata.len() });
    }
    std::fs::read(path).map_err(unreadable)
}
