//! Who is near whom now: edges to neighbours.

use crate::arrows::Row;
use crate::kernel::Kernel;
use crate::picked::{GROUP, Picked, Weight};
use crate::solid::Lane;
use crate::sorting::{Around, Sorting};
use pliant_math::parallel;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Where nobody is [cells].
const FAR: f32 = 1e6;
/// Particles of one block of edges.
const BLOCK: usize = parallel::BLOCK;

/// From a particle to one that is near it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// `V_j ∇W_ij`, which points at the neighbour [1/m]; a whole number of units.
    pub gradient: [f32; 3],
    /// Its place.
    pub to: u32,
}

/// Edges of all particles, in blocks that are built side by side.
#[derive(Debug, Default)]
pub(crate) struct Near {
    blocks: Vec<Block>,
    /// What gradients are counted in [1/m].
    pub unit: f32,
}

#[derive(Debug, Default)]
struct Block {
    starts: Vec<u32>,
    to: Vec<u32>,
    /// Three numbers for each edge, and one more, in units: what a pressure solve reads again and again comes from memory, and
    /// half of it is enough.
    gradient: Vec<i16>,
    distance: Vec<f32>,
    drag: Vec<f32>,
    weight: Vec<Weight>,
}

/// What edges are made of.
pub(crate) struct Rules<'a, F> {
    pub kernel: Kernel,
    /// Volumes by place [m³].
    pub volume: &'a [f32],
    /// One over masses by place [1/kg].
    pub inverse_mass: &'a [f32],
    /// Velocities by place [m/s]; the fourth number is 1 for fluids and 0 for others.
    pub velocity: &'a [Lane],
    /// Whether two places may be neighbours.
    pub related: F,
}

impl Near {
    /// All pairs closer than the support.
    pub fn find<F: Fn(usize, usize) -> bool + Sync>(&mut self, sorting: &Sorting, rules: &Rules<'_, F>) {
        self.blocks.resize_with(sorting.len().div_ceil(BLOCK), Block::default);
        let largest = rules.volume.iter().fold(0.0, |largest: f32, &volume| largest.max(volume));
        self.unit = (largest * rules.kernel.steepest() as f32 / f32::from(i16::MAX)).max(f32::MIN_POSITIVE);
        let unit = self.unit;
        self.blocks.par_iter_mut().enumerate().for_each(|(index, block)| {
            let places = index * BLOCK..sorting.len().min((index + 1) * BLOCK);
            Arch::new().dispatch(Search { block, sorting, rules, unit, places });
        });
    }

    /// The neighbours of a place with gradients in units, for sums.
    #[inline(always)]
    pub fn row(&self, place: usize) -> Row<'_, i16> {
        let block = &self.blocks[place / BLOCK];
        Row::new(&block.to, &block.gradient, block.range(place % BLOCK))
    }

    /// The edges of a place.
    #[inline]
    pub fn edges(&self, place: usize) -> impl Iterator<Item = Edge> + '_ {
        let real = |gradient: [f32; 3]| gradient.map(|g| g * self.unit);
        self.row(place).iter().map(move |(to, gradient)| Edge { gradient: real(gradient), to: to as u32 })
    }

    /// What the neighbours of a place add up to.
    #[inline]
    pub fn weight(&self, place: usize) -> Weight {
        self.blocks[place / BLOCK].weight[place % BLOCK]
    }

    /// What viscosity weighs the edges of a place by, `V_j w r²`, over the square of their gradients in units [1/m²].
    #[inline]
    pub fn drags(&self, place: usize) -> &[f32] {
        let block = &self.blocks[place / BLOCK];
        &block.drag[block.range(place % BLOCK)]
    }

    /// The edges of a place with their lengths [m].
    pub fn measured(&self, place: usize) -> impl Iterator<Item = (Edge, f32)> + '_ {
        let block = &self.blocks[place / BLOCK];
        self.edges(place).zip(block.distance[block.range(place % BLOCK)].iter().copied())
    }
}

/// A number for each edge, in blocks like the edges.
pub(crate) struct Weights(Vec<Vec<f32>>);

impl Weights {
    /// `weight(place, neighbour, drag)` of all edges.
    pub fn new(near: &Near, weight: impl Fn(usize, usize, f32) -> f32 + Sync) -> Self {
        let of_block = |(index, block): (usize, &Block)| {
            let mut weights = Vec::with_capacity(block.to.len());
            for k in 0..block.starts.len() - 1 {
                let i = index * BLOCK + k;
                let edges = block.range(k).map(|e| (block.to[e] as usize, block.drag[e]));
                weights.extend(edges.map(|(to, drag)| weight(i, to, drag)));
            }
            weights
        };
        Self(near.blocks.par_iter().enumerate().map(of_block).collect())
    }

    /// Those of a place.
    pub fn row(&self, near: &Near, place: usize) -> &[f32] {
        &self.0[place / BLOCK][near.blocks[place / BLOCK].range(place % BLOCK)]
    }
}

/// Particles around a cell, relative to it, so that they can be compared many at a time.
#[derive(Default)]
pub(crate) struct Surroundings {
    around: Around,
    pub place: Vec<u32>,
    /// Axis by axis [m].
    pub at: [Vec<f32>; 3],
}

impl Surroundings {
    /// Of a cell of this size.
    fn gather(&mut self, sorting: &Sorting, cell: usize, size: f32) {
        self.place.clear();
        self.at.iter_mut().for_each(Vec::clear);
        sorting.look_around(cell, &mut self.around);
        for (places, shift) in &self.around.cells {
            self.place.extend(places.start as u32..places.end as u32);
            for (axis, at) in self.at.iter_mut().enumerate() {
                let shift = shift[axis] * size;
                at.extend(sorting.local[axis][places.clone()].iter().map(|x| x + shift));
            }
        }
        // Whole groups, the last one filled with what is near nobody.
        let whole = self.place.len().next_multiple_of(GROUP);
        self.place.resize(whole, u32::MAX);
        self.at.iter_mut().for_each(|at| at.resize(whole, FAR * size));
    }
}

/// The search for the neighbours of a block.
struct Search<'a, 'b, F> {
    block: &'a mut Block,
    sorting: &'a Sorting,
    rules: &'a Rules<'b, F>,
    /// What gradients are counted in [1/m].
    unit: f32,
    places: std::ops::Range<usize>,
}

impl<F: Fn(usize, usize) -> bool> WithSimd for Search<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.block.find(simd, (self.sorting, self.rules, self.unit), self.places);
    }
}

impl Block {
    #[inline(always)]
    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.starts[k] as usize..self.starts[k + 1] as usize
    }

    #[inline(always)]
    fn find<S: Simd, F: Fn(usize, usize) -> bool>(
        &mut self,
        simd: S,
        (sorting, rules, unit): (&Sorting, &Rules<'_, F>, f32),
        places: std::ops::Range<usize>,
    ) {
        self.starts.clear();
        self.starts.push(0);
        self.to.clear();
        self.gradient.clear();
        self.distance.clear();
        self.drag.clear();
        self.weight.clear();
        let (mut home, mut around, mut picked) = (u32::MAX, Surroundings::default(), Picked::default());
        for i in places {
            if sorting.cell[i] != home {
                home = sorting.cell[i];
                around.gather(sorting, home as usize, rules.kernel.support as f32);
            }
            let here = std::array::from_fn(|axis| sorting.local[axis][i]);
            picked.pick(&around, (i, here), rules);
            self.weight.push(picked.weigh(simd, (&rules.kernel, unit), rules.velocity[i]));
            self.to.extend_from_slice(picked.to());
            picked.append(&mut self.gradient, (&mut self.distance, &mut self.drag));
            self.starts.push(self.to.len() as u32);
        }
        self.gradient.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_math::Vec3;

    #[test]
    fn the_same_neighbours_as_by_brute_force_also_far_away() {
        let mut state = 5u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        let cloud: Vec<Vec3> = (0..800).map(|_| Vec3::new(next(), next(), next())).collect();
        for shift in [0.0, -1.5, 1000.0] {
            let points: Vec<Vec3> = cloud.iter().map(|x| x + Vec3::repeat(shift)).collect();
            let mut sorting = Sorting::default();
            sorting.sort(&points, 0.15, |i| i != 3);
            let volume = vec![1.0; sorting.len()];
            let kernel = Kernel::new(0.15);
            let velocity = vec![[0.0; 4]; sorting.len()];
            let (volume, inverse_mass, velocity) = (&volume[..], &volume[..], &velocity[..]);
            let rules = Rules { kernel, volume, inverse_mass, velocity, related: |_, _| true };
            let mut near = Near::default();
            near.find(&sorting, &rules);
            for place in 0..sorting.len() {
                let i = sorting.order[place] as usize;
                let mut found: Vec<u32> =
                    near.edges(place).map(|edge| sorting.order[edge.to as usize]).collect();
                found.sort_unstable();
                let expected: Vec<u32> = (0..800u32)
                    .filter(|&j| j as usize != i && j != 3 && (points[j as usize] - points[i]).norm() < 0.15)
                    .collect();
                assert_eq!(found, expected, "of {i} at {shift}");
                let mut slope = Vec3::zeros();
                for (edge, distance) in near.measured(place) {
                    let offset = points[sorting.order[edge.to as usize] as usize] - points[i];
                    assert!((f64::from(distance) - offset.norm()).abs() < 1e-6);
                    let gradient = Vec3::from(edge.gradient.map(f64::from));
                    let expected = offset * Kernel::new(0.15).steepness(offset.norm());
                    // Each axis is rounded to a whole number of units.
                    assert!((gradient - expected).norm() < 1e-4 * expected.norm() + f64::from(near.unit));
                    slope += gradient;
                }
                let weight = near.weight(place);
                let distances = near.measured(place).map(|(_, distance)| f64::from(distance));
                let density: f64 = distances.map(|distance| kernel.value(distance)).sum();
                assert!((f64::from(weight.density) - density).abs() < 1e-4 * density.max(1.0));
                assert!(
                    (Vec3::from(weight.slope.map(f64::from)) - slope).norm() < 1e-2 + 1e-4 * slope.norm()
                );
            }
        }
    }
}
