//! One writer a run folder: the operating system's file lock, and a note who holds it.
//!
//! The lock goes away with its process, however that ends. The note (process, boot, start time of the process) gives
//! a message its name, and still tells a live writer from a stale one where file locks do not work.

use crate::StoreError;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process;

/// Name of the lock file in a run folder.
pub const LOCK_FILE: &str = "lock";
/// A note is short; anything longer is not ours.
const NOTE_LIMIT: u64 = 4096;

/// The right to write to a run folder, given back when dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    pid: u32,
    boot_id: String,
    /// Clock ticks after boot at which the process started, so that a reused number is told apart.
    process_start: u64,
}

impl Lock {
    /// Takes the lock of a folder, or says which process has it.
    pub fn acquire(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(LOCK_FILE);
        let failed = |error| StoreError::io("lock", &path, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        let held = match file.try_lock() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            // Some network file systems know no locks: there the note alone decides.
            Err(TryLockError::Error(_)) => false,
        };
        let note = read_note(&mut file);
        if held || note.as_ref().is_some_and(Note::is_alive) {
            let process = note.map_or_else(|| "another".to_owned(), |note| note.pid.to_string());
            return Err(StoreError::Locked { path: folder.to_path_buf(), process });
        }
        let text =
            serde_json::to_string(&Note::of_this_process()).expect("plain values always serialise to memory");
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()))
            .map_err(failed)?;
        Ok(Self { file })
    }

    /// Number of the live process that writes to a folder, if there is one.
    pub fn holder(folder: &Path) -> Option<u32> {
        let mut file = File::open(folder.join(LOCK_FILE)).ok()?;
        read_note(&mut file).filter(Note::is_alive).map(|note| note.pid)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file stays: removing it would let two processes lock two files of the same name.
        let _ = self.file.set_len(0);
        // Not left to closing the file: a child process started at this moment may still have it open.
        let _ = self.file.unlock();
    }
}

fn read_note(file: &mut File) -> Option<Note> {
    let mut text = String::new();
    file.take(NOTE_LIMIT).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

impl Note {
    fn of_this_process() -> Self {
        let pid = process::id();
        Self { pid, boot_id: boot_id(), process_start: process_start(pid).unwrap_or_default() }
    }

    fn is_alive(&self) -> bool {
        self.boot_id == boot_id() && process_start(self.pid) == Some(self.process_start)
    }
}

/// Changes with every start of the machine; empty where the system does not tell.
fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// When a process started, in clock ticks after boot; `None` if it is gone or the system does not tell.
fn process_start(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the command in parentheses, which may itself hold spaces; the start is the 22nd.
    let (_, after_command) = stat.rsplit_once(')')?;
    after_command.split_whitespace().nth(19)?.parse().ok()
}
