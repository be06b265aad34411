//! The header of a PLY file: which elements follow, how many, and of what they are made.

use super::super::text::clip;
use super::super::{Fault, Place};

/// A header longer than this is not one.
const HEADER_LIMIT: usize = 64 * 1024;
const HINT: &str = "export the file again";

/// How the values after the header are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn parse(word: Option<&str>, place: Place) -> Result<Self, Fault> {
        Ok(match word.unwrap_or("") {
            "char" | "int8" => Kind::I8,
            "uchar" | "uint8" => Kind::U8,
            "short" | "int16" => Kind::I16,
            "ushort" | "uint16" => Kind::U16,
            "int" | "int32" => Kind::I32,
            "uint" | "uint32" => Kind::U32,
            "float" | "float32" => Kind::F32,
            "double" | "float64" => Kind::F64,
            other => return Err(Fault::new(place, format!("unknown type \"{}\"", clip(other)), HINT)),
        })
    }

    pub fn size(self) -> usize {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }
}

/// One value, or a list that begins with its length.
#[derive(Debug)]
pub(super) enum Property {
    Scalar { name: String, kind: Kind },
    List { name: String, count: Kind, kind: Kind },
}

/// `count` records of the same properties.
#[derive(Debug)]
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
    pub place: Place,
}

impl Element {
    /// The position of a scalar property.
    pub fn scalar(&self, wanted: &str) -> Result<usize, Fault> {
        let is_wanted =
            |property: &Property| matches!(property, Property::Scalar { name, .. } if name == wanted);
        self.properties.iter().position(is_wanted).ok_or_else(|| {
            Fault::new(self.place, format!("vertices have no property {wanted}"), "x, y and z are needed")
        })
    }
}

#[derive(Debug)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// The byte and the line at which the values begin.
    pub end: (usize, usize),
}

impl Header {
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let mut header = Self { encoding: Encoding::Text, elements: Vec::new(), end: (0, 1) };
        let mut encoding = None;
        for raw in bytes[..bytes.len().min(HEADER_LIMIT)].split_inclusive(|byte| *byte == b'\n') {
            let line = header.end.1;
            header.end = (header.end.0 + raw.len(), line + 1);
            let text = String::from_utf8_lossy(raw);
            if line == 1 && text.trim() != "ply" {
                return Err(Fault::new(Place::Line(1), "a PLY file begins with \"ply\"", HINT));
            }
            match text.split_whitespace().next() {
                Some("end_header") if raw.ends_with(b"\n") => {
                    header.encoding = encoding
                        .ok_or_else(|| Fault::new(Place::Line(line), "the header names no format", HINT))?;
                    return Ok(header);
                }
                Some("format") => encoding = Some(parse_encoding(&text, line)?),
                _ => header.read_line(&text, Place::Line(line))?,
            }
        }
        Err(Fault::new(Place::Line(header.end.1), "the header has no end", HINT))
    }

    fn read_line(&mut self, text: &str, place: Place) -> Result<(), Fault> {
        let mut words = text.split_whitespace();
        match words.next() {
            Some("element") => {
                let name = words.next().unwrap_or("").to_owned();
                let word = words.next().unwrap_or("");
                let count = word
                    .parse()
                    .map_err(|_| Fault::new(place, format!("\"{}\" is not a count", clip(word)), HINT))?;
                self.elements.push(Element { name, count, properties: Vec::new(), place });
                Ok(())
            }
            Some("property") => {
                let property = parse_property(words, place)?;
                let element = self.elements.last_mut();
                element
                    .ok_or_else(|| Fault::new(place, "a property before any element", HINT))?
                    .properties
                    .push(property);
                Ok(())
            }
            Some("ply" | "comment" | "obj_info") | None => Ok(()),
            Some(other) => {
                Err(Fault::new(place, format!("\"{}\" is not known in a header", clip(other)), HINT))
            }
        }
    }
}

fn parse_encoding(text: &str, line: usize) -> Result<Encoding, Fault> {
    match text.split_whitespace().nth(1) {
        Some("ascii") => Ok(Encoding::Text),
        Some("binary_little_endian") => Ok(Encoding::LittleEndian),
        Some("binary_big_endian") => Ok(Encoding::BigEndian),
        _ => Err(Fault::new(Place::Line(line), format!("unknown format \"{}\"", clip(text.trim())), HINT)),
    }
}

fn parse_property<'a>(mut words: impl Iterator<Item = &'a str>, place: Place) -> Result<Property, Fault> {
    let first = words.next();
    if first == Some("list") {
        let (count, kind) = (Kind::parse(words.next(), place)?, Kind::parse(words.next(), place)?);
        Ok(Property::List { name: words.next().unwrap_or("").to_owned(), count, kind })
    } else {
        let kind = Kind::parse(first, place)?;
        Ok(Property::Scalar { name: words.next().unwrap_or("").to_owned(), kind })
    }
}
