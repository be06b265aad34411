//! Particle columns as flat rows of 32-bit words, which is how every format stores them.

use pliant_world::snapshot::Column;

/// The words of a column, `width` of them a particle.
pub(crate) struct Flat<'a> {
    pub(crate) width: usize,
    pub(crate) words: Words<'a>,
}

/// The type of the words.
#[derive(Clone, Copy)]
pub(crate) enum Words<'a> {
    Integers(&'a [u32]),
    Reals(&'a [f32]),
}

impl<'a> Flat<'a> {
    pub(crate) fn of(column: &'a Column) -> Self {
        match column {
            Column::Integer(values) => Self { width: 1, words: Words::Integers(values) },
            Column::Scalar(values) => Self { width: 1, words: Words::Reals(values) },
            Column::Vector(values) => Self { width: 3, words: Words::Reals(values.as_flattened()) },
            Column::Tensor(values) => Self { width: 9, words: Words::Reals(values.as_flattened()) },
        }
    }
}

impl Words<'_> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Reals(values) => values.len(),
        }
    }

    /// Appends all words, little-endian.
    pub(crate) fn append_to(self, out: &mut Vec<u8>) {
        match self {
            Self::Integers(values) => append(values, u32::to_le_bytes, out),
            Self::Reals(values) => append(values, f32::to_le_bytes, out),
        }
    }
}

/// Appends the bytes of each value, by way of a small buffer that stays in the cache.
pub(crate) fn append<T: Copy, const N: usize>(
    values: &[T],
    to_bytes: impl Fn(T) -> [u8; N],
    out: &mut Vec<u8>,
) {
    let mut buffer = [[0; N]; 512];
    for chunk in values.chunks(buffer.len()) {
        for (slot, value) in buffer.iter_mut().zip(chunk) {
            *slot = to_bytes(*value);
        }
        out.extend_from_slice(buffer[..chunk.len()].as_flattened());
    }
}
