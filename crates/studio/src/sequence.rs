//! Houdini `.geo` files (JSON text), one a frame, read back so that they can be replayed.

use std::path::{Path, PathBuf};

use pliant_world::{Column, Field, Snapshot};
use serde_json::{Map, Value};

/// Largest file that is read [bytes].
const LARGEST: u64 = 2_000_000_000;

/// The files of a folder, in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeoSequence {
    files: Vec<PathBuf>,
}

impl GeoSequence {
    /// Looks for `.geo` files in a folder, or in its folder `geo`.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let list = |folder: &Path| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut files: Vec<PathBuf> = entries
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "geo"))
                .collect();
            files.sort();
            files
        };
        let files = [list(folder), list(&folder.join("geo"))].concat();
        if files.is_empty() {
            return Err(format!(
                "{} is neither a run of Pliant nor a folder of .geo files; open the folder that `pliant run` made",
                folder.display()
            ));
        }
        Ok(Self { files })
    }

    /// The files.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// When the file is not readable or not such a file.
    pub fn read(&self, frame: u32) -> Result<Snapshot, String> {
        let path = self.files.get(frame as usize).ok_or_else(|| format!("there is no frame {frame}"))?;
        let size = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
        if size > LARGEST {
            return Err(format!("{} has {size} bytes, more than are read at once", path.display()));
        }
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        let json: Value =
            serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        let fields = points(&json).ok_or_else(|| format!("{} is not Houdini geometry", path.display()))?;
        let count =
            fields.iter().find(|field| field.name == "position").map_or(0, |field| field.column.len());
        let fields: Vec<Field> = fields.into_iter().filter(|field| field.column.len() == count).collect();
        Ok(Snapshot { frame, time: f64::from(frame) / 24.0, fields, ..Snapshot::default() })
    }
}

fn points(json: &Value) -> Option<Vec<Field>> {
    let attributes = pairs(pairs(json)?.get("attributes")?)?;
    let list = attributes.get("pointattributes")?.as_array()?;
    let fields: Vec<Field> = list.iter().filter_map(attribute).collect();
    fields.iter().any(|field| field.name == "position").then_some(fields)
}

fn attribute(node: &Value) -> Option<Field> {
    let (definition, data) = (pairs(node.get(0)?)?, pairs(node.get(1)?)?);
    let values = pairs(data.get("values")?)?;
    let size = values.get("size")?.as_u64()? as usize;
    let numbers: Vec<f32> = ["arrays", "tuples", "rawpagedata"]
        .iter()
        .filter_map(|key| values.get(*key))
        .flat_map(|list| {
            let mut numbers = Vec::new();
            flatten(list, &mut numbers);
            numbers
        })
        .collect();
    let name = match definition.get("name")?.as_str()? {
        "P" => "position",
        "v" => "velocity",
        "pscale" => "radius",
        "Cd" => "color",
        "rest" => "rest_position",
        "Je" => "J",
        other => other,
    };
    let is_whole = matches!(name, "id" | "body" | "material" | "neighbour_count");
    let column = match size {
        1 if is_whole => Column::Integer(numbers.iter().map(|x| *x as u32).collect()),
        1 => Column::Scalar(numbers),
        // Houdini's own files carry a fourth coordinate that is always one.
        3 | 4 => Column::Vector(numbers.chunks_exact(size).map(|p| [p[0], p[1], p[2]]).collect()),
        9 => Column::Tensor(numbers.chunks_exact(9).map(|p| std::array::from_fn(|k| p[k])).collect()),
        _ => return None,
    };
    Some(Field { name: name.to_owned(), column })
}

fn flatten(value: &Value, into: &mut Vec<f32>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| flatten(value, into)),
        Value::Number(number) => into.push(number.as_f64().unwrap_or(f64::NAN) as f32),
        // JSON has no word for what is not a number; writers put null.
        Value::Null => into.push(f32::NAN),
        _ => {}
    }
}

/// Houdini writes objects as lists of keys and values.
fn pairs(value: &Value) -> Option<Map<String, Value>> {
    let list = value.as_array()?;
    list.chunks_exact(2).map(|pair| Some((pair[0].as_str()?.to_owned(), pair[1].clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Column, Field, GeoSequence, Snapshot};
    use pliant_export::{Exporter, Format, Options};

    #[test]
    fn what_was_exported_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let field = |name: &str, column| Field { name: name.to_owned(), column };
        let snapshot = Snapshot {
            fields: vec![
                field("position", Column::Vector(vec![[0.0, 1.0, 2.0], [3.0, 4.0, 5.5]])),
                field("velocity", Column::Vector(vec![[0.5, 0.0, 0.0], [0.0, -1.0, 0.0]])),
                field("radius", Column::Scalar(vec![0.1, 0.2])),
                field("body", Column::Integer(vec![0, 3])),
                field("F", Column::Tensor(vec![[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]; 2])),
            ],
            ..Snapshot::default()
        };
        let mut exporter = Exporter::new(Format::Geo, folder.path(), Options::default()).unwrap();
        exporter.write(&snapshot).unwrap();
        let again = GeoSequence::open(folder.path()).unwrap().read(0).unwrap();
        for name in ["position", "velocity", "radius", "body", "F"] {
            assert_eq!(again.column(name), snapshot.column(name), "{name}");
        }
    }

    #[test]
    fn other_files_are_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        assert!(GeoSequence::open(folder.path()).unwrap_err().contains("neither"));
        std::fs::write(folder.path().join("a.geo"), "[1, 2]").unwrap();
        assert!(GeoSequence::open(folder.path()).unwrap().read(0).is_err());
    }
}
