//! The two sums over links that all the time of a product goes into.

use super::columns::{Columns, at, at_mut, slices};
use super::eight::{Eight, LANES, Task};
use super::lines::{GUARD, Lines};

/// Lane of an edge, or column of a flux, that belongs to its weight.
pub(super) const WEIGHT: usize = 3;

/// `Σ_j (u_j − u_i) ⊗ (b, w)` of the particles of a pack.
#[inline(always)]
pub(super) fn moment<E: Eight, const D: usize>(
    eight: E,
    lines: &Lines,
    pack: usize,
    motion: &[[&[f32]; 2]; D],
) -> [[E::Numbers; 4]; D] {
    let here = GUARD + pack * LANES;
    let zero = eight.splat(0.0);
    let mut own = [[zero; 2]; D];
    for axis in 0..D {
        for part in 0..2 {
            own[axis][part] = eight.load(at(motion[axis][part], here));
        }
    }
    let mut sums = [[zero; 4]; D];
    for link in lines.outgoing.of(pack) {
        let there = here.wrapping_add_signed(link.shift as isize);
        let weight = splat_all(eight, lines.outgoing.weight(link));
        for axis in 0..D {
            let high = eight.sub(eight.load(at(motion[axis][0], there)), own[axis][0]);
            let low = eight.sub(eight.load(at(motion[axis][1], there)), own[axis][1]);
            let apart = eight.keep(eight.add(high, low), link.lanes);
            for lane in 0..4 {
                if is_used::<D>(lane) {
                    sums[axis][lane] = eight.mul_add(apart, weight[lane], sums[axis][lane]);
                }
            }
        }
    }
    sums
}

/// Whether a lane of an edge means anything: planes have no third axis. Loops ask for it inside rather than pass over
/// others, which would keep them from being unrolled.
#[inline(always)]
pub(super) fn is_used<const D: usize>(lane: usize) -> bool {
    lane < D || lane == WEIGHT
}

#[inline(always)]
fn splat_all<E: Eight>(eight: E, values: &[f32; 4]) -> [E::Numbers; 4] {
    let mut all = [eight.splat(0.0); 4];
    for lane in 0..4 {
        all[lane] = eight.splat(values[lane]);
    }
    all
}

/// What neighbours exert on the packs of a block of slots.
pub(super) struct Gather<'a, 'c, const D: usize> {
    pub lines: &'a Lines,
    pub flux: &'a Columns<5, D>,
    pub first: usize,
    pub columns: &'a mut [[&'c mut [f32]; 1]; D],
}

impl<const D: usize> Task for Gather<'_, '_, D> {
    /// `Σ_j Z_j (b_ji, w_ji)` over the edges that point at each particle.
    #[inline(always)]
    fn run(self, eight: impl Eight) {
        let Self { lines, flux, first, columns } = self;
        let flux = &slices(flux);
        for place in 0..columns[0][0].len() / LANES {
            let pack = first + place;
            // One sum a lane: twelve products that need not wait for each other.
            let mut sums = [[eight.splat(0.0); 4]; D];
            for link in lines.incoming.of(pack) {
                let there = (GUARD + pack * LANES).wrapping_add_signed(link.shift as isize);
                let weight = splat_all(eight, lines.incoming.weight(link));
                for lane in 0..4 {
                    if is_used::<D>(lane) {
                        let share = eight.keep(weight[lane], link.lanes);
                        for axis in 0..D {
                            let z = eight.load(at(flux[axis][lane], there));
                            sums[axis][lane] = eight.mul_add(z, share, sums[axis][lane]);
                        }
                    }
                }
            }
            for axis in 0..D {
                let [x, y, z, weight] = sums[axis];
                let sum = eight.add(eight.add(x, y), eight.add(z, weight));
                eight.store(sum, at_mut(columns[axis][0], place * LANES));
            }
        }
    }
}
