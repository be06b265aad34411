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
        let is_flat = self.document.tree().at(&ScenePath::parse("dimension")) == Some(&json!(2));
        ui.horizontal_wrapped(|ui| {
            for (text, name, shape) in [
                ("Add floor", "floor", json!({ "half_space": {} })),
                ("Add collider", "collider", json!({ "ball": { "radius": 0.2 } })),
                ("Add container", "container", container(is_flat)),
            ] {
                if ui.button(text).clicked() {
                    let count = self.document.tree().count(&path);
                    let name = self.free_entry_name(&path, name);
                    self.change(&Change::Append(path.clone(), json!({ "name": name, "shape": shape })));
                    self.selection.collider = count;
                }
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

/// A box that is open at the top: what it holds can be seen.
fn container(is_flat: bool) -> serde_json::Value {
    let size = |x: f64, y: f64| if is_flat { json!([x, y]) } else { json!([x, y, x]) };
    let center = |y: f64| if is_flat { json!([0, y]) } else { json!([0, y, 0]) };
    json!({ "difference": { "shapes": [
        { "shape": { "box": { "size": size(1.6, 0.8) } }, "position": center(0.4) },
        { "shape": { "box": { "size": size(1.5, 0.8) } }, "position": center(0.45) },
    ] } })
}
