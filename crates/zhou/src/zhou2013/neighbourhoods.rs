//! Rest neighbourhoods and the least-squares fit over them (Zhou 2013, Eq. 1–5).
//!
//! The paper stores a 6×3 block per edge. The same operator needs only the weighted rest offset `b = w p` and
//! the weight `w` of an edge, plus the inverse moment `N = (Σ b pᵀ)⁻¹` of a particle: `F = (Σ u bᵀ) N`.
//! Rounding `b` to single precision costs nothing, because `N` is fitted to the rounded values: affine maps
//! are still reproduced to the last bits of double precision.

use pliant_geometry::neighbours::NeighbourLists;
use pliant_geometry::{clamp, kernel};
use pliant_math::{Mat, Vect, parallel, principal};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

use super::edges::{EdgeWeight, Edges, Listed, Row, WeightList};
use super::exact;
use super::stiffness::{Lines, Places};

/// A neighbourhood whose narrowest extent is below this share of its widest has no reliable direction there:
/// it is treated as flat (or as a line) instead of amplifying noise.
const FLAT: f64 = 0.02;

/// Weighted offsets are rounded to this share of the neighbourhood's size (a power of two above it).
const GRAIN: f64 = 1.0 / (1u32 << 28) as f64;

/// Rows that are weighed before they are stored: enough for all threads, few beside a million.
const ROWS_AT_ONCE: usize = 1 << 14;

/// What each particle takes for its rest surroundings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Neighbourhoods<const D: usize> {
    outgoing: Edges,
    /// The same by the particle they point at, with their own copy of the weights: following an index into the rows
    /// of others would cost more than all the arithmetic. None while every edge is the mirror image of its reverse.
    incoming: Option<Edges>,
    /// One fit a particle.
    pub fits: Vec<Fit<D>>,
    #[serde(skip)]
    arrangement: Arrangement,
}

/// What is made of the edges for fast products when it is first asked for.
#[derive(Clone, Debug, Default)]
struct Arrangement {
    lines: OnceLock<Option<Arc<Lines>>>,
    places: OnceLock<Arc<Places>>,
}

impl PartialEq for Arrangement {
    /// Equal edges are arranged alike, whether that was asked for or not.
    fn eq(&self, _: &Self) -> bool {
        true
    }
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

/// A row of rest offsets that replaces what a particle remembered.
pub(super) struct NewRow<const D: usize> {
    pub particle: usize,
    pub neighbours: Vec<u32>,
    pub offsets: Vec<Vect<D>>,
    pub weights: Vec<f64>,
}

impl<const D: usize> Neighbourhoods<D> {
    /// Surroundings in the rest pose. `support(i)` is the kernel radius of particle i [m].
    pub fn new(rest: &[Vect<D>], lists: NeighbourLists, support: impl Fn(usize) -> f64 + Sync) -> Self {
        let mut weights = WeightList::with_capacity(lists.neighbours.len());
        let mut fits = Vec::with_capacity(rest.len());
        let mut rows = Vec::new();
        for first in (0..rest.len()).step_by(ROWS_AT_ONCE) {
            rows.resize_with(ROWS_AT_ONCE.min(rest.len() - first), || (Vec::new(), Fit::empty()));
            parallel::fill(&mut rows, |row| {
                let i = first + row;
                let offsets: Vec<Vect<D>> =
                    lists.row(i).iter().map(|&j| rest[j as usize] - rest[i]).collect();
                let weights: Vec<f64> =
                    offsets.iter().map(|p| kernel::cosine(p.norm(), support(i))).collect();
                edge_weights_and_fit(&offsets, &weights)
            });
            for (row, fit) in rows.drain(..) {
                weights.extend(&row);
                fits.push(fit);
            }
        }
        let outgoing = Edges::new(lists.starts, lists.neighbours, weights);
        Self { outgoing, incoming: None, fits, arrangement: Arrangement::default() }
    }

    /// The particles in lines, if they form lattices.
    pub fn lines(&self) -> Option<&Arc<Lines>> {
        let find = || Lines::new(&self.outgoing, self.incoming.as_ref()).map(Arc::new);
        self.arrangement.lines.get_or_init(find).as_ref()
    }

    /// Edges of the particles, if they are as they were sampled, which is an order of places already, and weights are stored
    /// one after the other.
    pub fn listed(&self) -> Option<Listed<'_>> {
        if self.incoming.is_some() { None } else { self.outgoing.listed() }
    }

    /// The edges in the order of the places where particles were when it was first asked for.
    pub fn places(&self, x: &[Vect<D>]) -> &Arc<Places> {
        let arrange = || Arc::new(Places::new(&self.outgoing, self.incoming.as_ref(), x));
        self.arrangement.places.get_or_init(arrange)
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.fits.len()
    }

    /// Whether every particle has its rows, and every edge leads to a particle.
    pub fn is_whole(&self, count: usize) -> bool {
        self.fits.len() == count
            && self.outgoing.is_whole(count)
            && self.incoming.as_ref().is_none_or(|edges| edges.is_whole(count))
    }

    /// Neighbours of particle i, in rising order.
    pub fn row(&self, i: usize) -> &[u32] {
        self.outgoing.row(i).ends
    }

    /// Edges of particle i.
    #[inline(always)]
    pub fn outgoing(&self, i: usize) -> Row<'_> {
        self.outgoing.row(i)
    }

    /// Edges that point at particle i; while there are only mirror images, those, with `w p` of the wrong sign.
    #[inline(always)]
    pub fn incoming(&self, i: usize) -> Row<'_> {
        self.incoming.as_ref().unwrap_or(&self.outgoing).row(i)
    }

    /// What turns edges of [`Neighbourhoods::incoming`] the right way round.
    pub fn reverse(&self) -> [f64; 4] {
        if self.incoming.is_none() { [-1.0, -1.0, -1.0, 1.0] } else { [1.0; 4] }
    }

    /// Edges of particle i with their rest offsets.
    pub fn offsets(&self, i: usize) -> impl Iterator<Item = (usize, Vect<D>, f64)> {
        self.outgoing(i).iter().map(|(j, edge)| {
            let weight = f64::from(edge[3]);
            (j, Vect::from_fn(|axis, _| f64::from(edge[axis]) / weight), weight)
        })
    }

    /// Share of `Σ w|p|²` that lies in directions the fit of particle i leaves out.
    pub fn uncovered_share(&self, i: usize) -> f64 {
        let Fit { covered: Some(covered), size, .. } = &self.fits[i] else {
            return 0.0;
        };
        let left_out = self.offsets(i).map(|(_, p, weight)| weight * (p - **covered * p).norm_squared());
        if *size > 0.0 { left_out.sum::<f64>() / size } else { 0.0 }
    }

    /// How much of the energy of particle i, which is held, counts; `alpha` is the strength of the zero-energy penalty.
    pub fn stored_share(&self, i: usize, pinned: &[bool], alpha: f64) -> f64 {
        let scale = alpha / self.fits[i].size.max(f64::MIN_POSITIVE);
        let link = |(j, offset, weight): (usize, Vect<D>, f64)| clamp::Link {
            offset,
            weight,
            penalty: scale * weight,
            is_held: pinned[j],
        };
        clamp::stored_share(&self.offsets(i).map(link).collect::<Vec<_>>())
    }

    /// `Σ_j (x_j − x_i) ⊗ (b, w)`: the moment of the motion, and in the last lane its weighted sum.
    #[inline(always)]
    pub fn moment(&self, i: usize, x: &[Vect<D>]) -> [[f64; 4]; D] {
        exact::moment(self.outgoing(i), &x[i], x)
    }

    /// `Σ_j Z_j (b_ji, w_ji)` over the edges that point at particle i.
    #[inline(always)]
    pub fn gather(&self, i: usize, flux: &[[[f64; 4]; D]]) -> Vect<D> {
        let (rows, reverse) = (exact::gather(self.incoming(i), flux), self.reverse());
        Vect::from_fn(|axis, _| (0..4).map(|lane| rows[axis][lane] * reverse[lane]).sum())
    }

    /// `Σ_j κ_j w_ji` over the edges that point at particle i.
    pub fn gather_weights(&self, i: usize, kappa: &[f64]) -> f64 {
        self.incoming(i).iter().map(|(j, edge)| kappa[j] * f64::from(edge[3])).sum()
    }

    /// Replaces whole rows; `rows` rise by particle.
    pub fn replace(&mut self, rows: &[NewRow<D>]) {
        let mut fitted: Vec<(Vec<EdgeWeight>, Fit<D>)> = Vec::new();
        fitted.resize_with(rows.len(), || (Vec::new(), Fit::empty()));
        parallel::fill(&mut fitted, |k| edge_weights_and_fit(&rows[k].offsets, &rows[k].weights));
        let (mut starts, mut ends) = (vec![0], Vec::with_capacity(self.outgoing.edge_count()));
        let mut weights = WeightList::to_replace(&self.outgoing);
        let mut pending = rows.iter().zip(fitted).peekable();
        for i in 0..self.len() {
            if let Some((row, (row_weights, fit))) = pending.next_if(|(row, _)| row.particle == i) {
                ends.extend_from_slice(&row.neighbours);
                weights.extend(&row_weights);
                self.fits[i] = fit;
            } else {
                let old = self.outgoing.row(i);
                ends.extend_from_slice(old.ends);
                weights.extend(&old.weights.listed());
            }
            starts.push(u32::try_from(ends.len()).expect("edges are counted in 32 bits"));
        }
        self.outgoing = Edges::new(starts, ends, weights);
        self.incoming = Some(self.outgoing.reversed());
        self.arrangement = Arrangement::default();
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
    // To a fixed grain, so that offsets that differ in the last bits of positions only are the same.
    let farthest = offsets.iter().map(Vect::amax).fold(0.0, f64::max);
    let grain = if farthest > 0.0 { 2f64.powf(farthest.log2().ceil()) * GRAIN } else { 1.0 };
    let edges: Vec<EdgeWeight> = offsets
        .iter()
        .zip(weights)
        .map(|(p, &w)| {
            let b = |axis: usize| if axis < D { ((w * p[axis] / grain).round() * grain) as f32 } else { 0.0 };
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
