//! What can go wrong with a run folder; each message says which file, why, and what to try.

use std::io;
use std::path::{Path, PathBuf};

/// Why a run folder could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused a file operation.
    #[error("cannot {action} {}: {source}; {}", path.display(), advice(source))]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file's content is not what was written.
    #[error("{} is damaged: {cause}; resume the run to compute it again, or restore it from a copy", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which check failed.
        cause: String,
    },
    /// A file comes from a later version of the program.
    #[error(
        "{} is of format {found}, written by version {program}; this version reads up to format {supported}: \
         use the newer program",
        path.display()
    )]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Format number in the file.
        found: u32,
        /// Newest format number this program knows.
        supported: u32,
        /// Version of the program that wrote it.
        program: String,
    },
    /// A frame where a checkpoint was expected, or the other way round.
    #[error("{} is a {found}, not a {expected}: it was renamed or copied to the wrong place", path.display())]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A file that belongs to a run of another scene.
    #[error("{} belongs to another scene: it was copied from another run, or the scene of this run was edited; \
             start a new run for a changed scene", path.display())]
    OtherScene {
        /// The file.
        path: PathBuf,
    },
    /// The folder holds no run.
    #[error("{} is not a run folder: it has no manifest.json; name the folder that `pliant run` made", path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// A folder with foreign content, which a new run must not mix with.
    #[error("{} is not empty and not a run (it holds `{entry}`); name a new folder", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
        /// One of the entries found.
        entry: String,
    },
    /// A run whose frames would be overwritten.
    #[error("{} already holds a {status} run of {frames} frames; resume it, name another folder, or ask to \
             overwrite it", path.display())]
    RunExists {
        /// The folder.
        path: PathBuf,
        /// Frames committed there.
        frames: usize,
        /// How that run ended, in one word.
        status: &'static str,
    },
    /// Another live process writes to the folder.
    #[error("{} is being written by process {process}; wait for it to end or name another folder", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
        /// Number of that process, or "another" where it is unknown.
        process: String,
    },
    /// A frame that the journal does not list.
    #[error("{} has no frame {frame}; {available}", path.display())]
    NoSuchFrame {
        /// The run folder.
        path: PathBuf,
        /// The frame asked for.
        frame: u32,
        /// Which frames there are.
        available: String,
    },
    /// No checkpoint can be trusted.
    #[error("{} has no usable checkpoint{skipped}; run the scene again", path.display())]
    NoCheckpoint {
        /// The run folder.
        path: PathBuf,
        /// The checkpoints that were tried and why each was refused; empty where there is none.
        skipped: String,
    },
    /// A snapshot that must not reach the disk.
    #[error(
        "frame {frame} was not written: {cause}; see the log for the last good frame, and try a smaller time step"
    )]
    InvalidSnapshot {
        /// The frame.
        frame: u32,
        /// Which value is wrong.
        cause: String,
    },
    /// A file of the scene that cannot be kept inside the run folder.
    #[error("the scene's file `{path}` cannot be copied into the run folder: {cause}")]
    UnsuitablePath {
        /// The path as the scene names it.
        path: String,
        /// Why not.
        cause: &'static str,
    },
}

impl StoreError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_path_buf(), source }
    }

    pub(crate) fn damaged(path: &Path, cause: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_path_buf(), cause: cause.into() }
    }

    /// The exit code a program should end with: 2 for bad input or damaged files, 3 for bad numbers,
    /// 4 for the file system.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Io { .. } | Self::Locked { .. } => 4,
            Self::InvalidSnapshot { .. } => 3,
            _ => 2,
        }
    }
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: free some space, then resume the run"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "check the permissions or choose a folder you may write to"
        }
        io::ErrorKind::NotFound => "check that the folder still exists",
        _ => "check the disk, then resume the run",
    }
}
