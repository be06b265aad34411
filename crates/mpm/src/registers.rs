//! Registers that hold sixteen single-precision numbers together: one of AVX-512, two of AVX2, or four of any machine.
//! Which they are is found at run time.

#![allow(clippy::needless_range_loop, reason = "lanes are counted: iterators hide which is which")]

use pulp::{Arch, Simd, WithSimd, bytemuck};
#[cfg(target_arch = "x86_64")]
use std::any::Any;
use std::fmt::Debug;
use std::sync::OnceLock;
use wide::f32x4;

/// Numbers that are worked on together.
pub(crate) const LANES: usize = 16;

/// One number of each particle of a pack.
pub(crate) type Row<T> = [T; LANES];

/// The largest of sixteen numbers, or zero; what is no number does not count. Halves are compared with halves: in a chain of
/// sixteen each comparison would wait for the one before.
#[inline(always)]
pub(crate) fn highest<T: Copy + PartialOrd + Default>(row: &Row<T>) -> T {
    let mut most = [T::default(); LANES];
    for lane in 0..LANES {
        most[lane] = if row[lane] > most[lane] { row[lane] } else { most[lane] };
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            let other = most[lane + half];
            most[lane] = if other > most[lane] { other } else { most[lane] };
        }
        half /= 2;
    }
    most[0]
}

/// How many of sixteen numbers are above zero.
#[inline(always)]
pub(crate) fn positive(row: &Row<f32>) -> usize {
    let mut count = 0_u32;
    for value in row {
        count += u32::from(*value > 0.0);
    }
    count as usize
}

/// Registers that hold sixteen numbers together.
pub(crate) trait Registers: Copy + Debug + Send + Sync + 'static {
    type Numbers: Copy + Debug;
    type Truths: Copy + Debug;
    /// Numbers in one register.
    const WIDTH: usize;
    fn splat(self, value: f32) -> Self::Numbers;
    fn load(self, row: &Row<f32>) -> Self::Numbers;
    fn store(self, a: Self::Numbers) -> Row<f32>;
    fn add(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn sub(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn mul(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn div(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn sqrt(self, a: Self::Numbers) -> Self::Numbers;
    fn abs(self, a: Self::Numbers) -> Self::Numbers;
    fn neg(self, a: Self::Numbers) -> Self::Numbers;
    fn less(self, a: Self::Numbers, b: Self::Numbers) -> Self::Truths;
    fn or(self, a: Self::Truths, b: Self::Truths) -> Self::Truths;
    fn choose(self, truths: Self::Truths, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn any(self, truths: Self::Truths) -> bool;
    /// A node, four times.
    fn repeat(self, quad: [f32; 4]) -> Self::Numbers;
    /// `(first + third) + (second + fourth)` node of each of four lines.
    fn fold(self, lines: [Self::Numbers; 4]) -> Self::Numbers;
    /// Squares of four by four numbers on their sides: number `j` of node `k` of row `i` goes to number `i` of node `k` of
    /// row `j`.
    fn transpose(self, rows: [Self::Numbers; 4]) -> [Self::Numbers; 4];
    /// The largest number; there must be no NaN.
    fn highest(self, a: Self::Numbers) -> f32;
    /// Does a task in a function of its own.
    fn call<K: Task>(self, task: K) -> K::Output;
    /// Whole numbers not above each of sixteen, which are far smaller than 2⁵⁰.
    fn floor(self, row: &Row<f64>) -> Row<f64>;
    /// Asks for the memory of something that will be read soon.
    fn fetch<K>(self, soon: &K);
}

/// In a number of this size the last bits count units.
const UNITS: f64 = 1.5 * (1u64 << 52) as f64;
/// What memory is brought to the processor in [bytes].
const CACHE_LINE: usize = 64;

/// `N` registers of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Of<S, const N: usize>(pub S);

macro_rules! each {
    ($(fn $name:ident($($arg:ident),*) -> $out:ident = $function:ident;)*) => {
        $(
            #[inline(always)]
            fn $name(self $(, $arg: Self::Numbers)*) -> Self::$out {
                std::array::from_fn(#[inline(always)] |k| self.0.$function($($arg[k]),*))
            }
        )*
    };
}

impl<S: Simd, const N: usize> Registers for Of<S, N> {
    type Numbers = [S::f32s; N];
    type Truths = [S::m32s; N];
    const WIDTH: usize = S::F32_LANES;

    each! {
        fn add(a, b) -> Numbers = add_f32s;
        fn sub(a, b) -> Numbers = sub_f32s;
        fn mul(a, b) -> Numbers = mul_f32s;
        fn div(a, b) -> Numbers = div_f32s;
        fn sqrt(a) -> Numbers = sqrt_f32s;
        fn abs(a) -> Numbers = abs_f32s;
        fn neg(a) -> Numbers = neg_f32s;
        fn less(a, b) -> Truths = less_than_f32s;
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Numbers {
        [self.0.splat_f32s(value); N]
    }

    #[inline(always)]
    fn load(self, row: &Row<f32>) -> Self::Numbers {
        let (parts, _) = S::as_simd_f32s(row);
        std::array::from_fn(
            #[inline(always)]
            |k| parts[k],
        )
    }

    #[inline(always)]
    fn store(self, a: Self::Numbers) -> Row<f32> {
        let mut row = [0.0; LANES];
        let (parts, _) = S::as_mut_simd_f32s(&mut row);
        parts.copy_from_slice(&a);
        row
    }

    #[inline(always)]
    fn or(self, a: Self::Truths, b: Self::Truths) -> Self::Truths {
        std::array::from_fn(
            #[inline(always)]
            |k| self.0.or_m32s(a[k], b[k]),
        )
    }

    #[inline(always)]
    fn choose(self, truths: Self::Truths, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers {
        let simd = self.0;
        // The select of floats is not always inlined.
        std::array::from_fn(
            #[inline(always)]
            |k| {
                let (a, b) = (simd.transmute_u32s_f32s(a[k]), simd.transmute_u32s_f32s(b[k]));
                simd.transmute_f32s_u32s(simd.select_u32s(truths[k], a, b))
            },
        )
    }

    #[inline(always)]
    fn any(self, truths: Self::Truths) -> bool {
        let mut any = false;
        for truths in truths {
            any |= self.0.first_true_m32s(truths) < S::F32_LANES;
        }
        any
    }

    #[inline(always)]
    fn repeat(self, quad: [f32; 4]) -> Self::Numbers {
        #[cfg(target_arch = "x86_64")]
        if let Some(v4) = (&self.0 as &dyn Any).downcast_ref::<pulp::x86::V4>() {
            let all = v4.avx512f._mm512_broadcast_f32x4(bytemuck::cast(quad));
            return self.load(&bytemuck::cast(all));
        }
        self.load(bytemuck::cast_ref(&[quad; 4]))
    }

    #[inline(always)]
    fn fold(self, lines: [Self::Numbers; 4]) -> Self::Numbers {
        let [a, b, c, d] = lines;
        let [a, b, c, d] = [self.store(a), self.store(b), self.store(c), self.store(d)];
        #[cfg(target_arch = "x86_64")]
        if let Some(v4) = (&self.0 as &dyn Any).downcast_ref::<pulp::x86::V4>() {
            let simd = v4.avx512f;
            let (a, b, c, d) = (bytemuck::cast(a), bytemuck::cast(b), bytemuck::cast(c), bytemuck::cast(d));
            let (low, high) =
                (simd._mm512_shuffle_f32x4::<0x44>(a, b), simd._mm512_shuffle_f32x4::<0xee>(a, b));
            let ab = simd._mm512_add_ps(low, high);
            let (low, high) =
                (simd._mm512_shuffle_f32x4::<0x44>(c, d), simd._mm512_shuffle_f32x4::<0xee>(c, d));
            let cd = simd._mm512_add_ps(low, high);
            let (even, odd) =
                (simd._mm512_shuffle_f32x4::<0x88>(ab, cd), simd._mm512_shuffle_f32x4::<0xdd>(ab, cd));
            return self.load(&bytemuck::cast(simd._mm512_add_ps(even, odd)));
        }
        let lines: [[f32x4; 4]; 4] = bytemuck::cast([a, b, c, d]);
        self.load(&bytemuck::cast(Quads.fold(lines)))
    }

    #[inline(always)]
    fn transpose(self, rows: [Self::Numbers; 4]) -> [Self::Numbers; 4] {
        let [a, b, c, d] = rows;
        let [a, b, c, d] = [self.store(a), self.store(b), self.store(c), self.store(d)];
        #[cfg(target_arch = "x86_64")]
        if let Some(v4) = (&self.0 as &dyn Any).downcast_ref::<pulp::x86::V4>() {
            let simd = v4.avx512f;
            let (a, b, c, d) = (bytemuck::cast(a), bytemuck::cast(b), bytemuck::cast(c), bytemuck::cast(d));
            let low = bytemuck::cast(simd._mm512_unpacklo_ps(a, b));
            let low_next = bytemuck::cast(simd._mm512_unpacklo_ps(c, d));
            let high = bytemuck::cast(simd._mm512_unpackhi_ps(a, b));
            let high_next = bytemuck::cast(simd._mm512_unpackhi_ps(c, d));
            return [
                self.load(&bytemuck::cast(simd._mm512_unpacklo_pd(low, low_next))),
                self.load(&bytemuck::cast(simd._mm512_unpackhi_pd(low, low_next))),
                self.load(&bytemuck::cast(simd._mm512_unpacklo_pd(high, high_next))),
                self.load(&bytemuck::cast(simd._mm512_unpackhi_pd(high, high_next))),
            ];
        }
        let rows: [[f32x4; 4]; 4] = bytemuck::cast([a, b, c, d]);
        let [a, b, c, d]: [Row<f32>; 4] = bytemuck::cast(Quads.transpose(rows));
        [self.load(&a), self.load(&b), self.load(&c), self.load(&d)]
    }

    #[inline(always)]
    fn highest(self, a: Self::Numbers) -> f32 {
        let mut most = a[0];
        for part in &a[1..] {
            most = self.0.max_f32s(most, *part);
        }
        self.0.reduce_max_f32s(most)
    }

    #[inline(always)]
    fn call<K: Task>(self, task: K) -> K::Output {
        self.0.vectorize(In::<K, N>(task))
    }

    #[inline(always)]
    fn floor(self, row: &Row<f64>) -> Row<f64> {
        let simd = self.0;
        let (units, one) = (simd.splat_f64s(UNITS), simd.transmute_u64s_f64s(simd.splat_f64s(1.0)));
        let zero = simd.transmute_u64s_f64s(simd.splat_f64s(0.0));
        let mut floor = *row;
        for value in S::as_mut_simd_f64s(&mut floor).0 {
            let nearest = simd.sub_f64s(simd.add_f64s(*value, units), units);
            let above = simd.select_u64s(simd.less_than_f64s(*value, nearest), one, zero);
            *value = simd.sub_f64s(nearest, simd.transmute_f64s_u64s(above));
        }
        floor
    }

    #[inline(always)]
    fn fetch<K>(self, soon: &K) {
        #[cfg(target_arch = "x86_64")]
        for offset in (0..size_of::<K>()).step_by(CACHE_LINE) {
            let line = std::ptr::from_ref(soon).cast::<i8>().wrapping_add(offset);
            if let Some(v4) = (&self.0 as &dyn Any).downcast_ref::<pulp::x86::V4>() {
                v4.sse._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line);
            } else if let Some(v3) = (&self.0 as &dyn Any).downcast_ref::<pulp::x86::V3>() {
                v3.sse._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line);
            }
        }
    }
}

/// Four registers of four numbers, which every machine has or can do without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quads;

macro_rules! each_quad {
    ($(fn $name:ident($a:ident $(, $b:ident)?) = $value:expr;)*) => {
        $(
            #[inline(always)]
            fn $name(self, a: [f32x4; 4] $(, $b: [f32x4; 4])?) -> [f32x4; 4] {
                let mut out = a;
                for k in 0..4 {
                    let $a = a[k];
                    $(let $b = $b[k];)?
                    out[k] = $value;
                }
                out
            }
        )*
    };
}

impl Registers for Quads {
    type Numbers = [f32x4; 4];
    type Truths = [f32x4; 4];
    const WIDTH: usize = 4;

    each_quad! {
        fn add(a, b) = a + b;
        fn sub(a, b) = a - b;
        fn mul(a, b) = a * b;
        fn div(a, b) = a / b;
        fn sqrt(a) = a.sqrt();
        fn abs(a) = a.abs();
        fn neg(a) = -a;
        fn less(a, b) = a.simd_lt(b);
        fn or(a, b) = a | b;
    }

    #[inline(always)]
    fn splat(self, value: f32) -> [f32x4; 4] {
        [f32x4::splat(value); 4]
    }

    #[inline(always)]
    fn load(self, row: &Row<f32>) -> [f32x4; 4] {
        bytemuck::cast(*row)
    }

    #[inline(always)]
    fn store(self, a: [f32x4; 4]) -> Row<f32> {
        bytemuck::cast(a)
    }

    #[inline(always)]
    fn choose(self, truths: [f32x4; 4], a: [f32x4; 4], b: [f32x4; 4]) -> [f32x4; 4] {
        let mut out = a;
        for k in 0..4 {
            out[k] = truths[k].select(a[k], b[k]);
        }
        out
    }

    #[inline(always)]
    fn any(self, truths: [f32x4; 4]) -> bool {
        ((truths[0] | truths[1]) | (truths[2] | truths[3])).any()
    }

    #[inline(always)]
    fn repeat(self, quad: [f32; 4]) -> [f32x4; 4] {
        [f32x4::new(quad); 4]
    }

    #[inline(always)]
    fn fold(self, lines: [[f32x4; 4]; 4]) -> [f32x4; 4] {
        let mut folded = lines[0];
        for k in 0..4 {
            let [a, b, c, d] = lines[k];
            folded[k] = (a + c) + (b + d);
        }
        folded
    }

    #[inline(always)]
    fn transpose(self, rows: [[f32x4; 4]; 4]) -> [[f32x4; 4]; 4] {
        let mut columns = rows;
        for k in 0..4 {
            let square = f32x4::transpose([rows[0][k], rows[1][k], rows[2][k], rows[3][k]]);
            for i in 0..4 {
                columns[i][k] = square[i];
            }
        }
        columns
    }

    #[inline(always)]
    fn highest(self, a: [f32x4; 4]) -> f32 {
        highest(&self.store(a))
    }

    #[inline(never)]
    fn call<K: Task>(self, task: K) -> K::Output {
        task.run(self)
    }

    #[inline(always)]
    fn floor(self, row: &Row<f64>) -> Row<f64> {
        let mut floor = *row;
        for value in &mut floor {
            let nearest = (*value + UNITS) - UNITS;
            *value = nearest - if *value < nearest { 1.0 } else { 0.0 };
        }
        floor
    }

    #[inline(always)]
    fn fetch<K>(self, _: &K) {}
}

/// Work that is done in whichever registers there are.
pub(crate) trait Task {
    type Output;
    fn run<R: Registers>(self, registers: R) -> Self::Output;
}

/// A task as the library that finds registers wants it.
pub(crate) struct Run<K>(pub K);

/// The same in registers that are known: `N` of them hold sixteen numbers.
struct In<K, const N: usize>(K);

impl<K: Task> WithSimd for Run<K> {
    type Output = K::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> K::Output {
        if const { S::F32_LANES == 16 } {
            self.0.run(Of::<S, 1>(simd))
        } else if const { S::F32_LANES == 8 } {
            self.0.run(Of::<S, 2>(simd))
        } else {
            self.0.run(Quads)
        }
    }
}

impl<K: Task, const N: usize> WithSimd for In<K, N> {
    type Output = K::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> K::Output {
        self.0.run(Of::<S, N>(simd))
    }
}

/// Does a task in the widest registers there are; the variable `PLIANT_REGISTERS` may ask for 8 numbers or 4 instead of 16,
/// to compare.
pub(crate) fn dispatch<K: Task>(task: K) -> K::Output {
    static WIDEST: OnceLock<usize> = OnceLock::new();
    let widest = *WIDEST.get_or_init(|| {
        std::env::var("PLIANT_REGISTERS").ok().and_then(|width| width.parse().ok()).unwrap_or(LANES)
    });
    #[cfg(target_arch = "x86_64")]
    if let (8, Some(simd)) = (widest, pulp::x86::V3::try_new()) {
        return Simd::vectorize(simd, Run(task));
    }
    if widest < LANES { Quads.call(task) } else { Arch::new().dispatch(Run(task)) }
}
