//! Obstacles: a list, and everything about the chosen one.

use eframe::egui::Ui;
use serde_json::json;

use crate::app::Studio;
use crate::document::{Change, ScenePath};

impl Studio {
    pub(super) fn colliders_panel(&mut self, ui: &mut Ui) {
        let path = ScenePath::parse("colliders");
        let definition = self.schema.definition("Collider").clone();
        let mut chosen = self.selection.collider;
        self.list_panel(ui, &path, "collider", &mut chosen);
        self.selection.collider = chosen;
        ui.horizontal(|ui| {
            let count = self.document.tree().count(&path);
            if ui.button("Add floor").clicked() {
                let floor = json!({ "name": "floor", "shape": { "half_space": {} } });
                self.change(&Change::Append(path.clone(), floor));
                self.selection.collider = count;
            }
            if ui.button("Add collider").clicked() {
                let ball = json!({ "name": format!("collider {}", count + 1), "shape": { "ball": { "radius": 0.2 } } });
                self.change(&Change::Append(path.clone(), ball));
                self.selection.collider = count;
            }
        });
        ui.separator();
        let entry = path.index(self.selection.collider);
        if self.document.tree().at(&entry).is_some() {
            self.form(|form| {
                let order = [
                    "name",
                    "shape",
                    "position",
                    "rotation",
                    "scale",
                    "motion",
                    "friction",
                    "stickiness",
                    "restitution",
                    "color",
                    "visible",
                ];
                form.ordered(ui, &entry, &definition, &order);
                ui.separator();
                form.problems(ui);
            });
        }
    }
}
