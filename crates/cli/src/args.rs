//! The command line as typed.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::commands::{
    bench, check, completions, export, info, man, materials, new, render, repro, resume, run, sample, schema,
    skin, stable_dt, studio, surface, validate,
};
use crate::console;
use crate::exit::{Failure, INPUT};

/// Simulates deformable, elasto-plastic matter from one scene file.
#[derive(Debug, Parser)]
#[command(
    name = "pliant",
    version,
    arg_required_else_help = true,
    after_help = "Example:\n  pliant new drop && pliant run drop.toml\n\n\
                  Exit codes: 0 done, 2 bad input, 3 numerics, 4 files, 5 limit, 130/143 stopped by a signal."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Run(run::Options),
    Check(check::Options),
    Resume(resume::Options),
    Info(info::Options),
    Export(export::Options),
    Render(render::Options),
    Surface(surface::Options),
    Skin(skin::Options),
    Sample(sample::Options),
    Materials(materials::Options),
    Bench(bench::Options),
    StableDt(stable_dt::Options),
    Validate(validate::Options),
    Repro(repro::Options),
    New(new::Options),
    Studio(studio::Options),
    Schema(schema::Options),
    Completions(completions::Options),
    Man(man::Options),
}

/// A scene file and changes to it.
#[derive(Clone, Debug, Args)]
pub struct SceneArgs {
    /// Scene file (TOML).
    pub scene: PathBuf,
    /// Change a value of the scene, such as time.duration=1s or materials.jelly.young=200kPa; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Seed of everything random, in place of the scene's.
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
}

/// How much is said.
#[derive(Clone, Debug, Args)]
pub struct Talk {
    /// Say nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// Write JSON lines to stdout, one an event.
    #[arg(long)]
    pub json: bool,
}

/// Parses the command line. Help and version end the program; mistakes are failures.
pub fn parse() -> Result<Command, Failure> {
    if std::env::args_os().len() == 1 && studio::is_at_hand() {
        return Ok(Command::Studio(studio::Options::default()));
    }
    match Cli::try_parse() {
        Ok(cli) => Ok(cli.command),
        Err(error) if !error.use_stderr() => {
            let text = error.render();
            let shows_color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let text = if shows_color { text.ansi().to_string() } else { text.to_string() };
            console::line(text.trim_end())?;
            std::process::exit(0);
        }
        Err(error) => {
            let text = error.render().to_string();
            Err(Failure::new(INPUT, text.trim_start_matches("error: ").trim_end()))
        }
    }
}
