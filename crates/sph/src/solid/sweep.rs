//! Triangular solves with a Cholesky factor, for the three axes and all copies of a body at once: the factor is read
//! once on the way down and once on the way up, by as many threads as its elimination tree has branches.

use super::lanes::Lane;
use super::ordering::Twig;
use super::panel::{self, Down, Panel, SIDES, Up};
use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// The factor as a tree: branches that know nothing of each other, and the columns that they meet in. Where it is cut does not
/// depend on the number of threads, so neither do the bits.
#[derive(Debug)]
pub(super) struct Sweep {
    trunk: Branch,
    /// Numbers of all panels, in the order in which they are read.
    values: Vec<f32>,
}

/// Columns of the factor with rows among themselves and beyond.
#[derive(Debug)]
struct Branch {
    /// Branches that meet here.
    branches: Vec<Branch>,
    /// Where the rows beyond each of them are here.
    landings: Vec<Vec<u32>>,
    /// From the first of its columns to the last; what belongs to branches may lie between.
    own: Range<usize>,
    /// Rows beyond that it and its branches reach.
    outside: Vec<u32>,
    nodes: Vec<Node>,
    /// Rows of all nodes: places in its own range, then in `outside`.
    rows: Vec<u32>,
    /// Numbers of the longest right-hand side of a node.
    longest: usize,
}

/// Columns that share their rows.
#[derive(Debug)]
struct Node {
    first: usize,
    columns: usize,
    rows: Range<usize>,
    /// Where its numbers are.
    values: Range<usize>,
}

/// Right-hand sides of a branch, then solutions: its own rows and those outside, copy by copy.
struct Flow {
    part: Vec<Lane>,
    branches: Vec<Flow>,
}

/// A factor as it was made: columns of dense blocks.
struct Blocks<'a> {
    symbolic: &'a SymbolicSupernodalCholesky<u32>,
    values: &'a [f32],
}

impl Sweep {
    /// How to go through a factor whose elimination tree has these branches.
    pub fn new(symbolic: &SymbolicSupernodalCholesky<u32>, values: &[f32], branches: &[Twig]) -> Self {
        let mut packed = Vec::with_capacity(values.len());
        let blocks = Blocks { symbolic, values };
        let trunk = blocks.branch(0..symbolic.nrows(), branches, &mut packed);
        packed.shrink_to_fit();
        Self { trunk, values: packed }
    }

    /// Numbers of the factor.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Replaces right-hand sides by solutions.
    pub fn solve(&self, sides: &mut [&mut [Lane]]) {
        let mut flow = self.trunk.descend(&self.values, sides);
        self.trunk.ascend(&self.values, &mut flow);
        self.trunk.hand_out(&flow, sides);
    }
}

impl Blocks<'_> {
    /// First and one past the last column of a node.
    fn columns(&self, node: usize) -> (usize, usize) {
        (self.symbolic.supernode_begin()[node] as usize, self.symbolic.supernode_end()[node] as usize)
    }

    /// The nodes whose columns all lie in a range. One that reaches beyond belongs to what comes after, with all of its columns.
    fn nodes(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.symbolic.supernode_begin().partition_point(|&begin| (begin as usize) < range.start);
        let end = self.symbolic.supernode_end().partition_point(|&end| end as usize <= range.end);
        first..end.max(first)
    }

    /// The branch of a range of columns in which `twigs` meet; its numbers are appended to `packed`.
    fn branch(&self, range: Range<usize>, twigs: &[Twig], packed: &mut Vec<f32>) -> Branch {
        let mut branches = Vec::with_capacity(twigs.len());
        for twig in twigs {
            branches.push(self.branch(twig.range.clone(), &twig.twigs, packed));
        }
        let taken: Vec<Range<usize>> = twigs.iter().map(|twig| self.nodes(&twig.range)).collect();
        let members: Vec<usize> =
            self.nodes(&range).filter(|node| !taken.iter().any(|taken| taken.contains(node))).collect();
        let end = members.last().map_or(range.start, |&node| self.columns(node).1);
        let own = members.first().map_or(end, |&node| self.columns(node).0)..end;
        let patterns = members.iter().flat_map(|&node| self.symbolic.supernode(node).pattern());
        let reached = patterns.chain(branches.iter().flat_map(|branch| &branch.outside)).copied();
        let mut outside: Vec<u32> = reached.filter(|&row| row as usize >= own.end).collect();
        outside.sort_unstable();
        outside.dedup();
        let place = |row: &u32| match outside.binary_search(row) {
            Ok(place) => (own.len() + place) as u32,
            Err(_) => row - own.start as u32,
        };
        let landings = branches.iter().map(|branch| branch.outside.iter().map(place).collect()).collect();
        let (mut nodes, mut rows, mut longest) = (Vec::new(), Vec::new(), 0);
        for node in members {
            let first_row = rows.len();
            rows.extend(self.symbolic.supernode(node).pattern().iter().map(place));
            let node = self.node(node, (own.start, first_row..rows.len()), packed);
            longest = longest.max(node.panel(packed).side());
            nodes.push(node);
        }
        Branch { branches, landings, own, outside, nodes, rows, longest }
    }

    /// A node of a branch whose own columns begin at `start`, with its rows there.
    fn node(&self, node: usize, (start, rows): (usize, Range<usize>), packed: &mut Vec<f32>) -> Node {
        let (begin, end) = self.columns(node);
        let (from, height) = (self.symbolic.col_ptr_for_val()[node] as usize, end - begin + rows.len());
        let first = packed.len();
        panel::pack(&self.values[from..from + height * (end - begin)], height, packed);
        Node { first: begin - start, columns: end - begin, rows, values: first..packed.len() }
    }
}

impl Branch {
    /// Rows of a right-hand side.
    fn len(&self) -> usize {
        self.own.len() + self.outside.len()
    }

    /// The way down, for all that meets here and then for its own columns.
    fn descend(&self, values: &[f32], sides: &[&mut [Lane]]) -> Flow {
        let branches: Vec<Flow> =
            self.branches.par_iter().map(|branch| branch.descend(values, sides)).collect();
        let mut part = Vec::with_capacity(sides.len() * self.len());
        for side in sides {
            part.extend_from_slice(&side[self.own.clone()]);
            part.resize(part.len() + self.outside.len(), [0.0; 4]);
        }
        for ((branch, landing), flow) in self.branches.iter().zip(&self.landings).zip(&branches) {
            for (part, from) in part.chunks_exact_mut(self.len()).zip(flow.part.chunks_exact(branch.len())) {
                for (&row, push) in landing.iter().zip(&from[branch.own.len()..]) {
                    (0..3).for_each(|axis| part[row as usize][axis] += push[axis]);
                }
            }
        }
        self.down(values, &mut part);
        Flow { part, branches }
    }

    /// The way up, for its own columns and then for all that meets here.
    fn ascend(&self, values: &[f32], flow: &mut Flow) {
        let Flow { part, branches } = flow;
        self.up(values, part);
        let each = self.branches.par_iter().zip(&self.landings).zip(branches);
        each.for_each(|((branch, landing), flow)| {
            for (part, to) in part.chunks_exact(self.len()).zip(flow.part.chunks_exact_mut(branch.len())) {
                for (&row, value) in landing.iter().zip(&mut to[branch.own.len()..]) {
                    *value = part[row as usize];
                }
            }
            branch.ascend(values, flow);
        });
    }

    /// Writes solutions where they belong.
    fn hand_out(&self, flow: &Flow, sides: &mut [&mut [Lane]]) {
        for (branch, flow) in self.branches.iter().zip(&flow.branches) {
            branch.hand_out(flow, sides);
        }
        for node in &self.nodes {
            let here = node.first..node.first + node.columns;
            let there = self.own.start + here.start..self.own.start + here.end;
            for (side, part) in sides.iter_mut().zip(flow.part.chunks_exact(self.len())) {
                side[there.clone()].copy_from_slice(&part[here.clone()]);
            }
        }
    }

    fn down(&self, values: &[f32], x: &mut [Lane]) {
        let mut work = self.workspace(x);
        for node in &self.nodes {
            let panel = node.panel(values);
            let sides = &mut work[..x.len() / self.len() * SIDES * panel.side()];
            sides.fill(0.0);
            for (x, sides) in x.chunks_exact(self.len()).zip(sides.chunks_exact_mut(SIDES * panel.side())) {
                gather(&x[node.first..node.first + node.columns], panel.side(), sides);
            }
            Arch::new().dispatch(Down { panel, sides });
            for (x, sides) in x.chunks_exact_mut(self.len()).zip(sides.chunks_exact(SIDES * panel.side())) {
                scatter(&mut x[node.first..node.first + node.columns], panel.side(), sides);
                let below = &self.rows[node.rows.clone()];
                for (k, &row) in (node.columns..).zip(below) {
                    (0..3).for_each(|axis| x[row as usize][axis] += sides[axis * panel.side() + k]);
                }
            }
        }
    }

    fn up(&self, values: &[f32], x: &mut [Lane]) {
        let mut work = self.workspace(x);
        for node in self.nodes.iter().rev() {
            let panel = node.panel(values);
            let sides = &mut work[..x.len() / self.len() * SIDES * panel.side()];
            for (x, sides) in x.chunks_exact(self.len()).zip(sides.chunks_exact_mut(SIDES * panel.side())) {
                gather(&x[node.first..node.first + node.columns], panel.side(), sides);
                let below = &self.rows[node.rows.clone()];
                for (k, &row) in (node.columns..).zip(below) {
                    (0..3).for_each(|axis| sides[axis * panel.side() + k] = x[row as usize][axis]);
                }
            }
            Arch::new().dispatch(Up { panel, sides });
            for (x, sides) in x.chunks_exact_mut(self.len()).zip(sides.chunks_exact(SIDES * panel.side())) {
                scatter(&mut x[node.first..node.first + node.columns], panel.side(), sides);
            }
        }
    }

    fn workspace(&self, x: &[Lane]) -> Vec<f32> {
        vec![0.0; x.len() / self.len().max(1) * SIDES * self.longest]
    }
}

impl Node {
    fn panel<'a>(&self, values: &'a [f32]) -> Panel<'a> {
        Panel {
            values: &values[self.values.clone()],
            rows: self.columns + self.rows.len(),
            columns: self.columns,
        }
    }
}

/// Axis by axis, each a side of so many numbers, from their first on.
fn gather(x: &[Lane], side: usize, sides: &mut [f32]) {
    for (k, x) in x.iter().enumerate() {
        (0..3).for_each(|axis| sides[axis * side + k] = x[axis]);
    }
}

fn scatter(x: &mut [Lane], side: usize, sides: &[f32]) {
    for (k, x) in x.iter_mut().enumerate() {
        (0..3).for_each(|axis| x[axis] = sides[axis * side + k]);
    }
}
