//! Rows 0 and 1 share a register of eight; row 2, in space, has half of another. Functions rather than closures: only they
//! can be told to become part of the loop that has the instructions.

use super::{CHAINS, Flux, ListedRow, Split, Sums, Task};
use pulp::x86::V3;
use pulp::{NullaryFnOnce, cast};
use std::arch::x86_64::{__m128, __m256, __m256i};
use wide::f32x4;

/// A task that is compiled with these instructions.
pub(super) struct Compiled<T> {
    pub simd: V3,
    pub task: T,
}

impl<T: Task> NullaryFnOnce for Compiled<T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.task.run(self.simd);
    }
}

/// Rows of one edge, or sums of them.
#[derive(Clone, Copy)]
struct Rows {
    pair: __m256,
    last: __m128,
}

/// What an edge is multiplied by.
trait Term {
    fn of(&self, simd: V3, end: usize) -> Rows;
}

struct Apart<'a> {
    here: __m256,
    spread: __m256i,
    u: &'a [Split],
}

struct Fluxes<'a, const D: usize>(&'a [Flux]);

impl Term for Apart<'_> {
    #[inline(always)]
    fn of(&self, simd: V3, end: usize) -> Rows {
        let avx = simd.avx;
        let parts = avx._mm256_sub_ps(cast(self.u[end].0), self.here);
        let apart = avx._mm256_add_ps(parts, avx._mm256_permute2f128_ps::<1>(parts, parts));
        let last = avx._mm_permute_ps::<0b10_10_10_10>(avx._mm256_castps256_ps128(apart));
        Rows { pair: avx._mm256_permutevar_ps(apart, self.spread), last }
    }
}

impl<const D: usize> Term for Fluxes<'_, D> {
    #[inline(always)]
    fn of(&self, simd: V3, end: usize) -> Rows {
        let z = &self.0[end].0;
        let last = if D == 3 { cast(z[2]) } else { simd.sse._mm_setzero_ps() };
        Rows { pair: cast([z[0], z[1]]), last }
    }
}

impl Rows {
    /// The sum with an edge's product, rounded once.
    #[inline(always)]
    fn add_product(self, simd: V3, edge: __m128, rows: Self) -> Self {
        let both = simd.avx._mm256_broadcast_ps(&edge);
        Self {
            pair: simd.fma._mm256_fmadd_ps(both, rows.pair, self.pair),
            last: simd.fma._mm_fmadd_ps(edge, rows.last, self.last),
        }
    }

    #[inline(always)]
    fn add(self, simd: V3, other: Self) -> Self {
        let pair = simd.avx._mm256_add_ps(self.pair, other.pair);
        Self { pair, last: simd.sse._mm_add_ps(self.last, other.last) }
    }
}

#[inline(always)]
fn sum<const D: usize>(simd: V3, (ends, weights): ListedRow<'_>, term: &impl Term) -> [f32x4; D] {
    let zero = Rows { pair: simd.avx._mm256_setzero_ps(), last: simd.sse._mm_setzero_ps() };
    let mut sums = [zero; CHAINS];
    let (groups, rest) = ends.as_chunks::<CHAINS>();
    let (weight_groups, weights_left) = weights.as_chunks::<CHAINS>();
    for (ends, weights) in groups.iter().zip(weight_groups) {
        for chain in 0..CHAINS {
            let term = term.of(simd, ends[chain] as usize);
            sums[chain] = sums[chain].add_product(simd, cast(weights[chain]), term);
        }
    }
    for ((&j, edge), sum) in rest.iter().zip(weights_left).zip(&mut sums) {
        *sum = sum.add_product(simd, cast(*edge), term.of(simd, j as usize));
    }
    let [a, b, c, d] = sums;
    let Rows { pair, last } = a.add(simd, b).add(simd, c.add(simd, d));
    let [first, second]: [f32x4; 2] = cast(pair);
    let all = [first, second, cast(last)];
    std::array::from_fn(|row| all[row])
}

impl Sums for V3 {
    #[inline(always)]
    fn moment<const D: usize>(self, edges: ListedRow<'_>, here: &Split, u: &[Split]) -> [f32x4; D] {
        sum(self, edges, &Apart { here: cast(here.0), spread: cast([0i32, 0, 0, 0, 1, 1, 1, 1]), u })
    }

    #[inline(always)]
    fn gather<const D: usize>(self, edges: ListedRow<'_>, flux: &[Flux]) -> [f32x4; D] {
        sum(self, edges, &Fluxes::<D>(flux))
    }
}
