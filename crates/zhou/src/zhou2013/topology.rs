//! Neighbourhoods change where the material says so: searched anew after large plastic flow (Zhou 2013,
//! Eq. 14–15), merged with pieces of the same material, cut where it tears.

use super::neighbourhoods::NewRow;
use super::{Rest, Zhou2013};
use pliant_geometry::kernel;
use pliant_geometry::neighbours::Cells;
use pliant_math::{Mat, Vect, parallel, principal};
use pliant_world::World;

/// A new neighbourhood must be at least this round (smallest over largest extent), else the old one is kept.
const ROUND_ENOUGH: f64 = 0.2;
/// It has at least this many neighbours, times the dimension less one; particles with fewer are spray.
pub(super) const ENOUGH: usize = 6;
/// A neighbourhood that flow has made less round than this is given up, whatever takes its place.
const FLATTENED: f64 = 0.02;
/// Neighbourhoods are searched in world space up to this times the kernel radius; elastic stretches of a
/// yielding material are far smaller.
const SEARCH_MARGIN: f64 = 1.5;

impl<const D: usize> Zhou2013<D> {
    /// Lets neighbourhoods follow the material; without plastic flow and tearing nothing ever changes.
    pub(super) fn update_neighbourhoods(&mut self, world: &World<D>) {
        self.rebuild_neighbourhoods(world);
        self.tear(world);
    }

    /// Searches the neighbourhood of particles that flowed far anew, in the relaxed pose (Eq. 15).
    fn rebuild_neighbourhoods(&mut self, world: &World<D>) {
        let limit = match self.settings.rest {
            Rest::Kept => self.settings.rebuild_strain,
            Rest::Updated => f64::NEG_INFINITY,
        };
        let worn: Vec<usize> =
            (0..world.particles.len()).filter(|&i| self.state.recent_strain[i] > limit).collect();
        if worn.is_empty() {
            return;
        }
        let radius = self.support.iter().copied().fold(0.0, f64::max) * SEARCH_MARGIN;
        let cells = Cells::new(&world.particles.position, radius);
        let mut rows: Vec<Option<NewRow<D>>> = Vec::new();
        rows.resize_with(worn.len(), || None);
        parallel::fill(&mut rows, |k| self.relaxed_row(worn[k], world, &cells));
        let rows: Vec<NewRow<D>> = rows.into_iter().flatten().collect();
        if rows.is_empty() {
            return;
        }
        for row in &rows {
            self.state.rest_from_relaxed.reset(row.particle);
            self.state.recent_strain[row.particle] = 0.0;
        }
        self.replace_rows(&rows);
    }

    fn replace_rows(&mut self, rows: &[NewRow<D>]) {
        self.state.neighbourhoods.replace(rows);
        self.work.forget_relaxed_bodies();
        self.state.weigh_penalty(&self.matter, self.settings.zero_energy);
        self.detector.find_surface(&self.state.neighbourhoods);
    }

    /// Neighbours of particle i at `p = Fe⁻¹ (q_j − q_i)`; none if they would not define a deformation.
    fn relaxed_row(&self, i: usize, world: &World<D>, cells: &Cells<D>) -> Option<NewRow<D>> {
        let (x, body) = (&world.particles.position, &world.particles.body);
        let elastic = self.elasticity().deformation(i, x);
        let is_flattened = self.is_flattened(i);
        let is_moderate = elastic.sigma.min() >= 1.0 / SEARCH_MARGIN && elastic.sigma.max() <= SEARCH_MARGIN;
        let inverse = match (is_moderate, is_flattened) {
            (true, _) => elastic.compose().try_inverse()?,
            (false, true) => elastic.rotation().transpose(), // what it took for strain means nothing
            (false, false) => return None,
        };
        let material = &world.particles.material;
        let merges = |other: usize| self.matter[i].merges && material[other] == material[i];
        let mut near = Vec::new();
        cells.for_each_near(&x[i], |j, there| {
            let other = j as usize;
            let offset = inverse * (there - x[i]);
            if offset.norm_squared() >= self.support[i].powi(2) {
                return; // as most are
            }
            let weight = kernel::cosine(offset.norm(), self.support[i]);
            if weight > 0.0 && other != i && (body[other] == body[i] || merges(other)) {
                near.push((j, offset, weight));
            }
        });
        near.sort_unstable_by_key(|entry| entry.0);
        let moment: Mat<D> = near.iter().map(|(_, p, w)| p * p.transpose() * *w).sum();
        let extent = principal(&moment).sigma;
        let is_round = near.len() >= ENOUGH * (D - 1) && extent[D - 1] >= ROUND_ENOUGH * extent[0];
        (is_round || is_flattened).then(|| NewRow {
            particle: i,
            neighbours: near.iter().map(|entry| entry.0).collect(),
            offsets: near.iter().map(|entry| entry.1).collect(),
            weights: near.iter().map(|entry| entry.2).collect(),
        })
    }

    /// Whether flow has made a sheet or a thread of the neighbourhood of particle i: its old neighbours, far apart in some
    /// directions and close in others, tell nothing about its deformation, and make a system that is hard to solve.
    fn is_flattened(&self, i: usize) -> bool {
        let inverse_moment = self.state.rest_from_relaxed.of(i).tr_mul(&self.elasticity().gradient_map(i));
        let extent = principal(&inverse_moment).sigma;
        extent[D - 1] < FLATTENED * extent[0]
    }

    /// Cuts edges that are stretched beyond what the material bears, in both directions.
    fn tear(&mut self, world: &World<D>) {
        let x = &world.particles.position;
        let mut torn: Vec<Vec<u32>> = vec![Vec::new(); x.len()];
        parallel::fill(&mut torn, |i| self.torn_edges(i, x));
        let mut cuts: Vec<(u32, u32)> = (0u32..)
            .zip(&torn)
            .flat_map(|(i, row)| row.iter().flat_map(move |&j| [(i, j), (j, i)]))
            .collect();
        if cuts.is_empty() {
            return;
        }
        cuts.sort_unstable();
        cuts.dedup();
        let rows: Vec<NewRow<D>> =
            cuts.chunk_by(|a, b| a.0 == b.0).map(|cuts| self.remaining_row(cuts)).collect();
        self.replace_rows(&rows);
    }

    /// Neighbours that have come too far apart from particle i.
    fn torn_edges(&self, i: usize, x: &[Vect<D>]) -> Vec<u32> {
        let limit = self.matter[i].tear_stretch;
        if limit.is_infinite() {
            return Vec::new();
        }
        let Some(relaxed) = self.state.rest_from_relaxed.of(i).try_inverse() else { return Vec::new() };
        let is_torn =
            |(j, p, _): &(usize, Vect<D>, f64)| (x[*j] - x[i]).norm() > limit * (relaxed * p).norm();
        self.state.neighbourhoods.offsets(i).filter(is_torn).map(|(j, ..)| j as u32).collect()
    }

    /// What a particle keeps when it loses the edges in `cuts`, all of which start at it.
    fn remaining_row(&self, cuts: &[(u32, u32)]) -> NewRow<D> {
        let particle = cuts[0].0 as usize;
        let mut row = NewRow { particle, neighbours: Vec::new(), offsets: Vec::new(), weights: Vec::new() };
        for (j, p, weight) in self.state.neighbourhoods.offsets(particle) {
            if cuts.binary_search(&(cuts[0].0, j as u32)).is_err() {
                row.neighbours.push(j as u32);
                row.offsets.push(p);
                row.weights.push(weight);
            }
        }
        row
    }
}
