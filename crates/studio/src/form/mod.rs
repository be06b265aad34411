//! Forms made from the schema of scenes: whatever a scene can say, a panel can set, with its unit, range and default.

mod choices;
mod lists;
mod schema;
mod values;

use eframe::egui::{self, Color32, RichText, Ui};
use serde_json::{Value, json};

use crate::document::{Change, Document, ScenePath};
pub use schema::{Choice, Schema, default_text, explain};
use values::{colour_of, hint};
pub use values::{parse, value_text};

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
        let label = egui::Label::new(text).truncate().sense(egui::Sense::drag());
        let response = left_column(ui, NAME_WIDTH, label).on_hover_text(explain(node));
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

    fn deeper(&mut self, ui: &mut Ui, draw: impl FnOnce(&mut Self, &mut Ui)) {
        self.depth += 1;
        draw(self, ui);
        self.depth -= 1;
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

/// A label in a column of its own, from its left edge.
pub fn left_column(ui: &mut Ui, width: f32, label: egui::Label) -> egui::Response {
    let size = egui::vec2(width, ui.spacing().interact_size.y);
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let column = ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_size(size);
        ui.add(label)
    });
    column.inner
}

fn error_colour(ui: &Ui) -> Color32 {
    ui.visuals().error_fg_color
}
