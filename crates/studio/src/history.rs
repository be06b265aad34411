//! What was measured while a simulation ran: rows for the charts, and the fields of a chosen particle.

use std::fmt::Write;
use std::path::Path;

use pliant_world::{Column, Snapshot};

use crate::worker::Shown;

/// Rows kept; when there are more, every second one is dropped.
const MOST_ROWS: usize = 20_000;
/// Points of a curve in a chart.
const MOST_POINTS: usize = 800;

/// One moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Simulated time [s].
    pub time: f64,
    /// Quantities of the whole scene, and effort, by name.
    pub values: Vec<(String, f64)>,
}

/// Rows over time, and those of one particle.
#[derive(Clone, Debug, Default)]
pub struct History {
    rows: Vec<Row>,
    probe: Option<Probe>,
    last_number: u64,
}

/// What one state adds to the charts.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    row: Row,
    particle: Option<Row>,
}

impl Moment {
    /// The quantities of a state, and the fields of a particle by its `id`.
    pub fn of(snapshot: &Snapshot, particle: Option<u32>) -> Self {
        Self::with(snapshot, snapshot.quantities.clone(), particle)
    }

    fn with(snapshot: &Snapshot, values: Vec<(String, f64)>, particle: Option<u32>) -> Self {
        let fields = |id: u32| {
            let values = fields_of(snapshot, find(snapshot, id)?);
            Some(Row { time: snapshot.time, values })
        };
        Self { row: Row { time: snapshot.time, values }, particle: particle.and_then(fields) }
    }
}

/// A chosen particle and what it went through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probe {
    /// Its `id`.
    pub id: u32,
    /// Its fields over time.
    pub rows: Vec<Row>,
}

impl History {
    /// Rows over time.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The chosen particle.
    pub fn probe(&self) -> Option<&Probe> {
        self.probe.as_ref()
    }

    /// Chooses a particle by its `id`, or none.
    pub fn choose(&mut self, id: Option<u32>) {
        self.probe = id.map(|id| Probe { id, rows: Vec::new() });
    }

    /// Forgets all rows, for a fresh start; the chosen particle stays chosen.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.last_number = 0;
        if let Some(probe) = &mut self.probe {
            probe.rows.clear();
        }
    }

    /// Takes up a state of the simulation.
    pub fn record(&mut self, shown: &Shown) {
        if shown.number == self.last_number {
            return;
        }
        let snapshot = &shown.snapshot;
        if self.rows.last().is_some_and(|row| snapshot.time < row.time) {
            self.clear();
        }
        self.last_number = shown.number;
        let mut values = snapshot.quantities.clone();
        if shown.effort.steps > 0 {
            let steps = f64::from(shown.effort.steps);
            values.retain(|(name, _)| !matches!(name.as_str(), "dt" | "iterations"));
            values.push(("dt".to_owned(), shown.effort.dt));
            values.push(("iterations".to_owned(), shown.effort.iterations as f64 / steps));
            values.push(("ms step".to_owned(), 1e3 * shown.effort.wall / steps));
            let stages = shown.effort.per_step().into_iter();
            values.extend(stages.map(|(stage, seconds)| (format!("ms {stage}"), 1e3 * seconds)));
        }
        let particle = self.probe.as_ref().map(|probe| probe.id);
        self.push(Moment::with(snapshot, values, particle));
    }

    /// Takes up a moment.
    pub fn push(&mut self, moment: Moment) {
        thin(&mut self.rows);
        self.rows.push(moment.row);
        if let (Some(probe), Some(row)) = (&mut self.probe, moment.particle) {
            thin(&mut probe.rows);
            probe.rows.push(row);
        }
    }

    /// The curve of a value: times and numbers.
    pub fn curve(rows: &[Row], name: &str) -> Vec<[f64; 2]> {
        let value =
            |row: &Row| row.values.iter().find(|(key, _)| key == name).map(|(_, value)| [row.time, *value]);
        rows.iter().filter_map(value).filter(|point| point.iter().all(|x| x.is_finite())).collect()
    }

    /// As [`History::curve`], with no more points than a chart can show.
    pub fn sketch(rows: &[Row], name: &str) -> Vec<[f64; 2]> {
        let stride = rows.len().div_ceil(MOST_POINTS).max(1);
        let last = rows.len().saturating_sub(1);
        let value =
            |row: &Row| row.values.iter().find(|(key, _)| key == name).map(|(_, value)| [row.time, *value]);
        let kept = rows.iter().enumerate().filter(|(place, _)| place % stride == 0 || *place == last);
        kept.filter_map(|(_, row)| value(row)).filter(|point| point.iter().all(|x| x.is_finite())).collect()
    }

    /// Names of all values, in the order they first came.
    pub fn names(rows: &[Row]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for row in rows.iter().rev().take(3) {
            for (name, _) in &row.values {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        names
    }

    /// Rows as comma-separated values with a header.
    pub fn csv(rows: &[Row]) -> String {
        let names = Self::names(rows);
        let mut text = format!("time,{}\n", names.join(","));
        for row in rows {
            let _ = write!(text, "{}", row.time);
            for name in &names {
                let value = row.values.iter().find(|(key, _)| key == name);
                text.push(',');
                if let Some((_, value)) = value {
                    let _ = write!(text, "{value}");
                }
            }
            text.push('\n');
        }
        text
    }

    /// Writes the rows as `charts.csv` and the curves as pictures into a folder.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn export(&self, folder: &Path) -> Result<(), String> {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        std::fs::write(folder.join("charts.csv"), Self::csv(&self.rows))
            .map_err(|error| error.to_string())?;
        if let Some(probe) = &self.probe {
            let path = folder.join(format!("particle-{}.csv", probe.id));
            std::fs::write(path, Self::csv(&probe.rows)).map_err(|error| error.to_string())?;
            write_pictures(&probe.rows, &folder.join(format!("particle-{}", probe.id)))?;
        }
        write_pictures(&self.rows, folder)
    }
}

/// All curves as pictures.
fn write_pictures(rows: &[Row], folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let rows: Vec<pliant_render::Row> = rows.iter().map(|row| (row.time, row.values.clone())).collect();
    pliant_render::write_plots(&rows, folder).map_err(|error| error.to_string())?;
    Ok(())
}

/// Makes room by dropping every second row.
fn thin(rows: &mut Vec<Row>) {
    if rows.len() >= MOST_ROWS {
        let mut place = 0;
        rows.retain(|_| {
            place += 1;
            place % 2 == 0
        });
    }
}

/// The place of the particle with that `id`.
pub fn find(snapshot: &Snapshot, id: u32) -> Option<usize> {
    match snapshot.integers("id") {
        Some(ids) => match ids.get(id as usize) {
            Some(known) if *known == id => Some(id as usize),
            _ => ids.iter().position(|known| *known == id),
        },
        None => ((id as usize) < snapshot.positions().len()).then_some(id as usize),
    }
}

/// All fields of a particle as named numbers.
pub fn fields_of(snapshot: &Snapshot, particle: usize) -> Vec<(String, f64)> {
    let mut values = Vec::new();
    for field in &snapshot.fields {
        let name = &field.name;
        let axes = ["x", "y", "z"];
        match &field.column {
            Column::Integer(column) => {
                values.extend(column.get(particle).map(|x| (name.clone(), f64::from(*x))));
            }
            Column::Scalar(column) => {
                values.extend(column.get(particle).map(|x| (name.clone(), f64::from(*x))));
            }
            Column::Vector(column) => {
                let parts = column.get(particle).into_iter().flat_map(|v| axes.iter().zip(v));
                values.extend(parts.map(|(axis, x)| (format!("{name} {axis}"), f64::from(*x))));
            }
            Column::Tensor(column) => {
                let parts = column.get(particle).into_iter().flat_map(|t| t.iter().enumerate());
                values.extend(
                    parts.map(|(k, x)| (format!("{name} {}{}", axes[k / 3], axes[k % 3]), f64::from(*x))),
                );
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::{History, Shown};
    use pliant_world::{Column, Field, Snapshot};
    use std::sync::Arc;

    fn shown(number: u64, time: f64) -> Shown {
        let field = |name: &str, column| Field { name: name.to_owned(), column };
        let fields = vec![
            field("id", Column::Integer(vec![4, 9])),
            field("velocity", Column::Vector(vec![[0.0; 3], [time as f32, 0.0, 0.0]])),
        ];
        let quantities = vec![("mass".to_owned(), 2.0)];
        let snapshot = Arc::new(Snapshot { time, fields, quantities, ..Snapshot::default() });
        Shown { snapshot, number, ..Shown::default() }
    }

    #[test]
    fn rows_of_the_scene_and_of_a_particle_grow_and_start_afresh() {
        let mut history = History::default();
        history.choose(Some(9));
        for number in 1..=3 {
            history.record(&shown(number, number as f64));
            history.record(&shown(number, number as f64));
        }
        assert_eq!(History::curve(history.rows(), "mass"), [[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]]);
        let probe = history.probe().unwrap();
        assert_eq!(History::curve(&probe.rows, "velocity x"), [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]);
        assert_eq!(History::csv(history.rows()).lines().next(), Some("time,mass"));
        history.record(&shown(4, 0.0));
        assert_eq!(history.rows().len(), 1);
    }
}
