//! Loops over particles, compiled for the registers that the machine has. Numbers are neither fused nor added in another order, so
//! the bits are those of any machine.

use crate::arrows::Sums;
use crate::sixteen::Plain;
use pliant_math::parallel::BLOCK;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// What a loop finds for a particle. Its method has to be inlined, which closures cannot be told.
pub(crate) trait Each: Sync {
    type Found: Send;

    fn of<P: Sums>(&self, sums: P, i: usize) -> Self::Found;
}

/// Fills `out[i]` with what is found for particle `i`.
pub(crate) fn fill<E: Each>(out: &mut [E::Found], each: &E) {
    out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
        let work = Block { first: block * BLOCK, out, each };
        match Arch::new() {
            #[cfg(target_arch = "x86_64")]
            Arch::V4(simd) => simd.vectorize(InWide { work, simd }),
            arch => arch.dispatch(work),
        }
    });
}

/// The loop over a block.
struct Block<'a, E: Each> {
    first: usize,
    out: &'a mut [E::Found],
    each: &'a E,
}

impl<E: Each> Block<'_, E> {
    #[inline(always)]
    fn run<P: Sums>(self, sums: P) {
        for (i, out) in (self.first..).zip(self.out) {
            *out = self.each.of(sums, i);
        }
    }
}

impl<E: Each> WithSimd for Block<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.run(Plain);
    }
}

/// The same in registers of sixteen.
#[cfg(target_arch = "x86_64")]
struct InWide<'a, E: Each> {
    work: Block<'a, E>,
    simd: pulp::x86::V4,
}

#[cfg(target_arch = "x86_64")]
impl<E: Each> pulp::NullaryFnOnce for InWide<'_, E> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.work.run(self.simd);
    }
}
