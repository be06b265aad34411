//! R5: when the file system refuses, the program says which file and why, and the run can be resumed.
//!
//! The n-th file call is made to fail in `crates/store/tests/faults.rs`; here the operating system itself refuses.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use crate::scenes::Case;
use crate::{Answer, Lab, Report, Room};

/// The exit code for files.
const FILES: [i32; 1] = [4];
/// The scene, as scripts write it.
const RUN: &str = "\"$PLIANT\" run elastic.toml --no-render --quiet --out";

/// Lets the operating system refuse `count` times, each in a way of its own.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, case: &Case, count: usize) -> io::Result<Report> {
    let mut report = Report::new("R5", "faults");
    let mut random = lab.random(5);
    let home = lab.room()?;
    home.simulate(case, "whole", &[])?;
    let expected = home.view("whole").committed();
    let (mut clear, mut resumed, mut skipped) = (0, 0, 0);
    for trial in 0..count {
        let room = lab.room()?;
        case.place_in(&room)?;
        let size = 1 + random.below(600);
        let (what, answer) = match trial % 5 {
            0 => (format!("no file above {size} KiB"), file_limit(&room, size)?),
            1 => (format!("a disk of {} KiB", 300 + size), Some(full_disk(&room, 300 + size)?)),
            2 => ("a read-only disk".to_owned(), Some(read_only(&room)?)),
            3 => ("a folder that goes away".to_owned(), vanished(&room, case)?),
            _ => ("a full stdout".to_owned(), Some(full_stdout(&room)?)),
        };
        let Some(answer) = answer.filter(|answer| answer.code != Some(CANNOT_TRY)) else {
            skipped += 1;
            continue;
        };
        let names_cause = answer.stderr.contains("run") || answer.stderr.contains("stdout");
        let is_clear = answer.is_clear_error(&FILES) && names_cause;
        report.expect(is_clear, || format!("trial {trial}, {what}: {}", answer.describe()));
        clear += usize::from(is_clear);
        let again = crate::kill::go_on(&room, case)?;
        let same = again.is_success() && room.view("run").committed() == expected;
        report.expect(same, || format!("trial {trial}, {what}: then {}", again.describe()));
        resumed += usize::from(same);
    }
    let tried = count - skipped;
    report.expect(tried > 0, || "nothing could be tried here".to_owned());
    report.summary = format!(
        "{tried} refusals of 5 kinds ({skipped} not possible here), {clear} clear errors, then the same hash \
         {resumed}/{tried}"
    );
    report.figure("refusals", tried);
    report.figure("clear", clear);
    report.figure("resumed", resumed);
    Ok(report)
}

/// Exit code of scripts that are not allowed to do what they try, or that meet no fault.
const CANNOT_TRY: i32 = 99;

/// Writes beyond a size fail. A limit that nothing reaches is no fault.
fn file_limit(room: &Room, kibibytes: usize) -> io::Result<Option<Answer>> {
    let answer = room.script(&format!("trap '' XFSZ; ulimit -f {kibibytes}; {RUN} run"))?;
    Ok((!answer.is_success()).then_some(answer))
}

/// A disk too small for the run, whose files are then moved to a larger one.
fn full_disk(room: &Room, kibibytes: usize) -> io::Result<Answer> {
    mounted(
        room,
        &format!("mount -t tmpfs -o size={kibibytes}k tmpfs small"),
        &format!("{RUN} small/run; code=$?; cp -r small/run run || code={CANNOT_TRY}"),
    )
}

/// A disk that cannot be written to.
fn read_only(room: &Room) -> io::Result<Answer> {
    mounted(room, "mount -t tmpfs -o ro tmpfs small", &format!("{RUN} small/run; code=$?"))
}

/// Mounts something at `small` in a mount namespace that ends with the script.
fn mounted(room: &Room, mount: &str, script: &str) -> io::Result<Answer> {
    fs::create_dir(room.path().join("small"))?;
    let inner =
        format!("{mount} || exit {CANNOT_TRY}; {script}; [ $code = 0 ] && exit {CANNOT_TRY}; exit $code");
    room.write("inner.sh", inner)?;
    room.script(&format!(
        "unshare --mount bash inner.sh || {{ code=$?; [ $code = 1 ] && exit {CANNOT_TRY}; exit $code; }}"
    ))
}

/// The folder of the run is deleted under it. A run that ended before is no fault.
fn vanished(room: &Room, case: &Case) -> io::Result<Option<Answer>> {
    let script = format!(
        "{RUN} run & job=$!
        until [ -e run/journal.jsonl ]; do sleep 0.01; done; rm -rf run; wait $job"
    );
    let start = Instant::now();
    let answer = room.script(&script)?;
    let is_late = answer.is_success() || start.elapsed() > Duration::from_secs(60);
    fs::remove_dir_all(room.path().join("run")).or_else(ignore_missing)?;
    case.place_in(room)?;
    Ok((!is_late).then_some(answer))
}

fn ignore_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// What is said cannot be written; the run itself can.
fn full_stdout(room: &Room) -> io::Result<Answer> {
    room.script("\"$PLIANT\" run elastic.toml --no-render --out run --json > /dev/full")
}
