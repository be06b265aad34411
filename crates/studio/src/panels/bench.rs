//! How fast it is: the present simulation stage by stage, and a batch of scenes.

use std::path::PathBuf;

use eframe::egui::{self, Ui};

use super::number;
use crate::app::Studio;

impl Studio {
    pub(super) fn bench_panel(&mut self, ui: &mut Ui) {
        ui.strong("This simulation");
        let effort = &self.effort;
        egui::Grid::new("stages").num_columns(2).striped(true).show(ui, |ui| {
            ui.label("step");
            ui.label(format!("{:.3} ms", 1e3 * effort.wall / f64::from(effort.steps.max(1))));
            ui.end_row();
            for (stage, seconds) in &effort.stages {
                ui.label(stage);
                ui.label(format!("{:.3} ms", 1e3 * seconds / f64::from(effort.steps.max(1))));
                ui.end_row();
            }
            ui.label("window");
            ui.label(format!("{:.1} pictures a second", self.fps.rate));
            ui.end_row();
            ui.label("adapter");
            ui.label(self.view.as_ref().map_or("none", |view| view.adapter()));
            ui.end_row();
        });
        ui.separator();
        self.batch(ui);
    }

    fn batch(&mut self, ui: &mut Ui) {
        ui.strong("Batch");
        ui.horizontal(|ui| {
            let label = ui.label("Scene or folder");
            ui.add(egui::TextEdit::singleline(&mut self.bench.entry).desired_width(150.0))
                .labelled_by(label.id);
            if ui.button("Add scenes").clicked() {
                let path = PathBuf::from(self.bench.entry.trim());
                self.bench.add(&path);
            }
        });
        if let Some(path) = self.document.path().map(std::path::Path::to_owned)
            && ui.button("Add this scene").clicked()
        {
            self.bench.add(&path);
        }
        for (path, is_chosen) in &mut self.bench.scenes {
            ui.checkbox(is_chosen, path.display().to_string());
        }
        self.bench.steps = self.bench.steps.max(1);
        number(ui, "Steps for each", &mut self.bench.steps, 1..=100_000);
        ui.horizontal(|ui| {
            if self.bench.is_running() {
                let done = self.bench.results.len();
                let text = format!("{done} done  {}", self.bench.time_left().unwrap_or_default());
                ui.add(egui::ProgressBar::new(self.bench.progress()).desired_width(180.0).text(text));
                if ui.button("Stop benchmark").clicked() {
                    self.bench.stop();
                }
            } else if ui.button("Start benchmark").clicked() {
                self.bench.start();
            }
            if !self.bench.results.is_empty() && ui.button("Write benchmark.csv").clicked() {
                let path = self.document.folder().join("benchmark.csv");
                match std::fs::write(&path, self.bench.csv()) {
                    Ok(()) => self.say(format!("wrote {}", path.display())),
                    Err(error) => self.say(format!("cannot write {}: {error}", path.display())),
                }
            }
        });
        for result in &self.bench.results {
            match result {
                Err(cause) => {
                    ui.colored_label(ui.visuals().error_fg_color, cause);
                }
                Ok(measured) => {
                    let title = format!(
                        "{}: {} particles, {:.3} ms a step",
                        measured.scene,
                        measured.particles,
                        1e3 * measured.step
                    );
                    ui.label(title);
                    for (stage, seconds) in &measured.stages {
                        ui.weak(format!("    {stage}: {:.3} ms", 1e3 * seconds));
                    }
                }
            }
        }
    }
}
