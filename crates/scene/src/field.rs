//! Values that may vary in space.

use pliant_expression::{Expression, Input, first_non_finite};
use pliant_math::Vec3;

use crate::error::Fault;
use crate::source::Span;

/// Names that expressions of the initial position may use.
pub(crate) const PLACE: [&str; 3] = ["x", "y", "z"];

/// A number, the same everywhere or given by an expression of the initial position, in SI units.
#[derive(Clone, Debug)]
pub struct ScalarField {
    value: FieldValue,
    check: Check,
}

#[derive(Clone, Debug)]
enum FieldValue {
    Constant(f64),
    Varying(Expression),
}

/// What a value must satisfy, and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) span: Span,
    pub(crate) accepts: fn(f64) -> bool,
    /// What a value that is not accepted must be.
    pub(crate) words: fn(f64) -> String,
    /// SI unit.
    pub(crate) unit: &'static str,
}

impl ScalarField {
    /// A number that was checked.
    pub(crate) fn constant_of(value: f64, check: Check) -> Self {
        Self { value: FieldValue::Constant(value), check }
    }

    /// An expression whose values are checked when they are known.
    pub(crate) fn varying(expression: Expression, check: Check) -> Self {
        Self { value: FieldValue::Varying(expression), check }
    }

    /// The number, if it is the same everywhere.
    pub fn constant(&self) -> Option<f64> {
        match &self.value {
            FieldValue::Constant(value) => Some(*value),
            FieldValue::Varying(_) => None,
        }
    }

    /// The values at these points [m]; one that is not finite or out of range is a fault of the expression.
    pub(crate) fn values(&self, points: &[Vec3]) -> Result<Vec<f64>, Fault> {
        let expression = match &self.value {
            FieldValue::Constant(value) => return Ok(vec![*value; points.len()]),
            FieldValue::Varying(expression) => expression,
        };
        let columns: [Vec<f64>; 3] = [0, 1, 2].map(|axis| points.iter().map(|point| point[axis]).collect());
        let inputs = columns.each_ref().map(|column| Input::Each(column));
        let mut values = vec![0.0; points.len()];
        expression.evaluate_batch(&inputs, &mut values);
        let outside = || values.iter().position(|value| !(self.check.accepts)(*value));
        match first_non_finite(&values).or_else(outside) {
            None => Ok(values),
            Some(index) => Err(self.fault(values[index], &points[index])),
        }
    }

    fn fault(&self, value: f64, point: &Vec3) -> Fault {
        let Check { span, words, unit, .. } = &self.check;
        let (x, y, z) = (point.x, point.y, point.z);
        // Six digits say enough.
        let shown: f64 = format!("{value:.5e}").parse().unwrap_or(value);
        let words = words(value);
        let message =
            format!("the value is {shown} {unit} at ({x:.4}, {y:.4}, {z:.4}) m, but must be {words}");
        Fault::new(span.clone(), message.replace("  ", " "))
    }
}
