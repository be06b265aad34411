//! Work that takes longer than a picture may: it is done on another thread, and what came of it is taken up later.

use std::sync::mpsc::{self, Receiver, TryRecvError};

use super::Studio;

/// What is done in the window when the work is over.
pub(super) type Outcome = Box<dyn FnOnce(&mut Studio) + Send>;

/// Work under way.
pub(super) struct Errand(Receiver<Outcome>);

impl Studio {
    /// Does work on another thread, and then its outcome in the window.
    pub(super) fn in_background(&mut self, work: impl FnOnce() -> Outcome + Send + 'static) {
        let (sender, receiver) = mpsc::channel();
        let context = self.context.clone();
        std::thread::spawn(move || {
            let _ = sender.send(work());
            context.request_repaint();
        });
        self.errands.push(Errand(receiver));
    }

    /// Does work on another thread and says what came of it; a script prints it.
    pub(super) fn report_in_background(&mut self, work: impl FnOnce() -> String + Send + 'static) {
        self.in_background(move || {
            let message = work();
            Box::new(move |studio| {
                if studio.script.is_some() {
                    println!("{message}");
                }
                studio.say(message);
            })
        });
    }

    /// Takes up what is done.
    pub(super) fn poll_errands(&mut self) {
        for errand in std::mem::take(&mut self.errands) {
            match errand.0.try_recv() {
                Ok(outcome) => outcome(self),
                Err(TryRecvError::Empty) => self.errands.push(errand),
                Err(TryRecvError::Disconnected) => self.say("a defect of Pliant ended this work"),
            }
        }
    }

    /// Whether work is under way.
    pub fn is_at_work(&self) -> bool {
        !self.errands.is_empty()
    }
}
