//! Known answers of mechanics, and how near the methods come to them.
//!
//! A [`Case`] simulates a situation whose answer is known and returns [`Findings`]: [`Measure`]s with value, reference
//! and the error that is accepted, and perhaps a [`Figure`]. A method adds its cases to [`cases`].

mod figure;
mod measure;
mod mpm;
mod outcome;
mod sph;
mod stage;
mod zhou2013;

pub use figure::{Figure, Line};
pub use measure::{Measure, Tolerance};
pub use outcome::{Outcome, Trend, document, table};

use pliant_solver::StepError;

/// How finely a body is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Fast enough for tests.
    Coarse,
    /// What is compared by default.
    Medium,
    /// Shows whether the error falls.
    Fine,
}

impl Resolution {
    /// From coarse to fine.
    pub const ALL: [Self; 3] = [Self::Coarse, Self::Medium, Self::Fine];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.pick(["coarse", "medium", "fine"])
    }

    /// The entry for this resolution of a list from coarse to fine.
    pub(crate) fn pick<T: Copy>(self, choices: [T; 3]) -> T {
        choices[self as usize]
    }
}

/// What a finer body changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// The error comes from the particles, so it should fall.
    ReducesError,
    /// The error comes from the time step or the solver; it should only stay in bounds.
    ChangesLittle,
}

/// A situation with a known answer.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Short name for the command line.
    pub name: &'static str,
    /// Method that is compared.
    pub method: &'static str,
    /// What is simulated, in one sentence.
    pub summary: &'static str,
    /// Where the reference comes from.
    pub source: &'static str,
    /// What a finer body changes.
    pub refinement: Refinement,
    /// Simulates and measures.
    pub run: fn(Resolution) -> Result<Findings, StepError>,
}

/// What a case gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Numbers beside their references.
    pub measures: Vec<Measure>,
    /// Curves beside theirs.
    pub figure: Option<Figure>,
}

impl From<Vec<Measure>> for Findings {
    fn from(measures: Vec<Measure>) -> Self {
        Self { measures, figure: None }
    }
}

/// All cases, in the order of their tables.
pub fn cases() -> Vec<Case> {
    [&zhou2013::CASES[..], &mpm::CASES[..], &sph::CASES[..]].concat()
}
