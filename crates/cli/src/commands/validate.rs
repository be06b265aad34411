//! `pliant validate`: known answers beside what the methods give.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pliant_render::{Curve, Curves, write_curves};
use pliant_validation::{Case, Figure, Outcome, Resolution, Trend, cases, document, table};
use serde_json::{Value, json};

use crate::console;
use crate::exit::{Failure, INPUT, NUMERICS};

/// Compare the methods with known answers of mechanics; the exit code is 3 if an error leaves its bound.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant validate hanging-bar spin --fine")]
pub struct Options {
    /// Names of cases, such as hanging-bar; all if left out.
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// Run three resolutions and say whether the error falls.
    #[arg(long)]
    fine: bool,
    /// Write JSON.
    #[arg(long)]
    json: bool,
    /// Folder for validation.md, the table as a document.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder for figures, one SVG file a case that has one.
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let resolutions = if options.fine { &Resolution::ALL[..] } else { &[Resolution::Medium] };
    let mut outcomes = Vec::new();
    for case in chosen(&options.cases)? {
        let outcome = Outcome::of(&case, resolutions).map_err(|error| {
            Failure::new(NUMERICS, format!("case {} stopped: {error}; please report it", case.name))
        })?;
        outcomes.push(outcome);
    }
    if options.json {
        console::pretty_json(&facts(&outcomes))?;
    } else {
        console::line(&table(&outcomes))?;
    }
    if let Some(folder) = &options.out {
        write_document(folder, &document(&outcomes, &command_line(options)))?;
    }
    if let Some(folder) = &options.figures {
        write_figures(folder, &outcomes)?;
    }
    let missed: usize = outcomes.iter().map(Outcome::missed).sum();
    if missed > 0 {
        return Err(Failure::new(
            NUMERICS,
            format!("{missed} errors are out of bounds; the table marks them"),
        ));
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<Case>, Failure> {
    let all = cases();
    if names.is_empty() {
        return Ok(all);
    }
    let find = |name: &String| {
        all.iter().find(|case| case.name == name).copied().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|case| case.name).collect();
            Failure::new(INPUT, format!("there is no case {name}; choose from {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

/// What to type to get the same figures.
fn command_line(options: &Options) -> String {
    let mut words = vec!["pliant validate".to_owned()];
    words.extend(options.cases.iter().cloned());
    words.extend(options.fine.then(|| "--fine".to_owned()));
    words.join(" ")
}

fn write_document(folder: &Path, text: &str) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    let path = folder.join("validation.md");
    fs::write(&path, text).map_err(|error| Failure::io("write", &path, &error))
}

/// Draws curves beside known ones.
fn write_figures(folder: &Path, outcomes: &[Outcome]) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    for Outcome { case, figure, .. } in outcomes {
        if let Some(Figure { title, across, along, lines }) = figure.clone() {
            let lines = lines.into_iter().map(|(label, points)| Curve { label, points }).collect();
            write_curves(&Curves { name: case.name.to_owned(), title, across, along, lines }, folder)?;
        }
    }
    Ok(())
}

fn facts(outcomes: &[Outcome]) -> Value {
    let mut rows = Vec::new();
    for outcome in outcomes {
        for (resolution, measures) in &outcome.measures {
            for (index, measure) in measures.iter().enumerate() {
                rows.push(json!({
                    "case": outcome.case.name,
                    "method": outcome.case.method,
                    "quantity": measure.quantity,
                    "unit": measure.unit,
                    "resolution": resolution.name(),
                    "value": measure.value,
                    "reference": measure.reference,
                    "error": measure.error(),
                    "bounds": measure.bounds(),
                    "accepted": measure.is_accepted(),
                    "error_falls": outcome.trend(index).map(|trend| trend == Trend::Falls),
                }));
            }
        }
    }
    json!({ "measures": rows })
}
