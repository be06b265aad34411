//! R1: the state of every frame has the same bits on any number of threads.

use std::io;

use crate::scenes::Case;
use crate::{Lab, Report};

/// Numbers of threads, most of them more than there are cores.
pub const THREADS: [usize; 8] = [1, 2, 3, 5, 8, 16, 32, 64];

/// Runs each case on each number of threads and compares the hashes of all frames with those of the first.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, cases: &[Case], threads: &[usize]) -> io::Result<Report> {
    let mut report = Report::new("R1", "threads");
    let (mut hashes, mut mismatches) = (0, 0);
    for case in cases {
        let room = lab.room()?;
        let mut first = Vec::new();
        for count in threads {
            let out = format!("run-{count}");
            let answer = room.simulate(case, &out, &["--threads", &count.to_string()])?;
            let name = &case.name;
            report.expect(answer.is_success(), || format!("{name}, {count} threads: {}", answer.describe()));
            let frames = room.view(&out).committed();
            if first.is_empty() {
                let moves = frames.len() > 1 && frames[0].1 != frames[frames.len() - 1].1;
                report.expect(moves, || format!("{name}: nothing moves in {} frames", frames.len()));
                first.clone_from(&frames);
            }
            hashes += frames.len();
            let wrong = frames.iter().zip(&first).filter(|(a, b)| a != b).count();
            mismatches += wrong + first.len().abs_diff(frames.len());
            report.expect(frames == first, || format!("{name}, {count} threads: {wrong} other states"));
        }
    }
    let (scenes, counts) = (cases.len(), threads.len());
    report.summary =
        format!("{scenes} scenes x {counts} thread counts, {hashes} frame hashes, {mismatches} mismatches");
    report.figure("scenes", scenes);
    report.figure("hashes", hashes);
    report.figure("mismatches", mismatches);
    Ok(report)
}
