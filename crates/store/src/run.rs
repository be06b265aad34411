//! A run folder as a reader sees it.

use crate::checkpoint::{self, CheckpointMeta, Recovered};
use crate::commit::read_file;
use crate::container::footer_crc32c;
use crate::disk::{Disk, OperatingSystem};
use crate::journal::{FrameEntry, Journal};
use crate::lock::Lock;
use crate::manifest::Manifest;
use crate::scene_files::{SCENE_FILE, SceneFiles, SceneHash};
use crate::writer::RunWriter;
use crate::{StoreError, frame};
use pliant_world::snapshot::Snapshot;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the journal in a run folder.
pub(crate) const JOURNAL_FILE: &str = "journal.jsonl";

/// What to do about a run that is already in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse, unless it has no frame yet.
    Keep,
    /// Remove it and all that was made from it.
    Replace,
}

/// A run folder, for reading: frames, checkpoints, manifest.
#[derive(Debug)]
pub struct RunFolder {
    pub(crate) folder: PathBuf,
    pub(crate) scene: SceneHash,
    pub(crate) manifest: Manifest,
    pub(crate) journal: Journal,
}

impl RunFolder {
    /// Starts a new run in a folder that is empty or does not exist.
    pub fn create(
        folder: &Path,
        scene: &SceneFiles,
        manifest: Manifest,
        existing: Existing,
    ) -> Result<RunWriter, StoreError> {
        RunWriter::create(Arc::new(OperatingSystem), folder, scene, manifest, existing)
    }

    /// Goes on with a run: takes the lock and sweeps what a crash left behind.
    pub fn resume(folder: &Path) -> Result<RunWriter, StoreError> {
        RunWriter::resume(Arc::new(OperatingSystem), folder)
    }

    /// As [`RunFolder::create`] and [`RunFolder::resume`], on a disk of the caller's choice.
    pub fn on(disk: Arc<dyn Disk>) -> OnDisk {
        OnDisk(disk)
    }

    /// Opens a run for reading; another process may be writing to it.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let manifest = Manifest::load(folder)?;
        let journal = Journal::load(&folder.join(JOURNAL_FILE))?;
        let scene = SceneFiles::load(folder, &manifest.scene_files)?.hash();
        if scene.to_string() != manifest.scene_sha256 {
            return Err(StoreError::OtherScene { path: folder.join(SCENE_FILE) });
        }
        Ok(Self { folder: folder.to_path_buf(), scene, manifest, journal })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The copy of the scene that the run was made from.
    pub fn scene_path(&self) -> PathBuf {
        self.folder.join(SCENE_FILE)
    }

    /// The record of the run.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Number of the live process that is writing to the folder, if there is one.
    pub fn writer_process(&self) -> Option<u32> {
        Lock::holder(&self.folder)
    }

    /// What is wrong with the folder, though it can be used; one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let path = self.folder.join(JOURNAL_FILE);
        let line =
            |number: &usize| format!("line {number} of {} is damaged and was passed over", path.display());
        self.journal.damaged_lines().iter().map(line).collect()
    }

    /// The committed frames, in the order of their numbers.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = &FrameEntry> {
        self.journal.frames().values()
    }

    /// Reads and checks a committed frame.
    pub fn read_frame(&self, number: u32) -> Result<Snapshot, StoreError> {
        let entry = self.journal.frames().get(&number).ok_or_else(|| self.no_such_frame(number))?;
        let path = self.frame_path(number);
        let bytes = read_file(&path)?;
        let snapshot = frame::decode(&path, &bytes, &self.scene)?;
        if footer_crc32c(&bytes) != Some(entry.crc32c) || snapshot.frame != number {
            return Err(StoreError::damaged(&path, "it is not the file that the journal lists"));
        }
        Ok(snapshot)
    }

    /// The newest checkpoint that is whole and whose frames are all there.
    pub fn latest_checkpoint(&self) -> Result<Recovered, StoreError> {
        let listed = |meta: &CheckpointMeta| {
            let found = self.journal.frames().contains_key(&meta.frame);
            if found { Ok(()) } else { Err(format!("frame {} before it is not in the journal", meta.frame)) }
        };
        checkpoint::latest_good(&self.checkpoint_folder(), &self.scene, listed).map_err(|skipped| {
            let causes: Vec<String> = skipped.into_iter().map(|skipped| skipped.cause).collect();
            let skipped = if causes.is_empty() { String::new() } else { format!(" ({})", causes.join("; ")) };
            StoreError::NoCheckpoint { path: self.folder.clone(), skipped }
        })
    }

    pub(crate) fn checkpoint_folder(&self) -> PathBuf {
        self.folder.join("checkpoints")
    }

    pub(crate) fn frame_path(&self, number: u32) -> PathBuf {
        self.folder.join(frame_file(number))
    }

    fn no_such_frame(&self, frame: u32) -> StoreError {
        let frames = self.journal.frames();
        let available = match (frames.first_key_value(), frames.last_key_value()) {
            (Some((first, _)), Some((last, _))) => format!("it has frames {first} to {last}"),
            _ => "it has no frames yet".to_owned(),
        };
        StoreError::NoSuchFrame { path: self.folder.clone(), frame, available }
    }
}

/// File of a frame, relative to the run folder.
pub(crate) fn frame_file(number: u32) -> String {
    format!("frames/frame.{number:04}.plf")
}

/// Opens run folders for writing on a given disk.
#[derive(Debug)]
pub struct OnDisk(Arc<dyn Disk>);

impl OnDisk {
    /// As [`RunFolder::create`].
    pub fn create(
        &self,
        folder: &Path,
        scene: &SceneFiles,
        manifest: Manifest,
        existing: Existing,
    ) -> Result<RunWriter, StoreError> {
        RunWriter::create(self.0.clone(), folder, scene, manifest, existing)
    }

    /// As [`RunFolder::resume`].
    pub fn resume(&self, folder: &Path) -> Result<RunWriter, StoreError> {
        RunWriter::resume(self.0.clone(), folder)
    }
}
