//! R9: the memory that `pliant check` predicts, against the peak that a run really takes.

use std::io;

use serde_json::Value;

use crate::scenes::Case;
use crate::{Lab, Report};

/// Bounds of measured over predicted peak memory.
pub const BOUNDS: [f64; 2] = [0.55, 1.25];

/// Scenes of different size, dimension, method settings and matter.
pub fn variants() -> Vec<Case> {
    let cube = |size: f64| format!("objects.0.shape.box.size=[{size}, {size}, {size}]");
    // High enough that the largest cube does not begin inside the floor.
    let elastic =
        || Case::of_text("elastic", crate::scenes::elastic(), 0.1).with("objects.0.position=[0, 0.6, 0]");
    let plastic = || Case::of_text("plastic", crate::scenes::plastic(), 0.1);
    let plane = || Case::of_text("plane", crate::scenes::plane(), 0.1);
    let pair = || Case::of_text("two_bodies", crate::scenes::two_bodies(), 0.1);
    vec![
        elastic().with(cube(0.5)),
        elastic().with(cube(0.8)),
        elastic().with(cube(1.0)),
        elastic().with(cube(1.1)),
        elastic().with("spacing=2.5 cm").with(cube(0.4)),
        elastic().with("spacing=2.5 cm").with(cube(0.5)),
        elastic().with("method.zhou2013.neighbour_radius=1.6").with(cube(1.0)),
        elastic().with("method.zhou2013.neighbour_radius=2.5").with(cube(1.0)),
        elastic().with("method.zhou2013.neighbour_radius=3").with(cube(0.8)),
        elastic().with("objects.0.sampler=random").with(cube(1.0)),
        elastic().with("objects.0.shape.box.size=[4, 0.2, 1]"),
        plastic().with("spacing=2 cm"),
        plastic().with("spacing=1.5 cm"),
        plastic().with("objects.0.sampler=poisson_disk").with("spacing=2 cm"),
        plane().with("spacing=1 cm"),
        plane().with("spacing=0.6 cm"),
        plane().with("spacing=1 cm").with("method.zhou2013.neighbour_radius=3"),
        pair().with("spacing=2.5 cm"),
        pair().with("spacing=1.5 cm"),
        pair().with("spacing=1.5 cm").with("materials.soft.merge=true"),
    ]
}

/// Checks and runs every case and compares.
///
/// # Errors
/// When the program cannot be started or says nothing that can be read.
pub fn measure(lab: &Lab, cases: &[Case]) -> io::Result<Report> {
    let mut report = Report::new("R9", "memory");
    let mut ratios = Vec::new();
    for case in cases {
        let room = lab.room()?;
        let mut arguments = room.run_arguments(case, "run", &["--frames", "2", "--threads", "2"])?;
        let sets: Vec<&str> = case.set.iter().flat_map(|set| ["--set", set.as_str()]).collect();
        let check = room.ask(&[&["check", arguments[1].as_str(), "--json"], &sets[..]].concat())?;
        let facts: Value = serde_json::from_str(&check.stdout).map_err(io::Error::other)?;
        let predicted = facts["memory_bytes"].as_f64().unwrap_or(f64::NAN);
        // Checkpoints at every step are not what a user runs.
        arguments.extend(["--set".to_owned(), "output.checkpoint_interval=10 min".to_owned()]);
        let run = room.ask(&arguments.iter().map(String::as_str).collect::<Vec<_>>())?;
        let what = format!("{} {}", case.name, case.set.join(" "));
        report.expect(run.is_success(), || format!("{what}: {}", run.describe()));
        let ratio = run.peak_memory as f64 / predicted;
        let figures = format!("{:.1} MB of {:.1} MB", run.peak_memory as f64 / 1e6, predicted / 1e6);
        let holds = (BOUNDS[0]..=BOUNDS[1]).contains(&ratio);
        report.expect(holds, || format!("{what}: {figures} for {} particles", facts["particles"]));
        ratios.push(ratio);
    }
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    report.summary = format!(
        "{} scenes, measured peak between {least:.2} and {most:.2} of the forecast, allowed {} to {}",
        ratios.len(),
        BOUNDS[0],
        BOUNDS[1]
    );
    report.figure("scenes", ratios.len());
    report.figure("least_ratio", least);
    report.figure("most_ratio", most);
    Ok(report)
}
