//! Numbers for unit tests that are the same everywhere.

use pliant_math::Vect;

/// Numbers between -1 and 1.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    pub(crate) fn field<const D: usize>(&mut self, count: usize, size: f64) -> Vec<Vect<D>> {
        (0..count).map(|_| Vect::from_fn(|_, _| self.next() * size)).collect()
    }
}
