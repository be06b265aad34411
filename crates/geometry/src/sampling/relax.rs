//! Relaxation of particles inside a shape: they repel and attract each other until they hardly move.

use super::forecast::Domain;
use super::skin_depth::{Site, push_back};
use super::{Observer, Progress, SamplingError};
use crate::kernel::CubicSpline;
use crate::neighbours::NeighbourLists;
use pliant_math::{Vec3, parallel};

/// Support of the kernel in spacings, as in simulations.
const SUPPORT: f64 = 2.0;
/// How far beyond the support neighbours are listed, in spacings: lists last until a particle has moved half of it.
const MARGIN: f64 = 0.25;
/// Longest move of an iteration in spacings: `η 0.4` of Eq. 37 with `η = 0.25`.
const LONGEST_MOVE: f64 = 0.1;
/// Iterations at most; enough for all models (measured).
const MOST_ITERATIONS: usize = 200;
/// Mean move of an iteration, in spacings, at which particles count as settled.
const SETTLED: f64 = 2e-3;

/// Change of the share of the moves that is made, after particles went on and after they turned back.
const GAIN: [f64; 2] = [1.05, 0.7];

/// How particles move each other.
pub(super) trait Interaction: Sync {
    /// The move each particle would make `[m]`.
    fn moves(&self, cloud: &Cloud<'_>) -> Vec<Vec3>;
}

/// Particles on their way.
pub(super) struct Cloud<'a> {
    pub domain: &'a Domain<'a>,
    pub kernel: CubicSpline,
    pub positions: Vec<Vec3>,
    pub neighbours: NeighbourLists,
    pub sites: Vec<Site>,
    /// Where particles were when neighbours were listed.
    listed_at: Vec<Vec3>,
    /// Share of the moves that is made: less while particles swing to and fro.
    gain: f64,
    /// How each particle moved last `[m]`.
    last: Vec<Vec3>,
}

/// Moves particles until they settle.
pub(super) fn relax(
    domain: &Domain,
    start: Vec<Vec3>,
    interaction: &dyn Interaction,
    observe: &mut Observer<'_>,
) -> Result<Vec<Vec3>, SamplingError> {
    let mut cloud = Cloud::new(domain, start);
    for iteration in 1..=MOST_ITERATIONS {
        cloud.list_neighbours();
        let moves = interaction.moves(&cloud);
        let change = cloud.advance(&moves) / domain.spacing;
        let told = observe(Progress { iteration, most: MOST_ITERATIONS, change });
        if told.is_break() {
            return Err(SamplingError::Stopped);
        }
        if change < SETTLED {
            break;
        }
    }
    Ok(cloud.settle())
}

impl<'a> Cloud<'a> {
    fn new(domain: &'a Domain<'a>, positions: Vec<Vec3>) -> Self {
        let kernel = CubicSpline::new(SUPPORT * domain.spacing, domain.dimension);
        let mut sites: Vec<Option<Site>> = vec![None; positions.len()];
        parallel::fill(&mut sites, |i| Some(Site::look(domain, &positions[i], kernel.support)));
        let sites = sites.into_iter().flatten().collect();
        let last = vec![Vec3::zeros(); positions.len()];
        let neighbours = NeighbourLists::default();
        Self { domain, kernel, positions, neighbours, sites, listed_at: Vec::new(), gain: 1.0, last }
    }

    /// The volume a particle stands for `[m³]` or `[m²]`.
    pub fn volume(&self) -> f64 {
        self.domain.spacing.powi(self.domain.dimension as i32)
    }

    /// Every neighbour of a particle that the kernel reaches, where it is from there and how far `[m]`. Particles at
    /// the same place push each other along x, the first one back.
    pub fn near(&self, i: usize) -> impl Iterator<Item = (usize, Vec3, f64)> + '_ {
        let here = self.positions[i];
        self.neighbours.row(i).iter().filter_map(move |&j| {
            let j = j as usize;
            let from = here - self.positions[j];
            let distance = from.norm();
            if distance >= self.kernel.support {
                return None;
            }
            let least = 1e-6 * self.domain.spacing;
            if distance < least {
                let side = if i < j { -least } else { least };
                return Some((j, Vec3::x() * side, least));
            }
            Some((j, from, distance))
        })
    }

    fn list_neighbours(&mut self) {
        let allowed = (0.5 * MARGIN * self.domain.spacing).powi(2);
        let has_moved = |i: usize| (self.positions[i] - self.listed_at[i]).norm_squared();
        let is_fresh = self.listed_at.len() == self.positions.len()
            && parallel::max(self.positions.len(), has_moved).is_none_or(|(_, largest)| largest < allowed);
        if !is_fresh {
            let reach = self.kernel.support + MARGIN * self.domain.spacing;
            self.neighbours = NeighbourLists::within(&self.positions, reach, |_, _| true);
            self.listed_at.clone_from(&self.positions);
        }
    }

    /// Moves particles, none further than allowed (Eq. 37), and pushes them back inside; returns the root mean square
    /// of how far they came `[m]`.
    fn advance(&mut self, moves: &[Vec3]) -> f64 {
        let largest = parallel::max(moves.len(), |i| moves[i].norm()).map_or(0.0, |(_, largest)| largest);
        let goes_on = parallel::sum(moves.len(), 0.0, |i| moves[i].dot(&self.last[i])) >= 0.0;
        self.gain = (self.gain * if goes_on { GAIN[0] } else { GAIN[1] }).min(1.0);
        let share =
            (LONGEST_MOVE * self.domain.spacing / largest.max(f64::MIN_POSITIVE)).min(1.0) * self.gain;
        let (domain, horizon) = (self.domain, self.kernel.support);
        let before = self.positions.clone();
        parallel::update_pair(&mut self.positions, &mut self.sites, |i, p, site| {
            *p = push_back(domain, &(*p + moves[i] * share), site, horizon);
        });
        let positions = &self.positions;
        let count = positions.len().max(1) as f64;
        let squares = parallel::update_and_sum(&mut self.last, 0.0, |i, last| {
            *last = positions[i] - before[i];
            last.norm_squared()
        });
        (squares / count).sqrt()
    }

    /// The particles where they are, all looked at afresh: none stays outside.
    fn settle(mut self) -> Vec<Vec3> {
        let (domain, horizon) = (self.domain, self.kernel.support);
        parallel::update_pair(&mut self.positions, &mut self.sites, |_, p, site| {
            if site.is_near() {
                *site = Site::look(domain, p, horizon);
                *p = push_back(domain, p, site, horizon);
            }
        });
        self.positions
    }
}
