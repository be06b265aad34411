//! Sixteen numbers at a time: which of them are small, and those side by side. Written once for any machine and once for
//! registers of sixteen, which can do the second in one instruction.

#[cfg(target_arch = "x86_64")]
use pulp::{f32x16, x86::V4};

/// Numbers that are handled at a time.
pub(crate) const WIDE: usize = 16;

/// What sixteen numbers can do.
pub(crate) trait Sixteen: Copy {
    type Numbers: Copy;

    fn take(self, numbers: [f32; WIDE]) -> Self::Numbers;

    /// `a − b`.
    fn minus(self, a: Self::Numbers, b: f32) -> Self::Numbers;

    /// `a b + c`, rounded twice.
    fn times_plus(self, a: Self::Numbers, b: f32, c: Self::Numbers) -> Self::Numbers;

    /// `x² + y² + z²`.
    fn square(self, vectors: [Self::Numbers; 3]) -> Self::Numbers;

    /// Which of them are less than a limit, the first in the lowest bit.
    fn below(self, a: Self::Numbers, limit: f32) -> u16;

    /// Writes those that `which` names side by side, from `at` on in each column. Sixteen numbers are written, of which the last mean
    /// nothing.
    fn pack<const N: usize>(
        self,
        which: u16,
        from: &[Self::Numbers; N],
        columns_at: (&mut [Vec<f32>; N], usize),
    );

    /// The last 16 bits of sixteen times three numbers, three by three.
    fn interleave(self, vectors: &[[f32; WIDE]; 3]) -> [i16; 3 * WIDE];
}

/// Any machine.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl Sixteen for Plain {
    type Numbers = [f32; WIDE];

    #[inline(always)]
    fn take(self, numbers: [f32; WIDE]) -> [f32; WIDE] {
        numbers
    }

    #[inline(always)]
    fn minus(self, mut a: [f32; WIDE], b: f32) -> [f32; WIDE] {
        for a in &mut a {
            *a -= b;
        }
        a
    }

    #[inline(always)]
    fn times_plus(self, mut a: [f32; WIDE], b: f32, c: [f32; WIDE]) -> [f32; WIDE] {
        for (a, c) in a.iter_mut().zip(c) {
            *a = *a * b + c;
        }
        a
    }

    #[inline(always)]
    fn square(self, [mut x, y, z]: [[f32; WIDE]; 3]) -> [f32; WIDE] {
        for lane in 0..WIDE {
            x[lane] = x[lane] * x[lane] + y[lane] * y[lane] + z[lane] * z[lane];
        }
        x
    }

    #[inline(always)]
    fn below(self, a: [f32; WIDE], limit: f32) -> u16 {
        let mut which = 0;
        for (lane, a) in a.iter().enumerate() {
            which |= u16::from(*a < limit) << lane;
        }
        which
    }

    #[inline(always)]
    fn pack<const N: usize>(
        self,
        mut which: u16,
        from: &[[f32; WIDE]; N],
        (columns, mut at): (&mut [Vec<f32>; N], usize),
    ) {
        while which != 0 {
            let lane = which.trailing_zeros() as usize;
            which &= which - 1;
            for (column, from) in columns.iter_mut().zip(from) {
                column[at] = from[lane];
            }
            at += 1;
        }
    }

    #[inline(always)]
    fn interleave(self, vectors: &[[f32; WIDE]; 3]) -> [i16; 3 * WIDE] {
        let mut all = [0; 3 * WIDE];
        for (k, all) in all.iter_mut().enumerate() {
            *all = vectors[k % 3][k / 3].to_bits() as i16;
        }
        all
    }
}

#[cfg(target_arch = "x86_64")]
impl Sixteen for V4 {
    type Numbers = f32x16;

    #[inline(always)]
    fn take(self, numbers: [f32; WIDE]) -> f32x16 {
        pulp::cast(numbers)
    }

    #[inline(always)]
    fn minus(self, a: f32x16, b: f32) -> f32x16 {
        self.sub_f32x16(a, self.splat_f32x16(b))
    }

    #[inline(always)]
    fn times_plus(self, a: f32x16, b: f32, c: f32x16) -> f32x16 {
        self.add_f32x16(self.mul_f32x16(a, self.splat_f32x16(b)), c)
    }

    #[inline(always)]
    fn square(self, [x, y, z]: [f32x16; 3]) -> f32x16 {
        let flat = self.add_f32x16(self.mul_f32x16(x, x), self.mul_f32x16(y, y));
        self.add_f32x16(flat, self.mul_f32x16(z, z))
    }

    #[inline(always)]
    fn below(self, a: f32x16, limit: f32) -> u16 {
        self.cmp_lt_f32x16(a, self.splat_f32x16(limit)).0
    }

    #[inline(always)]
    fn pack<const N: usize>(
        self,
        which: u16,
        from: &[f32x16; N],
        (columns, at): (&mut [Vec<f32>; N], usize),
    ) {
        for (column, &from) in columns.iter_mut().zip(from) {
            let to: &mut [f32; WIDE] = sixteen_of(column, at);
            *to = pulp::cast(self.avx512f._mm512_maskz_compress_ps(which, pulp::cast(from)));
        }
    }

    #[inline(always)]
    fn interleave(self, [x, y, z]: &[[f32; WIDE]; 3]) -> [i16; 3 * WIDE] {
        let short = |numbers: &[f32; WIDE]| self.avx512f._mm512_cvtepi32_epi16(pulp::cast(*numbers));
        let flat = pulp::cast([short(x), short(y)]);
        let up = self.avx512f._mm512_castsi256_si512(short(z));
        let mix = |from: [i16; 2 * WIDE]| -> [i16; 2 * WIDE] {
            pulp::cast(self.avx512bw._mm512_permutex2var_epi16(flat, pulp::cast(from), up))
        };
        let (first, last) = (mix(const { woven(0) }), mix(const { woven(2 * WIDE) }));
        let mut all = [0; 3 * WIDE];
        all[..2 * WIDE].copy_from_slice(&first);
        all[2 * WIDE..].copy_from_slice(&last[..WIDE]);
        all
    }
}

/// Where numbers come from that are woven three by three, from a number on, when the three columns follow each other.
#[cfg(target_arch = "x86_64")]
const fn woven(first: usize) -> [i16; 2 * WIDE] {
    let mut from = [0; 2 * WIDE];
    let mut k = 0;
    while k < 2 * WIDE {
        let at = first + k;
        from[k] = if at < 3 * WIDE { (at % 3 * WIDE + at / 3) as i16 } else { 0 };
        k += 1;
    }
    from
}

/// Sixteen numbers of a column, which has as many more than it has values.
#[inline(always)]
pub(crate) fn sixteen_from(column: &[f32], at: usize) -> [f32; WIDE] {
    *column[at..].first_chunk().expect("columns end with sixteen numbers more")
}

/// The same to be written.
#[inline(always)]
pub(crate) fn sixteen_of(column: &mut [f32], at: usize) -> &mut [f32; WIDE] {
    column[at..].first_chunk_mut().expect("columns end with sixteen numbers more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_registers_do_what_any_machine_does() {
        let numbers = [0u16, 100, 200].map(|first| {
            let mut numbers = [0.0; WIDE];
            numbers.iter_mut().zip(first..).for_each(|(number, k)| *number = f32::from(k * 37 % 101));
            numbers
        });
        let bits = numbers.map(|column| column.map(|x| f32::from_bits(x as u32)));
        let mut packed = [vec![0.0; 40], vec![0.0; 40], vec![0.0; 40]];
        let which = Plain.below(numbers[1], 50.0);
        Plain.pack(which, &numbers, (&mut packed, 3));
        let count = which.count_ones() as usize;
        assert!(count > 3 && packed[1][3..3 + count].iter().all(|x| *x < 50.0));
        assert_eq!(Plain.interleave(&bits)[3 * 5 + 2], numbers[2][5] as i16);
        #[cfg(target_arch = "x86_64")]
        if let pulp::Arch::V4(wide) = pulp::Arch::new() {
            assert_eq!(which, wide.below(wide.take(numbers[1]), 50.0));
            let mut other = [vec![0.0; 40], vec![0.0; 40], vec![0.0; 40]];
            wide.pack(which, &numbers.map(|column| wide.take(column)), (&mut other, 3));
            assert!(packed.iter().zip(&other).all(|(a, b)| a[..3 + count] == b[..3 + count]));
            assert_eq!(Plain.interleave(&bits), wide.interleave(&bits));
        }
    }
}
