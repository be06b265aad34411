//! The document on disk: saved whole, saved by itself while it is edited, and re-read when another program changes it.

use std::io;
use std::path::{Path, PathBuf};

use super::Document;

/// How the file differs from what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Not at all.
    Same,
    /// Another program changed it.
    Changed(String),
}

/// How the names of unsaved texts without a file begin and end; between them is the number of the process.
const UNNAMED: (&str, &str) = ("pliant-studio-untitled-", ".autosave");

/// Where an unsaved text is kept: beside its file, hidden, so that a crash loses nothing. Windows without a file each have a
/// place of their own.
pub fn autosave_path(path: Option<&Path>) -> PathBuf {
    match path {
        Some(path) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.with_file_name(format!(".{name}.autosave"))
        }
        None => std::env::temp_dir().join(format!("{}{}{}", UNNAMED.0, std::process::id(), UNNAMED.1)),
    }
}

/// The newest unsaved text without a file that a process left which is gone.
fn orphan(folder: &Path, is_gone: impl Fn(u32) -> bool) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?.filter_map(|file| Some(file.ok()?.path()));
    let orphans = files.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let process = name.strip_prefix(UNNAMED.0).and_then(|rest| rest.strip_suffix(UNNAMED.1));
        process.and_then(|process| process.parse().ok()).is_some_and(&is_gone)
    });
    orphans.max_by_key(|path| std::fs::metadata(path).and_then(|data| data.modified()).ok())
}

/// Whether no such process runs; where that cannot be told, it is taken to be so of all others.
fn is_gone(process: u32) -> bool {
    process != std::process::id() && !Path::new("/proc").join(process.to_string()).exists()
}

impl Document {
    /// Stores the text where it came from.
    ///
    /// # Errors
    /// When it has no place yet, or cannot be written.
    pub fn save(&mut self) -> io::Result<()> {
        let Some(path) = self.path.clone() else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the scene has no file yet; use Save as"));
        };
        self.save_as(&path)
    }

    /// Stores the text in a file, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save_as(&mut self, path: &Path) -> io::Result<()> {
        write_whole(path, &self.text)?;
        self.forget_autosave();
        let moved = self.path.as_deref() != Some(path);
        self.path = Some(path.to_owned());
        self.saved.clone_from(&self.text);
        if moved {
            self.settle();
        }
        Ok(())
    }

    /// Keeps an unsaved text beside its file. Called now and then.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn autosave(&mut self) -> io::Result<()> {
        if !self.is_changed() || self.autosaved == self.text {
            return Ok(());
        }
        write_whole(&autosave_path(self.path()), &self.text)?;
        self.autosaved.clone_from(&self.text);
        Ok(())
    }

    /// The text that a crash left behind, if it differs from the stored one.
    pub fn left_behind(&self) -> Option<String> {
        let text = std::fs::read_to_string(autosave_path(self.path())).ok()?;
        (text != self.saved && !text.trim().is_empty()).then_some(text)
    }

    /// Takes over what a window that is gone left of a scene without a file.
    pub fn adopt_orphan(&self) {
        if let (None, Some(orphan)) = (self.path(), orphan(&std::env::temp_dir(), is_gone)) {
            // One that cannot be taken over stays where it is.
            let _ = std::fs::rename(orphan, autosave_path(None));
        }
    }

    /// Forgets the text that was kept.
    pub fn forget_autosave(&mut self) {
        let path = autosave_path(self.path());
        if path.exists() {
            // A text that stays behind is offered again, nothing worse.
            let _ = std::fs::remove_file(path);
        }
        self.autosaved.clone_from(&self.text);
    }

    /// Whether another program changed the file.
    pub fn look_outside(&self) -> Outside {
        let stored = self.path().and_then(|path| std::fs::read_to_string(path).ok());
        match stored {
            Some(text) if text != self.saved => Outside::Changed(text),
            _ => Outside::Same,
        }
    }

    /// Takes up the text another program wrote; the present one can be had back with undo.
    pub fn take_outside(&mut self, text: String) {
        self.saved.clone_from(&text);
        self.replace(text, None);
    }

    /// Keeps the present text although the file changed.
    pub fn keep_inside(&mut self, text: String) {
        self.saved = text;
    }
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let draft = path.with_file_name(format!("{name}.draft"));
    std::fs::write(&draft, text)?;
    std::fs::rename(&draft, path)
}

#[cfg(test)]
mod tests {
    use super::{Document, Outside, UNNAMED, autosave_path, is_gone, orphan};
    use crate::document::{Change, ScenePath};

    fn stored(text: &str) -> (tempfile::TempDir, Document) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, text).unwrap();
        (folder, Document::open(&path).unwrap())
    }

    #[test]
    fn nothing_is_lost_in_a_crash() {
        let (folder, mut document) = stored("pliant = 1\n");
        document.type_text("pliant = 1\nseed = 2\n".to_owned());
        document.autosave().unwrap();
        let again = Document::open(&folder.path().join("scene.toml")).unwrap();
        assert_eq!(again.left_behind().as_deref(), Some("pliant = 1\nseed = 2\n"));
        document.save().unwrap();
        assert!(!autosave_path(document.path()).exists());
        assert!(!document.is_changed());
    }

    #[test]
    fn a_change_from_outside_is_seen_and_can_be_taken_back() {
        let (_folder, mut document) = stored("pliant = 1\n");
        assert_eq!(document.look_outside(), Outside::Same);
        std::fs::write(document.path().unwrap(), "pliant = 1\nseed = 3\n").unwrap();
        let Outside::Changed(text) = document.look_outside() else { panic!("not seen") };
        document.take_outside(text);
        assert_eq!(document.text(), "pliant = 1\nseed = 3\n");
        document.undo();
        assert_eq!(document.text(), "pliant = 1\n");
    }

    #[test]
    fn like_changes_in_a_row_are_one_step_of_undo() {
        let (_folder, mut document) = stored("seed = 1\n");
        for seed in 2..9 {
            document.change(&Change::Set(ScenePath::parse("seed"), seed.into())).unwrap();
        }
        document.end_row();
        document.change(&Change::Set(ScenePath::parse("seed"), 9.into())).unwrap();
        document.undo();
        assert_eq!(document.text(), "seed = 8\n");
        document.undo();
        assert_eq!(document.text(), "seed = 1\n");
        document.redo();
        assert_eq!(document.text(), "seed = 8\n");
    }

    #[test]
    fn only_texts_of_windows_that_are_gone_are_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        for process in ["17", "18", "x"] {
            std::fs::write(folder.path().join(format!("{}{process}{}", UNNAMED.0, UNNAMED.1)), process)
                .unwrap();
        }
        let found = |is_gone: fn(u32) -> bool| {
            orphan(folder.path(), is_gone).map(|path| std::fs::read_to_string(path).unwrap())
        };
        assert_eq!(found(|process| process == 17).as_deref(), Some("17"));
        assert_eq!(found(|process| process == 18).as_deref(), Some("18"));
        assert_eq!(found(|_| false), None);
        assert!(!is_gone(std::process::id()));
    }
}
