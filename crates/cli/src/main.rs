//! The `pliant` program: from a scene file to a movie. It parses, calls the libraries and shows what they say.

mod args;
mod assets;
mod commands;
mod console;
mod exit;
mod frames;
mod job;
mod limits;
mod loading;
mod pictures;
mod processor;
mod progress;
mod session;
mod signals;
mod skins;

use std::process::ExitCode;

fn main() -> ExitCode {
    console::speak_plainly_of_defects();
    let outcome = args::parse().and_then(commands::execute);
    exit::code_of(outcome)
}
