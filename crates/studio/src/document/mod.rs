//! The scene as people edit it: one text that panels and the text tab change, with a way back.
//!
//! The text is the only truth. Panels change it through [`Change`], which keeps comments and order; a thread of its own
//! checks every new text, so that a large mesh never holds up the window.

mod checker;
mod edit;
mod entries;
mod files;
mod layout;
mod path;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant_scene::{Scene, SceneError};

use crate::past::Past;
use checker::Checker;
pub use edit::{Change, EditError};
pub use files::{Outside, autosave_path};
pub use path::{Key, ScenePath};
pub use tree::Tree;

/// A scene text, where it is stored, and how it came to be.
pub struct Document {
    path: Option<PathBuf>,
    text: String,
    saved: String,
    tree: Tree,
    past: Past<String>,
    /// What changed last: changes of one kind in a row become one step of undo.
    last_change: Option<String>,
    revision: u64,
    checker: Checker,
    checked: Option<Checked>,
    autosaved: String,
}

/// What the check of a text found.
#[derive(Clone)]
struct Checked {
    revision: u64,
    outcome: Result<Arc<Scene>, SceneError>,
}

impl Document {
    /// A text that is not stored anywhere yet; files it names are looked for in the current folder.
    pub fn new(text: &str) -> Self {
        Self::with(None, text.to_owned())
    }

    /// Opens a scene file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let text = std::fs::read_to_string(path)?;
        Ok(Self::with(Some(path.to_owned()), text))
    }

    fn with(path: Option<PathBuf>, text: String) -> Self {
        let mut document = Self {
            path,
            saved: text.clone(),
            autosaved: text.clone(),
            tree: Tree::default(),
            text,
            past: Past::default(),
            last_change: None,
            revision: 0,
            checker: Checker::start(),
            checked: None,
        };
        document.past.observe(&document.text);
        document.settle();
        document
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its values; those of the last text that was TOML.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Where it is stored.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What the window is called after.
    pub fn name(&self) -> String {
        let name = self.path.as_deref().and_then(Path::file_name);
        name.map_or_else(|| "untitled".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Counts the texts there were.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the text differs from the stored one.
    pub fn is_changed(&self) -> bool {
        self.text != self.saved
    }

    /// Makes a change.
    ///
    /// # Errors
    /// When the text is not TOML, or lacks the place; nothing changes then.
    pub fn change(&mut self, change: &Change) -> Result<(), EditError> {
        let text = change.apply(&self.text)?;
        let kind = match change {
            Change::Set(path, _) => Some(format!("set {path}")),
            _ => None,
        };
        self.replace(text, kind);
        Ok(())
    }

    /// Writes another text, as typed.
    pub fn type_text(&mut self, text: String) {
        self.replace(text, Some("typing".to_owned()));
    }

    /// Ends a row of like changes: the next one is a new step of undo.
    pub fn end_row(&mut self) {
        self.last_change = None;
    }

    fn replace(&mut self, text: String, kind: Option<String>) {
        if text == self.text {
            return;
        }
        self.text = text;
        if kind.is_some() && kind == self.last_change {
            self.past.amend(&self.text);
        } else {
            self.past.observe(&self.text);
        }
        self.last_change = kind;
        self.settle();
    }

    /// Whether there is a way back.
    pub fn can_undo(&self) -> bool {
        self.past.can_go_back()
    }

    /// Counts the changes that can be taken back one by one.
    pub fn changes(&self) -> u64 {
        self.past.changes()
    }

    /// Takes the last change back.
    pub fn undo(&mut self) {
        if let Some(text) = self.past.back() {
            self.bring_back(text);
        }
    }

    /// Makes the change that was taken back last.
    pub fn redo(&mut self) {
        if let Some(text) = self.past.forward() {
            self.bring_back(text);
        }
    }

    fn bring_back(&mut self, text: String) {
        self.text = text;
        self.last_change = None;
        self.settle();
    }

    /// Takes up a new text: its values, and a check in the background.
    fn settle(&mut self) {
        self.revision += 1;
        if let Some(tree) = Tree::parse(&self.text) {
            self.tree = tree;
        }
        self.checker.ask(self.revision, self.text.clone(), self.folder());
    }

    /// Where files the scene names are looked for.
    pub fn folder(&self) -> PathBuf {
        let folder = self.path.as_deref().and_then(Path::parent).map(Path::to_owned);
        folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| PathBuf::from("."))
    }

    /// Takes up what the check in the background found. Returns whether there is news.
    pub fn poll(&mut self) -> bool {
        let news = self.checker.take();
        let is_new = news.is_some();
        self.checked = news.or_else(|| self.checked.take());
        is_new
    }

    /// Whether the present text has been checked.
    pub fn is_checked(&self) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.revision == self.revision)
    }

    /// The scene, if the present text is one.
    pub fn scene(&self) -> Option<Arc<Scene>> {
        let checked = self.checked.as_ref().filter(|checked| checked.revision == self.revision)?;
        checked.outcome.as_ref().ok().cloned()
    }

    /// What is wrong with the last text that was checked.
    pub fn problems(&self) -> &[pliant_scene::Problem] {
        match &self.checked {
            Some(Checked { outcome: Err(error), .. }) => &error.problems,
            _ => &[],
        }
    }

    /// What is wrong with the value at a place.
    pub fn problem_at(&self, path: &ScenePath) -> Option<String> {
        let line = self.tree.line_of(path)?;
        let found = self
            .problems()
            .iter()
            .find(|problem| problem.location.as_ref().is_some_and(|place| place.line == line))?;
        Some(match &found.help {
            Some(help) => format!("{}; {help}", found.message),
            None => found.message.clone(),
        })
    }
}
