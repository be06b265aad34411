//! Which quantities share a figure, and numbers made fit for drawing.

use std::ops::Range;

use crate::plot::{Curve, Curves, Row};

/// Points a line may have; more than pixels only make the file large.
const MOST_POINTS: usize = 4000;

/// Quantities of one kind over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Name of the file.
    pub name: String,
    pub title: String,
    /// What stands along the horizontal axis.
    pub across: String,
    /// What stands along the vertical axis, before the unit.
    along: String,
    /// SI unit, empty for plain numbers.
    unit: &'static str,
    /// What values are divided by before drawing, and how the unit says so.
    pub factor: f64,
    prefix: &'static str,
    pub series: Vec<Series>,
}

/// One quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub label: String,
    points: Vec<(f64, f64)>,
}

/// Kinds of quantities: how a name ends or begins, the file, the title and the unit.
const KINDS: [(&str, &str, &str, &str); 12] = [
    ("_energy", "energy", "Energy", "J"),
    ("angular_momentum_", "angular_momentum", "Angular momentum", "kg m²/s"),
    ("momentum_", "momentum", "Momentum", "kg m/s"),
    ("center_", "center", "Centre of mass", "m"),
    ("volume", "volume", "Volume", "m³"),
    ("mass", "mass", "Mass", "kg"),
    ("dt", "dt", "Smallest time step", "s"),
    ("steps", "steps", "Steps a frame", ""),
    ("iterations", "iterations", "Iterations a step", ""),
    ("solves", "solves", "Linear solves a step", ""),
    ("contacts", "contacts", "Contacts a step", ""),
    ("ms ", "stages", "Time a step", "ms"),
];

/// The figures for all quantities in the rows, in the order in which they first appear.
pub(crate) fn figures(rows: &[Row]) -> Vec<Figure> {
    let mut found: Vec<Figure> = Vec::new();
    for name in names(rows) {
        let points = points_of(rows, name);
        if points.iter().all(|(_, value)| !value.is_finite()) {
            continue;
        }
        let (figure, label) = figure_of(name);
        let series = Series { label, points };
        match found.iter_mut().find(|other| other.name == figure.name) {
            Some(figure) => figure.series.push(series),
            None => found.push(Figure { series: vec![series], ..figure }),
        }
    }
    found.iter_mut().for_each(Figure::choose_prefix);
    found
}

fn names(rows: &[Row]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|(_, quantities)| quantities) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn points_of(rows: &[Row], name: &str) -> Vec<(f64, f64)> {
    let step = rows.len().div_ceil(MOST_POINTS).max(1);
    let value = |quantities: &[(String, f64)]| {
        quantities.iter().find(|(key, _)| key == name).map_or(f64::NAN, |(_, value)| *value)
    };
    rows.iter().step_by(step).map(|(time, quantities)| (*time, value(quantities))).collect()
}

/// An empty figure for a quantity, and the quantity's label in it.
fn figure_of(name: &str) -> (Figure, String) {
    let empty = |file: &str, title: &str, unit| Figure {
        name: file.to_owned(),
        title: title.to_owned(),
        across: "time [s]".to_owned(),
        along: title.to_lowercase(),
        unit,
        factor: 1.0,
        prefix: "",
        series: Vec::new(),
    };
    for (pattern, file, title, unit) in KINDS {
        let rest = name.strip_suffix(pattern).or_else(|| name.strip_prefix(pattern));
        if let Some(rest) = rest {
            let label = if rest.is_empty() { name } else { rest };
            return (empty(file, title, unit), label.trim_matches('_').replace('_', " "));
        }
    }
    // A name from a file may hold anything; the figure's file must stay in its folder.
    let file: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    (empty(&file, &name.replace('_', " "), ""), name.to_owned())
}

impl From<&Curves> for Figure {
    fn from(curves: &Curves) -> Self {
        let Curves { name, title, across, along, lines } = curves.clone();
        let series = lines.into_iter().map(|Curve { label, points }| Series { label, points }).collect();
        Self { name, title, across, along, unit: "", factor: 1.0, prefix: "", series }
    }
}

impl Series {
    /// The finite stretches of the line, values divided by `factor`.
    pub fn pieces(&self, factor: f64) -> Vec<Vec<(f64, f64)>> {
        let is_drawable = |(time, value): &(f64, f64)| time.is_finite() && value.is_finite();
        let pieces = self.points.split(|point| !is_drawable(point)).filter(|piece| !piece.is_empty());
        pieces.map(|piece| piece.iter().map(|(time, value)| (*time, value / factor)).collect()).collect()
    }
}

impl Figure {
    /// What stands along the vertical axis.
    pub fn value_label(&self) -> String {
        let name = self.along.clone();
        if self.unit.is_empty() { name } else { format!("{name} [{}{}]", self.prefix, self.unit) }
    }

    /// Ranges of both axes, never empty and never infinite.
    pub fn ranges(&self) -> (Range<f64>, Range<f64>) {
        let points: Vec<(f64, f64)> =
            self.series.iter().flat_map(|series| series.pieces(self.factor).concat()).collect();
        let times = spread(points.iter().map(|point| point.0), 0.0);
        (times, spread(points.iter().map(|point| point.1), 0.06))
    }

    fn choose_prefix(&mut self) {
        let values = self.series.iter().flat_map(|series| &series.points).map(|point| point.1.abs());
        let largest = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        let prefixes = match self.unit {
            "J" => [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")].as_slice(),
            "s" => [(1.0, ""), (1e-3, "m"), (1e-6, "µ")].as_slice(),
            _ => [].as_slice(),
        };
        let fitting = prefixes.iter().find(|(factor, _)| largest >= *factor);
        (self.factor, self.prefix) = fitting.copied().unwrap_or((1.0, ""));
    }
}

/// Largest magnitude an axis shows; the plotting library multiplies ranges and must not overflow.
const FARTHEST: f64 = 1e150;

fn spread(values: impl Iterator<Item = f64>, margin: f64) -> Range<f64> {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return 0.0..1.0;
    }
    let (low, high) = (low.clamp(-FARTHEST, FARTHEST), high.clamp(-FARTHEST, FARTHEST));
    // A constant needs room around it; relative room, or large constants would still make an empty range.
    let room = (high - low) * margin;
    if high - low <= 1e-9 * high.abs().max(low.abs()) {
        let around = 0.1 * high.abs().max(1e-9);
        return low - around..high + around;
    }
    low - room..high + room
}

#[cfg(test)]
mod tests {
    use super::{Row, figures, spread};

    fn row(time: f64, pairs: &[(&str, f64)]) -> Row {
        (time, pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect())
    }

    #[test]
    fn energies_share_a_figure_in_a_fitting_unit() {
        let quantities =
            [("kinetic_energy", 1200.0), ("total_energy", 5e3), ("dt", 2e-3), ("momentum_x", 1.0)];
        let found = figures(&[row(0.0, &quantities)]);
        assert_eq!(found.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["energy", "dt", "momentum"]);
        assert_eq!(
            found[0].series.iter().map(|s| s.label.as_str()).collect::<Vec<_>>(),
            ["kinetic", "total"]
        );
        assert_eq!(found[0].value_label(), "energy [kJ]");
        assert_eq!(found[1].value_label(), "smallest time step [ms]");
        assert_eq!(found[2].series[0].label, "x");
    }

    #[test]
    fn gaps_split_a_line() {
        let values = [1.0, f64::NAN, 2.0, 3.0, f64::INFINITY];
        let rows: Vec<Row> =
            values.iter().enumerate().map(|(i, v)| row(i as f64, &[("volume", *v)])).collect();
        assert_eq!(figures(&rows)[0].series[0].pieces(1.0), [vec![(0.0, 1.0)], vec![(2.0, 2.0), (3.0, 3.0)]]);
    }

    #[test]
    fn a_name_cannot_leave_the_folder() {
        let found = figures(&[row(0.0, &[("../../evil", 1.0)])]);
        assert!(!found[0].name.contains(['/', '.']), "{}", found[0].name);
    }

    #[test]
    fn every_range_has_room() {
        for values in [vec![], vec![0.0], vec![7.0, 7.0], vec![-1e300, 1e300], vec![1e12, 1e12 + 1e-6]] {
            let range = spread(values.iter().copied(), 0.06);
            assert!(range.start < range.end && (range.end - range.start).is_finite(), "{values:?} {range:?}");
        }
    }
}
