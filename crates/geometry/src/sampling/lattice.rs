//! Cell-centred cubic lattices, plain or jittered.

use super::forecast::Domain;
use crate::rng::SplitMix64;
use pliant_math::Vec3;
use rayon::prelude::*;

/// Cells along the edge of a block that is skipped or taken as a whole.
const BLOCK: i64 = 8;

/// The cells of one axis: their number and where the first one's centre lies `[m]`.
#[derive(Clone, Copy)]
struct Axis {
    count: i64,
    first: f64,
}

impl Axis {
    /// Cells symmetric about the middle of `min .. max`. Their parity is that of the nearest whole number of
    /// spacings, so that a length of n spacings holds n cells; one more at each end catches the remainder.
    fn new(min: f64, max: f64, spacing: f64) -> Self {
        let across = (max - min) / spacing;
        let nearest = across.round().max(1.0);
        let count = if across > nearest { nearest + 2.0 } else { nearest };
        Self { count: count as i64, first: 0.5 * (min + max) - 0.5 * (count - 1.0) * spacing }
    }
}

/// A lattice over the bounds of a domain.
struct Lattice<'a> {
    domain: &'a Domain<'a>,
    axes: [Axis; 3],
    jitter: f64,
    seed: u64,
}

/// All cells whose particle is in the shape, block by block.
pub(super) fn fill(domain: &Domain, jitter: f64, seed: u64) -> Vec<Vec3> {
    let axes = [0, 1, 2].map(|axis| match axis {
        2 if domain.dimension == 2 => Axis { count: 1, first: 0.0 },
        _ => Axis::new(domain.bounds.min[axis], domain.bounds.max[axis], domain.spacing),
    });
    Lattice { domain, axes, jitter, seed }.fill()
}

impl Lattice<'_> {
    fn fill(&self) -> Vec<Vec3> {
        let blocks = self.axes.map(|axis| (axis.count + BLOCK - 1) / BLOCK);
        (0..blocks[0] * blocks[1] * blocks[2])
            .into_par_iter()
            .flat_map_iter(|block| {
                let (i, rest) = (block % blocks[0], block / blocks[0]);
                self.fill_block([i * BLOCK, rest % blocks[1] * BLOCK, rest / blocks[1] * BLOCK])
            })
            .collect()
    }

    /// The particles of one block. A signed distance is never steeper than one, so that its value in the middle
    /// often decides for all.
    fn fill_block(&self, start: [i64; 3]) -> Vec<Vec3> {
        let end = [0, 1, 2].map(|axis| (start[axis] + BLOCK).min(self.axes[axis].count));
        let corner = |index: [i64; 3]| self.center(index);
        let (low, high) = (corner(start), corner(end.map(|index| index - 1)));
        let reach = 0.5 * (high - low).norm() + self.jitter * self.domain.spacing;
        let middle = self.domain.shape.distance(&((low + high) * 0.5));
        let decided = self.domain.shape.has_lipschitz_distance() && middle.abs() > reach;
        if decided && middle > 0.0 {
            return Vec::new();
        }
        let mut points = Vec::new();
        for k in start[2]..end[2] {
            for j in start[1]..end[1] {
                let row = (start[0]..end[0]).map(|i| self.particle([i, j, k]));
                points.extend(row.filter(|p| decided || self.domain.accepts(p)));
            }
        }
        points
    }

    fn center(&self, index: [i64; 3]) -> Vec3 {
        Vec3::from_fn(|axis, _| self.axes[axis].first + index[axis] as f64 * self.domain.spacing)
    }

    /// The particle of a cell: its own random stream makes it independent of all other cells.
    fn particle(&self, index: [i64; 3]) -> Vec3 {
        let center = self.center(index);
        if self.jitter == 0.0 {
            return center;
        }
        let number = (index[2] * self.axes[1].count + index[1]) * self.axes[0].count + index[0];
        let mut rng = SplitMix64::for_stream(self.seed, number as u64);
        let reach = 0.5 * self.jitter * self.domain.spacing;
        let mut p = center;
        for axis in 0..self.domain.dimension {
            p[axis] += rng.between(-reach, reach);
        }
        p
    }
}
