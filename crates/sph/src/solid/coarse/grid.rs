//! The grid of the coarse space, and how particles hang on its nodes.

use super::super::rest::Rest;
use pliant_math::Vec3;

/// Nodes of the grid are this many spacings apart, as wide as a part. With 4, 6 and 8 iterations are the same within two.
const EDGE: f64 = 8.0;
/// Nodes around a particle.
pub(super) const CORNERS: usize = 8;

/// Nodes over a body, numbered along its longest axis last, which keeps the band of their matrix narrow.
pub(super) struct Grid {
    low: Vec3,
    edge: f64,
    /// From the longest to the shortest.
    axes: [usize; 3],
    /// Nodes along those axes.
    counts: [u32; 3],
}

/// Where a particle is.
pub(super) struct Spot {
    /// Number of the lowest node of its cell.
    pub cell: u32,
    /// Its place in the cell, from 0 to 1.
    pub along: [f32; 3],
}

impl Grid {
    pub fn new(rest: &Rest) -> Self {
        let far = Vec3::repeat(f64::INFINITY);
        let (low, high) = rest.position.iter().fold((far, -far), |(low, high), x| (low.inf(x), high.sup(x)));
        let edge = EDGE * (rest.volume.iter().sum::<f64>() / rest.len() as f64).cbrt();
        let extent = high - low;
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| extent[b].total_cmp(&extent[a]));
        Self { low, edge, axes, counts: axes.map(|axis| (extent[axis] / edge) as u32 + 2) }
    }

    pub fn spot(&self, x: &Vec3) -> Spot {
        let local = (x - self.low) / self.edge;
        let along = self.axes.map(|axis| local[axis]);
        let cell = std::array::from_fn(|k| (along[k] as u32).min(self.counts[k] - 2));
        let along = std::array::from_fn(|k| (along[k] - f64::from(cell[k])) as f32);
        Spot { cell: self.number(cell), along }
    }

    fn number(&self, [a, b, c]: [u32; 3]) -> u32 {
        (a * self.counts[1] + b) * self.counts[2] + c
    }

    /// Numbers of the nodes of a cell, in the order of [`weights`].
    pub fn corners(&self, cell: u32) -> [u32; CORNERS] {
        std::array::from_fn(|k| cell + self.number(bits(k).map(|bit| bit as u32)))
    }
}

/// The shares of the nodes of a cell in what happens at a place in it.
#[inline(always)]
pub(super) fn weights(along: [f32; 3]) -> [f32; CORNERS] {
    let pairs = along.map(|along| [1.0 - along, along]);
    std::array::from_fn(|k| {
        let [a, b, c] = bits(k);
        pairs[0][a] * pairs[1][b] * pairs[2][c]
    })
}

#[inline(always)]
fn bits(k: usize) -> [usize; 3] {
    [k >> 2 & 1, k >> 1 & 1, k & 1]
}

/// Numbers rising, each once.
pub(super) fn distinct(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
