//! `pliant man`: the manual.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_mangen::{Man, generate_to};

use crate::args::Cli;
use crate::console;
use crate::exit::Failure;
use crate::pictures::create;

/// Print the manual page, or write one page a command into a folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant man --out ~/.local/share/man/man1")]
pub struct Options {
    /// Folder for pliant.1, pliant-run.1 and so on.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let program = Cli::command();
    let Some(folder) = &options.out else {
        let mut text = Vec::new();
        Man::new(program).render(&mut text).expect("writing to memory cannot fail");
        return console::line(String::from_utf8_lossy(&text).trim_end());
    };
    create(folder)?;
    let program = program.disable_help_subcommand(true);
    generate_to(program, folder).map_err(|error| Failure::io("write to", folder, &error))?;
    console::line(&format!("manual pages in {}", folder.display()))
}
