//! The only places where work is spread over threads. Blocks have a fixed size and partial sums are added in
//! block order, so results have the same bits on any number of threads.

use rayon::prelude::*;
use std::ops::Add;

/// Particles handled by one task. Fixed: results must not depend on the number of threads.
pub const BLOCK: usize = 256;

/// Does work that spreads itself over threads many times on one of those threads: from outside, each time would wait
/// for a thread to wake up, which costs small scenes more than what they compute.
pub fn inside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| work())
}

/// Fills `out[i] = f(i)`.
pub fn fill<T: Send, F: Fn(usize) -> T + Sync>(out: &mut [T], f: F) {
    out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, chunk)| {
        for (offset, value) in chunk.iter_mut().enumerate() {
            *value = f(block * BLOCK + offset);
        }
    });
}

/// Changes `out[i]` in place by `f(i, &mut out[i])`.
pub fn update<T: Send, F: Fn(usize, &mut T) + Sync>(out: &mut [T], f: F) {
    update_blocks(out, |first, block| {
        for (offset, value) in block.iter_mut().enumerate() {
            f(first + offset, value);
        }
    });
}

/// Changes blocks of up to [`BLOCK`] in place by `f(first, &mut out[first..])`.
pub fn update_blocks<T: Send, F: Fn(usize, &mut [T]) + Sync>(out: &mut [T], f: F) {
    out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, chunk)| f(block * BLOCK, chunk));
}

/// Changes `a[i]` and `b[i]` in place.
pub fn update_pair<A: Send, B: Send, F: Fn(usize, &mut A, &mut B) + Sync>(a: &mut [A], b: &mut [B], f: F) {
    update_block_pairs(a, b, |first, a, b| {
        for (offset, (a, b)) in a.iter_mut().zip(b).enumerate() {
            f(first + offset, a, b);
        }
    });
}

/// Changes blocks of up to [`BLOCK`] of both in place by `f(first, &mut a[first..], &mut b[first..])`.
pub fn update_block_pairs<A: Send, B: Send, F>(a: &mut [A], b: &mut [B], f: F)
where
    F: Fn(usize, &mut [A], &mut [B]) + Sync,
{
    let blocks = a.par_chunks_mut(BLOCK).zip(b.par_chunks_mut(BLOCK)).enumerate();
    blocks.for_each(|(block, (a, b))| f(block * BLOCK, a, b));
}

/// Changes `a[i]`, `b[i]` and `c[i]` in place.
pub fn update_triple<A, B, C, F>(a: &mut [A], b: &mut [B], c: &mut [C], f: F)
where
    A: Send,
    B: Send,
    C: Send,
    F: Fn(usize, &mut A, (&mut B, &mut C)) + Sync,
{
    let blocks = a.par_chunks_mut(BLOCK).zip(b.par_chunks_mut(BLOCK).zip(c.par_chunks_mut(BLOCK)));
    blocks.enumerate().for_each(|(block, (a, (b, c)))| {
        for (offset, (a, bc)) in a.iter_mut().zip(b.iter_mut().zip(c)).enumerate() {
            f(block * BLOCK + offset, a, bc);
        }
    });
}

/// Changes blocks of [`BLOCK`] rows of equally long columns in place by `f(block, columns)`.
pub fn update_columns<T, F, const A: usize, const B: usize>(columns: [[&mut [T]; A]; B], f: F)
where
    T: Send,
    F: Fn(usize, [[&mut [T]; A]; B]) + Sync,
{
    let count = columns.iter().flatten().map(|column| column.len()).min().unwrap_or(0).div_ceil(BLOCK);
    let mut chunks = columns.map(|row| row.map(|column| column.chunks_mut(BLOCK)));
    let mut next =
        || chunks.each_mut().map(|row| row.each_mut().map(|chunk| chunk.next().unwrap_or_default()));
    let blocks: Vec<_> = (0..count).map(|_| next()).collect();
    blocks.into_par_iter().enumerate().for_each(|(block, columns)| f(block, columns));
}

/// Changes `out[i]` in place and adds up what `f` returns, in a fixed order.
pub fn update_and_sum<T, S, F>(out: &mut [T], zero: S, f: F) -> S
where
    T: Send,
    S: Add<Output = S> + Clone + Send + Sync,
    F: Fn(usize, &mut T) -> S + Sync,
{
    let partial: Vec<S> = out
        .par_chunks_mut(BLOCK)
        .enumerate()
        .map(|(block, chunk)| {
            chunk
                .iter_mut()
                .enumerate()
                .fold(zero.clone(), |sum, (i, value)| sum + f(block * BLOCK + i, value))
        })
        .collect();
    partial.into_iter().fold(zero, |sum, part| sum + part)
}

/// Changes `a[i]` and `b[i]` in place and adds up what `f` returns, in a fixed order.
pub fn update_pair_and_sum<A, B, S, F>(a: &mut [A], b: &mut [B], zero: S, f: F) -> S
where
    A: Send,
    B: Send,
    S: Add<Output = S> + Clone + Send + Sync,
    F: Fn(usize, &mut A, &mut B) -> S + Sync,
{
    let blocks = a.par_chunks_mut(BLOCK).zip(b.par_chunks_mut(BLOCK)).enumerate();
    let partial: Vec<S> = blocks
        .map(|(block, (a, b))| {
            let pairs = a.iter_mut().zip(b).enumerate();
            pairs.fold(zero.clone(), |sum, (i, (a, b))| sum + f(block * BLOCK + i, a, b))
        })
        .collect();
    partial.into_iter().fold(zero, |sum, part| sum + part)
}

/// `Σ f(i)` for `i < count`, added in a fixed order.
pub fn sum<S, F>(count: usize, zero: S, f: F) -> S
where
    S: Add<Output = S> + Clone + Send + Sync,
    F: Fn(usize) -> S + Sync,
{
    let partial: Vec<S> = (0..count.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| (block * BLOCK..count.min((block + 1) * BLOCK)).fold(zero.clone(), |sum, i| sum + f(i)))
        .collect();
    partial.into_iter().fold(zero, |sum, part| sum + part)
}

/// The largest `f(i)` and its index, the first one if several are equal; NaN counts as largest.
pub fn max<F: Fn(usize) -> f64 + Sync>(count: usize, f: F) -> Option<(usize, f64)> {
    let larger = |a: (usize, f64), b: (usize, f64)| {
        if b.1.is_nan() && !a.1.is_nan() || b.1 > a.1 { b } else { a }
    };
    let partial: Vec<(usize, f64)> = (0..count.div_ceil(BLOCK))
        .into_par_iter()
        .filter_map(|block| (block * BLOCK..count.min((block + 1) * BLOCK)).map(|i| (i, f(i))).reduce(larger))
        .collect();
    partial.into_iter().reduce(larger)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_same_bits_on_any_number_of_threads() {
        let term = |i: usize| ((i * 7919) as f64).sin() * 10f64.powi((i % 17) as i32 - 8);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sum(10_000, 0.0, term)).to_bits()
        };
        let alone = on(1);
        for threads in [2, 3, 8, 16] {
            assert_eq!(alone, on(threads), "{threads} threads");
        }
    }

    #[test]
    fn the_largest_value_is_the_first_of_equals_and_nan_wins() {
        assert_eq!(max(1000, |i| (i % 10) as f64), Some((9, 9.0)));
        assert_eq!(max(1000, |i| if i == 700 { f64::NAN } else { i as f64 }).map(|m| m.0), Some(700));
        assert_eq!(max(0, |_| 0.0), None);
    }
}
