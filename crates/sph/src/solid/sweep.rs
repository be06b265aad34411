//! Triangular solves with a Cholesky factor, for the three axes and all copies of a body at once: the factor is read
//! once on the way down and once on the way up, by as many threads as its elimination tree has branches.

use super::lanes::Lane;
use super::panel::{Down, Panel, SIDES, Up};
use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// The factor, cut into branches that know nothing of each other and the trunk that they meet in. The cut does not depend
/// on the number of threads, so neither do the bits.
#[derive(Debug)]
pub(super) struct Sweep {
    branches: Vec<Branch>,
    trunk: Branch,
}

/// Columns of the factor with rows among themselves and in the trunk.
#[derive(Debug)]
struct Branch {
    own: Range<usize>,
    /// Rows of the trunk that it reaches.
    outside: Vec<u32>,
    nodes: Vec<Node>,
    /// Rows of all nodes: places in its own range, then in `outside`.
    rows: Vec<u32>,
    /// Rows of the largest node, its columns included.
    tallest: usize,
}

/// Columns that share their rows.
#[derive(Debug)]
struct Node {
    first: usize,
    columns: usize,
    rows: Range<usize>,
    /// Where its values start in the factor.
    values: usize,
}

impl Sweep {
    /// How to go through a factor whose elimination tree has these branches, each a range of columns.
    pub fn new(symbolic: &SymbolicSupernodalCholesky<u32>, branches: &[Range<usize>]) -> Self {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); branches.len() + 1];
        for node in 0..symbolic.n_supernodes() {
            let (begin, end) = columns(symbolic, node);
            let within = |range: &Range<usize>| range.start <= begin && end <= range.end;
            let branch = branches.iter().position(within).unwrap_or(branches.len());
            members[branch].push(node);
        }
        let trunk = members.pop().unwrap_or_default();
        Self {
            branches: branches
                .iter()
                .zip(&members)
                .map(|(own, nodes)| {
                    // A node that reaches beyond the range belongs to the trunk, with all of its columns.
                    let end = nodes.last().map_or(own.start, |&node| columns(symbolic, node).1);
                    Branch::new(symbolic, own.start..end, nodes)
                })
                .collect(),
            trunk: Branch::new(symbolic, 0..symbolic.nrows(), &trunk),
        }
    }

    /// Replaces right-hand sides by solutions. The factor has `values` with an inverted diagonal.
    pub fn solve(&self, values: &[f32], sides: &mut [&mut [Lane]]) {
        let count = self.trunk.own.len();
        let mut whole: Vec<Lane> = Vec::with_capacity(sides.len() * count);
        sides.iter().for_each(|side| whole.extend_from_slice(side));
        let mut parts: Vec<Vec<Lane>> = self
            .branches
            .par_iter()
            .map(|branch| {
                let mut part = Vec::with_capacity(sides.len() * branch.len());
                for side in &*sides {
                    part.extend_from_slice(&side[branch.own.clone()]);
                    part.resize(part.len() + branch.outside.len(), [0.0; 4]);
                }
                branch.down(values, &mut part);
                part
            })
            .collect();
        for (branch, part) in self.branches.iter().zip(&parts) {
            for (whole, part) in whole.chunks_exact_mut(count).zip(part.chunks_exact(branch.len())) {
                for (&row, push) in branch.outside.iter().zip(&part[branch.own.len()..]) {
                    (0..3).for_each(|axis| whole[row as usize][axis] += push[axis]);
                }
            }
        }
        self.trunk.down(values, &mut whole);
        self.trunk.up(values, &mut whole);
        self.branches.par_iter().zip(&mut parts).for_each(|(branch, part)| {
            for (whole, part) in whole.chunks_exact(count).zip(part.chunks_exact_mut(branch.len())) {
                for (&row, value) in branch.outside.iter().zip(&mut part[branch.own.len()..]) {
                    *value = whole[row as usize];
                }
            }
            branch.up(values, part);
        });
        for (side, whole) in sides.iter_mut().zip(whole.chunks_exact(count)) {
            side.copy_from_slice(whole);
        }
        for (branch, part) in self.branches.iter().zip(&parts) {
            for (side, part) in sides.iter_mut().zip(part.chunks_exact(branch.len())) {
                side[branch.own.clone()].copy_from_slice(&part[..branch.own.len()]);
            }
        }
    }
}

impl Branch {
    fn new(symbolic: &SymbolicSupernodalCholesky<u32>, own: Range<usize>, members: &[usize]) -> Self {
        let pattern = |node: &usize| symbolic.supernode(*node).pattern();
        let is_outside = |row: &u32| *row as usize >= own.end;
        let mut outside: Vec<u32> = members.iter().flat_map(pattern).copied().filter(is_outside).collect();
        outside.sort_unstable();
        outside.dedup();
        let (mut nodes, mut rows, mut tallest) = (Vec::new(), Vec::new(), 0);
        for node in members {
            let (begin, end) = columns(symbolic, *node);
            let first_row = rows.len();
            rows.extend(pattern(node).iter().map(|row| match outside.binary_search(row) {
                Ok(place) => (own.len() + place) as u32,
                Err(_) => row - own.start as u32,
            }));
            tallest = tallest.max(end - begin + rows.len() - first_row);
            nodes.push(Node {
                first: begin - own.start,
                columns: end - begin,
                rows: first_row..rows.len(),
                values: symbolic.col_ptr_for_val()[*node] as usize,
            });
        }
        Self { own, outside, nodes, rows, tallest }
    }

    /// Rows of a right-hand side.
    fn len(&self) -> usize {
        self.own.len() + self.outside.len()
    }

    fn down(&self, values: &[f32], x: &mut [Lane]) {
        let mut work = self.workspace(x);
        for node in &self.nodes {
            let panel = node.panel(values);
            let sides = &mut work[..x.len() / self.len() * SIDES * panel.rows];
            sides.fill(0.0);
            for (x, sides) in x.chunks_exact(self.len()).zip(sides.chunks_exact_mut(SIDES * panel.rows)) {
                gather(&x[node.first..node.first + node.columns], panel.rows, sides);
            }
            Arch::new().dispatch(Down { panel, sides });
            for (x, sides) in x.chunks_exact_mut(self.len()).zip(sides.chunks_exact(SIDES * panel.rows)) {
                scatter(&mut x[node.first..node.first + node.columns], panel.rows, sides);
                let below = &self.rows[node.rows.clone()];
                for (k, &row) in (node.columns..).zip(below) {
                    (0..3).for_each(|axis| x[row as usize][axis] += sides[axis * panel.rows + k]);
                }
            }
        }
    }

    fn up(&self, values: &[f32], x: &mut [Lane]) {
        let mut work = self.workspace(x);
        for node in self.nodes.iter().rev() {
            let panel = node.panel(values);
            let sides = &mut work[..x.len() / self.len() * SIDES * panel.rows];
            for (x, sides) in x.chunks_exact(self.len()).zip(sides.chunks_exact_mut(SIDES * panel.rows)) {
                gather(&x[node.first..node.first + node.columns], panel.rows, sides);
                let below = &self.rows[node.rows.clone()];
                for (k, &row) in (node.columns..).zip(below) {
                    (0..3).for_each(|axis| sides[axis * panel.rows + k] = x[row as usize][axis]);
                }
            }
            Arch::new().dispatch(Up { panel, sides });
            for (x, sides) in x.chunks_exact_mut(self.len()).zip(sides.chunks_exact(SIDES * panel.rows)) {
                scatter(&mut x[node.first..node.first + node.columns], panel.rows, sides);
            }
        }
    }

    fn workspace(&self, x: &[Lane]) -> Vec<f32> {
        vec![0.0; x.len() / self.len().max(1) * SIDES * self.tallest]
    }
}

impl Node {
    fn panel<'a>(&self, values: &'a [f32]) -> Panel<'a> {
        let rows = self.columns + self.rows.len();
        let values = &values[self.values..self.values + rows * self.columns];
        Panel { values, rows, columns: self.columns }
    }
}

/// First and one past the last column of a node.
pub(super) fn columns(symbolic: &SymbolicSupernodalCholesky<u32>, node: usize) -> (usize, usize) {
    (symbolic.supernode_begin()[node] as usize, symbolic.supernode_end()[node] as usize)
}

/// Axis by axis, each a side of `rows` numbers, from their first on.
fn gather(x: &[Lane], rows: usize, sides: &mut [f32]) {
    for (k, x) in x.iter().enumerate() {
        (0..3).for_each(|axis| sides[axis * rows + k] = x[axis]);
    }
}

fn scatter(x: &mut [Lane], rows: usize, sides: &[f32]) {
    for (k, x) in x.iter_mut().enumerate() {
        (0..3).for_each(|axis| x[axis] = sides[axis * rows + k]);
    }
}
