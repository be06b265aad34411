//! The dense part of triangular solves: columns of the factor that are eliminated together, against right-hand sides,
//! three at a time.
//!
//! Numbers are kept in the order in which they are read, some columns by some rows at a time: columns side by side would be as many
//! streams, each too short for the processor to read ahead.

use pulp::{Simd, WithSimd};

/// Right-hand sides that are solved while a panel is in the registers.
pub(super) const SIDES: usize = 3;
/// Columns that are read together, at most.
const WIDTH: usize = 4;
/// Rows that are read together: the widest of registers.
const TILE: usize = 16;

/// Columns of the factor that share their rows, packed by [`pack`].
#[derive(Clone, Copy)]
pub(super) struct Panel<'a> {
    pub values: &'a [f32],
    pub rows: usize,
    pub columns: usize,
}

/// Appends dense columns of so many rows in the order in which they are read: for up to four columns at a time the square on the
/// diagonal, which holds inverses because products are faster than quotients, and then tiles of the rows below, the last one
/// filled up with zeros.
pub(super) fn pack(values: &[f32], rows: usize, out: &mut Vec<f32>) {
    let columns = values.len() / rows.max(1);
    let mut at = 0;
    while at < columns {
        let width = first_width(columns - at);
        let column = |k: usize| &values[(at + k) * rows..(at + k + 1) * rows];
        for k in 0..width {
            let square = &column(k)[at..at + width];
            out.extend(square.iter().enumerate().map(|(row, l)| if row == k { 1.0 / l } else { *l }));
        }
        for first in (at + width..rows).step_by(TILE) {
            let last = rows.min(first + TILE);
            for k in 0..width {
                let end = out.len() + TILE;
                out.extend_from_slice(&column(k)[first..last]);
                out.resize(end, 0.0);
            }
        }
        at += width;
    }
}

/// How many of the columns that are left are read together next.
#[inline(always)]
fn first_width(left: usize) -> usize {
    if left >= WIDTH { WIDTH } else { 1 << left.ilog2() }
}

/// The same from the last column on.
#[inline(always)]
fn last_width(left: usize) -> usize {
    match left % WIDTH {
        0 => WIDTH,
        some => 1 << some.trailing_zeros(),
    }
}

impl Panel<'_> {
    /// Numbers of a right-hand side: the last tile reaches beyond the rows.
    pub fn side(&self) -> usize {
        self.rows + TILE
    }

    /// Numbers of `width` columns from `at` on.
    #[inline(always)]
    fn packed(&self, at: usize, width: usize) -> usize {
        width * (width + (self.rows - at - width).next_multiple_of(TILE))
    }
}

/// Columns that are read together.
struct Slice<'a> {
    values: &'a [f32],
    /// The first of them.
    at: usize,
    /// Numbers of a right-hand side.
    side: usize,
}

impl Slice<'_> {
    /// `x ← L⁻¹ x` for the rows of the columns, and `−L x` added to the rows below them.
    #[inline(always)]
    fn down<S: Simd, const W: usize>(&self, simd: S, sides: &mut [f32]) {
        let (square, below) = self.values.split_at(W * W);
        let mut solved = [[0.0; SIDES]; W];
        for (k, solved) in solved.iter_mut().enumerate() {
            let column = &square[k * W..(k + 1) * W];
            for (side, solved) in solved.iter_mut().enumerate() {
                let own = &mut sides[side * self.side + self.at..][..W];
                own[k] *= column[k];
                *solved = -own[k];
                for row in k + 1..W {
                    own[row] += column[row] * *solved;
                }
            }
        }
        let start = self.at + W;
        let (a, rest) = sides.split_at_mut(self.side);
        let (b, c) = rest.split_at_mut(self.side);
        let a = a[start..].as_chunks_mut::<TILE>().0;
        let b = b[start..].as_chunks_mut::<TILE>().0;
        let c = c[start..].as_chunks_mut::<TILE>().0;
        for (tile, ((a, b), c)) in below.chunks_exact(W * TILE).zip(a.iter_mut().zip(b).zip(c)) {
            let columns = S::as_simd_f32s(tile).0;
            let a = S::as_mut_simd_f32s(a).0;
            let b = S::as_mut_simd_f32s(b).0;
            let c = S::as_mut_simd_f32s(c).0;
            let step = a.len();
            for at in 0..step {
                let mut sums = [a[at], b[at], c[at]];
                for (k, [x, y, z]) in solved.iter().enumerate() {
                    let x = [simd.splat_f32s(*x), simd.splat_f32s(*y), simd.splat_f32s(*z)];
                    sums = add(simd, columns[k * step + at], x, sums);
                }
                [a[at], b[at], c[at]] = sums;
            }
        }
    }

    /// `x ← L⁻ᵀ (x − Lᵀ y)` for the rows of the columns, with `y` the rows below them.
    #[inline(always)]
    fn up<S: Simd, const W: usize>(&self, simd: S, sides: &mut [f32]) {
        let (square, below) = self.values.split_at(W * W);
        let start = self.at + W;
        let (a, rest) = sides.split_at(self.side);
        let (b, c) = rest.split_at(self.side);
        let a = a[start..].as_chunks::<TILE>().0;
        let b = b[start..].as_chunks::<TILE>().0;
        let c = c[start..].as_chunks::<TILE>().0;
        let mut sums = [[simd.splat_f32s(0.0); SIDES]; W];
        for (tile, ((a, b), c)) in below.chunks_exact(W * TILE).zip(a.iter().zip(b).zip(c)) {
            let columns = S::as_simd_f32s(tile).0;
            let (a, b, c) = (S::as_simd_f32s(a).0, S::as_simd_f32s(b).0, S::as_simd_f32s(c).0);
            let step = a.len();
            for at in 0..step {
                for (k, sums) in sums.iter_mut().enumerate() {
                    *sums = add(simd, columns[k * step + at], [a[at], b[at], c[at]], *sums);
                }
            }
        }
        for (k, sums) in sums.iter().enumerate().rev() {
            let column = &square[k * W..(k + 1) * W];
            for (side, sum) in sums.iter().enumerate() {
                let own = &mut sides[side * self.side + self.at..][..W];
                let mut x = own[k] - simd.reduce_sum_f32s(*sum);
                for row in k + 1..W {
                    x -= column[row] * own[row];
                }
                own[k] = x * column[k];
            }
        }
    }
}

/// `sums + l x` for three registers `x`.
#[inline(always)]
fn add<S: Simd>(simd: S, l: S::f32s, x: [S::f32s; SIDES], sums: [S::f32s; SIDES]) -> [S::f32s; SIDES] {
    [
        simd.mul_add_f32s(l, x[0], sums[0]),
        simd.mul_add_f32s(l, x[1], sums[1]),
        simd.mul_add_f32s(l, x[2], sums[2]),
    ]
}

/// The way down: columns from the first to the last. `sides` holds one right-hand side after the other.
pub(super) struct Down<'a> {
    pub panel: Panel<'a>,
    pub sides: &'a mut [f32],
}

impl WithSimd for Down<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, sides } = self;
        let (mut at, mut left, side) = (0, panel.values, panel.side());
        while at < panel.columns {
            let width = first_width(panel.columns - at);
            let (values, rest) = left.split_at(panel.packed(at, width));
            let slice = Slice { values, at, side };
            // A slice of the factor serves all copies of a body while it is in the cache.
            for sides in sides.chunks_exact_mut(SIDES * side) {
                match width {
                    4 => slice.down::<S, 4>(simd, sides),
                    2 => slice.down::<S, 2>(simd, sides),
                    _ => slice.down::<S, 1>(simd, sides),
                }
            }
            (at, left) = (at + width, rest);
        }
    }
}

/// The way up: columns from the last to the first.
pub(super) struct Up<'a> {
    pub panel: Panel<'a>,
    pub sides: &'a mut [f32],
}

impl WithSimd for Up<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, sides } = self;
        let (mut at, mut left, side) = (panel.columns, panel.values, panel.side());
        while at > 0 {
            let width = last_width(at);
            at -= width;
            let (rest, values) = left.split_at(left.len() - panel.packed(at, width));
            let slice = Slice { values, at, side };
            for sides in sides.chunks_exact_mut(SIDES * side) {
                match width {
                    4 => slice.up::<S, 4>(simd, sides),
                    2 => slice.up::<S, 2>(simd, sides),
                    _ => slice.up::<S, 1>(simd, sides),
                }
            }
            left = rest;
        }
    }
}
