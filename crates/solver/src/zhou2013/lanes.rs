//! The two sums over edges that all the time goes into, in the widest lanes the machine has. Every variant adds the
//! same numbers in the same order, so the choice does not change a bit of the result.

use super::edges::{EdgeWeight, Row, RowWeights};
use pliant_math::Vect;
use wide::f32x4;

/// A motion in two parts, `high + low`: differences are nearly as exact as in double precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split(pub [f32x4; 2]);

impl Split {
    pub const ZERO: Self = Self([f32x4::ZERO; 2]);

    pub fn new<const D: usize>(u: &Vect<D>) -> Self {
        let high = single(u);
        let rounded = high.to_array();
        Self([high, single(&Vect::<D>::from_fn(|axis, _| u[axis] - f64::from(rounded[axis])))])
    }

    pub fn high(&self) -> [f32; 4] {
        self.0[0].to_array()
    }
}

/// A vector in lanes; lanes beyond the dimension are zero.
pub(super) fn single<const D: usize>(v: &Vect<D>) -> f32x4 {
    f32x4::from(std::array::from_fn(|lane| if lane < D { v[lane] as f32 } else { 0.0 }))
}

/// Instructions in use.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lanes {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
}

impl Lanes {
    /// The best this machine has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            return Self::Avx2(avx2);
        }
        Self::Portable
    }

    /// `Σ_j (u_j − u_i) ⊗ (b, w)`.
    #[inline(always)]
    pub fn moment<const D: usize>(self, row: Row<'_>, here: &Split, u: &[Split]) -> [f32x4; D] {
        match row.weights {
            RowWeights::Each(weights) => self.moment_of(row.ends, weights.iter(), here, u),
            RowWeights::Palette { kinds, palette } => {
                self.moment_of(row.ends, kinds.iter().map(|kind| &palette[*kind as usize]), here, u)
            }
        }
    }

    /// `Σ_j Z_j ∘ (b, w)`, lane by lane.
    #[inline(always)]
    pub fn gather<const D: usize>(self, row: Row<'_>, flux: &[[f32x4; D]]) -> [f32x4; D] {
        match row.weights {
            RowWeights::Each(weights) => self.gather_of(row.ends, weights.iter(), flux),
            RowWeights::Palette { kinds, palette } => {
                self.gather_of(row.ends, kinds.iter().map(|kind| &palette[*kind as usize]), flux)
            }
        }
    }

    #[inline(always)]
    fn moment_of<'a, const D: usize>(
        self,
        ends: &[u32],
        edges: impl Iterator<Item = &'a EdgeWeight>,
        here: &Split,
        u: &[Split],
    ) -> [f32x4; D] {
        match self {
            Self::Portable => portable::moment(ends, edges, here, u),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => simd.vectorize(avx2::Moment::<_, D> { simd, ends, edges, here, u }),
        }
    }

    #[inline(always)]
    fn gather_of<'a, const D: usize>(
        self,
        ends: &[u32],
        edges: impl Iterator<Item = &'a EdgeWeight>,
        flux: &[[f32x4; D]],
    ) -> [f32x4; D] {
        match self {
            Self::Portable => portable::gather(ends, edges, flux),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => simd.vectorize(avx2::Gather { simd, ends, edges, flux }),
        }
    }
}

mod portable {
    use super::{EdgeWeight, Split, f32x4};

    #[inline(always)]
    pub(super) fn moment<'a, const D: usize>(
        ends: &[u32],
        edges: impl Iterator<Item = &'a EdgeWeight>,
        here: &Split,
        u: &[Split],
    ) -> [f32x4; D] {
        let mut rows = [f32x4::ZERO; D];
        for (&j, edge) in ends.iter().zip(edges) {
            let (there, edge) = (&u[j as usize], f32x4::from(*edge));
            let apart = ((there.0[0] - here.0[0]) + (there.0[1] - here.0[1])).to_array();
            rows = std::array::from_fn(|axis| rows[axis] + edge * apart[axis]);
        }
        rows
    }

    #[inline(always)]
    pub(super) fn gather<'a, const D: usize>(
        ends: &[u32],
        edges: impl Iterator<Item = &'a EdgeWeight>,
        flux: &[[f32x4; D]],
    ) -> [f32x4; D] {
        let mut rows = [f32x4::ZERO; D];
        for (&j, edge) in ends.iter().zip(edges) {
            let (z, edge) = (&flux[j as usize], f32x4::from(*edge));
            rows = std::array::from_fn(|axis| rows[axis] + edge * z[axis]);
        }
        rows
    }
}

/// Rows 0 and 1 share a register; row 2, in space, has half of another.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{EdgeWeight, Split, f32x4};
    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, cast};
    use std::arch::x86_64::{__m128, __m256};

    pub(super) struct Moment<'a, I, const D: usize> {
        pub simd: V3,
        pub ends: &'a [u32],
        pub edges: I,
        pub here: &'a Split,
        pub u: &'a [Split],
    }

    pub(super) struct Gather<'a, I, const D: usize> {
        pub simd: V3,
        pub ends: &'a [u32],
        pub edges: I,
        pub flux: &'a [[f32x4; D]],
    }

    /// Sums of a particle's rows.
    struct Rows {
        pair: __m256,
        last: __m128,
    }

    impl Rows {
        #[inline(always)]
        fn zero(simd: V3) -> Self {
            Self { pair: simd.avx._mm256_setzero_ps(), last: simd.sse._mm_setzero_ps() }
        }

        #[inline(always)]
        fn finish<const D: usize>(self) -> [f32x4; D] {
            let [first, second]: [f32x4; 2] = cast(self.pair);
            let all = [first, second, cast(self.last)];
            std::array::from_fn(|row| all[row])
        }
    }

    impl<'e, I: Iterator<Item = &'e EdgeWeight>, const D: usize> NullaryFnOnce for Moment<'_, I, D> {
        type Output = [f32x4; D];

        #[inline(always)]
        fn call(self) -> [f32x4; D] {
            let Self { simd, ends, edges, here, u } = self;
            let (sse, avx) = (simd.sse, simd.avx);
            let here: __m256 = cast(here.0);
            let spread = cast([0i32, 0, 0, 0, 1, 1, 1, 1]);
            let mut rows = Rows::zero(simd);
            for (&j, edge) in ends.iter().zip(edges) {
                let parts = avx._mm256_sub_ps(cast(u[j as usize].0), here);
                let apart = avx._mm256_add_ps(parts, avx._mm256_permute2f128_ps::<1>(parts, parts));
                let edge: __m128 = cast(*edge);
                let both = avx._mm256_broadcast_ps(&edge);
                let product = avx._mm256_mul_ps(both, avx._mm256_permutevar_ps(apart, spread));
                rows.pair = avx._mm256_add_ps(rows.pair, product);
                if D == 3 {
                    let z = avx._mm_permute_ps::<0b10_10_10_10>(avx._mm256_castps256_ps128(apart));
                    rows.last = sse._mm_add_ps(rows.last, sse._mm_mul_ps(edge, z));
                }
            }
            rows.finish()
        }
    }

    impl<'e, I: Iterator<Item = &'e EdgeWeight>, const D: usize> NullaryFnOnce for Gather<'_, I, D> {
        type Output = [f32x4; D];

        #[inline(always)]
        fn call(self) -> [f32x4; D] {
            let Self { simd, ends, edges, flux } = self;
            let (sse, avx) = (simd.sse, simd.avx);
            let mut rows = Rows::zero(simd);
            for (&j, edge) in ends.iter().zip(edges) {
                let z = &flux[j as usize];
                let edge: __m128 = cast(*edge);
                let both = avx._mm256_broadcast_ps(&edge);
                rows.pair = avx._mm256_add_ps(rows.pair, avx._mm256_mul_ps(both, cast([z[0], z[1]])));
                if D == 3 {
                    rows.last = sse._mm_add_ps(rows.last, sse._mm_mul_ps(edge, cast(z[2])));
                }
            }
            rows.finish()
        }
    }
}
