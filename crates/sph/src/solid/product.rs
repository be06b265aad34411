//! The constant matrix of a body that is too large for one factor, ready to be multiplied: whole rows, part by part. A part
//! copies the vectors it names to where its rows reach them by small numbers, so that a row is read from memory as a
//! list of values and nothing else is.

use super::gradients::Operator;
use super::lanes::Lane;
use super::matrix::Matrix;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;
use wide::f32x4;

/// Entries of a row that are added up side by side: one sum alone would wait for itself.
const SIDE_BY_SIDE: usize = 4;

/// The matrix by rows.
#[derive(Debug)]
pub(crate) struct Product {
    parts: Vec<Part>,
}

/// The rows of a part of the body.
#[derive(Debug)]
pub(super) struct Part {
    pub range: Range<usize>,
    /// Particles beyond the part that its rows name, rising.
    pub beyond: Vec<u32>,
    /// Row `k` is `starts[k]..starts[k + 1]`.
    starts: Vec<u32>,
    /// Places in the part and then in `beyond`.
    columns: Vec<u16>,
    values: Vec<f32>,
}

/// The entries beyond the diagonal, row by row; the matrix has them by column.
struct Later {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Product {
    /// Rows of a matrix in parts; none if a part names more than 65,536 particles, which no filling is dense enough for.
    pub fn new(matrix: &Matrix, parts: &[Range<usize>]) -> Option<Self> {
        let later = Later::new(matrix);
        let parts = parts.par_iter().map(|range| Part::new(matrix, &later, range.clone()));
        Some(Self { parts: parts.collect::<Option<_>>()? })
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What belongs to each part.
    pub fn split<'a>(&self, mut all: &'a mut [Lane]) -> Vec<&'a mut [Lane]> {
        let mut split = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (own, rest) = all.split_at_mut(part.range.len());
            split.push(own);
            all = rest;
        }
        split
    }
}

impl Operator for &Product {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        let work = self.split(out).into_par_iter().zip(&self.parts);
        let sums: Vec<f64> = work.map(|(out, part)| Arch::new().dispatch(Rows { part, x, out })).collect();
        sums.into_iter().sum()
    }
}

impl Later {
    /// Entries `(row, column)` with `column > row`, by row.
    fn new(matrix: &Matrix) -> Self {
        let count = matrix.starts.len() - 1;
        let mut starts = vec![0u32; count + 1];
        let entries = |k: usize| matrix.starts[k] as usize..matrix.starts[k + 1] as usize;
        let earlier = |k: usize| entries(k).filter(move |&e| (matrix.rows[e] as usize) < k);
        for k in 0..count {
            earlier(k).for_each(|e| starts[matrix.rows[e] as usize + 1] += 1);
        }
        (0..count).for_each(|row| starts[row + 1] += starts[row]);
        let total = starts[count] as usize;
        let (mut columns, mut values) = (vec![0; total], vec![0.0; total]);
        let mut next = starts.clone();
        for k in 0..count {
            for e in earlier(k) {
                let place = &mut next[matrix.rows[e] as usize];
                (columns[*place as usize], values[*place as usize]) = (k as u32, matrix.values[e]);
                *place += 1;
            }
        }
        Self { starts, columns, values }
    }
}

impl Part {
    fn new(matrix: &Matrix, later: &Later, range: Range<usize>) -> Option<Self> {
        let before = |k: usize| matrix.starts[k] as usize..matrix.starts[k + 1] as usize;
        let after = |k: usize| later.starts[k] as usize..later.starts[k + 1] as usize;
        let named = range.clone().flat_map(|k| matrix.rows[before(k)].iter().chain(&later.columns[after(k)]));
        let mut beyond: Vec<u32> = named.copied().filter(|&to| !range.contains(&(to as usize))).collect();
        beyond.sort_unstable();
        beyond.dedup();
        u16::try_from(range.len() + beyond.len()).ok()?;
        let place = |to: &u32| match beyond.binary_search(to) {
            Ok(place) => (range.len() + place) as u16,
            Err(_) => (*to as usize - range.start) as u16,
        };
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for k in range.clone() {
            columns.extend(matrix.rows[before(k)].iter().chain(&later.columns[after(k)]).map(place));
            values.extend(matrix.values[before(k)].iter().chain(&later.values[after(k)]));
            starts.push(values.len() as u32);
        }
        Some(Self { range, beyond, starts, columns, values })
    }

    /// Places and values of a row.
    #[inline(always)]
    pub fn row(&self, k: usize) -> (&[u16], &[f32]) {
        let range = self.starts[k] as usize..self.starts[k + 1] as usize;
        (&self.columns[range.clone()], &self.values[range])
    }
}

/// The product of the rows of a part; returns its share of `x · A x`.
struct Rows<'a> {
    part: &'a Part,
    x: &'a [Lane],
    out: &'a mut [Lane],
}

impl WithSimd for Rows<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Self { part, x, out } = self;
        let mut near: Vec<f32x4> = Vec::with_capacity(part.range.len() + part.beyond.len());
        near.extend(x[part.range.clone()].iter().map(|x| f32x4::from(*x)));
        near.extend(part.beyond.iter().map(|&to| f32x4::from(x[to as usize])));
        let mut sum = 0.0;
        for (k, out) in out.iter_mut().enumerate() {
            let image = times(part.row(k), &near);
            let [a, b, c, _] = (image * near[k]).to_array();
            sum += f64::from(a) + f64::from(b) + f64::from(c);
            *out = image.to_array();
        }
        sum
    }
}

/// The product of a row.
#[inline(always)]
fn times((columns, values): (&[u16], &[f32]), x: &[f32x4]) -> f32x4 {
    let mut sums = [f32x4::ZERO; SIDE_BY_SIDE];
    let (groups, last) = columns.as_chunks::<SIDE_BY_SIDE>();
    let (group_values, last_values) = values.as_chunks::<SIDE_BY_SIDE>();
    for (columns, values) in groups.iter().zip(group_values) {
        for k in 0..SIDE_BY_SIDE {
            sums[k] += x[usize::from(columns[k])] * f32x4::splat(values[k]);
        }
    }
    for (column, value) in last.iter().zip(last_values) {
        sums[0] += x[usize::from(*column)] * f32x4::splat(*value);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
