//! The manifest: what was run, by which program, on which machine, and how it ended.

use crate::StoreError;
use crate::commit::{read_file, write_atomically};
use crate::container::FORMAT;
use crate::disk::Disk;
use crate::machine::Machine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Name of the manifest in a run folder; a folder that has one is a run.
pub const MANIFEST_FILE: &str = "manifest.json";

/// The record of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Format number of the run folder.
    pub format: u32,
    /// Version of the program.
    pub program_version: String,
    /// Title of the scene.
    pub scene_title: String,
    /// SHA-256 over the scene and the files it names, in hexadecimal.
    pub scene_sha256: String,
    /// Those files, relative to the run folder; the scene itself comes first.
    pub scene_files: Vec<String>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// The machine.
    pub machine: Machine,
    /// Threads the run was started with.
    pub threads: usize,
    /// When the run was started, UTC.
    pub started: String,
    /// When it ended, UTC.
    pub finished: Option<String>,
    /// How far it is.
    pub status: Status,
    /// Wall-clock time spent in each stage, in seconds.
    pub timings: BTreeMap<String, f64>,
    /// SHA-256 of the final state, in hexadecimal.
    pub final_state_hash: Option<String>,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Status {
    /// Under way, or ended without being able to say so.
    Running,
    /// All frames are there.
    Finished,
    /// Asked to stop before the end.
    Stopped {
        /// By what.
        reason: String,
    },
    /// Could not go on.
    Failed {
        /// Why.
        reason: String,
    },
}

impl Status {
    /// The status in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Stopped { .. } => "stopped",
            Self::Failed { .. } => "failed",
        }
    }
}

impl Manifest {
    /// The manifest of a run that starts now on this machine. The scene's hash and files are filled in when the run
    /// folder is made.
    pub fn new(scene_title: impl Into<String>, seed: u64, threads: usize) -> Self {
        Self {
            format: FORMAT,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            scene_title: scene_title.into(),
            scene_sha256: String::new(),
            scene_files: Vec::new(),
            seed,
            machine: Machine::detect(),
            threads,
            started: now_utc(),
            finished: None,
            status: Status::Running,
            timings: BTreeMap::new(),
            final_state_hash: None,
        }
    }

    pub(crate) fn load(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(MANIFEST_FILE);
        if !path.is_file() {
            return Err(StoreError::NotARun { path: folder.to_path_buf() });
        }
        let bytes = read_file(&path)?;
        // The format number alone first: a later format may have other keys.
        if let Ok(newer) = serde_json::from_slice::<FormatOnly>(&bytes)
            && newer.format > FORMAT
        {
            let FormatOnly { format: found, program_version: program } = newer;
            return Err(StoreError::NewerFormat { path, found, supported: FORMAT, program });
        }
        serde_json::from_slice(&bytes).map_err(|error| StoreError::damaged(&path, error.to_string()))
    }

    pub(crate) fn save(&self, disk: &dyn Disk, folder: &Path) -> Result<(), StoreError> {
        let mut text = serde_json::to_vec_pretty(self).expect("plain values always serialise to memory");
        text.push(b'\n');
        write_atomically(disk, &folder.join(MANIFEST_FILE), &text)
    }
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u32,
    #[serde(default)]
    program_version: String,
}

/// The present moment as `2013-07-21T08:30:00Z`.
pub fn now_utc() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    format_utc(seconds)
}

fn format_utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years counted from March 1st of year 0, so that the leap day is the last of its year; an era is 400 years.
    let day = days + 719_468;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day_of_month:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::format_utc;

    #[test]
    fn moments_are_written_as_civil_dates() {
        assert_eq!(format_utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(format_utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(format_utc(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(format_utc(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
