//! `pliant materials`: the presets.

use clap::Args;
use pliant_material::{Law, PRESETS, Preset};
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
    let heading = format!(
        "{:<14} {:>6} {:>9} {:>7} {:<16} {:<6} feels like",
        "name", "kg/m³", "Young", "Poisson", "flow", "method"
    );
    let rows: Vec<String> = PRESETS.iter().map(row).collect();
    console::line(&format!("{heading}\n{}", rows.join("\n")))
}

fn facts(preset: &Preset) -> Value {
    let material = preset.material();
    let is_fluid = matches!(preset.law, Some(Law::Fluid(_)));
    json!({
        "name": preset.name, "summary": preset.summary, "source": preset.source, "density": preset.density,
        "young": (!is_fluid).then_some(preset.young), "poisson": (!is_fluid).then_some(preset.poisson),
        "law": preset.law, "plastic": preset.plastic, "friction": preset.friction, "color": preset.color,
        "mpm_only": material.needs_mpm().is_some(),
    })
}

fn row(preset: &Preset) -> String {
    let Preset { name, density, young, poisson, summary, .. } = preset;
    let (young, poisson) = match preset.law {
        Some(Law::Fluid(_)) => ("-".to_owned(), "-".to_owned()),
        _ => (pressure(*young), poisson.to_string()),
    };
    let flow = preset.plastic.map_or("-", |plastic| plastic.name());
    let method = if preset.material().needs_mpm().is_some() { "mpm" } else { "any" };
    format!("{name:<14} {density:>6} {young:>9} {poisson:>7} {flow:<16} {method:<6} {summary}")
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
