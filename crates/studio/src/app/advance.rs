//! What happens from one picture to the next, before anything is drawn.

use std::time::{Duration, Instant};

use super::{Apply, FrameWriter, HOUSEKEEPING, Showing, Studio};
use crate::document::Outside;
use crate::worker::{Command, Phase};

impl Studio {
    /// What happens between pictures.
    pub(crate) fn advance(&mut self) {
        self.fps.tick();
        if let Some(view) = &mut self.view {
            view.receive();
        }
        self.poll_errands();
        if self.document.poll() {
            self.context.request_repaint();
        }
        self.follow_document();
        self.shown = self.worker.shown();
        if self.shown.effort.steps > 0 {
            self.effort = self.shown.effort.clone();
        }
        let is_building = self.worker.phase() == Phase::Building;
        self.building = is_building.then(|| self.building.unwrap_or_else(Instant::now));
        for passed in self.worker.passed() {
            self.history.record(&passed);
            if let Some(writer) = &mut self.frame_writer {
                writer.offer(&passed.snapshot);
            }
        }
        if let Some(failure) = self.frame_writer.as_ref().and_then(FrameWriter::failure) {
            self.say(failure);
        }
        self.teaching.observe(&self.shown);
        self.bench.poll();
        let mut news = false;
        for player in &mut self.players {
            news |= player.poll();
        }
        self.advance_timeline();
        news |= self.survey_cache();
        if news || self.is_playing() || self.bench.is_running() || self.recording.is_some() {
            self.context.request_repaint();
        } else if !self.players.is_empty() {
            self.context.request_repaint_after(Duration::from_millis(250));
        }
        if !self.document.is_checked() {
            self.context.request_repaint_after(Duration::from_millis(30));
        }
        if self.housekeeping.elapsed() > HOUSEKEEPING {
            self.keep_house();
        }
        self.advance_recording();
    }

    /// Reads the first cache from end to end once its charts are wanted.
    fn survey_cache(&mut self) -> bool {
        let particle = self.history.probe().map(|probe| probe.id);
        let is_wanted = self.tab == crate::panels::Tab::Charts || particle.is_some();
        match self.players.first().filter(|_| self.showing == Showing::Caches && is_wanted) {
            Some(first) => self.survey.follow(first, particle),
            None => false,
        }
    }

    fn follow_document(&mut self) {
        let Some(scene) = self.document.scene() else { return };
        match (self.loaded, self.apply) {
            (None, _) => {
                self.camera.is_flat = scene.dimension == 2;
                self.load(Command::Load(scene));
                if std::mem::take(&mut self.plays_when_loaded) {
                    self.worker.send(Command::Play);
                }
            }
            (Some(loaded), Apply::Restart) if loaded != self.document.revision() => {
                self.load(Command::Load(scene));
            }
            (Some(loaded), Apply::Live) if loaded != self.document.revision() => {
                self.load(Command::Swap(scene));
            }
            _ => {}
        }
    }

    fn advance_timeline(&mut self) {
        let (Some(first), Showing::Caches) = (self.players.first(), self.showing) else { return };
        let count = first.marks().len();
        let now = Instant::now();
        let passed = now.duration_since(self.timeline.last).as_secs_f64() * self.timeline.speed;
        self.timeline.last = now;
        if self.timeline.is_playing && count > 0 {
            let end = first.marks()[count - 1].time;
            self.timeline.time += passed;
            if self.timeline.time > end {
                self.timeline.time = if self.timeline.repeats { 0.0 } else { end };
                self.timeline.is_playing = self.timeline.repeats || first.is_growing();
            }
            self.timeline.place = first.place_of(self.timeline.time);
        } else if let Some(mark) = first.marks().get(self.timeline.place) {
            self.timeline.time = mark.time;
        }
        self.timeline.place = self.timeline.place.min(count.saturating_sub(1));
    }

    /// Saves what is not saved, and looks whether the file changed outside.
    pub fn keep_house(&mut self) {
        self.housekeeping = Instant::now();
        if let Err(error) = self.document.autosave() {
            self.say(format!("cannot keep a copy of the unsaved scene: {error}"));
        }
        if let Outside::Changed(text) = self.document.look_outside() {
            if self.document.is_changed() {
                self.outside = Some(text);
            } else {
                self.document.take_outside(text);
                self.say("the file changed outside and was read again");
            }
        }
        self.context.request_repaint_after(HOUSEKEEPING);
    }
}
