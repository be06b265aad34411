//! What the window does to the scene and the simulation, and which states it shows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Showing, Studio, View};
use crate::document::{Change, Document};
use crate::form::Form;
use crate::panels::Selection;
use crate::player::Player;
use crate::viewport::State;
use crate::worker::{Command, Effort, Phase};

impl Studio {
    /// Whether the simulation goes on.
    pub fn is_playing(&self) -> bool {
        match self.showing {
            Showing::Live => self.worker.phase() == Phase::Playing,
            Showing::Caches => self.timeline.is_playing,
        }
    }

    /// Whether the window is dark.
    pub fn is_dark(&self) -> bool {
        self.is_dark
    }

    /// Width and height of the viewport as it was drawn last [pixels]; none without an adapter.
    pub fn drawn_pixels(&self) -> Option<[u32; 2]> {
        self.view.as_ref()?.drawn_pixels()
    }

    /// Whether the viewport shows what it should, and not still the picture before.
    pub fn is_drawn(&self) -> bool {
        self.view.as_ref().is_none_or(View::is_current)
    }

    /// Longest the window took for one picture of itself since this was asked last.
    pub fn take_longest_picture(&mut self) -> Duration {
        std::mem::take(&mut self.fps.longest)
    }

    /// Whether the simulation is of an older text.
    pub fn is_stale(&self) -> bool {
        self.loaded.is_some_and(|loaded| loaded != self.document.revision())
    }

    /// Makes a change of the scene.
    pub fn change(&mut self, change: &Change) {
        if let Err(error) = self.document.change(change) {
            self.say(error.to_string());
        }
    }

    /// Draws a form and applies what was changed in it.
    pub(crate) fn form(&mut self, draw: impl FnOnce(&mut Form<'_>)) {
        let mut form = Form::new(&self.document, &self.schema);
        draw(&mut form);
        let (changes, is_row_over) = (std::mem::take(&mut form.changes), form.is_row_over);
        for change in &changes {
            self.change(change);
        }
        if is_row_over {
            self.document.end_row();
        }
    }

    /// Takes up a new document; the simulation follows once it is checked.
    pub fn take_document(&mut self, document: Document) {
        self.recovered = document.left_behind();
        self.document = document;
        self.forget_scene_changes();
        self.loaded = None;
        self.frames_camera = true;
        self.showing = Showing::Live;
        self.selection = Selection::default();
        self.history.clear();
        self.effort = Effort::default();
        self.outside = None;
    }

    /// Starts the scene afresh, with all changes.
    pub fn reset(&mut self) {
        match self.document.scene() {
            Some(scene) => self.load(Command::Load(scene)),
            None => self.say("the scene has mistakes; mend them first"),
        }
    }

    pub(super) fn load(&mut self, command: Command) {
        if matches!(command, Command::Load(_)) {
            self.history.clear();
        }
        if let Command::Load(scene) | Command::Swap(scene) = &command {
            self.given = Some(Arc::clone(scene));
        }
        self.worker.send(command);
        self.loaded = Some(self.document.revision());
        self.showing = Showing::Live;
    }

    /// Plays or pauses.
    pub fn toggle_play(&mut self) {
        match self.showing {
            Showing::Caches => {
                self.timeline.is_playing = !self.timeline.is_playing;
                self.timeline.last = Instant::now();
            }
            Showing::Live if self.worker.phase() == Phase::Playing => self.worker.send(Command::Pause),
            Showing::Live if self.loaded.is_none() => self.plays_when_loaded = true,
            Showing::Live => {
                if self.worker.phase() == Phase::Finished {
                    self.reset();
                }
                self.worker.send(Command::Play);
            }
        }
    }

    /// The states that are shown now, one for each picture.
    pub fn states(&mut self) -> Vec<State> {
        match self.showing {
            Showing::Live => {
                let nodes = self.shown.stage.as_ref().and_then(|stage| stage.nodes.clone());
                let snapshot = Arc::clone(&self.shown.snapshot);
                vec![State { nodes, ..State::new(snapshot, self.shown.scene.clone()) }]
            }
            Showing::Caches => {
                let places = self.places();
                let state = |(player, place): (&mut Player, usize)| {
                    let snapshot = player.shown_at(place)?;
                    Some(State { title: player.name(), ..State::new(snapshot, player.scene().cloned()) })
                };
                self.players.iter_mut().zip(places).filter_map(state).collect()
            }
        }
    }

    /// Where each cache stands: the first at the place of the timeline, the others at the same time.
    fn places(&self) -> Vec<usize> {
        let place = self.timeline.place;
        let time = self.players.first().and_then(|first| first.marks().get(place)).map_or(0.0, |m| m.time);
        let others = self.players.iter().skip(1).map(|player| player.place_of(time));
        std::iter::once(place).chain(others).collect()
    }

    /// Whether the frames of all caches at the present place have been read.
    pub fn has_frames(&mut self) -> bool {
        let places = self.places();
        // All are asked for, also where the first is not there yet.
        let missing = self.players.iter_mut().zip(places).filter_map(|(player, place)| {
            let is_readable = player.damaged().len() < player.marks().len();
            (is_readable && player.frame_at(place).is_none()).then_some(())
        });
        missing.count() == 0
    }

    /// Whether what is shown is of the scene or runs that were opened last, and not still what was there before.
    pub(super) fn shows_what_was_opened(&self) -> bool {
        match (self.showing, &self.shown.scene, &self.given) {
            (Showing::Caches, ..) => true,
            (Showing::Live, Some(shown), Some(given)) => self.loaded.is_some() && Arc::ptr_eq(shown, given),
            (Showing::Live, ..) => false,
        }
    }

    /// Moves the camera so that everything is seen.
    pub fn see_all(&mut self) {
        self.frames_camera = true;
    }
}
