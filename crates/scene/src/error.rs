//! What is wrong with a scene, where, and what to try.

use crate::source::{Location, SourceMap, Span};

/// A scene that cannot be used: every problem found, in the order of the files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SceneError {
    /// The problems, at least one.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What to try.
    pub help: Option<String>,
    /// Where; none if it concerns no written text, such as a missing file.
    pub location: Option<Location>,
}

/// More problems than this are counted, not shown.
const MAX_SHOWN: usize = 10;

impl SceneError {
    /// An error without a place.
    pub(crate) fn general(message: impl Into<String>) -> Self {
        Self { problems: vec![Problem { message: message.into(), help: None, location: None }] }
    }
}

impl std::fmt::Display for SceneError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, problem) in self.problems.iter().take(MAX_SHOWN).enumerate() {
            if index > 0 {
                write!(f, "\n\n")?;
            }
            write!(f, "{problem}")?;
        }
        let hidden = self.problems.len().saturating_sub(MAX_SHOWN);
        if hidden > 0 { write!(f, "\n\nand {hidden} more") } else { Ok(()) }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let help = self.help.as_deref().unwrap_or_default();
        let Some(place) = &self.location else {
            let separator = if help.is_empty() { "" } else { "; " };
            return write!(f, "{}{separator}{help}", self.message);
        };
        let gutter = " ".repeat(place.line.to_string().len());
        writeln!(f, "{}", self.message)?;
        writeln!(f, "{gutter}--> {}:{}:{}", place.file, place.line, place.column)?;
        writeln!(f, "{gutter} |")?;
        writeln!(f, "{} | {}", place.line, place.text)?;
        let indent = " ".repeat(place.column - 1);
        let marks = "^".repeat(place.width);
        write!(f, "{}", format!("{gutter} | {indent}{marks} {help}").trim_end())
    }
}

/// A problem before its place is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) span: Span,
}

impl Fault {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, span }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Turns faults into the error a user sees, in the order of the text.
pub(crate) fn locate(sources: &SourceMap, mut faults: Vec<Fault>) -> SceneError {
    faults.sort_by_key(|fault| fault.span.start);
    let problem = |fault: Fault| Problem {
        location: sources.locate(&fault.span),
        message: fault.message,
        help: fault.help,
    };
    SceneError { problems: faults.into_iter().map(problem).collect() }
}

/// The nearest of the known names, if the name looks like a slip of it.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= 1.max(name.len().min(candidate.len()) / 3) || candidate.starts_with(&lower)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `did you mean …?` or, failing that, all that is known.
pub(crate) fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => {
            let all: Vec<String> = known.into_iter().map(|candidate| format!("`{candidate}`")).collect();
            if all.is_empty() {
                "none is known here".to_owned()
            } else {
                format!("known: {}", all.join(", "))
            }
        }
    }
}
