//! What the solver remembers from step to step: all of it goes into a checkpoint.

use super::constitutive::Matter;
use super::diffusion::Carried;
use super::grain::{Bunch, Grain, narrow};
use super::grid::Grid;
use super::ground::Ground;
use super::interaction::Reaction;
use super::layout::{Block, FARTHEST_CELL, Layout, NONE};
use super::obstacle::walls;
use super::order::Newcomers;
use super::scalar::{Quad, Scalar};
use super::settings::{MpmSettings, VolumeRule};
use super::summary::Summary;
use super::transfer::{self, EXTRA, Mesh, Node, Stencil};
use super::{Kernel, Mpm, uniform};
use nalgebra::SMatrix;
use pliant_material::Material;
use pliant_math::Vect;
use pliant_solver::RestoreError;
use pliant_world::World;
use rayon::prelude::*;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};

/// Particles by blocks of the grid. Their order, and the blocks it was made for, decide in which order numbers are added,
/// so they are remembered too.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State<T: Scalar, const D: usize> {
    /// The blocks that own particles.
    pub blocks: Vec<Block<D>>,
    /// The particles of each of them.
    pub bunches: Vec<Bunch<T, D>>,
    /// Particles that belong to no block yet, in the order in which they appear.
    pub waiting: Vec<Grain<T, D>>,
    /// So many of them are there, and wait only to be sorted.
    pub born: usize,
    /// Farthest that a particle may have gone since it was sorted [m].
    pub travelled: f64,
    /// Longest stable step from here [s].
    pub longest_step: f64,
    /// What particles carry beside momentum.
    pub carried: Carried,
}

/// Where a particle is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// Its block, or [`NONE`] while it waits.
    pub block: u32,
    pub index: u32,
}

impl Slot {
    pub fn waiting(index: usize) -> Self {
        Self { block: NONE, index: index as u32 }
    }
}

/// A state as it is written down: particles one after the other.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "G: Serialize", deserialize = "G: Deserialize<'de>"))]
struct Saved<G, const D: usize> {
    grains: G,
    /// So many are there; the others follow in the order in which they will appear.
    present: usize,
    blocks: Vec<Block<D>>,
    travelled: f64,
    longest_step: f64,
    carried: Carried,
}

/// All particles of a state, written one by one: a list of them would be as large as the state.
struct Grains<'a, T: Scalar, const D: usize>(&'a State<T, D>);

impl<T: Scalar, const D: usize> Serialize for Grains<'_, T, D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let State { bunches, waiting, .. } = self.0;
        let count = bunches.iter().map(Bunch::len).sum::<usize>() + waiting.len();
        let mut list = serializer.serialize_seq(Some(count))?;
        for grain in bunches.iter().flat_map(Bunch::iter).chain(waiting.iter().copied()) {
            list.serialize_element(&grain)?;
        }
        list.end()
    }
}

impl<T: Scalar, const D: usize> State<T, D> {
    pub fn to_bytes(&self) -> Vec<u8> {
        let sorted = self.blocks.last().map_or(0, |block| block.end);
        let saved = Saved {
            grains: Grains(self),
            present: sorted + self.born,
            blocks: self.blocks.clone(),
            travelled: self.travelled,
            longest_step: self.longest_step,
            carried: self.carried.clone(),
        };
        postcard::to_stdvec(&saved).expect("writing to memory cannot fail")
    }

    pub fn from_bytes(bytes: &[u8], world: &World<D>, matters: usize) -> Result<Self, RestoreError> {
        let saved: Saved<Vec<Grain<T, D>>, D> =
            postcard::from_bytes(bytes).map_err(|error| RestoreError(error.to_string()))?;
        let count = world.particles.len();
        let mut seen = vec![false; count];
        for grain in &saved.grains {
            match seen.get_mut(grain.id as usize) {
                Some(seen) if !*seen && (grain.matter as usize) < matters => *seen = true,
                _ => return Err(RestoreError("its particles are not those of the scene".to_owned())),
            }
        }
        let ends_rise = saved.blocks.windows(2).all(|pair| pair[0] < pair[1] && pair[0].end <= pair[1].end);
        let ends = saved.blocks.last().map_or(0, |block| block.end);
        // What has just appeared is not sorted yet.
        let ends_fit = ends == saved.present || (ends < saved.present && saved.travelled == f64::INFINITY);
        if saved.grains.len() != count || saved.present > count || !ends_fit || !ends_rise {
            return Err(RestoreError(format!("it has {} particles, the scene {count}", saved.grains.len())));
        }
        if ![0, count].contains(&saved.carried.concentration.len()) {
            return Err(RestoreError("what its particles carry is not that of the scene".to_owned()));
        }
        let starts = std::iter::once(0).chain(saved.blocks.iter().map(|block| block.end));
        let bunches =
            starts.zip(&saved.blocks).map(|(start, block)| Bunch::of(saved.grains[start..block.end].iter()));
        Ok(Self {
            bunches: bunches.collect(),
            waiting: saved.grains[ends..].to_vec(),
            born: saved.present - ends,
            blocks: saved.blocks,
            travelled: saved.travelled,
            longest_step: saved.longest_step,
            carried: saved.carried,
        })
    }

    /// Whether the particle in a slot is there.
    pub fn is_present(&self, slot: Slot) -> bool {
        slot.block != NONE || (slot.index as usize) < self.born
    }

    /// The particle in a slot.
    pub fn get(&self, slot: Slot) -> Grain<T, D> {
        match self.bunches.get(slot.block as usize) {
            Some(bunch) => bunch.get(slot.index as usize),
            None => self.waiting[slot.index as usize],
        }
    }

    /// Where the particle in a slot is [m], and how fast it moves [m/s].
    pub fn motion(&self, slot: Slot) -> (Vect<D>, Vect<D>) {
        match self.bunches.get(slot.block as usize) {
            Some(bunch) => bunch.motion(slot.index as usize),
            None => {
                let grain = &self.waiting[slot.index as usize];
                (grain.position, grain.velocity.map(T::wide))
            }
        }
    }

    /// Changes the particle in a slot.
    pub fn update(&mut self, slot: Slot, change: impl FnOnce(&mut Grain<T, D>)) {
        match self.bunches.get_mut(slot.block as usize) {
            Some(bunch) => {
                let mut grain = bunch.get(slot.index as usize);
                change(&mut grain);
                bunch.set(slot.index as usize, &grain);
            }
            None => change(&mut self.waiting[slot.index as usize]),
        }
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
        let grain = |i: usize| {
            let matter = matter_of.get(i).copied().unwrap_or_else(|| world.particles.material[i].into());
            initial_grain(world, i, (matter, &matters[matter as usize]))
        };
        let order = in_order_of_birth(world);
        let number = |k: usize| order.get(k).map_or(k, |&i| i as usize);
        let all = world.particles.len();
        let present = match order.is_empty() {
            true => all,
            false => order.partition_point(|&i| world.particles.is_present(i as usize, 0.0)),
        };
        let width = settings.kernel.width();
        let mut solver = Self {
            mesh: Mesh::new(spacing, settings.mixed),
            walls: settings.domain.as_ref().map(walls::<D>).unwrap_or_default().into(),
            surfaces: settings.surfaces.clone().into(),
            gravity: uniform(world),
            species_density: species_density(world, settings.mixture.species.len().max(1)),
            rest_position: Vec::new(),
            state: State {
                blocks: Vec::new(),
                bunches: Vec::new(),
                waiting: (present..all).map(|k| grain(number(k))).collect(),
                born: 0,
                travelled: f64::INFINITY,
                longest_step: f64::INFINITY,
                carried: Carried::of(world, &settings),
            },
            layout: Layout::default(),
            grid: Grid::new::<D>(width),
            sharing: Grid::new::<D>(width),
            ground: Ground::default(),
            summary: Summary::default(),
            slot: Vec::new(),
            matters: matters.clone(),
            reactions,
            settings,
        };
        let present = Present { count: present, number };
        match solver.settings.kernel {
            Kernel::Linear => solver.take_place::<_, 2>(world, &present, &grain),
            Kernel::Quadratic => solver.take_place::<_, 3>(world, &present, &grain),
            Kernel::Cubic => solver.take_place::<_, 4>(world, &present, &grain),
        }
        // Not before, when memory is needed for the sort.
        let narrow = |x: &Vect<D>| std::array::from_fn(|axis| x[axis] as f32);
        solver.rest_position = world.particles.position.iter().map(narrow).collect();
        let summary = solver.settle();
        solver.state.longest_step = solver.stable_step(&summary);
        solver.summary = summary;
        solver
    }

    /// Gives all particles the stress of the state they start in.
    fn settle(&mut self) -> Summary {
        let matters = &self.matters;
        let settled = |bunch: &mut Bunch<T, D>| {
            let mut summary = Summary::default();
            bunch.update(|grain| summary = summary.with(settled(grain, matters)));
            summary
        };
        let parts: Vec<Summary> = self.state.bunches.par_iter_mut().map(settled).collect();
        parts.into_iter().fold(Summary::default(), Summary::with)
    }

    /// Takes up what has appeared. Its waves may ask for a shorter step, and it must be sorted before the next one.
    pub(super) fn take_up(&mut self, world: &World<D>, time: f64) {
        let State { waiting, born, .. } = &mut self.state;
        let due = waiting.partition_point(|grain| world.particles.is_present(grain.id as usize, time));
        let due = due.max(*born);
        let newborn = &mut waiting[*born..due];
        if newborn.is_empty() {
            return;
        }
        let mut summary = Summary::default();
        for grain in newborn {
            grain.position = world.particles.place_at(grain.id as usize, time);
            summary = summary.with(settled(grain, &self.matters));
        }
        *born = due;
        self.state.longest_step = self.state.longest_step.min(self.stable_step(&summary));
        self.summary = self.summary.with(summary);
        self.state.travelled = f64::INFINITY;
    }

    /// Brings particles to their blocks for the first time and gives them volumes. A particle out of reach of the grid
    /// makes the first step fail with a reason.
    fn take_place<N: Fn(usize) -> usize + Sync, const W: usize>(
        &mut self,
        world: &World<D>,
        present: &Present<N>,
        grain: &(impl Fn(usize) -> Grain<T, D> + Sync),
    ) {
        let limit = FARTHEST_CELL * self.mesh.spacing;
        let places = &world.particles.position;
        let Present { count, number } = present;
        if !(0..*count).all(|k| places[number(k)].amax() < limit) {
            self.state.waiting.splice(..0, (0..*count).map(|k| grain(number(k))));
            self.state.born = *count;
            self.number_slots();
            return;
        }
        let species = |i: usize| world.bodies[world.particles.body[i] as usize].species;
        let newcomers = Newcomers {
            count: *count,
            place: |k: usize| (species(number(k)), places[number(k)]),
            make: |k: usize| grain(number(k)),
        };
        self.put_in_order::<_, _, W>(&newcomers);
        if self.settings.volume == VolumeRule::Grid {
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
        for (index, bunch) in self.state.bunches.iter_mut().enumerate() {
            let block = &layout.blocks[index];
            let from = (&layout.nodes_around[index], usize::from(block.species), layout.species());
            grid.fill_tile::<D>(&grid.nodes, from, &mut tile);
            bunch.update(|grain| {
                let stencil = Stencil::<T, D, W>::of(mesh, &block.place, &grain.position);
                let mass = transfer::gather(&tile, &stencil).value.array()[EXTRA];
                grain.volume = grain.mass * T::of(cell) / mass;
            });
        }
    }
}

/// Gives a particle the stress of the state it starts in.
fn settled<T: Scalar, const D: usize>(grain: &mut Grain<T, D>, matters: &[Matter]) -> Summary {
    let matter = &matters[grain.matter as usize];
    let response = matter.settle(grain);
    Summary::of(grain, matter, &response)
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

/// The particles that are there from the start.
struct Present<N> {
    count: usize,
    /// Which one comes k-th.
    number: N,
}

/// The particles of a world by when they appear, then by number; empty if all are there from the start.
fn in_order_of_birth<const D: usize>(world: &World<D>) -> Vec<u32> {
    if world.particles.birth.is_empty() {
        return Vec::new();
    }
    let mut order: Vec<u32> = (0..world.particles.len() as u32).collect();
    let birth = |i: u32| world.particles.birth_of(i as usize);
    order.sort_by(|&a, &b| birth(a).total_cmp(&birth(b)));
    order
}

fn smallest_spacing<const D: usize>(world: &World<D>) -> f64 {
    let smallest = world.bodies.iter().map(|body| body.spacing).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest } else { 1.0 }
}

/// The materials of the scene, and one for each particle of which a parameter varies, each with its number in the scene;
/// and which is whose, unless it is as in the world.
fn materials<const D: usize>(world: &World<D>) -> (Vec<(Material, usize)>, Vec<u32>) {
    let mut materials: Vec<(Material, usize)> = world.materials.iter().cloned().zip(0..).collect();
    if world.variations.is_empty() {
        return (materials, Vec::new());
    }
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
