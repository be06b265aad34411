//! R16: a run folder has one writer: others are refused, and what a killed one leaves is taken over.

use std::io;
use std::time::{Duration, Instant};

use crate::scenes::Case;
use crate::{Lab, Report, Room};

/// Exit code for a folder in use.
const FILES: [i32; 1] = [4];

/// Lets writers meet `count` times: two that start at once, or a late one, a kill and a successor.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, case: &Case, count: usize) -> io::Result<Report> {
    let mut report = Report::new("R16", "writers");
    let home = lab.room()?;
    home.simulate(case, "run", &[])?;
    let expected = home.view("run").committed();
    let mut refused = 0;
    for trial in 0..count {
        let room = lab.room()?;
        refused += if trial % 2 == 0 {
            late_writer(&room, case, &mut report)?
        } else {
            race(&room, case, &mut report)?
        };
        let found = room.view("run").committed();
        report.expect(found == expected, || {
            format!("trial {trial}: {} frames, some of them others", found.len())
        });
    }
    report.summary = format!(
        "{count} meetings of two writers, {refused} writers refused, {} with a wrong or missing frame",
        report.failures.len()
    );
    report.figure("meetings", count);
    report.figure("refused", refused);
    Ok(report)
}

/// A second writer comes while the first works; the first is killed and its lock taken over.
fn late_writer(room: &Room, case: &Case, report: &mut Report) -> io::Result<usize> {
    let long = case.clone().with("time.duration=100 s");
    let mut first = room.start(&room.run_arguments(&long, "run", &[])?)?;
    let start = Instant::now();
    while room.view("run").committed().is_empty() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let number = first.id().to_string();
    let others = [
        room.ask(&["resume", "run", "--no-render", "--quiet"])?,
        room.simulate(case, "run", &["--overwrite"])?,
    ];
    let mut refused = 0;
    for answer in others {
        let is_clear = answer.is_clear_error(&FILES) && answer.stderr.contains(&number);
        report.expect(is_clear, || format!("a late writer: {}", answer.describe()));
        refused += usize::from(is_clear);
    }
    first.kill()?;
    first.wait()?;
    let successor = room.simulate(case, "run", &["--overwrite"])?;
    report.expect(successor.is_success(), || format!("after a kill: {}", successor.describe()));
    Ok(refused)
}

/// Two writers start at once: one wins, or the second finds the finished run of the first.
fn race(room: &Room, case: &Case, report: &mut Report) -> io::Result<usize> {
    let arguments = room.run_arguments(case, "run", &[])?;
    let mut children = [room.start(&arguments)?, room.start(&arguments)?];
    let mut codes = Vec::new();
    for child in &mut children {
        codes.push(child.wait()?.code());
    }
    codes.sort_unstable();
    report.expect(matches!(codes[..], [Some(0), Some(2 | 4)]), || format!("two writers at once: {codes:?}"));
    Ok(1)
}
