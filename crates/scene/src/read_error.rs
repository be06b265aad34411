//! What serde has to say, in our words.

use std::fmt::Display;

use serde::de::{self, Expected, Unexpected};

use crate::error::suggestion;
use crate::source::Span;

/// Why serde stopped.
#[derive(Debug)]
pub(crate) struct ReadError {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) span: Option<Span>,
    /// Whether it is a missing key.
    pub(crate) missing: bool,
}

impl ReadError {
    pub(crate) fn new(message: impl Display) -> Self {
        Self { message: message.to_string(), help: None, span: None, missing: false }
    }

    /// The same with a place, unless it has one.
    pub(crate) fn at(mut self, span: &Span) -> Self {
        self.span.get_or_insert_with(|| span.clone());
        self
    }
}

impl Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, got {}", in_words(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self { missing: true, ..Self::new(format!("the key `{field}` is missing here")) }
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let help = Some(suggestion(field, known.iter().copied()));
        Self { help, ..Self::new(format!("unknown key `{field}`")) }
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        let help = Some(suggestion(variant, known.iter().copied()));
        Self { help, ..Self::new(format!("`{variant}` is not known here")) }
    }
}

fn in_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(value) => format!("the number {value}"),
        Unexpected::Signed(value) => format!("the number {value}"),
        Unexpected::Float(value) => format!("the number {value}"),
        Unexpected::Str(text) => format!("the text {text:?}"),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}
