//! Numbers for tests and benchmarks that are the same everywhere.

use crate::{Vec3, Vect};

/// Numbers between -1 and 1.
pub struct Random(pub u64);

impl Random {
    /// The next one.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    /// A vector with components between -1 and 1.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::from_fn(|_, _| self.number())
    }

    /// Vectors with components up to `size`.
    pub fn field<const D: usize>(&mut self, count: usize, size: f64) -> Vec<Vect<D>> {
        (0..count).map(|_| Vect::from_fn(|_, _| self.number() * size)).collect()
    }
}
