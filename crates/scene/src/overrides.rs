//! `--set key=value`: changes to a scene from outside, with the same checks and messages as the file itself.

use crate::error::{Fault, suggestion};
use crate::source::{SourceMap, Span};
use crate::tree::{self, Node, Table, Value};

/// Longest option [bytes].
const MAX_LENGTH: usize = 1 << 16;
/// Longest key path.
const MAX_DEPTH: usize = 32;

/// Applies `materials.jelly.young=200kPa` or `objects.0.spacing=0.05` to the tree. Items of lists are found by
/// number from 0 or by their `name`.
pub(crate) fn apply(table: &mut Table, option: &str, sources: &mut SourceMap) -> Result<(), Fault> {
    let start = sources.add("--set".to_owned(), None, option.chars().take(MAX_LENGTH).collect());
    let whole = start..start + option.len();
    let form = || Fault::new(whole.clone(), "expected key=value").help("such as time.duration=1s");
    let (path, text) = option.split_once('=').ok_or_else(form)?;
    let keys = segments(path, start);
    if option.len() > MAX_LENGTH || keys.len() > MAX_DEPTH || keys.iter().any(|(key, _)| key.is_empty()) {
        return Err(form());
    }
    if keys[0].0 == "include" {
        return Err(Fault::new(keys[0].1.clone(), "includes are read before options: change the scene file"));
    }
    let value_start = start + path.len() + 1;
    let value = tree::parse_value(text, value_start).unwrap_or_else(|| Node {
        span: value_start..value_start + text.len(),
        value: Value::Text(text.trim().to_owned()),
    });
    insert(table, &keys, value)
}

/// The parts of a dotted key and their places.
fn segments(path: &str, start: usize) -> Vec<(&str, Span)> {
    let mut offset = start;
    let part = |part| {
        let begin = offset;
        offset += str::len(part) + 1;
        (part.trim(), begin..begin + part.len())
    };
    path.split('.').map(part).collect()
}

fn insert(table: &mut Table, keys: &[(&str, Span)], value: Node) -> Result<(), Fault> {
    let ((key, span), rest) = keys.split_first().expect("a key has at least one part");
    if rest.is_empty() {
        table.insert((*key).to_owned(), (span.clone(), value));
        return Ok(());
    }
    let fresh = || (span.clone(), Node { span: span.clone(), value: Value::Table(Table::new()) });
    descend(&mut table.entry((*key).to_owned()).or_insert_with(fresh).1, rest, value)
}

fn descend(node: &mut Node, keys: &[(&str, Span)], value: Node) -> Result<(), Fault> {
    match &mut node.value {
        Value::Table(table) => insert(table, keys, value),
        Value::List(items) => {
            let ((key, span), rest) = keys.split_first().expect("checked by the caller");
            let found = key.parse().ok().filter(|index: &usize| *index < items.len());
            let Some(index) = found.or_else(|| items.iter().position(|item| name_of(item) == Some(key)))
            else {
                let names: Vec<&str> = items.iter().filter_map(name_of).collect();
                let message = format!("there is no item `{key}` among {}, numbered from 0", items.len());
                return Err(Fault::new(span.clone(), message).help(suggestion(key, names)));
            };
            if rest.is_empty() {
                items[index] = value;
                return Ok(());
            }
            descend(&mut items[index], rest, value)
        }
        other => {
            // `shape = "ball"` may be refined by `shape.ball.radius`: the table replaces the text.
            other.clone_from(&Value::Table(Table::new()));
            descend(node, keys, value)
        }
    }
}

fn name_of(item: &Node) -> Option<&str> {
    match &item.value {
        Value::Table(table) => match &table.get("name")?.1.value {
            Value::Text(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}
