//! One matrix a particle that only flow changes.

use pliant_math::Mat;
use serde::{Deserialize, Serialize};

/// A matrix for each particle; none are stored, and all are the identity, where no matter can flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Maps<const D: usize>(Vec<Mat<D>>);

impl<const D: usize> Maps<D> {
    /// Identities for so many particles, of which some or none can flow.
    pub fn new(count: usize, can_flow: bool) -> Self {
        Self(if can_flow { vec![Mat::identity(); count] } else { Vec::new() })
    }

    /// That of particle i.
    #[inline(always)]
    pub fn of(&self, i: usize) -> Mat<D> {
        self.0.get(i).copied().unwrap_or_else(Mat::identity)
    }

    /// Changes that of particle i, which can flow.
    pub fn set(&mut self, i: usize, map: Mat<D>) {
        self.0[i] = map;
    }

    /// Makes that of particle i the identity again.
    pub fn reset(&mut self, i: usize) {
        if let Some(map) = self.0.get_mut(i) {
            *map = Mat::identity();
        }
    }

    /// Those that are stored.
    pub fn stored(&self) -> &[Mat<D>] {
        &self.0
    }

    /// Whether there is one for each of so many particles, or none at all.
    pub fn is_whole(&self, count: usize) -> bool {
        self.0.is_empty() || self.0.len() == count
    }
}
