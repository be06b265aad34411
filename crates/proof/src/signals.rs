//! R12: a signal saves the state and ends the program with its code; the resumed run has the same bits.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use crate::kill::go_on;
use crate::lab::send;
use crate::scenes::Case;
use crate::{Lab, Report};

/// Signals by name, number and the exit code they lead to.
const SIGNALS: [(&str, i32, i32); 3] = [("INT", 2, 130), ("TERM", 15, 143), ("HUP", 1, 129)];

/// Sends `count` signals at random moments.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, cases: &[Case], count: usize) -> io::Result<Report> {
    let mut report = Report::new("R12", "signals");
    let mut random = lab.random(12);
    let mut wholes = BTreeMap::new();
    let (mut stopped, mut early, mut late, mut equal) = (0, 0, 0, 0);
    for trial in 0..count {
        let case = &cases[random.below(cases.len())];
        if !wholes.contains_key(&case.name) {
            let room = lab.room()?;
            let answer = room.simulate(case, "run", &[])?;
            report.expect(answer.is_success(), || format!("{}: {}", case.name, answer.describe()));
            wholes.insert(case.name.clone(), (room.view("run").committed(), answer.time));
        }
        let (frames, time) = &wholes[&case.name];
        let (name, number, code) = SIGNALS[random.below(SIGNALS.len())];
        let room = lab.room()?;
        let mut child = room.start(&room.run_arguments(case, "run", &[])?)?;
        std::thread::sleep(time.mul_f64(random.unit()));
        send(&child, name)?;
        let status = child.wait()?;
        let what = format!("signal {trial}, SIG{name} to {}", case.name);
        match ending(status, number, code) {
            Ending::Stopped => stopped += 1,
            Ending::BeforeTheRun if room.view("run").committed().is_empty() => early += 1,
            Ending::AfterTheRun => late += 1,
            _ => drop(report.expect(false, || format!("{what}: ended with {status}"))),
        }
        let answer = go_on(&room, case)?;
        report.expect(answer.is_success(), || format!("{what}: {}", answer.describe()));
        let same = room.view("run").committed() == *frames;
        report.expect(same, || format!("{what}: the resumed run has other frames"));
        equal += usize::from(same);
    }
    report.summary = format!(
        "{count} signals: {stopped} stopped with their exit code, {early} came before the run, {late} after it; \
         resumed with the same hash {equal}/{count}"
    );
    report.figure("signals", count);
    report.figure("stopped", stopped);
    report.figure("equal", equal);
    Ok(report)
}

enum Ending {
    /// With the exit code of the signal, the state saved.
    Stopped,
    /// By the signal itself, before anything was there to save.
    BeforeTheRun,
    /// As if there had been no signal.
    AfterTheRun,
    /// In any other way.
    Wrong,
}

fn ending(status: ExitStatus, number: i32, code: i32) -> Ending {
    match (status.code(), status.signal()) {
        (Some(found), _) if found == code => Ending::Stopped,
        (Some(0), _) => Ending::AfterTheRun,
        (None, Some(found)) if found == number => Ending::BeforeTheRun,
        _ => Ending::Wrong,
    }
}
