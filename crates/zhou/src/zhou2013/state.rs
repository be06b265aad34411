//! What the solver remembers from step to step: all of it goes into a checkpoint.

use super::coarse::Groups;
use super::contact::History;
use super::effort::Effort;
use super::elasticity::{Elasticity, Matter};
use super::integrator::Past;
use super::maps::Maps;
use super::neighbourhoods::Neighbourhoods;
use super::stiffness::Stiffness;
use super::{Fluxes, Tangent, Workspace, Zhou2013, Zhou2013Settings};
use crate::zhou2013::contact::Detector;
use pliant_geometry::kernel;
use pliant_geometry::neighbours::NeighbourLists;
use pliant_math::{Vect, cg, parallel};
use pliant_solver::RestoreError;
use pliant_world::World;
use serde::{Deserialize, Serialize};

/// Share of a neighbourhood that a fit may leave out and still be penalised: above what rounding makes of a plane.
const NEGLIGIBLE_SHARE: f64 = 1e-10;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State<const D: usize> {
    pub neighbourhoods: Neighbourhoods<D>,
    /// Φ⁻¹: undoes the plastic flow since a particle's neighbourhood was taken.
    pub rest_from_relaxed: Maps<D>,
    /// Plastic deformation gradient since the start, for observers.
    pub plastic_deformation: Maps<D>,
    /// Plastic strain since the start.
    pub plastic_strain: Vec<f64>,
    /// Plastic strain since a particle's neighbourhood was taken.
    pub recent_strain: Vec<f64>,
    /// Penalty stiffness κ [N/m] and `Σ_j κ_j w_ji`.
    pub kappa: Vec<f64>,
    pub kappa_sum: Vec<f64>,
    /// Internal and contact force at the end of the last step [N].
    pub force: Vec<Vect<D>>,
    pub past: Option<Past<D>>,
    pub effort: Effort,
    pub history: History<D>,
}

impl<const D: usize> State<D> {
    pub fn elasticity<'a>(&'a self, matter: &'a [Matter]) -> Elasticity<'a, D> {
        Elasticity {
            neighbourhoods: &self.neighbourhoods,
            matter,
            rest_from_relaxed: &self.rest_from_relaxed,
            plastic_strain: &self.plastic_strain,
            kappa: &self.kappa,
            kappa_sum: &self.kappa_sum,
        }
    }

    pub fn mean_plastic_strain(&self) -> f64 {
        self.plastic_strain.iter().sum::<f64>() / self.plastic_strain.len().max(1) as f64
    }

    /// Penalty stiffness after neighbourhoods changed: `κ = α μ V / Σ w|p|²`. None where the fit leaves out a direction
    /// that neighbours lie in: the penalty would take what they are away from the plane for a misfit, and push bodies
    /// at rest.
    pub fn weigh_penalty(&mut self, matter: &[Matter], alpha: f64) {
        let neighbourhoods = &self.neighbourhoods;
        parallel::fill(&mut self.kappa, |i| {
            let Matter { lame, stored_volume, .. } = matter[i];
            let size = neighbourhoods.fits[i].size;
            let is_seen = neighbourhoods.uncovered_share(i) < NEGLIGIBLE_SHARE;
            if size > 0.0 && is_seen { alpha * lame.mu * stored_volume / size } else { 0.0 }
        });
        let kappa = &self.kappa;
        parallel::fill(&mut self.kappa_sum, |i| neighbourhoods.gather_weights(i, kappa));
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("writing to memory cannot fail")
    }

    pub fn from_bytes(bytes: &[u8], count: usize) -> Result<Self, RestoreError> {
        let state: Self = postcard::from_bytes(bytes).map_err(|error| RestoreError(error.to_string()))?;
        match state.is_whole(count) {
            true => Ok(state),
            false => {
                Err(RestoreError(format!("it is not a whole state of the {count} particles of the scene")))
            }
        }
    }

    /// Whether every column has an entry for each particle, and every edge leads to one.
    fn is_whole(&self, count: usize) -> bool {
        let lengths = [
            self.plastic_strain.len(),
            self.recent_strain.len(),
            self.kappa.len(),
            self.kappa_sum.len(),
            self.force.len(),
        ];
        let past = self.past.as_ref().is_none_or(|p| p.position.len() == count && p.velocity.len() == count);
        let maps = [&self.rest_from_relaxed, &self.plastic_deformation];
        lengths.iter().all(|length| *length == count)
            && maps.iter().all(|maps| maps.is_whole(count))
            && past
            && self.neighbourhoods.is_whole(count)
    }
}

impl<const D: usize> Zhou2013<D> {
    /// A solver for `world` as it stands: its positions are the rest pose.
    pub fn new(world: &World<D>, settings: Zhou2013Settings) -> Self {
        let particles = &world.particles;
        let count = particles.len();
        let mut matter: Vec<Matter> =
            (0..count).map(|i| Matter::new(&world.material_of(i), particles.rest_volume[i])).collect();
        let support: Vec<f64> = particles
            .body
            .iter()
            .map(|&body| settings.neighbour_radius * world.bodies[body as usize].spacing)
            .collect();
        let lists = rest_lists(world, &support);
        let neighbourhoods = Neighbourhoods::new(&particles.position, lists, |i| support[i]);
        let mut pinned = vec![false; count];
        for i in world.pins.iter().flat_map(|pin| &pin.particles) {
            pinned[*i as usize] = true;
        }
        for i in (0..count).filter(|i| pinned[*i]) {
            matter[i].stored_volume *= neighbourhoods.stored_share(i, &pinned, settings.zero_energy);
        }
        let mut detector = Detector::new(world, settings.self_contact);
        detector.find_surface(&neighbourhoods);
        let can_flow = matter.iter().any(|matter| matter.plastic.is_some());
        let mut state = State {
            neighbourhoods,
            rest_from_relaxed: Maps::new(count, can_flow),
            plastic_deformation: Maps::new(count, can_flow),
            plastic_strain: vec![0.0; count],
            recent_strain: vec![0.0; count],
            kappa: vec![0.0; count],
            kappa_sum: vec![0.0; count],
            force: vec![Vect::zeros(); count],
            past: None,
            effort: Effort::default(),
            history: History::default(),
        };
        state.weigh_penalty(&matter, settings.zero_energy);
        let work = Workspace {
            tangents: vec![Tangent::none(); count],
            fluxes: Fluxes::new(count),
            stiffness: Stiffness::default(),
            residual: vec![Vect::zeros(); count],
            motion: vec![Vect::zeros(); count],
            cg: cg::Workspace::default(),
            scales: None,
            coarse: None,
        };
        let rest_position = particles.position.clone();
        let groups = Groups::new(world, &pinned);
        let explicit_step = settings.resistance().critical_step(world);
        Self {
            groups,
            explicit_step,
            settings,
            matter,
            support,
            rest_position,
            pinned,
            detector,
            state,
            work,
        }
    }

    pub(super) fn elasticity(&self) -> Elasticity<'_, D> {
        self.state.elasticity(&self.matter)
    }

    /// One sentence if particles have too few neighbours, or neighbours in a plane or on a line (§6).
    pub(super) fn degenerate_neighbourhoods(&self) -> Vec<String> {
        let fits = &self.state.neighbourhoods.fits;
        let by_rank =
            |rank: usize| fits.iter().filter(|fit| fit.covered.is_some() && fit.rank() == rank).count();
        let names = [(2, "co-planar"), (1, "co-linear"), (0, "no")];
        let found: Vec<String> = names
            .into_iter()
            .filter(|(rank, _)| *rank < D)
            .map(|(rank, name)| (by_rank(rank), name))
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} with {name} neighbours"))
            .collect();
        if found.is_empty() {
            return Vec::new();
        }
        let all = found.join(", ");
        vec![format!(
            "degenerate neighbourhoods: {all}; thin parts there have no bending stiffness, use a smaller spacing"
        )]
    }
}

/// Neighbours in the rest pose, inside one body; the radius is each body's own.
fn rest_lists<const D: usize>(world: &World<D>, support: &[f64]) -> NeighbourLists {
    let mut all = NeighbourLists { starts: vec![0], neighbours: Vec::new() };
    for body in &world.bodies {
        let range = body.particles.clone();
        let first = range.start as u32;
        let radius = range.clone().map(|i| support[i]).next().unwrap_or(1.0);
        let rest = &world.particles.position[range];
        // At the edge of the kernel weights round to zero, and an offset cannot be had back from its weighted value.
        let weighs = |i: usize, j: usize| kernel::cosine((rest[j] - rest[i]).norm(), radius) > 0.0;
        let lists = NeighbourLists::within(rest, radius, weighs);
        if all.is_empty() {
            all = lists; // as they are: a copy would be the largest thing a single body ever needs
            continue;
        }
        let offset = all.starts.last().copied().unwrap_or(0);
        all.starts.extend(lists.starts[1..].iter().map(|start| start + offset));
        all.neighbours.extend(lists.neighbours.iter().map(|j| j + first));
    }
    all
}
