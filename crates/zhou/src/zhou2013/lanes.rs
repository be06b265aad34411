//! The two sums over edges that all the time goes into, in the widest lanes the machine has. Every variant adds the
//! same numbers in the same order, so the choice does not change a bit of the result.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use super::edges::ListedRow;
use pliant_math::Vect;
use wide::f32x4;

/// Edges are added to sums in turn: an addition takes as long as so many that need not wait for each other.
const CHAINS: usize = 4;

/// A motion in two parts, `high + low`: differences are nearly as exact as in double precision.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
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

/// Rows of a flux with the penalty in their last lanes; rows beyond the dimension are zero. A line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Flux(pub [f32x4; 4]);

impl Flux {
    pub const ZERO: Self = Self([f32x4::ZERO; 4]);
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
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
}

impl Lanes {
    /// The best this machine has.
    pub fn detect() -> Self {
        Self::all().last().copied().unwrap_or(Self::Portable)
    }

    /// All this machine has, the best last.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(pulp::x86::V3::try_new().map(Self::Avx2));
            all.extend(pulp::x86::V4::try_new().map(Self::Avx512));
        }
        all
    }

    /// Runs a task on them.
    #[inline(always)]
    pub fn run(self, task: impl Task) {
        match self {
            Self::Portable => task.run(Portable),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => simd.vectorize(avx2::Compiled { simd, task }),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => simd.vectorize(avx512::Compiled { simd, task }),
        }
    }
}

/// The two sums.
pub(super) trait Sums: Copy {
    /// `Σ_j (u_j − u_i) ⊗ (b, w)`.
    fn moment<const D: usize>(self, edges: ListedRow<'_>, here: &Split, u: &[Split]) -> [f32x4; D];

    /// `Σ_j Z_j ∘ (b, w)`, lane by lane.
    fn gather<const D: usize>(self, edges: ListedRow<'_>, flux: &[Flux]) -> [f32x4; D];
}

/// What needs sums of many particles: compiled as a whole for the lanes in use.
pub(super) trait Task {
    fn run(self, sums: impl Sums);
}

/// Lanes that every machine has.
#[derive(Clone, Copy)]
struct Portable;

impl Sums for Portable {
    #[inline(always)]
    fn moment<const D: usize>(self, (ends, weights): ListedRow<'_>, here: &Split, u: &[Split]) -> [f32x4; D] {
        sum(ends.iter().zip(weights).map(|(&j, edge)| {
            let there = &u[j as usize];
            let apart = ((there.0[0] - here.0[0]) + (there.0[1] - here.0[1])).to_array();
            (*edge, std::array::from_fn(|axis| [apart[axis]; 4]))
        }))
    }

    #[inline(always)]
    fn gather<const D: usize>(self, (ends, weights): ListedRow<'_>, flux: &[Flux]) -> [f32x4; D] {
        sum(ends.iter().zip(weights).map(|(&j, edge)| {
            let rows = &flux[j as usize].0;
            (*edge, std::array::from_fn(|row| rows[row].to_array()))
        }))
    }
}

/// Products are added number by number: lanes would round them where a machine cannot do both at once.
#[inline(always)]
fn sum<const D: usize>(terms: impl Iterator<Item = ([f32; 4], [[f32; 4]; D])>) -> [f32x4; D] {
    let mut sums = [[[0.0f32; 4]; D]; CHAINS];
    for (k, (edge, rows)) in terms.enumerate() {
        for (sum, row) in sums[k % CHAINS].iter_mut().zip(rows) {
            *sum = std::array::from_fn(|lane| edge[lane].mul_add(row[lane], sum[lane]));
        }
    }
    std::array::from_fn(|axis| {
        let [a, b, c, d] = sums.map(|sum| f32x4::from(sum[axis]));
        (a + b) + (c + d)
    })
}
