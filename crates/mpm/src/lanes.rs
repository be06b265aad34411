//! Several single-precision numbers in one register, with the operators of one. Which register is chosen at run time;
//! every operation is rounded like that of a single number, so results do not depend on the choice.
//!
//! Code on lanes is written with loops and functions that are always inlined: closures, and what takes them, would be
//! compiled without the instructions.

use pulp::Simd;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// As many numbers as the register holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes<S: Simd> {
    simd: S,
    values: S::f32s,
}

/// Truth for each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask<S: Simd> {
    simd: S,
    values: S::m32s,
}

/// Most lanes of any register.
pub(super) const MOST: usize = 16;

macro_rules! operator {
    ($trait:ident $name:ident $function:ident) => {
        impl<S: Simd> $trait for Lanes<S> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self { values: self.simd.$function(self.values, other.values), ..self }
            }
        }

        impl<S: Simd> $trait<f32> for Lanes<S> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: f32) -> Self {
                self.$name(Self::splat(self.simd, other))
            }
        }
    };
}

operator!(Add add add_f32s);
operator!(Sub sub sub_f32s);
operator!(Mul mul mul_f32s);
operator!(Div div div_f32s);

impl<S: Simd> Neg for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { values: self.simd.neg_f32s(self.values), ..self }
    }
}

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub fn splat(simd: S, value: f32) -> Self {
        Self { simd, values: simd.splat_f32s(value) }
    }

    /// The same value in as many lanes as this has.
    #[inline(always)]
    pub fn like(self, value: f32) -> Self {
        Self::splat(self.simd, value)
    }

    /// The first numbers of a row, one a lane.
    #[inline(always)]
    pub fn load(simd: S, row: &[f32; MOST]) -> Self {
        Self { simd, values: S::as_simd_f32s(&row[..S::F32_LANES]).0[0] }
    }

    #[inline(always)]
    pub fn to_array(self) -> [f32; MOST] {
        let mut row = [0.0; MOST];
        S::as_mut_simd_f32s(&mut row[..S::F32_LANES]).0[0] = self.values;
        row
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self { values: self.simd.sqrt_f32s(self.values), ..self }
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { values: self.simd.abs_f32s(self.values), ..self }
    }

    #[inline(always)]
    pub fn less(self, other: Self) -> Mask<S> {
        Mask { simd: self.simd, values: self.simd.less_than_f32s(self.values, other.values) }
    }

    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.less(other).choose(self, other)
    }

    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        other.less(self).choose(self, other)
    }

    /// The natural logarithm of numbers between [`LOG_RANGE`], by the series of `2 artanh((x − 1)/(x + 1))`.
    #[inline(always)]
    pub fn ln(self) -> Self {
        let z = (self - 1.0) / (self + 1.0);
        let s = z * z;
        let series =
            ((((s * (1.0 / 13.0) + 1.0 / 11.0) * s + 1.0 / 9.0) * s + 1.0 / 7.0) * s + 1.0 / 5.0) * s;
        (series + 1.0 / 3.0) * s * z * 2.0 + z * 2.0
    }

    /// `eˣ` for |x| up to about 20: a polynomial for a 64th of it, squared six times.
    #[inline(always)]
    pub fn exp(self) -> Self {
        // What is squared is e^|x| − 1, so that small x loses nothing: (1 + a)² − 1 = a (2 + a).
        let x = self.abs() * (1.0 / 64.0);
        let tail = ((x * (1.0 / 720.0) + 1.0 / 120.0) * x + 1.0 / 24.0) * x + 1.0 / 6.0;
        let mut a = ((tail * x + 0.5) * x + 1.0) * x;
        for _ in 0..6 {
            a = a * (a + 2.0);
        }
        let one = Self::splat(self.simd, 1.0);
        self.less(Self::splat(self.simd, 0.0)).choose(one / (a + one), a + one)
    }
}

/// Where [`Lanes::ln`] is exact to single precision.
pub(super) const LOG_RANGE: (f32, f32) = (0.5, 2.0);

impl<S: Simd> Mask<S> {
    #[inline(always)]
    pub fn choose(self, if_true: Lanes<S>, if_false: Lanes<S>) -> Lanes<S> {
        // The select of floats is not always inlined.
        let simd = self.simd;
        let (a, b) = (simd.transmute_u32s_f32s(if_true.values), simd.transmute_u32s_f32s(if_false.values));
        Lanes { simd, values: simd.transmute_f32s_u32s(simd.select_u32s(self.values, a, b)) }
    }

    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self { values: self.simd.or_m32s(self.values, other.values), ..self }
    }

    /// Whether it is true in any of the lanes.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.simd.first_true_m32s(self.values) < S::F32_LANES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, WithSimd};

    struct Check;

    impl WithSimd for Check {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            for k in 0..100 {
                let x = 0.5 + 1.5 * k as f32 / 99.0;
                let ln = Lanes::splat(simd, x).ln().to_array()[0];
                assert!((ln - x.ln()).abs() < 2e-7, "ln {x}: {ln}");
                let x = -20.0 + 40.0 * k as f32 / 99.0;
                let exp = Lanes::splat(simd, x).exp().to_array()[0];
                assert!((exp / x.exp() - 1.0).abs() < 1e-5, "exp {x}: {exp}");
                let x = 1e-4 * k as f32;
                let exp = Lanes::splat(simd, x).exp().to_array()[0];
                assert!((exp - x.exp()).abs() < 2e-7, "exp {x}: {exp}");
            }
        }
    }

    #[test]
    fn functions_are_exact_to_single_precision() {
        Arch::new().dispatch(Check);
        Check.with_simd(pulp::Scalar);
    }
}
