//! Entries of lists and named tables: copies, other places, other names.

use toml_edit::{Item, Table, Value};

use super::edit::{EditError, find, missing};
use super::layout::{forget_place, in_order, place_of, put_at};
use super::path::{Key, ScenePath};

pub(super) fn duplicate(root: &mut Item, path: &ScenePath) -> Result<(), EditError> {
    let (above, last) = path.split().ok_or_else(|| missing(path))?;
    let parent = find(root, &above).ok_or_else(|| missing(path))?;
    match (last, parent) {
        (Key::Index(index), Item::ArrayOfTables(list)) if *index < list.len() => {
            let mut tables: Vec<Table> = list.iter().cloned().collect();
            let copy = with_another_name(tables[*index].clone(), &tables);
            tables.insert(index + 1, copy);
            *list = in_order(tables);
        }
        (Key::Index(index), Item::Value(Value::Array(list))) if *index < list.len() => {
            let copy = list.get(*index).cloned().ok_or_else(|| missing(path))?;
            list.insert(index + 1, copy);
        }
        (Key::Name(name), parent) => {
            let table = parent.as_table_like_mut().ok_or_else(|| missing(path))?;
            let mut copy = table.get(name).cloned().ok_or_else(|| missing(path))?;
            forget_place(&mut copy);
            let free = free_name(name, |candidate| table.contains_key(candidate));
            table.insert(&free, copy);
        }
        _ => return Err(missing(path)),
    }
    Ok(())
}

fn with_another_name(mut table: Table, others: &[Table]) -> Table {
    let name_of = |table: &Table| table.get("name").and_then(Item::as_str).map(str::to_owned);
    if let Some(name) = name_of(&table) {
        let is_taken = |name: &str| others.iter().any(|other| name_of(other).as_deref() == Some(name));
        let first = format!("{name} copy");
        let more = (2..).map(|number| format!("{name} copy {number}"));
        let free = std::iter::once(first).chain(more).find(|name| !is_taken(name)).unwrap_or_default();
        table.insert("name", toml_edit::value(free));
    }
    table
}

/// `jelly` → `jelly-2`, or the first number that is free.
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let stem = name.rsplit_once('-').filter(|(_, n)| n.parse::<u32>().is_ok()).map_or(name, |(stem, _)| stem);
    (2..).map(|n| format!("{stem}-{n}")).find(|candidate| !is_taken(candidate)).unwrap_or_default()
}

pub(super) fn shift(root: &mut Item, path: &ScenePath, by: isize) -> Result<(), EditError> {
    let (above, last) = path.split().ok_or_else(|| missing(path))?;
    let parent = find(root, &above).ok_or_else(|| missing(path))?;
    let index = match last {
        Key::Index(index) => index,
        Key::Name(name) => return shift_named(parent, name, by).ok_or_else(|| missing(path)),
    };
    match parent {
        Item::ArrayOfTables(list) => {
            let Some(other) = index.checked_add_signed(by).filter(|other| *other < list.len()) else {
                return Ok(());
            };
            let mut tables: Vec<Table> = list.iter().cloned().collect();
            tables.swap(*index, other);
            *list = in_order(tables);
        }
        Item::Value(Value::Array(list)) => {
            let Some(other) = index.checked_add_signed(by).filter(|other| *other < list.len()) else {
                return Ok(());
            };
            let moved = list.remove(*index);
            list.insert_formatted(other, moved);
        }
        _ => return Err(missing(path)),
    }
    Ok(())
}

/// Swaps a named table with its neighbour; each takes the place of the other in the text.
fn shift_named(parent: &mut Item, name: &str, by: isize) -> Option<()> {
    let table = parent.as_table_like_mut()?;
    let names: Vec<String> = table.iter().map(|(known, _)| known.to_owned()).collect();
    let index = names.iter().position(|known| known == name)?;
    let Some(other) = index.checked_add_signed(by).filter(|other| *other < names.len()) else {
        return Some(());
    };
    let mut entries: Vec<(String, Item)> =
        names.iter().filter_map(|known| Some((known.clone(), table.remove(known)?))).collect();
    let places: Vec<Option<isize>> = entries.iter().map(|(_, item)| place_of(item)).collect();
    entries.swap(index, other);
    for ((known, mut item), place) in entries.into_iter().zip(places) {
        put_at(&mut item, place);
        table.insert(&known, item);
    }
    Some(())
}

pub(super) fn rename(root: &mut Item, path: &ScenePath, name: &str) -> Result<(), EditError> {
    let (above, last) = path.split().ok_or_else(|| missing(path))?;
    let parent = find(root, &above).ok_or_else(|| missing(path))?;
    let (Key::Name(old), Some(table)) = (last, parent.as_table_like_mut()) else { return Err(missing(path)) };
    if old == name || name.is_empty() || table.contains_key(name) {
        return Ok(());
    }
    let item = table.remove(old).ok_or_else(|| missing(path))?;
    table.insert(name, item);
    Ok(())
}
