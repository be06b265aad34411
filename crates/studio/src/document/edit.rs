//! Changes of a scene text that keep its comments and its order.

use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::layout::{forget_place, in_order, table_of, value_of};
use super::path::{Key, ScenePath};

/// Why a change was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The text is not TOML at the moment.
    #[error("the scene text is not valid TOML: {0}; mend it in the Text tab first")]
    NotToml(String),
    /// There is nothing at that place.
    #[error("the scene has nothing at `{0}`")]
    NoSuchPlace(String),
}

/// A change of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Writes a value, making the tables above it where needed.
    Set(ScenePath, Json),
    /// Takes a key or an entry away.
    Remove(ScenePath),
    /// Appends an entry to a list, making the list where needed.
    Append(ScenePath, Json),
    /// Puts a copy of an entry behind it.
    Duplicate(ScenePath),
    /// Swaps an entry with its neighbour: `-1` up, `1` down.
    Move(ScenePath, isize),
    /// Gives a named table another name.
    Rename(ScenePath, String),
}

impl Change {
    /// The text after the change.
    ///
    /// # Errors
    /// When the text is not TOML, or lacks the place.
    pub fn apply(&self, text: &str) -> Result<String, EditError> {
        let mut document: DocumentMut = text
            .parse()
            .map_err(|error: toml_edit::TomlError| EditError::NotToml(error.message().to_owned()))?;
        let root = document.as_item_mut();
        match self {
            Self::Set(path, value) => set(root, path, value)?,
            Self::Remove(path) => remove(root, path)?,
            Self::Append(path, value) => append(root, path, value)?,
            Self::Duplicate(path) => duplicate(root, path)?,
            Self::Move(path, by) => shift(root, path, *by)?,
            Self::Rename(path, name) => rename(root, path, name)?,
        }
        Ok(document.to_string())
    }
}

fn missing(path: &ScenePath) -> EditError {
    EditError::NoSuchPlace(path.to_string())
}

/// The item at a place that exists.
fn find<'a>(root: &'a mut Item, path: &ScenePath) -> Option<&'a mut Item> {
    path.0.iter().try_fold(root, |item, key| match key {
        Key::Name(name) => item.as_table_like_mut()?.get_mut(name),
        Key::Index(index) => item.get_mut(*index),
    })
}

/// The item at a place whose tables are made where they are missing: at the top with a header of their own, below
/// with dotted keys.
fn find_or_make<'a>(root: &'a mut Item, path: &ScenePath) -> Option<&'a mut Item> {
    path.0.iter().enumerate().try_fold(root, |item, (depth, key)| match key {
        Key::Name(name) => {
            if let Item::Value(Value::InlineTable(table)) = item {
                if !table.contains_key(name) {
                    table.insert(name, Value::InlineTable(InlineTable::new()));
                }
            } else {
                let table = item.as_table_like_mut()?;
                if !table.contains_key(name) {
                    let mut made = Table::new();
                    made.set_dotted(depth > 0);
                    table.insert(name, Item::Table(made));
                }
            }
            let found = item.as_table_like_mut()?.get_mut(name)?;
            if !found.is_table_like() && !found.is_array() && !found.is_array_of_tables() {
                *found = Item::Value(Value::InlineTable(InlineTable::new()));
            }
            Some(found)
        }
        Key::Index(index) => item.get_mut(*index),
    })
}

fn set(root: &mut Item, path: &ScenePath, json: &Json) -> Result<(), EditError> {
    let (above, last) = path.split().ok_or_else(|| missing(path))?;
    let parent = find_or_make(root, &above).ok_or_else(|| missing(path))?;
    match last {
        Key::Index(index) => {
            let item = parent.get_mut(*index).ok_or_else(|| missing(path))?;
            write(item, json);
        }
        Key::Name(name) => {
            let table = parent.as_table_like_mut().ok_or_else(|| missing(path))?;
            match table.get_mut(name) {
                Some(item) => write(item, json),
                None => {
                    table.insert(name, Item::Value(value_of(json)));
                }
            }
        }
    }
    Ok(())
}

/// Replaces a value; comments around the old one stay.
fn write(item: &mut Item, json: &Json) {
    let mut value = value_of(json);
    if let Item::Value(old) = &*item {
        *value.decor_mut() = old.decor().clone();
    }
    *item = Item::Value(value);
}

fn remove(root: &mut Item, path: &ScenePath) -> Result<(), EditError> {
    let (above, last) = path.split().ok_or_else(|| missing(path))?;
    let parent = find(root, &above).ok_or_else(|| missing(path))?;
    match last {
        Key::Name(name) => {
            let table = parent.as_table_like_mut().ok_or_else(|| missing(path))?;
            table.remove(name).ok_or_else(|| missing(path))?;
        }
        Key::Index(index) => match parent {
            Item::ArrayOfTables(list) if *index < list.len() => {
                list.remove(*index);
            }
            Item::Value(Value::Array(list)) if *index < list.len() => {
                list.remove(*index);
            }
            _ => return Err(missing(path)),
        },
    }
    Ok(())
}

fn append(root: &mut Item, path: &ScenePath, json: &Json) -> Result<(), EditError> {
    let (above, last) = path.split().ok_or_else(|| missing(path))?;
    let Key::Name(name) = last else { return Err(missing(path)) };
    let is_top = above.0.is_empty();
    let parent = find_or_make(root, &above).ok_or_else(|| missing(path))?;
    let table = parent.as_table_like_mut().ok_or_else(|| missing(path))?;
    if !table.contains_key(name) {
        let list =
            if is_top { Item::ArrayOfTables(ArrayOfTables::new()) } else { Item::Value(Array::new().into()) };
        table.insert(name, list);
    }
    match table.get_mut(name) {
        Some(Item::ArrayOfTables(list)) => list.push(table_of(json)),
        Some(Item::Value(Value::Array(list))) => list.push(value_of(json)),
        _ => return Err(missing(path)),
    }
    Ok(())
}

fn duplicate(root: &mut Item, path: &ScenePath) -> Result<(), EditError> {
    let (above, last) = path.split().ok_or_else(|| missing(path))?;
    let parent = find(root, &above).ok_or_else(|| missing(path))?;
    match (last, parent) {
        (Key::Index(index), Item::ArrayOfTables(list)) if *index < list.len() => {
            let mut tables: Vec<Table> = list.iter().cloned().collect();
            tables.insert(index + 1, with_another_name(tables[*index].clone()));
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

fn with_another_name(mut table: Table) -> Table {
    if let Some(name) = table.get("name").and_then(Item::as_str).map(str::to_owned) {
        table.insert("name", toml_edit::value(format!("{name} copy")));
    }
    table
}

/// `jelly` → `jelly-2`, or the first number that is free.
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let stem = name.rsplit_once('-').filter(|(_, n)| n.parse::<u32>().is_ok()).map_or(name, |(stem, _)| stem);
    (2..).map(|n| format!("{stem}-{n}")).find(|candidate| !is_taken(candidate)).unwrap_or_default()
}

fn shift(root: &mut Item, path: &ScenePath, by: isize) -> Result<(), EditError> {
    let (above, last) = path.split().ok_or_else(|| missing(path))?;
    let parent = find(root, &above).ok_or_else(|| missing(path))?;
    let Key::Index(index) = last else { return Err(missing(path)) };
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

fn rename(root: &mut Item, path: &ScenePath, name: &str) -> Result<(), EditError> {
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

#[cfg(test)]
mod tests {
    use super::{Change, ScenePath};
    use serde_json::json;

    const SCENE: &str = "# a scene\npliant = 1\nspacing = \"2 cm\" # fine\n\n[[objects]]\nname = \"a\" # first\n\
                         shape.ball.radius = 0.1\n\n# the second\n[[objects]]\nname = \"b\"\nposition = [0, 1, 0]\n\n\
                         [materials.jelly]\npreset = \"jello\"\n";

    fn changed(change: &Change) -> String {
        change.apply(SCENE).unwrap()
    }

    fn at(path: &str) -> ScenePath {
        ScenePath::parse(path)
    }

    #[test]
    fn a_change_keeps_comments_and_order() {
        let text = changed(&Change::Set(at("spacing"), json!("1 cm")));
        assert_eq!(text, SCENE.replace("2 cm", "1 cm"));
        let text = changed(&Change::Set(at("objects.1.position.1"), json!(2.5)));
        assert_eq!(text, SCENE.replace("[0, 1, 0]", "[0, 2.5, 0]"));
        let text = changed(&Change::Set(at("objects.0.shape.ball.radius"), json!("5 cm")));
        assert_eq!(text, SCENE.replace("radius = 0.1", "radius = \"5 cm\""));
    }

    #[test]
    fn tables_are_made_where_they_are_missing() {
        let text = changed(&Change::Set(at("time.duration"), json!("1 s")));
        assert!(text.contains("[time]\nduration = \"1 s\""), "{text}");
        let text = changed(&Change::Set(at("materials.jelly.plastic.von_mises.yield_stress"), json!(10)));
        assert!(text.contains("plastic.von_mises.yield_stress = 10"), "{text}");
    }

    #[test]
    fn entries_come_and_go() {
        let text = changed(&Change::Append(at("objects"), json!({ "material": "jelly" })));
        assert_eq!(text.matches("[[objects]]").count(), 3);
        let text = changed(&Change::Append(at("colliders"), json!({ "name": "floor" })));
        assert!(text.contains("[[colliders]]\nname = \"floor\""), "{text}");
        let text = changed(&Change::Remove(at("objects.0")));
        assert!(!text.contains("\"a\"") && text.contains("# the second"), "{text}");
    }

    #[test]
    fn copies_stand_behind_their_original() {
        let text = changed(&Change::Duplicate(at("objects.0")));
        let places: Vec<_> =
            ["\"a\"", "\"a copy\"", "\"b\""].iter().map(|name| text.find(name).unwrap()).collect();
        assert!(places.is_sorted(), "{text}");
        let text = changed(&Change::Duplicate(at("materials.jelly")));
        assert!(text.contains("[materials.jelly-2]\npreset"), "{text}");
    }

    #[test]
    fn entries_change_places() {
        let text = changed(&Change::Move(at("objects.1"), -1));
        assert!(text.find("\"b\"").unwrap() < text.find("\"a\"").unwrap(), "{text}");
        assert_eq!(changed(&Change::Move(at("objects.0"), -1)), SCENE);
    }

    #[test]
    fn names_change() {
        let text = changed(&Change::Rename(at("materials.jelly"), "gum".to_owned()));
        assert!(text.contains("[materials.gum]\npreset = \"jello\""), "{text}");
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        assert!(Change::Remove(at("objects.7")).apply(SCENE).is_err());
        assert!(Change::Set(at("a"), json!(1)).apply("a = = 1").unwrap_err().to_string().contains("TOML"));
    }
}
