//! Something that particles carry, such as heat, moisture or dye, and share with those around them.
//!
//! A particle gives what it has to its nodes, a node holds the mean, and a particle goes a share `r` of the way to the mean
//! it sees. There and back a spline spreads twice its dispersion `h²/n`, so that `r = n κ Δt/h²` is the diffusivity `κ`.
//! With mass times share as weights nothing is lost or made, and no value leaves the range of those around it.

use super::Mpm;
use super::grain::{Bunch, Grain};
use super::grid::Grid;
use super::kernel;
use super::layout::{BUNCHES_A_TASK, block_size, tile_size};
use super::scalar::{Quad, Scalar};
use super::settings::MpmSettings;
use super::transfer::{self, EXTRA, Linear, Mesh, Node, Stencil};
use pliant_math::{Vect, embed};
use pliant_solver::Span;
use pliant_world::World;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Share of the way to the mean for which a round is worth its cost: slow diffusion waits for some steps.
const WORTHWHILE: f64 = 0.05;
/// Largest share in one round; more is done in several.
const MOST: f64 = 0.25;

/// What is carried, and how long it has not been shared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Carried {
    /// Concentration of each particle of the world; empty where nothing is carried.
    pub concentration: Vec<f64>,
    /// Time since the last round [s].
    pub waited: f64,
}

impl Carried {
    /// What a world carries at the start.
    pub fn of<const D: usize>(world: &World<D>, settings: &MpmSettings) -> Self {
        let diffuses = world.materials.iter().any(|material| material.diffusivity > 0.0);
        if !diffuses && world.concentrations.is_empty() && settings.supplies.is_empty() {
            return Self::default();
        }
        let mut concentration = vec![0.0; world.particles.len()];
        for given in &world.concentrations {
            concentration[given.particles.clone()].copy_from_slice(&given.values);
        }
        let mut carried = Self { concentration, waited: 0.0 };
        let places = world.particles.position.iter().enumerate();
        carried.supply(settings, places.map(|(i, x)| (i, *x)), 0.0);
        carried
    }

    /// The concentration of a particle; 0 where nothing is carried.
    pub fn at(&self, id: u32) -> f64 {
        self.concentration.get(id as usize).copied().unwrap_or_default()
    }

    /// Gives particles in the region of a supply what it says.
    fn supply<const D: usize>(
        &mut self,
        settings: &MpmSettings,
        places: impl Iterator<Item = (usize, Vect<D>)>,
        time: f64,
    ) {
        if settings.supplies.is_empty() {
            return;
        }
        for (i, x) in places {
            let x = embed(&x);
            for supply in settings.supplies.iter().filter(|supply| supply.region.contains(&x)) {
                let value = supply.concentration.evaluate(&[x.x, x.y, x.z, time]);
                // One that is no number somewhere gives nothing there.
                if value.is_finite() {
                    self.concentration[i] = value;
                }
            }
        }
    }
}

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// Lets what is carried spread over the time of a step.
    pub(super) fn diffuse<const W: usize>(&mut self, span: Span) {
        let fastest = self.matters.iter().map(|matter| matter.diffusivity).fold(0.0, f64::max);
        let is_still = fastest == 0.0 && self.settings.supplies.is_empty();
        if self.state.carried.concentration.is_empty() || is_still {
            return;
        }
        self.state.carried.waited += span.dt;
        let share = fastest * self.state.carried.waited * per_area::<W>(self.mesh.spacing);
        if fastest > 0.0 && share < WORTHWHILE {
            return;
        }
        let rounds = (share / MOST).ceil();
        for _ in 0..rounds as usize {
            self.share_around::<W>(share / rounds / fastest);
        }
        let bunches = &self.state.bunches;
        let places = bunches.iter().flat_map(Bunch::iter).map(|grain| (grain.id as usize, grain.position));
        self.state.carried.supply(&self.settings, places, span.time + span.dt);
        self.state.carried.waited = 0.0;
    }

    /// One round; particles go `per_diffusivity` times their diffusivity of the way to the mean around them.
    fn share_around<const W: usize>(&mut self, per_diffusivity: f64) {
        self.mean_at_nodes::<W>(per_diffusivity);
        let (mesh, layout, grid) = (&self.mesh, &self.layout, &self.sharing);
        let (matters, carried) = (&self.matters, &self.state.carried);
        let of_block = |tile: &mut Vec<Node<f64>>, index: usize, bunch: &Bunch<T, D>| -> Vec<(u32, f64)> {
            let block = &layout.blocks[index];
            let from = (&layout.nodes_around[index], usize::from(block.species), layout.species());
            grid.fill_tile::<D>(&grid.nodes, from, tile);
            let after = |grain: Grain<T, D>| {
                let own = carried.at(grain.id);
                let share = per_diffusivity * matters[grain.matter as usize].diffusivity;
                let stencil = Stencil::<f64, D, W>::of(mesh, &block.place, &grain.position);
                let mean = transfer::gather(tile, &stencil).value.array()[0];
                (grain.id, own + share * (mean - own))
            };
            bunch.iter().map(after).collect()
        };
        let parts: Vec<Vec<(u32, f64)>> = self
            .state
            .bunches
            .par_iter()
            .with_min_len(BUNCHES_A_TASK)
            .enumerate()
            .map_init(
                || vec![Node::<f64>::default(); tile_size(D, W)],
                |tile, (index, bunch)| of_block(tile, index, bunch),
            )
            .collect();
        for (id, value) in parts.into_iter().flatten() {
            self.state.carried.concentration[id as usize] = value;
        }
    }

    /// The mean of what particles give, of all species, at every node.
    fn mean_at_nodes<const W: usize>(&mut self, per_diffusivity: f64) {
        let size = tile_size(D, W);
        let (mesh, layout, carried) = (&self.mesh, &self.layout, &self.state.carried);
        let matters = &self.matters;
        self.sharing.tiles.resize(layout.blocks.len() * size, Node::<f64>::default());
        let tiles = self.sharing.tiles.par_chunks_mut(size).with_min_len(BUNCHES_A_TASK);
        tiles.zip(&layout.blocks).zip(&self.state.bunches).for_each(|((tile, block), bunch)| {
            tile.fill(Node::<f64>::default());
            for grain in bunch.iter() {
                let share = per_diffusivity * matters[grain.matter as usize].diffusivity;
                let weight = share * grain.mass.wide();
                give::<D, W>(tile, (mesh, &block.place, &grain.position), (weight, carried.at(grain.id)));
            }
        });
        self.sharing.collect(layout, W);
        to_mean::<D>(&mut self.sharing, layout.species());
    }
}

/// Adds what a particle gives to its nodes, and the weight of it.
fn give<const D: usize, const W: usize>(
    tile: &mut [Node<f64>],
    (mesh, place, x): (&Mesh, &super::layout::Place<D>, &Vect<D>),
    (weight, value): (f64, f64),
) {
    let mut start = [0.0; EXTRA + 1];
    (start[0], start[EXTRA]) = (weight * value, weight);
    let field = Linear { start: Quad::new(start), growth: [Node::<f64>::default(); D] };
    transfer::scatter(tile, &Stencil::<f64, D, W>::of(mesh, place, x), &field);
}

/// Sums over species to means that are the same for all of them.
fn to_mean<const D: usize>(grid: &mut Grid<f64>, species: usize) {
    grid.nodes.par_chunks_mut(species * block_size(D)).for_each(|chunk| {
        for node in 0..block_size(D) {
            let index = |kind: usize| kind * block_size(D) + node;
            let sum = (1..species).fold(chunk[node], |sum, kind| sum + chunk[index(kind)]).array();
            let mut mean = [0.0; EXTRA + 1];
            if sum[EXTRA] > 0.0 {
                mean[0] = sum[0] / sum[EXTRA];
            }
            for kind in 0..species {
                chunk[index(kind)] = Quad::new(mean);
            }
        }
    });
}

/// One over the dispersion of the spline [1/m²]; that of a linear one in the mean over a cell.
fn per_area<const W: usize>(spacing: f64) -> f64 {
    let number = if W == 2 { 6.0 } else { kernel::inverse_dispersion::<W>() };
    number / (spacing * spacing)
}
