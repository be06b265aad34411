//! What the processor can do at most, for a benchmark to compare with.

use super::lanes::Lanes;
use super::registers::{LANES, Registers, Task, dispatch};
use std::hint::black_box;
use std::time::Instant;

/// Sums that do not wait for each other.
const CHAINS: usize = 12;
/// Terms of each of them.
const TERMS: usize = 200_000;

/// Single-precision products and sums a second that one thread can do in lanes, best of a few rounds.
pub fn arithmetic_limit() -> f64 {
    (0..5).map(|_| dispatch(Products)).fold(0.0, f64::max)
}

/// Numbers that the registers in use hold.
pub fn register_width() -> usize {
    dispatch(Width)
}

struct Products;

impl Task for Products {
    type Output = f64;

    #[inline(always)]
    fn run<R: Registers>(self, registers: R) -> f64 {
        let (factor, term) =
            (Lanes::splat(registers, black_box(0.999)), Lanes::splat(registers, black_box(1e-3)));
        let mut sums = [term; CHAINS];
        let start = Instant::now();
        for _ in 0..TERMS {
            for sum in &mut sums {
                *sum = *sum * factor + term;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        for sum in sums {
            black_box(sum.to_array());
        }
        (2 * CHAINS * TERMS * LANES) as f64 / seconds
    }
}

struct Width;

impl Task for Width {
    type Output = usize;

    #[inline(always)]
    fn run<R: Registers>(self, _: R) -> usize {
        R::WIDTH
    }
}
