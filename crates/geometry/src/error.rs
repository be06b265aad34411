//! What can be wrong with the numbers of a shape.

use pliant_math::Vec3;

/// A shape that cannot exist.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// Key shapes that cannot be followed.
    #[error("there must be at least one key shape, and their times must increase")]
    UnsortedKeys,
    /// A length, radius or scale is zero, negative, infinite or not a number.
    #[error("{what} must be positive and finite, got {value}; give a length in metres above zero")]
    NotPositive {
        /// The name of the value.
        what: &'static str,
        /// The value as given.
        value: f64,
    },
    /// A value that may be zero is negative, infinite or not a number.
    #[error("{what} must be zero or positive, and finite, got {value}")]
    Negative {
        /// The name of the value.
        what: &'static str,
        /// The value as given.
        value: f64,
    },
    /// A coordinate is infinite or not a number.
    #[error("{what} must be finite, got ({}, {}, {})", value.x, value.y, value.z)]
    NotFinite {
        /// The name of the vector.
        what: &'static str,
        /// The vector as given.
        value: Vec3,
    },
    /// A direction has no length.
    #[error("{what} must not be the zero vector; give a direction such as (0, 1, 0)")]
    NoDirection {
        /// The name of the direction.
        what: &'static str,
    },
    /// A union, intersection or array of no shapes.
    #[error("{what} needs at least one shape, got none; add a shape or drop the operation")]
    NoShapes {
        /// The name of the operation.
        what: &'static str,
    },
    /// A shape that reaches to infinity where one with an end is needed.
    #[error("the shape has no end; intersect it with a box")]
    Endless,
    /// Too many copies, cells or pixels to keep in memory.
    #[error("{what} would need {count} entries, at most {limit} are allowed; make it coarser")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many were asked for.
        count: f64,
        /// How many are allowed.
        limit: usize,
    },
    /// Rows of a grid have different lengths, or there are too few.
    #[error("{what} has {got} values where {expected} are needed{hint}")]
    WrongLength {
        /// Which grid or row.
        what: &'static str,
        /// How many values were given.
        got: usize,
        /// How many are needed.
        expected: usize,
        /// What to do about it, beginning with "; ", or nothing.
        hint: &'static str,
    },
    /// A bitmap whose threshold leaves nothing inside.
    #[error(
        "no pixel of the image is inside at threshold {threshold}; change the threshold or swap inside and outside"
    )]
    EmptyImage {
        /// The grey value between inside and outside, 0 to 1.
        threshold: f64,
    },
    /// An image file that cannot be read.
    #[error("cannot read the image {path}: {reason}; give a PNG or JPEG file")]
    ImageFile {
        /// The file as given.
        path: String,
        /// What the reader said.
        reason: String,
    },
}

impl GeometryError {
    pub(crate) fn check_positive(what: &'static str, value: f64) -> Result<f64, Self> {
        if value > 0.0 && value.is_finite() { Ok(value) } else { Err(Self::NotPositive { what, value }) }
    }

    pub(crate) fn check_not_negative(what: &'static str, value: f64) -> Result<f64, Self> {
        if value >= 0.0 && value.is_finite() { Ok(value) } else { Err(Self::Negative { what, value }) }
    }

    pub(crate) fn check_finite(what: &'static str, value: &Vec3) -> Result<Vec3, Self> {
        if value.iter().all(|c| c.is_finite()) {
            Ok(*value)
        } else {
            Err(Self::NotFinite { what, value: *value })
        }
    }
}
