//! The two precisions of a grain.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Single precision is the fast path, double precision the exact one. Positions are double in both.
pub(crate) trait Scalar: nalgebra::RealField + Copy + Default + Serialize + DeserializeOwned {
    /// The nearest number of this precision.
    fn of(value: f64) -> Self;
    /// The same number in double precision.
    fn wide(self) -> f64;
}

impl Scalar for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
}

impl Scalar for f32 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
}
