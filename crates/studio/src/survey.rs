//! A cache from end to end: its quantities and those of one particle over time, read on a thread of its own.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError};

use crate::history::{History, Moment};
use crate::player::{Player, read_through};

/// What is known of a cache so far.
#[derive(Default)]
pub struct Survey {
    path: PathBuf,
    /// Rows over time, and those of the chosen particle.
    pub history: History,
    coming: Option<Receiver<Moment>>,
    /// Frames that were read, or are being read.
    asked: usize,
}

impl Survey {
    /// Goes on with a cache; begins anew where the cache or the particle is another. Returns whether there is news.
    pub fn follow(&mut self, player: &Player, particle: Option<u32>) -> bool {
        if self.path != player.path() || self.history.probe().map(|probe| probe.id) != particle {
            *self = Self { path: player.path().to_owned(), ..Self::default() };
            self.history.choose(particle);
        }
        let is_new = self.take();
        if self.coming.is_none() && self.asked < player.marks().len() {
            let frames = player.marks()[self.asked..].iter().map(|mark| mark.frame).collect();
            self.asked = player.marks().len();
            self.coming =
                Some(read_through(&self.path, frames, move |snapshot| Moment::of(snapshot, particle)));
        }
        is_new
    }

    fn take(&mut self) -> bool {
        let mut is_new = false;
        loop {
            match self.coming.as_ref().map(Receiver::try_recv) {
                Some(Ok(moment)) => {
                    self.history.push(moment);
                    is_new = true;
                }
                Some(Err(TryRecvError::Disconnected)) => {
                    self.coming = None;
                    return true;
                }
                Some(Err(TryRecvError::Empty)) | None => return is_new,
            }
        }
    }

    /// Whether frames are still being read.
    pub fn is_busy(&self) -> bool {
        self.coming.is_some()
    }
}
