//! How it looks: particles, colours, light, obstacles, layers of the grid, lines, bodies.

use eframe::egui::{self, Ui};

use super::{choose, name_of, number};
use crate::app::Studio;
use crate::bodies::body_names;
use crate::viewport::colours::{choice_label, colour_choices};
use crate::viewport::look::{
    BodyLook, Grain, LayerPart, LayerProperty, Look, MapChoice, Obstacles, ShadowGrain,
};

impl Studio {
    pub(super) fn view_panel(&mut self, ui: &mut Ui) {
        self.kept_looks(ui);
        ui.separator();
        choose(ui, "Particles as", &mut self.look.grain, &Grain::ALL);
        match self.look.grain {
            Grain::Points => {
                number(ui, "Point size [pixels]", &mut self.look.point_size, 1.0..=32.0);
            }
            _ => {
                number(ui, "Size factor", &mut self.look.size, 0.05..=5.0);
                ui.checkbox(&mut self.look.size_by_volume, "Size from volume");
            }
        }
        ui.checkbox(&mut self.look.is_lit, "Shaded");
        self.colours(ui);
        ui.separator();
        self.light(ui);
        ui.separator();
        self.obstacle_look(ui);
        ui.separator();
        ui.checkbox(&mut self.look.particle_lines, "Particle velocities");
        ui.checkbox(&mut self.look.grid_lines, "Grid velocities");
        let mut seconds = self.look.line_time.map(f64::from);
        if super::optional(ui, "Length of lines [s]", &mut seconds, 0.02, 0.0..=10.0) {
            self.look.line_time = seconds.map(|seconds| seconds as f32);
        }
        self.layer(ui);
        ui.separator();
        self.body_looks(ui);
    }

    fn kept_looks(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Look");
            ui.add(egui::TextEdit::singleline(&mut self.look.name).desired_width(100.0))
                .labelled_by(label.id);
            if ui.button("Keep look").clicked() {
                self.looks.retain(|look| look.name != self.look.name);
                self.looks.push(self.look.clone());
            }
            if ui.button("Duplicate look").clicked() {
                self.look.name = format!("{} copy", self.look.name);
                self.looks.push(self.look.clone());
            }
            if ui.button("Standard look").clicked() {
                self.look = Look::default();
            }
        });
        let mut deleted = None;
        for (index, look) in self.looks.iter().enumerate() {
            ui.horizontal(|ui| {
                if ui.button(format!("Use {}", look.name)).clicked() {
                    self.look = look.clone();
                }
                if ui.small_button("Delete").on_hover_text(format!("Delete the look {}", look.name)).clicked()
                {
                    deleted = Some(index);
                }
            });
        }
        if let Some(index) = deleted {
            self.looks.remove(index);
        }
    }

    fn colours(&mut self, ui: &mut Ui) {
        let snapshot = self.states().first().map(|state| state.snapshot.clone()).unwrap_or_default();
        let names = colour_choices(&snapshot);
        ui.horizontal(|ui| {
            let label = name_of(ui, "Colour by");
            let combo =
                egui::ComboBox::from_id_salt("colour by").selected_text(choice_label(&self.look.colour_by));
            let combo = combo.height(400.0).show_ui(ui, |ui| {
                for name in names {
                    let label = choice_label(&name);
                    ui.selectable_value(&mut self.look.colour_by, name, label);
                }
            });
            combo.response.labelled_by(label.id);
        });
        choose(ui, "Colour map", &mut self.look.map, &MapChoice::ALL);
        let mut is_fixed = self.look.range.is_some();
        if ui.checkbox(&mut is_fixed, "Fixed range").changed() {
            let now = self.scenery.first().and_then(|scenery| scenery.legend()).map(|legend| legend.range);
            self.look.range = is_fixed.then(|| now.unwrap_or([0.0, 1.0]));
        }
        if let Some([low, high]) = &mut self.look.range {
            number(ui, "Lowest value", low, -1e12..=1e12);
            number(ui, "Highest value", high, -1e12..=1e12);
        }
        ui.checkbox(&mut self.look.shows_legend, "Legend");
    }

    fn light(&mut self, ui: &mut Ui) {
        let mut is_own = self.look.background.is_some();
        if ui.checkbox(&mut is_own, "Own background").changed() {
            self.look.background = is_own.then_some([255, 255, 255]);
        }
        if let Some(colour) = &mut self.look.background {
            ink(ui, "Background colour", colour, Ui::color_edit_button_srgb);
        }
        number(ui, "Background opacity", &mut self.look.background_opacity, 0.0..=1.0);
        number(ui, "Light around [degrees]", &mut self.look.light[0], -180.0..=180.0);
        number(ui, "Light height [degrees]", &mut self.look.light[1], 0.0..=90.0);
        number(ui, "Light strength", &mut self.look.light_strength, 0.0..=3.0);
        ink(ui, "Light colour", &mut self.look.light_colour, Ui::color_edit_button_rgb);
        ink(ui, "Ambient light", &mut self.look.ambient, Ui::color_edit_button_rgb);
        ui.checkbox(&mut self.look.shadows, "Shadows");
        if self.look.shadows {
            let sides = [(512, "512"), (1024, "1024"), (2048, "2048"), (4096, "4096")];
            choose(ui, "Shadow geometry", &mut self.look.shadow_grain, &ShadowGrain::ALL);
            choose(ui, "Shadow resolution", &mut self.look.shadow_resolution, &sides);
            ui.checkbox(&mut self.look.obstacle_shadows, "Obstacles throw shadows");
        }
    }

    fn obstacle_look(&mut self, ui: &mut Ui) {
        choose(ui, "Obstacles", &mut self.look.obstacles, &Obstacles::ALL);
        let mut is_own = self.look.obstacle_colour.is_some();
        if ui.checkbox(&mut is_own, "One colour for obstacles").changed() {
            self.look.obstacle_colour = is_own.then_some([170, 174, 180]);
        }
        if let Some(colour) = &mut self.look.obstacle_colour {
            ink(ui, "Obstacle colour", colour, Ui::color_edit_button_srgb);
        }
        number(ui, "Obstacle opacity", &mut self.look.obstacle_opacity, 0.0..=1.0);
    }

    fn layer(&mut self, ui: &mut Ui) {
        let shown = self.scenery.first().and_then(|scenery| scenery.layer_legend()).map(|bar| bar.range);
        let layer = &mut self.look.layer;
        ui.checkbox(&mut layer.is_shown, "Grid layer");
        if !layer.is_shown {
            return;
        }
        ui.indent("layer", |ui| {
            choose(ui, "Layer shows", &mut layer.property, &LayerProperty::ALL);
            let parts = [(LayerPart::Length, "Length"), (LayerPart::Absolute, "Components as colours")];
            choose(ui, "Of vectors", &mut layer.part, &parts);
            choose(ui, "Layer across", &mut layer.axis, &[(0, "x"), (1, "y"), (2, "z")]);
            number(ui, "Layer place", &mut layer.place, 0.0..=1.0);
            let mut is_fixed = layer.range.is_some();
            if ui.checkbox(&mut is_fixed, "Fixed layer range").changed() {
                layer.range = is_fixed.then(|| shown.unwrap_or([0.0, 1.0]));
            }
            if let Some([low, high]) = &mut layer.range {
                number(ui, "Lowest layer value", low, -1e12..=1e12);
                number(ui, "Highest layer value", high, -1e12..=1e12);
            }
            ui.checkbox(&mut layer.marks_obstacles, "Mark cells in obstacles");
        });
    }

    fn body_looks(&mut self, ui: &mut Ui) {
        let Some(scene) = self.states().first().and_then(|state| state.scene.clone()) else { return };
        let names: Vec<String> = self.looks.iter().map(|look| look.name.clone()).collect();
        egui::CollapsingHeader::new("Bodies").show(ui, |ui| {
            for (number, name) in body_names(&scene).into_iter().enumerate().take(64) {
                ui.push_id(number, |ui| {
                    ui.strong(&name);
                    let mut body = self.look.body(number);
                    let before = body.clone();
                    one_body(ui, &name, &mut body, &names);
                    if body != before {
                        *self.look.body_mut(number) = body;
                    }
                });
            }
        });
    }
}

/// A colour with a name. The button rounds what it shows, so it is asked whether anyone chose another.
fn ink<T: Copy>(
    ui: &mut Ui,
    label: &str,
    colour: &mut [T; 3],
    button: impl FnOnce(&mut Ui, &mut [T; 3]) -> egui::Response,
) {
    ui.horizontal(|ui| {
        let name = name_of(ui, label);
        let mut chosen = *colour;
        if button(ui, &mut chosen).labelled_by(name.id).changed() {
            *colour = chosen;
        }
    });
}

fn one_body(ui: &mut Ui, name: &str, body: &mut BodyLook, looks: &[String]) {
    ui.horizontal(|ui| {
        let label = ui.label("Opacity");
        ui.add(egui::Slider::new(&mut body.opacity, 0.0..=1.0)).labelled_by(label.id);
        let label = ui.label("Order");
        ui.add(egui::DragValue::new(&mut body.order).range(-100..=100)).labelled_by(label.id);
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut body.casts, "Throws shadows");
        ui.checkbox(&mut body.receives, "Takes shadows");
    });
    ui.horizontal(|ui| {
        let label = ui.label(format!("Look of {name}"));
        let shown = body.look.clone().unwrap_or_else(|| "as the picture".to_owned());
        let combo = egui::ComboBox::from_id_salt("worn").selected_text(shown).show_ui(ui, |ui| {
            ui.selectable_value(&mut body.look, None, "as the picture");
            for kept in looks {
                ui.selectable_value(&mut body.look, Some(kept.clone()), kept);
            }
        });
        combo.response.labelled_by(label.id).on_hover_text("One of the looks you kept");
    });
}
