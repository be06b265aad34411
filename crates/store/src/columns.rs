//! Particle columns as little-endian bytes.

use pliant_world::snapshot::Column;
use serde::{Deserialize, Serialize};

/// The type of a column, without its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ColumnKind {
    Integer,
    Scalar,
    Vector,
    Tensor,
}

impl ColumnKind {
    pub(crate) fn of(column: &Column) -> Self {
        match column {
            Column::Integer(_) => Self::Integer,
            Column::Scalar(_) => Self::Scalar,
            Column::Vector(_) => Self::Vector,
            Column::Tensor(_) => Self::Tensor,
        }
    }

    /// Bytes a particle takes.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Integer | Self::Scalar => 4,
            Self::Vector => 12,
            Self::Tensor => 36,
        }
    }
}

/// Appends the values of a column.
pub(crate) fn append(column: &Column, out: &mut Vec<u8>) {
    match column {
        Column::Integer(values) => append_words(values, u32::to_le_bytes, out),
        Column::Scalar(values) => append_words(values, f32::to_le_bytes, out),
        Column::Vector(values) => append_words(values.as_flattened(), f32::to_le_bytes, out),
        Column::Tensor(values) => append_words(values.as_flattened(), f32::to_le_bytes, out),
    }
}

/// By way of a small buffer that stays in the cache.
fn append_words<T: Copy>(values: &[T], to_bytes: impl Fn(T) -> [u8; 4], out: &mut Vec<u8>) {
    let mut buffer = [[0; 4]; 1024];
    for chunk in values.chunks(buffer.len()) {
        for (slot, value) in buffer.iter_mut().zip(chunk) {
            *slot = to_bytes(*value);
        }
        out.extend_from_slice(buffer[..chunk.len()].as_flattened());
    }
}

/// The column whose bytes these are; `None` if they are not whole particles.
pub(crate) fn parse(kind: ColumnKind, bytes: &[u8]) -> Option<Column> {
    if !bytes.len().is_multiple_of(kind.width()) {
        return None;
    }
    Some(match kind {
        ColumnKind::Integer => {
            Column::Integer(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
        }
        ColumnKind::Scalar => {
            Column::Scalar(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
        }
        ColumnKind::Vector => Column::Vector(parse_tuples::<3, 12>(bytes)),
        ColumnKind::Tensor => Column::Tensor(parse_tuples::<9, 36>(bytes)),
    })
}

fn parse_tuples<const N: usize, const BYTES: usize>(bytes: &[u8]) -> Vec<[f32; N]> {
    let tuples = bytes.as_chunks::<BYTES>().0.iter();
    tuples
        .map(|tuple| {
            let words = tuple.as_chunks::<4>().0;
            std::array::from_fn(|i| f32::from_le_bytes(words[i]))
        })
        .collect()
}
