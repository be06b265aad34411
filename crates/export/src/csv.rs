//! Comma-separated values: a line of names, then one line a particle.

use crate::column::{Flat, Words};
use crate::names::components;
use pliant_world::snapshot::Snapshot;
use serde::Serialize;

/// The file of a valid snapshot. Numbers are as short as they can be and still read back to the same bits.
pub(crate) fn encode(snapshot: &Snapshot, mut out: Vec<u8>) -> Vec<u8> {
    let header: Vec<String> = snapshot.fields.iter().flat_map(components).collect();
    let columns: Vec<Flat<'_>> = snapshot.fields.iter().map(|field| Flat::of(&field.column)).collect();
    let count = snapshot.positions().len();
    out.extend_from_slice(header.join(",").as_bytes());
    out.push(b'\n');
    for particle in 0..count {
        let mut separator: &[u8] = b"";
        for Flat { width, words } in &columns {
            for index in particle * width..(particle + 1) * width {
                out.extend_from_slice(separator);
                match words {
                    Words::Integers(values) => append_number(values[index], &mut out),
                    Words::Reals(values) => append_number(values[index], &mut out),
                }
                separator = b",";
            }
        }
        out.push(b'\n');
    }
    out
}

/// Appends a number as text; a number that is none becomes `null`, which spreadsheets and data frames read as missing.
pub(crate) fn append_number(value: impl Serialize, out: &mut Vec<u8>) {
    serde_json::to_writer(out, &value).expect("a number always serialises to memory");
}
