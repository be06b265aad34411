//! One writer a run folder; a dead writer's lock is no obstacle.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use common::new_run;
use pliant_store::lock::LOCK_FILE;
use pliant_store::{RunFolder, StoreError};
use std::fs;
use std::process::{Command, id};
use tempfile::tempdir;

fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap().trim().to_owned()
}

fn start_of(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().parse().unwrap()
}

fn note(pid: u32, boot_id: &str, start: u64) -> String {
    format!(r#"{{"pid":{pid},"boot_id":"{boot_id}","process_start":{start}}}"#)
}

#[test]
fn a_second_writer_is_refused_by_name() {
    let folder = tempdir().unwrap();
    let first = new_run(folder.path());
    let error = RunFolder::resume(folder.path()).unwrap_err();
    assert!(error.to_string().contains(&format!("is being written by process {}", id())), "{error}");
    assert_eq!(error.exit_code(), 4);
    assert_eq!(RunFolder::open(folder.path()).unwrap().writer_process(), Some(id()));
    drop(first);
    assert_eq!(RunFolder::open(folder.path()).unwrap().writer_process(), None);
    RunFolder::resume(folder.path()).unwrap();
}

#[test]
fn a_note_of_a_live_process_counts_even_without_a_file_lock() {
    let folder = tempdir().unwrap();
    drop(new_run(folder.path()));
    let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
    let text = note(sleeper.id(), &boot_id(), start_of(sleeper.id()));
    fs::write(folder.path().join(LOCK_FILE), text).unwrap();
    let refused = RunFolder::resume(folder.path());
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert!(matches!(refused, Err(StoreError::Locked { .. })));
    RunFolder::resume(folder.path()).expect("the lock of a killed process is reclaimed");
}

#[test]
fn stale_notes_are_reclaimed() {
    let folder = tempdir().unwrap();
    drop(new_run(folder.path()));
    let stale = [
        note(id(), "another boot", start_of(id())),
        note(id(), &boot_id(), start_of(id()) + 1),
        note(u32::MAX, &boot_id(), 1),
        "no note at all".to_owned(),
        String::new(),
    ];
    for text in stale {
        fs::write(folder.path().join(LOCK_FILE), &text).unwrap();
        assert!(RunFolder::resume(folder.path()).is_ok(), "{text}");
    }
}
