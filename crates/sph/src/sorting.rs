//! Particles sorted by cells of the size of the kernel support.
//!
//! Everything that fluids and contacts do happens in this order, so that neighbours lie close in memory. Positions are kept
//! relative to their cell: single precision is as good a kilometre from the origin as at it.

use pliant_math::{Vec3, parallel};
use rayon::prelude::*;
use std::ops::Range;

/// Cells are counted up to this, either way; farther out they are one cell.
const OUTERMOST: f64 = 1_000_000.0;
/// Cells that are tried one by one before all are searched.
const NEARBY: usize = 4;
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
    /// Keys and particles, reused from step to step.
    keyed: Vec<(u64, u32)>,
}

/// Occupied cells around a cell.
#[derive(Debug, Default)]
pub(crate) struct Around {
    /// Their places, and how far they lie from it [cells].
    pub cells: Vec<(Range<usize>, [f32; 3])>,
    /// Where the rows of cells around the last one began: those around the next one are not far.
    rows: [usize; 9],
}

impl Sorting {
    /// Sorts those particles that `is_there`.
    pub fn sort(&mut self, positions: &[Vec3], size: f64, is_there: impl Fn(usize) -> bool + Sync) {
        let mut keyed = std::mem::take(&mut self.keyed);
        let absent = u64::MAX;
        let keys = positions
            .par_iter()
            .enumerate()
            .map(|(i, x)| (if is_there(i) { key(&cell_of(x, size)) } else { absent }, i as u32));
        keys.collect_into_vec(&mut keyed);
        keyed.par_sort_unstable();
        keyed.truncate(keyed.partition_point(|entry| entry.0 < absent));
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
        self.keyed = keyed;
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
    pub fn cells(&self, size: f64) -> impl Iterator<Item = (Vec3, Range<usize>)> + '_ {
        self.cells.windows(2).map(move |pair| {
            let [x, y, z] = unkey(pair[0].0);
            let center = Vec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * size;
            (center, pair[0].1 as usize..pair[1].1 as usize)
        })
    }

    /// Finds the occupied cells around a cell.
    pub fn look_around(&self, cell: usize, around: &mut Around) {
        around.cells.clear();
        let [x, y, z] = unkey(self.cells[cell].0);
        let count = self.cells.len() - 1;
        for (row, begin) in around.rows.iter_mut().enumerate() {
            let (dy, dz) = (row as i64 % 3 - 1, row as i64 / 3 - 1);
            let first = key(&[x - 1, y + dy, z + dz]);
            *begin = self.seek(first, *begin);
            let mut at = *begin;
            while at < count && self.cells[at].0 <= first + 2 {
                let dx = (self.cells[at].0 - first) as f32 - 1.0;
                let places = self.cells[at].1 as usize..self.cells[at + 1].1 as usize;
                around.cells.push((places, [dx, dy as f32, dz as f32]));
                at += 1;
            }
        }
    }

    /// The first occupied cell from a key on, which may be a few cells after `hint`.
    fn seek(&self, first: u64, hint: usize) -> usize {
        let count = self.cells.len() - 1;
        if hint < count && self.cells[hint].0 <= first {
            let few = hint..count.min(hint + NEARBY);
            if let Some(at) = few.into_iter().find(|&at| self.cells[at].0 >= first) {
                return at;
            }
        }
        self.cells[..count].partition_point(|cell| cell.0 < first)
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
