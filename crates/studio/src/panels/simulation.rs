//! How it is simulated: pace, when changes apply, time, the method and all its settings.

use eframe::egui::Ui;

use super::{choose, number};
use crate::app::{Apply, Studio};
use crate::document::ScenePath;
use crate::worker::Command;

impl Studio {
    pub(super) fn simulation_panel(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            let text = if self.is_playing() { "Pause simulation" } else { "Play simulation" };
            if ui.button(text).clicked() {
                self.toggle_play();
            }
            if ui.button("Reset simulation").clicked() {
                self.reset();
            }
        });
        self.pace_controls(ui);
        let modes = [
            (Apply::OnReset, "when reset"),
            (Apply::Restart, "at once, from the start"),
            (Apply::Live, "at once, going on"),
        ];
        choose(ui, "Changes apply", &mut self.apply, &modes);
        ui.separator();
        let effort = &self.effort;
        ui.label(format!(
            "dt {:.3e} s, {} steps given up since the last picture",
            effort.dt, effort.rejected
        ));
        if let Some(limit) = &self.shown.step_limit {
            ui.label(limit);
        }
        ui.separator();
        let root = self.schema.root().clone();
        self.form(|form| {
            let path = ScenePath::default();
            for section in ["time", "method"] {
                form.property(ui, &path.key(section), section, &root["properties"][section]);
            }
            ui.separator();
            form.problems(ui);
        });
    }

    fn pace_controls(&mut self, ui: &mut Ui) {
        let before = self.pace;
        let mut is_limited = self.pace.steps_per_picture.is_some();
        ui.checkbox(&mut is_limited, "Limit steps per picture");
        if is_limited {
            let steps = self.pace.steps_per_picture.get_or_insert(10);
            number(ui, "Steps per picture", steps, 1..=100_000);
        } else {
            self.pace.steps_per_picture = None;
        }
        let mut is_paced = self.pace.speed.is_some();
        ui.checkbox(&mut is_paced, "Limit speed");
        if is_paced {
            let speed = self.pace.speed.get_or_insert(1.0);
            number(ui, "Speed [simulated s per s]", speed, 0.001..=100.0);
        } else {
            self.pace.speed = None;
        }
        if self.pace != before {
            self.worker.send(Command::Pace(self.pace));
        }
    }
}
