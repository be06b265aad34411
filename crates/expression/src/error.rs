//! What can be wrong with an expression, and where.

use std::ops::Range;

use crate::{MAX_COST, MAX_DEPTH, MAX_LENGTH};

/// Why an expression was refused, and which bytes of its text are to blame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ExpressionError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The offending bytes of the source text; empty at the end of the text.
    pub span: Range<usize>,
}

impl ExpressionError {
    pub(crate) fn new(kind: ErrorKind, span: Range<usize>) -> Self {
        Self { kind, span }
    }
}

/// The ways an expression can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What would have been right.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A character the language does not use.
    #[error("`{0}` does not belong in an expression")]
    UnknownCharacter(char),
    /// Digits that are no number.
    #[error("`{0}` is not a number")]
    BadNumber(String),
    /// A name that is neither a variable, a constant nor a function.
    #[error("unknown name `{name}`; {hint}")]
    UnknownName {
        /// The name as written.
        name: String,
        /// The nearest known name, or all of them.
        hint: String,
    },
    /// A function without its parentheses.
    #[error("`{0}` is a function: write `{0}(...)`")]
    MissingCall(&'static str),
    /// Too few or too many arguments.
    #[error("`{name}` takes {expected}, got {count}")]
    ArgumentCount {
        /// The function.
        name: &'static str,
        /// How many it takes, in words.
        expected: String,
        /// How many were given.
        count: usize,
    },
    /// `a < b < c`.
    #[error("comparisons cannot be chained: write `a < b and b < c`")]
    ChainedComparison,
    /// A spelling other languages use.
    #[error("`{found}` is not an operator here: write `{instead}`")]
    ForeignOperator {
        /// As written.
        found: &'static str,
        /// Our spelling.
        instead: &'static str,
    },
    /// Parentheses, signs or powers nested too deeply.
    #[error("nested too deeply: at most {MAX_DEPTH} levels")]
    TooDeep,
    /// The text is too long.
    #[error("too long: {0} bytes, at most {MAX_LENGTH}")]
    TooLong(usize),
    /// One evaluation would cost too much.
    #[error("too costly to evaluate for every particle: simplify it (limit {MAX_COST} operations)")]
    TooCostly,
}
