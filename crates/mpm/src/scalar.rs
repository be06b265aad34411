//! The two precisions of a grain.

use super::constitutive::Matter;
use super::grain::Pack;
use super::kernel::Number;
use super::packs;
use super::registers::Registers;
use super::summary::Summary;
use super::to_grid::ScatterPack;
use super::to_particles::{Source, Taken};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Sub};
use wide::{f32x4, f64x4};

/// Single precision is the fast path, double precision the exact one. Positions are double in both.
pub(crate) trait Scalar:
    nalgebra::RealField + Number + Copy + Default + Serialize + DeserializeOwned
{
    /// Four numbers in one register.
    type Quad: Quad<Self>;
    /// The nearest number of this precision.
    fn of(value: f64) -> Self;
    /// The same number in double precision.
    fn wide(self) -> f64;
    /// Steps 1 and 3 for a pack.
    fn scatter<R: Registers, const D: usize, const W: usize>(
        registers: R,
        pack: &ScatterPack<'_, Self, D>,
        tile: &mut [Self::Quad],
    );
    /// Step 8 for a pack.
    fn gather<R: Registers, const D: usize, const W: usize>(
        registers: R,
        source: &Source<'_, Self, D>,
        pack: &mut Pack<Self, D>,
    ) -> Taken<Self, D>;
    /// Step 7 for so many particles of a pack.
    fn respond<R: Registers, const D: usize>(
        registers: R,
        pack: (&mut Pack<Self, D>, usize),
        taken: &Taken<Self, D>,
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
    + Div<Output = Self>
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
    fn scatter<R: Registers, const D: usize, const W: usize>(
        _: R,
        pack: &ScatterPack<'_, Self, D>,
        tile: &mut [f64x4],
    ) {
        pack.plain::<W>(tile);
    }

    #[inline(always)]
    fn gather<R: Registers, const D: usize, const W: usize>(
        _: R,
        source: &Source<'_, Self, D>,
        pack: &mut Pack<Self, D>,
    ) -> Taken<Self, D> {
        source.plain::<W>(pack)
    }

    #[inline(always)]
    fn respond<R: Registers, const D: usize>(
        _: R,
        (pack, count): (&mut Pack<Self, D>, usize),
        taken: &Taken<Self, D>,
        (matters, dt): (&[Matter], f64),
    ) -> Summary {
        packs::one_by_one((pack, 0..count), taken, (matters, dt))
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
    fn scatter<R: Registers, const D: usize, const W: usize>(
        registers: R,
        pack: &ScatterPack<'_, Self, D>,
        tile: &mut [f32x4],
    ) {
        pack.in_lanes::<R, W>(registers, tile);
    }

    #[inline(always)]
    fn gather<R: Registers, const D: usize, const W: usize>(
        registers: R,
        source: &Source<'_, Self, D>,
        pack: &mut Pack<Self, D>,
    ) -> Taken<Self, D> {
        source.in_lanes::<R, W>(registers, pack)
    }

    #[inline(always)]
    fn respond<R: Registers, const D: usize>(
        registers: R,
        pack: (&mut Pack<Self, D>, usize),
        taken: &Taken<Self, D>,
        task: (&[Matter], f64),
    ) -> Summary {
        packs::respond(registers, pack, taken, task)
    }
}

impl Number for f32 {
    #[inline(always)]
    fn like(self, value: f64) -> Self {
        value as Self
    }
}

impl Number for f64 {
    #[inline(always)]
    fn like(self, value: f64) -> Self {
        value
    }
}
