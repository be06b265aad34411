//! How good a filling is for methods that work with neighbourhoods (Kugelstadt 2021, §7 and §9).

use crate::Shape;
use crate::kernel::CubicSpline;
use crate::neighbours::NeighbourLists;
use pliant_math::{Mat, Vec3, parallel};

/// Radius of a neighbourhood in spacings, as in SPH.
const SUPPORT: f64 = 2.0;
/// Bins of the histogram of distances, from 0 to twice the spacing.
pub const BINS: usize = 20;
/// Square of the thickness over the width at which a neighbourhood counts as flat: the matrices that correct kernels
/// then have condition numbers of hundreds.
const FLAT: f64 = 0.01;
/// How far below the surface no kernel reaches beyond it, in spacings.
const DEEP: f64 = SUPPORT;

/// Facts about particles that fill a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Particles there are.
    pub count: usize,
    /// Fewest, mean and most neighbours within two spacings.
    pub neighbours: Range,
    /// Particles with fewer neighbours than a third of what a lattice has inside.
    pub lonely: usize,
    /// Particles whose neighbours lie in a plane, or in space in something as thin, but not along a line.
    pub coplanar: usize,
    /// Particles whose neighbours lie along a line, or that have fewer than two.
    pub colinear: usize,
    /// Smallest, mean and largest distance to the nearest particle, in spacings.
    pub nearest: Range,
    /// Standard deviation of the same.
    pub nearest_deviation: f64,
    /// How many particles have their nearest at 0 to 0.1 spacings, 0.1 to 0.2 and so on.
    pub histogram: [usize; BINS],
    /// Root mean square of the relative density error of particles deeper than two spacings; none if there is none.
    pub density_error: Option<f64>,
    /// Particles outside the shape.
    pub outside: usize,
    /// Particles that no chain of neighbours connects with the largest piece.
    pub apart: usize,
}

/// Smallest, mean and largest of some values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
}

impl Range {
    fn of(values: &[f64]) -> Self {
        Self {
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            mean: values.iter().sum::<f64>() / values.len().max(1) as f64,
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// What one particle contributes.
#[derive(Clone, Copy, Default)]
struct Local {
    neighbours: usize,
    nearest: f64,
    density: f64,
    /// Dimensions in which the neighbourhood is thick.
    rank: usize,
    distance: f64,
}

impl Quality {
    /// Looks at particles that fill a shape at this spacing `[m]`; there must be at least one.
    pub fn of(points: &[Vec3], shape: &Shape, spacing: f64, dimension: usize) -> Self {
        let kernel = CubicSpline::new(SUPPORT * spacing, dimension);
        // Particles just at the end of the support weigh nothing: rounding must not count some of them.
        let lists = NeighbourLists::within(points, kernel.support * (1.0 - 1e-6), |_, _| true);
        let mut locals = vec![Local::default(); points.len()];
        parallel::fill(&mut locals, |i| {
            let offsets: Vec<Vec3> = lists.row(i).iter().map(|&j| points[j as usize] - points[i]).collect();
            Local { distance: shape.distance(&points[i]), ..Local::of(&offsets, &kernel, spacing, dimension) }
        });
        Self { apart: apart(&lists), ..Self::summary(&locals, spacing, dimension) }
    }

    fn summary(locals: &[Local], spacing: f64, dimension: usize) -> Self {
        let all = |value: fn(&Local) -> f64| locals.iter().map(value).collect::<Vec<f64>>();
        let count_of = |is: &dyn Fn(&Local) -> bool| locals.iter().filter(|local| is(local)).count();
        let nearest = Range::of(&all(|local| local.nearest));
        let variance = locals.iter().map(|local| (local.nearest - nearest.mean).powi(2)).sum::<f64>();
        let mut histogram = [0; BINS];
        for local in locals {
            histogram[((local.nearest * 0.5 * BINS as f64) as usize).min(BINS - 1)] += 1;
        }
        let errors = locals.iter().filter(|local| local.distance < -DEEP * spacing);
        let errors: Vec<f64> = errors.map(|local| (local.density - 1.0).powi(2)).collect();
        let mean_error = (errors.iter().sum::<f64>() / errors.len() as f64).sqrt();
        Self {
            count: locals.len(),
            neighbours: Range::of(&all(|local| local.neighbours as f64)),
            lonely: count_of(&|local| local.neighbours < if dimension == 2 { 4 } else { 9 }),
            coplanar: count_of(&|local| dimension == 3 && local.rank == 2),
            colinear: count_of(&|local| local.rank < 2),
            nearest,
            nearest_deviation: (variance / locals.len().max(1) as f64).sqrt(),
            histogram,
            density_error: (!errors.is_empty()).then_some(mean_error),
            outside: count_of(&|local| local.distance > 1e-9 * spacing),
            apart: 0,
        }
    }
}

/// Particles outside the largest piece.
fn apart(lists: &NeighbourLists) -> usize {
    let (mut is_seen, mut largest) = (vec![false; lists.len()], 0);
    for start in 0..lists.len() {
        let (mut open, mut size) = (vec![start], 0);
        while let Some(i) = open.pop() {
            if !std::mem::replace(&mut is_seen[i], true) {
                size += 1;
                open.extend(lists.row(i).iter().map(|&j| j as usize).filter(|&j| !is_seen[j]));
            }
        }
        largest = largest.max(size);
    }
    lists.len() - largest
}

impl Local {
    fn of(offsets: &[Vec3], kernel: &CubicSpline, spacing: f64, dimension: usize) -> Self {
        let volume = spacing.powi(dimension as i32);
        let (mut moments, mut density, mut nearest) =
            (Mat::<3>::zeros(), volume * kernel.value(0.0), f64::INFINITY);
        for offset in offsets {
            let distance = offset.norm();
            let weight = volume * kernel.value(distance);
            moments += offset * offset.transpose() * weight;
            density += weight;
            nearest = nearest.min(distance / spacing);
        }
        let mut widths: Vec<f64> = moments.symmetric_eigenvalues().iter().copied().collect();
        widths.sort_by(|a, b| b.total_cmp(a));
        let rank = widths.iter().take(dimension).filter(|width| **width > FLAT * widths[0].max(1e-300));
        Self {
            neighbours: offsets.len(),
            nearest: nearest.min(SUPPORT),
            density,
            rank: if offsets.len() < 2 { 0 } else { rank.count() },
            distance: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(counts: [i32; 3]) -> Vec<Vec3> {
        let [x, y, z] = counts;
        let all = (0..x).flat_map(|i| (0..y).flat_map(move |j| (0..z).map(move |k| [i, j, k])));
        all.map(|[i, j, k]| Vec3::new(f64::from(i), f64::from(j), f64::from(k)) * 0.1).collect()
    }

    #[test]
    fn sheets_and_threads_are_told_from_solids() {
        let everything = Shape::ball(10.0).unwrap();
        let of = |counts| Quality::of(&lattice(counts), &everything, 0.1, 3);
        let (solid, sheet, thread) = (of([6, 6, 6]), of([6, 6, 1]), of([6, 1, 1]));
        assert_eq!([solid.coplanar, solid.colinear], [0, 0]);
        assert_eq!([sheet.coplanar, sheet.colinear], [36, 0]);
        assert_eq!([thread.coplanar, thread.colinear], [0, 6]);
        assert_eq!(solid.neighbours.max, 26.0);
        assert_eq!(sheet.lonely, 4 + 16 + 16, "corners have 5 neighbours, edges 7 or 8, the middle 8");
        assert_eq!(solid.histogram[10] + solid.histogram[9], 216, "all are one spacing apart");
    }

    #[test]
    fn a_lattice_has_the_right_density_inside_and_what_is_outside_is_counted() {
        let points = lattice([12, 12, 12]);
        let cube = Shape::cuboid(Vec3::repeat(0.6)).unwrap().translated(Vec3::repeat(0.55));
        let good = Quality::of(&points, &cube, 0.1, 3);
        assert!(good.density_error.unwrap() < 0.01, "{:?}", good.density_error);
        assert_eq!(good.outside, 0);
        let shifted = cube.translated(Vec3::new(0.1, 0.0, 0.0));
        assert_eq!(Quality::of(&points, &shifted, 0.1, 3).outside, 144, "one layer");
        let two = [points.clone(), vec![Vec3::new(1.35, 0.0, 0.0), Vec3::new(1.4, 0.0, 0.0)]].concat();
        assert_eq!([good.apart, Quality::of(&two, &cube, 0.1, 3).apart], [0, 2]);
    }
}
