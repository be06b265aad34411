//! A scene text as values, with the lines they stand on.

use serde_json::{Map, Value as Json};
use toml_edit::{Document, Item, TableLike, Value};

use super::path::{Key, ScenePath};

/// The values of a scene text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// All values.
    pub values: Json,
    /// Which lines each value stands on, from 1.
    lines: Vec<(ScenePath, std::ops::RangeInclusive<usize>)>,
    /// Keys of tables of tables, in the order of the text.
    orders: Vec<(ScenePath, Vec<String>)>,
}

impl Tree {
    /// Reads a text; none if it is not TOML.
    pub fn parse(text: &str) -> Option<Self> {
        let document = Document::parse(text).ok()?;
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(place, _)| place + 1)).collect();
        let line = |place: usize| starts.partition_point(|start| *start <= place);
        let mut lines = Vec::new();
        let values = convert(document.as_item(), &ScenePath::default(), &mut |path, span| {
            lines.push((path.clone(), line(span.start)..=line(span.end.saturating_sub(1).max(span.start))));
        });
        let mut orders = Vec::new();
        note_order(document.as_item(), &ScenePath::default(), &mut orders);
        Some(Self { values, lines, orders })
    }

    /// The value at a place.
    pub fn at(&self, path: &ScenePath) -> Option<&Json> {
        path.0.iter().try_fold(&self.values, |value, key| match key {
            Key::Name(name) => value.get(name),
            Key::Index(index) => value.get(index),
        })
    }

    /// The line of the value at a place, if it stands on one line only.
    pub fn line_of(&self, path: &ScenePath) -> Option<usize> {
        let (_, lines) = self.lines.iter().find(|(known, _)| known == path)?;
        (lines.start() == lines.end()).then_some(*lines.start())
    }

    /// Names of the tables below a place, in their order.
    pub fn names(&self, path: &ScenePath) -> Vec<String> {
        let found = self.orders.iter().find(|(known, _)| known == path);
        found.map(|(_, names)| names.clone()).unwrap_or_default()
    }

    /// How many entries the list at a place has.
    pub fn count(&self, path: &ScenePath) -> usize {
        self.at(path).and_then(Json::as_array).map_or(0, Vec::len)
    }
}

/// Values are kept by name; this keeps the order their text has.
fn note_order(item: &Item, path: &ScenePath, orders: &mut Vec<(ScenePath, Vec<String>)>) {
    let Some(table) = item.as_table_like().filter(|_| path.0.len() < 2) else { return };
    for (key, below) in table.iter() {
        note_order(below, &path.key(key), orders);
    }
    orders.push((path.clone(), table.iter().map(|(key, _)| key.to_owned()).collect()));
}

type Visit<'a> = dyn FnMut(&ScenePath, std::ops::Range<usize>) + 'a;

fn convert(item: &Item, path: &ScenePath, visit: &mut Visit<'_>) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Table(table) => convert_table(table, path, visit),
        Item::ArrayOfTables(list) => {
            let tables = list.iter().enumerate();
            Json::Array(
                tables.map(|(index, table)| convert_table(table, &path.index(index), visit)).collect(),
            )
        }
        Item::Value(value) => convert_value(value, path, visit),
    }
}

fn convert_table(table: &dyn TableLike, path: &ScenePath, visit: &mut Visit<'_>) -> Json {
    let entry = |(key, item): (&str, &Item)| (key.to_owned(), convert(item, &path.key(key), visit));
    Json::Object(table.iter().map(entry).collect::<Map<_, _>>())
}

fn convert_value(value: &Value, path: &ScenePath, visit: &mut Visit<'_>) -> Json {
    if let Some(span) = value.span() {
        visit(path, span);
    }
    match value {
        Value::String(text) => Json::String(text.value().clone()),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(flag) => (*flag.value()).into(),
        Value::Datetime(date) => Json::String(date.value().to_string()),
        Value::Array(list) => {
            let values = list.iter().enumerate();
            Json::Array(
                values.map(|(index, value)| convert_value(value, &path.index(index), visit)).collect(),
            )
        }
        Value::InlineTable(table) => convert_table(table, path, visit),
    }
}

#[cfg(test)]
mod tests {
    use super::{ScenePath, Tree};

    #[test]
    fn values_know_their_lines() {
        let tree = Tree::parse("a = 1\n[[objects]]\nshape.ball.radius = 2\nb = [\n1,\n2]\n").unwrap();
        assert_eq!(tree.line_of(&ScenePath::parse("objects.0.shape.ball.radius")), Some(3));
        assert_eq!(tree.line_of(&ScenePath::parse("objects.0.b")), None);
        assert_eq!(tree.line_of(&ScenePath::parse("objects.0.b.1")), Some(6));
        assert_eq!(tree.at(&ScenePath::parse("objects.0.b.0")), Some(&1.into()));
        assert!(Tree::parse("a = = 2").is_none());
    }
}
