//! `pliant studio`: the window, which is a program of its own so that this one needs neither display nor GPU.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::exit::{Failure, INPUT};

/// Name of the program with the window.
const PROGRAM: &str = "pliant-studio";

/// Open the studio: build, watch, probe and record simulations in a window.
#[derive(Debug, Default, Args)]
#[command(after_help = "Example:\n  pliant studio scenes/quickstart.toml")]
pub struct Options {
    /// Scene, folder of a run, or folder of .geo files.
    path: Option<PathBuf>,
    /// Options of the studio, such as --script FILE; see `pliant-studio --help`.
    #[arg(last = true, value_name = "OPTIONS")]
    rest: Vec<OsString>,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let mut arguments: Vec<OsString> = options.path.iter().map(|path| path.as_os_str().to_owned()).collect();
    arguments.extend(options.rest.iter().cloned());
    start(&arguments)
}

/// Runs the program of the studio and waits for it.
pub fn start(arguments: &[OsString]) -> Result<(), Failure> {
    let beside = std::env::current_exe().ok().and_then(|exe| beside(&exe));
    let program = beside.unwrap_or_else(|| PathBuf::from(PROGRAM));
    let status = Command::new(&program).args(arguments).status().map_err(|_| {
        Failure::new(
            INPUT,
            format!(
                "the studio is a program of its own, {PROGRAM}, and was found neither beside this one nor on PATH; \
                 build it with `cargo build --release -p {PROGRAM}`"
            ),
        )
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(INPUT, format!("the studio ended with {status}")))
}

/// Whether a window can be opened: there is a desktop, and the studio was built beside this program.
pub fn is_at_hand() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_desktop =
        cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    has_desktop && std::env::current_exe().ok().and_then(|exe| beside(&exe)).is_some()
}

/// The program in the folder of this one.
fn beside(exe: &Path) -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    Some(exe.parent()?.join(name)).filter(|path| path.exists())
}
