//! Lists in forms: vectors, words, and tables that come and go.

use eframe::egui::{self, Ui};
use serde_json::Value;

use super::values::{list_text, parse_list};
use super::{DEEPEST, Form, default_text, explain};
use crate::document::{Change, ScenePath};

impl Form<'_> {
    pub(super) fn list(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
        if node.get("minItems").is_some() {
            return self.vector(ui, path, key, node);
        }
        let items = &node["items"];
        if self.schema.resolve(items).get("properties").is_some() && self.depth < DEEPEST {
            return self.tables(ui, path, key, items);
        }
        ui.horizontal(|ui| {
            let name = self.name(ui, path, key, node);
            let id = ui.make_persistent_id((path, "list"));
            let stored = self.document.tree().at(path).map(list_text).unwrap_or_default();
            let typed =
                ui.data(|data| data.get_temp::<String>(id)).filter(|_| ui.memory(|m| m.has_focus(id)));
            let mut buffer = typed.unwrap_or_else(|| stored.clone());
            let edit = egui::TextEdit::singleline(&mut buffer).id(id).hint_text("a, b").desired_width(140.0);
            let response = ui.add(edit).labelled_by(name.id);
            if response.changed() {
                ui.data_mut(|data| data.insert_temp(id, buffer.clone()));
                self.changes.push(Change::Set(path.clone(), parse_list(&buffer)));
            } else if response.gained_focus() {
                ui.data_mut(|data| data.insert_temp(id, buffer));
            }
            self.is_row_over |= response.lost_focus();
            self.reset(ui, path, key);
        });
        self.problem(ui, path);
    }

    pub(super) fn vector(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
        ui.horizontal(|ui| {
            self.name(ui, path, key, node);
            if self.document.tree().at(path).is_none() {
                if ui.small_button("set").on_hover_text(format!("Write {}", key.replace('_', " "))).clicked()
                {
                    let dimension =
                        self.document.tree().at(&ScenePath::parse("dimension")).and_then(Value::as_u64);
                    let mut seed = self.schema.seed(node);
                    if let (Some(2), Some(list)) = (dimension, seed.as_array_mut()) {
                        list.truncate(2);
                    }
                    self.changes.push(Change::Set(path.clone(), seed));
                }
                ui.weak(default_text(node).unwrap_or_default());
            }
            self.reset(ui, path, key);
        });
        self.numbers(ui, path, key, node);
    }

    /// The numbers of a vector, side by side.
    pub(super) fn numbers(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
        let count = self.document.tree().count(path);
        if count == 0 {
            return;
        }
        ui.horizontal(|ui| {
            ui.add_space(12.0);
            let width = ((ui.available_width() - 16.0 * count as f32) / count as f32 - 14.0).max(36.0);
            for (index, axis) in ["x", "y", "z"].iter().enumerate().take(count) {
                let label = ui.label(*axis).on_hover_text(format!(
                    "{} {axis}: {}",
                    key.replace('_', " "),
                    explain(node)
                ));
                self.field(ui, &path.index(index), (label.id, "0"), width);
            }
        });
        for index in 0..count {
            self.problem(ui, &path.index(index));
        }
    }

    /// A list of tables that can be added, copied, moved and deleted.
    pub(super) fn tables(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, items: &Value) {
        let count = self.document.tree().count(path);
        let title = format!("{} ({count})", key.replace('_', " "));
        egui::CollapsingHeader::new(title).id_salt((path, "tables")).default_open(count > 0).show(ui, |ui| {
            for index in 0..count {
                let entry = path.index(index);
                ui.horizontal(|ui| {
                    ui.strong(format!("{key} {}", index + 1));
                    self.entry_buttons(ui, &entry, &format!("{key} {}", index + 1));
                });
                ui.indent(&entry, |ui| self.deeper(ui, |form, ui| form.table(ui, &entry, items, &[])));
            }
            if ui.button(format!("Add to {}", key.replace('_', " "))).clicked() {
                self.changes.push(Change::Append(path.clone(), self.schema.seed(items)));
            }
        });
    }

    /// Buttons to copy, move and delete an entry.
    pub fn entry_buttons(&mut self, ui: &mut Ui, entry: &ScenePath, name: &str) {
        let mut button = |text: &str, what: &str, change: Change| {
            if ui.small_button(text).on_hover_text(format!("{what} {name}")).clicked() {
                self.changes.push(change);
            }
        };
        button("Copy", "Duplicate", Change::Duplicate(entry.clone()));
        button("Up", "Move up", Change::Move(entry.clone(), -1));
        button("Down", "Move down", Change::Move(entry.clone(), 1));
        button("Delete", "Delete", Change::Remove(entry.clone()));
    }
}
