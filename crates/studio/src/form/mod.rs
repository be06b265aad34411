//! Forms made from the schema of scenes: whatever a scene can say, a panel can set, with its unit, range and default.

mod schema;

use eframe::egui::{self, Color32, RichText, Ui};
use serde_json::{Value, json};

use crate::document::{Change, Document, ScenePath};
pub use schema::{Choice, Schema, default_text, explain};

/// Width of the column of names [points].
const NAME_WIDTH: f32 = 108.0;
/// Tables inside tables are shown to this depth; deeper ones are edited as text.
const DEEPEST: usize = 6;

/// A form over a document; the changes people make are collected and applied after drawing.
pub struct Form<'a> {
    document: &'a Document,
    schema: &'a Schema,
    /// Changes made, in order.
    pub changes: Vec<Change>,
    /// Whether a row of changes has ended, as when a field loses the focus.
    pub is_row_over: bool,
    depth: usize,
}

impl<'a> Form<'a> {
    /// A form over a document.
    pub fn new(document: &'a Document, schema: &'a Schema) -> Self {
        Self { document, schema, changes: Vec::new(), is_row_over: false, depth: 0 }
    }

    /// The keys of a table: those in `only`, or all if it is empty; needed ones first.
    pub fn table(&mut self, ui: &mut Ui, path: &ScenePath, definition: &Value, only: &[&str]) {
        let schema = self.schema;
        let definition = schema.resolve(definition);
        let Some(properties) = definition["properties"].as_object() else { return };
        let needed: Vec<&str> =
            definition["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let chosen = |key: &str| only.is_empty() || only.contains(&key);
        for is_needed in [true, false] {
            let keys = properties.iter().filter(|(key, _)| needed.contains(&key.as_str()) == is_needed);
            for (key, node) in keys.filter(|(key, _)| chosen(key)) {
                self.property(ui, &path.key(key), key, node);
            }
        }
    }

    /// The keys of a table in an order, and after them those it does not name.
    pub fn ordered(&mut self, ui: &mut Ui, path: &ScenePath, definition: &Value, order: &[&str]) {
        let schema = self.schema;
        let Some(properties) = schema.resolve(definition)["properties"].as_object() else { return };
        let rest = properties.keys().map(String::as_str).filter(|key| !order.contains(key));
        for key in order.iter().copied().chain(rest) {
            if let Some(node) = properties.get(key) {
                self.property(ui, &path.key(key), key, node);
            }
        }
    }

    /// One key.
    pub fn property(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
        ui.push_id(path, |ui| {
            let schema = self.schema;
            let kind = node["x-kind"].as_str().unwrap_or_default();
            let resolved = schema.resolve(node);
            if kind.starts_with("colour") {
                self.colour(ui, path, key, node);
            } else if let Some(choices) = schema.choices(node) {
                self.choice(ui, path, key, (node, &choices));
            } else if let Some(kinds) = node["anyOf"].as_array() {
                self.alternative(ui, path, key, (node, kinds));
            } else if resolved.get("properties").is_some() {
                self.nested(ui, path, key, resolved);
            } else if node["type"] == "array" {
                self.list(ui, path, key, node);
            } else if node["type"] == "boolean" {
                self.switch(ui, path, key, node);
            } else {
                self.scalar(ui, path, key, node);
            }
        });
    }

    /// The name of a key; dragging it changes a plain number.
    fn name(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) -> egui::Response {
        let is_set = self.document.tree().at(path).is_some();
        let text = RichText::new(key.replace('_', " "));
        let text = if is_set { text.strong() } else { text };
        let label = egui::Label::new(text).truncate().halign(egui::Align::LEFT).sense(egui::Sense::drag());
        let response = ui.add_sized([NAME_WIDTH, 18.0], label).on_hover_text(explain(node));
        let number = self.document.tree().at(path).and_then(Value::as_f64);
        if let Some(number) = number.filter(|_| response.dragged()) {
            let by = f64::from(response.drag_delta().x) * number.abs().max(0.01) * 0.01;
            let rounded = format!("{:.4}", number + by).parse().unwrap_or(number);
            self.changes.push(Change::Set(path.clone(), json!(rounded)));
        }
        self.is_row_over |= response.drag_stopped();
        response
    }

    /// A button that goes back to the default.
    fn reset(&mut self, ui: &mut Ui, path: &ScenePath, key: &str) {
        if self.document.tree().at(path).is_some() {
            let button = ui.small_button("×").on_hover_text(format!("Leave {} out", key.replace('_', " ")));
            if button.clicked() {
                self.changes.push(Change::Remove(path.clone()));
            }
        }
    }

    fn problem(&self, ui: &mut Ui, path: &ScenePath) {
        if let Some(problem) = self.document.problem_at(path) {
            ui.colored_label(ui.visuals().error_fg_color, problem);
        }
    }

    /// A number with a unit, an expression, or text.
    fn scalar(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
        ui.horizontal(|ui| {
            let name = self.name(ui, path, key, node);
            let width = (ui.available_width() - 44.0).max(40.0);
            match self.suggestions(key, path) {
                Some(names) => self.pick_name(ui, path, name.id, &names),
                None => self.field(ui, path, (name.id, &hint(node)), width),
            }
            self.reset(ui, path, key);
        });
        self.problem(ui, path);
    }

    /// Names that a text may be, where there is a list of them.
    fn suggestions(&self, key: &str, path: &ScenePath) -> Option<Vec<String>> {
        let is_top = path.0.len() <= 3;
        match key {
            "material" if is_top => Some(self.document.tree().names(&ScenePath::parse("materials"))),
            "preset" => Some(pliant_material::PRESETS.iter().map(|preset| preset.name.to_owned()).collect()),
            _ => None,
        }
    }

    fn pick_name(&mut self, ui: &mut Ui, path: &ScenePath, label: egui::Id, names: &[String]) {
        let current = self.document.tree().at(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        let combo = egui::ComboBox::from_id_salt("names").selected_text(current.clone()).width(140.0);
        let shown = combo.show_ui(ui, |ui| {
            for name in names {
                if ui.selectable_label(*name == current, name).clicked() {
                    self.changes.push(Change::Set(path.clone(), json!(name)));
                }
            }
        });
        shown.response.labelled_by(label);
    }

    /// A field of text for a value; what is typed is written at once.
    fn field(&mut self, ui: &mut Ui, path: &ScenePath, (label, hint): (egui::Id, &str), width: f32) {
        let id = ui.make_persistent_id((path, "field"));
        let stored = self.document.tree().at(path).map(value_text).unwrap_or_default();
        let typed =
            ui.data(|data| data.get_temp::<String>(id)).filter(|_| ui.memory(|memory| memory.has_focus(id)));
        let mut buffer = typed.unwrap_or_else(|| stored.clone());
        let edit =
            egui::TextEdit::singleline(&mut buffer).id(id).hint_text(hint.to_owned()).desired_width(width);
        let response = ui.add(edit).labelled_by(label);
        if response.changed() {
            ui.data_mut(|data| data.insert_temp(id, buffer.clone()));
            self.changes.push(match buffer.trim() {
                "" if stored.is_empty() => return,
                "" => Change::Remove(path.clone()),
                text => Change::Set(path.clone(), parse(text)),
            });
        } else if response.gained_focus() {
            ui.data_mut(|data| data.insert_temp(id, buffer));
        }
        self.is_row_over |= response.lost_focus();
    }

    fn switch(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
        ui.horizontal(|ui| {
            let name = self.name(ui, path, key, node);
            let default = node["default"].as_bool().unwrap_or(false);
            let mut value = self.document.tree().at(path).and_then(Value::as_bool).unwrap_or(default);
            if ui.checkbox(&mut value, "").labelled_by(name.id).changed() {
                self.changes.push(Change::Set(path.clone(), json!(value)));
            }
            self.reset(ui, path, key);
        });
    }

    fn colour(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
        ui.horizontal(|ui| {
            let name = self.name(ui, path, key, node);
            let mut colour = self.document.tree().at(path).and_then(colour_of).unwrap_or([154, 160, 166]);
            if ui.color_edit_button_srgb(&mut colour).labelled_by(name.id).changed() {
                let [r, g, b] = colour;
                self.changes.push(Change::Set(path.clone(), json!(format!("#{r:02x}{g:02x}{b:02x}"))));
            }
            self.field(ui, path, (name.id, "#rrggbb"), 80.0);
            self.reset(ui, path, key);
        });
        self.problem(ui, path);
    }

    /// One of several words or tables.
    fn choice(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, (node, choices): (&Value, &[Choice])) {
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
    fn alternative(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, (node, kinds): (&Value, &[Value])) {
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

    fn nested(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, definition: &Value) {
        if self.depth >= DEEPEST {
            ui.label(format!("{key}: edit deeper levels in the Text tab"));
            return;
        }
        let is_set = self.document.tree().at(path).is_some();
        let title = key.replace('_', " ");
        let header = egui::CollapsingHeader::new(title).id_salt((path, "nested")).default_open(is_set);
        header.show(ui, |ui| self.deeper(ui, |form, ui| form.table(ui, path, definition, &[])));
    }

    fn deeper(&mut self, ui: &mut Ui, draw: impl FnOnce(&mut Self, &mut Ui)) {
        self.depth += 1;
        draw(self, ui);
        self.depth -= 1;
    }

    fn list(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
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

    fn vector(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
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
    fn numbers(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, node: &Value) {
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
    fn tables(&mut self, ui: &mut Ui, path: &ScenePath, key: &str, items: &Value) {
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

    /// What is wrong with the scene, where no field shows it.
    pub fn problems(&self, ui: &mut Ui) {
        for problem in self.document.problems() {
            let place =
                problem.location.as_ref().map(|place| format!("line {}: ", place.line)).unwrap_or_default();
            let help = problem.help.as_deref().map(|help| format!("; {help}")).unwrap_or_default();
            let text = format!("{place}{}{help}", problem.message);
            ui.label(RichText::new(text).color(error_colour(ui)).small());
        }
    }
}

fn error_colour(ui: &Ui) -> Color32 {
    ui.visuals().error_fg_color
}

fn hint(node: &Value) -> String {
    default_text(node).unwrap_or_else(|| {
        let kind = node["x-kind"].as_str().unwrap_or_default();
        kind.split(',').next().unwrap_or_default().to_owned()
    })
}

/// The name of the choice a value is.
fn choice_name(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.clone()),
        Value::Object(map) => map.keys().next().cloned(),
        _ => None,
    }
}

/// A value as it is typed.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What was typed: a number if it is one, else text with a unit or an expression.
pub fn parse(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>() {
        return json!(whole);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => json!(number),
        _ => json!(text),
    }
}

fn list_text(value: &Value) -> String {
    let items = value.as_array().cloned().unwrap_or_default();
    items.iter().map(value_text).collect::<Vec<_>>().join(", ")
}

fn parse_list(text: &str) -> Value {
    if text.trim_start().starts_with('[')
        && let Ok(list) = serde_json::from_str::<Value>(&format!("[{text}]"))
    {
        return list;
    }
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(parse).collect()
}

/// A colour as bytes, from `#rrggbb` or a list of numbers.
fn colour_of(value: &Value) -> Option<[u8; 3]> {
    match value {
        Value::String(text) => {
            let code = u32::from_str_radix(text.strip_prefix('#')?, 16).ok()?;
            Some([16, 8, 0].map(|shift| (code >> shift & 0xff) as u8))
        }
        Value::Array(parts) => {
            let part = |i: usize| Some((parts.get(i)?.as_f64()?.clamp(0.0, 1.0) * 255.0) as u8);
            Some([part(0)?, part(1)?, part(2)?])
        }
        _ => None,
    }
}
