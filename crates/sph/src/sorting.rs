//! Particles sorted by cells of the size of the kernel support.
//!
//! Everything that fluids and contacts do happens in this order, so that neighbours lie close in memory. Positions are kept
//! relative to their cell: single precision is as good a kilometre from the origin as at it.

use pliant_math::{Vec3, parallel};
use rayon::prelude::*;

/// Cells are counted up to this, either way; farther out they are one cell.
const OUTERMOST: f64 = 1_000_000.0;
/// The place of a particle that is not there.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Particles sorted by cell.
#[derive(Debug, Default)]
pub(crate) struct Sorting {
    /// Particle at each place.
    pub order: Vec<u32>,
    /// Place of each particle; [`NOWHERE`] for those that are not there.
    pub place: Vec<u32>,
    /// Position inside the cell, axis by axis [m].
    pub local: [Vec<f32>; 3],
    /// Cell of each place.
    pub cell: Vec<u32>,
    /// Occupied cells: their key, and where their particles start; one more start at the end.
    cells: Vec<(u64, u32)>,
}

impl Sorting {
    /// Sorts those particles that `is_there`.
    pub fn sort(&mut self, positions: &[Vec3], size: f64, is_there: impl Fn(usize) -> bool + Sync) {
        let mut keyed: Vec<(u64, u32)> = positions
            .par_iter()
            .zip(0u32..positions.len() as u32)
            .filter(|(_, i)| is_there(*i as usize))
            .map(|(x, i)| (key(&cell_of(x, size)), i))
            .collect();
        keyed.par_sort_unstable();
        self.order.clear();
        self.order.extend(keyed.iter().map(|entry| entry.1));
        self.place.clear();
        self.place.resize(positions.len(), NOWHERE);
        self.order.iter().zip(0..).for_each(|(&i, place)| self.place[i as usize] = place);
        self.cells.clear();
        self.cell.clear();
        for (place, (key, _)) in keyed.iter().enumerate() {
            if self.cells.last().is_none_or(|last| last.0 != *key) {
                self.cells.push((*key, place as u32));
            }
            self.cell.push(self.cells.len() as u32 - 1);
        }
        self.cells.push((u64::MAX, keyed.len() as u32));
        for axis in 0..3 {
            self.local[axis].resize(keyed.len(), 0.0);
            let order = &self.order;
            parallel::fill(&mut self.local[axis], |place| {
                let x = &positions[order[place] as usize];
                (x[axis] - cell_of(x, size)[axis] as f64 * size) as f32
            });
        }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Changes values of particles that are there by `change(value, place)`.
    pub fn for_each<T: Send>(&self, values: &mut [T], change: impl Fn(&mut T, usize) + Sync) {
        parallel::update(values, |i, value| {
            if self.place[i] != NOWHERE {
                change(value, self.place[i] as usize);
            }
        });
    }

    /// Centre of each occupied cell and the places of its particles.
    pub fn cells(&self, size: f64) -> impl Iterator<Item = (Vec3, std::ops::Range<usize>)> + '_ {
        self.cells.windows(2).map(move |pair| {
            let [x, y, z] = unkey(pair[0].0);
            let center = Vec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * size;
            (center, pair[0].1 as usize..pair[1].1 as usize)
        })
    }

    /// Occupied cells around a cell: their places, and how far they lie from it [cells].
    pub fn around(&self, cell: usize) -> Vec<(std::ops::Range<usize>, [f32; 3])> {
        let mut found = Vec::with_capacity(27);
        let [x, y, z] = unkey(self.cells[cell].0);
        let count = self.cells.len() - 1;
        for (dy, dz) in (0..9).map(|k| (k % 3 - 1, k / 3 - 1)) {
            let first = key(&[x - 1, y + dy, z + dz]);
            let mut at = self.cells[..count].partition_point(|cell| cell.0 < first);
            while at < count && self.cells[at].0 <= first + 2 {
                let dx = (self.cells[at].0 - first) as f32 - 1.0;
                let places = self.cells[at].1 as usize..self.cells[at + 1].1 as usize;
                found.push((places, [dx, dy as f32, dz as f32]));
                at += 1;
            }
        }
        found
    }
}

fn cell_of(position: &Vec3, size: f64) -> [i64; 3] {
    std::array::from_fn(|axis| (position[axis] / size).floor().clamp(-OUTERMOST, OUTERMOST) as i64)
}

/// Cells along x follow each other.
fn key(cell: &[i64; 3]) -> u64 {
    let part = |axis: usize| (cell[axis] + (1 << 20)) as u64;
    part(2) << 42 | part(1) << 21 | part(0)
}

fn unkey(key: u64) -> [i64; 3] {
    std::array::from_fn(|axis| (key >> (21 * axis) & ((1 << 21) - 1)) as i64 - (1 << 20))
}
