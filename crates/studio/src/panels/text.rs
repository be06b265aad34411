//! The scene as text, with what is wrong under it.

use eframe::egui::{self, Ui};

use crate::app::Studio;

impl Studio {
    pub(super) fn text_panel(&mut self, ui: &mut Ui) {
        self.form(|form| form.problems(ui));
        if self.document.problems().is_empty() && self.document.is_checked() {
            ui.weak("No mistakes.");
        }
        let mut text = self.document.text().to_owned();
        let label = ui.label("Scene text");
        let edit =
            egui::TextEdit::multiline(&mut text).code_editor().desired_rows(30).desired_width(f32::INFINITY);
        let response = ui.add(edit).labelled_by(label.id);
        if response.changed() {
            self.document.type_text(text);
        }
        if response.lost_focus() {
            self.document.end_row();
        }
    }
}
