//! Runs on disk: open them, move along them, lay them side by side or over each other.

use eframe::egui::{self, Ui};

use super::{choose, number};
use crate::app::{Compare, Showing, Studio};

impl Studio {
    pub(super) fn cache_panel(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            if ui.button("Open run").clicked() {
                self.ask_open();
            }
            if ui.button("Add run to compare").clicked() {
                self.ask_add();
            }
            if !self.players.is_empty() && ui.button("Close all runs").clicked() {
                self.players.clear();
                self.showing = Showing::Live;
            }
        });
        if self.players.is_empty() {
            ui.weak("Open the folder of a run, or a folder of .geo files. They may still be growing.");
            return;
        }
        let ways = [(Compare::SideBySide, "side by side"), (Compare::Overlaid, "over each other")];
        choose(ui, "Compare", &mut self.compare, &ways);
        ui.checkbox(&mut self.timeline.repeats, "Repeat");
        number(ui, "Playback speed", &mut self.timeline.speed, 0.001..=100.0);
        ui.horizontal(|ui| {
            if ui.button("First frame").clicked() {
                self.timeline.place = 0;
            }
            if ui.button("Previous frame").clicked() {
                self.timeline.place = self.timeline.place.saturating_sub(1);
            }
            if ui.button("Following frame").clicked() {
                self.timeline.place += 1;
            }
        });
        ui.separator();
        let mut closed = None;
        for (index, player) in self.players.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.strong(player.name());
                let growing = if player.is_growing() { ", growing" } else { "" };
                ui.label(format!("{} frames{growing}", player.marks().len()));
                if ui.small_button("Close").on_hover_text(format!("Close {}", player.name())).clicked() {
                    closed = Some(index);
                }
            });
            for warning in player.warnings() {
                ui.weak(warning);
            }
            for (frame, cause) in player.damaged() {
                ui.label(egui::RichText::new(format!("frame {frame} is passed over: {cause}")).small());
            }
        }
        if let Some(index) = closed {
            self.players.remove(index);
            if self.players.is_empty() {
                self.showing = Showing::Live;
            }
        }
    }
}
