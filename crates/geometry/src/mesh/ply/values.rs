//! The values after the header of a PLY file, one after another.

use super::super::text::clip;
use super::super::{Fault, Place};
use super::header::{Element, Encoding, Header, Kind, Property};

const HINT: &str = "the file is cut off or its header is wrong; export it again";

/// A cursor over the values.
pub(super) struct Values<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    at: usize,
    line: usize,
}

impl<'a> Values<'a> {
    pub fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self { bytes, encoding: header.encoding, at: header.end.0, line: header.end.1 }
    }

    /// Where the next value stands.
    pub fn place(&self) -> Place {
        if self.encoding == Encoding::Text { Place::Line(self.line) } else { Place::Byte(self.at) }
    }

    /// Refuses a count that the rest of the file cannot hold, before anything is reserved for it.
    pub fn check_room(&self, element: &Element) -> Result<(), Fault> {
        let smallest = |property: &Property| match (self.encoding, property) {
            (Encoding::Text, _) => 2, // a digit and a blank
            (_, Property::Scalar { kind, .. }) => kind.size(),
            (_, Property::List { count, .. }) => count.size(),
        };
        let record = element.properties.iter().map(smallest).sum::<usize>().max(1);
        let left = self.bytes.len() - self.at + 1; // the last line may lack its end
        if u128::from(element.count) * record as u128 > left as u128 {
            let problem = format!(
                "{} {} of at least {record} bytes each are promised, {} bytes follow",
                element.count,
                element.name,
                left - 1
            );
            return Err(Fault::new(element.place, problem, HINT));
        }
        Ok(())
    }

    pub fn list(&mut self, count: Kind, kind: Kind) -> Result<Vec<f64>, Fault> {
        let place = self.place();
        let length = self.scalar(count)?;
        let room = (self.bytes.len() - self.at) as f64;
        if !(length >= 0.0 && length.fract() == 0.0 && length <= room) {
            return Err(Fault::new(place, format!("a list cannot have {length} entries"), HINT));
        }
        (0..length as usize).map(|_| self.scalar(kind)).collect()
    }

    pub fn scalar(&mut self, kind: Kind) -> Result<f64, Fault> {
        match self.encoding {
            Encoding::Text => self.text_scalar(),
            Encoding::LittleEndian => self.binary_scalar(kind, |raw| raw),
            Encoding::BigEndian => self.binary_scalar(kind, |mut raw| {
                raw[..kind.size()].reverse();
                raw
            }),
        }
    }

    fn text_scalar(&mut self) -> Result<f64, Fault> {
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if length == 0 {
            return Err(Fault::new(self.place(), "the file ends too early", HINT));
        }
        let word = String::from_utf8_lossy(&rest[..length]);
        let value = word.parse().map_err(|_| {
            Fault::new(self.place(), format!("\"{}\" is not a number", clip(&word)), "export the file again")
        })?;
        self.at += length;
        Ok(value)
    }

    /// `to_little` puts the bytes of a value into little-endian order.
    fn binary_scalar(&mut self, kind: Kind, to_little: impl Fn([u8; 8]) -> [u8; 8]) -> Result<f64, Fault> {
        let mut raw = [0; 8];
        let source = self.bytes.get(self.at..self.at + kind.size());
        let source = source.ok_or_else(|| Fault::new(self.place(), "the file ends too early", HINT))?;
        raw[..kind.size()].copy_from_slice(source);
        self.at += kind.size();
        let raw = to_little(raw);
        let [a, b, c, d, ..] = raw;
        Ok(match kind {
            Kind::I8 => f64::from(i8::from_le_bytes([a])),
            Kind::U8 => f64::from(a),
            Kind::I16 => f64::from(i16::from_le_bytes([a, b])),
            Kind::U16 => f64::from(u16::from_le_bytes([a, b])),
            Kind::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Kind::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Kind::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Kind::F64 => f64::from_le_bytes(raw),
        })
    }
}
