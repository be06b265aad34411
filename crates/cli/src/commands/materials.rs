//! `pliant materials`: the presets.

use clap::Args;
use pliant_material::{PRESETS, Preset};
use serde_json::{Value, json};

use crate::console;
use crate::exit::Failure;

/// List the material presets.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant materials --json")]
pub struct Options {
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    if options.json {
        return console::pretty_json(&PRESETS.iter().map(facts).collect());
    }
    let heading =
        format!("{:<16} {:>8} {:>9} {:>7} {:>9}  feels like", "name", "kg/m³", "Young", "Poisson", "yield");
    let rows: Vec<String> = PRESETS.iter().map(row).collect();
    console::line(&format!("{heading}\n{}", rows.join("\n")))
}

fn facts(preset: &Preset) -> Value {
    let plastic = preset.plastic.map(|(yield_stress, relaxation_time, hardening)| {
        json!({ "yield_stress": yield_stress, "relaxation_time": relaxation_time, "hardening": hardening })
    });
    json!({
        "name": preset.name, "summary": preset.summary, "source": preset.source, "density": preset.density,
        "young": preset.young, "poisson": preset.poisson, "plastic": plastic, "friction": preset.friction,
        "color": preset.color,
    })
}

fn row(preset: &Preset) -> String {
    let flow = preset.plastic.map_or("-".to_owned(), |(yield_stress, ..)| pressure(yield_stress));
    let Preset { name, density, poisson, summary, .. } = preset;
    format!("{name:<16} {density:>8} {:>9} {poisson:>7} {flow:>9}  {summary}", pressure(preset.young))
}

/// A pressure as scenes write it [Pa].
fn pressure(value: f64) -> String {
    match value {
        value if value >= 1e9 => format!("{} GPa", value / 1e9),
        value if value >= 1e6 => format!("{} MPa", value / 1e6),
        value if value >= 1e3 => format!("{} kPa", value / 1e3),
        value => format!("{value} Pa"),
    }
}
