//! The bar with play, pause and step; the line at the bottom that says how things stand.

use eframe::egui::{self, RichText, Ui};

use super::menu::Action;
use super::{Apply, Showing, Studio, Tool};
use crate::worker::{Command, Phase};

impl Studio {
    pub(super) fn tool_bar(&mut self, ui: &mut Ui) {
        egui::Panel::top("tools").show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                let text = if self.is_playing() { "Pause" } else { "Play" };
                if ui.button(RichText::new(text).strong()).clicked() {
                    self.act(Action::Play);
                }
                if ui.button("Step").on_hover_text("One step of the method").clicked() {
                    self.act(Action::Step);
                }
                if ui
                    .button("Stage")
                    .on_hover_text("One stage of a step, explained in the Teaching tab")
                    .clicked()
                {
                    self.act(Action::Stage);
                }
                if ui.button("Frame").on_hover_text("To the end of the frame").clicked() {
                    self.act(Action::Frame);
                }
                let reset =
                    if self.is_stale() { RichText::new("Reset*").strong() } else { RichText::new("Reset") };
                let reset = ui.button(reset).on_hover_text("From the start, with all changes");
                if reset.clicked() {
                    self.act(Action::Reset);
                }
                ui.separator();
                for (tool, name) in Tool::ALL {
                    ui.selectable_value(&mut self.tool, tool, name);
                }
                ui.separator();
                if ui.button("See all").clicked() {
                    self.act(Action::SeeAll);
                }
                let theme = if self.is_dark { "Light" } else { "Dark" };
                if ui.button(theme).on_hover_text("Change the colours of the window").clicked() {
                    self.act(Action::Theme);
                }
                self.source_choice(ui);
                self.adviser(ui);
            });
        });
    }

    fn source_choice(&mut self, ui: &mut Ui) {
        if self.players.is_empty() {
            return;
        }
        ui.separator();
        ui.selectable_value(&mut self.showing, Showing::Live, "Simulation");
        ui.selectable_value(&mut self.showing, Showing::Caches, "Cache");
    }

    /// What the simulation takes for a step, and why not more.
    fn adviser(&self, ui: &mut Ui) {
        if self.showing == Showing::Live
            && let Some(limit) = &self.shown.step_limit
        {
            ui.separator();
            ui.weak(limit).on_hover_text("How long a step may be from here, and what bounds it");
        }
    }

    pub(super) fn status_bar(&mut self, ui: &mut Ui) {
        egui::Panel::bottom("status").show(ui, |ui| {
            self.banners(ui);
            if self.showing == Showing::Caches {
                self.timeline_bar(ui);
            }
            ui.horizontal_wrapped(|ui| {
                let changed = if self.document.is_changed() { " (changed)" } else { "" };
                ui.label(format!("{}{changed}", self.document.name()));
                ui.separator();
                self.phase_label(ui);
                ui.separator();
                ui.weak(&self.message);
            });
        });
    }

    fn phase_label(&self, ui: &mut Ui) {
        let snapshot = &self.shown.snapshot;
        match self.worker.phase() {
            Phase::Failed(cause) => {
                ui.colored_label(ui.visuals().error_fg_color, cause);
            }
            Phase::Empty if self.document.problems().is_empty() => {
                ui.label("no scene yet");
            }
            Phase::Empty => {
                let count = self.document.problems().len();
                ui.colored_label(ui.visuals().error_fg_color, format!("the scene has {count} mistakes"));
            }
            Phase::Building => {
                ui.spinner();
                let passed = self.building.map_or(0.0, |since| since.elapsed().as_secs_f64());
                ui.label(format!("placing particles, {} so far", super::duration_text(passed)));
            }
            phase => {
                let word = match phase {
                    Phase::Playing => "playing",
                    Phase::Finished => "finished",
                    _ => "paused",
                };
                let effort = &self.effort;
                let pace = if effort.wall > 0.0 {
                    format!(
                        ", dt {:.2e} s, {:.1} ms/step",
                        effort.dt,
                        1e3 * effort.wall / f64::from(effort.steps)
                    )
                } else {
                    String::new()
                };
                let share = snapshot.frame as f32 / self.shown.frames.max(1) as f32;
                ui.add(egui::ProgressBar::new(share).desired_width(80.0).desired_height(8.0));
                let stage = self.shown.stage.as_ref().filter(|stage| !stage.is_last);
                let stage = stage.map_or_else(String::new, |stage| format!(" after \"{}\"", stage.name));
                ui.label(format!(
                    "{word}{stage}: t = {:.4} s, frame {} of {}, step {}, {} particles{pace}, {:.0} fps{}",
                    snapshot.time,
                    snapshot.frame,
                    self.shown.frames,
                    snapshot.step,
                    snapshot.positions().len(),
                    self.fps.rate,
                    self.time_left()
                ));
            }
        }
    }

    /// How long the rest of the run takes at the present pace.
    fn time_left(&self) -> String {
        let (snapshot, effort) = (&self.shown.snapshot, &self.effort);
        let frames_left = f64::from(self.shown.frames.saturating_sub(snapshot.frame));
        let Some(scene) = self.shown.scene.as_ref().filter(|_| effort.steps > 0 && effort.dt > 0.0) else {
            return String::new();
        };
        let per_second = effort.wall / f64::from(effort.steps) / effort.dt;
        let seconds = frames_left / scene.time.fps * per_second;
        if seconds >= 1.0 { format!(", {} left", super::duration_text(seconds)) } else { String::new() }
    }

    /// What needs an answer.
    fn banners(&mut self, ui: &mut Ui) {
        if let Some(text) = self.recovered.clone() {
            ui.horizontal(|ui| {
                ui.label("The studio ended without saving this scene.");
                if ui.button("Recover").clicked() {
                    self.document.type_text(text);
                    self.recovered = None;
                }
                if ui.button("Discard").clicked() {
                    self.document.forget_autosave();
                    self.recovered = None;
                }
            });
        }
        if let Some(text) = self.outside.clone() {
            ui.horizontal(|ui| {
                ui.label("The file changed outside, and here too.");
                if ui.button("Take theirs").clicked() {
                    self.document.take_outside(text.clone());
                    self.outside = None;
                }
                if ui.button("Keep mine").clicked() {
                    self.document.keep_inside(text);
                    self.outside = None;
                }
            });
        }
        if self.is_stale() && self.apply == Apply::OnReset {
            ui.horizontal(|ui| {
                ui.label("The simulation is of an older text.");
                if ui.button("Apply from the start").clicked() {
                    self.reset();
                }
                if ui.button("Apply and go on").clicked()
                    && let Some(scene) = self.document.scene()
                {
                    self.load(Command::Swap(scene));
                }
            });
        }
    }

    fn timeline_bar(&mut self, ui: &mut Ui) {
        let Some(first) = self.players.first() else { return };
        let (count, time) = (first.marks().len(), self.timeline.time);
        let damaged: Vec<usize> = first
            .marks()
            .iter()
            .enumerate()
            .filter(|(_, mark)| first.damaged().contains_key(&mark.frame))
            .map(|(place, _)| place)
            .collect();
        let note = if first.is_growing() { " (growing)" } else { "" };
        ui.horizontal(|ui| {
            ui.label(format!("t = {time:.3} s{note}"));
            ui.spacing_mut().slider_width = (ui.available_width() - 190.0).max(80.0);
            let slider =
                egui::Slider::new(&mut self.timeline.place, 0..=count.saturating_sub(1)).text("Frame");
            let response = ui.add(slider);
            if response.changed() {
                self.timeline.is_playing = false;
            }
            let rect = response.rect;
            for place in damaged {
                let share = place as f32 / count.saturating_sub(1).max(1) as f32;
                let x = rect.left() + share * ui.spacing().slider_width;
                let line = [egui::pos2(x, rect.top()), egui::pos2(x, rect.bottom())];
                ui.painter().line_segment(line, (2.0, ui.visuals().error_fg_color));
            }
        });
    }
}
