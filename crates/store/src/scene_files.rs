//! The scene and the files it names, copied into the run folder so that resuming needs nothing else.

use crate::StoreError;
use crate::commit::{read_file, write_atomically};
use crate::disk::Disk;
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::{Component, Path};

/// Name of the scene in a run folder.
pub const SCENE_FILE: &str = "scene.toml";
/// Names in a run folder that a scene's own files must not take.
const RESERVED: [&str; 7] =
    ["manifest.json", "journal.jsonl", "log.txt", "lock", "frames", "checkpoints", SCENE_FILE];

/// SHA-256 over the scene and the files it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneHash(pub [u8; 32]);

impl fmt::Display for SceneHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A scene's text and the files it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneFiles {
    /// Content of the scene file.
    pub scene: Vec<u8>,
    /// Path relative to the scene, with `/`, and content of each file it names.
    pub assets: Vec<(String, Vec<u8>)>,
}

impl SceneFiles {
    /// A scene that names no other file.
    pub fn new(scene: impl Into<Vec<u8>>) -> Self {
        Self { scene: scene.into(), assets: Vec::new() }
    }

    /// Adds a file the scene names.
    pub fn with_asset(mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.assets.push((path.into(), content.into()));
        self
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let assets = self.assets.iter().map(|(path, content)| (path.as_str(), content.as_slice()));
        std::iter::once((SCENE_FILE, self.scene.as_slice())).chain(assets)
    }

    /// The names of all files, the scene first.
    pub fn names(&self) -> Vec<String> {
        self.iter().map(|(path, _)| path.to_owned()).collect()
    }

    /// Identifies the scene: the names and contents of all files.
    pub fn hash(&self) -> SceneHash {
        let mut hasher = Sha256::new();
        for (path, content) in self.iter() {
            // Lengths first, so that no two lists of files run together into the same bytes.
            hasher.update((path.len() as u64).to_le_bytes());
            hasher.update(path);
            hasher.update((content.len() as u64).to_le_bytes());
            hasher.update(content);
        }
        SceneHash(hasher.finalize().into())
    }

    pub(crate) fn check_paths(&self) -> Result<(), StoreError> {
        for (path, _) in &self.assets {
            check_path(path).map_err(|cause| StoreError::UnsuitablePath { path: path.clone(), cause })?;
        }
        Ok(())
    }

    pub(crate) fn save(&self, disk: &dyn Disk, folder: &Path) -> Result<(), StoreError> {
        for (name, content) in self.iter() {
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(folder);
            disk.create_folder(parent).map_err(|e| StoreError::io("create the folder", parent, e))?;
            write_atomically(disk, &path, content)?;
        }
        Ok(())
    }

    /// Reads the files of those names (the first is the scene) back from a run folder.
    pub(crate) fn load(folder: &Path, names: &[String]) -> Result<Self, StoreError> {
        let mut files = Self::new(read_file(&folder.join(SCENE_FILE))?);
        for name in names.iter().skip(1) {
            check_path(name).map_err(|cause| StoreError::UnsuitablePath { path: name.clone(), cause })?;
            files.assets.push((name.clone(), read_file(&folder.join(name))?));
        }
        Ok(files)
    }
}

fn check_path(path: &str) -> Result<(), &'static str> {
    let mut components = Path::new(path).components();
    let Some(Component::Normal(first)) = components.next() else {
        return Err("it must be relative to the scene's folder");
    };
    if !components.all(|component| matches!(component, Component::Normal(_))) {
        return Err("it must not lead out of the scene's folder");
    }
    if RESERVED.iter().any(|name| first == *name) {
        return Err("its name is one the run folder needs; rename the file or its folder");
    }
    Ok(())
}
