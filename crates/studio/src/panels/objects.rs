//! Bodies: a list, and everything about the chosen one.

use eframe::egui::Ui;
use serde_json::{Value, json};

use crate::app::Studio;
use crate::document::{Change, ScenePath};

impl Studio {
    pub(super) fn objects_panel(&mut self, ui: &mut Ui) {
        let path = ScenePath::parse("objects");
        let definition = self.schema.definition("Object").clone();
        let mut chosen = self.selection.object;
        self.list_panel(ui, &path, "object", &mut chosen);
        self.selection.object = chosen;
        ui.horizontal(|ui| {
            if ui.button("Add object").clicked() {
                self.add_object(None);
            }
            let emitter = ui.button("Add emitter");
            if emitter
                .on_hover_text("An object that appears while the simulation runs, again and again")
                .clicked()
            {
                self.add_object(Some(json!({ "bursts": { "every": "0.3 s", "count": 5 } })));
            }
        });
        ui.separator();
        let entry = path.index(self.selection.object);
        if self.document.tree().at(&entry).is_some() {
            self.form(|form| {
                let order = [
                    "name",
                    "shape",
                    "points",
                    "material",
                    "species",
                    "position",
                    "rotation",
                    "scale",
                    "spacing",
                    "sampler",
                    "seed",
                    "density",
                    "volume_ratio",
                    "concentration",
                    "velocity",
                    "spin",
                    "color",
                    "copies",
                    "emit",
                    "pins",
                ];
                form.ordered(ui, &entry, &definition, &order);
                ui.separator();
                form.problems(ui);
            });
        }
    }

    /// Adds a ball of the first material, above what is there; with `emit`, one that goes on appearing.
    pub fn add_object(&mut self, emit: Option<Value>) {
        let materials = self.document.tree().names(&ScenePath::parse("materials"));
        let material = materials.first().cloned().unwrap_or_else(|| "jelly".to_owned());
        if materials.is_empty() {
            let jelly = json!({ "preset": "jello" });
            self.change(&Change::Set(ScenePath::parse("materials.jelly"), jelly));
        }
        let path = ScenePath::parse("objects");
        let count = self.document.tree().count(&path);
        let is_flat = self.document.tree().at(&ScenePath::parse("dimension")) == Some(&json!(2));
        let position = if is_flat { json!([0, 1]) } else { json!([0, 1, 0]) };
        let kind = if emit.is_some() { "emitter" } else { "object" };
        let mut object = json!({
            "name": self.free_entry_name(&path, kind),
            "shape": { "ball": { "radius": if emit.is_some() { 0.08 } else { 0.2 } } },
            "material": material,
            "position": position,
        });
        if let Some(emit) = emit {
            object["emit"] = emit;
        }
        self.change(&Change::Append(path, object));
        self.selection.object = count;
    }

    /// A name with a number that no entry of a list has yet.
    pub(super) fn free_entry_name(&self, path: &ScenePath, kind: &str) -> String {
        let tree = self.document.tree();
        let count = tree.count(path);
        let names: Vec<&str> = (0..count).filter_map(|i| tree.at(&path.index(i))?["name"].as_str()).collect();
        let mut numbers = (count + 1..).map(|number| format!("{kind} {number}"));
        numbers.find(|name| !names.contains(&name.as_str())).unwrap_or_default()
    }

    /// A list of entries by name, with buttons to copy, move and delete the chosen one.
    pub(super) fn list_panel(&mut self, ui: &mut Ui, path: &ScenePath, kind: &str, chosen: &mut usize) {
        let count = self.document.tree().count(path);
        *chosen = (*chosen).min(count.saturating_sub(1));
        for index in 0..count {
            let entry = self.document.tree().at(&path.index(index));
            let name = entry.and_then(|entry| entry["name"].as_str()).map(str::to_owned);
            let name = name.unwrap_or_else(|| format!("{kind} {}", index + 1));
            ui.selectable_value(chosen, index, format!("{}  {name}", index + 1));
        }
        if count > 0 {
            let (entry, name) = (path.index(*chosen), format!("the {kind}"));
            let mut moved = 0;
            self.form(|form| {
                ui.horizontal(|ui| form.entry_buttons(ui, &entry, &name));
                moved = form
                    .changes
                    .iter()
                    .map(|change| if let Change::Move(_, by) = change { *by } else { 0 })
                    .sum();
            });
            // The selection stays on the entry that moves.
            *chosen = chosen.saturating_add_signed(moved).min(count - 1);
        } else {
            ui.weak(format!("There is no {kind} yet."));
        }
    }
}
