//! What the studio remembers from one day to the next.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Apply, Studio};
use crate::panels::Tab;
use crate::record::RecordSettings;
use crate::viewport::{Camera, Look};
use crate::worker::Pace;

const KEY: &str = "pliant-studio";

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Remembered {
    look: Look,
    looks: Vec<Look>,
    views: Vec<(String, Camera)>,
    sensitivity: f32,
    camera_speed: f32,
    tab: Tab,
    pace: Pace,
    apply: Apply,
    record: RecordSettings,
    recent: Vec<PathBuf>,
    is_dark: bool,
}

impl Studio {
    pub(super) fn remember(&self, storage: &mut dyn eframe::Storage) {
        let remembered = Remembered {
            // A range or a body's opacity belongs to the scene that was open.
            look: Look { range: None, bodies: Vec::new(), ..self.look.clone() },
            looks: self.looks.clone(),
            views: self.views.clone(),
            sensitivity: self.sensitivity,
            camera_speed: self.camera_speed,
            tab: self.tab,
            pace: self.pace,
            apply: self.apply,
            record: self.record.clone(),
            recent: self.recent.clone(),
            is_dark: self.is_dark,
        };
        eframe::set_value(storage, KEY, &remembered);
    }

    /// Takes up what was remembered, and offers what a crash has left behind.
    #[must_use]
    pub fn recalling(mut self, storage: Option<&dyn eframe::Storage>) -> Self {
        self.document.adopt_orphan();
        self.recovered = self.document.left_behind();
        if let Some(known) = storage.and_then(|storage| eframe::get_value::<Remembered>(storage, KEY)) {
            (self.look, self.looks, self.views) = (known.look, known.looks, known.views);
            (self.tab, self.pace, self.apply) = (known.tab, known.pace, known.apply);
            (self.record, self.recent, self.is_dark) = (known.record, known.recent, known.is_dark);
            self.sensitivity = known.sensitivity.clamp(0.05, 5.0);
            self.camera_speed = known.camera_speed.clamp(0.05, 10.0);
            self.worker.send(crate::worker::Command::Pace(self.pace));
        }
        self
    }
}
