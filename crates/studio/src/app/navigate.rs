//! Mouse and keys that move the camera.

use eframe::egui::{self, Key, Rect, Ui};

use super::{Studio, Tool};

impl Studio {
    /// Dragging turns or moves the camera, scrolling zooms, a double click shows everything.
    pub(super) fn navigate(&mut self, ui: &Ui, response: &egui::Response, rect: Rect) {
        let delta = response.drag_delta();
        let turns = response.dragged_by(egui::PointerButton::Primary) && self.tool == Tool::Look;
        let moves = response.dragged_by(egui::PointerButton::Secondary)
            || response.dragged_by(egui::PointerButton::Middle);
        let shift = ui.input(|input| input.modifiers.shift);
        if turns && !self.camera.is_flat && !shift {
            self.camera.orbit(-delta.x * self.sensitivity, delta.y * self.sensitivity);
        } else if (turns || moves) && rect.height() > 1.0 {
            self.camera.pan(-delta.x / rect.height(), delta.y / rect.height());
        }
        if response.hovered() {
            let scroll = ui.input(|input| input.smooth_scroll_delta().y + 200.0 * (input.zoom_delta() - 1.0));
            if scroll != 0.0 {
                self.camera.zoom((scroll * 0.004 * self.sensitivity / 0.4).exp());
            }
        }
        if response.double_clicked() {
            self.see_all();
        }
        self.fly(ui);
    }

    /// Arrow keys and W A S D move the camera.
    fn fly(&mut self, ui: &Ui) {
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        let (held, seconds) = ui.input(|input| (input.keys_down.clone(), input.stable_dt.min(0.1)));
        let by = |more: [Key; 2], less: [Key; 2]| {
            let any = |keys: [Key; 2]| keys.iter().any(|key| held.contains(key));
            f32::from(i8::from(any(more)) - i8::from(any(less))) * self.camera_speed * seconds
        };
        let right = by([Key::ArrowRight, Key::D], [Key::ArrowLeft, Key::A]);
        let up = by([Key::ArrowUp, Key::W], [Key::ArrowDown, Key::S]);
        if (right, up) != (0.0, 0.0) && !ui.input(|input| input.modifiers.any()) {
            self.camera.pan(right, up);
            ui.ctx().request_repaint();
        }
    }
}
