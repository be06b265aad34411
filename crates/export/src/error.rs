//! Why an export failed.

use crate::Format;
use std::io;
use std::path::PathBuf;

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The operating system refused a file operation.
    #[error("cannot {action} {}: {source}; check the disk and the permissions, then export again", path.display())]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A format nobody writes.
    #[error("unknown format `{name}`; choose one of {}", Format::names().join(", "))]
    UnknownFormat {
        /// The name as given.
        name: String,
    },
    /// A sequence name that is not a plain file name.
    #[error("`{name}` cannot name a sequence of files; use letters, digits, `-` and `_`")]
    UnsuitableName {
        /// The name as given.
        name: String,
    },
    /// A snapshot that no format can hold.
    #[error("frame {frame} cannot be exported: column `{column}` {cause}")]
    InvalidSnapshot {
        /// The frame.
        frame: u32,
        /// The column at fault.
        column: String,
        /// What is wrong with it.
        cause: &'static str,
    },
}

impl ExportError {
    /// The exit code a program should end with: 2 for bad input, 4 for the file system.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Io { .. } => 4,
            _ => 2,
        }
    }
}
