//! Materials by name: presets, laws and flows with all their parameters.

use eframe::egui::{self, Ui};
use serde_json::json;

use crate::app::Studio;
use crate::document::{Change, ScenePath};

impl Studio {
    pub(super) fn materials_panel(&mut self, ui: &mut Ui) {
        let path = ScenePath::parse("materials");
        let names = self.document.tree().names(&path);
        if !names.contains(&self.selection.material) {
            self.selection.material = names.first().cloned().unwrap_or_default();
        }
        for name in &names {
            ui.selectable_value(&mut self.selection.material, name.clone(), name);
        }
        let entry = path.key(&self.selection.material);
        self.material_buttons(ui, &entry, names.is_empty());
        ui.separator();
        if self.document.tree().at(&entry).is_some() {
            let definition = self.schema.definition("Material").clone();
            self.form(|form| {
                let order = [
                    "preset",
                    "color",
                    "density",
                    "young",
                    "poisson",
                    "law",
                    "plastic",
                    "friction",
                    "stickiness",
                    "tear_stretch",
                    "diffusivity",
                    "merge",
                ];
                form.ordered(ui, &entry, &definition, &order);
                form.problems(ui);
            });
        }
        ui.separator();
        self.preset_gallery(ui);
    }

    fn material_buttons(&mut self, ui: &mut Ui, entry: &ScenePath, is_empty: bool) {
        ui.horizontal_wrapped(|ui| {
            if ui.button("Add material").clicked() {
                let names = self.document.tree().names(&ScenePath::parse("materials"));
                let name = (1..).map(|n| format!("material-{n}")).find(|name| !names.contains(name));
                let name = name.unwrap_or_default();
                self.change(&Change::Set(
                    ScenePath::parse("materials").key(&name),
                    json!({ "preset": "jello" }),
                ));
                self.selection.material = name;
            }
            if is_empty {
                return;
            }
            if ui.button("Duplicate material").clicked() {
                self.change(&Change::Duplicate(entry.clone()));
            }
            for (text, by) in [("Move material up", -1), ("Move material down", 1)] {
                if ui.button(text).clicked() {
                    self.change(&Change::Move(entry.clone(), by));
                }
            }
            if ui.button("Delete material").clicked() {
                self.change(&Change::Remove(entry.clone()));
            }
        });
        if !is_empty {
            ui.horizontal(|ui| {
                let label = ui.label("Name");
                let edit = egui::TextEdit::singleline(&mut self.rename).desired_width(130.0);
                ui.add(edit.hint_text(self.selection.material.clone())).labelled_by(label.id);
                if ui.button("Rename material").clicked() {
                    self.rename_material();
                }
            });
        }
    }

    /// Gives the chosen material the typed name, everywhere it is used.
    pub fn rename_material(&mut self) {
        let (old, new) = (self.selection.material.clone(), self.rename.trim().to_owned());
        let names = self.document.tree().names(&ScenePath::parse("materials"));
        if new.is_empty() || names.contains(&new) {
            return self.say("choose a name that is not taken");
        }
        self.change(&Change::Rename(ScenePath::parse("materials").key(&old), new.clone()));
        let objects = ScenePath::parse("objects");
        for index in 0..self.document.tree().count(&objects) {
            let path = objects.index(index).key("material");
            if self.document.tree().at(&path) == Some(&json!(old)) {
                self.change(&Change::Set(path, json!(new)));
            }
        }
        self.selection.material = new;
        self.rename.clear();
    }

    /// All presets by picture; a click gives the chosen material that preset.
    fn preset_gallery(&mut self, ui: &mut Ui) {
        ui.label("Presets");
        ui.horizontal_wrapped(|ui| {
            for preset in pliant_material::PRESETS {
                let tile = self.gallery.presets.button(ui.ctx(), preset.name);
                if ui.add(tile).on_hover_text(describe(preset)).clicked() {
                    let path = ScenePath::parse("materials").key(&self.selection.material).key("preset");
                    self.change(&Change::Set(path, json!(preset.name)));
                }
            }
        });
    }
}

fn describe(preset: &pliant_material::Preset) -> String {
    let material = preset.material();
    format!("{}. Density {:.0} kg/m³", preset.summary.trim_end_matches('.'), material.density)
}
