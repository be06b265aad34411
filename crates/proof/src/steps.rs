//! R10, for the Material Point Method: steps of the Material Point Method that are longer than advised end well or with a reason, and no frame holds a
//! value that is not finite.

use std::fs;
use std::io;

use crate::run_view::non_finite;
use crate::scenes::Case;
use crate::{Lab, Report};

/// Factors of the step that `pliant check` advises.
pub const FACTORS: [f64; 4] = [1.0, 1.4, 10.0, 100.0];
/// Stopped by numerics.
const STOPPED: [i32; 1] = [3];

/// Runs each case with steps longer than advised by each factor.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, cases: &[Case], factors: &[f64]) -> io::Result<Report> {
    let mut report = Report::new("R10", "steps");
    let (mut finished, mut halved, mut stopped, mut frames) = (0, 0, 0, 0);
    for case in cases {
        let advised = advised(lab, case)?;
        for factor in factors {
            let room = lab.room()?;
            let case = case
                .clone()
                .with("output.checkpoint_interval=10 min")
                // A frame: nothing but the factor bounds the step.
                .with("time.dt=20 ms")
                .with(format!("method.mpm.substep={:e}", factor * advised));
            let what = format!("{}, {factor} times {advised:.1e} s", case.name);
            let answer = room.simulate(&case, "run", &[])?;
            let log = fs::read_to_string(room.path().join("run/log.txt")).unwrap_or_default();
            finished += usize::from(answer.is_success());
            halved += usize::from(answer.is_success() && log.contains("halved"));
            stopped += usize::from(answer.code == Some(3));
            let ends_well = answer.is_success() || *factor > 1.0 && answer.is_clear_error(&STOPPED);
            report.expect(ends_well && !answer.is_defect(), || format!("{what}: {}", answer.describe()));
            for snapshot in room.view("run").snapshots()? {
                let bad = non_finite(&snapshot);
                report.expect(bad.is_none(), || format!("{what}: {bad:?} in frame {}", snapshot.frame));
                frames += 1;
            }
        }
    }
    report.summary = format!(
        "{} scenes x {} factors: {finished} finished ({halved} with halved steps), {stopped} stopped with a reason; \
         {frames} frames, all numbers finite",
        cases.len(),
        factors.len()
    );
    if !report.passed() {
        report.summary = report.summary.replace(", all numbers finite", "");
    }
    let figures = [("finished", finished), ("halved", halved), ("stopped", stopped), ("frames", frames)];
    figures.into_iter().for_each(|(name, value)| report.figure(name, value));
    Ok(report)
}

/// The step that `pliant check` advises for a scene [s].
fn advised(lab: &Lab, case: &Case) -> io::Result<f64> {
    let room = lab.room()?;
    let scene = case.place_in(&room)?;
    let answer = room.ask(&["check", &scene])?;
    let words: Vec<&str> = answer.stdout.split_whitespace().collect();
    let step = words.windows(3).find(|words| words[0].ends_with("(steps") && words[1] == "of");
    step.and_then(|words| words[2].parse().ok())
        .ok_or_else(|| io::Error::other(format!("check advises no step: {}", answer.describe())))
}
