//! Checks texts in the background; only the newest matters.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use pliant_scene::Scene;

use super::Checked;

struct Question {
    revision: u64,
    text: String,
    folder: PathBuf,
}

/// The thread that checks scenes; it ends when this is dropped.
pub(super) struct Checker {
    questions: Sender<Question>,
    answers: Receiver<Checked>,
}

impl Checker {
    pub fn start() -> Self {
        let (questions, asked) = mpsc::channel::<Question>();
        let (answer, answers) = mpsc::channel();
        std::thread::spawn(move || {
            while let Ok(first) = asked.recv() {
                let newest = asked.try_iter().last().unwrap_or(first);
                let outcome = Scene::from_text(&newest.text, &newest.folder, &[]).map(Arc::new);
                if answer.send(Checked { revision: newest.revision, outcome }).is_err() {
                    return;
                }
            }
        });
        Self { questions, answers }
    }

    pub fn ask(&self, revision: u64, text: String, folder: PathBuf) {
        // The thread lives as long as this sender; a failed send means the program is ending.
        let _ = self.questions.send(Question { revision, text, folder });
    }

    pub fn take(&self) -> Option<Checked> {
        self.answers.try_iter().last()
    }
}
