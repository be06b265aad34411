//! Particles in the order of their places, along a curve that fills space: neighbours are near each other in memory too,
//! also where flow has mixed what was sampled side by side. Rows keep their order within, so sums keep their bits.

use crate::zhou2013::edges::{Edges, Listed};
use pliant_math::{Vect, parallel};
use rayon::prelude::*;

/// Places are told apart to this many bits an axis.
const BITS: u32 = 20;

/// Edges in rows of slots, which are in order of places.
#[derive(Debug)]
pub(in crate::zhou2013) struct Places {
    particles: Vec<u32>,
    slots: Vec<u32>,
    outgoing: Edges,
    /// None while every edge is the mirror image of its reverse.
    incoming: Option<Edges>,
}

impl Places {
    pub fn new<const D: usize>(outgoing: &Edges, incoming: Option<&Edges>, x: &[Vect<D>]) -> Self {
        let particles = along_curve(x);
        let mut slots = vec![0; particles.len()];
        for (slot, &particle) in (0u32..).zip(&particles) {
            slots[particle as usize] = slot;
        }
        let incoming = incoming.map(|edges| edges.in_order(&particles, &slots));
        let outgoing = outgoing.in_order(&particles, &slots);
        Self { particles, slots, outgoing, incoming }
    }

    #[inline(always)]
    pub fn particle(&self, slot: usize) -> usize {
        self.particles[slot] as usize
    }

    #[inline(always)]
    pub fn slot(&self, particle: usize) -> usize {
        self.slots[particle] as usize
    }

    /// Edges of the particles in slots, and edges that point at them; while there are only mirror images, those, with `w p`
    /// of the wrong sign.
    pub fn edges(&self) -> [Listed<'_>; 2] {
        let outgoing = self.outgoing.listed().unwrap_or_default();
        [outgoing, self.incoming.as_ref().and_then(Edges::listed).unwrap_or(outgoing)]
    }
}

/// Points in the order in which a curve through ever smaller boxes meets them (Morton 1966).
fn along_curve<const D: usize>(x: &[Vect<D>]) -> Vec<u32> {
    let bound = |pick: fn(&Vect<D>, &Vect<D>) -> Vect<D>| x.iter().copied().reduce(|a, b| pick(&a, &b));
    let (Some(min), Some(max)) = (bound(Vect::inf), bound(Vect::sup)) else { return Vec::new() };
    let scale = f64::from((1u32 << BITS) - 1) / (max - min).max().max(f64::MIN_POSITIVE);
    let mut keys = vec![(0u64, 0u32); x.len()];
    parallel::fill(&mut keys, |i| {
        let place = (x[i] - min) * scale;
        (interleaved(std::array::from_fn::<u64, D, _>(|axis| place[axis] as u64)), i as u32)
    });
    keys.par_sort_unstable();
    keys.into_iter().map(|(_, i)| i).collect()
}

/// The bits of all numbers, in turn.
fn interleaved<const D: usize>(numbers: [u64; D]) -> u64 {
    (0..BITS).rev().fold(0, |all, bit| numbers.iter().fold(all, |all, number| all << 1 | number >> bit & 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_through_one_box_after_the_other() {
        let x: Vec<Vect<2>> = (0..64).map(|k| Vect::from([f64::from(k % 8), f64::from(k / 8)])).collect();
        let order = along_curve(&x);
        for block in order.chunks(16) {
            let quarter = |i: u32| (i % 8 / 4, i / 32);
            assert!(block.iter().all(|i| quarter(*i) == quarter(block[0])), "{block:?}");
        }
        assert!(along_curve::<3>(&[]).is_empty());
        assert_eq!(
            along_curve(&[Vect::from([1.0, 2.0, 3.0]); 3]),
            [0, 1, 2],
            "points at one place keep their order"
        );
    }
}
