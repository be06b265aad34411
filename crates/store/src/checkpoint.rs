//! Checkpoints: the exact state of a simulation as opaque named sections, and the way back to the last good one.

use crate::StoreError;
use crate::commit::read_file;
use crate::container::{self, Builder, Encoded, Kind};
use crate::scene_files::SceneHash;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// How many checkpoints are kept: should the newest be damaged, two older ones are there.
pub const GENERATIONS: usize = 3;
const META: &str = "meta";
const PREFIX: &str = "checkpoint.";
const SUFFIX: &str = ".plc";

/// Where in the simulation a checkpoint was taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckpointMeta {
    /// Steps taken since the start.
    pub step: u64,
    /// The last frame committed before it.
    pub frame: u32,
    /// Simulated time, in seconds.
    pub time: f64,
}

/// The exact state of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Where in the simulation it was taken.
    pub meta: CheckpointMeta,
    /// The state, as the solver packed it, by name.
    pub sections: Vec<(String, Vec<u8>)>,
}

impl Checkpoint {
    /// The section of that name.
    pub fn section(&self, name: &str) -> Option<&[u8]> {
        self.sections.iter().find(|(key, _)| key == name).map(|(_, bytes)| bytes.as_slice())
    }
}

/// The newest checkpoint that can be trusted, and the newer ones that cannot.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The checkpoint to go on from.
    pub checkpoint: Checkpoint,
    /// Its file.
    pub path: PathBuf,
    /// Newer files that were passed over.
    pub skipped: Vec<Skipped>,
}

/// A checkpoint that was passed over.
#[derive(Clone, Debug)]
pub struct Skipped {
    /// Its file.
    pub path: PathBuf,
    /// Why it cannot be used.
    pub cause: String,
}

/// The file of a checkpoint.
pub fn encode(meta: CheckpointMeta, sections: &[(&str, &[u8])], scene: &SceneHash) -> Encoded {
    let packed = postcard::to_stdvec(&meta).expect("plain values always serialise to memory");
    let capacity = packed.len() + sections.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let mut builder = Builder::new(Kind::Checkpoint, scene, capacity);
    builder.block(META, |out| out.extend_from_slice(&packed));
    for (name, bytes) in sections {
        builder.block(name, |out| out.extend_from_slice(bytes));
    }
    builder.finish()
}

/// The checkpoint in a file. `path` is for messages only.
pub fn decode(path: &Path, bytes: &[u8], scene: &SceneHash) -> Result<Checkpoint, StoreError> {
    let blocks = container::decode(path, bytes, Kind::Checkpoint, scene)?;
    let parsed =
        blocks.split_first().filter(|(first, _)| first.name == META).and_then(|(first, sections)| {
            let (meta, rest) = postcard::take_from_bytes::<CheckpointMeta>(first.payload).ok()?;
            rest.is_empty().then_some((meta, sections))
        });
    let (meta, sections) = parsed.ok_or_else(|| StoreError::damaged(path, "its meta data is unreadable"))?;
    let sections = sections.iter().map(|block| (block.name.to_owned(), block.payload.to_vec())).collect();
    Ok(Checkpoint { meta, sections })
}

/// Name of the checkpoint file of a step.
pub(crate) fn file_name(step: u64) -> String {
    format!("{PREFIX}{step:010}{SUFFIX}")
}

/// The checkpoint files in a folder, newest first.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = fs::read_dir(folder).map_err(|e| StoreError::io("list", folder, e))?;
    let mut found: Vec<(u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let step = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.parse().ok()?;
            Some((step, entry.path()))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Walks back from the newest checkpoint to the first that is whole, of this scene, and acceptable to `usable`,
/// which says why one is not.
pub(crate) fn latest_good(
    folder: &Path,
    scene: &SceneHash,
    usable: impl Fn(&CheckpointMeta) -> Result<(), String>,
) -> Result<Recovered, Vec<Skipped>> {
    let mut skipped = Vec::new();
    let files = list(folder)
        .map_err(|error| vec![Skipped { path: folder.to_path_buf(), cause: error.to_string() }])?;
    for path in files {
        let read = read_file(&path)
            .and_then(|bytes| decode(&path, &bytes, scene))
            .map_err(|error| error.to_string());
        match read.and_then(|checkpoint| usable(&checkpoint.meta).map(|()| checkpoint)) {
            Ok(checkpoint) => return Ok(Recovered { checkpoint, path, skipped }),
            Err(cause) => skipped.push(Skipped { path, cause }),
        }
    }
    Err(skipped)
}

/// Removes all but the newest [`GENERATIONS`] files.
pub(crate) fn prune(folder: &Path) -> Result<(), StoreError> {
    for path in list(folder)?.into_iter().skip(GENERATIONS) {
        fs::remove_file(&path).map_err(|e| StoreError::io("remove", &path, e))?;
    }
    Ok(())
}
