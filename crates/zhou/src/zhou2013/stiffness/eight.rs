//! Eight single-precision numbers that are worked on together, in the widest registers the machine has. Every variant
//! rounds each number the same way, so the choice does not change a bit of a result.

/// Numbers worked on together.
pub(super) const LANES: usize = 8;

/// Work that is compiled for all registers.
pub(super) trait Task {
    fn run(self, eight: impl Eight);
}

/// Ways to work on eight numbers.
pub(super) trait Eight: Copy {
    type Numbers: Copy;

    fn splat(self, value: f32) -> Self::Numbers;
    fn load(self, values: &[f32; LANES]) -> Self::Numbers;
    fn store(self, numbers: Self::Numbers, place: &mut [f32; LANES]);
    fn add(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn sub(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    fn mul(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// `a b + c`, rounded once.
    fn mul_add(self, a: Self::Numbers, b: Self::Numbers, c: Self::Numbers) -> Self::Numbers;
    /// Numbers whose bit is set, zero elsewhere.
    fn keep(self, numbers: Self::Numbers, bits: u8) -> Self::Numbers;
}

/// All bits of each lane that a byte names.
const KEPT: [[u32; LANES]; 256] = {
    let mut table = [[0; LANES]; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut lane = 0;
        while lane < LANES {
            table[bits][lane] = if bits >> lane & 1 == 1 { u32::MAX } else { 0 };
            lane += 1;
        }
        bits += 1;
    }
    table
};

/// Registers in use.
#[derive(Clone, Copy, Debug)]
pub(super) enum Registers {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    /// The same instructions with twice as many registers: no sum has to wait in memory.
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
}

impl Registers {
    /// The best this machine has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx512) = pulp::x86::V4::try_new() {
            return Self::Avx512(avx512);
        } else if let Some(avx2) = pulp::x86::V3::try_new() {
            return Self::Avx2(avx2);
        }
        Self::Portable
    }

    /// Runs a task on them.
    #[inline(always)]
    pub fn run(self, task: impl Task) {
        match self {
            Self::Portable => task.run(Portable),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => simd.vectorize(avx2::Compiled { simd, task }),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => simd.vectorize(avx2::Compiled { simd: *simd, task }),
        }
    }
}

/// Registers every machine of a kind has.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Eight for Portable {
    type Numbers = wide::f32x8;

    #[inline(always)]
    fn splat(self, value: f32) -> wide::f32x8 {
        wide::f32x8::splat(value)
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> wide::f32x8 {
        wide::f32x8::new(*values)
    }

    #[inline(always)]
    fn store(self, numbers: wide::f32x8, place: &mut [f32; LANES]) {
        *place = numbers.to_array();
    }

    #[inline(always)]
    fn add(self, a: wide::f32x8, b: wide::f32x8) -> wide::f32x8 {
        a + b
    }

    #[inline(always)]
    fn sub(self, a: wide::f32x8, b: wide::f32x8) -> wide::f32x8 {
        a - b
    }

    #[inline(always)]
    fn mul(self, a: wide::f32x8, b: wide::f32x8) -> wide::f32x8 {
        a * b
    }

    /// Number by number: lanes would round the product where a machine cannot do both at once.
    #[inline(always)]
    fn mul_add(self, a: wide::f32x8, b: wide::f32x8, c: wide::f32x8) -> wide::f32x8 {
        let (a, b, c) = (a.to_array(), b.to_array(), c.to_array());
        wide::f32x8::new(std::array::from_fn(|lane| a[lane].mul_add(b[lane], c[lane])))
    }

    #[inline(always)]
    fn keep(self, numbers: wide::f32x8, bits: u8) -> wide::f32x8 {
        let kept = &KEPT[usize::from(bits)];
        let values = numbers.to_array();
        wide::f32x8::new(std::array::from_fn(|lane| f32::from_bits(values[lane].to_bits() & kept[lane])))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Eight, KEPT, LANES, Task};
    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, Simd, f32x8};

    /// A task, compiled with these instructions.
    pub(super) struct Compiled<T> {
        pub simd: V3,
        pub task: T,
    }

    impl<T: Task> NullaryFnOnce for Compiled<T> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            self.task.run(self.simd);
        }
    }

    impl Eight for V3 {
        type Numbers = f32x8;

        #[inline(always)]
        fn splat(self, value: f32) -> f32x8 {
            self.splat_f32s(value)
        }

        #[inline(always)]
        fn load(self, values: &[f32; LANES]) -> f32x8 {
            Self::as_simd_f32s(values).0[0]
        }

        #[inline(always)]
        fn store(self, numbers: f32x8, place: &mut [f32; LANES]) {
            Self::as_mut_simd_f32s(place).0[0] = numbers;
        }

        #[inline(always)]
        fn add(self, a: f32x8, b: f32x8) -> f32x8 {
            self.add_f32s(a, b)
        }

        #[inline(always)]
        fn sub(self, a: f32x8, b: f32x8) -> f32x8 {
            self.sub_f32s(a, b)
        }

        #[inline(always)]
        fn mul(self, a: f32x8, b: f32x8) -> f32x8 {
            self.mul_f32s(a, b)
        }

        #[inline(always)]
        fn mul_add(self, a: f32x8, b: f32x8, c: f32x8) -> f32x8 {
            self.mul_add_f32s(a, b, c)
        }

        #[inline(always)]
        fn keep(self, numbers: f32x8, bits: u8) -> f32x8 {
            let kept = Self::as_simd_u32s(&KEPT[usize::from(bits)]).0[0];
            self.transmute_f32s_u32s(self.and_u32s(self.transmute_u32s_f32s(numbers), kept))
        }
    }
}
