//! TOML as a tree that remembers where everything was written.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::Fault;
use crate::source::Span;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Number(f64),
    Switch(bool),
    List(Vec<Node>),
    Table(Table),
}

/// Keys in alphabetical order, each with the place of the key and its value.
pub(crate) type Table = BTreeMap<String, (Span, Node)>;

impl Value {
    /// What it is, in words.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Text(text) => format!("the text {text:?}"),
            Self::Integer(value) => format!("the number {value}"),
            Self::Number(value) => format!("the number {value}"),
            Self::Switch(value) => format!("{value}"),
            Self::List(_) => "a list".to_owned(),
            Self::Table(_) => "a table".to_owned(),
        }
    }
}

/// Parses a document whose text starts at `start` among all sources.
pub(crate) fn parse(text: &str, start: usize) -> Result<Table, Vec<Fault>> {
    match DeTable::parse(text) {
        Ok(table) => convert_table(table.into_inner(), start).map_err(|fault| vec![fault]),
        Err(error) => Err(vec![syntax_fault(&error, start)]),
    }
}

/// Parses a single value, as on the right of `=`.
pub(crate) fn parse_value(text: &str, start: usize) -> Option<Node> {
    convert(DeValue::parse(text).ok()?, start).ok()
}

fn syntax_fault(error: &toml::de::Error, start: usize) -> Fault {
    let span = error.span().unwrap_or(0..0);
    Fault::new(span.start + start..span.end + start, format!("not valid TOML: {}", error.message()))
}

fn convert_table(table: DeTable<'_>, start: usize) -> Result<Table, Fault> {
    let entry = |(key, value): (Spanned<_>, _)| {
        let span = shift(key.span(), start);
        Ok((std::borrow::Cow::into_owned(key.into_inner()), (span, convert(value, start)?)))
    };
    table.into_iter().map(entry).collect()
}

fn convert(node: Spanned<DeValue<'_>>, start: usize) -> Result<Node, Fault> {
    let span = shift(node.span(), start);
    let value = match node.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(value) => Value::Integer(value),
            Err(_) => return Err(Fault::new(span, "this whole number is too large")),
        },
        DeValue::Float(digits) => match digits.as_str().parse::<f64>() {
            Ok(value) if value.is_finite() => Value::Number(value),
            _ => return Err(Fault::new(span, "this is not a finite number")),
        },
        DeValue::Boolean(value) => Value::Switch(value),
        DeValue::Datetime(_) => return Err(Fault::new(span, "scenes have no dates").help("write it as text")),
        DeValue::Array(list) => {
            Value::List(list.into_iter().map(|item| convert(item, start)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => Value::Table(convert_table(table, start)?),
    };
    Ok(Node { span, value })
}

fn shift(span: Span, start: usize) -> Span {
    span.start + start..span.end + start
}
