//! The dense part of triangular solves: columns of the factor that are eliminated together, against right-hand sides,
//! three at a time. The diagonal of the factor holds inverses.

use pulp::{Simd, WithSimd};

/// Right-hand sides that are solved while a panel is in the registers.
pub(super) const SIDES: usize = 3;

/// Columns of the factor that share their rows, column by column.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a> {
    pub values: &'a [f32],
    pub rows: usize,
    pub columns: usize,
}

impl Panel<'_> {
    /// Column `column` from row `row` on.
    #[inline(always)]
    fn below(&self, column: usize, row: usize) -> &[f32] {
        &self.values[column * self.rows + row..(column + 1) * self.rows]
    }

    /// `x ← L⁻¹ x` for the rows of the columns, and `−L x` added to the rows below them.
    #[inline(always)]
    fn down<S: Simd, const WIDTH: usize>(&self, simd: S, at: usize, sides: &mut [f32]) {
        let mut solved = [[0.0; SIDES]; WIDTH];
        for (k, solved) in solved.iter_mut().enumerate() {
            let column = self.below(at + k, at);
            for side in 0..SIDES {
                let x = sides[side * self.rows + at + k] * column[k];
                sides[side * self.rows + at + k] = x;
                solved[side] = -x;
                for row in k + 1..WIDTH {
                    sides[side * self.rows + at + row] -= column[row] * x;
                }
            }
        }
        let start = at + WIDTH;
        let mut columns: [&[f32]; WIDTH] = [&[]; WIDTH];
        for (k, column) in columns.iter_mut().enumerate() {
            *column = self.below(at + k, start);
        }
        let (a, rest) = sides.split_at_mut(self.rows);
        let (b, c) = rest.split_at_mut(self.rows);
        let (a, b, c) = (&mut a[start..], &mut b[start..], &mut c[start..]);
        let whole = a.len() / S::F32_LANES;
        {
            let (a, _) = S::as_mut_simd_f32s(a);
            let (b, _) = S::as_mut_simd_f32s(b);
            let (c, _) = S::as_mut_simd_f32s(c);
            let columns = bulk::<S, WIDTH>(&columns);
            for at in 0..whole {
                let mut sums = [a[at], b[at], c[at]];
                for k in 0..WIDTH {
                    sums = add(simd, columns[k][at], &solved[k], sums);
                }
                [a[at], b[at], c[at]] = sums;
            }
        }
        let tail = whole * S::F32_LANES;
        let (a, b, c) = (&mut a[tail..], &mut b[tail..], &mut c[tail..]);
        if !a.is_empty() {
            let mut sums = [simd.partial_load_f32s(a), simd.partial_load_f32s(b), simd.partial_load_f32s(c)];
            for k in 0..WIDTH {
                sums = add(simd, simd.partial_load_f32s(&columns[k][tail..]), &solved[k], sums);
            }
            simd.partial_store_f32s(a, sums[0]);
            simd.partial_store_f32s(b, sums[1]);
            simd.partial_store_f32s(c, sums[2]);
        }
    }

    /// `x ← L⁻ᵀ (x − Lᵀ y)` for the rows of the columns, with `y` the rows below them.
    #[inline(always)]
    fn up<S: Simd, const WIDTH: usize>(&self, simd: S, at: usize, sides: &mut [f32]) {
        let start = at + WIDTH;
        let mut columns: [&[f32]; WIDTH] = [&[]; WIDTH];
        for (k, column) in columns.iter_mut().enumerate() {
            *column = self.below(at + k, start);
        }
        let (a, rest) = sides.split_at(self.rows);
        let (b, c) = rest.split_at(self.rows);
        let (a, b, c) = (&a[start..], &b[start..], &c[start..]);
        let mut sums = [[simd.splat_f32s(0.0); SIDES]; WIDTH];
        let whole = a.len() / S::F32_LANES;
        {
            let (a, _) = S::as_simd_f32s(a);
            let (b, _) = S::as_simd_f32s(b);
            let (c, _) = S::as_simd_f32s(c);
            let columns = bulk::<S, WIDTH>(&columns);
            for at in 0..whole {
                for k in 0..WIDTH {
                    sums[k] = add_each(simd, columns[k][at], [a[at], b[at], c[at]], sums[k]);
                }
            }
        }
        let tail = whole * S::F32_LANES;
        if tail < a.len() {
            let load = [&a[tail..], &b[tail..], &c[tail..]];
            let y = [
                simd.partial_load_f32s(load[0]),
                simd.partial_load_f32s(load[1]),
                simd.partial_load_f32s(load[2]),
            ];
            for k in 0..WIDTH {
                sums[k] = add_each(simd, simd.partial_load_f32s(&columns[k][tail..]), y, sums[k]);
            }
        }
        for k in (0..WIDTH).rev() {
            let column = self.below(at + k, at);
            for side in 0..SIDES {
                let own = side * self.rows + at;
                let mut x = sides[own + k] - simd.reduce_sum_f32s(sums[k][side]);
                for row in k + 1..WIDTH {
                    x -= column[row] * sides[own + row];
                }
                sides[own + k] = x * column[k];
            }
        }
    }
}

/// The part of columns that fills whole registers.
#[inline(always)]
fn bulk<'a, S: Simd, const WIDTH: usize>(columns: &[&'a [f32]; WIDTH]) -> [&'a [S::f32s]; WIDTH] {
    let mut bulk: [&[S::f32s]; WIDTH] = [&[]; WIDTH];
    for (bulk, column) in bulk.iter_mut().zip(columns) {
        *bulk = S::as_simd_f32s(column).0;
    }
    bulk
}

/// `sums + l x` for three numbers `x`.
#[inline(always)]
fn add<S: Simd>(simd: S, l: S::f32s, x: &[f32; SIDES], sums: [S::f32s; SIDES]) -> [S::f32s; SIDES] {
    add_each(simd, l, [simd.splat_f32s(x[0]), simd.splat_f32s(x[1]), simd.splat_f32s(x[2])], sums)
}

/// `sums + l x` for three registers `x`.
#[inline(always)]
fn add_each<S: Simd>(simd: S, l: S::f32s, x: [S::f32s; SIDES], sums: [S::f32s; SIDES]) -> [S::f32s; SIDES] {
    [
        simd.mul_add_f32s(l, x[0], sums[0]),
        simd.mul_add_f32s(l, x[1], sums[1]),
        simd.mul_add_f32s(l, x[2], sums[2]),
    ]
}

/// The way down: columns from the first to the last. `sides` holds the rows of one right-hand side after the other.
pub(super) struct Down<'a> {
    pub panel: Panel<'a>,
    pub sides: &'a mut [f32],
}

impl WithSimd for Down<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, sides } = self;
        let mut at = 0;
        while at < panel.columns {
            let width = step(panel.columns - at, 8);
            // A slice of the factor serves all copies of a body while it is in the cache.
            for sides in sides.chunks_exact_mut(SIDES * panel.rows) {
                match width {
                    8 => panel.down::<S, 8>(simd, at, sides),
                    4 => panel.down::<S, 4>(simd, at, sides),
                    2 => panel.down::<S, 2>(simd, at, sides),
                    _ => panel.down::<S, 1>(simd, at, sides),
                }
            }
            at += width;
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
        let mut left = panel.columns;
        while left > 0 {
            let width = step(left, 4);
            left -= width;
            for sides in sides.chunks_exact_mut(SIDES * panel.rows) {
                match width {
                    4 => panel.up::<S, 4>(simd, left, sides),
                    2 => panel.up::<S, 2>(simd, left, sides),
                    _ => panel.up::<S, 1>(simd, left, sides),
                }
            }
        }
    }
}

/// The largest power of two that is no larger than what is left, and than `most`.
#[inline(always)]
fn step(left: usize, most: usize) -> usize {
    if left >= most { most } else { 1 << left.ilog2() }
}
