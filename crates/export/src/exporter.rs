//! Writes a sequence of files, one a snapshot.

use crate::{ExportError, Format, UpAxis, pvd};
use pliant_world::snapshot::Snapshot;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Choices that hold for all files of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What the files are called, without number and extension.
    pub name: String,
    /// The axis that points up in the files.
    pub up_axis: UpAxis,
    /// Frames a second of simulated time, for formats that store it.
    pub frames_per_second: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { name: "particles".into(), up_axis: UpAxis::Y, frames_per_second: 24.0 }
    }
}

/// Writes snapshots in one format, into a folder of its own.
#[derive(Debug)]
pub struct Exporter {
    format: Format,
    folder: PathBuf,
    options: Options,
    /// Time of each frame written so far.
    times: BTreeMap<u32, f64>,
    /// The last file, kept for its memory: frames are of nearly the same size.
    buffer: Vec<u8>,
}

impl Exporter {
    /// Makes the folder `PARENT/FORMAT` and removes what an interrupted export may have left there half-written.
    pub fn new(format: Format, parent: &Path, options: Options) -> Result<Self, ExportError> {
        let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        if options.name.is_empty() || !options.name.chars().all(plain) {
            return Err(ExportError::UnsuitableName { name: options.name });
        }
        let folder = parent.join(format.name());
        fs::create_dir_all(&folder).map_err(|e| io_error("create the folder", &folder, e))?;
        let exporter = Self { format, folder, options, times: BTreeMap::new(), buffer: Vec::new() };
        exporter.sweep()?;
        Ok(exporter)
    }

    /// The folder the files go to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Counts a frame that an earlier export wrote as part of the sequence, if its file is there: for runs that are
    /// resumed. `time` is the simulated time in seconds.
    pub fn keep(&mut self, frame: u32, time: f64) {
        if self.folder.join(self.file_name(frame)).is_file() {
            self.times.insert(frame, time);
        }
    }

    /// Writes the file of one snapshot and says where; with VTP, the PVD collection too, so that it is valid and
    /// complete at every moment.
    pub fn write(&mut self, snapshot: &Snapshot) -> Result<PathBuf, ExportError> {
        check(snapshot)?;
        let turned = self.options.up_axis.turn(snapshot);
        let path = self.folder.join(self.file_name(snapshot.frame));
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.buffer = self.format.encode(&turned, self.options.frames_per_second, buffer);
        write_renamed(&path, &self.buffer)?;
        self.times.insert(snapshot.frame, snapshot.time);
        if self.format == Format::Vtp {
            let entries = self.times.iter().map(|(frame, time)| (self.file_name(*frame), *time));
            write_renamed(&self.folder.join(format!("{}.pvd", self.options.name)), &pvd::encode(entries))?;
        }
        Ok(path)
    }

    fn file_name(&self, frame: u32) -> String {
        format!("{}.{frame:04}.{}", self.options.name, self.format.name())
    }

    fn sweep(&self) -> Result<(), ExportError> {
        let entries = fs::read_dir(&self.folder).map_err(|e| io_error("list", &self.folder, e))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&format!(".{}.", self.options.name)) && name.ends_with(".tmp") {
                fs::remove_file(entry.path()).map_err(|e| io_error("remove", &entry.path(), e))?;
            }
        }
        Ok(())
    }
}

fn io_error(action: &'static str, path: &Path, source: std::io::Error) -> ExportError {
    ExportError::Io { action, path: path.to_path_buf(), source }
}

/// Programs that watch the folder never see half a file. Not synced: an export can be made again from the run.
fn write_renamed(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let temporary = path.with_file_name(format!(".{name}.tmp"));
    let written = fs::write(&temporary, bytes)
        .map_err(|e| io_error("write", &temporary, e))
        .and_then(|()| fs::rename(&temporary, path).map_err(|e| io_error("rename a new file to", path, e)));
    if written.is_err() {
        // Best effort: what cannot be removed now is swept by the next export.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// What all encoders rely on.
fn check(snapshot: &Snapshot) -> Result<(), ExportError> {
    let invalid = |column: &str, cause| ExportError::InvalidSnapshot {
        frame: snapshot.frame,
        column: column.to_owned(),
        cause,
    };
    let positions =
        snapshot.vectors(Snapshot::POSITION).ok_or_else(|| invalid(Snapshot::POSITION, "is missing"))?;
    for (index, field) in snapshot.fields.iter().enumerate() {
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        if field.column.len() != positions.len() {
            return Err(invalid(&field.name, "has not one value a particle"));
        }
        if field.name.is_empty() || !field.name.chars().all(plain) {
            return Err(invalid(&field.name, "has a name that is not one word"));
        }
        if snapshot.fields[..index].iter().any(|other| other.name == field.name) {
            return Err(invalid(&field.name, "is there twice"));
        }
    }
    Ok(())
}
