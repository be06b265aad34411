//! Houdini's binary JSON: one byte says what follows; all numbers are little-endian.
//!
//! The file starts with `0x7f` and the number `0x624a534e`. Lengths up to 240 are one byte; longer ones follow a byte
//! that says how wide they are. Strings are defined once under a number and then referred to by it.

use super::Sink;
use crate::column::{Flat, Words, append};
use std::collections::BTreeMap;

const MAGIC: [u8; 5] = [0x7f, 0x4e, 0x53, 0x4a, 0x62];
const MAP_BEGIN: u8 = 0x7b;
const MAP_END: u8 = 0x7d;
const ARRAY_BEGIN: u8 = 0x5b;
const ARRAY_END: u8 = 0x5d;
const UINT8: u8 = 0x21;
const INT32: u8 = 0x13;
const INT64: u8 = 0x14;
const REAL32: u8 = 0x19;
const FALSE: u8 = 0x30;
const TRUE: u8 = 0x31;
const STRING_DEFINITION: u8 = 0x2b;
const STRING_REFERENCE: u8 = 0x26;
const UNIFORM_ARRAY: u8 = 0x40;

/// Particles a page; with whole vectors packed together the pages simply follow one another.
const PAGE_SIZE: i64 = 1024;

/// Collects binary JSON.
pub(super) struct Binary {
    out: Vec<u8>,
    strings: BTreeMap<String, usize>,
}

impl Binary {
    pub(super) fn new(mut buffer: Vec<u8>) -> Self {
        buffer.extend_from_slice(&MAGIC);
        Self { out: buffer, strings: BTreeMap::new() }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }

    fn length(&mut self, length: usize) {
        if let Ok(short @ 0..=240) = u8::try_from(length) {
            self.out.push(short);
        } else if let Ok(length) = u16::try_from(length) {
            self.out.push(0xf2);
            self.out.extend_from_slice(&length.to_le_bytes());
        } else if let Ok(length) = u32::try_from(length) {
            self.out.push(0xf4);
            self.out.extend_from_slice(&length.to_le_bytes());
        } else {
            self.out.push(0xf8);
            self.out.extend_from_slice(&(length as u64).to_le_bytes());
        }
    }

    fn begin_uniform_array(&mut self, kind: u8, length: usize) {
        self.out.extend_from_slice(&[UNIFORM_ARRAY, kind]);
        self.length(length);
    }
}

impl Sink for Binary {
    fn begin_array(&mut self) {
        self.out.push(ARRAY_BEGIN);
    }

    fn end_array(&mut self) {
        self.out.push(ARRAY_END);
    }

    fn begin_map(&mut self) {
        self.out.push(MAP_BEGIN);
    }

    fn key(&mut self, name: &str) {
        self.string(name);
    }

    fn end_map(&mut self) {
        self.out.push(MAP_END);
    }

    fn string(&mut self, text: &str) {
        let number = if let Some(number) = self.strings.get(text) {
            *number
        } else {
            let number = self.strings.len();
            self.strings.insert(text.to_owned(), number);
            self.out.push(STRING_DEFINITION);
            self.length(number);
            self.length(text.len());
            self.out.extend_from_slice(text.as_bytes());
            number
        };
        self.out.push(STRING_REFERENCE);
        self.length(number);
    }

    fn integer(&mut self, value: i64) {
        if let Ok(value) = i32::try_from(value) {
            self.out.push(INT32);
            self.out.extend_from_slice(&value.to_le_bytes());
        } else {
            self.out.push(INT64);
            self.out.extend_from_slice(&value.to_le_bytes());
        }
    }

    fn boolean(&mut self, value: bool) {
        self.out.push(if value { TRUE } else { FALSE });
    }

    fn values(&mut self, flat: &Flat<'_>, storage: &str) {
        self.string("packing");
        self.begin_uniform_array(UINT8, 1);
        self.out.push(u8::try_from(flat.width).expect("columns have at most nine numbers a particle"));
        self.string("pagesize");
        self.integer(PAGE_SIZE);
        self.string("rawpagedata");
        let length = flat.words.len();
        match flat.words {
            Words::Reals(_) => {
                self.begin_uniform_array(REAL32, length);
                flat.words.append_to(&mut self.out);
            }
            Words::Integers(values) if storage == "int64" => {
                self.begin_uniform_array(INT64, length);
                append(values, |value| i64::from(value).to_le_bytes(), &mut self.out);
            }
            Words::Integers(_) => {
                self.begin_uniform_array(INT32, length);
                flat.words.append_to(&mut self.out);
            }
        }
    }
}
