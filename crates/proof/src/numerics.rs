//! R10: bad numbers in, no bad numbers out: a run ends well, with a reason, or is refused, and no frame holds a value
//! that is not finite.

use std::fmt::Write;
use std::fs;
use std::io;

use pliant_geometry::rng::SplitMix64;

use crate::run_view::non_finite;
use crate::scenes::{self, Case};
use crate::{Lab, Report};

/// Factors of the time step.
const STEP_FACTORS: [f64; 4] = [1.4, 10.0, 100.0, 1e6];
/// Simulated time of each combination [s]: three frames.
const DURATION: f64 = 0.06;
/// Refused, stopped by numerics, more than the machine can hold.
const ENDED: [i32; 3] = [2, 3, 5];

/// Runs `count` random combinations.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, count: usize) -> io::Result<Report> {
    let mut report = Report::new("R10", "numerics");
    let mut random = lab.random(10);
    let (mut finished, mut halved, mut stopped, mut refused, mut frames) = (0, 0, 0, 0, 0);
    for trial in 0..count {
        let case = combination(&mut random);
        let room = lab.room()?;
        room.write("points.csv", degenerate_points(&mut random))?;
        let answer = room.simulate(&case, "run", &[])?;
        let what = format!("trial {trial}, {} {}", case.name, case.set.join(" "));
        match answer.code {
            Some(0) => finished += 1,
            Some(3) => stopped += 1,
            _ => refused += 1,
        }
        let log = fs::read_to_string(room.path().join("run/log.txt")).unwrap_or_default();
        halved += usize::from(answer.is_success() && log.contains("halved"));
        let ends_well = answer.is_success() || answer.is_clear_error(&ENDED);
        report.expect(ends_well && !answer.is_defect(), || format!("{what}: {}", answer.describe()));
        if room.view("run").is_begun() {
            for snapshot in room.view("run").snapshots()? {
                let bad = non_finite(&snapshot);
                report.expect(bad.is_none(), || format!("{what}: {bad:?} in frame {}", snapshot.frame));
                frames += 1;
            }
        }
    }
    report.summary = format!(
        "{count} combinations: {finished} finished ({halved} with halved steps), {stopped} stopped with a reason, \
         {refused} refused; {frames} frames, all numbers finite"
    );
    if !report.passed() {
        report.summary = report.summary.replace(", all numbers finite", "");
    }
    for (name, value) in [
        ("combinations", count),
        ("finished", finished),
        ("halved", halved),
        ("stopped", stopped),
        ("refused", refused),
        ("frames", frames),
    ] {
        report.figure(name, value);
    }
    Ok(report)
}

/// A small scene with numbers nobody would choose.
fn combination(random: &mut SplitMix64) -> Case {
    let points = scenes::elastic().replace("shape.box.size = [0.3, 0.3, 0.3]", "points = \"points.csv\"");
    let scenes = [
        ("elastic", scenes::elastic(), "materials.soft"),
        ("plastic", scenes::plastic(), "materials.clay"),
        ("two_bodies", scenes::two_bodies(), "materials.soft"),
        ("pushed_bar", scenes::pushed_bar(), "materials.rubber"),
        ("plane", scenes::plane(), "materials.soft"),
        ("points", points, "materials.soft"),
    ];
    let (name, text, material) = &scenes[random.below(scenes.len())];
    let mut case = Case::of_text(name, text.clone(), DURATION)
        .with(format!("time.duration={DURATION}"))
        .with("output.checkpoint_interval=10 min")
        .with(format!("time.dt={:e}", 0.004 * STEP_FACTORS[random.below(STEP_FACTORS.len())]));
    if random.below(2) == 0 {
        let young = 5e4 * 10_f64.powf(random.between(-3.0, 6.0));
        case = case.with(format!("{material}.young={young:.3e}"));
    }
    if random.below(3) == 0 {
        case = case.with(format!("{material}.poisson=0.4999"));
    }
    // The third component is left out where there is none.
    let third = if *name == "plane" { "" } else { ", 0" };
    if random.below(2) == 0 {
        let speed = 10_f64.powf(random.between(0.0, 6.0));
        case = case.with(format!("objects.0.velocity=[{speed:.3e}, -{speed:.3e}{third}]"));
    }
    let is_solid = !matches!(*name, "plane" | "points");
    match random.below(4) {
        0 if is_solid => case.with("objects.0.shape={ box = { size = [0.3, 0.05, 0.3] } }"),
        1 if is_solid => case.with("objects.0.shape={ box = { size = [0.5, 0.05, 0.05] } }"),
        2 => case.with(format!("objects.0.position=[0, -0.05{third}]")),
        _ => case,
    }
}

/// Points of which many coincide and the others lie in a plane.
fn degenerate_points(random: &mut SplitMix64) -> String {
    let mut text = "x,y,z\n".to_owned();
    for _ in 0..60 {
        let place = random.below(20) as f64 * 0.05;
        // Writing to text cannot fail.
        let _ = writeln!(text, "{place},0.3,{}", random.below(3) as f64 * 0.05);
    }
    text
}
