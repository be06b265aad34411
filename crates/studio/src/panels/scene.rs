//! The scene as a whole: title, dimension, time, gravity, forces, output.

use eframe::egui::Ui;

use crate::app::Studio;
use crate::document::ScenePath;
use crate::templates::TEMPLATES;

impl Studio {
    pub(super) fn scene_panel(&mut self, ui: &mut Ui) {
        let root = self.schema.root().clone();
        let path = ScenePath::default();
        self.form(|form| {
            let first =
                ["title", "dimension", "spacing", "gravity", "seed", "max_particles", "up_axis", "include"];
            for key in first {
                form.property(ui, &path.key(key), key, &root["properties"][key]);
            }
            for section in ["time", "forces", "output", "render"] {
                form.property(ui, &path.key(section), section, &root["properties"][section]);
            }
            ui.separator();
            form.problems(ui);
        });
        if let Some(scene) = self.document.scene() {
            for warning in &scene.warnings {
                ui.weak(warning);
            }
        }
        for warning in self.shown.warnings.clone() {
            ui.weak(warning);
        }
        ui.separator();
        ui.label("New from a template");
        ui.horizontal_wrapped(|ui| {
            for template in &TEMPLATES {
                let button = self.gallery.templates.button(ui.ctx(), template.title);
                if ui.add(button).on_hover_text(template.meaning).clicked() {
                    self.new_scene(template.text);
                }
            }
        });
    }
}
