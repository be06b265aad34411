//! The rest pose of a body: neighbourhoods, volumes and corrected kernel gradients (Kugelstadt 2021 §3.2). It never
//! changes while a body deforms, and copies of a body share it.

use super::ordering::{self, Ordering, Twig};
use crate::kernel::Kernel;
use crate::settings::{SphSettings, VolumeRule};
use nalgebra::{Matrix3, Vector3};
use pliant_geometry::neighbours::NeighbourLists;
use pliant_math::{Vec3, parallel};
use std::ops::Range;

/// A neighbourhood is flat along a direction in which it reaches less than this share of the mean, squared.
const FLAT: f64 = 0.02;

/// The rest pose. Particles are in the order of elimination, which is also an order in space.
#[derive(Debug)]
pub(crate) struct Rest {
    /// Particle of the body at each place.
    pub order: Vec<u32>,
    /// Ranges of particles that are factorised together.
    pub parts: Vec<Range<usize>>,
    /// Ranges that the matrix ties to later particles only.
    pub branches: Vec<Twig>,
    /// Rest positions about the centre of the body [m].
    pub position: Vec<Vec3>,
    /// `V_i` [m³].
    pub volume: Vec<f64>,
    /// Row `i` is `edges[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    pub edges: Vec<Edge>,
    /// Where edges lead, for loops that need nothing else of them.
    pub to: Vec<u32>,
    /// `L_i`, symmetric because it is that of a symmetric kernel; of a flat neighbourhood its pseudo-inverse.
    pub correction: Vec<Matrix3<f32>>,
    /// `S_i = Σ_j V_j W_ij/|X_ij|² X_ij X_ijᵀ`.
    pub spread: Vec<Matrix3<f32>>,
    /// `Σ_j V_j ∇W_ij` [1/m].
    pub slope: Vec<[f32; 3]>,
    /// `Σ_j V_j W_ij/|X_ij|² X_ji` [1/m].
    pub lean: Vec<[f32; 3]>,
    /// Directions in which neighbourhoods are flat, as projectors, by rising particle.
    pub flat: Vec<(u32, Matrix3<f64>)>,
}

/// From a particle to one of its neighbours at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// `X_j − X_i` [m].
    pub offset: [f32; 3],
    /// The neighbour.
    pub to: u32,
    /// `−V_j W'(r)/r` [1/m²]: times the offset it is `V_j ∇W_ij`.
    pub steepness: f32,
    /// `V_j W_ij / |X_ij|²` [1/m²], the weight of the zero-energy term.
    pub weight: f32,
}

impl Rest {
    /// The rest pose of a body whose particles lie at `positions`, with these volumes.
    pub fn new(positions: &[Vec3], volumes: &[f64], spacing: f64, settings: &SphSettings) -> Self {
        let support = settings.support * spacing;
        let kernel = Kernel::new(support);
        let center = positions.iter().sum::<Vec3>() / positions.len().max(1) as f64;
        // On a lattice the kernel ends exactly on a layer of points, which would only fill the matrix.
        let mut lists = NeighbourLists::within(positions, support * (1.0 - 1e-6), |_, _| true);
        if let Some(count) = settings.nearest {
            lists = nearest(&lists, positions, count);
        }
        let Ordering { order, parts, branches } =
            ordering::nested_dissection(positions, &lists, settings.direct_limit);
        let position: Vec<Vec3> = order.iter().map(|&i| positions[i as usize] - center).collect();
        let lists = reordered(&lists, &order);
        let mut volume: Vec<f64> = order.iter().map(|&i| volumes[i as usize]).collect();
        if settings.volume == VolumeRule::Kernel {
            volume = kernel_volumes(&lists, &position, &kernel);
        }
        let starts = lists.starts.clone();
        let mut edges = vec![Edge::NONE; lists.neighbours.len()];
        for i in 0..position.len() {
            for e in lists.range(i) {
                edges[e] = Edge::new(&position, i, lists.neighbours[e], &volume, &kernel);
            }
        }
        let mut rest = Self {
            order,
            parts,
            branches,
            position,
            volume,
            starts,
            edges,
            to: lists.neighbours,
            correction: Vec::new(),
            spread: Vec::new(),
            slope: Vec::new(),
            lean: Vec::new(),
            flat: Vec::new(),
        };
        rest.correct();
        rest
    }

    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// The neighbours of particle `i`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[Edge] {
        &self.edges[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// Direction in which the neighbourhood of a particle is flat.
    pub fn flat_directions(&self, i: usize) -> Option<&Matrix3<f64>> {
        let place = self.flat.binary_search_by_key(&(i as u32), |flat| flat.0).ok()?;
        Some(&self.flat[place].1)
    }

    /// Eq. 8, and the moments of the zero-energy term.
    fn correct(&mut self) {
        let (mut correction, mut spread) =
            (vec![Matrix3::zeros(); self.len()], vec![Matrix3::zeros(); self.len()]);
        let mut flat = vec![None; self.len()];
        parallel::update_triple(&mut correction, &mut spread, &mut flat, |i, l, (s, flat)| {
            let (mut moment, mut weights) = (Matrix3::<f64>::zeros(), Matrix3::<f64>::zeros());
            for edge in self.row(i) {
                let offset = edge.offset();
                let square = offset * offset.transpose();
                moment += square * f64::from(edge.steepness);
                weights += square * f64::from(edge.weight);
            }
            let (inverse, missing) = pseudo_inverse(&moment);
            (*l, *s, *flat) = (inverse.cast(), weights.cast(), missing);
        });
        (self.correction, self.spread) = (correction, spread);
        let sum = |i: usize, weight: fn(&Edge) -> f32| {
            let sum: Vec3 = self.row(i).iter().map(|edge| edge.offset() * f64::from(weight(edge))).sum();
            [sum.x as f32, sum.y as f32, sum.z as f32]
        };
        let slope = (0..self.len()).map(|i| sum(i, |edge| edge.steepness)).collect();
        let lean = (0..self.len()).map(|i| sum(i, |edge| edge.weight)).collect();
        (self.slope, self.lean) = (slope, lean);
        self.flat = (0u32..).zip(flat).filter_map(|(i, flat)| flat.map(|flat| (i, flat))).collect();
    }
}

impl Edge {
    const NONE: Self = Self { offset: [0.0; 3], to: 0, steepness: 0.0, weight: 0.0 };

    fn new(position: &[Vec3], from: usize, to: u32, volume: &[f64], kernel: &Kernel) -> Self {
        let offset = position[to as usize] - position[from];
        let (distance, volume) = (offset.norm(), volume[to as usize]);
        Self {
            offset: [offset.x as f32, offset.y as f32, offset.z as f32],
            to,
            steepness: (volume * kernel.steepness(distance)) as f32,
            weight: (volume * kernel.value(distance) / offset.norm_squared().max(f64::MIN_POSITIVE)) as f32,
        }
    }

    /// `X_j − X_i` [m].
    pub fn offset(&self) -> Vec3 {
        Vector3::from(self.offset).cast()
    }
}

/// The inverse of a symmetric moment matrix, and the directions it says nothing about.
fn pseudo_inverse(moment: &Matrix3<f64>) -> (Matrix3<f64>, Option<Matrix3<f64>>) {
    let mean = moment.trace() / 3.0;
    if moment.determinant() > FLAT * mean.powi(3)
        && let Some(inverse) = moment.try_inverse()
    {
        return (inverse, None);
    }
    let eigen = moment.symmetric_eigen();
    let (mut inverse, mut missing) = (Matrix3::zeros(), Matrix3::zeros());
    for k in 0..3 {
        let direction = eigen.eigenvectors.column(k);
        let square = direction * direction.transpose();
        if eigen.eigenvalues[k] > FLAT * mean && mean > 0.0 {
            inverse += square / eigen.eigenvalues[k];
        } else {
            missing += square;
        }
    }
    (inverse, (missing.trace() > 0.5).then_some(missing))
}

/// Lists of the same points in another order.
fn reordered(lists: &NeighbourLists, order: &[u32]) -> NeighbourLists {
    let mut place = vec![0u32; order.len()];
    order.iter().zip(0u32..).for_each(|(&i, at)| place[i as usize] = at);
    let row = |&i: &u32| {
        let mut row: Vec<u32> = lists.row(i as usize).iter().map(|&j| place[j as usize]).collect();
        row.sort_unstable();
        row
    };
    NeighbourLists::from_rows(&order.iter().map(row).collect::<Vec<_>>())
}

/// Eq. 5.
fn kernel_volumes(lists: &NeighbourLists, position: &[Vec3], kernel: &Kernel) -> Vec<f64> {
    let volume = |i: usize| {
        let near = lists.row(i).iter().map(|&j| kernel.value((position[j as usize] - position[i]).norm()));
        1.0 / (kernel.value(0.0) + near.sum::<f64>())
    };
    (0..position.len()).map(volume).collect()
}

/// Pairs of which one is among the `count` closest of the other (§9: "reduced neighbourhoods"). Forces need pairs that
/// know of each other, so a particle may have a few more.
fn nearest(lists: &NeighbourLists, position: &[Vec3], count: usize) -> NeighbourLists {
    let closest = |i: usize| {
        let mut row = lists.row(i).to_vec();
        row.sort_by(|&a, &b| {
            let distance = |j: u32| (position[j as usize] - position[i]).norm_squared();
            distance(a).total_cmp(&distance(b)).then(a.cmp(&b))
        });
        row.truncate(count);
        row
    };
    let mut rows: Vec<Vec<u32>> = (0..position.len()).map(closest).collect();
    for i in 0..rows.len() {
        for k in 0..rows[i].len().min(count) {
            let j = rows[i][k] as usize;
            rows[j].push(i as u32);
        }
    }
    for row in &mut rows {
        row.sort_unstable();
        row.dedup();
    }
    NeighbourLists::from_rows(&rows)
}
