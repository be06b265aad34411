//! When the coarse space pays: it costs as much as some iterations, and saves many only in stiff or slender bodies.

use super::settings::Preconditioner;
use serde::{Deserialize, Serialize};

/// Plain solves with more iterations than this call for the coarse space.
const MANY: usize = 100;
/// Steps after which a plain solve is tried again.
const TRIAL: u32 = 32;

/// What is remembered of the linear solver's effort.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Effort {
    /// Steps the coarse space is used for before a plain solve is tried again.
    aided_steps: u32,
}

impl Effort {
    /// Whether this step uses the coarse space.
    pub fn is_aided(&self, choice: Preconditioner) -> bool {
        match choice {
            Preconditioner::Automatic => self.aided_steps > 0,
            Preconditioner::None => false,
            Preconditioner::CoarseSpace => true,
        }
    }

    /// Learns from a step whose hardest solve took `iterations`.
    pub fn learn(&mut self, iterations: usize) {
        self.aided_steps = match self.aided_steps {
            0 if iterations > MANY => TRIAL,
            steps => steps.saturating_sub(1),
        };
    }
}
