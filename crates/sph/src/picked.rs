//! The neighbours of one particle side by side, and what they add up to.

use crate::kernel::Kernel;
use crate::near::{Rules, Surroundings};
use crate::solid::Lane;
use nalgebra::Matrix3;
use pulp::Simd;
use wide::f32x8;

/// Particles that are compared at a time.
pub(crate) const GROUP: usize = 8;
/// Groups whose comparisons are looked at together.
const WORD: usize = 8;
/// Neighbours that are weighed at a time.
const WIDE: usize = 16;
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

/// The neighbours of one place, in groups.
#[derive(Default)]
pub(crate) struct Picked {
    /// How many there are; vectors may be longer.
    count: usize,
    to: Vec<u32>,
    /// Which of those around they are.
    candidate: Vec<u32>,
    groups: Vec<Group>,
}

/// Some neighbours; what is not filled has no volume.
#[derive(Clone, Copy)]
struct Group {
    apart: [[f32; WIDE]; 3],
    volume: [f32; WIDE],
    inverse_mass: [f32; WIDE],
    velocity: [[f32; WIDE]; 4],
    distance: [f32; WIDE],
    drag: [f32; WIDE],
    /// Whole units, and [`WHOLE`].
    gradient: [[f32; WIDE]; 3],
    /// `V |∇W| r`.
    importance: [f32; WIDE],
}

impl Group {
    const EMPTY: Self = Self {
        apart: [[1.0; WIDE]; 3],
        volume: [0.0; WIDE],
        inverse_mass: [0.0; WIDE],
        velocity: [[0.0; WIDE]; 4],
        distance: [0.0; WIDE],
        drag: [0.0; WIDE],
        gradient: [[WHOLE; WIDE]; 3],
        importance: [0.0; WIDE],
    };

    /// Leaves nobody in the lanes from `first` on.
    #[inline(always)]
    fn empty(&mut self, first: usize) {
        for lane in first..WIDE {
            (self.volume[lane], self.inverse_mass[lane], self.velocity[3][lane]) = (0.0, 0.0, 0.0);
            for axis in 0..3 {
                (self.apart[axis][lane], self.velocity[axis][lane]) = (1.0, 0.0);
            }
        }
    }
}

impl Picked {
    /// Takes up those closer than the support that are related.
    #[inline(always)]
    pub fn pick<F: Fn(usize, usize) -> bool>(
        &mut self,
        around: &Surroundings,
        (i, here): (usize, [f32; 3]),
        rules: &Rules<'_, F>,
    ) {
        if self.to.len() < around.place.len() {
            self.to.resize(around.place.len(), 0);
            self.candidate.resize(around.place.len(), 0);
            self.groups.resize(around.place.len().div_ceil(WIDE), Group::EMPTY);
        }
        let mut count = 0;
        let [x, y, z] = here.map(f32x8::splat);
        let support = rules.kernel.support as f32;
        let limit = f32x8::splat(support * support);
        let groups = |axis: usize| around.at[axis].as_chunks::<GROUP>().0;
        let found = groups(0).chunks(WORD).zip(groups(1).chunks(WORD)).zip(groups(2).chunks(WORD));
        for (word, ((xs, ys), zs)) in found.enumerate() {
            // Many comparisons at a time: how many particles of a few are near is what branches cannot foresee.
            let mut near = 0u64;
            for (group, ((xs, ys), zs)) in xs.iter().zip(ys).zip(zs).enumerate() {
                let (dx, dy, dz) = (f32x8::new(*xs) - x, f32x8::new(*ys) - y, f32x8::new(*zs) - z);
                let square = dx * dx + dy * dy + dz * dz;
                near |= u64::from(square.simd_lt(limit).to_bitmask()) << (GROUP * group);
            }
            while near != 0 {
                let candidate = GROUP * WORD * word + near.trailing_zeros() as usize;
                near &= near - 1;
                let j = around.place[candidate];
                // Written in any case, kept or not: nothing to foresee here either.
                (self.to[count], self.candidate[count]) = (j, candidate as u32);
                count += usize::from(j as usize != i && (rules.related)(i, j as usize));
            }
        }
        self.count = count;
        self.take(around, here, rules);
    }

    /// Takes up what is known of them.
    #[inline(always)]
    fn take<F>(&mut self, around: &Surroundings, here: [f32; 3], rules: &Rules<'_, F>) {
        let found = self.to[..self.count].chunks(WIDE).zip(self.candidate[..self.count].chunks(WIDE));
        for (group, (to, candidates)) in self.groups.iter_mut().zip(found) {
            for (lane, (&j, &candidate)) in to.iter().zip(candidates).enumerate() {
                let (j, candidate) = (j as usize, candidate as usize);
                for (apart, (at, here)) in group.apart.iter_mut().zip(around.at.iter().zip(here)) {
                    apart[lane] = at[candidate] - here;
                }
                group.volume[lane] = rules.volume[j];
                group.inverse_mass[lane] = rules.inverse_mass[j];
                for (velocity, value) in group.velocity.iter_mut().zip(rules.velocity[j]) {
                    velocity[lane] = value;
                }
            }
            group.empty(to.len());
        }
    }

    /// Their places.
    #[inline(always)]
    pub fn to(&self) -> &[u32] {
        &self.to[..self.count]
    }

    /// Appends gradients, lengths and drags of all edges.
    #[inline(always)]
    pub fn append(&self, gradients: &mut Vec<i16>, (distances, drags): (&mut Vec<f32>, &mut Vec<f32>)) {
        let mut left = self.count;
        for group in &self.groups[..self.count.div_ceil(WIDE)] {
            let count = left.min(WIDE);
            let mut packed = [0; 3 * WIDE];
            for (k, packed) in packed.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                *packed = [group.gradient[0][k], group.gradient[1][k], group.gradient[2][k]]
                    .map(|whole| whole.to_bits() as i16);
            }
            gradients.extend_from_slice(&packed[..3 * count]);
            distances.extend_from_slice(&group.distance[..count]);
            drags.extend_from_slice(&group.drag[..count]);
            left -= count;
        }
    }

    /// Finds distances and gradients, and what they add up to around a particle of a velocity.
    #[inline(always)]
    pub fn weigh<S: Simd>(&mut self, simd: S, (kernel, unit): (&Kernel, f32), velocity: Lane) -> Weight {
        let zero = simd.splat_f32s(0.0);
        let (whole, units) = (simd.splat_f32s(WHOLE), simd.splat_f32s(1.0 / unit));
        let (mut density, mut yielding, mut slope) = (zero, zero, [zero; 3]);
        for group in &mut self.groups[..self.count.div_ceil(WIDE)] {
            let [gx, gy, gz] = &mut group.gradient;
            let gradient = [S::as_mut_simd_f32s(gx).0, S::as_mut_simd_f32s(gy).0, S::as_mut_simd_f32s(gz).0];
            let apart = lanes::<S, 3>(&group.apart);
            let distance = S::as_mut_simd_f32s(&mut group.distance).0;
            let drag = S::as_mut_simd_f32s(&mut group.drag).0;
            let importance = S::as_mut_simd_f32s(&mut group.importance).0;
            let (volume, inverse_mass) =
                (S::as_simd_f32s(&group.volume).0, S::as_simd_f32s(&group.inverse_mass).0);
            for k in 0..distance.len() {
                let apart = [apart[0][k], apart[1][k], apart[2][k]];
                let square = dot(simd, apart, apart);
                let r = simd.sqrt_f32s(square);
                let (value, steepness) = kernel.of_many(simd, r);
                let steepness = simd.mul_f32s(volume[k], steepness);
                let mut here = times(simd, simd.mul_f32s(steepness, units), apart);
                distance[k] = r;
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
    fn jostle<S: Simd>(&self, simd: S, velocity: Lane) -> f32 {
        let zero = simd.splat_f32s(0.0);
        let (mut moment, mut mixed, mut square) = ([zero; 6], [zero; 9], zero);
        let [x, y, z, _] = velocity;
        let here = [simd.splat_f32s(x), simd.splat_f32s(y), simd.splat_f32s(z)];
        for group in &self.groups[..self.count.div_ceil(WIDE)] {
            let (apart, velocity) = (lanes::<S, 3>(&group.apart), lanes::<S, 4>(&group.velocity));
            let importance = S::as_simd_f32s(&group.importance).0;
            for k in 0..apart[0].len() {
                let offset = [apart[0][k], apart[1][k], apart[2][k]];
                let weight = simd.mul_f32s(importance[k], velocity[3][k]);
                let along = times(simd, weight, offset);
                for (sum, (a, b)) in moment.iter_mut().zip([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]) {
                    *sum = simd.mul_add_e_f32s(along[a], offset[b], *sum);
                }
                for row in 0..3 {
                    let faster = simd.sub_f32s(velocity[row][k], here[row]);
                    for column in 0..3 {
                        let sum = &mut mixed[3 * column + row];
                        *sum = simd.mul_add_e_f32s(faster, along[column], *sum);
                    }
                    square = simd.mul_add_e_f32s(simd.mul_f32s(weight, faster), faster, square);
                }
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

/// Rows as registers. Loops, because the closures of `map` would not be compiled for the registers there are.
#[inline(always)]
fn lanes<S: Simd, const N: usize>(rows: &[[f32; WIDE]; N]) -> [&[S::f32s]; N] {
    let mut lanes: [&[S::f32s]; N] = [&[]; N];
    for (lanes, row) in lanes.iter_mut().zip(rows) {
        *lanes = S::as_simd_f32s(row).0;
    }
    lanes
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
