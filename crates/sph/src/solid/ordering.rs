//! The order of elimination: geometric nested dissection of the rest positions. Where a body is cut in two, the
//! particles near the cut come last, so that the halves do not fill each other.

use pliant_math::Vec3;
use std::ops::Range;

/// Sets of particles smaller than this are not cut further.
const LEAF: usize = 48;

/// Particles of a part of a body that is too large for one factor, at most.
const PART: usize = 4096;

/// An order of particles, and the parts it consists of.
#[derive(Debug)]
pub(crate) struct Ordering {
    pub order: Vec<u32>,
    /// One for a body that is factorised as a whole.
    pub parts: Vec<Range<usize>>,
}

/// An order of the points in which Cholesky factors stay sparse. Entries of the matrix couple neighbours of one particle,
/// so they reach two kernel supports [m]. More than `limit` points are divided into parts first.
pub(crate) fn nested_dissection(positions: &[Vec3], support: f64, limit: usize) -> Ordering {
    let mut points: Vec<u32> = (0..positions.len() as u32).collect();
    let mut ordering = Ordering { order: Vec::with_capacity(points.len()), parts: Vec::new() };
    let largest = if points.len() > limit { PART } else { points.len().max(1) };
    divide(&mut points, positions, (2.0 * support, largest), &mut ordering);
    ordering
}

/// Halves a set of particles until its parts are small enough.
fn divide(points: &mut [u32], positions: &[Vec3], (reach, largest): (f64, usize), into: &mut Ordering) {
    if points.len() > largest {
        sort_along(points, positions, longest_axis(points, positions));
        let (left, right) = points.split_at_mut(points.len() / 2);
        divide(left, positions, (reach, largest), into);
        divide(right, positions, (reach, largest), into);
    } else {
        let first = into.order.len();
        dissect(points, positions, reach, &mut into.order);
        into.parts.push(first..into.order.len());
    }
}

fn sort_along(points: &mut [u32], positions: &[Vec3], axis: usize) {
    let place = |i: u32| positions[i as usize][axis];
    points.sort_unstable_by(|&a, &b| place(a).total_cmp(&place(b)).then(a.cmp(&b)));
}

fn dissect(points: &mut [u32], positions: &[Vec3], reach: f64, order: &mut Vec<u32>) {
    let place = |i: &u32| &positions[*i as usize];
    let axis = longest_axis(points, positions);
    sort_along(points, positions, axis);
    if points.len() <= LEAF {
        order.extend_from_slice(points);
        return;
    }
    let middle = points.len() / 2;
    let cut = place(&points[middle])[axis] - reach;
    let separator = points.partition_point(|i| place(i)[axis] <= cut);
    if separator < LEAF / 2 {
        order.extend_from_slice(points);
        return;
    }
    let (left, rest) = points.split_at_mut(separator);
    let (near, right) = rest.split_at_mut(middle - separator);
    dissect(left, positions, reach, order);
    dissect(right, positions, reach, order);
    order.extend_from_slice(near);
}

fn longest_axis(points: &[u32], positions: &[Vec3]) -> usize {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for &i in points {
        low = low.inf(&positions[i as usize]);
        high = high.sup(&positions[i as usize]);
    }
    (high - low).imax()
}
