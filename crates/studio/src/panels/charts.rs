//! What was measured: energies, momenta, time steps, effort; and the chosen particle.

use eframe::egui::{self, Ui};
use egui_plot::{Legend, Line, Plot, PlotPoints};

use crate::app::Studio;
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
    pub(super) fn charts_panel(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            if ui.button("Export charts").on_hover_text("CSV and pictures").clicked() {
                self.ask_export();
            }
            if ui.button("Clear charts").clicked() {
                self.history.clear();
            }
        });
        if self.history.rows().is_empty() {
            ui.weak("Play the simulation to see curves.");
        }
        let names = History::names(self.history.rows());
        for (title, unit, starts) in GROUPS {
            let shown: Vec<&String> =
                names.iter().filter(|name| starts.iter().any(|start| name.starts_with(start))).collect();
            if !shown.is_empty() {
                chart(ui, title, unit, self.history.rows(), &shown);
            }
        }
        ui.separator();
        self.probe_panel(ui);
    }

    /// All fields of the chosen particle, now and over time.
    fn probe_panel(&mut self, ui: &mut Ui) {
        let Some(probe) = self.history.probe().cloned() else {
            ui.weak("Click a particle in the viewport to read and plot its fields.");
            return;
        };
        ui.horizontal(|ui| {
            ui.strong(format!("Particle {}", probe.id));
            if ui.button("Forget particle").clicked() {
                self.history.choose(None);
            }
        });
        let snapshot = self.states().first().map(|state| state.snapshot.clone()).unwrap_or_default();
        let values =
            find(&snapshot, probe.id).map(|particle| fields_of(&snapshot, particle)).unwrap_or_default();
        let wanted = egui::Id::unique("probe field");
        let mut chosen =
            ui.data(|data| data.get_temp::<String>(wanted)).unwrap_or_else(|| "velocity y".to_owned());
        egui::Grid::new("fields").num_columns(2).striped(true).show(ui, |ui| {
            for (name, value) in values {
                ui.selectable_value(&mut chosen, name.clone(), name.replace('_', " "));
                ui.monospace(format!("{value:.6e}"));
                ui.end_row();
            }
        });
        chart(ui, &format!("Particle {}", probe.id), "", &probe.rows, &[&chosen]);
        ui.data_mut(|data| data.insert_temp(wanted, chosen));
    }
}

/// Curves over time.
fn chart(ui: &mut Ui, title: &str, unit: &str, rows: &[Row], names: &[&String]) {
    let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
    egui::CollapsingHeader::new(format!("{title}{unit}")).default_open(true).show(ui, |ui| {
        let plot = Plot::new(title.to_owned()).height(120.0).legend(Legend::default()).allow_scroll(false);
        plot.show(ui, |plot| {
            for name in names {
                let points: PlotPoints<'_> = History::curve(rows, name).into();
                let label = name.trim_start_matches("ms ").replace('_', " ");
                plot.line(Line::new(label, points));
            }
        });
    });
}
