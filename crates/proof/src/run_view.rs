//! A look into a run folder from outside, whatever state it is in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pliant_store::RunFolder;
use pliant_store::journal::Journal;
use pliant_world::{Column, Snapshot};

/// A run folder as it lies on disk; nothing is written or locked.
#[derive(Clone, Debug)]
pub struct RunView {
    path: PathBuf,
}

impl RunView {
    /// Of the run in a folder.
    pub fn of(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Frames and state hashes that the journal lists; torn and damaged lines list nothing.
    pub fn committed(&self) -> Vec<(u32, String)> {
        let journal = Journal::load(&self.path.join("journal.jsonl")).unwrap_or_default();
        journal.frames().iter().map(|(frame, entry)| (*frame, entry.state_hash.clone())).collect()
    }

    /// Whether the run was begun, so that it can be resumed.
    pub fn is_begun(&self) -> bool {
        self.path.join("manifest.json").exists() && self.path.join("journal.jsonl").exists()
    }

    /// All files below the folder, sorted, relative to it.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.path.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else if let Ok(inner) = entry.path().strip_prefix(&self.path) {
                    found.push(inner.to_owned());
                }
            }
        }
        found.sort();
        found
    }

    /// Files of unfinished writes.
    pub fn stray_files(&self) -> Vec<PathBuf> {
        let is_stray = |path: &PathBuf| path.to_string_lossy().contains("tmp");
        self.files().into_iter().filter(is_stray).collect()
    }

    /// Names and contents of the files in a folder of the run, such as `vtp`.
    pub fn contents(&self, folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let inside = self.files().into_iter().filter(|path| path.starts_with(folder));
        inside.map(|path| (path.clone(), fs::read(self.path.join(&path)).unwrap_or_default())).collect()
    }

    /// All frames, read as exporters and pictures read them.
    ///
    /// # Errors
    /// When a listed frame does not read well.
    pub fn snapshots(&self) -> io::Result<Vec<Snapshot>> {
        let run = RunFolder::open(&self.path).map_err(io::Error::other)?;
        run.frames().map(|entry| run.read_frame(entry.frame).map_err(io::Error::other)).collect()
    }
}

/// The name of the first column or quantity of a frame with a value that is not finite.
pub fn non_finite(snapshot: &Snapshot) -> Option<String> {
    let quantity = snapshot.quantities.iter().find(|(_, value)| !value.is_finite());
    let is_bad = |column: &Column| match column {
        Column::Scalar(values) => values.iter().any(|value| !value.is_finite()),
        Column::Vector(values) => values.iter().flatten().any(|value| !value.is_finite()),
        Column::Tensor(values) => values.iter().flatten().any(|value| !value.is_finite()),
        Column::Integer(_) => false,
    };
    let column = snapshot.fields.iter().find(|field| is_bad(&field.column));
    quantity.map(|(name, _)| name.clone()).or_else(|| column.map(|field| field.name.clone()))
}
