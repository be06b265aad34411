//! All rows share a register of sixteen.

use super::{CHAINS, Flux, ListedRow, Split, Sums, Task};
use pulp::x86::V4;
use pulp::{NullaryFnOnce, cast};
use std::arch::x86_64::{__m256, __m512, __m512i};
use wide::f32x4;

/// A task that is compiled with these instructions.
pub(super) struct Compiled<T> {
    pub simd: V4,
    pub task: T,
}

impl<T: Task> NullaryFnOnce for Compiled<T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.task.run(self.simd);
    }
}

/// What an edge is multiplied by.
trait Term {
    fn of(&self, simd: V4, end: usize) -> __m512;
}

struct Apart<'a> {
    here: __m256,
    spread: __m512i,
    u: &'a [Split],
}

struct Fluxes<'a>(&'a [Flux]);

impl Term for Apart<'_> {
    #[inline(always)]
    fn of(&self, simd: V4, end: usize) -> __m512 {
        let parts = simd.avx._mm256_sub_ps(cast(self.u[end].0), self.here);
        let apart = simd.avx._mm256_add_ps(parts, simd.avx._mm256_permute2f128_ps::<1>(parts, parts));
        simd.avx512f._mm512_permutexvar_ps(self.spread, simd.avx512f._mm512_castps256_ps512(apart))
    }
}

impl Term for Fluxes<'_> {
    #[inline(always)]
    fn of(&self, _: V4, end: usize) -> __m512 {
        cast(self.0[end].0)
    }
}

#[inline(always)]
fn sum<const D: usize>(simd: V4, (ends, weights): ListedRow<'_>, term: &impl Term) -> [f32x4; D] {
    let avx = simd.avx512f;
    let mut sums = [avx._mm512_setzero_ps(); CHAINS];
    let (groups, rest) = ends.as_chunks::<CHAINS>();
    let (weight_groups, weights_left) = weights.as_chunks::<CHAINS>();
    for (ends, weights) in groups.iter().zip(weight_groups) {
        for chain in 0..CHAINS {
            let term = term.of(simd, ends[chain] as usize);
            sums[chain] =
                avx._mm512_fmadd_ps(avx._mm512_broadcast_f32x4(cast(weights[chain])), term, sums[chain]);
        }
    }
    for ((&j, edge), sum) in rest.iter().zip(weights_left).zip(&mut sums) {
        *sum = avx._mm512_fmadd_ps(avx._mm512_broadcast_f32x4(cast(*edge)), term.of(simd, j as usize), *sum);
    }
    let [a, b, c, d] = sums;
    let rows: [f32x4; 4] = cast(avx._mm512_add_ps(avx._mm512_add_ps(a, b), avx._mm512_add_ps(c, d)));
    std::array::from_fn(|row| rows[row])
}

impl Sums for V4 {
    #[inline(always)]
    fn moment<const D: usize>(self, edges: ListedRow<'_>, here: &Split, u: &[Split]) -> [f32x4; D] {
        sum(
            self,
            edges,
            &Apart {
                here: cast(here.0),
                spread: cast([0i32, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]),
                u,
            },
        )
    }

    #[inline(always)]
    fn gather<const D: usize>(self, edges: ListedRow<'_>, flux: &[Flux]) -> [f32x4; D] {
        sum(self, edges, &Fluxes(flux))
    }
}
