//! Vectors from particles to their neighbours, as loops over neighbours like to read them: without padding, several edges
//! at a time.

use crate::sixteen::Plain;
use crate::solid::Lane;
#[cfg(target_arch = "x86_64")]
use pulp::{f32x16, x86::V4};
use wide::f32x4;

/// Edges that are added up side by side: one sum alone would wait for itself.
pub(crate) const SIDE_BY_SIDE: usize = 4;
/// Numbers after the last vector, which is read as a part of more.
pub(crate) const SLACK: usize = 2;

/// The neighbours of a particle and the vectors that belong to them, in single precision or as whole numbers.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a, T> {
    to: &'a [u32],
    /// Three numbers for each neighbour, and [`SLACK`] more so that the last can be read as a part of them.
    vectors: &'a [T],
}

impl<'a, T: Copy + Into<f32>> Row<'a, T> {
    /// Edges `range` of all edges, whose vectors have [`SLACK`] more numbers at the end.
    #[inline(always)]
    pub fn new(to: &'a [u32], vectors: &'a [T], range: std::ops::Range<usize>) -> Self {
        Self { to: &to[range.clone()], vectors: &vectors[3 * range.start..3 * range.end + SLACK] }
    }

    /// `Σ term(neighbour, vector)`; the fourth lane of the vectors means nothing.
    #[inline(always)]
    pub fn sum(&self, term: impl Fn(usize, f32x4) -> f32x4) -> f32x4 {
        self.numbered_sum(|_, to, vector| term(to, vector))
    }

    /// The same with a weight for each neighbour.
    #[inline(always)]
    pub fn weighted_sum(&self, weights: &[f32], term: impl Fn(usize, f32x4, f32) -> f32x4) -> f32x4 {
        let weights = &weights[..self.to.len()];
        self.numbered_sum(|k, to, vector| term(to, vector, weights[k]))
    }

    #[inline(always)]
    fn numbered_sum(&self, term: impl Fn(usize, usize, f32x4) -> f32x4) -> f32x4 {
        let mut sums = [f32x4::ZERO; SIDE_BY_SIDE];
        let groups = self.to.chunks_exact(SIDE_BY_SIDE);
        let left = groups.remainder();
        let last = self.to.len() - left.len();
        for (group, to) in groups.enumerate() {
            let vectors = &self.vectors[3 * SIDE_BY_SIDE * group..3 * SIDE_BY_SIDE * (group + 1) + 1];
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum += term(SIDE_BY_SIDE * group + k, to[k] as usize, four(vectors, 3 * k));
            }
        }
        for (k, &to) in (last..).zip(left) {
            sums[0] += term(k, to as usize, four(self.vectors, 3 * k));
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// Neighbours and vectors one by one.
    pub fn iter(self) -> impl Iterator<Item = (usize, [f32; 3])> + 'a {
        let three = |v: &[T]| [v[0].into(), v[1].into(), v[2].into()];
        self.to.iter().map(|&to| to as usize).zip(self.vectors.chunks_exact(3).map(three))
    }
}

/// Sums over rows whose length is a whole number of groups, `Σ_j factor(j) vector_j` lane by lane, with the same bits on any machine.
pub(crate) trait Sums: Copy {
    fn sum(self, row: &Row<'_, i16>, factor: impl Fn(usize) -> f32x4) -> f32x4;

    /// `Σ_j weight_j μ_ij (vector_j · (v_j − v)) vector_j` with the mean `μ_ij` of the fourth numbers of `v_j` and `v`, and none where that of
    /// `v_j` is negative.
    fn drag(self, row: &Row<'_, i16>, weights: &[f32], motion: (&[Lane], &Lane)) -> f32x4;
}

impl Sums for Plain {
    #[inline(always)]
    fn sum(self, row: &Row<'_, i16>, factor: impl Fn(usize) -> f32x4) -> f32x4 {
        row.sum(|j, vector| vector * factor(j))
    }

    #[inline(always)]
    fn drag(self, row: &Row<'_, i16>, weights: &[f32], (v, here): (&[Lane], &Lane)) -> f32x4 {
        row.weighted_sum(weights, |j, vector, weight| {
            let mean = if v[j][3] >= 0.0 { 0.5 * (here[3] + v[j][3]) } else { 0.0 };
            let [x, y, z, _] = ((f32x4::from(v[j]) - f32x4::from(*here)) * vector).to_array();
            vector * f32x4::splat(mean * weight * (x + y + z))
        })
    }
}

/// Four edges in one register.
#[cfg(target_arch = "x86_64")]
impl Sums for V4 {
    #[inline(always)]
    fn sum(self, row: &Row<'_, i16>, factor: impl Fn(usize) -> f32x4) -> f32x4 {
        let mut sums = self.splat_f32x16(0.0);
        for (group, to) in row.to.as_chunks::<SIDE_BY_SIDE>().0.iter().enumerate() {
            let vectors = four_vectors(self, row.vectors, group);
            let [a, b, c, d] = *to;
            let factors = [
                factor(a as usize).to_array(),
                factor(b as usize).to_array(),
                factor(c as usize).to_array(),
                factor(d as usize).to_array(),
            ];
            sums = self.add_f32x16(sums, self.mul_f32x16(vectors, pulp::cast(factors)));
        }
        total(sums)
    }

    #[inline(always)]
    fn drag(self, row: &Row<'_, i16>, weights: &[f32], (v, here): (&[Lane], &Lane)) -> f32x4 {
        let (zero, half, own) = (self.splat_f32x16(0.0), self.splat_f32x16(0.5), self.splat_f32x16(here[3]));
        let [x, y, z, _] = *here;
        let here: f32x16 = pulp::cast([[x, y, z, 0.0]; SIDE_BY_SIDE]);
        let (groups, weights) = (row.to.as_chunks::<SIDE_BY_SIDE>().0, weights.as_chunks::<SIDE_BY_SIDE>().0);
        let mut sums = zero;
        for (group, (to, weights)) in groups.iter().zip(weights).enumerate() {
            let vectors = four_vectors(self, row.vectors, group);
            let [a, b, c, d] = *to;
            let others: f32x16 = pulp::cast([v[a as usize], v[b as usize], v[c as usize], v[d as usize]]);
            let [a, b, c, d] = *weights;
            let weights: f32x16 = pulp::cast([[a; 4], [b; 4], [c; 4], [d; 4]]);
            // The fourth number of each.
            let other: f32x16 =
                pulp::cast(self.avx512f._mm512_permute_ps::<0b11_11_11_11>(pulp::cast(others)));
            let mean = self.mul_f32x16(half, self.add_f32x16(own, other));
            let mean = self.select_f32x16(self.cmp_le_f32x16(zero, other), mean, zero);
            let along = self.mul_f32x16(self.sub_f32x16(others, here), vectors);
            // Pairs of numbers, then pairs of pairs.
            let swapped = self.avx512f._mm512_permute_ps::<0b10_11_00_01>(pulp::cast(along));
            let pairs = self.add_f32x16(along, pulp::cast(swapped));
            let swapped = self.avx512f._mm512_permute_ps::<0b01_00_11_10>(pulp::cast(pairs));
            let apart = self.add_f32x16(pairs, pulp::cast(swapped));
            let pull = self.mul_f32x16(self.mul_f32x16(mean, weights), apart);
            sums = self.add_f32x16(sums, self.mul_f32x16(vectors, pull));
        }
        total(sums)
    }
}

/// Vectors of a group, each with a zero behind.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn four_vectors(simd: V4, vectors: &[i16], group: usize) -> f32x16 {
    const SPREAD: [i8; 32] = [
        0, 1, 2, 3, 4, 5, -1, -1, 6, 7, 8, 9, 10, 11, -1, -1, 0, 1, 2, 3, 4, 5, -1, -1, 6, 7, 8, 9, 10, 11,
        -1, -1,
    ];
    let at = 3 * SIDE_BY_SIDE * group;
    let pair = |at: usize| -> [i16; 8] { *vectors[at..].first_chunk().expect("there are more") };
    let spread = simd.avx2._mm256_shuffle_epi8(pulp::cast([pair(at), pair(at + 6)]), pulp::cast(SPREAD));
    pulp::cast(simd.avx512f._mm512_cvtepi32_ps(simd.avx512f._mm512_cvtepi16_epi32(spread)))
}

/// The sum of four times four numbers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn total(sums: f32x16) -> f32x4 {
    let [a, b, c, d]: [[f32; 4]; 4] = pulp::cast(sums);
    (f32x4::from(a) + f32x4::from(b)) + (f32x4::from(c) + f32x4::from(d))
}

#[inline(always)]
fn four<T: Copy + Into<f32>>(vectors: &[T], at: usize) -> f32x4 {
    let v = &vectors[at..at + 4];
    f32x4::new([v[0].into(), v[1].into(), v[2].into(), v[3].into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_see_every_neighbour_once() {
        for count in 0..11u32 {
            let to: Vec<u32> = (0..count + 2).collect();
            let vectors: Vec<f32> = (0..3 * (count + 2) + SLACK as u32).map(|k| k as f32).collect();
            let row = Row::new(&to, &vectors, 1..count as usize + 1);
            let [x, y, z, _] = row.sum(|j, v| v * f32x4::splat(j as f32)).to_array();
            let mut expected = [0.0; 3];
            for (j, v) in row.iter() {
                assert_eq!(v[0], 3.0 * j as f32);
                (0..3).for_each(|axis| expected[axis] += v[axis] * j as f32);
            }
            assert_eq!([x, y, z], expected, "{count} neighbours");
            let weights: Vec<f32> = (1..=count).map(|k| k as f32).collect();
            assert_eq!(row.weighted_sum(&weights, |_, v, w| v * f32x4::splat(w)).to_array()[..3], expected);
        }
    }

    #[test]
    fn sums_have_the_same_bits_on_any_machine() {
        let to: Vec<u32> = (0..12).map(|k| k * 5 % 12).collect();
        let vectors: Vec<i16> = (0..36 + SLACK as i32).map(|k| (k * 7919 % 65_000 - 32_500) as i16).collect();
        let factor = |j: usize| f32x4::from([0.1, 1.7, -2.3, 0.0].map(|x: f32| x * (j as f32 + 0.3)));
        let row = Row::new(&to, &vectors, 4..12);
        let plain = Plain.sum(&row, factor).to_array();
        assert!(plain.iter().all(|x| x.is_finite()) && plain[0] != 0.0);
        let v: Vec<Lane> = (0..12).map(|j| [0.3, 1.1, -0.7, 1.0].map(|x| x * (j as f32 - 2.5))).collect();
        let weights = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
        let drag = Plain.drag(&row, &weights, (&v, &v[5])).to_array();
        assert!(drag.iter().all(|x| x.is_finite()) && drag[0] != 0.0);
        #[cfg(target_arch = "x86_64")]
        if let pulp::Arch::V4(wide) = pulp::Arch::new() {
            assert_eq!(wide.sum(&row, factor).to_array()[..3], plain[..3]);
            assert_eq!(wide.drag(&row, &weights, (&v, &v[5])).to_array()[..3], drag[..3]);
        }
    }
}
