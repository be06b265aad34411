//! Opening and saving: scenes, caches, what is dropped onto the window.

use std::path::{Path, PathBuf};

use eframe::egui;
use serde_json::json;

use super::{Showing, Studio};
use crate::document::{Change, Document, ScenePath};
use crate::player::Player;
use crate::viewport::Scenery;

/// Files kept in the list of recent ones.
const MOST_RECENT: usize = 12;
/// Meshes and points that can be dropped onto the window as a new object.
const MESHES: [&str; 5] = ["obj", "stl", "ply", "glb", "gltf"];

/// What becomes of the caches that are open when another one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caches {
    Keep,
    Replace,
}

impl Studio {
    /// Opens whatever a path is: a scene, a run folder, a folder of `.geo` files, or a mesh for a new object.
    pub fn open(&mut self, path: &Path) {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("geo" | "plf") => match path.parent() {
                Some(folder) if folder.ends_with("frames") => {
                    self.open_cache(folder.parent().unwrap_or(folder));
                }
                Some(folder) => self.open_cache(folder),
                None => self.say("this file is in no folder"),
            },
            _ if path.is_dir() => self.open_cache(path),
            Some(mesh) if MESHES.contains(&mesh) => self.add_mesh(path),
            _ => self.open_scene(path),
        }
    }

    fn open_scene(&mut self, path: &Path) {
        match Document::open(path) {
            Ok(document) => {
                self.take_document(document);
                self.note_recent(path);
                self.say(format!("opened {}", path.display()));
            }
            Err(error) => self.say(format!("cannot open {}: {error}", path.display())),
        }
    }

    /// Opens a cache in place of those that are open.
    pub fn open_cache(&mut self, path: &Path) {
        self.load_cache(path, Caches::Replace);
    }

    /// Opens a cache beside those that are open.
    pub fn add_cache(&mut self, path: &Path) {
        self.load_cache(path, Caches::Keep);
    }

    /// Reads the folder of a cache on another thread; it is shown when it is there.
    fn load_cache(&mut self, path: &Path, others: Caches) {
        let path = path.to_owned();
        self.in_background(move || {
            let opened = Player::open(&path);
            Box::new(move |studio| match opened {
                Ok(player) => studio.take_cache(player, others),
                Err(error) => studio.say(error),
            })
        });
    }

    fn take_cache(&mut self, player: Player, others: Caches) {
        if others == Caches::Replace {
            self.players.clear();
        }
        if self.players.is_empty() {
            self.camera.is_flat = player.scene().is_some_and(|scene| scene.dimension == 2);
            self.see_all();
            self.timeline.place = 0;
        }
        self.note_recent(player.path());
        self.say(format!("opened {}", player.path().display()));
        self.players.push(player);
        self.scenery.resize_with(self.players.len().max(1), Scenery::default);
        self.showing = Showing::Caches;
    }

    fn add_mesh(&mut self, path: &Path) {
        let material = self.document.tree().names(&ScenePath::parse("materials")).first().cloned();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let object = json!({
            "name": name,
            "material": material.unwrap_or_else(|| "jelly".to_owned()),
            "shape": { "mesh": { "path": path.to_string_lossy() } },
        });
        self.change(&Change::Append(ScenePath::parse("objects"), object));
        self.say(format!("added the mesh {name}"));
    }

    /// A new scene from a text.
    pub fn new_scene(&mut self, text: &str) {
        self.take_document(Document::new(text));
        self.recovered = None;
    }

    /// Saves the scene where it came from, or asks where to.
    pub fn save_scene(&mut self) {
        if self.document.path().is_none() {
            return self.ask_save_as();
        }
        match self.document.save() {
            Ok(()) => self.say(format!("saved {}", self.document.name())),
            Err(error) => self.say(format!("cannot save: {error}")),
        }
    }

    /// Saves the scene in a file.
    pub fn save_scene_as(&mut self, path: &Path) {
        let path = if path.extension().is_some() { path.to_owned() } else { path.with_extension("toml") };
        match self.document.save_as(&path) {
            Ok(()) => {
                self.note_recent(&path);
                self.say(format!("saved {}", path.display()));
            }
            Err(error) => self.say(format!("cannot save {}: {error}", path.display())),
        }
    }

    fn note_recent(&mut self, path: &Path) {
        let path: PathBuf = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(MOST_RECENT);
    }

    pub(super) fn take_dropped_files(&mut self, context: &egui::Context) {
        let files = context.input(|input| input.raw.dropped_files.clone());
        for file in files {
            self.open(file.path());
        }
    }
}
