//! What was measured: energies, momenta, time steps, effort; and the chosen particle. Of the simulation, or of the first
//! cache.

use eframe::egui::{self, Ui};
use egui_plot::{AxisHints, Line, Plot, PlotPoints};

use crate::app::{Showing, Studio};
use crate::history::{History, Row, fields_of, find};

/// Curves that belong together: title, unit, and how the names of its values begin.
const GROUPS: [(&str, &str, &[&str]); 8] = [
    ("Energy", "J", &["kinetic_energy", "elastic_energy", "potential_energy", "total_energy"]),
    ("Momentum", "kg m/s", &["momentum_"]),
    ("Angular momentum", "kg m²/s", &["angular_momentum_"]),
    ("Mass", "kg", &["mass"]),
    ("Volume", "m³", &["volume"]),
    ("Time step", "s", &["dt"]),
    ("Iterations and contacts", "", &["iterations", "contacts", "yielding"]),
    ("Time per step", "ms", &["ms "]),
];

impl Studio {
    /// The rows the charts are of.
    pub fn charted(&self) -> &History {
        match self.showing {
            Showing::Live => &self.history,
            Showing::Caches => &self.survey.history,
        }
    }

    pub(super) fn charts_panel(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            if ui.button("Export charts").on_hover_text("CSV and pictures").clicked() {
                self.ask_export();
            }
            if self.showing == Showing::Live && ui.button("Clear charts").clicked() {
                self.history.clear();
            }
            if self.showing == Showing::Caches && self.survey.is_busy() {
                ui.spinner();
                ui.weak("reading the run");
            }
        });
        let history = self.charted();
        if history.rows().is_empty() {
            ui.weak("Play the simulation to see curves.");
        }
        let names = History::names(history.rows());
        for (title, unit, starts) in GROUPS {
            let shown: Vec<&str> = names
                .iter()
                .map(String::as_str)
                .filter(|name| starts.iter().any(|start| name.starts_with(start)))
                .collect();
            if !shown.is_empty() {
                chart(ui, title, unit, history.rows(), (&shown, true));
            }
        }
        ui.separator();
        self.probe_panel(ui);
    }

    /// All fields of the chosen particle, now and over time.
    fn probe_panel(&mut self, ui: &mut Ui) {
        let Some(probe) = self.history.probe().map(|probe| probe.id) else {
            ui.weak("Click a particle in the viewport to read and plot its fields.");
            return;
        };
        ui.horizontal(|ui| {
            ui.strong(format!("Particle {probe}"));
            if ui.button("Forget particle").clicked() {
                self.history.choose(None);
            }
        });
        let snapshot = self.states().first().map(|state| state.snapshot.clone()).unwrap_or_default();
        let values =
            find(&snapshot, probe).map(|particle| fields_of(&snapshot, particle)).unwrap_or_default();
        if values.is_empty() {
            ui.weak("It is not in this state.");
        }
        egui::CollapsingHeader::new("Values").default_open(true).show(ui, |ui| {
            egui::Grid::new("fields").num_columns(2).striped(true).show(ui, |ui| {
                for (name, value) in &values {
                    ui.label(name.replace('_', " "));
                    ui.monospace(format!("{value:.6e}"));
                    ui.end_row();
                }
            });
        });
        let rows = self.charted().probe().map(|probe| probe.rows.as_slice()).unwrap_or_default();
        for (field, parts) in fields(&values) {
            let is_first = matches!(field, "position" | "velocity" | "pressure" | "von_mises" | "J");
            chart(ui, field, unit_of(field), rows, (&parts, is_first));
        }
    }
}

/// Numbers by the field they are part of, in order.
fn fields(values: &[(String, f64)]) -> Vec<(&str, Vec<&str>)> {
    let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, _) in values {
        let field = name.split(' ').next().unwrap_or(name);
        match fields.last_mut() {
            Some((last, parts)) if *last == field => parts.push(name),
            _ => fields.push((field, vec![name])),
        }
    }
    fields.retain(|(field, _)| !matches!(*field, "id" | "body" | "color"));
    fields
}

/// Unit of a column.
fn unit_of(field: &str) -> &'static str {
    match field {
        "position" | "rest_position" | "radius" => "m",
        "velocity" => "m/s",
        "mass" => "kg",
        "density" => "kg/m³",
        "pressure" | "von_mises" | "stress" => "Pa",
        _ => "",
    }
}

/// Colours of curves: told apart in the dark, in the light, and by most eyes.
const INKS: [egui::Color32; 9] = [
    egui::Color32::from_rgb(0xe9, 0x73, 0x3d),
    egui::Color32::from_rgb(0x2a, 0x9d, 0x8f),
    egui::Color32::from_rgb(0x5b, 0x84, 0xe8),
    egui::Color32::from_rgb(0xa8, 0x6e, 0xe0),
    egui::Color32::from_rgb(0xc9, 0x92, 0x1c),
    egui::Color32::from_rgb(0xdd, 0x4f, 0x74),
    egui::Color32::from_rgb(0x5f, 0xb0, 0x4b),
    egui::Color32::from_rgb(0x3f, 0xa7, 0xd6),
    egui::Color32::from_rgb(0x8d, 0x93, 0x9c),
];

/// What a curve is called below its title.
fn label(title: &str, name: &str) -> String {
    let title = title.to_lowercase().replace(' ', "_");
    let bare = name.trim_start_matches("ms ").trim_end_matches(&format!("_{title}"));
    let bare = bare.strip_prefix(&title).unwrap_or(bare).trim_matches([' ', '_']);
    if bare.is_empty() { name.replace('_', " ") } else { bare.replace('_', " ") }
}

/// A number in few letters.
fn compact(value: f64) -> String {
    let size = value.abs();
    match value {
        0.0 => "0".to_owned(),
        _ if (0.01..10_000.0).contains(&size) => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{value:.1e}"),
    }
}

/// Curves over time, with their names above them so that none is hidden.
fn chart(ui: &mut Ui, title: &str, unit: &str, rows: &[Row], (names, is_open): (&[&str], bool)) {
    let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
    let header = egui::CollapsingHeader::new(format!("{}{unit}", title.replace('_', " ")));
    header.id_salt(("chart", title)).default_open(is_open).show(ui, |ui| {
        let inks = INKS.iter().cycle();
        if names.len() > 1 {
            ui.horizontal_wrapped(|ui| {
                for (name, ink) in names.iter().zip(inks.clone()) {
                    let text = egui::RichText::new(label(title, name)).color(*ink);
                    ui.add(egui::Label::new(text).extend());
                }
            });
        }
        let small = egui::FontId::proportional(10.5);
        let times = AxisHints::new_x().label_spacing(egui::Rangef::new(20.0, 36.0));
        let values = AxisHints::new_y().min_thickness(46.0).label_spacing(egui::Rangef::new(6.0, 11.0));
        let values = values.formatter(|mark, _| compact(mark.value));
        let plot = Plot::new(title.to_owned())
            .height(130.0)
            .allow_scroll(false)
            .custom_x_axes(vec![times.tick_label_font(small.clone())])
            .custom_y_axes(vec![values.tick_label_font(small)]);
        plot.show(ui, |plot| {
            for (name, ink) in names.iter().zip(inks) {
                let points: PlotPoints<'_> = History::sketch(rows, name).into();
                plot.line(Line::new(label(title, name), points).color(*ink).width(1.8));
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::{compact, fields, label};

    #[test]
    fn curves_and_numbers_have_short_names() {
        assert_eq!(label("Energy", "kinetic_energy"), "kinetic");
        assert_eq!(label("Angular momentum", "angular_momentum_z"), "z");
        assert_eq!(label("Time per step", "ms particles to grid"), "particles to grid");
        assert_eq!(label("Mass", "mass"), "mass");
        assert_eq!(label("velocity", "velocity x"), "x");
        let said: Vec<String> = [0.0, 0.25, -1500.0, 2.0e6, 3e-5].map(compact).into();
        assert_eq!(said, ["0", "0.25", "-1500", "2.0e6", "3.0e-5"]);
    }

    #[test]
    fn parts_of_a_field_share_a_chart() {
        let named = |name: &str| (name.to_owned(), 0.0);
        let values = ["id", "velocity x", "velocity y", "pressure"].map(named);
        assert_eq!(
            fields(&values),
            [("velocity", vec!["velocity x", "velocity y"]), ("pressure", vec!["pressure"])]
        );
    }
}
