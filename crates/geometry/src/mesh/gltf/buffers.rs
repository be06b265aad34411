//! The bytes behind a glTF document: in the same file, in the text, or in a file beside it.

use super::document::{Accessor, Document};
use super::{Fault, HINT, Place, entry, whole};
use crate::mesh::read_file;
use pliant_math::Vec3;
use std::borrow::Cow;
use std::path::Path;

const FLOAT: u32 = 5126;

/// The JSON text and the binary chunk of a GLB file, or all of a plain glTF file.
pub(super) fn split_container(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let (json, next) = chunk(bytes, 12, b"JSON")?;
    let blob = if next < bytes.len() { Some(chunk(bytes, next, b"BIN\0")?.0) } else { None };
    Ok((json, blob))
}

/// The contents of the chunk at `at`, and where the next one begins.
fn chunk<'a>(bytes: &'a [u8], at: usize, kind: &[u8; 4]) -> Result<(&'a [u8], usize), Fault> {
    let fault = |problem: &str| Fault::new(Place::Byte(at), problem, HINT);
    let head = bytes.get(at..at + 8).ok_or_else(|| fault("the file ends within its header"))?;
    if &head[4..] != kind {
        return Err(fault("an unexpected kind of chunk"));
    }
    let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
    let contents = bytes.get(at + 8..at + 8 + length).ok_or_else(|| {
        fault(&format!("a chunk of {length} bytes is promised, {} follow", bytes.len() - at - 8))
    })?;
    Ok((contents, at + 8 + length))
}

/// The buffers of a document, in its order.
pub(super) struct Buffers<'a>(Vec<Cow<'a, [u8]>>);

impl<'a> Buffers<'a> {
    pub fn load(
        document: &Document,
        blob: Option<&'a [u8]>,
        path: &Path,
        allowed_folder: &Path,
    ) -> Result<Self, Fault> {
        let mut buffers = Vec::new();
        for (number, buffer) in document.buffers.iter().enumerate() {
            let bytes = match &buffer.uri {
                None => Cow::Borrowed(blob.ok_or_else(|| whole(format!("buffer {number} has no bytes")))?),
                Some(uri) if uri.starts_with("data:") => Cow::Owned(decode_data(uri)?),
                Some(uri) => Cow::Owned(read_beside(uri, path, allowed_folder)?),
            };
            if bytes.len() < buffer.byte_length {
                let problem =
                    format!("buffer {number} promises {} bytes, has {}", buffer.byte_length, bytes.len());
                return Err(whole(problem));
            }
            buffers.push(bytes);
        }
        Ok(Self(buffers))
    }

    /// The values of an accessor of 3-vectors of floats.
    pub fn vectors(&self, document: &Document, number: usize) -> Result<Vec<Vec3>, Fault> {
        let accessor = entry(&document.accessors, number, "accessor")?;
        if accessor.shape != "VEC3" || accessor.component_type != FLOAT {
            return Err(whole(format!("accessor {number} should hold vectors of three floats")));
        }
        let read = |raw: &[u8]| f64::from(f32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]));
        let items = self.items(document, accessor, number, 12)?;
        Ok(items.map(|raw| Vec3::new(read(raw), read(&raw[4..]), read(&raw[8..]))).collect())
    }

    /// The values of an accessor of indices.
    pub fn indices(&self, document: &Document, number: usize) -> Result<Vec<u32>, Fault> {
        let accessor = entry(&document.accessors, number, "accessor")?;
        let size = match accessor.component_type {
            5121 => 1,
            5123 => 2,
            5125 => 4,
            other => return Err(whole(format!("accessor {number} has indices of unknown type {other}"))),
        };
        let read = |raw: &[u8]| raw.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
        Ok(self.items(document, accessor, number, size)?.map(read).collect())
    }

    /// The items of an accessor, `size` bytes each, all proved to lie in their buffer.
    fn items(
        &self,
        document: &Document,
        accessor: &Accessor,
        number: usize,
        size: usize,
    ) -> Result<impl Iterator<Item = &[u8]>, Fault> {
        let view_number = match (accessor.buffer_view, &accessor.sparse) {
            (Some(view), None) => view,
            _ => return Err(whole(format!("accessor {number} is sparse or empty, which is not supported"))),
        };
        let view = entry(&document.buffer_views, view_number, "buffer view")?;
        let buffer = entry(&self.0, view.buffer, "buffer")?;
        let stride = view.byte_stride.unwrap_or(size).max(size);
        let needed = match accessor.count {
            0 => Some(accessor.byte_offset),
            count => (count - 1).checked_mul(stride).and_then(|n| n.checked_add(size + accessor.byte_offset)),
        };
        let view_end = view.byte_offset.checked_add(view.byte_length);
        let bytes = view_end.and_then(|end| buffer.get(view.byte_offset..end));
        let bytes = bytes.filter(|bytes| needed.is_some_and(|needed| needed <= bytes.len()));
        let bytes = bytes.ok_or_else(|| {
            whole(format!("accessor {number} reads {} items beyond the end of its buffer", accessor.count))
        })?;
        Ok((0..accessor.count).map(move |item| {
            let start = accessor.byte_offset + item * stride;
            &bytes[start..start + size]
        }))
    }
}

/// The files that the buffers of a document lie in, relative to it.
pub(super) fn external_files(document: &Document) -> Vec<String> {
    let addresses = document.buffers.iter().filter_map(|buffer| buffer.uri.as_deref());
    addresses.filter(|uri| !uri.starts_with("data:")).map(file_name).collect()
}

/// The name behind an address, with `%20` and its like decoded; what is no such code stays as it is.
fn file_name(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = (*byte == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        let digits = code.filter(|code| code.iter().all(u8::is_ascii_hexdigit));
        let value = digits.and_then(|d| u8::from_str_radix(std::str::from_utf8(d).ok()?, 16).ok());
        decoded.push(value.unwrap_or(*byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| uri.to_owned())
}

/// A file that a document refers to; it must lie in the allowed folder, links followed.
fn read_beside(uri: &str, path: &Path, allowed_folder: &Path) -> Result<Vec<u8>, Fault> {
    let name = file_name(uri);
    let target = path.parent().unwrap_or(Path::new("")).join(&name);
    let refuse =
        |problem: String| Fault::new(Place::File, problem, "keep its buffers beside the scene, or use .glb");
    let target =
        target.canonicalize().map_err(|error| refuse(format!("cannot read the buffer {name}: {error}")))?;
    let root = allowed_folder
        .canonicalize()
        .map_err(|error| refuse(format!("cannot read the folder {}: {error}", allowed_folder.display())))?;
    if !target.starts_with(&root) {
        return Err(refuse(format!("the buffer {name} lies outside the allowed folder")));
    }
    read_file(&target).map_err(|error| refuse(error.to_string()))
}

/// The bytes of a `data:...;base64,...` address.
fn decode_data(uri: &str) -> Result<Vec<u8>, Fault> {
    let (_, text) = uri
        .split_once(";base64,")
        .ok_or_else(|| whole("a data address that is not base64 is not supported"))?;
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len() / 4 * 3), 0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err(whole("a data address holds a letter that is not base64")),
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Ok(bytes)
}
