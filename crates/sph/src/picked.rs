//! The neighbours of one particle side by side, and what they add up to.

use crate::kernel::Kernel;
use crate::near::Rules;
use crate::sixteen::{Sixteen, WIDE, sixteen_from, sixteen_of};
use crate::sorting::{Row, Rows, Sorting};
use nalgebra::Matrix3;
use pulp::Simd;

/// Added to a number of less than two to the power of 22 it leaves a whole number, which the last bits of the sum are.
const WHOLE: f32 = 12_582_912.0;
/// The square of half a unit: gradients below it are none.
const FAINT: f32 = 0.25;

/// What all neighbours of a place add up to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weight {
    /// `Σ_j V_j W_ij`.
    pub density: f32,
    /// `Σ_j V_j ∇W_ij` [1/m].
    pub slope: [f32; 3],
    /// `Σ_j |V_j ∇W_ij|²/m_j` [1/(kg m²)].
    pub yielding: f32,
    /// Share of the relative velocities of fluids around it that no affine motion explains: 0 in smooth flow, 1 in disorder.
    pub jostle: f32,
}

/// The neighbours of one place side by side, column by column. Behind them, up to whole groups of sixteen, are some without volume.
#[derive(Default)]
pub(crate) struct Picked {
    /// How many there are; columns are longer.
    count: usize,
    known: [Vec<f32>; KNOWN],
    traits: [Vec<f32>; TRAITS],
    found: [Vec<f32>; FOUND],
}

/// Columns that are taken up: offset along three axes, velocity along three axes, and place, in the bits of a number.
const KNOWN: usize = 7;
const APART: usize = 0;
const VELOCITY: usize = 3;
const PLACE: usize = 6;
/// A neighbour that is none: away from the particle, since one at no distance would point nowhere.
const NOBODY: [f32; KNOWN] = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];

/// Columns of what particles are, often all the same: volume, one over mass, and whether it is a fluid. Nobody has none of it.
pub(crate) const TRAITS: usize = 3;
const VOLUME: usize = 0;
const INVERSE_MASS: usize = 1;
const FLUID: usize = 2;

/// Columns that are computed: gradient in whole units and [`WHOLE`], drag, and `V |∇W| r`.
const FOUND: usize = 5;
const IMPORTANCE: usize = 4;

/// From place i to the sixteen from `first` on in a row: the same for both of a pair, but for the sign.
#[inline(always)]
fn apart<P: Sixteen>(
    sixteen: P,
    (sorting, i): (&Sorting, usize),
    (row, first): (&Row, usize),
) -> [P::Numbers; 3] {
    let size = sorting.size as f32;
    let from = |values: &[f32]| sixteen.minus(sixteen.take(sixteen_from(values, first)), values[i]);
    let ones = sixteen.take([1.0; WIDE]);
    [
        sixteen.times_plus(from(&sorting.column), size, from(&sorting.local[0])),
        sixteen.times_plus(ones, row.offset[0] * size, from(&sorting.local[1])),
        sixteen.times_plus(ones, row.offset[1] * size, from(&sorting.local[2])),
    ]
}

impl Picked {
    /// Takes up those closer than the support that are related.
    #[inline(always)]
    pub fn pick<P: Sixteen, F: Fn(usize, usize) -> bool>(
        &mut self,
        sixteen: P,
        (sorting, rows): (&Sorting, &Rows),
        (i, rules): (usize, &Rules<'_, F>),
    ) {
        self.make_room(rows.len() + 2 * WIDE);
        let support = rules.kernel.support as f32;
        let mut count = 0;
        for row in &rows.all {
            let mut first = row.places.start;
            while first < row.places.end {
                let apart = apart(sixteen, (sorting, i), (row, first));
                let left = row.places.end - first;
                let mut near = sixteen.below(sixteen.square(apart), support * support);
                near &= if left < WIDE { (1 << left) - 1 } else { u16::MAX };
                near &= if i.wrapping_sub(first) < WIDE { !(1 << (i - first)) } else { u16::MAX };
                if let Some(related) = &rules.related {
                    near = keep(near, |lane| related(i, first + lane));
                }
                if near != 0 {
                    self.take_up(sixteen, (near, apart), (first, rules), count);
                    count += near.count_ones() as usize;
                }
                first += WIDE;
            }
        }
        if let Some(same) = &rules.same {
            for (column, value) in self.traits.iter_mut().zip(same) {
                column[..count].fill(*value);
            }
        }
        self.end(count);
    }

    fn make_room(&mut self, most: usize) {
        if self.known[0].len() < most {
            self.known.iter_mut().chain(&mut self.traits).for_each(|column| column.resize(most, 0.0));
            self.found.iter_mut().for_each(|column| column.resize(most, WHOLE));
        }
    }

    /// Appends those of the sixteen from `first` on that are near.
    #[inline(always)]
    fn take_up<P: Sixteen, F: Fn(usize, usize) -> bool>(
        &mut self,
        sixteen: P,
        (near, [along, across, up]): (u16, [P::Numbers; 3]),
        (first, rules): (usize, &Rules<'_, F>),
        count: usize,
    ) {
        let [vx, vy, vz] = rules.velocity;
        let mut place = [0.0; WIDE];
        for (lane, place) in place.iter_mut().enumerate() {
            *place = f32::from_bits((first + lane) as u32);
        }
        let from = [
            along,
            across,
            up,
            sixteen.take(sixteen_from(vx, first)),
            sixteen.take(sixteen_from(vy, first)),
            sixteen.take(sixteen_from(vz, first)),
            sixteen.take(place),
        ];
        sixteen.pack(near, &from, (&mut self.known, count));
        if rules.same.is_none() {
            let [volume, inverse_mass, fluid] = rules.traits;
            let from = [
                sixteen.take(sixteen_from(volume, first)),
                sixteen.take(sixteen_from(inverse_mass, first)),
                sixteen.take(sixteen_from(fluid, first)),
            ];
            sixteen.pack(near, &from, (&mut self.traits, count));
        }
    }

    /// Puts nobody behind the last one.
    #[inline(always)]
    fn end(&mut self, count: usize) {
        for (column, value) in self.known.iter_mut().zip(&NOBODY) {
            *sixteen_of(column, count) = [*value; WIDE];
        }
        for column in &mut self.traits {
            *sixteen_of(column, count) = [0.0; WIDE];
        }
        self.count = count;
    }

    /// Appends places, gradients and drags of all edges, and of nobody up to whole groups of `side_by_side`; returns how many are
    /// real.
    #[inline(always)]
    pub fn append<P: Sixteen>(
        &self,
        sixteen: P,
        (to, gradients, drags): (&mut Vec<u32>, &mut Vec<i16>, &mut Vec<f32>),
        side_by_side: usize,
    ) -> usize {
        let end = to.len() + self.count.next_multiple_of(side_by_side);
        let mut first = 0;
        while first < self.count {
            let [x, y, z, drag, _] = &self.found;
            let vectors = [sixteen_from(x, first), sixteen_from(y, first), sixteen_from(z, first)];
            let place = sixteen_from(&self.known[PLACE], first);
            let mut places = [0; WIDE];
            for k in 0..WIDE {
                places[k] = place[k].to_bits();
            }
            // Sixteen at a time, and what is too much taken back: copies of a known length need no call.
            gradients.extend_from_slice(&sixteen.interleave(&vectors));
            to.extend_from_slice(&places);
            drags.extend_from_slice(&sixteen_from(drag, first));
            first += WIDE;
        }
        to.truncate(end);
        gradients.truncate(3 * end);
        drags.truncate(end);
        self.count
    }

    /// Finds distances and gradients, and what they add up to around a particle of a velocity.
    #[inline(always)]
    pub fn weigh<S: Simd>(&mut self, simd: S, (kernel, unit): (&Kernel, f32), velocity: [f32; 3]) -> Weight {
        let zero = simd.splat_f32s(0.0);
        let (whole, units) = (simd.splat_f32s(WHOLE), simd.splat_f32s(1.0 / unit));
        let (mut density, mut yielding, mut slope) = (zero, zero, [zero; 3]);
        let groups = ..self.count.next_multiple_of(WIDE);
        let [gx, gy, gz, drag, importance] = &mut self.found;
        let gradient = [
            S::as_mut_simd_f32s(&mut gx[groups]).0,
            S::as_mut_simd_f32s(&mut gy[groups]).0,
            S::as_mut_simd_f32s(&mut gz[groups]).0,
        ];
        let drag = S::as_mut_simd_f32s(&mut drag[groups]).0;
        let importance = S::as_mut_simd_f32s(&mut importance[groups]).0;
        let known = lanes::<S, KNOWN>(&self.known, self.count);
        let traits = lanes::<S, TRAITS>(&self.traits, self.count);
        let (volume, inverse_mass) = (traits[VOLUME], traits[INVERSE_MASS]);
        for k in 0..drag.len() {
            let apart = [known[APART][k], known[APART + 1][k], known[APART + 2][k]];
            let square = dot(simd, apart, apart);
            let r = simd.sqrt_f32s(square);
            let (value, steepness) = kernel.of_many(simd, r);
            let steepness = simd.mul_f32s(volume[k], steepness);
            let mut here = times(simd, simd.mul_f32s(steepness, units), apart);
            importance[k] = simd.mul_f32s(steepness, square);
            for axis in 0..3 {
                gradient[axis][k] = simd.add_f32s(here[axis], whole);
                here[axis] = simd.sub_f32s(gradient[axis][k], whole);
                slope[axis] = simd.add_f32s(slope[axis], here[axis]);
            }
            density = simd.mul_add_e_f32s(volume[k], value, density);
            let length = dot(simd, here, here);
            yielding = simd.mul_add_e_f32s(length, inverse_mass[k], yielding);
            let pull = simd.mul_f32s(simd.mul_f32s(volume[k], square), kernel.drag_of_many(simd, r));
            drag[k] = simd.div_f32s(pull, simd.max_f32s(length, simd.splat_f32s(FAINT)));
        }
        Weight {
            density: simd.reduce_sum_f32s(density),
            slope: totals(simd, slope).map(|slope| slope * unit),
            yielding: simd.reduce_sum_f32s(yielding) * unit * unit,
            jostle: self.jostle(simd, velocity),
        }
    }

    /// How badly an affine motion fits the velocities around a particle, by least squares with the weights `V |∇W| r`.
    #[inline(always)]
    fn jostle<S: Simd>(&self, simd: S, [x, y, z]: [f32; 3]) -> f32 {
        let zero = simd.splat_f32s(0.0);
        let (mut moment, mut mixed, mut square) = ([zero; 6], [zero; 9], zero);
        let here = [simd.splat_f32s(x), simd.splat_f32s(y), simd.splat_f32s(z)];
        let known = lanes::<S, KNOWN>(&self.known, self.count);
        let fluid = lanes::<S, TRAITS>(&self.traits, self.count)[FLUID];
        let importance = lanes::<S, FOUND>(&self.found, self.count)[IMPORTANCE];
        for k in 0..importance.len() {
            let offset = [known[APART][k], known[APART + 1][k], known[APART + 2][k]];
            let weight = simd.mul_f32s(importance[k], fluid[k]);
            let along = times(simd, weight, offset);
            for (sum, (a, b)) in moment.iter_mut().zip([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]) {
                *sum = simd.mul_add_e_f32s(along[a], offset[b], *sum);
            }
            for row in 0..3 {
                let faster = simd.sub_f32s(known[VELOCITY + row][k], here[row]);
                for column in 0..3 {
                    let sum = &mut mixed[3 * column + row];
                    *sum = simd.mul_add_e_f32s(faster, along[column], *sum);
                }
                square = simd.mul_add_e_f32s(simd.mul_f32s(weight, faster), faster, square);
            }
        }
        let [xx, yy, zz, xy, xz, yz] = totals(simd, moment);
        let moment = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let mixed = Matrix3::from_column_slice(&totals(simd, mixed));
        let explained = moment.try_inverse().map_or(0.0, |inverse| (mixed * inverse).dot(&mixed));
        let share = 1.0 - explained / simd.reduce_sum_f32s(square).max(f32::MIN_POSITIVE);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 }
    }
}

#[inline(always)]
fn dot<S: Simd>(simd: S, a: [S::f32s; 3], b: [S::f32s; 3]) -> S::f32s {
    simd.mul_add_e_f32s(a[0], b[0], simd.mul_add_e_f32s(a[1], b[1], simd.mul_f32s(a[2], b[2])))
}

#[inline(always)]
fn times<S: Simd>(simd: S, a: S::f32s, b: [S::f32s; 3]) -> [S::f32s; 3] {
    [simd.mul_f32s(a, b[0]), simd.mul_f32s(a, b[1]), simd.mul_f32s(a, b[2])]
}

/// Columns of so many as registers, filled up to whole groups. Loops, because the closures of `map` would not be compiled for the
/// registers there are.
#[inline(always)]
fn lanes<S: Simd, const N: usize>(columns: &[Vec<f32>; N], count: usize) -> [&[S::f32s]; N] {
    let mut lanes: [&[S::f32s]; N] = [&[]; N];
    for (lanes, column) in lanes.iter_mut().zip(columns) {
        *lanes = S::as_simd_f32s(&column[..count.next_multiple_of(WIDE)]).0;
    }
    lanes
}

/// Those bits of which `is_kept` is true.
#[inline(always)]
fn keep(bits: u16, is_kept: impl Fn(usize) -> bool) -> u16 {
    let (mut left, mut kept) = (bits, 0);
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        kept |= u16::from(is_kept(lane)) << lane;
    }
    kept
}

/// Sums over lanes.
#[inline(always)]
fn totals<S: Simd, const N: usize>(simd: S, sums: [S::f32s; N]) -> [f32; N] {
    let mut totals = [0.0; N];
    for (total, sum) in totals.iter_mut().zip(sums) {
        *total = simd.reduce_sum_f32s(sum);
    }
    totals
}
