//! Rest neighbourhoods and the least-squares fit over them (Zhou 2013, Eq. 1–5).
//!
//! The paper stores a 6×3 block per edge. The same operator needs only the weighted rest offset `b = w p` and
//! the weight `w` of an edge, plus the inverse moment `N = (Σ b pᵀ)⁻¹` of a particle: `F = (Σ u bᵀ) N`.
//! Rounding `b` to single precision costs nothing, because `N` is fitted to the rounded values: affine maps
//! are still reproduced to the last bits of double precision.

use pliant_geometry::kernel;
use pliant_geometry::neighbours::NeighbourLists;
use pliant_math::{Mat, Vect, parallel, principal};
use serde::{Deserialize, Serialize};
use wide::f64x4;

/// `(w pₓ, w p_y, w p_z, w)` of a directed edge i → j, as particle i sees it.
pub(super) type EdgeWeight = [f32; 4];

/// A neighbourhood whose narrowest extent is below this share of its widest has no reliable direction there:
/// it is treated as flat (or as a line) instead of amplifying noise.
const FLAT: f64 = 0.02;

/// What each particle takes for its rest surroundings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Neighbourhoods<const D: usize> {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    weights: Vec<EdgeWeight>,
    /// Edges by the particle they point at; none while every edge is the mirror image of its reverse.
    incoming: Option<Incoming>,
    /// One fit a particle.
    pub fits: Vec<Fit<D>>,
}

/// The least-squares fit of one particle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Fit<const D: usize> {
    /// `N`, the (pseudo-)inverse of the moment `Σ w p pᵀ`.
    pub inverse_moment: Mat<D>,
    /// `B = Σ w p`.
    pub weight_sum: Vect<D>,
    /// `Σ w |p|²`, scale of the zero-energy penalty.
    pub size: f64,
    /// Smallest over largest extent of the neighbourhood, 0 if flat.
    pub roundness: f64,
    /// Projector onto the directions the neighbours span, for flat neighbourhoods only.
    pub covered: Option<Box<Mat<D>>>,
}

/// An edge in the lanes of a vector register; explicit, because the loops over it are all that a step costs.
#[inline(always)]
fn lanes(edge: &EdgeWeight) -> f64x4 {
    f64x4::from(edge.map(f64::from))
}

/// Edges sorted by their target. Weights are copied: following an index into the rows of other particles would
/// cost more than all the arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Incoming {
    starts: Vec<u32>,
    sources: Vec<u32>,
    weights: Vec<EdgeWeight>,
}

fn rows_are_whole(starts: &[u32], others: &[u32], weights: &[EdgeWeight], count: usize) -> bool {
    starts.len() == count + 1
        && starts[0] == 0
        && starts.is_sorted()
        && starts[count] as usize == others.len()
        && others.len() == weights.len()
        && others.iter().all(|other| (*other as usize) < count)
}

/// A row of rest offsets that replaces what a particle remembered.
pub(super) struct Row<const D: usize> {
    pub particle: usize,
    pub neighbours: Vec<u32>,
    pub offsets: Vec<Vect<D>>,
    pub weights: Vec<f64>,
}

impl<const D: usize> Neighbourhoods<D> {
    /// Surroundings in the rest pose. `support(i)` is the kernel radius of particle i [m].
    pub fn new(rest: &[Vect<D>], lists: NeighbourLists, support: impl Fn(usize) -> f64 + Sync) -> Self {
        let mut rows = Vec::new();
        rows.resize_with(rest.len(), || (Vec::new(), Fit::empty()));
        parallel::fill(&mut rows, |i| {
            let offsets: Vec<Vect<D>> = lists.row(i).iter().map(|&j| rest[j as usize] - rest[i]).collect();
            let weights: Vec<f64> = offsets.iter().map(|p| kernel::cosine(p.norm(), support(i))).collect();
            edge_weights_and_fit(&offsets, &weights)
        });
        let weights = rows.iter().flat_map(|(weights, _)| weights.iter().copied()).collect();
        let fits = rows.into_iter().map(|(_, fit)| fit).collect();
        let NeighbourLists { starts, neighbours } = lists;
        Self { starts, neighbours, weights, incoming: None, fits }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.fits.len()
    }

    /// Whether every particle has its rows, and every edge leads to a particle.
    pub fn is_whole(&self, count: usize) -> bool {
        let incoming = self.incoming.as_ref();
        self.fits.len() == count
            && rows_are_whole(&self.starts, &self.neighbours, &self.weights, count)
            && incoming.is_none_or(|rows| rows_are_whole(&rows.starts, &rows.sources, &rows.weights, count))
    }

    /// Neighbours of particle i, in rising order.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.neighbours[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    #[inline(always)]
    fn edges(&self, i: usize) -> impl Iterator<Item = (usize, &EdgeWeight)> {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        self.neighbours[range.clone()].iter().map(|&j| j as usize).zip(&self.weights[range])
    }

    /// Edges of particle i with their rest offsets.
    pub fn offsets(&self, i: usize) -> impl Iterator<Item = (usize, Vect<D>, f64)> {
        self.edges(i).map(|(j, edge)| {
            let weight = f64::from(edge[3]);
            (j, Vect::from_fn(|axis, _| f64::from(edge[axis]) / weight), weight)
        })
    }

    /// `Σ_j (x_j − x_i) ⊗ (b, w)`: the moment of the motion, and in the last lane its weighted sum.
    #[inline(always)]
    pub fn moment(&self, i: usize, x: &[Vect<D>]) -> [[f64; 4]; D] {
        let mut rows = [f64x4::ZERO; D];
        let here = x[i];
        for (j, edge) in self.edges(i) {
            let (there, edge) = (&x[j], lanes(edge));
            rows = std::array::from_fn(|axis| rows[axis] + edge * (there[axis] - here[axis]));
        }
        rows.map(f64x4::to_array)
    }

    /// `Σ_j Z_j (b_ji, w_ji)` over the edges that point at particle i.
    #[inline(always)]
    pub fn gather(&self, i: usize, flux: &[[[f64; 4]; D]]) -> Vect<D> {
        let mut rows = [f64x4::ZERO; D];
        match &self.incoming {
            // p_ji = −p_ij: the particle's own row serves as the incoming one.
            None => {
                let reverse = f64x4::from([-1.0, -1.0, -1.0, 1.0]);
                for (j, edge) in self.edges(i) {
                    let (z, edge) = (&flux[j], lanes(edge) * reverse);
                    rows = std::array::from_fn(|axis| rows[axis] + edge * f64x4::from(z[axis]));
                }
            }
            Some(incoming) => {
                for (j, edge) in incoming.edges(i) {
                    let (z, edge) = (&flux[j], lanes(edge));
                    rows = std::array::from_fn(|axis| rows[axis] + edge * f64x4::from(z[axis]));
                }
            }
        }
        Vect::from_fn(|axis, _| rows[axis].to_array().iter().sum())
    }

    /// `Σ_j κ_j w_ji` over the edges that point at particle i.
    pub fn gather_weights(&self, i: usize, kappa: &[f64]) -> f64 {
        match &self.incoming {
            None => self.edges(i).map(|(j, edge)| kappa[j] * f64::from(edge[3])).sum(),
            Some(incoming) => incoming.edges(i).map(|(j, edge)| kappa[j] * f64::from(edge[3])).sum(),
        }
    }

    /// Replaces whole rows; `rows` rise by particle.
    pub fn replace(&mut self, rows: &[Row<D>]) {
        let mut starts = Vec::with_capacity(self.starts.len());
        let mut neighbours = Vec::with_capacity(self.neighbours.len());
        let mut weights = Vec::with_capacity(self.weights.len());
        let mut pending = rows.iter().peekable();
        starts.push(0);
        for i in 0..self.len() {
            if let Some(row) = pending.next_if(|row| row.particle == i) {
                let (row_weights, fit) = edge_weights_and_fit(&row.offsets, &row.weights);
                neighbours.extend_from_slice(&row.neighbours);
                weights.extend_from_slice(&row_weights);
                self.fits[i] = fit;
            } else {
                let range = self.starts[i] as usize..self.starts[i + 1] as usize;
                neighbours.extend_from_slice(&self.neighbours[range.clone()]);
                weights.extend_from_slice(&self.weights[range]);
            }
            starts.push(u32::try_from(neighbours.len()).expect("edges are counted in 32 bits"));
        }
        self.incoming = Some(Incoming::new(&starts, &neighbours, &weights));
        (self.starts, self.neighbours, self.weights) = (starts, neighbours, weights);
    }
}

impl Incoming {
    #[inline(always)]
    fn edges(&self, i: usize) -> impl Iterator<Item = (usize, &EdgeWeight)> {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        self.sources[range.clone()].iter().map(|&j| j as usize).zip(&self.weights[range])
    }

    fn new(starts: &[u32], neighbours: &[u32], weights: &[EdgeWeight]) -> Self {
        let count = starts.len() - 1;
        let mut ends = vec![0u32; count + 1];
        for &j in neighbours {
            ends[j as usize + 1] += 1;
        }
        for i in 0..count {
            ends[i + 1] += ends[i];
        }
        let incoming_starts = ends.clone();
        let (mut sources, mut incoming) = (vec![0; neighbours.len()], vec![[0.0; 4]; neighbours.len()]);
        for source in 0..count {
            for edge in starts[source] as usize..starts[source + 1] as usize {
                let slot = &mut ends[neighbours[edge] as usize];
                (sources[*slot as usize], incoming[*slot as usize]) = (source as u32, weights[edge]);
                *slot += 1;
            }
        }
        Self { starts: incoming_starts, sources, weights: incoming }
    }
}

impl<const D: usize> Fit<D> {
    fn empty() -> Self {
        Self {
            inverse_moment: Mat::zeros(),
            weight_sum: Vect::zeros(),
            size: 0.0,
            roundness: 0.0,
            covered: Some(Box::new(Mat::zeros())),
        }
    }

    /// Number of directions the neighbours span.
    pub fn rank(&self) -> usize {
        self.covered.as_ref().map_or(D, |covered| covered.trace().round() as usize)
    }
}

/// Rounds the edges of one particle and fits its moment to the rounded values.
fn edge_weights_and_fit<const D: usize>(offsets: &[Vect<D>], weights: &[f64]) -> (Vec<EdgeWeight>, Fit<D>) {
    let edges: Vec<EdgeWeight> = offsets
        .iter()
        .zip(weights)
        .map(|(p, &w)| {
            let b = |axis: usize| if axis < D { (w * p[axis]) as f32 } else { 0.0 };
            [b(0), b(1), b(2), w as f32]
        })
        .collect();
    let mut fit = Fit::empty();
    let mut moment = Mat::<D>::zeros();
    for (p, edge) in offsets.iter().zip(&edges) {
        let b = Vect::<D>::from_fn(|axis, _| f64::from(edge[axis]));
        moment += p * b.transpose();
        fit.weight_sum += b;
        fit.size += f64::from(edge[3]) * p.norm_squared();
    }
    let axes = principal(&moment);
    if axes.sigma[0] > 0.0 {
        fit.roundness = axes.sigma[D - 1].max(0.0) / axes.sigma[0];
    }
    let regular = if fit.roundness >= FLAT { moment.try_inverse() } else { None };
    match regular {
        Some(inverse) => (fit.inverse_moment, fit.covered) = (inverse, None),
        None => (fit.inverse_moment, fit.covered) = pseudo_inverse(&axes),
    }
    (edges, fit)
}

/// Inverse on the directions that are covered, zero elsewhere (§3.2: "pseudo-inverse if ill-conditioned").
fn pseudo_inverse<const D: usize>(axes: &pliant_math::Principal<D>) -> (Mat<D>, Option<Box<Mat<D>>>) {
    let (mut inverse, mut covered) = (Mat::zeros(), Mat::zeros());
    for k in (0..D).filter(|&k| axes.sigma[k] > FLAT * axes.sigma[0]) {
        inverse += axes.v.column(k) * axes.u.column(k).transpose() / axes.sigma[k];
        covered += axes.v.column(k) * axes.v.column(k).transpose();
    }
    (inverse, Some(Box::new(covered)))
}
