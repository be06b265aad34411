//! R4: `kill -9` at any moment loses no committed frame, and the resumed run ends with the same bits.

use std::fs;
use std::io;
use std::process::Child;
use std::time::{Duration, Instant};

use pliant_geometry::rng::SplitMix64;

use crate::scenes::Case;
use crate::{Lab, Report, Room};

/// An uninterrupted run: its frames and the time it took.
struct Whole {
    frames: Vec<(u32, String)>,
    time: Duration,
}

/// Kills `count` runs, half of them at a random time, half while a file is being written.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, cases: &[Case], count: usize) -> io::Result<Report> {
    let mut report = Report::new("R4", "kill");
    let mut random = lab.random(4);
    let mut wholes: Vec<Option<Whole>> = cases.iter().map(|_| None).collect();
    let (mut lost, mut equal, mut stray, mut writing) = (0, 0, 0, 0);
    for trial in 0..count {
        let index = random.below(cases.len());
        let case = &cases[index];
        if wholes[index].is_none() {
            let (room, answer) = lab.uninterrupted(case)?;
            wholes[index] = Some(Whole { frames: room.view("run").committed(), time: answer.time });
        }
        let Some(whole) = &wholes[index] else { continue };
        let room = lab.room()?;
        let mut child = room.start(&room.run_arguments(case, "run", &[])?)?;
        let moment = whole.time.mul_f64(random.unit());
        if trial % 2 == 0 {
            std::thread::sleep(moment);
        } else {
            writing += usize::from(wait_for_a_write(&room, &mut child, moment, &mut random)?);
        }
        child.kill()?;
        child.wait()?;
        let before = room.view("run").committed();
        let what = format!("kill {trial} of {} after {} frames", case.name, before.len());
        report.expect(whole.frames.starts_with(&before), || format!("{what}: a committed frame is wrong"));
        let answer = go_on(&room, case)?;
        report.expect(answer.is_success(), || format!("{what}: {}", answer.describe()));
        let after = room.view("run").committed();
        lost += before.iter().filter(|frame| !after.contains(frame)).count();
        report.expect(after == whole.frames, || format!("{what}: the resumed run has other frames"));
        equal += usize::from(after == whole.frames);
        let left = room.view("run").stray_files();
        report.expect(left.is_empty(), || format!("{what}: left {left:?}"));
        stray += left.len();
    }
    report.expect(lost == 0, || format!("{lost} committed frames were lost"));
    report.summary = format!(
        "{count} kills ({writing} seen during a write), {lost} committed frames lost, final hash equal {equal}/{count}, \
         {stray} stray files"
    );
    for (name, value) in
        [("kills", count), ("during_writes", writing), ("lost", lost), ("equal", equal), ("stray", stray)]
    {
        report.figure(name, value);
    }
    Ok(report)
}

/// Waits until the moment and then for an unfinished file. Whether one was seen before the run ended.
fn wait_for_a_write(
    room: &Room,
    child: &mut Child,
    moment: Duration,
    random: &mut SplitMix64,
) -> io::Result<bool> {
    let start = Instant::now();
    let folder = ["frames", "checkpoints", "vtp"][random.below(3)];
    let folder = room.path().join("run").join(folder);
    while child.try_wait()?.is_none() && start.elapsed() < moment * 3 {
        let names = fs::read_dir(&folder).into_iter().flatten().flatten();
        let is_unfinished =
            names.into_iter().any(|entry| entry.file_name().to_string_lossy().contains("tmp"));
        if is_unfinished && start.elapsed() >= moment {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Resumes the run, or begins it where the kill came before it was begun.
pub(crate) fn go_on(room: &Room, case: &Case) -> io::Result<crate::Answer> {
    if room.view("run").is_begun() {
        room.ask(&["resume", "run", "--no-render", "--quiet"])
    } else {
        room.simulate(case, "run", &[])
    }
}
