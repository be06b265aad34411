//! Binary little-endian PLY with one vertex a particle.

use crate::column::{Flat, Words};
use crate::names::{COLOR, components};
use pliant_world::snapshot::{Field, Snapshot};
use std::fmt::Write;

/// Rows that are filled column by column before the next ones, so that they stay in the cache.
const ROWS_A_BLOCK: usize = 128;

/// The file of a valid snapshot: every column as vertex properties, colours as bytes.
pub(crate) fn encode(snapshot: &Snapshot, mut out: Vec<u8>) -> Vec<u8> {
    let count = snapshot.positions().len();
    // Positions first: some readers expect the first three properties to be x, y and z.
    let is_position = |field: &&Field| field.name == Snapshot::POSITION;
    let (first, others): (Vec<_>, Vec<_>) = snapshot.fields.iter().partition(is_position);
    let fields: Vec<&Field> = first.into_iter().chain(others).collect();

    out.extend_from_slice(header(snapshot, &fields, count).as_bytes());
    let stride: usize = fields.iter().map(|field| bytes_a_particle(field)).sum();
    let start = out.len();
    out.resize(start + count * stride, 0);
    for (block, rows) in out[start..].chunks_mut(stride * ROWS_A_BLOCK).enumerate() {
        let mut offset = 0;
        for field in &fields {
            let width = bytes_a_particle(field);
            let slots = rows.chunks_exact_mut(stride).map(|row| &mut row[offset..offset + width]);
            fill(field, block * ROWS_A_BLOCK, slots);
            offset += width;
        }
    }
    out
}

fn header(snapshot: &Snapshot, fields: &[&Field], count: usize) -> String {
    let mut text = format!(
        "ply\nformat binary_little_endian 1.0\ncomment time {} s, frame {}\nelement vertex {count}\n",
        snapshot.time, snapshot.frame
    );
    for field in fields {
        let kind = match Flat::of(&field.column).words {
            Words::Reals(_) if field.name == COLOR => "uchar",
            Words::Reals(_) => "float",
            Words::Integers(_) => "uint",
        };
        for name in components(field) {
            writeln!(text, "property {kind} {name}").expect("writing to a string cannot fail");
        }
    }
    text + "end_header\n"
}

fn bytes_a_particle(field: &Field) -> usize {
    let width = Flat::of(&field.column).width;
    if field.name == COLOR { width } else { 4 * width }
}

/// Writes a column, from particle `first` on, into its slot of each row.
fn fill<'a>(field: &Field, first: usize, slots: impl Iterator<Item = &'a mut [u8]>) {
    let Flat { width, words } = Flat::of(&field.column);
    match words {
        Words::Reals(values) if field.name == COLOR => {
            for (slot, color) in slots.zip(values.chunks_exact(width).skip(first)) {
                for (byte, value) in slot.iter_mut().zip(color) {
                    *byte = (value.clamp(0.0, 1.0) * 255.0).round() as u8;
                }
            }
        }
        Words::Reals(values) => fill_words(slots, values.chunks_exact(width).skip(first), f32::to_le_bytes),
        Words::Integers(values) => {
            fill_words(slots, values.chunks_exact(width).skip(first), u32::to_le_bytes);
        }
    }
}

fn fill_words<'a, 'b, T: Copy + 'b>(
    slots: impl Iterator<Item = &'a mut [u8]>,
    rows: impl Iterator<Item = &'b [T]>,
    to_bytes: impl Fn(T) -> [u8; 4],
) {
    for (slot, row) in slots.zip(rows) {
        for (word, value) in slot.as_chunks_mut::<4>().0.iter_mut().zip(row) {
            *word = to_bytes(*value);
        }
    }
}
