//! The layout of Houdini geometry, over JSON that was text or binary.

use super::Columns;
use serde_json::{Map, Value};

pub struct Geometry {
    pub points: Columns,
    pub detail: Columns,
}

pub fn read(json: &Value) -> Geometry {
    let root = pairs(json);
    let count = root["pointcount"].as_f64().unwrap();
    assert_eq!(root["vertexcount"].as_f64(), Some(0.0));
    assert_eq!(root["primitivecount"].as_f64(), Some(0.0));
    assert_eq!(pairs(&pairs(&root["topology"])["pointref"])["indices"], Value::Array(Vec::new()));
    let attributes = pairs(&root["attributes"]);
    Geometry {
        points: list(&attributes["pointattributes"], count),
        detail: list(&attributes["globalattributes"], 1.0),
    }
}

fn list(attributes: &Value, count: f64) -> Columns {
    let names = |name: &str| match name {
        "P" => "position".to_owned(),
        "v" => "velocity".to_owned(),
        "pscale" => "radius".to_owned(),
        "Cd" => "color".to_owned(),
        "rest" => "rest_position".to_owned(),
        "Je" => "J".to_owned(),
        other => other.to_owned(),
    };
    let mut columns = Columns::new();
    for attribute in attributes.as_array().unwrap() {
        let (definition, data) = (pairs(&attribute[0]), pairs(&attribute[1]));
        assert_eq!(definition["scope"], "public");
        assert_eq!(definition["type"], "numeric");
        let values = pairs(&data["values"]);
        assert_eq!(values["storage"], data["storage"]);
        assert_eq!(values["size"], data["size"]);
        let numbers: Vec<f64> = ["arrays", "tuples", "rawpagedata"]
            .into_iter()
            .filter_map(|key| values.get(key))
            .flat_map(flatten)
            // JSON text holds the shortest digits of a single-precision number.
            .map(|value| f64::from(value as f32))
            .collect();
        assert_eq!(numbers.len() as f64, count * values["size"].as_f64().unwrap());
        columns.insert(names(definition["name"].as_str().unwrap()), numbers);
    }
    columns
}

fn flatten(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(flatten).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// Houdini writes objects as lists of keys and values.
fn pairs(value: &Value) -> Map<String, Value> {
    let list = value.as_array().unwrap();
    assert!(list.len().is_multiple_of(2));
    list.chunks(2).map(|pair| (pair[0].as_str().unwrap().to_owned(), pair[1].clone())).collect()
}
