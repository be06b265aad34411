//! `pliant info`: what is in a run folder.

use std::path::PathBuf;

use clap::Args;
use pliant_store::RunFolder;
use pliant_world::Snapshot;
use serde_json::{Map, Value, json};

use crate::console;
use crate::exit::Failure;

/// Show what a run folder holds: frames, particles, bounds, energies, status and state hash.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant info runs/quickstart --json")]
pub struct Options {
    /// Folder of the run.
    folder: PathBuf,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let run = RunFolder::open(&options.folder)?;
    for warning in run.warnings() {
        console::warning(&warning);
    }
    let last = run.frames().last().map(|entry| entry.frame);
    let snapshot = last.map(|frame| run.read_frame(frame)).transpose()?;
    let facts = facts(&run, snapshot.as_ref());
    if options.json { console::pretty_json(&facts) } else { console::line(&text(&facts)) }
}

fn facts(run: &RunFolder, last: Option<&Snapshot>) -> Value {
    let manifest = run.manifest();
    let bytes: u64 = run.frames().map(|entry| entry.bytes).sum();
    let mut facts = json!({
        "folder": run.path(),
        "title": manifest.scene_title,
        "status": manifest.status,
        "writer_process": run.writer_process(),
        "frames": run.frames().len(),
        "frame_bytes": bytes,
        "program_version": manifest.program_version,
        "scene_sha256": manifest.scene_sha256,
        "seed": manifest.seed,
        "threads": manifest.threads,
        "machine": manifest.machine,
        "started": manifest.started,
        "finished": manifest.finished,
        "timings": manifest.timings,
    });
    if let Some(snapshot) = last {
        let fields: Vec<&str> = snapshot.fields.iter().map(|field| field.name.as_str()).collect();
        let quantities: Map<String, Value> =
            snapshot.quantities.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
        facts["last_frame"] = snapshot.frame.into();
        facts["steps"] = snapshot.step.into();
        facts["time"] = snapshot.time.into();
        facts["particles"] = snapshot.positions().len().into();
        facts["bounds"] = bounds(snapshot);
        facts["quantities"] = quantities.into();
        facts["fields"] = fields.into();
        facts["state_hash"] = snapshot.state_hash.clone().into();
    }
    facts
}

/// The box all particles lie in [m].
fn bounds(snapshot: &Snapshot) -> Value {
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for position in snapshot.positions() {
        for axis in 0..3 {
            min[axis] = min[axis].min(position[axis]);
            max[axis] = max[axis].max(position[axis]);
        }
    }
    json!({ "min": min, "max": max })
}

fn text(facts: &Value) -> String {
    let mut lines = Vec::new();
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut add = |label: &str, value: String| lines.push(format!("{label:<16} {value}"));
    let status = &facts["status"];
    let reason = status["reason"].as_str().map_or(String::new(), |reason| format!(" ({reason})"));
    add("folder", word(&facts["folder"]));
    add("title", word(&facts["title"]));
    add("status", format!("{}{reason}", word(&status["state"])));
    let size = console::bytes(facts["frame_bytes"].as_f64().unwrap_or(0.0));
    add("frames", format!("{}, {size}", facts["frames"]));
    for key in ["time", "steps", "particles"] {
        if let Some(value) = facts.get(key) {
            add(key, value.to_string());
        }
    }
    if let Some(bounds) = facts.get("bounds") {
        add("bounds", format!("{} to {} m", bounds["min"], bounds["max"]));
    }
    for (name, value) in facts["quantities"].as_object().into_iter().flatten() {
        if name.ends_with("energy") || name == "volume" {
            add(name, format!("{:.6e}", value.as_f64().unwrap_or(f64::NAN)));
        }
    }
    add(
        "program",
        format!("{}, seed {}, {} threads", word(&facts["program_version"]), facts["seed"], facts["threads"]),
    );
    if let Some(hash) = facts.get("state_hash") {
        add("state hash", word(hash));
    }
    lines.join("\n")
}
