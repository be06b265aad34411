//! One number beside its reference.

use std::ops::RangeInclusive;

/// A quantity that was simulated and is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// What was measured.
    pub quantity: String,
    /// Its SI unit, empty for plain numbers.
    pub unit: &'static str,
    /// What the simulation gives.
    pub value: f64,
    /// What it should give.
    pub reference: f64,
    /// Which error is accepted.
    pub tolerance: Tolerance,
}

/// Which error is accepted.
#[derive(Clone, Debug, PartialEq)]
pub enum Tolerance {
    /// Range of `value / reference - 1`.
    Relative(RangeInclusive<f64>),
    /// Range of `value - reference`, in the unit of the quantity.
    Absolute(RangeInclusive<f64>),
}

impl Tolerance {
    /// The same share of the reference to either side.
    pub fn relative(share: f64) -> Self {
        Self::Relative(-share..=share)
    }

    /// The same amount to either side.
    pub fn absolute(amount: f64) -> Self {
        Self::Absolute(-amount..=amount)
    }
}

impl Measure {
    /// The error, as a share of the reference or in the unit of the quantity, by the kind of tolerance.
    pub fn error(&self) -> f64 {
        match self.tolerance {
            Tolerance::Relative(_) => self.value / self.reference - 1.0,
            Tolerance::Absolute(_) => self.value - self.reference,
        }
    }

    /// The smallest and the largest error that are accepted.
    pub fn bounds(&self) -> [f64; 2] {
        let (Tolerance::Relative(range) | Tolerance::Absolute(range)) = &self.tolerance;
        [*range.start(), *range.end()]
    }

    /// Whether the error is accepted. An error that is not a number is not.
    pub fn is_accepted(&self) -> bool {
        let (Tolerance::Relative(range) | Tolerance::Absolute(range)) = &self.tolerance;
        range.contains(&self.error())
    }

    /// The error as people write it.
    pub fn error_text(&self) -> String {
        self.written(self.error())
    }

    /// The accepted errors as people write them.
    pub fn bounds_text(&self) -> String {
        let [low, high] = self.bounds();
        if low == -high {
            format!("±{}", self.written(high).trim_start_matches('+'))
        } else {
            format!("{} to {}", self.written(low), self.written(high))
        }
    }

    fn written(&self, error: f64) -> String {
        match self.tolerance {
            Tolerance::Relative(_) => format!("{:+.2} %", 100.0 * error),
            Tolerance::Absolute(_) if error == 0.0 || error.abs() >= 1e-3 => format!("{error:+.4}"),
            Tolerance::Absolute(_) => format!("{error:+.1e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(value: f64, reference: f64, tolerance: Tolerance) -> Measure {
        Measure { quantity: "length".to_owned(), unit: "m", value, reference, tolerance }
    }

    #[test]
    fn errors_are_judged_by_their_tolerance() {
        let near = measure(1.01, 1.0, Tolerance::relative(0.02));
        assert!(near.is_accepted());
        assert_eq!((near.error_text(), near.bounds_text()), ("+1.00 %".to_owned(), "±2.00 %".to_owned()));
        let soft = measure(1.01, 1.0, Tolerance::Relative(-0.02..=0.0));
        assert!(!soft.is_accepted());
        assert_eq!(soft.bounds_text(), "-2.00 % to +0.00 %");
        let zero = measure(1e-12, 0.0, Tolerance::absolute(1e-10));
        assert!(zero.is_accepted());
        assert_eq!((zero.error_text(), zero.bounds_text()), ("+1.0e-12".to_owned(), "±1.0e-10".to_owned()));
        assert!(!measure(f64::NAN, 1.0, Tolerance::relative(1.0)).is_accepted());
    }
}
