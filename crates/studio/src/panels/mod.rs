//! The tabs at the side of the window, one a file.

mod bench;
mod cache;
mod camera;
mod charts;
mod colliders;
mod materials;
mod objects;
mod record;
mod scene;
mod simulation;
pub mod teaching;
mod text;
mod view;

use eframe::egui::{self, Ui};
use serde::{Deserialize, Serialize};

use crate::app::Studio;

/// The tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tab {
    /// The scene as a whole.
    #[default]
    Scene,
    /// Bodies.
    Objects,
    /// What they are made of.
    Materials,
    /// Obstacles.
    Colliders,
    /// How it is simulated.
    Simulation,
    /// How it looks.
    View,
    /// Where it is seen from.
    Camera,
    /// What was measured.
    Charts,
    /// Runs on disk.
    Cache,
    /// Movies and files.
    Record,
    /// How fast it is.
    Benchmark,
    /// How a step works.
    Teaching,
    /// The scene as text.
    Text,
}

impl Tab {
    /// All tabs in their order.
    pub const ALL: [Self; 13] = [
        Self::Scene,
        Self::Objects,
        Self::Materials,
        Self::Colliders,
        Self::Simulation,
        Self::View,
        Self::Camera,
        Self::Charts,
        Self::Cache,
        Self::Record,
        Self::Benchmark,
        Self::Teaching,
        Self::Text,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scene => "Scene",
            Self::Objects => "Objects",
            Self::Materials => "Materials",
            Self::Colliders => "Colliders",
            Self::Simulation => "Method",
            Self::View => "Look",
            Self::Camera => "Camera",
            Self::Charts => "Charts",
            Self::Cache => "Caches",
            Self::Record => "Record",
            Self::Benchmark => "Benchmark",
            Self::Teaching => "Teaching",
            Self::Text => "Text",
        }
    }
}

/// What is being edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Number of the object.
    pub object: usize,
    /// Name of the material.
    pub material: String,
    /// Number of the collider.
    pub collider: usize,
}

impl Studio {
    /// The tabs and the open one.
    pub(crate) fn side_panel(&mut self, ui: &mut Ui) {
        egui::Panel::right("side").default_size(370.0).size_range(220.0..=700.0).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                for tab in Tab::ALL {
                    ui.selectable_value(&mut self.tab, tab, tab.name());
                }
            });
            ui.separator();
            egui::ScrollArea::both().auto_shrink([false, false]).id_salt(self.tab.name()).show(ui, |ui| {
                match self.tab {
                    Tab::Scene => self.scene_panel(ui),
                    Tab::Objects => self.objects_panel(ui),
                    Tab::Materials => self.materials_panel(ui),
                    Tab::Colliders => self.colliders_panel(ui),
                    Tab::Simulation => self.simulation_panel(ui),
                    Tab::View => self.view_panel(ui),
                    Tab::Camera => self.camera_panel(ui),
                    Tab::Charts => self.charts_panel(ui),
                    Tab::Cache => self.cache_panel(ui),
                    Tab::Record => self.record_panel(ui),
                    Tab::Benchmark => self.bench_panel(ui),
                    Tab::Teaching => self.teaching_panel(ui),
                    Tab::Text => self.text_panel(ui),
                }
            });
        });
    }
}

/// Width of the column of names [points].
const NAME_WIDTH: f32 = 176.0;

/// The name of a control, so wide that all controls of a tab begin below each other.
pub(crate) fn name_of(ui: &mut Ui, text: &str) -> egui::Response {
    crate::form::left_column(ui, NAME_WIDTH, egui::Label::new(text).truncate())
}

/// One of several values by name.
pub(crate) fn choose<T: Copy + PartialEq>(ui: &mut Ui, label: &str, value: &mut T, all: &[(T, &str)]) {
    ui.horizontal(|ui| {
        let name = name_of(ui, label);
        let shown = all.iter().find(|(known, _)| known == value).map_or("", |(_, name)| name);
        let combo = egui::ComboBox::from_id_salt(label).selected_text(shown).show_ui(ui, |ui| {
            for (choice, name) in all {
                ui.selectable_value(value, *choice, *name);
            }
        });
        combo.response.labelled_by(name.id);
    });
}

/// A number with a name; double-click to type.
pub(crate) fn number<T: egui::emath::Numeric>(
    ui: &mut Ui,
    label: &str,
    value: &mut T,
    range: std::ops::RangeInclusive<T>,
) -> egui::Response {
    let inner = ui.horizontal(|ui| {
        let name = name_of(ui, label);
        let span = (range.end().to_f64() - range.start().to_f64()).abs();
        let speed = if T::INTEGRAL { 0.2 } else { (span * 0.002).min(value.to_f64().abs().max(0.01) * 0.02) };
        ui.add(egui::DragValue::new(value).range(range).speed(speed)).labelled_by(name.id)
    });
    inner.inner
}

/// A number that may be left out.
pub(crate) fn optional(
    ui: &mut Ui,
    label: &str,
    value: &mut Option<f64>,
    seed: f64,
    range: std::ops::RangeInclusive<f64>,
) -> bool {
    let mut is_set = value.is_some();
    let mut is_changed = ui.checkbox(&mut is_set, label).changed();
    if is_changed {
        *value = is_set.then_some(seed);
    }
    if let Some(number_value) = value {
        ui.indent(label, |ui| {
            is_changed |= number(ui, &format!("{label} value"), number_value, range).changed();
        });
    }
    is_changed
}
