//! Values that are one of several, can be written in several ways, or are tables of their own.

use eframe::egui::{self, Ui};
use serde_json::{Value, json};

use super::values::choice_name;
use super::{Choice, DEEPEST, Form, default_text};
use crate::document::{Change, ScenePath};

impl Form<'_> {
    /// One of several words or tables.
    pub(super) fn choice(
        &mut self,
        ui: &mut Ui,
        path: &ScenePath,
        key: &str,
        (node, choices): (&Value, &[Choice]),
    ) {
        let value = self.document.tree().at(path).cloned();
        let current = value.as_ref().and_then(choice_name);
        ui.horizontal(|ui| {
            let name = self.name(ui, path, key, node);
            let shown = current.clone().unwrap_or_else(|| match default_text(node) {
                Some(default) => format!("{} (default)", default.replace('_', " ")),
                None => "none".to_owned(),
            });
            let combo =
                egui::ComboBox::from_id_salt("choice").selected_text(shown.replace('_', " ")).width(150.0);
            let combo = combo.show_ui(ui, |ui| {
                for choice in choices {
                    let is_current = current.as_deref() == Some(&choice.name);
                    let label = ui.selectable_label(is_current, choice.name.replace('_', " "));
                    if label.on_hover_text(&choice.meaning).clicked() && !is_current {
                        self.changes.push(Change::Set(path.clone(), self.schema.seed_choice(choice)));
                    }
                }
            });
            combo.response.labelled_by(name.id);
            self.reset(ui, path, key);
        });
        self.problem(ui, path);
        let chosen = choices.iter().find(|choice| Some(&choice.name) == current.as_ref());
        if let Some(settings) = chosen.and_then(|choice| choice.settings.as_ref()) {
            let below = path.key(current.as_deref().unwrap_or_default());
            let definition = self.schema.resolve(settings);
            ui.indent("settings", |ui| {
                if definition.get("properties").is_some() {
                    self.deeper(ui, |form, ui| form.table(ui, &below, definition, &[]));
                } else {
                    self.property(ui, &below, current.as_deref().unwrap_or_default(), settings);
                }
            });
        }
    }

    /// A value that can be written in several ways, such as a rotation.
    pub(super) fn alternative(
        &mut self,
        ui: &mut Ui,
        path: &ScenePath,
        key: &str,
        (node, kinds): (&Value, &[Value]),
    ) {
        let value = self.document.tree().at(path);
        let current = kinds.iter().position(|kind| match value {
            Some(Value::Array(_)) => kind["type"] == "array",
            Some(Value::Object(_)) => kind.get("$ref").is_some(),
            Some(_) => kind["type"] != "array" && kind.get("$ref").is_none(),
            None => false,
        });
        let title = |kind: &Value| match (kind["type"] == "array", kind["$ref"].as_str()) {
            (true, _) => "about x, y, z",
            (_, Some(_)) => "axis and angle",
            _ => "one angle",
        };
        ui.horizontal(|ui| {
            let name = self.name(ui, path, key, node);
            let shown = current.map_or("none", |place| title(&kinds[place]));
            let combo =
                egui::ComboBox::from_id_salt("way").selected_text(shown).width(110.0).show_ui(ui, |ui| {
                    for (place, kind) in kinds.iter().enumerate() {
                        if ui.selectable_label(current == Some(place), title(kind)).clicked() {
                            let seed = match (kind["type"] == "array", kind.get("$ref").is_some()) {
                                (true, _) => json!([0, 0, 0]),
                                (_, true) => json!({ "axis": [0, 0, 1], "angle": 0 }),
                                _ => json!(0),
                            };
                            self.changes.push(Change::Set(path.clone(), seed));
                        }
                    }
                });
            combo.response.labelled_by(name.id);
            if current
                .is_some_and(|place| kinds[place]["type"] != "array" && kinds[place].get("$ref").is_none())
            {
                self.field(ui, path, (name.id, "0"), 60.0);
            }
            self.reset(ui, path, key);
        });
        match current.map(|place| &kinds[place]) {
            Some(kind) if kind["type"] == "array" => self.numbers(ui, path, key, kind),
            Some(kind) if kind.get("$ref").is_some() => {
                ui.indent("way", |ui| self.deeper(ui, |form, ui| form.table(ui, path, kind, &[])));
            }
            _ => {}
        }
        self.problem(ui, path);
    }

    pub(super) fn nested(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, definition: &Value) {
        if self.depth >= DEEPEST {
            ui.label(format!("{key}: edit deeper levels in the Text tab"));
            return;
        }
        let is_set = self.document.tree().at(path).is_some();
        let title = key.replace('_', " ");
        let header = egui::CollapsingHeader::new(title).id_salt((path, "nested")).default_open(is_set);
        header.show(ui, |ui| self.deeper(ui, |form, ui| form.table(ui, path, definition, &[])));
    }
}
