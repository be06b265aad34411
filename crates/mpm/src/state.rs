//! What the solver remembers from step to step: all of it goes into a checkpoint.

use super::constitutive::Matter;
use super::grain::{Grain, narrow};
use super::grid::Grid;
use super::interaction::Reaction;
use super::layout::{Block, Layout};
use super::obstacles::walls;
use super::scalar::{Quad, Scalar};
use super::settings::{MpmSettings, VolumeRule};
use super::summary::Summary;
use super::transfer::{self, EXTRA, Mesh, Node, Stencil};
use super::{Kernel, Mpm, uniform};
use nalgebra::SMatrix;
use pliant_material::Material;
use pliant_solver::RestoreError;
use pliant_world::World;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Particles in the order of the grid. The order, and the blocks it was made for, decide in which order numbers are
/// added, so they are remembered too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct State<T: Scalar, const D: usize> {
    pub grains: Vec<Grain<T, D>>,
    /// So many are there; the others follow in the order in which they will appear.
    pub present: usize,
    pub blocks: Vec<Block<D>>,
    /// Farthest that a particle may have gone since it was sorted [m].
    pub travelled: f64,
    /// Longest stable step from here [s].
    pub longest_step: f64,
}

impl<T: Scalar, const D: usize> State<T, D> {
    pub fn from_bytes(bytes: &[u8], world: &World<D>, matters: usize) -> Result<Self, RestoreError> {
        let state: Self = postcard::from_bytes(bytes).map_err(|error| RestoreError(error.to_string()))?;
        let count = world.particles.len();
        let mut seen = vec![false; count];
        for grain in &state.grains {
            match seen.get_mut(grain.id as usize) {
                Some(seen) if !*seen && (grain.matter as usize) < matters => *seen = true,
                _ => return Err(RestoreError("its particles are not those of the scene".to_owned())),
            }
        }
        let ends_rise = state.blocks.windows(2).all(|pair| pair[0] < pair[1] && pair[0].end <= pair[1].end);
        let ends = state.blocks.last().map_or(0, |block| block.end);
        // What has just appeared is not sorted yet.
        let ends_fit = ends == state.present || (ends < state.present && state.travelled == f64::INFINITY);
        if state.grains.len() != count || state.present > count || !ends_fit || !ends_rise {
            return Err(RestoreError(format!("it has {} particles, the scene {count}", state.grains.len())));
        }
        Ok(state)
    }
}

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// A solver for `world` as it stands, without stress.
    pub fn new(world: &World<D>, settings: MpmSettings) -> Self {
        let spacing = settings.spacing.unwrap_or_else(|| 2.0 * smallest_spacing(world));
        let (materials, matter_of) = materials(world);
        let matters: Vec<Matter> = materials.iter().map(|(material, _)| Matter::of(material)).collect();
        let interactions = &settings.mixture.interactions;
        let reactions = materials
            .into_iter()
            .map(|(material, index)| Reaction::of(material, index, interactions))
            .collect();
        let grain = |i: usize| initial_grain(world, i, (matter_of[i], &matters[matter_of[i] as usize]));
        let order = in_order_of_birth(world);
        let present = order.partition_point(|&i| world.particles.is_present(i, 0.0));
        let width = settings.kernel.width();
        let mut solver = Self {
            mesh: Mesh::new(spacing),
            walls: settings.domain.as_ref().map(walls::<D>).unwrap_or_default().into(),
            surfaces: settings.surfaces.clone().into(),
            gravity: uniform(world),
            species_density: species_density(world, settings.mixture.species.len().max(1)),
            rest_position: world.particles.position.clone(),
            state: State {
                grains: order.into_iter().map(grain).collect(),
                present,
                blocks: Vec::new(),
                travelled: f64::INFINITY,
                longest_step: f64::INFINITY,
            },
            layout: Layout::default(),
            grid: Grid::new::<D>(width),
            touching: Vec::new(),
            summary: Summary::default(),
            slot: Vec::new(),
            matters,
            reactions,
            settings,
        };
        solver.number_slots();
        match solver.settings.kernel {
            Kernel::Linear => solver.take_place::<2>(world),
            Kernel::Quadratic => solver.take_place::<3>(world),
            Kernel::Cubic => solver.take_place::<4>(world),
        }
        let summary = solver.settle(0..present);
        solver.state.longest_step = solver.stable_step(&summary);
        solver.summary = summary;
        solver
    }

    /// Gives grains the stress of the state they start in.
    fn settle(&mut self, grains: Range<usize>) -> Summary {
        let matters = &self.matters;
        self.state.grains[grains].iter_mut().fold(Summary::default(), |sum, grain| {
            let matter = &matters[grain.matter as usize];
            let response = matter.settle(grain);
            sum.with(Summary::of(grain, matter, &response))
        })
    }

    /// Takes up what has appeared. Its waves may ask for a shorter step, and it must be sorted before the next one.
    pub(super) fn take_up(&mut self, world: &World<D>, time: f64) {
        let State { grains, present, .. } = &mut self.state;
        let waiting = *present..grains.len();
        let due =
            grains[waiting].partition_point(|grain| world.particles.is_present(grain.id as usize, time));
        if due == 0 {
            return;
        }
        let newborn = *present..*present + due;
        for grain in &mut grains[newborn.clone()] {
            grain.position = world.particles.place_at(grain.id as usize, time);
        }
        *present = newborn.end;
        let summary = self.settle(newborn);
        self.state.longest_step = self.state.longest_step.min(self.stable_step(&summary));
        self.summary = self.summary.with(summary);
        self.state.travelled = f64::INFINITY;
    }

    /// Sorts the particles for the first time and gives them volumes. A particle out of reach of the grid makes the first
    /// step fail with a reason.
    fn take_place<const W: usize>(&mut self, world: &World<D>) {
        if self.sort::<W>().is_ok() && self.settings.volume == VolumeRule::Grid {
            self.volumes_from_grid::<W>(world);
        }
    }

    /// Step 2: density at the start as the grid sees it, and volumes from it (Nilles 2020, Eq. 40; Fumoto, Eq. 5–6).
    fn volumes_from_grid<const W: usize>(&mut self, world: &World<D>) {
        let start = pliant_solver::Span { time: 0.0, dt: 0.0, care: pliant_solver::Care::Strict };
        self.scatter::<W>(world, start, false);
        self.grid.collect(&self.layout, W);
        let cell = self.mesh.spacing.powi(D as i32);
        let mut tile = vec![Node::<T>::default(); super::layout::tile_size(D, W)];
        let (layout, grid, mesh) = (&self.layout, &self.grid, &self.mesh);
        for (index, grains) in layout.split(&mut self.state.grains).into_iter().enumerate() {
            let block = &layout.blocks[index];
            let from = (&layout.nodes_around[index], usize::from(block.species), layout.species());
            grid.fill_tile::<D>(&grid.nodes, from, &mut tile);
            for grain in grains {
                let stencil = Stencil::<T, D, W>::of(mesh, &block.place, &grain.position);
                let mass = transfer::gather(&tile, &stencil).value.array()[EXTRA];
                grain.volume = grain.mass * T::of(cell) / mass;
            }
        }
    }
}

/// A particle of the world as the method sees it at the start.
fn initial_grain<T: Scalar, const D: usize>(
    world: &World<D>,
    i: usize,
    (number, matter): (u32, &Matter),
) -> Grain<T, D> {
    let particles = &world.particles;
    let mut grain = Grain {
        position: particles.position[i],
        velocity: particles.velocity[i].map(T::of),
        affine: narrow(&world.initial_velocity_gradient(i)),
        elastic: SMatrix::identity(),
        stress: SMatrix::zeros(),
        mass: T::of(particles.mass[i]),
        volume: T::of(particles.rest_volume[i]),
        memory_volume: T::one(),
        memory_strain: T::zero(),
        saturation: T::zero(),
        id: i as u32,
        matter: number,
        species: world.bodies[particles.body[i] as usize].species,
    };
    grain.set_history(&matter.initial());
    if let Some(ratio) = world.initial_volume_ratio(i) {
        matter.set_volume(&mut grain, ratio);
    }
    grain
}

/// The particles of a world by when they appear, then by number.
fn in_order_of_birth<const D: usize>(world: &World<D>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..world.particles.len()).collect();
    order.sort_by(|&a, &b| world.particles.birth_of(a).total_cmp(&world.particles.birth_of(b)));
    order
}

fn smallest_spacing<const D: usize>(world: &World<D>) -> f64 {
    let smallest = world.bodies.iter().map(|body| body.spacing).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest } else { 1.0 }
}

/// The materials of the scene, and one for each particle of which a parameter varies, each with its number in the scene;
/// and which is whose.
fn materials<const D: usize>(world: &World<D>) -> (Vec<(Material, usize)>, Vec<u32>) {
    let mut materials: Vec<(Material, usize)> = world.materials.iter().cloned().zip(0..).collect();
    let mut material_of: Vec<u32> =
        world.particles.material.iter().map(|material| u32::from(*material)).collect();
    for range in world.variations.iter().map(|variation| variation.particles.clone()) {
        for i in range {
            let base = material_of[i] as usize;
            if base < world.materials.len() {
                material_of[i] = materials.len() as u32;
                materials.push((world.material_of(i), base));
            }
        }
    }
    (materials, material_of)
}

fn species_density<const D: usize>(world: &World<D>, count: usize) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); count];
    for body in &world.bodies {
        let sum = &mut sums[usize::from(body.species)];
        for i in body.particles.clone() {
            sum.0 += world.particles.mass[i];
            sum.1 += world.particles.rest_volume[i];
        }
    }
    sums.iter().map(|(mass, volume)| if *volume > 0.0 { mass / volume } else { 1.0 }).collect()
}
