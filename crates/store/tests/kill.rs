//! A writer that is killed without warning, again and again, loses nothing it had acknowledged.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use common::{Random, files_below, meta, new_run, snapshot};
use pliant_store::{RunFolder, RunWriter};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tempfile::tempdir;

const FOLDER: &str = "PLIANT_TEST_RUN_FOLDER";
const KILLS: usize = 20;
const PARTICLES: u32 = 300;

/// Started by the test below as a process of its own: commits frames until it is killed.
#[test]
#[ignore = "runs only as a child process"]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let mut run: RunWriter = RunFolder::resume(folder).unwrap();
    let first = run.run().latest_checkpoint().map_or(0, |found| found.checkpoint.meta.frame + 1);
    for number in first.. {
        run.commit_frame(&snapshot(number, PARTICLES)).unwrap();
        writeln!(std::io::stdout().lock(), "\ncommitted {number}").unwrap();
        run.commit_checkpoint(meta(number), &[("state", &[0; 5000])]).unwrap();
    }
}

/// Lets a writer work for a while, kills it, and says which frame it acknowledged last.
fn work_until_killed(folder: &Path, patience: Duration) -> Option<u32> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "writer", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let number = |line: String| line.strip_prefix("committed ").and_then(|number| number.parse().ok());
    let first = lines.by_ref().map_while(Result::ok).find_map(number);
    sleep(patience);
    child.kill().unwrap();
    child.wait().unwrap();
    lines.map_while(Result::ok).filter_map(number).last().or(first)
}

#[test]
fn twenty_kills_lose_no_acknowledged_frame() {
    let folder = tempdir().unwrap();
    drop(new_run(folder.path()));
    let mut random = Random(0x5eed);
    let mut frames = 0;
    for kill in 0..KILLS {
        let patience = Duration::from_micros(random.next() % 80_000);
        let acknowledged = work_until_killed(folder.path(), patience).expect("the writer commits a frame");
        let run = RunFolder::open(folder.path()).unwrap();
        let listed: Vec<u32> = run.frames().map(|entry| entry.frame).collect();
        assert!(listed.iter().copied().eq(0..listed.len() as u32), "after kill {kill}: {listed:?}");
        assert!(listed.len() > acknowledged as usize, "after kill {kill}: {acknowledged} is lost");
        assert!(run.warnings().is_empty() && run.writer_process().is_none());
        for number in frames..listed.len() as u32 {
            assert_eq!(run.read_frame(number).unwrap(), snapshot(number, PARTICLES));
        }
        frames = listed.len() as u32;
    }
    drop(RunFolder::resume(folder.path()).unwrap());
    assert!(files_below(folder.path()).iter().all(|name| !name.contains(".tmp")));
    println!("{KILLS} kills, {frames} frames, none lost");
}
