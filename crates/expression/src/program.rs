//! Bytecode of a compiled expression and its evaluation, one block of particles at a time.

use crate::function::{Body, FUNCTIONS, MAX_ARGUMENTS, modulo};

/// Particles evaluated together: each operation loops over the block, which hides the cost of decoding it.
pub(crate) const BLOCK: usize = 256;
/// Most values waiting on the stack.
pub(crate) const MAX_STACK: usize = 64;

/// One operation on the stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Constant(f64),
    /// Pushes the variable of that index.
    Variable(u16),
    Negate,
    Not,
    Binary(Binary),
    /// `condition, then, otherwise` → one of the two.
    Select,
    /// Calls a function of the table with that many arguments.
    Call {
        function: u8,
        count: u8,
    },
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl Op {
    /// How many values it takes from the stack; it always leaves one.
    pub(crate) fn operand_count(self) -> usize {
        match self {
            Self::Constant(_) | Self::Variable(_) => 0,
            Self::Negate | Self::Not => 1,
            Self::Binary(_) => 2,
            Self::Select => 3,
            Self::Call { count, .. } => usize::from(count),
        }
    }

    /// Relative time; an addition is 1.
    pub(crate) fn cost(self) -> u32 {
        match self {
            Self::Binary(Binary::Power) => 30,
            Self::Binary(Binary::Modulo) => 8,
            Self::Call { function, .. } => FUNCTIONS[usize::from(function)].cost,
            _ => 1,
        }
    }
}

/// Runs the code over `width` particles; the results are left in `stack[..width]`. `load` fills a block with a
/// variable's values. The stack must hold the program's depth times `width`.
pub(crate) fn run(code: &[Op], width: usize, stack: &mut [f64], load: impl Fn(usize, &mut [f64])) {
    let mut top = 0;
    for &op in code {
        top = top + 1 - op.operand_count();
        let first = (top - 1) * width;
        let (target, operands) = stack[first..].split_at_mut(width);
        match op {
            Op::Constant(value) => target.fill(value),
            Op::Variable(index) => load(usize::from(index), target),
            Op::Negate => target.iter_mut().for_each(|value| *value = -*value),
            Op::Not => target.iter_mut().for_each(|value| *value = truth(*value == 0.0)),
            Op::Binary(operator) => binary(operator, target, operands),
            Op::Select => select(target, operands),
            Op::Call { function, count } => {
                call(&FUNCTIONS[usize::from(function)].body, usize::from(count), target, operands);
            }
        }
    }
}

fn truth(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

fn binary(operator: Binary, target: &mut [f64], right: &[f64]) {
    match operator {
        Binary::Add => zip(target, right, |a, b| a + b),
        Binary::Subtract => zip(target, right, |a, b| a - b),
        Binary::Multiply => zip(target, right, |a, b| a * b),
        Binary::Divide => zip(target, right, |a, b| a / b),
        Binary::Modulo => zip(target, right, modulo),
        Binary::Power => zip(target, right, power),
        Binary::Less => zip(target, right, |a, b| truth(a < b)),
        Binary::LessEqual => zip(target, right, |a, b| truth(a <= b)),
        Binary::Greater => zip(target, right, |a, b| truth(a > b)),
        Binary::GreaterEqual => zip(target, right, |a, b| truth(a >= b)),
        Binary::Equal => zip(target, right, |a, b| truth(a == b)),
        Binary::NotEqual => zip(target, right, |a, b| truth(a != b)),
        Binary::And => zip(target, right, |a, b| truth(a != 0.0 && b != 0.0)),
        Binary::Or => zip(target, right, |a, b| truth(a != 0.0 || b != 0.0)),
    }
}

/// Squares are by far the most frequent power and exact as a product.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 2.0 { base * base } else { libm::pow(base, exponent) }
}

fn zip(target: &mut [f64], right: &[f64], operation: impl Fn(f64, f64) -> f64) {
    for (a, &b) in target.iter_mut().zip(right) {
        *a = operation(*a, b);
    }
}

fn select(target: &mut [f64], operands: &[f64]) {
    let (then, otherwise) = operands.split_at(target.len());
    for (condition, (&then, &otherwise)) in target.iter_mut().zip(then.iter().zip(otherwise)) {
        *condition = if *condition != 0.0 { then } else { otherwise };
    }
}

fn call(body: &Body, count: usize, target: &mut [f64], operands: &[f64]) {
    let width = target.len();
    match *body {
        Body::One(function) => target.iter_mut().for_each(|value| *value = function(*value)),
        Body::Two(function) => zip(target, operands, function),
        Body::Three(function) => {
            let (second, third) = operands.split_at(width);
            for (value, (&b, &c)) in target.iter_mut().zip(second.iter().zip(third)) {
                *value = function(*value, b, c);
            }
        }
        Body::Many { call, .. } => {
            let mut arguments = [0.0; MAX_ARGUMENTS];
            for (particle, value) in target.iter_mut().enumerate() {
                arguments[0] = *value;
                for argument in 1..count {
                    arguments[argument] = operands[(argument - 1) * width + particle];
                }
                *value = call(&arguments[..count]);
            }
        }
    }
}
