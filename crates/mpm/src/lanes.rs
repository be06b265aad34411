//! Sixteen single-precision numbers with the operators of one: a property of sixteen particles, or four nodes of the
//! grid. Which registers hold them is chosen at run time; every operation is rounded like that of a single number and
//! none is fused, so results do not depend on the choice.
//!
//! Code on lanes is written with loops and functions that are always inlined: closures, and what takes them, would be
//! compiled without the instructions.

use super::kernel::Number;
use super::registers::{Registers, Row};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Sixteen numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes<R: Registers> {
    registers: R,
    values: R::Numbers,
}

/// Truth for each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask<R: Registers> {
    registers: R,
    values: R::Truths,
}

macro_rules! operator {
    ($trait:ident $name:ident) => {
        impl<R: Registers> $trait for Lanes<R> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self { values: self.registers.$name(self.values, other.values), ..self }
            }
        }

        impl<R: Registers> $trait<f32> for Lanes<R> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: f32) -> Self {
                self.$name(Self::splat(self.registers, other))
            }
        }
    };
}

operator!(Add add);
operator!(Sub sub);
operator!(Mul mul);
operator!(Div div);

impl<R: Registers> Neg for Lanes<R> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { values: self.registers.neg(self.values), ..self }
    }
}

impl<R: Registers> Number for Lanes<R> {
    #[inline(always)]
    fn like(self, value: f64) -> Self {
        Self::splat(self.registers, value as f32)
    }
}

impl<R: Registers> Lanes<R> {
    #[inline(always)]
    pub fn splat(registers: R, value: f32) -> Self {
        Self { registers, values: registers.splat(value) }
    }

    #[inline(always)]
    pub fn load(registers: R, row: &Row<f32>) -> Self {
        Self { registers, values: registers.load(row) }
    }

    /// A node, four times.
    #[inline(always)]
    pub fn repeat(registers: R, node: [f32; 4]) -> Self {
        Self { registers, values: registers.repeat(node) }
    }

    #[inline(always)]
    pub fn to_array(self) -> Row<f32> {
        self.registers.store(self.values)
    }

    /// The sums of the four nodes of each of four lines.
    #[inline(always)]
    pub fn fold(lines: [Self; 4]) -> Self {
        let [Self { registers, .. }, ..] = lines;
        Self {
            registers,
            values: registers.fold([lines[0].values, lines[1].values, lines[2].values, lines[3].values]),
        }
    }

    /// Numbers of sixteen particles as their nodes, or the other way round: node `k` of line `i` is that of particle
    /// `4 k + i`.
    #[inline(always)]
    pub fn transpose(rows: [Self; 4]) -> [Self; 4] {
        let [Self { registers, .. }, ..] = rows;
        let [a, b, c, d] =
            registers.transpose([rows[0].values, rows[1].values, rows[2].values, rows[3].values]);
        [
            Self { registers, values: a },
            Self { registers, values: b },
            Self { registers, values: c },
            Self { registers, values: d },
        ]
    }

    /// The largest number, or zero; what is no number does not count.
    #[inline(always)]
    pub fn highest(self) -> f32 {
        let zero = Self::splat(self.registers, 0.0);
        self.registers.highest(self.max(zero).values)
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self { values: self.registers.sqrt(self.values), ..self }
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { values: self.registers.abs(self.values), ..self }
    }

    #[inline(always)]
    pub fn less(self, other: Self) -> Mask<R> {
        Mask { registers: self.registers, values: self.registers.less(self.values, other.values) }
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
        let one = Self::splat(self.registers, 1.0);
        self.less(Self::splat(self.registers, 0.0)).choose(one / (a + one), a + one)
    }
}

/// Where [`Lanes::ln`] is exact to single precision.
pub(crate) const LOG_RANGE: (f32, f32) = (0.5, 2.0);

impl<R: Registers> Mask<R> {
    #[inline(always)]
    pub fn choose(self, if_true: Lanes<R>, if_false: Lanes<R>) -> Lanes<R> {
        let registers = self.registers;
        Lanes { registers, values: registers.choose(self.values, if_true.values, if_false.values) }
    }

    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self { values: self.registers.or(self.values, other.values), ..self }
    }

    /// Writes values where it is true.
    #[inline(always)]
    pub fn write(self, row: &mut Row<f32>, values: Lanes<R>) {
        *row = self.choose(values, Lanes::load(self.registers, row)).to_array();
    }

    /// Whether it is true in any of the lanes.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.registers.any(self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::{Run, Task, dispatch, highest, positive};
    use pulp::WithSimd;

    struct Check;

    impl Task for Check {
        type Output = ();

        fn run<R: Registers>(self, registers: R) {
            for k in 0..100 {
                let x = 0.5 + 1.5 * k as f32 / 99.0;
                let ln = Lanes::splat(registers, x).ln().to_array()[0];
                assert!((ln - x.ln()).abs() < 2e-7, "ln {x}: {ln}");
                let x = -20.0 + 40.0 * k as f32 / 99.0;
                let exp = Lanes::splat(registers, x).exp().to_array()[0];
                assert!((exp / x.exp() - 1.0).abs() < 1e-5, "exp {x}: {exp}");
                let x = 1e-4 * k as f32;
                let exp = Lanes::splat(registers, x).exp().to_array()[0];
                assert!((exp - x.exp()).abs() < 2e-7, "exp {x}: {exp}");
            }
            let row: Row<f32> = std::array::from_fn(|k| (k * k) as f32);
            let lanes = Lanes::load(registers, &row);
            let lines = [1.0, 2.0, 3.0, 4.0].map(|factor| lanes * factor);
            let folded = Lanes::fold(lines).to_array();
            for (k, node) in folded.chunks(4).enumerate() {
                assert_eq!(*node, [224.0, 276.0, 336.0, 404.0].map(|sum: f32| sum * (k + 1) as f32));
            }
            let nodes = Lanes::transpose(lines).map(Lanes::to_array);
            for (particle, number) in
                (0..16).flat_map(|particle| (0..4).map(move |number| (particle, number)))
            {
                let (line, node) = (particle % 4, particle / 4);
                assert_eq!(nodes[line][4 * node + number], row[particle] * (number + 1) as f32);
            }
            let repeated = Lanes::repeat(registers, [1.0, 2.0, 3.0, 4.0]).to_array();
            assert!(repeated.chunks(4).all(|node| node == [1.0, 2.0, 3.0, 4.0]));
            let limit = Lanes::splat(registers, 100.0);
            assert!(limit.less(lanes).any() && !lanes.less(lanes).any());
            assert_eq!(lanes.max(limit).to_array()[11..14], [121.0, 144.0, 169.0]);
            let row: Row<f64> = std::array::from_fn(|k| (k as f64 - 8.0) * 0.25 - 1e9 * (k % 2) as f64);
            assert_eq!(registers.floor(&row), row.map(f64::floor));
        }
    }

    #[test]
    fn numbers_of_a_row_are_compared_and_counted() {
        let row: Row<f32> =
            std::array::from_fn(|k| if k == 3 { f32::NAN } else { 7.0 - (k as f32 - 6.0).abs() });
        assert_eq!((highest(&row), positive(&row)), (7.0, 12));
        assert_eq!(highest(&row.map(|value| -value.abs())), 0.0);
    }

    #[test]
    fn functions_are_exact_to_single_precision() {
        dispatch(Check);
        Run(Check).with_simd(pulp::Scalar);
    }
}
