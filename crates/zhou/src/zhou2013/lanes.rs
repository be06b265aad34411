//! The two sums over edges that all the time goes into, in the widest lanes the machine has. Every variant adds the
//! same numbers in the same order, so the choice does not change a bit of the result. Every other edge has a sum of its
//! own: an addition need not wait for the one before.

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
        sum(ends.iter().zip(edges).map(|(&j, edge)| {
            let there = &u[j as usize];
            let apart = ((there.0[0] - here.0[0]) + (there.0[1] - here.0[1])).to_array();
            (*edge, std::array::from_fn(|axis| [apart[axis]; 4]))
        }))
    }

    #[inline(always)]
    pub(super) fn gather<'a, const D: usize>(
        ends: &[u32],
        edges: impl Iterator<Item = &'a EdgeWeight>,
        flux: &[[f32x4; D]],
    ) -> [f32x4; D] {
        sum(ends.iter().zip(edges).map(|(&j, edge)| (*edge, flux[j as usize].map(f32x4::to_array))))
    }

    /// Products are added number by number: lanes would round them where a machine cannot do both at once.
    #[inline(always)]
    fn sum<const D: usize>(mut terms: impl Iterator<Item = (EdgeWeight, [[f32; 4]; D])>) -> [f32x4; D] {
        let add = |sum: &mut [[f32; 4]; D], (edge, rows): (EdgeWeight, [[f32; 4]; D])| {
            for (sum, row) in sum.iter_mut().zip(rows) {
                *sum = std::array::from_fn(|lane| edge[lane].mul_add(row[lane], sum[lane]));
            }
        };
        let (mut even, mut odd) = ([[0.0; 4]; D], [[0.0; 4]; D]);
        while let Some(term) = terms.next() {
            add(&mut even, term);
            let Some(term) = terms.next() else { break };
            add(&mut odd, term);
        }
        std::array::from_fn(|axis| f32x4::from(even[axis]) + f32x4::from(odd[axis]))
    }
}

/// Rows 0 and 1 share a register; row 2, in space, has half of another. Functions rather than closures: only they can
/// be told to become part of the loop that has the instructions.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{EdgeWeight, Split, f32x4};
    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, cast};
    use std::arch::x86_64::{__m128, __m256, __m256i};

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

    /// Rows of one edge, or sums of them.
    #[derive(Clone, Copy)]
    struct Rows {
        pair: __m256,
        last: __m128,
    }

    /// What an edge is multiplied by.
    trait Term {
        fn of(&self, simd: V3, end: usize) -> Rows;
    }

    struct Apart<'a> {
        here: __m256,
        spread: __m256i,
        u: &'a [Split],
    }

    struct Flux<'a, const D: usize>(&'a [[f32x4; D]]);

    impl Term for Apart<'_> {
        #[inline(always)]
        fn of(&self, simd: V3, end: usize) -> Rows {
            let avx = simd.avx;
            let parts = avx._mm256_sub_ps(cast(self.u[end].0), self.here);
            let apart = avx._mm256_add_ps(parts, avx._mm256_permute2f128_ps::<1>(parts, parts));
            let last = avx._mm_permute_ps::<0b10_10_10_10>(avx._mm256_castps256_ps128(apart));
            Rows { pair: avx._mm256_permutevar_ps(apart, self.spread), last }
        }
    }

    impl<const D: usize> Term for Flux<'_, D> {
        #[inline(always)]
        fn of(&self, simd: V3, end: usize) -> Rows {
            let z = &self.0[end];
            let last = if D == 3 { cast(z[D - 1]) } else { simd.sse._mm_setzero_ps() };
            Rows { pair: cast([z[0], z[1]]), last }
        }
    }

    impl Rows {
        /// The sum with an edge's product, rounded once.
        #[inline(always)]
        fn add_product(self, simd: V3, edge: __m128, rows: Self) -> Self {
            let both = simd.avx._mm256_broadcast_ps(&edge);
            Self {
                pair: simd.fma._mm256_fmadd_ps(both, rows.pair, self.pair),
                last: simd.fma._mm_fmadd_ps(edge, rows.last, self.last),
            }
        }

        #[inline(always)]
        fn add(self, simd: V3, other: Self) -> Self {
            let pair = simd.avx._mm256_add_ps(self.pair, other.pair);
            Self { pair, last: simd.sse._mm_add_ps(self.last, other.last) }
        }
    }

    #[inline(always)]
    fn sum<'e, const D: usize>(
        simd: V3,
        ends: &[u32],
        edges: impl Iterator<Item = &'e EdgeWeight>,
        term: &impl Term,
    ) -> [f32x4; D] {
        let zero = Rows { pair: simd.avx._mm256_setzero_ps(), last: simd.sse._mm_setzero_ps() };
        let (mut even, mut odd) = (zero, zero);
        let mut edges = ends.iter().zip(edges);
        while let Some((&j, edge)) = edges.next() {
            even = even.add_product(simd, cast(*edge), term.of(simd, j as usize));
            let Some((&j, edge)) = edges.next() else { break };
            odd = odd.add_product(simd, cast(*edge), term.of(simd, j as usize));
        }
        let Rows { pair, last } = even.add(simd, odd);
        let [first, second]: [f32x4; 2] = cast(pair);
        let all = [first, second, cast(last)];
        std::array::from_fn(|row| all[row])
    }

    impl<'e, I: Iterator<Item = &'e EdgeWeight>, const D: usize> NullaryFnOnce for Moment<'_, I, D> {
        type Output = [f32x4; D];

        #[inline(always)]
        fn call(self) -> [f32x4; D] {
            let Self { simd, ends, edges, here, u } = self;
            let spread = cast([0i32, 0, 0, 0, 1, 1, 1, 1]);
            sum(simd, ends, edges, &Apart { here: cast(here.0), spread, u })
        }
    }

    impl<'e, I: Iterator<Item = &'e EdgeWeight>, const D: usize> NullaryFnOnce for Gather<'_, I, D> {
        type Output = [f32x4; D];

        #[inline(always)]
        fn call(self) -> [f32x4; D] {
            let Self { simd, ends, edges, flux } = self;
            sum(simd, ends, edges, &Flux(flux))
        }
    }
}
