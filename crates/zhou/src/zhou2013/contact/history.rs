//! What contacts remember from step to step.

use super::{Target, Touch};
use pliant_math::Vect;
use serde::{Deserialize, Serialize};

/// Slip of every contact that carried load at the end of the last step, sorted by particle and target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct History<const D: usize> {
    entries: Vec<(u32, Target, Vect<D>)>,
}

impl<const D: usize> History<D> {
    /// Slip so far, or `None` if the two did not touch.
    pub fn slip(&self, particle: u32, target: Target) -> Option<Vect<D>> {
        let key = (particle, target);
        let found = self.entries.binary_search_by(|entry| (entry.0, entry.1).cmp(&key)).ok()?;
        Some(self.entries[found].2)
    }

    /// Takes over the contacts at the end of a step; slip beyond the grip of friction is dragged along.
    pub fn remember(&mut self, touches: &[Touch<D>]) {
        self.entries.clear();
        self.entries.extend(touches.iter().filter(|touch| touch.is_loaded()).map(|touch| {
            let (slip, grip) = (touch.slip.norm(), touch.grip());
            let kept = if slip > grip { touch.slip * (grip / slip) } else { touch.slip };
            (touch.particle, touch.target, kept)
        }));
        self.entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}
