//! How the program ends: one code and one message for everything that can go wrong.

use std::fmt::Display;
use std::process::ExitCode;

use pliant_export::ExportError;
use pliant_render::RenderError;
use pliant_scene::SceneError;
use pliant_solver::{RestoreError, SimulationError};
use pliant_store::StoreError;

use crate::console;

/// Bad input: scene, options, damaged files.
pub const INPUT: u8 = 2;
/// The simulation could not go on.
pub const NUMERICS: u8 = 3;
/// The file system refused.
pub const FILES: u8 = 4;
/// More than this machine can hold.
pub const LIMIT: u8 = 5;
/// Added to the number of the signal that ended the program.
pub const SIGNAL: u8 = 128;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub struct Failure {
    /// Exit code of the program.
    pub code: u8,
    /// What, where, and what to try; empty when all was said before.
    pub message: String,
}

impl Failure {
    /// A failure with that exit code.
    pub fn new(code: u8, message: impl Display) -> Self {
        Self { code, message: message.to_string() }
    }

    /// The end asked for by a signal, which needs no message of its own.
    pub fn signal(number: u8) -> Self {
        Self { code: SIGNAL.saturating_add(number), message: String::new() }
    }

    /// The file system refused to do something with a file.
    pub fn io(action: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        let message =
            format!("cannot {action} {}: {error}; check the path and the permissions", path.display());
        Self::new(FILES, message)
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::new(INPUT, error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error.exit_code(), error)
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        Self::new(error.exit_code(), error)
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Self {
        let code = if matches!(error, RenderError::Write { .. }) { FILES } else { INPUT };
        Self::new(code, error)
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        Self::new(NUMERICS, error)
    }
}

impl From<RestoreError> for Failure {
    fn from(error: RestoreError) -> Self {
        Self::new(INPUT, error)
    }
}

/// Says what went wrong, if anything did, and turns it into the exit code.
pub fn code_of(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                console::error(&failure.message);
            }
            ExitCode::from(failure.code)
        }
    }
}
