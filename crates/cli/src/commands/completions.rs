//! `pliant completions`: what shells need to complete commands.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::args::Cli;
use crate::console;
use crate::exit::Failure;

/// Print the completions for a shell.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  pliant completions bash > ~/.local/share/bash-completion/completions/pliant"
)]
pub struct Options {
    /// Shell.
    shell: Shell,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let mut text = Vec::new();
    generate(options.shell, &mut Cli::command(), "pliant", &mut text);
    console::line(String::from_utf8_lossy(&text).trim_end())
}
