//! Plastic flow at the end of a step and the rest state it leaves (Zhou 2013, Eq. 12–15).

use super::Zhou2013;
use super::neighbourhoods::Row;
use pliant_geometry::kernel;
use pliant_geometry::neighbours::Cells;
use pliant_material::plastic::Trial;
use pliant_math::{Mat, Principal, Vect, parallel, principal};
use pliant_world::World;

/// A new neighbourhood must be at least this round (smallest over largest extent), else the old one is kept.
const ROUND_ENOUGH: f64 = 0.2;
/// Neighbourhoods are searched in world space up to this times the kernel radius; elastic stretches of a
/// yielding material are far smaller.
const SEARCH_MARGIN: f64 = 1.5;

/// Plastic part of one particle's deformation in this step.
struct Flow<const D: usize> {
    plastic: Mat<D>,
    inverse: Mat<D>,
    strain: f64,
}

impl<const D: usize> Zhou2013<D> {
    /// Splits `F = Fe Fp` where the material yields and keeps Fe; returns how many particles flowed.
    pub(super) fn split_plastic_flow(&mut self, world: &World<D>, dt: f64) -> usize {
        if self.matter.iter().all(|matter| matter.plastic.is_none()) {
            return 0;
        }
        let x = &world.particles.position;
        let mut flows: Vec<Option<Flow<D>>> = Vec::new();
        flows.resize_with(x.len(), || None);
        parallel::fill(&mut flows, |i| self.flow(i, x, dt));
        let state = &mut self.state;
        let mut count = 0;
        for (i, flow) in flows.into_iter().enumerate() {
            if let Some(Flow { plastic, inverse, strain }) = flow {
                state.rest_from_relaxed[i] *= inverse; // p ← Fp p, written for the inverse map
                state.plastic_deformation[i] = plastic * state.plastic_deformation[i];
                state.plastic_strain[i] += strain;
                state.recent_strain[i] += strain;
                count += 1;
            }
        }
        self.rebuild_neighbourhoods(world);
        count
    }

    fn flow(&self, i: usize, x: &[Vect<D>], dt: f64) -> Option<Flow<D>> {
        let plastic = self.matter[i].plastic?;
        if self.state.neighbourhoods.fits[i].covered.is_some() {
            return None; // a flat neighbourhood does not know its own volume
        }
        let Principal { sigma, v, .. } = self.elasticity().deformation(i, x);
        let (lame, plastic_strain) = (&self.matter[i].lame, self.state.plastic_strain[i]);
        let flow = plastic.flow(&Trial { lame, sigma: &sigma, plastic_strain, dt })?;
        let turned = |stretch: Vect<D>| v * Mat::from_diagonal(&stretch) * v.transpose(); // Fp = V F̂p Vᵀ
        let inverse = turned(flow.stretch.map(|stretch| 1.0 / stretch));
        Some(Flow { plastic: turned(flow.stretch), inverse, strain: flow.strain })
    }

    /// Searches the neighbourhood of particles that flowed far anew, in the relaxed pose (Eq. 15).
    pub(super) fn rebuild_neighbourhoods(&mut self, world: &World<D>) {
        let limit = self.settings.rebuild_strain;
        let worn: Vec<usize> =
            (0..world.particles.len()).filter(|&i| self.state.recent_strain[i] > limit).collect();
        if worn.is_empty() {
            return;
        }
        let radius = self.support.iter().copied().fold(0.0, f64::max) * SEARCH_MARGIN;
        let cells = Cells::new(&world.particles.position, radius);
        let mut rows: Vec<Option<Row<D>>> = Vec::new();
        rows.resize_with(worn.len(), || None);
        parallel::fill(&mut rows, |k| self.relaxed_row(worn[k], world, &cells));
        let rows: Vec<Row<D>> = rows.into_iter().flatten().collect();
        if rows.is_empty() {
            return;
        }
        for row in &rows {
            self.state.rest_from_relaxed[row.particle] = Mat::identity();
            self.state.recent_strain[row.particle] = 0.0;
        }
        self.state.neighbourhoods.replace(&rows);
        self.state.weigh_penalty(&self.matter, self.settings.zero_energy);
        self.detector.find_surface(&self.state.neighbourhoods);
    }

    /// Neighbours of particle i at `p = Fe⁻¹ (q_j − q_i)`; none if they would not define a deformation.
    fn relaxed_row(&self, i: usize, world: &World<D>, cells: &Cells<D>) -> Option<Row<D>> {
        let (x, body) = (&world.particles.position, &world.particles.body);
        let elastic = self.elasticity().deformation(i, x);
        if elastic.sigma.min() < 1.0 / SEARCH_MARGIN || elastic.sigma.max() > SEARCH_MARGIN {
            return None;
        }
        let inverse = elastic.compose().try_inverse()?;
        let mut near = Vec::new();
        cells.for_each_near(&x[i], |j| {
            let other = j as usize;
            let offset = inverse * (x[other] - x[i]);
            let weight = kernel::cosine(offset.norm(), self.support[i]);
            if weight > 0.0 && other != i && body[other] == body[i] {
                near.push((j, offset, weight));
            }
        });
        near.sort_unstable_by_key(|entry| entry.0);
        let moment: Mat<D> = near.iter().map(|(_, p, w)| p * p.transpose() * *w).sum();
        let extent = principal(&moment).sigma;
        let enough = near.len() >= 6 * (D - 1) && extent[D - 1] >= ROUND_ENOUGH * extent[0];
        enough.then(|| Row {
            particle: i,
            neighbours: near.iter().map(|entry| entry.0).collect(),
            offsets: near.iter().map(|entry| entry.1).collect(),
            weights: near.iter().map(|entry| entry.2).collect(),
        })
    }
}
