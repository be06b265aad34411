//! The two precisions of a grain.

use super::constitutive::Matter;
use super::grain::Grain;
use super::{Summary, packs};
use nalgebra::SMatrix;
use pulp::Simd;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Single precision is the fast path, double precision the exact one. Positions are double in both.
pub(crate) trait Scalar: nalgebra::RealField + Copy + Default + Serialize + DeserializeOwned {
    /// The nearest number of this precision.
    fn of(value: f64) -> Self;
    /// The same number in double precision.
    fn wide(self) -> f64;
    /// Deforms particles that are sorted by matter; `gradients` are their velocity gradients.
    fn respond<S: Simd, const D: usize>(
        simd: S,
        grains: &mut [Grain<Self, D>],
        gradients: &[SMatrix<Self, D, D>],
        task: (&[Matter], f64),
    ) -> Summary;
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

    #[inline(always)]
    fn respond<S: Simd, const D: usize>(
        _: S,
        grains: &mut [Grain<Self, D>],
        gradients: &[SMatrix<Self, D, D>],
        (matters, dt): (&[Matter], f64),
    ) -> Summary {
        grains.iter_mut().zip(gradients).fold(Summary::default(), |sum, (grain, gradient)| {
            let matter = &matters[grain.matter as usize];
            let response = matter.respond(grain, gradient, dt);
            sum.with(Summary::of(grain, matter, &response))
        })
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

    #[inline(always)]
    fn respond<S: Simd, const D: usize>(
        simd: S,
        grains: &mut [Grain<Self, D>],
        gradients: &[SMatrix<Self, D, D>],
        task: (&[Matter], f64),
    ) -> Summary {
        packs::respond(simd, grains, gradients, task)
    }
}
