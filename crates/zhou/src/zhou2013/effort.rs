//! What the next step may cost: how long it may be, and whether the coarse space pays. That costs as much as some
//! iterations, and saves many only in stiff or slender bodies.

use super::settings::Preconditioner;
use serde::{Deserialize, Serialize};

/// Plain solves with more iterations than this call for the coarse space. With it they take a third to half of them, and to
/// make it ready takes as long as some ten.
const MANY: usize = 36;
/// Steps that are more than so many times the longest stable explicit one are hard from the first on: without help errors that
/// reach over the whole body fall so slowly that they are taken for solved.
const LONG: f64 = 200.0;
/// Mean plastic strain beyond which particles do not move with the groups they were in at rest: in a puddle the coarse space
/// takes ten times the iterations.
const DISSOLVED: f64 = 0.2;
/// Steps after which a plain solve is tried again.
const TRIAL: u32 = 32;
/// An adaptive step that takes more iterations than this is followed by a shorter one: twice the step would take twice
/// as many, and gain nothing.
const TOO_MANY: usize = 400;
/// Most that an adaptive step may grow or shrink from one to the next: variable-step BDF2 is stable up to 2.4.
const GROWTH: f64 = 1.5;
const SHRINKAGE: f64 = 0.25;
/// The error aimed at is this share of the one allowed.
const MARGIN: f64 = 0.8;
/// A step whose error is this many times the one allowed is refused.
const EXCESS: f64 = 4.0;

/// Help for the linear solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aid {
    None,
    /// Shorter steps where particles resist more than others.
    Scales,
    /// The same, and motions of groups solved directly.
    CoarseSpace,
}

/// What is remembered of the linear solver's effort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Effort {
    /// Steps the coarse space is used for before a plain solve is tried again.
    aided_steps: u32,
    /// How long the next adaptive step may be [s].
    next_step: f64,
}

impl Default for Effort {
    /// Nothing is known: the first step is the scene's longest.
    fn default() -> Self {
        Self { aided_steps: 0, next_step: f64::MAX }
    }
}

impl Effort {
    /// What helps the linear solver in a step that is so many times the longest stable explicit one, with bodies of that mean
    /// plastic strain.
    pub fn aid(&self, choice: Preconditioner, explicit_steps: f64, plastic_strain: f64) -> Aid {
        let is_hard = (self.aided_steps > 0 || explicit_steps > LONG) && plastic_strain < DISSOLVED;
        match choice {
            Preconditioner::None => Aid::None,
            Preconditioner::Automatic if !is_hard => Aid::Scales,
            Preconditioner::Automatic | Preconditioner::CoarseSpace => Aid::CoarseSpace,
        }
    }

    /// How long the next adaptive step may be [s].
    pub fn next_step(&self) -> f64 {
        self.next_step
    }

    /// Whether the error of a step is too large to go on from.
    pub fn is_coarse(error: f64, allowed: f64) -> bool {
        error > EXCESS * allowed
    }

    /// Plans the next step after one of `dt` [s] with this error, which grows with the square of the step.
    pub fn plan(&mut self, dt: f64, error: f64, allowed: f64, iterations: usize) {
        let growth = (MARGIN * allowed / error.max(f64::MIN_POSITIVE)).sqrt().clamp(SHRINKAGE, GROWTH);
        let affordable = if iterations > TOO_MANY { 1.0 / GROWTH } else { GROWTH };
        self.next_step = dt * growth.min(affordable);
    }

    /// Learns from a step whose hardest solve took `iterations`.
    pub fn learn(&mut self, iterations: usize) {
        self.aided_steps = match self.aided_steps {
            0 if iterations > MANY => TRIAL,
            steps => steps.saturating_sub(1),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_solves_call_for_the_coarse_space_in_bodies_that_keep_their_shape() {
        let mut effort = Effort::default();
        let aid = |effort: &Effort, strain| effort.aid(Preconditioner::Automatic, 10.0, strain);
        assert_eq!(effort.aid(Preconditioner::Automatic, 2.0 * LONG, 0.0), Aid::CoarseSpace);
        effort.learn(MANY);
        assert_eq!(aid(&effort, 0.0), Aid::Scales);
        effort.learn(MANY + 1);
        assert_eq!(aid(&effort, 0.0), Aid::CoarseSpace);
        assert_eq!(aid(&effort, 2.0 * DISSOLVED), Aid::Scales);
        (0..TRIAL).for_each(|_| effort.learn(10));
        assert_eq!(aid(&effort, 0.0), Aid::Scales, "a plain solve is tried again");
    }

    #[test]
    fn steps_follow_their_error_and_what_they_cost() {
        let next = |error: f64, iterations: usize| {
            let mut effort = Effort::default();
            effort.plan(1e-3, error, 0.1, iterations);
            effort.next_step() / 1e-3
        };
        assert!((next(0.08, 10) - 1.0).abs() < 1e-12, "what is aimed at is kept");
        assert!((next(0.32, 10) - 0.5).abs() < 1e-12, "four times the error, half the step");
        assert_eq!(next(0.0, 10), GROWTH);
        assert_eq!(next(f64::INFINITY, 10), SHRINKAGE);
        assert_eq!(next(0.0, TOO_MANY + 1), 1.0 / GROWTH);
        assert!(Effort::is_coarse(0.41, 0.1) && !Effort::is_coarse(0.39, 0.1));
    }
}
