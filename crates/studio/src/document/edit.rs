//! Changes of a scene text that keep its comments and its order.

use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::entries::{duplicate, rename, shift};
use super::layout::{table_of, value_of};
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

pub(super) fn missing(path: &ScenePath) -> EditError {
    EditError::NoSuchPlace(path.to_string())
}

/// The item at a place that exists.
pub(super) fn find<'a>(root: &'a mut Item, path: &ScenePath) -> Option<&'a mut Item> {
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
                    made.set_implicit(depth == 0);
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
            // Below a table of nothing but tables, such as `materials`, a new one gets a header of its own, at the end.
            let is_named = json.is_object() && parent.as_table().is_some_and(Table::is_implicit);
            let table = parent.as_table_like_mut().ok_or_else(|| missing(path))?;
            match table.get_mut(name) {
                Some(item) => write(item, json),
                None if is_named => {
                    table.insert(name, Item::Table(table_of(json)));
                }
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
        let text = changed(&Change::Set(at("materials.gum"), json!({ "preset": "rubber" })));
        assert!(text.ends_with("[materials.gum]\npreset = \"rubber\"\n"), "{text}");
        let text =
            Change::Set(at("materials.gum"), json!({ "preset": "rubber" })).apply("pliant = 1\n").unwrap();
        assert!(text.contains("[materials.gum]\npreset"), "{text}");
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
        let text = Change::Duplicate(at("objects.0")).apply(&text).unwrap();
        assert!(text.contains("\"a copy 2\""), "names stay unique: {text}");
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
    fn named_tables_change_places_with_their_comments() {
        let two =
            format!("{SCENE}\n# soft\n[materials.gum]\npreset = \"rubber\" # mine\n\n[time]\nfps = 24\n");
        let text = Change::Move(at("materials.gum"), -1).apply(&two).unwrap();
        let places: Vec<_> = ["# soft", "[materials.gum]", "[materials.jelly]", "[time]"]
            .map(|part| text.find(part).unwrap())
            .into();
        assert!(places.is_sorted() && text.contains("# mine"), "{text}");
        assert_eq!(Change::Move(at("materials.gum"), 1).apply(&two).unwrap(), two);
        let names = crate::document::Tree::parse(&text).unwrap().names(&at("materials"));
        assert_eq!(names, ["gum", "jelly"]);
        let inline = "[materials]\na = { preset = \"jello\" }\nb = { preset = \"snow\" }\n";
        let text = Change::Move(at("materials.a"), 1).apply(inline).unwrap();
        assert!(text.find("b =").unwrap() < text.find("a =").unwrap(), "{text}");
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
