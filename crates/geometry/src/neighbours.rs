//! Neighbour search on a uniform grid of cells that exist only where points are (Zhou 2013 §4).

use pliant_math::{Vect, parallel};
use rayon::prelude::*;
use std::ops::Range;

/// Points sorted into cells. Points may be any distance apart: memory follows their number.
#[derive(Clone, Debug)]
pub struct Cells<const D: usize> {
    cell_size: f64,
    /// Cell of each sorted point, slowest axis first.
    keys: Vec<[i32; D]>,
    /// Index of each sorted point; rises inside a cell.
    points: Vec<u32>,
    /// Positions of the sorted points: those of a cell are read together.
    positions: Vec<Vect<D>>,
}

/// Sorted points that lie side by side.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a, const D: usize> {
    points: &'a [u32],
    positions: &'a [Vect<D>],
}

impl<'a, const D: usize> Run<'a, D> {
    /// Indices and positions of its points.
    pub fn iter(self) -> impl Iterator<Item = (u32, &'a Vect<D>)> {
        self.points.iter().copied().zip(self.positions)
    }
}

impl<const D: usize> Cells<D> {
    /// Sorts points into cells of this size [m], which is also the largest radius that can be asked for.
    pub fn new(positions: &[Vect<D>], cell_size: f64) -> Self {
        let mut sorted: Vec<([i32; D], u32)> =
            positions.iter().zip(0u32..).map(|(position, i)| (cell_of(position, cell_size), i)).collect();
        sorted.par_sort_unstable();
        let (keys, points): (Vec<_>, Vec<u32>) = sorted.into_iter().unzip();
        let positions = points.iter().map(|point| positions[*point as usize]).collect();
        Self { cell_size, keys, points, positions }
    }

    /// Calls `visit` with index and position of every point in the 3^D cells around `center`, in a fixed order.
    pub fn for_each_near(&self, center: &Vect<D>, mut visit: impl FnMut(u32, &Vect<D>)) {
        for row in self.rows_around(&cell_of(center, self.cell_size)) {
            row.iter().for_each(|(point, position)| visit(point, position));
        }
    }

    /// What `f` makes of the points of each cell and of rows of those in the 3^D cells around it, cell by cell. The rows
    /// are looked up once a cell, not once a point.
    pub fn map<T: Send>(&self, f: impl Fn(Run<'_, D>, &[Run<'_, D>]) -> T + Sync) -> Vec<T> {
        let mut starts: Vec<usize> = Vec::new();
        for (k, key) in self.keys.iter().enumerate() {
            if k == 0 || self.keys[k - 1] != *key {
                starts.push(k);
            }
        }
        let end = |cell: usize| starts.get(cell + 1).copied().unwrap_or(self.keys.len());
        let mut results: Vec<Option<T>> = Vec::new();
        results.resize_with(starts.len(), || None);
        parallel::fill(&mut results, |cell| {
            let around: Vec<Run<'_, D>> = self.rows_around(&self.keys[starts[cell]]).collect();
            Some(f(self.run(starts[cell]..end(cell)), &around))
        });
        results.into_iter().flatten().collect()
    }

    fn run(&self, range: Range<usize>) -> Run<'_, D> {
        Run { points: &self.points[range.clone()], positions: &self.positions[range] }
    }

    /// Points of the 3^D cells around one, a run for each row of three.
    fn rows_around(&self, home: &[i32; D]) -> impl Iterator<Item = Run<'_, D>> {
        let home = *home;
        (0..3usize.pow(D as u32 - 1)).map(move |row| {
            let mut first = home;
            let mut digits = row;
            for axis in first.iter_mut().take(D - 1) {
                *axis += (digits % 3) as i32 - 1;
                digits /= 3;
            }
            let mut last = first;
            first[D - 1] -= 1;
            last[D - 1] += 1;
            let start = self.keys.partition_point(|key| *key < first);
            let length = self.keys[start..].iter().take_while(|key| **key <= last).count();
            self.run(start..start + length)
        })
    }
}

/// The cell of a point. Far-away points share the outermost cell: slower there, never wrong.
fn cell_of<const D: usize>(position: &Vect<D>, cell_size: f64) -> [i32; D] {
    const OUTERMOST: f64 = 1e9; // its neighbours still fit 32 bits
    std::array::from_fn(|axis| {
        (position[D - 1 - axis] / cell_size).floor().clamp(-OUTERMOST, OUTERMOST) as i32
    })
}

/// Neighbours of every point, row by row, each row in rising order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeighbourLists {
    /// Row `i` is `neighbours[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    /// Indices of neighbours.
    pub neighbours: Vec<u32>,
}

impl NeighbourLists {
    /// All pairs of points closer than `radius` [m] that `related` accepts; no point is its own neighbour.
    pub fn within<const D: usize>(
        positions: &[Vect<D>],
        radius: f64,
        related: impl Fn(usize, usize) -> bool + Sync,
    ) -> Self {
        let cells = Cells::new(positions, radius);
        let add_row = |i: usize, (lengths, neighbours): &mut (Vec<u32>, Vec<u32>)| {
            let first = neighbours.len();
            cells.for_each_near(&positions[i], |j, position| {
                let other = j as usize;
                let near = (position - positions[i]).norm_squared() < radius * radius;
                if near && other != i && related(i, other) {
                    neighbours.push(j);
                }
            });
            neighbours[first..].sort_unstable();
            lengths.push((neighbours.len() - first) as u32);
        };
        let count = positions.len();
        let blocks: Vec<(Vec<u32>, Vec<u32>)> = (0..count.div_ceil(parallel::BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut rows = (Vec::new(), Vec::new());
                let end = count.min((block + 1) * parallel::BLOCK);
                (block * parallel::BLOCK..end).for_each(|i| add_row(i, &mut rows));
                rows.1.shrink_to_fit();
                rows
            })
            .collect();
        let mut lists = Self { starts: Vec::with_capacity(count + 1), neighbours: Vec::new() };
        lists.starts.push(0);
        lists.neighbours.reserve_exact(blocks.iter().map(|(_, neighbours)| neighbours.len()).sum());
        let mut total = 0u32;
        for (lengths, neighbours) in blocks {
            lists.neighbours.extend_from_slice(&neighbours);
            for length in lengths {
                total = total.checked_add(length).expect("pairs are counted in 32 bits");
                lists.starts.push(total);
            }
        }
        lists
    }

    /// Lists from one row a point.
    pub fn from_rows(rows: &[Vec<u32>]) -> Self {
        let mut starts = Vec::with_capacity(rows.len() + 1);
        let mut total = 0u32;
        starts.push(0);
        for row in rows {
            total += u32::try_from(row.len()).expect("a row is shorter than the number of points");
            starts.push(total);
        }
        Self { starts, neighbours: rows.concat() }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where row `i` lies in `neighbours`.
    pub fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i] as usize..self.starts[i + 1] as usize
    }

    /// The neighbours of point `i`.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.neighbours[self.range(i)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud<const D: usize>(count: usize, spread: f64) -> Vec<Vect<D>> {
        let mut state = 7u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) as f64 / (1u64 << 31) as f64 - 0.5) * spread
        };
        (0..count).map(|_| Vect::from_fn(|_, _| next())).collect()
    }

    fn brute_force<const D: usize>(positions: &[Vect<D>], radius: f64) -> NeighbourLists {
        let rows: Vec<Vec<u32>> = (0..positions.len())
            .map(|i| {
                (0..positions.len())
                    .filter(|&j| j != i && (positions[j] - positions[i]).norm_squared() < radius * radius)
                    .map(|j| j as u32)
                    .collect()
            })
            .collect();
        NeighbourLists::from_rows(&rows)
    }

    #[test]
    fn the_grid_finds_what_brute_force_finds() {
        for radius in [0.05, 0.2, 3.0] {
            let space = cloud::<3>(700, 1.0);
            assert_eq!(NeighbourLists::within(&space, radius, |_, _| true), brute_force(&space, radius));
            let plane = cloud::<2>(700, 1.0);
            assert_eq!(NeighbourLists::within(&plane, radius, |_, _| true), brute_force(&plane, radius));
        }
    }

    #[test]
    fn points_at_the_end_of_the_world_are_found_too() {
        let mut points = cloud::<3>(50, 0.3);
        points.extend(cloud::<3>(50, 0.3).iter().map(|p| p + Vect::from([1e12, -1e12, 1e300])));
        assert_eq!(NeighbourLists::within(&points, 0.1, |_, _| true), brute_force(&points, 0.1));
    }

    #[test]
    fn cell_by_cell_and_point_by_point_the_same_is_found() {
        let points = cloud::<3>(300, 1.0);
        let cells = Cells::new(&points, 0.2);
        let by_cell = cells.map(|here, around| {
            let around: Vec<u32> = around.iter().flat_map(|run| run.iter()).map(|(point, _)| point).collect();
            (here.points.to_vec(), around)
        });
        assert_eq!(by_cell.iter().map(|(here, _)| here.len()).sum::<usize>(), points.len());
        for (here, around) in by_cell {
            for point in here {
                let mut near = Vec::new();
                cells.for_each_near(&points[point as usize], |other, position| {
                    assert_eq!(*position, points[other as usize]);
                    near.push(other);
                });
                assert_eq!(near, around);
            }
        }
    }

    #[test]
    fn unrelated_points_are_left_out() {
        let points = cloud::<2>(100, 0.1);
        let lists = NeighbourLists::within(&points, 1.0, |i, j| i % 2 == j % 2);
        assert!(
            (0..100)
                .all(|i| lists.row(i).len() == 49 && lists.row(i).iter().all(|&j| j as usize % 2 == i % 2))
        );
    }
}
