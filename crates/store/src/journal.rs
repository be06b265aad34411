//! The journal: one JSON line a committed frame or checkpoint, appended only after its file is safely in place.
//!
//! A line carries the CRC32C of its own text. A torn last line is what a crash leaves and is cut off; any other
//! damaged line is passed over and reported.

use crate::StoreError;
use crate::disk::{Disk, write_all};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// A committed frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameEntry {
    /// Number of the frame.
    pub frame: u32,
    /// Simulation steps taken since the start.
    pub step: u64,
    /// Simulated time, in seconds.
    pub time: f64,
    /// Its file, relative to the run folder.
    pub file: String,
    /// Length of the file.
    pub bytes: u64,
    /// Checksum in the file's footer.
    pub crc32c: u32,
    /// SHA-256 of the simulation's state, in hexadecimal.
    pub state_hash: String,
}

/// A committed checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckpointEntry {
    /// Simulation steps taken since the start.
    pub step: u64,
    /// The last frame committed before it.
    pub frame: u32,
    /// Simulated time, in seconds.
    pub time: f64,
    /// Its file, relative to the run folder; only the last few are kept.
    pub file: String,
    /// Length of the file.
    pub bytes: u64,
    /// Checksum in the file's footer.
    pub crc32c: u32,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// A committed frame.
    Frame(FrameEntry),
    /// A committed checkpoint.
    Checkpoint(CheckpointEntry),
}

#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    entry: Entry,
    check: u32,
}

/// What a journal lists.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    frames: BTreeMap<u32, FrameEntry>,
    checkpoints: Vec<CheckpointEntry>,
    damaged_lines: Vec<usize>,
    good_length: u64,
}

impl Journal {
    /// Reads a journal; one that does not exist is empty.
    pub fn load(path: &Path) -> Result<Self, StoreError> {
        match fs::read(path) {
            Ok(bytes) => Ok(Self::parse(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(StoreError::io("read", path, error)),
        }
    }

    /// What the bytes of a journal list; any bytes are a journal, perhaps one of damaged lines.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut journal = Self::default();
        for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            match line.strip_suffix(b"\n") {
                Some(text) => journal.take_line(index + 1, text),
                None => break,
            }
            journal.good_length += line.len() as u64;
        }
        journal
    }

    fn take_line(&mut self, number: usize, text: &[u8]) {
        match serde_json::from_slice::<Line>(text) {
            Ok(line) if checksum(&line.entry) == line.check => self.insert(line.entry),
            _ => self.damaged_lines.push(number),
        }
    }

    fn insert(&mut self, entry: Entry) {
        match entry {
            Entry::Frame(entry) => {
                self.frames.insert(entry.frame, entry);
            }
            Entry::Checkpoint(entry) => self.checkpoints.push(entry),
        }
    }

    /// Appends one line and syncs it. A failed attempt leaves a torn end, which the next one cuts off.
    pub fn append(&mut self, disk: &dyn Disk, path: &Path, entry: Entry) -> Result<(), StoreError> {
        let line = Line { check: checksum(&entry), entry };
        let mut text = serde_json::to_vec(&line).expect("plain values always serialise to memory");
        text.push(b'\n');
        let mut file =
            disk.open_to_append(path, self.good_length).map_err(|e| StoreError::io("open", path, e))?;
        write_all(disk, &mut file, &text).map_err(|e| StoreError::io("append to", path, e))?;
        disk.sync(&file).map_err(|e| StoreError::io("sync", path, e))?;
        self.good_length += text.len() as u64;
        self.insert(line.entry);
        Ok(())
    }

    /// The frames, by number.
    pub fn frames(&self) -> &BTreeMap<u32, FrameEntry> {
        &self.frames
    }

    /// The checkpoints, in the order they were committed.
    pub fn checkpoints(&self) -> &[CheckpointEntry] {
        &self.checkpoints
    }

    /// Numbers (from 1) of the lines that were passed over because they are damaged.
    pub fn damaged_lines(&self) -> &[usize] {
        &self.damaged_lines
    }
}

/// An entry that was read back serialises to the text it was read from, so the text need not be kept.
fn checksum(entry: &Entry) -> u32 {
    crc32c::crc32c(&serde_json::to_vec(entry).expect("plain values always serialise to memory"))
}
