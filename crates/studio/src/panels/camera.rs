//! Where it is seen from: the camera, its speed, kept views.

use eframe::egui::{self, Ui};

use super::{choose, number};
use crate::app::Studio;
use crate::viewport::{Camera, Lens};

impl Studio {
    pub(super) fn camera_panel(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            if ui.button("Reset camera").clicked() {
                self.camera = Camera { is_flat: self.camera.is_flat, ..Camera::default() };
                self.see_all();
            }
            let sides = [
                ("Front", 0.0, 0.0),
                ("Right side", 90.0, 0.0),
                ("Above", 0.0, 89.5),
                ("Corner", 32.0, 18.0),
            ];
            for (name, azimuth, elevation) in sides {
                if ui.button(name).clicked() {
                    (self.camera.azimuth, self.camera.elevation) = (azimuth, elevation);
                }
            }
        });
        let lenses = [(Lens::Perspective, "Perspective"), (Lens::Orthographic, "Orthographic")];
        choose(ui, "Lens", &mut self.camera.lens, &lenses);
        ui.checkbox(&mut self.camera.is_flat, "Look straight on the plane");
        number(ui, "Opening angle [degrees]", &mut self.camera.angle, 1.0..=150.0);
        number(ui, "Azimuth [degrees]", &mut self.camera.azimuth, 0.0..=360.0);
        number(ui, "Elevation [degrees]", &mut self.camera.elevation, -89.5..=89.5);
        number(ui, "Distance [m]", &mut self.camera.distance, 1e-3..=1e5);
        for (axis, name) in ["Target x [m]", "Target y [m]", "Target z [m]"].iter().enumerate() {
            number(ui, name, &mut self.camera.target[axis], -1e5..=1e5);
        }
        self.camera = self.camera.sane();
        ui.separator();
        number(ui, "Sensitivity", &mut self.sensitivity, 0.05..=5.0);
        number(ui, "Speed of keys", &mut self.camera_speed, 0.05..=10.0);
        ui.weak("Drag to turn, drag with the right button or shift to move, scroll to zoom, W A S D or arrows to go.");
        ui.separator();
        self.kept_views(ui);
    }

    fn kept_views(&mut self, ui: &mut Ui) {
        if ui.button("Keep view").clicked() {
            let name = format!("view {}", self.views.len() + 1);
            self.views.push((name, self.camera));
        }
        let mut deleted = None;
        for (index, (name, camera)) in self.views.iter_mut().enumerate() {
            ui.horizontal(|ui| {
                if ui.button("Go").on_hover_text(format!("Go to {name}")).clicked() {
                    self.camera = *camera;
                }
                let label = ui.label(format!("{}", index + 1));
                ui.add(egui::TextEdit::singleline(name).desired_width(120.0)).labelled_by(label.id);
                if ui.small_button("Delete").on_hover_text(format!("Delete view {}", index + 1)).clicked() {
                    deleted = Some(index);
                }
            });
        }
        if let Some(index) = deleted {
            self.views.remove(index);
        }
    }
}
