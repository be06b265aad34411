//! `pliant check`: whether a scene is right, what it will take, and what may go wrong.

use clap::Args;
use pliant_scene::Forecast;
use serde_json::{Map, Value, json};

use crate::args::SceneArgs;
use crate::console;
use crate::exit::Failure;
use crate::loading::LoadedScene;

/// Check a scene: everything wrong with it, and how many particles, how much memory and time it will take.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant check scenes/quickstart.toml")]
pub struct Options {
    #[command(flatten)]
    scene: SceneArgs,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let SceneArgs { scene: path, set, seed } = &options.scene;
    let loaded = LoadedScene::read(path, set, *seed)?;
    let forecast = loaded.scene.check(rayon::current_num_threads())?;
    if options.json {
        let mut facts = facts(&forecast);
        facts["scene"] = json!(path);
        facts["title"] = loaded.scene.title.into();
        facts["dimension"] = loaded.scene.dimension.into();
        return console::pretty_json(&facts);
    }
    forecast.warnings.iter().for_each(|warning| console::warning(warning));
    console::line(&format!("{} is right: {}", path.display(), summary(&forecast)))
}

/// A forecast for programs.
pub fn facts(forecast: &Forecast) -> Value {
    let bodies: Map<String, Value> =
        forecast.bodies.iter().map(|(name, count)| (name.clone(), (*count).into())).collect();
    json!({
        "particles": forecast.particle_count,
        "bodies": bodies,
        "frames": forecast.frame_count,
        "steps": forecast.step_count,
        "substeps": forecast.substeps,
        "step_limit": forecast.step_limit,
        "memory_bytes": forecast.memory_bytes,
        "wall_time": forecast.wall_time,
        "threads": forecast.threads,
        "warnings": forecast.warnings,
    })
}

/// Steps of a frame: those of the scene, or those that the method takes.
fn steps_per_frame(forecast: &Forecast) -> u64 {
    let steps = forecast.step_count / u64::from(forecast.frame_count.max(1));
    if forecast.step_limit.is_some() { (steps as f64 * forecast.substeps).ceil() as u64 } else { steps }
}

/// A forecast in one line.
pub fn summary(forecast: &Forecast) -> String {
    let substeps = match &forecast.step_limit {
        Some(limit) => format!(" ({limit})"),
        None if forecast.substeps > 1.0 => format!(" of {:.0} explicit sub-steps", forecast.substeps),
        None => String::new(),
    };
    format!(
        "{} particles, {} frames of {} steps{substeps}, {} of memory, about {} on {} threads",
        forecast.particle_count,
        forecast.frame_count,
        steps_per_frame(forecast),
        console::bytes(forecast.memory_bytes as f64),
        console::duration(forecast.wall_time),
        forecast.threads
    )
}
