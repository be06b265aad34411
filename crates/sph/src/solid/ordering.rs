//! The order of elimination: nested dissection along the axes. Where a body is cut in two, the particles of one half that
//! the matrix ties to the other come last, so that the halves do not fill each other.

use pliant_geometry::neighbours::NeighbourLists;
use pliant_math::Vec3;
use std::ops::Range;

/// Sets of particles smaller than this are not cut further.
const LEAF: usize = 48;
/// Particles of a part of a body that is too large for one factor, at most. Parts eight times as large save a twentieth of
/// the iterations and more than double the memory of the factors.
const PART: usize = 512;
/// The halves of a body, their halves and the halves of those are branches that can be solved side by side.
const BRANCHING: usize = 3;
/// Bodies smaller than this are solved faster than threads start.
const WORTH_BRANCHING: usize = 1000;

/// Points closer than this share of the extent of their set are in one layer.
const LAYER: f64 = 1e-6;

/// An order of particles, and the parts it consists of.
#[derive(Debug, Default)]
pub(crate) struct Ordering {
    pub order: Vec<u32>,
    /// One for a body that is factorised as a whole.
    pub parts: Vec<Range<usize>>,
    /// Ranges that are not tied to each other, only to what comes after them; for one part only.
    pub branches: Vec<Twig>,
}

/// A range of the order, and the ranges in it that are not tied to each other, only to what comes after them.
#[derive(Debug)]
pub(crate) struct Twig {
    pub range: Range<usize>,
    pub twigs: Vec<Twig>,
}

/// An order of points in which Cholesky factors stay sparse. The matrix ties the neighbours of a point to each other.
/// More than `limit` points are divided into parts first.
pub(crate) fn nested_dissection(positions: &[Vec3], lists: &NeighbourLists, limit: usize) -> Ordering {
    let mut points: Vec<u32> = (0..positions.len() as u32).collect();
    let mut dissection =
        Dissection { positions, lists, mark: vec![0; points.len()], stamp: 0, ordering: Ordering::default() };
    if points.len() > limit {
        dissection.divide(&mut points);
    } else {
        let depth = if points.len() < WORTH_BRANCHING { BRANCHING + 1 } else { 0 };
        dissection.ordering.branches = dissection.dissect(&mut points, depth).twigs;
        dissection.ordering.parts.push(0..positions.len());
    }
    dissection.ordering
}

struct Dissection<'a> {
    positions: &'a [Vec3],
    lists: &'a NeighbourLists,
    /// Points that lately had a neighbour beyond a cut: the number of the cut.
    mark: Vec<u32>,
    stamp: u32,
    ordering: Ordering,
}

impl Dissection<'_> {
    /// Halves a set of particles until its parts are small enough.
    fn divide(&mut self, points: &mut [u32]) {
        if points.len() > PART {
            let axis = self.extents(points).imax();
            let middle = self.halve(points, axis);
            let (left, right) = points.split_at_mut(middle);
            self.divide(left);
            self.divide(right);
        } else {
            let first = self.ordering.order.len();
            self.dissect(points, BRANCHING + 1);
            self.ordering.parts.push(first..self.ordering.order.len());
        }
    }

    /// Orders a set that was cut out of the body by `depth` cuts.
    fn dissect(&mut self, points: &mut [u32], depth: usize) -> Twig {
        let (first, mut twigs) = (self.ordering.order.len(), Vec::new());
        match self.cut(points) {
            None => self.ordering.order.extend_from_slice(points),
            Some((middle, mut ties)) => {
                let (left, right) = points.split_at_mut(middle);
                let mut kept: Vec<u32> = Vec::with_capacity(left.len());
                let is_tie = |i: u32| ties.binary_search(&i).is_ok();
                kept.extend(left.iter().copied().filter(|&i| !is_tie(i)));
                let halves = [self.dissect(&mut kept, depth + 1), self.dissect(right, depth + 1)];
                if depth < BRANCHING {
                    twigs.extend(halves);
                }
                self.sort(&mut ties);
                self.ordering.order.extend_from_slice(&ties);
            }
        }
        Twig { range: first..self.ordering.order.len(), twigs }
    }

    /// Halves the points along the axis that ties the halves least; returns where the second half starts and the points of
    /// the first that are tied to it, by rising number, or none if the set is better left whole.
    fn cut(&mut self, points: &mut [u32]) -> Option<(usize, Vec<u32>)> {
        if points.len() <= LEAF {
            self.sort(points);
            return None;
        }
        let extents = self.extents(points);
        let mut best: Option<(usize, Vec<u32>)> = None;
        for axis in (0..3).filter(|&axis| extents[axis] > 0.5 * extents.max()) {
            let middle = self.halve(points, axis);
            let ties = self.ties(points, middle);
            if best.as_ref().is_none_or(|(_, fewest)| ties.len() < fewest.len()) {
                best = Some((axis, ties));
            }
        }
        let (axis, mut ties) = best?;
        let middle = self.halve(points, axis);
        if middle - ties.len() < LEAF / 2 {
            self.sort(points);
            return None;
        }
        ties.sort_unstable();
        Some((middle, ties))
    }

    /// Points of the first half that share a neighbour with one of the second.
    fn ties(&mut self, points: &[u32], middle: usize) -> Vec<u32> {
        let (left, right) = points.split_at(middle);
        self.stamp += 1;
        for &i in right {
            self.mark[i as usize] = self.stamp;
            for &k in self.lists.row(i as usize) {
                self.mark[k as usize] = self.stamp;
            }
        }
        let touches = |i: u32| {
            self.mark[i as usize] == self.stamp
                || self.lists.row(i as usize).iter().any(|&k| self.mark[k as usize] == self.stamp)
        };
        left.iter().copied().filter(|&i| touches(i)).collect()
    }

    /// Puts the lower half along an axis first; returns where the other starts. Layers of a lattice are not torn apart: a
    /// torn layer ties more points.
    fn halve(&self, points: &mut [u32], axis: usize) -> usize {
        let middle = points.len() / 2;
        let (left, cut, _) = points.select_nth_unstable_by(middle, |&a, &b| self.compare(a, b, axis));
        let place = |i: u32| self.positions[i as usize][axis];
        let layer = place(*cut) - LAYER * self.extents(left)[axis];
        let mut start = 0;
        for k in 0..left.len() {
            if place(left[k]) < layer {
                left.swap(k, start);
                start += 1;
            }
        }
        if start > middle / 2 { start } else { middle }
    }

    fn sort(&self, points: &mut [u32]) {
        let axis = self.extents(points).imax();
        points.sort_unstable_by(|&a, &b| self.compare(a, b, axis));
    }

    fn compare(&self, a: u32, b: u32, axis: usize) -> std::cmp::Ordering {
        let place = |i: u32| self.positions[i as usize][axis];
        place(a).total_cmp(&place(b)).then(a.cmp(&b))
    }

    fn extents(&self, points: &[u32]) -> Vec3 {
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for &i in points {
            low = low.inf(&self.positions[i as usize]);
            high = high.sup(&self.positions[i as usize]);
        }
        high - low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_ordered_once_and_branches_are_not_tied() {
        let points: Vec<Vec3> = (0..20 * 10 * 10)
            .map(|k| Vec3::new(f64::from(k % 20), f64::from(k / 20 % 10), f64::from(k / 200)))
            .collect();
        let lists = NeighbourLists::within(&points, 1.9, |_, _| true);
        for limit in [1000, 5000] {
            let Ordering { order, parts, branches } = nested_dissection(&points, &lists, limit);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..2000));
            assert_eq!(parts.iter().map(ExactSizeIterator::len).sum::<usize>(), 2000);
            let mut level: Vec<&Twig> = branches.iter().collect();
            for count in if limit < 2000 { [0, 0, 0] } else { [2, 4, 8] } {
                assert_eq!(level.len(), count);
                let mut branch_of = vec![usize::MAX; 2000];
                for (branch, twig) in level.iter().enumerate() {
                    order[twig.range.clone()].iter().for_each(|&i| branch_of[i as usize] = branch);
                }
                for i in 0..2000 {
                    for &j in lists.row(i) {
                        for &k in lists.row(j as usize) {
                            let (a, b) = (branch_of[i], branch_of[k as usize]);
                            assert!(a == b || a == usize::MAX || b == usize::MAX, "{i} and {k} are tied");
                        }
                    }
                }
                level = level.into_iter().flat_map(|twig| &twig.twigs).collect();
            }
        }
    }
}
