//! Houdini geometry in its modern form, which is JSON: as text (`.geo`) or in Houdini's binary encoding (`.bgeo`).
//!
//! Objects are written as arrays `[key, value, key, value, …]`, as Houdini does.

mod binary;
mod text;

use crate::column::{Flat, Words};
use crate::names;
use pliant_world::snapshot::Snapshot;

/// The version of Houdini whose layout the files follow.
const FILE_VERSION: &str = "18.5.408";

/// The JSON text of a valid snapshot.
pub(crate) fn encode_text(snapshot: &Snapshot, frames_per_second: f64, buffer: Vec<u8>) -> Vec<u8> {
    let mut sink = text::Text::new(buffer);
    describe(snapshot, frames_per_second, &mut sink);
    sink.finish()
}

/// The binary JSON of a valid snapshot.
pub(crate) fn encode_binary(snapshot: &Snapshot, frames_per_second: f64, buffer: Vec<u8>) -> Vec<u8> {
    let mut sink = binary::Binary::new(buffer);
    describe(snapshot, frames_per_second, &mut sink);
    sink.finish()
}

/// A writer of JSON values, one after the other.
trait Sink {
    fn begin_array(&mut self);
    fn end_array(&mut self);
    fn begin_map(&mut self);
    /// Within a map, followed by a value.
    fn key(&mut self, name: &str);
    fn end_map(&mut self);
    fn string(&mut self, text: &str);
    fn integer(&mut self, value: i64);
    fn boolean(&mut self, value: bool);
    /// The keys and values that hold the numbers of an attribute, in the form usual for the encoding.
    fn values(&mut self, flat: &Flat<'_>, storage: &str);
}

fn describe(snapshot: &Snapshot, frames_per_second: f64, sink: &mut impl Sink) {
    let count = i64::try_from(snapshot.positions().len()).expect("no memory holds more particles than that");
    sink.begin_array();
    sink.string("fileversion");
    sink.string(FILE_VERSION);
    sink.string("hasindex");
    sink.boolean(false);
    for (key, value) in [("pointcount", count), ("vertexcount", 0), ("primitivecount", 0)] {
        sink.string(key);
        sink.integer(value);
    }
    sink.string("info");
    sink.begin_map();
    sink.key("software");
    sink.string(concat!("Pliant ", env!("CARGO_PKG_VERSION")));
    sink.end_map();
    sink.string("topology");
    list(sink, |sink| {
        sink.string("pointref");
        list(sink, |sink| {
            sink.string("indices");
            list(sink, |_| {});
        });
    });
    sink.string("attributes");
    list(sink, |sink| describe_attributes(snapshot, frames_per_second, sink));
    sink.string("primitives");
    list(sink, |_| {});
    sink.end_array();
}

fn describe_attributes(snapshot: &Snapshot, frames_per_second: f64, sink: &mut impl Sink) {
    sink.string("pointattributes");
    list(sink, |sink| {
        // P first, as Houdini itself writes it.
        let is_position = |name: &str| name == Snapshot::POSITION;
        for first in [true, false] {
            for field in snapshot.fields.iter().filter(|field| is_position(&field.name) == first) {
                attribute(sink, names::houdini(&field.name), &Flat::of(&field.column));
            }
        }
    });
    sink.string("globalattributes");
    list(sink, |sink| {
        // Detail attributes are single precision, as Houdini's own are.
        for (name, value) in [("time", snapshot.time as f32), ("fps", frames_per_second as f32)] {
            attribute(sink, name, &Flat { width: 1, words: Words::Reals(&[value]) });
        }
        attribute(sink, "frame", &Flat { width: 1, words: Words::Integers(&[snapshot.frame]) });
    });
}

fn attribute(sink: &mut impl Sink, name: &str, flat: &Flat<'_>) {
    let width = i64::try_from(flat.width).expect("columns have at most nine numbers a particle");
    let storage = storage_of(flat.words);
    list(sink, |sink| {
        list(sink, |sink| {
            for text in ["scope", "public", "type", "numeric", "name", name, "options"] {
                sink.string(text);
            }
            describe_role(sink, names::houdini_role(name));
        });
        list(sink, |sink| {
            sink.string("size");
            sink.integer(width);
            sink.string("storage");
            sink.string(storage);
            sink.string("defaults");
            list(sink, |sink| {
                sink.string("size");
                sink.integer(1);
                sink.string("storage");
                sink.string("fpreal64");
                sink.string("values");
                list(sink, |sink| sink.integer(0));
            });
            sink.string("values");
            list(sink, |sink| {
                sink.string("size");
                sink.integer(width);
                sink.string("storage");
                sink.string(storage);
                sink.values(flat, storage);
            });
        });
    });
}

fn describe_role(sink: &mut impl Sink, role: Option<&str>) {
    sink.begin_map();
    if let Some(role) = role {
        sink.key("type");
        sink.begin_map();
        sink.key("type");
        sink.string("string");
        sink.key("value");
        sink.string(role);
        sink.end_map();
    }
    sink.end_map();
}

/// Houdini has no unsigned numbers: those that need it get 64 bits.
fn storage_of(words: Words<'_>) -> &'static str {
    match words {
        Words::Reals(_) => "fpreal32",
        Words::Integers(values) if values.iter().all(|value| i32::try_from(*value).is_ok()) => "int32",
        Words::Integers(_) => "int64",
    }
}

fn list<S: Sink>(sink: &mut S, fill: impl FnOnce(&mut S)) {
    sink.begin_array();
    fill(sink);
    sink.end_array();
}
