//! `pliant schema`: the JSON Schema of scene files.

use clap::Args;

use crate::console;
use crate::exit::Failure;

/// Print the JSON Schema of scene files, for editors that complete and check them.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant schema > scene.schema.json")]
pub struct Options {}

/// Runs the command.
pub fn execute(_options: &Options) -> Result<(), Failure> {
    console::pretty_json(&pliant_scene::schema())
}
