//! A run folder as its one writer sees it.

use crate::checkpoint::{self, CheckpointMeta};
use crate::commit::{is_temporary, sweep_temporary_files, write_atomically};
use crate::container::{Encoded, footer_crc32c};
use crate::disk::Disk;
use crate::journal::{CheckpointEntry, Entry, FrameEntry, Journal};
use crate::lock::{LOCK_FILE, Lock};
use crate::manifest::{MANIFEST_FILE, Manifest, now_utc};
use crate::run::{Existing, JOURNAL_FILE, RunFolder, frame_file};
use crate::scene_files::SceneFiles;
use crate::{StoreError, frame};
use pliant_world::snapshot::Snapshot;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// All that a run leaves in its folder, and what is made from it later. The journal goes first: without it no frame
/// exists, so an interrupted removal never leaves half a run. The manifest stays until it is replaced.
const REPLACED: [&str; 15] = [
    JOURNAL_FILE,
    "frames",
    "checkpoints",
    "log.txt",
    "pictures",
    "movie.mp4",
    "plots",
    "surface",
    "vtp",
    "ply",
    "geo",
    "bgeo",
    "csv",
    "npz",
    "scene.toml",
];

/// A run folder, for writing. Holds its lock.
#[derive(Debug)]
pub struct RunWriter {
    disk: Arc<dyn Disk>,
    run: RunFolder,
    _lock: Lock,
}

/// What became of a frame that was handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameCommit {
    /// It is new and is now safely on disk.
    New,
    /// It was committed before, with the same content.
    Same,
    /// It was committed before, but its file had been damaged or lost; it is whole again.
    Repaired,
    /// It was committed before with other content, which was kept: the simulation did not repeat itself.
    Differs {
        /// Hash of the state committed before.
        committed_state: String,
        /// Hash of the state computed now.
        recomputed_state: String,
    },
}

impl RunWriter {
    pub(crate) fn create(
        disk: Arc<dyn Disk>,
        folder: &Path,
        scene: &SceneFiles,
        mut manifest: Manifest,
        existing: Existing,
    ) -> Result<Self, StoreError> {
        scene.check_paths()?;
        disk.create_folder(folder).map_err(|e| StoreError::io("create the folder", folder, e))?;
        refuse_foreign_content(folder)?;
        let lock = Lock::acquire(folder)?;
        clear(folder, existing)?;

        let hash = scene.hash();
        manifest.scene_sha256 = hash.to_string();
        manifest.scene_files = scene.names();
        manifest.save(&*disk, folder)?;
        scene.save(&*disk, folder)?;
        create_subfolders(&*disk, folder)?;
        // An empty journal, and with it the names of all of the above, goes to the disk before any frame.
        write_atomically(&*disk, &folder.join(JOURNAL_FILE), b"")?;
        let run =
            RunFolder { folder: folder.to_path_buf(), scene: hash, manifest, journal: Journal::default() };
        Ok(Self { disk, run, _lock: lock })
    }

    pub(crate) fn resume(disk: Arc<dyn Disk>, folder: &Path) -> Result<Self, StoreError> {
        RunFolder::open(folder)?;
        let lock = Lock::acquire(folder)?;
        // Read again: the former writer may have committed more before it let go of the lock.
        let run = RunFolder::open(folder)?;
        for name in ["", "frames", "checkpoints"] {
            sweep_temporary_files(&folder.join(name))?;
        }
        create_subfolders(&*disk, folder)?;
        let mut writer = Self { disk, run, _lock: lock };
        writer.list_frames_of_damaged_lines()?;
        Ok(writer)
    }

    /// A frame whose line is damaged was committed; it is listed again if its file is whole.
    fn list_frames_of_damaged_lines(&mut self) -> Result<(), StoreError> {
        let journal = &self.run.journal;
        if journal.damaged_lines().is_empty() {
            return Ok(());
        }
        let checkpoints = journal.checkpoints().iter().map(|entry| entry.frame);
        let Some(last) = journal.frames().keys().copied().chain(checkpoints).max() else { return Ok(()) };
        let missing: Vec<u32> = (0..=last).filter(|frame| !journal.frames().contains_key(frame)).collect();
        for number in missing {
            let path = self.run.frame_path(number);
            let Ok(bytes) = fs::read(&path) else { continue };
            let Ok(snapshot) = frame::decode(&path, &bytes, &self.run.scene) else { continue };
            if let Some(crc32c) = footer_crc32c(&bytes).filter(|_| snapshot.frame == number) {
                self.list_frame(&snapshot, bytes.len() as u64, crc32c)?;
            }
        }
        Ok(())
    }

    /// The folder, for reading what was committed.
    pub fn run(&self) -> &RunFolder {
        &self.run
    }

    /// Commits a frame. When this returns, the frame survives a crash.
    ///
    /// A frame that was committed before is never overwritten with other content: see [`FrameCommit::Differs`].
    pub fn commit_frame(&mut self, snapshot: &Snapshot) -> Result<FrameCommit, StoreError> {
        let encoded = frame::encode(snapshot, &self.run.scene)?;
        let Some(committed) = self.run.journal.frames().get(&snapshot.frame).cloned() else {
            self.write_frame(snapshot, &encoded)?;
            return Ok(FrameCommit::New);
        };
        match self.run.read_frame(snapshot.frame) {
            // Encoded again, so that a later version of the program, which signs its files, may go on with the run.
            Ok(before) if frame::encode(&before, &self.run.scene)? == encoded => Ok(FrameCommit::Same),
            Err(_) if committed.state_hash == snapshot.state_hash => {
                self.write_frame(snapshot, &encoded)?;
                Ok(FrameCommit::Repaired)
            }
            _ => Ok(FrameCommit::Differs {
                committed_state: committed.state_hash,
                recomputed_state: snapshot.state_hash.clone(),
            }),
        }
    }

    fn write_frame(&mut self, snapshot: &Snapshot, encoded: &Encoded) -> Result<(), StoreError> {
        write_atomically(&*self.disk, &self.run.frame_path(snapshot.frame), &encoded.bytes)?;
        self.list_frame(snapshot, encoded.bytes.len() as u64, encoded.crc32c)
    }

    fn list_frame(&mut self, snapshot: &Snapshot, bytes: u64, crc32c: u32) -> Result<(), StoreError> {
        self.append(Entry::Frame(FrameEntry {
            frame: snapshot.frame,
            step: snapshot.step,
            time: snapshot.time,
            file: frame_file(snapshot.frame),
            bytes,
            crc32c,
            state_hash: snapshot.state_hash.clone(),
        }))
    }

    /// Commits the exact state of the simulation; the oldest checkpoint beyond the third is removed.
    pub fn commit_checkpoint(
        &mut self,
        meta: CheckpointMeta,
        sections: &[(&str, &[u8])],
    ) -> Result<(), StoreError> {
        let encoded = checkpoint::encode(meta, sections, &self.run.scene);
        let (folder, name) = (self.run.checkpoint_folder(), checkpoint::file_name(meta.step));
        write_atomically(&*self.disk, &folder.join(&name), &encoded.bytes)?;
        self.append(Entry::Checkpoint(CheckpointEntry {
            step: meta.step,
            frame: meta.frame,
            time: meta.time,
            file: format!("checkpoints/{name}"),
            bytes: encoded.bytes.len() as u64,
            crc32c: encoded.crc32c,
        }))?;
        checkpoint::prune(&folder)
    }

    fn append(&mut self, entry: Entry) -> Result<(), StoreError> {
        self.run.journal.append(&*self.disk, &self.run.folder.join(JOURNAL_FILE), entry)
    }

    /// Changes the manifest and saves it.
    pub fn update_manifest(&mut self, change: impl FnOnce(&mut Manifest)) -> Result<(), StoreError> {
        change(&mut self.run.manifest);
        self.run.manifest.save(&*self.disk, &self.run.folder)
    }

    /// Appends a line with a time stamp to the log.
    pub fn log(&self, message: &str) -> Result<(), StoreError> {
        let path = self.run.folder.join("log.txt");
        let opened = OpenOptions::new().append(true).create(true).open(&path);
        let line = format!("{} {message}\n", now_utc());
        opened
            .and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(|e| StoreError::io("append to", &path, e))
    }
}

fn create_subfolders(disk: &dyn Disk, folder: &Path) -> Result<(), StoreError> {
    for name in ["frames", "checkpoints"] {
        let path = folder.join(name);
        disk.create_folder(&path).map_err(|e| StoreError::io("create the folder", &path, e))?;
    }
    Ok(())
}

/// A folder is free for a run if it holds a run already or nothing of note.
fn refuse_foreign_content(folder: &Path) -> Result<(), StoreError> {
    if folder.join(MANIFEST_FILE).is_file() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(|e| StoreError::io("list", folder, e))? {
        let entry = entry.map_err(|e| StoreError::io("list", folder, e))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != LOCK_FILE && !is_temporary(&name) {
            return Err(StoreError::NotEmpty { path: folder.to_path_buf(), entry: name });
        }
    }
    Ok(())
}

/// Removes the run in a folder, if there is one and that is allowed.
fn clear(folder: &Path, existing: Existing) -> Result<(), StoreError> {
    let journal = Journal::load(&folder.join(JOURNAL_FILE))?;
    let frames = journal.frames().len() + journal.damaged_lines().len();
    if frames > 0 && existing == Existing::Keep {
        let status = Manifest::load(folder).map_or("damaged", |manifest| manifest.status.word());
        return Err(StoreError::RunExists { path: folder.to_path_buf(), frames, status });
    }
    for name in REPLACED {
        let path = folder.join(name);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::io("remove", &path, error));
            }
            _ => {}
        }
    }
    sweep_temporary_files(folder)
}
