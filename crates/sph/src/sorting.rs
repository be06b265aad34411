//! Particles sorted by cells of the size of the kernel support.
//!
//! Everything that fluids and contacts do happens in this order, so that neighbours lie close in memory. Positions are kept
//! relative to their cell: single precision is as good a kilometre from the origin as at it.

use crate::sixteen::WIDE;
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
    /// Edge of a cell [m].
    pub size: f64,
    /// Position inside the cell, axis by axis [m]; these columns end with sixteen numbers more.
    pub local: [Vec<f32>; 3],
    /// Number of the cell along x, a whole number, by place.
    pub column: Vec<f32>,
    /// Cell of each place.
    pub cell: Vec<u32>,
    /// Occupied cells: their key, and where their particles start; one more start at the end.
    cells: Vec<(u64, u32)>,
    /// Keys and particles, in order.
    keyed: Vec<(u64, u32)>,
    /// Scratch: keys by last place, and keys and particles that left their cells or stayed.
    keys: Vec<u64>,
    moved: Vec<(u64, u32)>,
    stayed: Vec<(u64, u32)>,
}

/// Rows of cells around a cell, three cells long.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub all: [Row; 9],
}

/// A row of cells along x, whose particles follow each other.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub places: Range<usize>,
    /// How far it lies from the cell along y and z [cells].
    pub offset: [f32; 2],
    /// Where it began around the last cell: around the next one it is not far.
    begin: usize,
}

impl Rows {
    /// Particles in all of them.
    pub fn len(&self) -> usize {
        self.all.iter().map(|row| row.places.len()).sum()
    }
}

impl Sorting {
    /// Sorts those particles that `is_there`.
    pub fn sort(&mut self, positions: &[Vec3], size: f64, is_there: impl Fn(usize) -> bool + Sync) {
        if self.has_same(positions.len(), &is_there) {
            self.sort_again(positions, size);
        } else {
            let there = (0..positions.len()).filter(|&i| is_there(i));
            self.keyed = there.map(|i| (key(&cell_of(&positions[i], size)), i as u32)).collect();
            self.keyed.par_sort_unstable();
        }
        self.size = size;
        let keyed = &self.keyed;
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
        let count = keyed.len();
        self.local.iter_mut().chain([&mut self.column]).for_each(|column| column.resize(count + WIDE, 0.0));
        let [x, y, z] = self.local.each_mut().map(|column| &mut column[..count]);
        parallel::update_triple(x, y, z, |place, x, (y, z)| {
            let (key, i) = keyed[place];
            let (cell, position) = (unkey(key), &positions[i as usize]);
            let inside = |axis: usize| (position[axis] - cell[axis] as f64 * size) as f32;
            (*x, *y, *z) = (inside(0), inside(1), inside(2));
        });
        parallel::fill(&mut self.column[..count], |place| unkey(keyed[place].0)[0] as f32);
    }

    /// Whether those that were sorted last are those that are there now, of so many.
    fn has_same(&self, count: usize, is_there: impl Fn(usize) -> bool) -> bool {
        self.place.len() == count
            && self.keyed.len() == (0..count).filter(|&i| is_there(i)).count()
            && self.keyed.iter().all(|&(_, i)| is_there(i as usize))
    }

    /// Sorts the same particles after they have moved: most are still in their cells, and in order.
    fn sort_again(&mut self, positions: &[Vec3], size: f64) {
        let Self { keyed, keys, moved, stayed, .. } = self;
        keys.resize(keyed.len(), 0);
        parallel::fill(keys, |place| key(&cell_of(&positions[keyed[place].1 as usize], size)));
        moved.clear();
        stayed.clear();
        for (&(last, i), &key) in keyed.iter().zip(&*keys) {
            if key == last { &mut *stayed } else { &mut *moved }.push((key, i));
        }
        moved.par_sort_unstable();
        keyed.clear();
        let mut next = moved.iter().copied().peekable();
        for &entry in &*stayed {
            while let Some(earlier) = next.next_if(|other| *other < entry) {
                keyed.push(earlier);
            }
            keyed.push(entry);
        }
        keyed.extend(next);
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
    pub fn cells(&self) -> impl Iterator<Item = (Vec3, Range<usize>)> + '_ {
        self.cells.windows(2).map(move |pair| {
            let [x, y, z] = unkey(pair[0].0);
            let center = Vec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * self.size;
            (center, pair[0].1 as usize..pair[1].1 as usize)
        })
    }

    /// Finds the rows of cells around a cell.
    pub fn look_around(&self, cell: usize, rows: &mut Rows) {
        let [x, y, z] = unkey(self.cells[cell].0);
        for (index, row) in rows.all.iter_mut().enumerate() {
            let (dy, dz) = (index as i64 % 3 - 1, index as i64 / 3 - 1);
            let first = key(&[x - 1, y + dy, z + dz]);
            row.begin = self.seek(first, row.begin);
            let cells = self.cells[row.begin..].iter().take(3).take_while(|cell| cell.0 <= first + 2);
            let end = row.begin + cells.count();
            row.places = self.cells[row.begin].1 as usize..self.cells[end].1 as usize;
            row.offset = [dy as f32, dz as f32];
        }
    }

    /// Where a place is [m].
    pub fn position(&self, place: usize) -> Vec3 {
        let cell = unkey(self.cells[self.cell[place] as usize].0);
        Vec3::from_fn(|axis, _| cell[axis] as f64 * self.size + f64::from(self.local[axis][place]))
    }

    /// How far two places are apart [m].
    pub fn distance(&self, a: usize, b: usize) -> f32 {
        let [from, to] = [a, b].map(|place| unkey(self.cells[self.cell[place] as usize].0));
        let apart = |axis: usize| {
            (to[axis] - from[axis]) as f32 * self.size as f32 + (self.local[axis][b] - self.local[axis][a])
        };
        (apart(0).powi(2) + apart(1).powi(2) + apart(2).powi(2)).sqrt()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_again_is_as_sorted_anew() {
        let mut state = 11u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        let mut points: Vec<Vec3> = (0..700).map(|_| Vec3::new(next(), next(), next())).collect();
        let mut again = Sorting::default();
        for step in 0..6 {
            // Somebody else is there from time to time.
            let is_there = |i: usize| i % 97 != step / 3;
            again.sort(&points, 0.1, is_there);
            let mut anew = Sorting::default();
            anew.sort(&points, 0.1, is_there);
            assert!(again.order == anew.order && again.place == anew.place && again.cell == anew.cell);
            assert!(again.local == anew.local && again.cells == anew.cells && again.column == anew.column);
            points.iter_mut().for_each(|x| *x += Vec3::new(next(), next(), next()) * 0.03);
        }
    }
}
