//! A safe, bounded expression language for scene values.
//!
//! Arithmetic of named variables: no loops, no assignments, no input or output, and a limit on length, nesting
//! and cost, so that a scene from a stranger can be evaluated for every particle without a second thought.
//!
//! ```
//! use pliant_expression::Expression;
//! let ramp = Expression::compile("if(t < 1, -9.81 * t, -9.81)", &["x", "y", "z", "t"])?;
//! assert_eq!(ramp.evaluate(&[0.0, 0.0, 0.0, 0.5]), -4.905);
//! # Ok::<(), pliant_expression::ExpressionError>(())
//! ```
//!
//! **Operators**, loosest first: `c ? a : b`, `or`/`||`, `and`/`&&`, `not`, comparisons `< <= > >= == !=`,
//! `+ -`, `* / %`, sign and `!`, `^` (from the right). Truth is 1 and 0; anything but 0 is true. `%` and `mod`
//! take the sign of the divisor. **Constants**: `pi`, `tau`, `e`. **Functions**: see [`function_names`];
//! `noise(x, y, z)` is smooth between -1 and 1, `random(a, b, …)` a hash from 0 to 1.

mod error;
mod function;
mod lexer;
mod noise;
mod parser;
mod program;

pub use error::{ErrorKind, ExpressionError};
use program::{BLOCK, MAX_STACK, Op, run};

/// Longest text of an expression in bytes.
pub const MAX_LENGTH: usize = 4096;
/// Deepest nesting of brackets, calls, signs and powers.
pub const MAX_DEPTH: usize = 48;
/// Most operations of one evaluation, costly functions counted several times.
pub const MAX_COST: u32 = 4096;

/// The named constants.
const CONSTANTS: [(&str, f64); 3] =
    [("pi", std::f64::consts::PI), ("tau", std::f64::consts::TAU), ("e", std::f64::consts::E)];

/// A compiled expression. Two are equal when their text and variables are.
#[derive(Clone)]
pub struct Expression {
    source: String,
    variables: Vec<String>,
    code: Vec<Op>,
    /// Values the evaluation stack must hold.
    stack: usize,
}

/// The values of one variable for a batch of particles.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// One value for all, such as the time.
    Same(f64),
    /// One value each.
    Each(&'a [f64]),
}

impl Expression {
    /// Compiles the text; `variables` are the names it may use, in the order their values are given later.
    ///
    /// # Errors
    /// When the text is no expression of these variables, or breaks a limit.
    pub fn compile(source: &str, variables: &[&str]) -> Result<Self, ExpressionError> {
        if source.len() > MAX_LENGTH {
            let kind = ErrorKind::TooLong(source.len());
            return Err(ExpressionError { kind, span: 0..source.len() });
        }
        let compiled = parser::parse(source, variables)?;
        Ok(Self {
            source: source.to_owned(),
            variables: variables.iter().map(|&name| name.to_owned()).collect(),
            code: compiled.code,
            stack: compiled.stack,
        })
    }

    /// The text it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names of the variables, in the order of the inputs.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Whether it is the same number everywhere.
    pub fn is_constant(&self) -> bool {
        matches!(self.code[..], [Op::Constant(_)])
    }

    /// Whether its value depends on that variable.
    pub fn uses(&self, variable: &str) -> bool {
        self.code.iter().any(|op| match op {
            Op::Variable(index) => self.variables[usize::from(*index)] == variable,
            _ => false,
        })
    }

    /// The value for one set of inputs, in the order of the variables. May be infinite or not a number: see
    /// [`first_non_finite`].
    ///
    /// # Panics
    /// If there are fewer inputs than variables.
    pub fn evaluate(&self, inputs: &[f64]) -> f64 {
        assert!(inputs.len() >= self.variables.len(), "one input for each variable");
        let mut stack = [0.0; MAX_STACK];
        run(&self.code, 1, &mut stack, |variable, target| target.fill(inputs[variable]));
        stack[0]
    }

    /// The values for many particles at once; the same bits as [`Expression::evaluate`] for each.
    ///
    /// # Panics
    /// If there are fewer inputs than variables, or a column is shorter than the output.
    pub fn evaluate_batch(&self, inputs: &[Input<'_>], output: &mut [f64]) {
        assert!(inputs.len() >= self.variables.len(), "one input for each variable");
        let mut stack = vec![0.0; self.stack * BLOCK.min(output.len())];
        for (block, output) in output.chunks_mut(BLOCK).enumerate() {
            let width = output.len();
            run(&self.code, width, &mut stack, |variable, target| match inputs[variable] {
                Input::Same(value) => target.fill(value),
                Input::Each(column) => target.copy_from_slice(&column[block * BLOCK..][..width]),
            });
            output.copy_from_slice(&stack[..width]);
        }
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.variables == other.variables
    }
}

impl std::fmt::Debug for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Expression({:?})", self.source)
    }
}

/// The place of the first infinite or not-a-number value: what an evaluation must be checked for.
pub fn first_non_finite(values: &[f64]) -> Option<usize> {
    values.iter().position(|value| !value.is_finite())
}

/// The names of all functions, for reference pages.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    function::FUNCTIONS.iter().map(|function| function.name).chain([function::IF])
}
