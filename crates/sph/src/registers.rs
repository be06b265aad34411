//! Loops over particles, compiled for the registers that the machine has. Numbers are neither fused nor added in another order, so
//! the bits are those of any machine.

use pliant_math::parallel::BLOCK;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// What a loop finds for a particle. Its method has to be inlined, which closures cannot be told.
pub(crate) trait Each: Sync {
    type Found: Send;

    fn of(&self, i: usize) -> Self::Found;
}

/// Fills `out[i]` with what is found for particle `i`.
pub(crate) fn fill<E: Each>(out: &mut [E::Found], each: &E) {
    out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
        Arch::new().dispatch(Block { first: block * BLOCK, out, each });
    });
}

/// The loop over a block.
struct Block<'a, E: Each> {
    first: usize,
    out: &'a mut [E::Found],
    each: &'a E,
}

impl<E: Each> WithSimd for Block<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (i, out) in (self.first..).zip(self.out) {
            *out = self.each.of(i);
        }
    }
}
