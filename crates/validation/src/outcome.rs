//! What cases gave, as tables.

use crate::{Case, Figure, Findings, Measure, Refinement, Resolution};
use pliant_solver::StepError;

/// What a case gave at one or more resolutions.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The case.
    pub case: Case,
    /// Measures by resolution, from coarse to fine.
    pub measures: Vec<(Resolution, Vec<Measure>)>,
    /// The figure of the finest one, if the case has one.
    pub figure: Option<Figure>,
}

/// How the error of a quantity changes with resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// Each finer body has the smaller error.
    Falls,
    /// Some finer body has a larger error.
    DoesNotFall,
}

impl Outcome {
    /// Runs a case.
    ///
    /// # Errors
    /// When a step of the simulation fails.
    pub fn of(case: &Case, resolutions: &[Resolution]) -> Result<Self, StepError> {
        let mut outcome = Self { case: *case, measures: Vec::new(), figure: None };
        for resolution in resolutions {
            let Findings { measures, figure } = (case.run)(*resolution)?;
            outcome.measures.push((*resolution, measures));
            outcome.figure = figure;
        }
        Ok(outcome)
    }

    /// Measures whose error is not accepted.
    pub fn missed(&self) -> usize {
        self.measures.iter().flat_map(|(_, measures)| measures).filter(|m| !m.is_accepted()).count()
    }

    /// How the error of quantity number `index` changes; none for one resolution or where it need not change.
    pub fn trend(&self, index: usize) -> Option<Trend> {
        if self.measures.len() < 2 || self.case.refinement == Refinement::ChangesLittle {
            return None;
        }
        let errors: Vec<f64> = self.measures.iter().map(|(_, list)| list[index].error().abs()).collect();
        let falls = errors.windows(2).all(|pair| pair[1] < pair[0]);
        Some(if falls { Trend::Falls } else { Trend::DoesNotFall })
    }

    /// One row a measure: case, quantity, resolution, value, reference, error, bound, verdict.
    fn rows(&self) -> Vec<[String; 8]> {
        let mut rows = Vec::new();
        for (position, (resolution, measures)) in self.measures.iter().enumerate() {
            for (index, measure) in measures.iter().enumerate() {
                let mut verdict = if measure.is_accepted() { "ok" } else { "MISSED" }.to_owned();
                if position + 1 == self.measures.len() {
                    verdict += match self.trend(index) {
                        Some(Trend::Falls) => ", error falls",
                        Some(Trend::DoesNotFall) => ", error does not fall",
                        None => "",
                    };
                }
                rows.push([
                    self.case.name.to_owned(),
                    with_unit(&measure.quantity, measure.unit),
                    resolution.name().to_owned(),
                    number(measure.value),
                    number(measure.reference),
                    measure.error_text(),
                    measure.bounds_text(),
                    verdict,
                ]);
            }
        }
        rows
    }
}

fn with_unit(quantity: &str, unit: &str) -> String {
    if unit.is_empty() { quantity.to_owned() } else { format!("{quantity} [{unit}]") }
}

fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        format!("{value:.5}")
    } else {
        format!("{value:.4e}")
    }
}

const HEADINGS: [&str; 8] =
    ["case", "quantity", "resolution", "value", "reference", "error", "bound", "verdict"];

/// A table for the terminal: columns padded to equal width.
pub fn table(outcomes: &[Outcome]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(outcomes.iter().flat_map(Outcome::rows));
    let mut widths = [0; 8];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let padded = |row: &[String; 8]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(padded).collect::<Vec<_>>().join("\n")
}

/// A Markdown document: the table, and what each case is. `command` is what was typed to get it.
pub fn document(outcomes: &[Outcome], command: &str) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = format!(
        "# Validation\n\nWritten by `{command}`. Each value stands beside a known answer; the command fails when an error \
         leaves its bound.\n\n"
    );
    text += &line(&HEADINGS.map(str::to_owned));
    text += &line(&HEADINGS.map(|_| "---".to_owned()));
    for row in outcomes.iter().flat_map(Outcome::rows) {
        text += &line(&row);
    }
    text += "\n## Cases\n\n";
    for Outcome { case, .. } in outcomes {
        let Case { name, method, summary, source, .. } = case;
        text += &format!("- **{name}** (`{method}`): {summary} Reference: {source}.\n");
    }
    text
}
