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
        let (count, lanes) = (a.len(), S::F32_LANES);
        let mut from = 0;
        while from < count {
            let to = count.min(from + lanes);
            let mut sums = [
                simd.partial_load_f32s(&a[from..to]),
                simd.partial_load_f32s(&b[from..to]),
                simd.partial_load_f32s(&c[from..to]),
            ];
            for (column, solved) in columns.iter().zip(&solved) {
                let l = simd.partial_load_f32s(&column[from..to]);
                for side in 0..SIDES {
                    sums[side] = simd.mul_add_f32s(l, simd.splat_f32s(solved[side]), sums[side]);
                }
            }
            simd.partial_store_f32s(&mut a[from..to], sums[0]);
            simd.partial_store_f32s(&mut b[from..to], sums[1]);
            simd.partial_store_f32s(&mut c[from..to], sums[2]);
            from = to;
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
        let (count, lanes) = (a.len(), S::F32_LANES);
        let mut sums = [[simd.splat_f32s(0.0); SIDES]; WIDTH];
        let mut from = 0;
        while from < count {
            let to = count.min(from + lanes);
            let y = [
                simd.partial_load_f32s(&a[from..to]),
                simd.partial_load_f32s(&b[from..to]),
                simd.partial_load_f32s(&c[from..to]),
            ];
            for (column, sums) in columns.iter().zip(&mut sums) {
                let l = simd.partial_load_f32s(&column[from..to]);
                for side in 0..SIDES {
                    sums[side] = simd.mul_add_f32s(l, y[side], sums[side]);
                }
            }
            from = to;
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
