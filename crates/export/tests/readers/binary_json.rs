//! Houdini's binary JSON, decoded into ordinary JSON.

use super::numbers;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub fn decode(bytes: &[u8]) -> Value {
    assert_eq!(bytes[0], 0x7f);
    assert_eq!(u32::from_le_bytes(bytes[1..5].try_into().unwrap()), 0x624a_534e);
    let mut decoder = Decoder { rest: &bytes[5..], strings: BTreeMap::new() };
    let token = decoder.token();
    let value = decoder.value(token);
    assert!(decoder.rest.is_empty(), "bytes after the end");
    value
}

struct Decoder<'a> {
    rest: &'a [u8],
    strings: BTreeMap<usize, String>,
}

impl Decoder<'_> {
    fn take(&mut self, count: usize) -> &[u8] {
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken
    }

    fn length(&mut self) -> usize {
        match self.take(1)[0] {
            short @ 0..=0xf0 => usize::from(short),
            0xf2 => usize::from(u16::from_le_bytes(self.take(2).try_into().unwrap())),
            0xf4 => usize::try_from(u32::from_le_bytes(self.take(4).try_into().unwrap())).unwrap(),
            0xf8 => usize::try_from(u64::from_le_bytes(self.take(8).try_into().unwrap())).unwrap(),
            other => panic!("length {other:#x}"),
        }
    }

    fn text(&mut self) -> String {
        let length = self.length();
        String::from_utf8(self.take(length).to_vec()).unwrap()
    }

    /// The next token that is a value; definitions of strings on the way are taken in.
    fn token(&mut self) -> u8 {
        loop {
            match self.take(1)[0] {
                0x2b => {
                    let number = self.length();
                    let text = self.text();
                    self.strings.insert(number, text);
                }
                token => return token,
            }
        }
    }

    fn value(&mut self, token: u8) -> Value {
        match token {
            0x26 => {
                let number = self.length();
                json!(self.strings[&number])
            }
            0x27 => json!(self.text()),
            0x13 => json!(numbers(self.take(4), "i32")[0]),
            0x14 => json!(numbers(self.take(8), "i64")[0]),
            0x30 => json!(false),
            0x31 => json!(true),
            0x40 => self.uniform_array(),
            0x5b => self.array(),
            0x7b => self.map(),
            other => panic!("token {other:#x}"),
        }
    }

    fn array(&mut self) -> Value {
        let mut values = Vec::new();
        loop {
            match self.token() {
                0x5d => return Value::Array(values),
                token => values.push(self.value(token)),
            }
        }
    }

    fn map(&mut self) -> Value {
        let mut map = Map::new();
        loop {
            match self.token() {
                0x7d => return Value::Object(map),
                token => {
                    let key = self.value(token).as_str().unwrap().to_owned();
                    let token = self.token();
                    map.insert(key, self.value(token));
                }
            }
        }
    }

    fn uniform_array(&mut self) -> Value {
        let (kind, size) = match self.take(1)[0] {
            0x13 => ("i32", 4),
            0x14 => ("i64", 8),
            0x19 => ("f32", 4),
            0x21 => ("u8", 1),
            other => panic!("array of {other:#x}"),
        };
        let length = self.length();
        json!(numbers(self.take(length * size), kind))
    }
}
