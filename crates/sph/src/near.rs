//! Who is near whom now: edges to neighbours.

use crate::arrows::{Row, SIDE_BY_SIDE, SLACK};
use crate::kernel::Kernel;
use crate::picked::{Picked, TRAITS, Weight};
use crate::sixteen::{Plain, Sixteen};
use crate::sorting::{Rows, Sorting};
use pliant_math::parallel;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

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
    /// Where the edges of each place start. After them are some without gradient and drag, up to a whole number of groups.
    starts: Vec<u32>,
    /// How many edges a place has.
    counts: Vec<u32>,
    to: Vec<u32>,
    /// Three numbers for each edge, and [`SLACK`] more, in units: what a pressure solve reads again and again comes from memory, and
    /// half of it is enough.
    gradient: Vec<i16>,
    drag: Vec<f32>,
    weight: Vec<Weight>,
}

/// What edges are made of. Columns end with sixteen numbers more.
pub(crate) struct Rules<'a, F> {
    pub kernel: Kernel,
    /// By place: volumes [m³], one over masses [1/kg], and 1 for fluids and 0 for others.
    pub traits: [&'a [f32]; TRAITS],
    /// These, if they are the same for all: they need not be looked up then.
    pub same: Option<[f32; TRAITS]>,
    /// Velocities by place, axis by axis [m/s].
    pub velocity: [&'a [f32]; 3],
    /// Whether two places may be neighbours; all may if none.
    pub related: Option<F>,
}

impl Near {
    /// All pairs closer than the support.
    pub fn find<F: Fn(usize, usize) -> bool + Sync>(&mut self, sorting: &Sorting, rules: &Rules<'_, F>) {
        self.blocks.resize_with(sorting.len().div_ceil(BLOCK), Block::default);
        let largest =
            rules.traits[0][..sorting.len()].iter().fold(0.0, |largest: f32, &volume| largest.max(volume));
        self.unit = (largest * rules.kernel.steepest() as f32 / f32::from(i16::MAX)).max(f32::MIN_POSITIVE);
        let unit = self.unit;
        self.blocks.par_iter_mut().enumerate().for_each(|(index, block)| {
            let places = index * BLOCK..sorting.len().min((index + 1) * BLOCK);
            Search { block, sorting, rules, unit, places }.run();
        });
    }

    /// The neighbours of a place with gradients in units, for sums, and some without gradient.
    #[inline(always)]
    pub fn row(&self, place: usize) -> Row<'_, i16> {
        let block = &self.blocks[place / BLOCK];
        Row::new(&block.to, &block.gradient, block.range(place % BLOCK))
    }

    /// The edges of a place.
    #[inline]
    pub fn edges(&self, place: usize) -> impl Iterator<Item = Edge> + '_ {
        let real = |gradient: [f32; 3]| gradient.map(|g| g * self.unit);
        let count = self.blocks[place / BLOCK].counts[place % BLOCK] as usize;
        self.row(place)
            .iter()
            .take(count)
            .map(move |(to, gradient)| Edge { gradient: real(gradient), to: to as u32 })
    }

    /// What the neighbours of a place add up to.
    #[inline]
    pub fn weight(&self, place: usize) -> Weight {
        self.blocks[place / BLOCK].weight[place % BLOCK]
    }

    /// What viscosity weighs the edges of a row by, `V_j w r²`, over the square of their gradients in units [1/m²].
    #[inline]
    pub fn drags(&self, place: usize) -> &[f32] {
        let block = &self.blocks[place / BLOCK];
        &block.drag[block.range(place % BLOCK)]
    }

    /// The edges of a place with their lengths [m].
    pub fn measured<'a>(
        &'a self,
        sorting: &'a Sorting,
        place: usize,
    ) -> impl Iterator<Item = (Edge, f32)> + 'a {
        self.edges(place).map(move |edge| (edge, sorting.distance(place, edge.to as usize)))
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

/// The search for the neighbours of a block.
struct Search<'a, 'b, F> {
    block: &'a mut Block,
    sorting: &'a Sorting,
    rules: &'a Rules<'b, F>,
    /// What gradients are counted in [1/m].
    unit: f32,
    places: std::ops::Range<usize>,
}

impl<F: Fn(usize, usize) -> bool> Search<'_, '_, F> {
    fn run(self) {
        match Arch::new() {
            #[cfg(target_arch = "x86_64")]
            Arch::V4(simd) => simd.vectorize(InWide { search: self, simd }),
            arch => arch.dispatch(self),
        }
    }
}

impl<F: Fn(usize, usize) -> bool> WithSimd for Search<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.block.find((simd, Plain), (self.sorting, self.rules, self.unit), self.places);
    }
}

/// The search in registers of sixteen.
#[cfg(target_arch = "x86_64")]
struct InWide<'a, 'b, F> {
    search: Search<'a, 'b, F>,
    simd: pulp::x86::V4,
}

#[cfg(target_arch = "x86_64")]
impl<F: Fn(usize, usize) -> bool> pulp::NullaryFnOnce for InWide<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { search, simd } = self;
        search.block.find((simd, simd), (search.sorting, search.rules, search.unit), search.places);
    }
}

impl Block {
    #[inline(always)]
    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.starts[k] as usize..self.starts[k + 1] as usize
    }

    #[inline(always)]
    fn find<S: Simd, P: Sixteen, F: Fn(usize, usize) -> bool>(
        &mut self,
        (simd, sixteen): (S, P),
        (sorting, rules, unit): (&Sorting, &Rules<'_, F>, f32),
        places: std::ops::Range<usize>,
    ) {
        self.starts.clear();
        self.starts.push(0);
        self.counts.clear();
        self.to.clear();
        self.gradient.clear();
        self.drag.clear();
        self.weight.clear();
        let (mut home, mut rows, mut picked) = (u32::MAX, Rows::default(), Picked::default());
        for i in places {
            if sorting.cell[i] != home {
                home = sorting.cell[i];
                sorting.look_around(home as usize, &mut rows);
            }
            picked.pick(sixteen, (sorting, &rows), (i, rules));
            let velocity = [rules.velocity[0][i], rules.velocity[1][i], rules.velocity[2][i]];
            self.weight.push(picked.weigh(simd, (&rules.kernel, unit), velocity));
            let edges = (&mut self.to, &mut self.gradient, &mut self.drag);
            self.counts.push(picked.append(sixteen, edges, SIDE_BY_SIDE) as u32);
            self.starts.push(self.to.len() as u32);
        }
        self.gradient.extend([0; SLACK]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sixteen::WIDE;
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
            let volume = vec![1.0; sorting.len() + WIDE];
            let kernel = Kernel::new(0.15);
            let volume = &volume[..];
            let related = Some(|i: usize, j: usize| i + j != 40);
            let rules = Rules { kernel, traits: [volume; 3], same: None, velocity: [volume; 3], related };
            let mut near = Near::default();
            near.find(&sorting, &rules);
            for place in 0..sorting.len() {
                let i = sorting.order[place] as usize;
                let unrelated = 40usize.checked_sub(place).map(|other| sorting.order[other]);
                let mut found: Vec<u32> =
                    near.edges(place).map(|edge| sorting.order[edge.to as usize]).collect();
                found.sort_unstable();
                let expected: Vec<u32> = (0..800u32)
                    .filter(|&j| j as usize != i && j != 3 && Some(j) != unrelated)
                    .filter(|&j| (points[j as usize] - points[i]).norm() < 0.15)
                    .collect();
                assert_eq!(found, expected, "of {i} at {shift}");
                let mut slope = Vec3::zeros();
                for (edge, distance) in near.measured(&sorting, place) {
                    let offset = points[sorting.order[edge.to as usize] as usize] - points[i];
                    assert!((f64::from(distance) - offset.norm()).abs() < 1e-6);
                    let gradient = Vec3::from(edge.gradient.map(f64::from));
                    let expected = offset * Kernel::new(0.15).steepness(offset.norm());
                    // Each axis is rounded to a whole number of units.
                    assert!((gradient - expected).norm() < 1e-4 * expected.norm() + f64::from(near.unit));
                    slope += gradient;
                }
                let weight = near.weight(place);
                let distances = near.measured(&sorting, place).map(|(_, distance)| f64::from(distance));
                let density: f64 = distances.map(|distance| kernel.value(distance)).sum();
                assert!((f64::from(weight.density) - density).abs() < 1e-4 * density.max(1.0));
                assert!(
                    (Vec3::from(weight.slope.map(f64::from)) - slope).norm() < 1e-2 + 1e-4 * slope.norm()
                );
            }
        }
    }

    #[test]
    fn any_machine_finds_what_wide_registers_find() {
        let points: Vec<Vec3> = (0..900)
            .map(|k: u32| Vec3::from([7919u32, 104_729, 1_299_709].map(|p| f64::from(k * p % 1009) / 1009.0)))
            .collect();
        let mut sorting = Sorting::default();
        sorting.sort(&points, 0.2, |_| true);
        let ones = vec![1.0; points.len() + WIDE];
        let related = None::<fn(usize, usize) -> bool>;
        let (velocity, kernel) = ([&ones[..], &sorting.local[1], &ones[..]], Kernel::new(0.2));
        let traits = [&ones[..]; TRAITS];
        let rules = Rules { kernel, traits, same: Some([1.0; TRAITS]), velocity, related };
        let mut near = Near::default();
        near.find(&sorting, &rules);
        let mut plain = Block::default();
        let search =
            Search { block: &mut plain, sorting: &sorting, rules: &rules, unit: near.unit, places: 0..BLOCK };
        search.with_simd(pulp::Scalar::new());
        let wide = &near.blocks[0];
        assert!(
            plain.counts == wide.counts
                && plain.starts == wide.starts
                && plain.to == wide.to
                && plain.to.len() > 20 * BLOCK
        );
        // Fused or not, a number on the edge may fall to either side.
        assert!(plain.gradient.iter().zip(&wide.gradient).all(|(a, b)| a.abs_diff(*b) <= 1));
    }

    #[test]
    fn gradients_of_a_pair_are_opposite_to_the_last_bit() {
        let points: Vec<Vec3> = (0..300)
            .map(|k: u32| Vec3::from([7919u32, 104_729, 1_299_709].map(|p| f64::from(k * p % 1009) / 1009.0)))
            .collect();
        let mut sorting = Sorting::default();
        sorting.sort(&points, 0.3, |_| true);
        let ones = vec![1.0; points.len() + WIDE];
        let (velocity, related) = ([&ones[..]; 3], None::<fn(usize, usize) -> bool>);
        let kernel = Kernel::new(0.3);
        let traits = [&ones[..]; TRAITS];
        let rules = Rules { kernel, traits, same: Some([1.0; TRAITS]), velocity, related };
        let mut near = Near::default();
        near.find(&sorting, &rules);
        for place in 0..points.len() {
            for edge in near.edges(place) {
                let back = near.edges(edge.to as usize).find(|back| back.to as usize == place).unwrap();
                assert_eq!(back.gradient, edge.gradient.map(|g| -g));
            }
        }
    }
}
