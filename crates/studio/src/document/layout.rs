//! Where tables stand in a text, and values as TOML writes them.

use serde_json::Value as Json;
use toml_edit::{ArrayOfTables, InlineTable, Item, Table, Value};

/// A list whose tables are written in the order they have here.
pub(super) fn in_order(tables: Vec<Table>) -> ArrayOfTables {
    let mut places: Vec<isize> = tables.iter().filter_map(Table::position).collect();
    places.sort_unstable();
    let last = places.last().copied();
    let mut list = ArrayOfTables::new();
    for (index, mut table) in tables.into_iter().enumerate() {
        forget_places(&mut table);
        if let Some(place) = places.get(index).copied().or(last) {
            set_places(&mut table, place);
        }
        list.push(table);
    }
    list
}

/// Where a table stands in its text; nowhere of its own for plain values.
pub(super) fn place_of(item: &Item) -> Option<isize> {
    match item {
        Item::Table(table) => {
            table.position().or_else(|| table.iter().find_map(|(_, below)| place_of(below)))
        }
        _ => None,
    }
}

/// Puts a table, with all below it, at a place of the text.
pub(super) fn put_at(item: &mut Item, place: Option<isize>) {
    if let (Item::Table(table), Some(place)) = (item, place) {
        forget_places(table);
        set_places(table, place);
    }
}

pub(super) fn forget_place(item: &mut Item) {
    if let Item::Table(table) = item {
        forget_places(table);
    }
}

fn forget_places(table: &mut Table) {
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(below) => forget_places(below),
            Item::ArrayOfTables(list) => list.iter_mut().for_each(forget_places),
            _ => {}
        }
    }
    let mut plain = Table::new();
    plain.set_implicit(table.is_implicit());
    plain.set_dotted(table.is_dotted());
    *plain.decor_mut() = table.decor().clone();
    for (key, item) in std::mem::take(table) {
        plain.insert(&key, item);
    }
    *table = plain;
}

fn set_places(table: &mut Table, place: isize) {
    table.set_position(Some(place));
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(below) if !below.is_dotted() => set_places(below, place),
            Item::ArrayOfTables(list) => list.iter_mut().for_each(|below| set_places(below, place)),
            _ => {}
        }
    }
}

/// A value as TOML writes it; whole numbers that came as such stay whole.
pub(super) fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(""),
        Json::Bool(value) => Value::from(*value),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::from(whole),
            None => Value::from(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::Array(items.iter().map(value_of).collect()),
        Json::Object(map) => {
            let mut table = InlineTable::new();
            for (key, value) in map {
                table.insert(key, value_of(value));
            }
            Value::InlineTable(table)
        }
    }
}

pub(super) fn table_of(json: &Json) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    for (key, value) in json.as_object().into_iter().flatten() {
        table.insert(key, Item::Value(value_of(value)));
    }
    table
}
