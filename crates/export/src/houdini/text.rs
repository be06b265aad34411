//! JSON as text.

use super::Sink;
use crate::column::{Flat, Words};
use crate::csv::append_number;
use serde::Serialize;

/// Collects JSON text, with commas where they belong.
pub(super) struct Text {
    out: Vec<u8>,
    /// Whether a value precedes on this level.
    needs_comma: bool,
}

impl Text {
    pub(super) fn new(buffer: Vec<u8>) -> Self {
        Self { out: buffer, needs_comma: false }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.out.push(b'\n');
        self.out
    }

    fn separate(&mut self) {
        if self.needs_comma {
            self.out.push(b',');
        }
        self.needs_comma = true;
    }

    fn open(&mut self, bracket: u8) {
        self.separate();
        self.out.push(bracket);
        self.needs_comma = false;
    }

    fn close(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.needs_comma = true;
    }

    fn write(&mut self, value: impl Serialize) {
        self.separate();
        serde_json::to_writer(&mut self.out, &value).expect("plain values always serialise to memory");
    }

    /// Single numbers as one list, vectors as a list of lists.
    fn lists<T: Serialize + Copy>(&mut self, values: &[T], width: usize) {
        self.write(if width == 1 { "arrays" } else { "tuples" });
        let inner = if width == 1 { values.len() } else { width };
        self.open(b'[');
        for tuple in values.chunks(inner.max(1)) {
            self.open(b'[');
            for value in tuple {
                self.separate();
                append_number(*value, &mut self.out);
            }
            self.close(b']');
        }
        // One list for one number a particle, even if there is no particle.
        if width == 1 && values.is_empty() {
            self.open(b'[');
            self.close(b']');
        }
        self.close(b']');
        self.out.push(b'\n');
    }
}

impl Sink for Text {
    fn begin_array(&mut self) {
        self.open(b'[');
    }

    fn end_array(&mut self) {
        self.close(b']');
    }

    fn begin_map(&mut self) {
        self.open(b'{');
    }

    fn key(&mut self, name: &str) {
        self.write(name);
        self.out.push(b':');
        self.needs_comma = false;
    }

    fn end_map(&mut self) {
        self.close(b'}');
    }

    fn string(&mut self, text: &str) {
        self.write(text);
    }

    fn integer(&mut self, value: i64) {
        self.write(value);
    }

    fn boolean(&mut self, value: bool) {
        self.write(value);
    }

    fn values(&mut self, flat: &Flat<'_>, _storage: &str) {
        match flat.words {
            Words::Integers(values) => self.lists(values, flat.width),
            Words::Reals(values) => self.lists(values, flat.width),
        }
    }
}
