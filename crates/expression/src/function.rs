//! The functions of the language: one line each.
//!
//! Transcendental functions come from `libm`, so that a scene gives the same bits on every machine.

use crate::noise::{noise, random};

/// A named function, its arguments, its price and its code.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    /// Relative time of one call; an addition is 1.
    pub(crate) cost: u32,
    pub(crate) body: Body,
}

/// The code of a function by its number of arguments.
pub(crate) enum Body {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
    /// From `least` to `most` arguments.
    Many {
        least: usize,
        most: usize,
        call: fn(&[f64]) -> f64,
    },
}

/// The most arguments any function takes.
pub(crate) const MAX_ARGUMENTS: usize = 8;

impl Function {
    /// The smallest and largest number of arguments.
    pub(crate) fn arity(&self) -> (usize, usize) {
        match self.body {
            Body::One(_) => (1, 1),
            Body::Two(_) => (2, 2),
            Body::Three(_) => (3, 3),
            Body::Many { least, most, .. } => (least, most),
        }
    }
}

/// A function that is not Rust code but an operation of its own: `if(condition, then, otherwise)`.
pub(crate) const IF: &str = "if";

const fn one(name: &'static str, cost: u32, call: fn(f64) -> f64) -> Function {
    Function { name, cost, body: Body::One(call) }
}

const fn two(name: &'static str, cost: u32, call: fn(f64, f64) -> f64) -> Function {
    Function { name, cost, body: Body::Two(call) }
}

const fn three(name: &'static str, cost: u32, call: fn(f64, f64, f64) -> f64) -> Function {
    Function { name, cost, body: Body::Three(call) }
}

const fn many(name: &'static str, cost: u32, arity: (usize, usize), call: fn(&[f64]) -> f64) -> Function {
    Function { name, cost, body: Body::Many { least: arity.0, most: arity.1, call } }
}

/// Every function, in the order of the reference.
pub(crate) static FUNCTIONS: [Function; 33] = [
    one("sin", 8, libm::sin),
    one("cos", 8, libm::cos),
    one("tan", 12, libm::tan),
    one("asin", 12, libm::asin),
    one("acos", 12, libm::acos),
    one("atan", 12, libm::atan),
    two("atan2", 16, libm::atan2),
    one("sinh", 12, libm::sinh),
    one("cosh", 12, libm::cosh),
    one("tanh", 12, libm::tanh),
    one("exp", 8, libm::exp),
    one("ln", 8, libm::log),
    one("log10", 8, libm::log10),
    one("sqrt", 4, f64::sqrt),
    one("abs", 1, f64::abs),
    one("sign", 2, sign),
    one("floor", 2, f64::floor),
    one("ceil", 2, f64::ceil),
    one("round", 2, f64::round),
    many("min", 2, (2, MAX_ARGUMENTS), |values| values.iter().copied().fold(f64::INFINITY, smaller)),
    many("max", 2, (2, MAX_ARGUMENTS), |values| values.iter().copied().fold(f64::NEG_INFINITY, larger)),
    three("clamp", 2, |value, low, high| smaller(larger(value, low), high)),
    three("mix", 2, |a, b, share| a + (b - a) * share),
    two("step", 2, |edge, value| if value < edge { 0.0 } else { 1.0 }),
    three("smoothstep", 4, smoothstep),
    many("hypot", 8, (2, 3), |values| values.iter().map(|v| v * v).sum::<f64>().sqrt()),
    two("pow", 30, libm::pow),
    two("mod", 8, modulo),
    many("noise", 60, (1, 3), noise),
    many("random", 10, (1, MAX_ARGUMENTS), random),
    one("degrees", 1, f64::to_degrees),
    one("radians", 1, f64::to_radians),
    one("cbrt", 16, libm::cbrt),
];

/// The smaller value; not-a-number stays visible instead of vanishing as in `f64::min`.
fn smaller(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// -1, 0 or 1.
fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

/// The remainder with the sign of the divisor, so that patterns repeat across zero.
pub(crate) fn modulo(value: f64, divisor: f64) -> f64 {
    value - divisor * (value / divisor).floor()
}

/// 0 below `low`, 1 above `high`, a smooth cubic between.
fn smoothstep(low: f64, high: f64, value: f64) -> f64 {
    let share = smaller(larger((value - low) / (high - low), 0.0), 1.0);
    share * share * (3.0 - 2.0 * share)
}
