//! Small readers of every format, written from the formats' descriptions and not from the exporters.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "helpers of tests may fail like tests; each test uses its part"
)]

pub mod binary_json;
pub mod houdini;
pub mod npz;
pub mod table;
pub mod vtp;

use pliant_world::snapshot::{Column, Field, Snapshot};
use std::collections::BTreeMap;

/// Columns by name, each as a flat list of numbers.
pub type Columns = BTreeMap<String, Vec<f64>>;

/// A snapshot with every column an exporter treats in its own way.
pub fn sample(frame: u32, particles: u32) -> Snapshot {
    let number = |i: u32, k: u32| ((i * 31 + k * 17 + frame * 7) % 1009) as f32 * 0.012_345 - 4.0;
    let vectors =
        |k: u32| (0..particles).map(|i| [number(i, k), number(i, k + 1), number(i, k + 2)]).collect();
    let scalars = |k: u32| (0..particles).map(|i| number(i, k)).collect();
    let tensors = |k: u32| (0..particles).map(|i| std::array::from_fn(|c| number(i, k + c as u32))).collect();
    let colors = (0..particles).map(|i| [(i % 256) as f32 / 255.0, 0.0, 1.0]).collect();
    let field = |name: &str, column| Field { name: name.into(), column };
    Snapshot {
        frame,
        step: u64::from(frame) * 4,
        time: f64::from(frame) / 24.0,
        state_hash: "ab".repeat(32),
        quantities: vec![("kinetic_energy".into(), 1.5)],
        fields: vec![
            field("id", Column::Integer((0..particles).map(|i| i * 3 + 1).collect())),
            field("position", Column::Vector(vectors(0))),
            field("velocity", Column::Vector(vectors(3))),
            field("radius", Column::Scalar(scalars(6))),
            field("color", Column::Vector(colors)),
            field("rest_position", Column::Vector(vectors(7))),
            field("F", Column::Tensor(tensors(10))),
            field("J", Column::Scalar(scalars(19))),
            field("stress", Column::Tensor(tensors(20))),
        ],
    }
}

/// What the readers should find.
pub fn columns_of(snapshot: &Snapshot) -> Columns {
    let flat = |column: &Column| -> Vec<f64> {
        match column {
            Column::Integer(values) => values.iter().map(|v| f64::from(*v)).collect(),
            Column::Scalar(values) => values.iter().map(|v| f64::from(*v)).collect(),
            Column::Vector(values) => values.iter().flatten().map(|v| f64::from(*v)).collect(),
            Column::Tensor(values) => values.iter().flatten().map(|v| f64::from(*v)).collect(),
        }
    };
    snapshot.fields.iter().map(|field| (field.name.clone(), flat(&field.column))).collect()
}

/// Reads the number types that the formats use, by their size and letter.
pub fn numbers(bytes: &[u8], kind: &str) -> Vec<f64> {
    match kind {
        "u8" => bytes.iter().map(|b| f64::from(*b)).collect(),
        "u32" => bytes.as_chunks().0.iter().map(|b| f64::from(u32::from_le_bytes(*b))).collect(),
        "i32" => bytes.as_chunks().0.iter().map(|b| f64::from(i32::from_le_bytes(*b))).collect(),
        "i64" => bytes.as_chunks().0.iter().map(|b| i64::from_le_bytes(*b) as f64).collect(),
        "f32" => bytes.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
        "f64" => bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
        other => panic!("unknown number type {other}"),
    }
}

/// The value of `name="…"` in a line of XML.
pub fn xml_attribute<'a>(line: &'a str, name: &str) -> &'a str {
    line.split_once(&format!(" {name}=\"")).unwrap().1.split_once('"').unwrap().0
}
