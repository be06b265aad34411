//! Any text as an expression: compiled and evaluated, one value at a time and in a batch with the same bits, or a
//! clear error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_expression::{Expression, Input};

fuzz_target!(|text: &str| {
    let inputs = [0.25, -1.5, 3e3, 0.1];
    match Expression::compile(text, &["x", "y", "z", "t"]) {
        Ok(expression) => {
            let one = expression.evaluate(&inputs);
            let mut many = [0.0; 3];
            expression.evaluate_batch(&inputs.map(Input::Same), &mut many);
            for value in many {
                assert!(value.to_bits() == one.to_bits() || value.is_nan() && one.is_nan());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
