//! The commands, one a file.

pub mod bench;
pub mod check;
pub mod completions;
pub mod export;
pub mod info;
pub mod man;
pub mod materials;
pub mod new;
pub mod render;
pub mod repro;
pub mod resume;
pub mod run;
pub mod sample;
pub mod schema;
pub mod skin;
pub mod stable_dt;
pub mod studio;
pub mod surface;
pub mod validate;

use crate::args::Command;
use crate::exit::Failure;

/// Does what was asked.
pub fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(options) => run::execute(&options),
        Command::Check(options) => check::execute(&options),
        Command::Resume(options) => resume::execute(&options),
        Command::Info(options) => info::execute(&options),
        Command::Export(options) => export::execute(&options),
        Command::Render(options) => render::execute(&options),
        Command::Surface(options) => surface::execute(&options),
        Command::Skin(options) => skin::execute(&options),
        Command::Sample(options) => sample::execute(&options),
        Command::Materials(options) => materials::execute(&options),
        Command::Bench(options) => bench::execute(&options),
        Command::StableDt(options) => stable_dt::execute(&options),
        Command::Validate(options) => validate::execute(&options),
        Command::Repro(options) => repro::execute(&options),
        Command::New(options) => new::execute(&options),
        Command::Studio(options) => studio::execute(&options),
        Command::Schema(options) => schema::execute(&options),
        Command::Completions(options) => completions::execute(&options),
        Command::Man(options) => man::execute(&options),
    }
}
