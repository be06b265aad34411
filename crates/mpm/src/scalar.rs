//! The two precisions of a grain.

use super::constitutive::Matter;
use super::grain::Grain;
use super::packs;
use super::summary::Summary;
use nalgebra::SMatrix;
use pulp::Simd;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};
use wide::{f32x4, f64x4};

/// Single precision is the fast path, double precision the exact one. Positions are double in both.
pub(crate) trait Scalar: nalgebra::RealField + Copy + Default + Serialize + DeserializeOwned {
    /// Four numbers in one register.
    type Quad: Quad<Self>;
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

/// Four numbers in one register: what a node of the grid holds.
pub(crate) trait Quad<T>:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
{
    fn new(values: [T; 4]) -> Self;
    fn splat(value: T) -> Self;
    fn array(self) -> [T; 4];
}

impl Quad<f64> for f64x4 {
    #[inline(always)]
    fn new(values: [f64; 4]) -> Self {
        Self::new(values)
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::splat(value)
    }

    #[inline(always)]
    fn array(self) -> [f64; 4] {
        self.to_array()
    }
}

impl Quad<f32> for f32x4 {
    #[inline(always)]
    fn new(values: [f32; 4]) -> Self {
        Self::new(values)
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self::splat(value)
    }

    #[inline(always)]
    fn array(self) -> [f32; 4] {
        self.to_array()
    }
}

impl Scalar for f64 {
    type Quad = f64x4;

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
    type Quad = f32x4;

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
