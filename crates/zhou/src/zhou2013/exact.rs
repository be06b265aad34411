//! The two sums over edges that a linearisation starts from, in double precision, in the widest registers the machine
//! has. Products and sums are rounded one by one, so the choice does not change a bit.

use super::edges::{EdgeWeight, Row, RowWeights};
use pliant_math::Vect;
use wide::f64x4;

/// Four numbers for each axis: sums along `w p` and with `w`.
pub(super) type Sums<const D: usize> = [[f64; 4]; D];

/// `Σ_j (x_j − x_i) ⊗ (b, w)` over a row of edges.
#[inline(always)]
pub(super) fn moment<const D: usize>(row: Row<'_>, here: &Vect<D>, x: &[Vect<D>]) -> Sums<D> {
    sum(row, Apart { here, x })
}

/// `Σ_j Z_j ∘ (b, w)` over a row of edges.
#[inline(always)]
pub(super) fn gather<const D: usize>(row: Row<'_>, flux: &[Sums<D>]) -> Sums<D> {
    sum(row, Flux(flux))
}

/// Ways to work on four numbers.
trait Four: Copy {
    type Numbers: Copy;

    fn splat(self, value: f64) -> Self::Numbers;
    fn load(self, values: &[f64; 4]) -> Self::Numbers;
    fn widen(self, edge: &EdgeWeight) -> Self::Numbers;
    fn add(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn mul(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn numbers(self, numbers: Self::Numbers) -> [f64; 4];
}

/// What an edge adds.
trait Term<const D: usize> {
    /// What multiplies the edge, for an axis.
    fn factor<F: Four>(&self, four: F, end: usize, axis: usize) -> F::Numbers;
}

struct Apart<'a, const D: usize> {
    here: &'a Vect<D>,
    x: &'a [Vect<D>],
}

struct Flux<'a, const D: usize>(&'a [Sums<D>]);

impl<const D: usize> Term<D> for Apart<'_, D> {
    #[inline(always)]
    fn factor<F: Four>(&self, four: F, end: usize, axis: usize) -> F::Numbers {
        four.splat(self.x[end][axis] - self.here[axis])
    }
}

impl<const D: usize> Term<D> for Flux<'_, D> {
    #[inline(always)]
    fn factor<F: Four>(&self, four: F, end: usize, axis: usize) -> F::Numbers {
        four.load(&self.0[end][axis])
    }
}

#[inline(always)]
fn sum<const D: usize>(row: Row<'_>, term: impl Term<D>) -> Sums<D> {
    match row.weights {
        RowWeights::Each(weights) => widest(row.ends, weights.iter(), term),
        RowWeights::Palette { kinds, palette } => {
            widest(row.ends, kinds.iter().map(|kind| &palette[usize::from(*kind)]), term)
        }
    }
}

#[inline(always)]
fn widest<'e, const D: usize>(
    ends: &[u32],
    edges: impl Iterator<Item = &'e EdgeWeight>,
    term: impl Term<D>,
) -> Sums<D> {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = *avx2::KNOWN {
        return simd.vectorize(avx2::Compiled::<_, _, D> { simd, ends, edges, term });
    }
    sum_in(Portable, ends, edges, &term)
}

#[inline(always)]
fn sum_in<'e, F: Four, const D: usize>(
    four: F,
    ends: &[u32],
    edges: impl Iterator<Item = &'e EdgeWeight>,
    term: &impl Term<D>,
) -> Sums<D> {
    let mut sums = [four.splat(0.0); D];
    for (&end, edge) in ends.iter().zip(edges) {
        let edge = four.widen(edge);
        for (axis, sum) in sums.iter_mut().enumerate() {
            *sum = four.add(*sum, four.mul(edge, term.factor(four, end as usize, axis)));
        }
    }
    let mut all = [[0.0; 4]; D];
    for (all, sum) in all.iter_mut().zip(sums) {
        *all = four.numbers(sum);
    }
    all
}

/// Registers every machine of a kind has.
#[derive(Clone, Copy)]
struct Portable;

impl Four for Portable {
    type Numbers = f64x4;

    #[inline(always)]
    fn splat(self, value: f64) -> f64x4 {
        f64x4::splat(value)
    }

    #[inline(always)]
    fn load(self, values: &[f64; 4]) -> f64x4 {
        f64x4::new(*values)
    }

    #[inline(always)]
    fn widen(self, edge: &EdgeWeight) -> f64x4 {
        f64x4::from(edge.map(f64::from))
    }

    #[inline(always)]
    fn add(self, a: f64x4, b: f64x4) -> f64x4 {
        a + b
    }

    #[inline(always)]
    fn mul(self, a: f64x4, b: f64x4) -> f64x4 {
        a * b
    }

    #[inline(always)]
    fn numbers(self, numbers: f64x4) -> [f64; 4] {
        numbers.to_array()
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{EdgeWeight, Four, Sums, Term, sum_in};
    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, Simd, cast, f64x4};
    use std::sync::LazyLock;

    /// The instructions, if this machine has them.
    pub(super) static KNOWN: LazyLock<Option<V3>> = LazyLock::new(V3::try_new);

    /// A sum, compiled with these instructions.
    pub(super) struct Compiled<'a, I, T, const D: usize> {
        pub simd: V3,
        pub ends: &'a [u32],
        pub edges: I,
        pub term: T,
    }

    impl<'e, I, T, const D: usize> NullaryFnOnce for Compiled<'_, I, T, D>
    where
        I: Iterator<Item = &'e EdgeWeight>,
        T: Term<D>,
    {
        type Output = Sums<D>;

        #[inline(always)]
        fn call(self) -> Sums<D> {
            sum_in(self.simd, self.ends, self.edges, &self.term)
        }
    }

    impl Four for V3 {
        type Numbers = f64x4;

        #[inline(always)]
        fn splat(self, value: f64) -> f64x4 {
            self.splat_f64s(value)
        }

        #[inline(always)]
        fn load(self, values: &[f64; 4]) -> f64x4 {
            Self::as_simd_f64s(values).0[0]
        }

        #[inline(always)]
        fn widen(self, edge: &EdgeWeight) -> f64x4 {
            cast(self.avx._mm256_cvtps_pd(cast(*edge)))
        }

        #[inline(always)]
        fn add(self, a: f64x4, b: f64x4) -> f64x4 {
            self.add_f64s(a, b)
        }

        #[inline(always)]
        fn mul(self, a: f64x4, b: f64x4) -> f64x4 {
            self.mul_f64s(a, b)
        }

        #[inline(always)]
        fn numbers(self, numbers: f64x4) -> [f64; 4] {
            cast(numbers)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zhou2013::tests::{cube, elastic, solver};
    use pliant_math::Random;

    fn check<const D: usize>(jitter: f64) {
        let world = cube::<D>(6, jitter, elastic());
        let (solver, x) = (solver(&world), Random(5).field::<D>(world.particles.len(), 1.0));
        let flux: Vec<Sums<D>> = x.iter().map(|x| [[x[0], x[1], -x[0], 0.3]; D]).collect();
        for i in 0..x.len() {
            let row = solver.state.neighbourhoods.outgoing(i);
            let edges = || row.iter().map(|(_, edge)| edge);
            let plain = sum_in(Portable, row.ends, edges(), &Apart { here: &x[i], x: &x });
            assert_eq!(moment(row, &x[i], &x), plain);
            assert_eq!(gather(row, &flux), sum_in(Portable, row.ends, edges(), &Flux(&flux)));
        }
    }

    #[test]
    fn all_registers_give_the_same_bits() {
        for jitter in [0.0, 0.2] {
            // With and without a palette.
            check::<2>(jitter);
            check::<3>(jitter);
        }
    }
}
