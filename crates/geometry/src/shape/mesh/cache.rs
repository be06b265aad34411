//! Distances kept on a coarse grid, so that points far from a mesh are answered without searching its triangles.

use crate::Aabb;
use pliant_math::Vec3;
use rayon::prelude::*;

/// Cells along the longest edge: fine enough to be of use, coarse enough to be filled in a fraction of a second.
const CELLS: f64 = 32.0;

/// Distances at the nodes of a grid around a mesh.
pub(super) struct DistanceCache {
    origin: Vec3,
    cell: f64,
    counts: [usize; 3],
    distances: Vec<f64>,
}

impl DistanceCache {
    pub fn new(bounds: &Aabb, distance: impl Fn(&Vec3) -> f64 + Sync) -> Self {
        let longest = bounds.size().max();
        let cell = longest / CELLS;
        let bounds = bounds.inflate(0.25 * longest);
        let counts = [0, 1, 2].map(|axis| (bounds.size()[axis] / cell).ceil() as usize + 1);
        let node = |number: usize| {
            let index =
                [number % counts[0], number / counts[0] % counts[1], number / (counts[0] * counts[1])];
            distance(&(bounds.min + Vec3::from_fn(|axis, _| index[axis] as f64 * cell)))
        };
        let distances = (0..counts.iter().product()).into_par_iter().with_min_len(256).map(node).collect();
        Self { origin: bounds.min, cell, counts, distances }
    }

    /// The interpolated distance if `p` lies in a cell that the surface does not come near.
    pub fn distance_if_far(&self, p: &Vec3) -> Option<f64> {
        let local = (p - self.origin) / self.cell;
        let mut base = [0; 3];
        for axis in 0..3 {
            if !(local[axis] >= 0.0 && local[axis] < (self.counts[axis] - 1) as f64) {
                return None;
            }
            base[axis] = local[axis] as usize;
        }
        let (mut sum, mut least, mut most) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        for corner in 0..8_usize {
            let offset = [corner & 1, corner >> 1 & 1, corner >> 2];
            let index = [0, 1, 2].map(|axis| base[axis] + offset[axis]);
            let value = self.distances[(index[2] * self.counts[1] + index[1]) * self.counts[0] + index[0]];
            let weights = Vec3::from_fn(|axis, _| {
                let part = local[axis] - base[axis] as f64;
                if offset[axis] == 1 { part } else { 1.0 - part }
            });
            sum += value * weights.product();
            (least, most) = (least.min(value), most.max(value));
        }
        // A cell's diagonal is 1.73 edges: at twice the edge from every corner there is no surface in the cell.
        (least > 2.0 * self.cell || most < -2.0 * self.cell).then_some(sum)
    }
}
