//! From the files a user names to a simulation, and the copies that let a run folder stand alone.

use std::fs;
use std::path::{Component, Path, PathBuf};

use pliant_scene::{Scene, Source};
use pliant_store::{RunFolder, SceneFiles};

use crate::assets::named_files;
use crate::exit::{Failure, INPUT};
use crate::limits::check_memory;

/// Name of the copy of the options that changed the scene, in a run folder.
const OPTIONS_FILE: &str = "overrides.json";

/// A scene and the options it was read with.
pub struct LoadedScene {
    /// The checked scene.
    pub scene: Scene,
    /// `key=value` texts that changed it.
    pub overrides: Vec<String>,
}

impl LoadedScene {
    /// Reads and checks a scene file that fits into this machine, with `key=value` changes and perhaps another seed.
    pub fn read(path: &Path, set: &[String], seed: Option<u32>) -> Result<Self, Failure> {
        let mut overrides = set.to_vec();
        overrides.extend(seed.map(|seed| format!("seed={seed}")));
        let scene = Scene::load(path, &overrides)?;
        check_memory(&scene)?;
        Ok(Self { scene, overrides })
    }

    /// Reads the copy of the scene in a run folder.
    pub fn of_run(run: &RunFolder) -> Result<Self, Failure> {
        let path = run.path().join(OPTIONS_FILE);
        let overrides = if run.manifest().scene_files.iter().any(|name| name == OPTIONS_FILE) {
            let text = fs::read(&path).map_err(|error| Failure::io("read", &path, &error))?;
            serde_json::from_slice(&text)
                .map_err(|error| Failure::new(INPUT, format!("{} is damaged: {error}", path.display())))?
        } else {
            Vec::new()
        };
        let scene = Scene::load(&run.scene_path(), &overrides)?;
        check_memory(&scene)?;
        Ok(Self { scene, overrides })
    }

    /// The texts and files the scene is made of, for the run folder.
    pub fn files(&self) -> Result<SceneFiles, Failure> {
        let written: Vec<&Source> =
            self.scene.sources().iter().filter(|source| source.path.is_some()).collect();
        let Some((main, included)) = written.split_first() else {
            return Err(Failure::new(INPUT, "the scene was not read from a file; save it to one"));
        };
        let root = folder_of(main);
        let mut files = SceneFiles::new(main.text.as_bytes());
        for source in included {
            let name = relative(root, source.path.as_deref().unwrap_or(root))?;
            files = files.with_asset(name, source.text.as_bytes());
        }
        for path in named_files(self.scene.sources(), root) {
            let content = fs::read(&path).map_err(|error| Failure::io("read", &path, &error))?;
            files = files.with_asset(relative(root, &path)?, content);
        }
        if !self.overrides.is_empty() {
            let text = serde_json::to_vec(&self.overrides).expect("texts always serialise");
            files = files.with_asset(OPTIONS_FILE, text);
        }
        Ok(files)
    }
}

fn folder_of(source: &Source) -> &Path {
    source.path.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"))
}

/// The path as seen from the scene's folder, with `/`.
fn relative(root: &Path, path: &Path) -> Result<String, Failure> {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let parts: Option<Vec<&str>> = inner
        .components()
        .map(|component| match component {
            Component::Normal(part) => part.to_str(),
            _ => None,
        })
        .collect();
    parts.map(|parts| parts.join("/")).ok_or_else(|| {
        let message = format!("{} cannot be copied into the run folder; rename it", path.display());
        Failure::new(INPUT, message)
    })
}

/// Where a run of a scene goes: as asked, as the scene says, or named after the scene.
pub fn run_folder(asked: Option<&Path>, scene_path: &Path, scene: &Scene) -> PathBuf {
    let named = || {
        let stem = scene_path.file_stem().map_or_else(|| "scene".into(), std::ffi::OsStr::to_os_string);
        Path::new("runs").join(stem)
    };
    match (asked, &scene.output.directory) {
        (Some(folder), _) => folder.to_owned(),
        (None, Some(folder)) => PathBuf::from(folder),
        (None, None) => named(),
    }
}
