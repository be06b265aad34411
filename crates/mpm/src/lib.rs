//! The Material Point Method of Nilles 2020 (MLS-MPM with APIC), with the older forms of Stomakhin 2013 and Fumoto as
//! settings: particles carry matter, a sparse grid carries forces and contacts.
//!
//! `Mpm::substep` is the ten steps of the paper. Particles are kept in the order of the grid (`layout`), go to the grid
//! (`to_grid`) and back (`to_particles`) by splines (`transfer`, `kernel`), nodes are moved (`grid`, `obstacles`), and matter answers
//! (`constitutive`).

mod constitutive;
mod elastic;
mod fields;
mod flows;
mod grain;
mod grid;
mod implicit;
mod interaction;
mod kernel;
mod lanes;
mod layout;
mod limit;
mod lines;
mod nodes;
mod obstacles;
mod order;
mod packs;
mod polar;
mod principal;
mod registers;
mod scalar;
mod settings;
mod state;
mod summary;
#[cfg(test)]
mod tests;
mod to_grid;
mod to_particles;
mod transfer;

pub use grid::MAX_SPECIES;
pub use kernel::Kernel;
pub use limit::{arithmetic_limit, register_width};
pub use settings::{
    Domain, Drag, DragMode, Effect, Gradient, Integrator, Interaction, Mixture, MpmSettings, Precision,
    Surface, Transfer, VolumeRule,
};

use constitutive::Matter;
use grain::{Bunch, Grain, widen};
use grid::{Grid, NodeStep};
use interaction::{Change, Reaction};
use layout::{Block, FARTHEST_CELL, Layout, tile_size};
use nalgebra::SMatrix;
use obstacles::{Obstacles, Touch};
use order::Newcomers;
use pliant_math::{Vect, parallel};
use pliant_solver::stopwatch::Stopwatch;
use pliant_solver::{RestoreError, Solver, Span, StepError, StepReport};
use pliant_world::{Collider, Field, VectorField, World};
use rayon::prelude::*;
use registers::dispatch;
use scalar::{Quad, Scalar};
use state::{Slot, State};
use std::any::Any;
use std::sync::Arc;
use summary::Summary;
use to_grid::{Push, Scatter, ScatterBlock};
use to_particles::{Gather, GatherBlock};
use transfer::{EXTRA, Mesh, Node};

/// A solver for `world` in the precision that the settings ask for.
pub fn solver<const D: usize>(world: &World<D>, settings: MpmSettings) -> Box<dyn Solver<D>> {
    // Asked for by type, so that this crate alone, and not each one that asks, compiles the solver.
    let world: &dyn Any = world;
    let solver: Box<dyn Any> = match (world.downcast_ref(), world.downcast_ref()) {
        (Some(world), _) => Box::new(in_plane(world, settings)),
        (_, Some(world)) => Box::new(in_space(world, settings)),
        _ => unreachable!("there are only worlds of two and three dimensions"),
    };
    *solver.downcast().expect("a solver has the dimension of its world")
}

#[inline(never)]
fn in_plane(world: &World<2>, settings: MpmSettings) -> Box<dyn Solver<2>> {
    match settings.precision {
        Precision::Single => Box::new(Mpm::<f32, 2>::new(world, settings)),
        Precision::Double => Box::new(Mpm::<f64, 2>::new(world, settings)),
    }
}

#[inline(never)]
fn in_space(world: &World<3>, settings: MpmSettings) -> Box<dyn Solver<3>> {
    match settings.precision {
        Precision::Single => Box::new(Mpm::<f32, 3>::new(world, settings)),
        Precision::Double => Box::new(Mpm::<f64, 3>::new(world, settings)),
    }
}

/// The solver: what it remembers of a world, and scratch.
#[derive(Debug)]
struct Mpm<T: Scalar, const D: usize> {
    settings: MpmSettings,
    mesh: Mesh,
    matters: Vec<Matter>,
    /// What each matter does in answer to its state; empty where none does.
    reactions: Vec<Option<Reaction>>,
    walls: Arc<[Collider]>,
    surfaces: Arc<[Surface]>,
    /// Acceleration that is the same everywhere; none if it is not, and particles must ask [m/s²].
    gravity: Option<Vect<D>>,
    /// Rest density of each species [kg/m³].
    species_density: Vec<f64>,
    rest_position: Vec<Vect<D>>,
    state: State<T, D>,
    layout: Layout<D>,
    grid: Grid<T>,
    /// For each block of nodes, those inside obstacles that never move; empty when it must be found anew.
    touching: Vec<Vec<Touch<D>>>,
    /// What the particles reported last.
    summary: Summary,
    /// Where each particle of the world is among the grains.
    slot: Vec<Slot>,
}

/// Particles may cross this many cells in a step; the margin of the tiles asks for less than one.
const MAX_TRAVEL: f64 = 0.9;

impl<T: Scalar, const D: usize> Solver<D> for Mpm<T, D> {
    fn step(&mut self, world: &mut World<D>, span: Span) -> Result<StepReport, StepError> {
        match self.settings.kernel {
            Kernel::Linear => self.substep::<2>(world, span),
            Kernel::Quadratic => self.substep::<3>(world, span),
            Kernel::Cubic => self.substep::<4>(world, span),
        }
    }

    fn admit(&mut self, world: &mut World<D>, time: f64) {
        self.take_up(world, time);
    }

    fn longest_step(&self) -> Option<f64> {
        Some(self.settings.substep.unwrap_or(self.state.longest_step))
    }

    fn step_limit(&self) -> Option<String> {
        let dt = self.longest_step().filter(|_| !self.slot.is_empty())?;
        let cause = match (self.settings.substep, self.summary) {
            (Some(_), _) => "as the scene says",
            _ if self.settings.integrator == Integrator::Implicit => "bound by the fastest motion",
            (None, summary) if self.viscous_step(&summary) < self.wave_step(&summary) => {
                "bound by friction in a fluid"
            }
            (None, summary) if summary.wave_speed > 0.5 * summary.signal_speed => {
                "bound by waves in the stiffest matter"
            }
            _ => "bound by the fastest motion",
        };
        Some(format!("steps of {dt:.1e} s at first, {cause}"))
    }

    fn publish(&self, world: &mut World<D>) {
        let particles = &mut world.particles;
        parallel::update_pair(&mut particles.position, &mut particles.velocity, |i, position, velocity| {
            (*position, *velocity) = self.state.motion(self.slot[i]);
        });
    }

    fn elastic_energy(&self, _world: &World<D>) -> f64 {
        self.sum(|grain| self.matters[grain.matter as usize].energy(grain))
    }

    fn volume(&self, _world: &World<D>) -> f64 {
        self.sum(|grain| grain.volume.wide() * self.matters[grain.matter as usize].volume_ratio(grain))
    }

    fn fields(&self, world: &World<D>) -> Vec<Field> {
        self.columns(world)
    }

    fn grid(&self) -> Option<Vec<Field>> {
        Some(self.grid_columns())
    }

    fn save(&self) -> Vec<u8> {
        self.state.to_bytes()
    }

    fn restore(&mut self, world: &World<D>, bytes: &[u8]) -> Result<(), RestoreError> {
        let state = State::from_bytes(bytes, world, self.matters.len())?;
        self.layout = Layout::of(state.blocks.clone());
        self.state = state;
        self.touching.clear();
        self.number_slots();
        Ok(())
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// The ten steps of the paper (Nilles 2020, Fig. 3). The initial volumes of step 2 are part of [`Mpm::new`].
    fn substep<const W: usize>(&mut self, world: &World<D>, span: Span) -> Result<StepReport, StepError> {
        let mut watch = Stopwatch::start();
        self.sort_if_moved::<W>()?;
        watch.lap("sort");
        let is_implicit = self.settings.integrator == Integrator::Implicit;
        let wants_before = self.wants_before();
        if wants_before && !is_implicit {
            self.scatter::<W>(world, span, false);
            self.grid.collect(&self.layout, W);
            self.grid.keep_before();
        }
        // Steps 1 and 3: mass, momentum and forces go to the grid.
        self.scatter::<W>(world, span, !is_implicit);
        watch.lap("particles to grid");
        // Steps 4 to 6: nodes are moved by forces, by other species and by obstacles.
        self.grid.collect(&self.layout, W);
        let (time, walls) = ((span.time, span.dt), Arc::clone(&self.walls));
        let surfaces = Arc::clone(&self.surfaces);
        let colliders = world.colliders.iter().chain(&*walls);
        let obstacles = Obstacles::new(colliders, &surfaces, self.mesh.spacing, time);
        let changes = interaction::react(&self.reactions, &self.matters, &self.state.bunches, span.time)?;
        let (mut report, mut speed) = (StepReport::default(), None);
        if is_implicit {
            if wants_before {
                self.grid.keep_before();
            }
            let found = self.balance::<W>(world, span, &obstacles, &changes)?;
            (report.iterations, report.solves) = (found.iterations, found.solves);
            speed = Some(found.speed);
            watch.lap("balance");
        }
        if self.touching.is_empty() {
            let places = &self.layout.nodes;
            self.touching.resize(places.len(), Vec::new());
            parallel::fill(&mut self.touching, |block| obstacles.touches(&places[block]));
        }
        let step = NodeStep {
            dt: span.dt,
            spacing: self.mesh.spacing,
            gravity: self.gravity.unwrap_or_else(Vect::zeros),
            obstacles: &obstacles,
            touching: &self.touching,
            mixture: &self.settings.mixture,
            density: &self.species_density,
        };
        let nodes = self.grid.update(&self.layout, &step);
        let speed = speed.filter(|_| nodes.speed.is_finite()).unwrap_or(nodes.speed);
        self.refuse_wild_nodes(speed, span.dt)?;
        watch.lap("grid");
        // Steps 7 to 10: particles are deformed, accelerated, stopped and moved.
        let summary = self.gather::<W>(span, &obstacles, &changes);
        watch.lap("grid to particles");
        self.state.travelled += summary.travel + self.drive(world, span);
        self.state.longest_step = self.stable_step(&summary);
        self.summary = summary;
        Ok(StepReport {
            contacts: nodes.contacts,
            yielding: summary.yielding,
            stages: watch.laps(),
            ..report
        })
    }

    /// Particles that are held or driven go where they must; how far that takes the farthest [m].
    fn drive(&mut self, world: &World<D>, span: Span) -> f64 {
        let mut farthest = 0.0_f64;
        let ends = world.pinned_positions(span.time + span.dt);
        for ((i, start), (_, target)) in world.pinned_positions(span.time).zip(ends) {
            let velocity = (target - start) / span.dt;
            self.state.update(self.slot[i], |grain| {
                (grain.velocity, grain.affine) = (velocity.map(T::of), SMatrix::zeros());
                farthest = farthest.max((target - grain.position).amax());
                grain.position = target;
            });
        }
        farthest
    }

    /// Whether the velocities before forces are needed: FLIP compares with them, buoyancy finds forces by them.
    fn wants_before(&self) -> bool {
        self.settings.transfer.flip_share() > 0.0 || self.settings.mixture.buoyancy.is_some()
    }

    /// Before a particle is written: a node that is too fast or not a number ends the step.
    fn refuse_wild_nodes(&self, speed: f64, dt: f64) -> Result<(), StepError> {
        let (distance, limit) = (speed * dt, MAX_TRAVEL * self.mesh.spacing);
        if distance <= limit {
            return Ok(());
        }
        if !distance.is_finite() {
            let is_wrong = |grain: &Grain<T, D>| {
                !widen(&grain.stress)
                    .iter()
                    .chain(grain.velocity.map(T::wide).iter())
                    .all(|value| value.is_finite())
            };
            let mut grains = self.state.bunches.iter().flat_map(Bunch::iter);
            let particle = grains.find(is_wrong).map_or(0, |grain| grain.id);
            return Err(StepError::NonFinite {
                quantity: "force near the grid node",
                particle: particle as usize,
            });
        }
        Err(StepError::TooFast { particle: self.fastest().0, distance, limit })
    }

    /// The particles that are there, one after the other: a copy, for what does not work in packs.
    fn present(&self) -> Vec<Grain<T, D>> {
        let newborn = &self.state.waiting[..self.state.born];
        self.state.bunches.iter().flat_map(Bunch::iter).chain(newborn.iter().copied()).collect()
    }

    /// A sum over the particles that are there, in a fixed order.
    fn sum(&self, value: impl Fn(&Grain<T, D>) -> f64 + Sync) -> f64 {
        parallel::sum(self.slot.len(), 0.0, |i| {
            let slot = self.slot[i];
            if self.state.is_present(slot) { value(&self.state.get(slot)) } else { 0.0 }
        })
    }

    /// The fastest particle, and its speed [m/s].
    fn fastest(&self) -> (usize, f64) {
        let fastest = parallel::max(self.slot.len(), |i| {
            let slot = self.slot[i];
            if self.state.is_present(slot) { self.state.motion(slot).1.norm() } else { 0.0 }
        });
        fastest.unwrap_or((0, 0.0))
    }

    /// Sorts particles by block before any can have left the margin of its tile.
    fn sort_if_moved<const W: usize>(&mut self) -> Result<(), StepError> {
        if self.state.travelled < self.mesh.spacing * 0.999 {
            return Ok(());
        }
        self.sort::<W>()
    }

    fn sort<const W: usize>(&mut self) -> Result<(), StepError> {
        let limit = FARTHEST_CELL * self.mesh.spacing;
        let farthest = parallel::max(self.slot.len(), |i| {
            let slot = self.slot[i];
            if self.state.is_present(slot) { self.state.motion(slot).0.amax() } else { 0.0 }
        });
        if let Some((particle, distance)) =
            farthest.filter(|(_, distance)| *distance >= limit || distance.is_nan())
        {
            return Err(StepError::TooFar { particle, distance, limit });
        }
        let newborn: Vec<Grain<T, D>> = self.state.waiting.drain(..self.state.born).collect();
        self.state.born = 0;
        let places = newborn.iter().map(|grain| (grain.species, grain.position)).collect();
        self.put_in_order::<_, W>(&Newcomers { places, make: |i: usize| newborn[i] });
        Ok(())
    }

    /// Brings every particle, and those that are new, to its block.
    fn put_in_order<F: Fn(usize) -> Grain<T, D> + Sync, const W: usize>(
        &mut self,
        newcomers: &Newcomers<F, D>,
    ) {
        let (mesh, bunches) = (self.mesh, std::mem::take(&mut self.state.bunches));
        let sorted = order::sort((&self.state.blocks, bunches), newcomers, |x| mesh.first_node::<D, W>(x));
        let same_place = |(a, b): (&Block<D>, &Block<D>)| (a.species, a.place) == (b.species, b.place);
        let is_same = sorted.0.len() == self.layout.blocks.len()
            && sorted.0.iter().zip(&self.layout.blocks).all(same_place);
        (self.state.blocks, self.state.bunches) = sorted;
        if is_same {
            self.layout.blocks.clone_from(&self.state.blocks);
        } else {
            self.layout = Layout::of(self.state.blocks.clone());
            self.touching.clear();
        }
        self.state.travelled = 0.0;
        self.number_slots();
    }

    fn number_slots(&mut self) {
        for (block, bunch) in self.state.bunches.iter().enumerate() {
            for (number, pack) in bunch.packs.iter().enumerate() {
                for lane in 0..bunch.lanes(number) {
                    let index = (number * registers::LANES + lane) as u32;
                    self.slot[pack.id[lane] as usize] = Slot { block: block as u32, index };
                }
            }
        }
        for (index, grain) in self.state.waiting.iter().enumerate() {
            self.slot[grain.id as usize] = Slot::waiting(index);
        }
    }

    /// Steps 1 and 3: every block scatters its particles onto its own tile.
    fn scatter<const W: usize>(&mut self, world: &World<D>, span: Span, with_forces: bool) {
        let size = tile_size(D, W);
        self.grid.tiles.resize(self.layout.blocks.len() * size, Node::<T>::default());
        let scatter = Scatter {
            mesh: &self.mesh,
            dt: if with_forces { span.dt } else { 0.0 },
            is_affine: self.settings.transfer.is_affine(),
            by_kernel: self.by_kernel(W),
        };
        let (blocks, bunches) = (&self.layout.blocks, &self.state.bunches);
        let push =
            |id: u32, x: &Vect<D>| world.acceleration_at(x, world.particles.body[id as usize], span.time);
        let push = self.gravity.is_none().then_some(&push as Push<'_, D>);
        self.grid.tiles.par_chunks_mut(size).zip(blocks).zip(bunches).for_each(|((tile, block), bunch)| {
            let place = &block.place;
            dispatch(ScatterBlock::<T, D, W> { scatter: &scatter, place, bunch, push, tile });
        });
    }

    /// Whether gradients are those of the spline: by choice, or because a linear spline has no others.
    fn by_kernel(&self, width: usize) -> bool {
        self.settings.gradient == Gradient::Kernel || width == 2
    }

    /// Steps 7 to 10: every block takes back the velocities of its nodes, deforms its particles and moves them.
    fn gather<const W: usize>(
        &mut self,
        span: Span,
        obstacles: &Obstacles<'_>,
        changes: &[Change],
    ) -> Summary {
        let (layout, grid) = (&self.layout, &self.grid);
        let species = layout.species();
        let size = tile_size(D, W);
        let gather = Gather {
            mesh: &self.mesh,
            span,
            settings: &self.settings,
            by_kernel: self.by_kernel(W),
            matters: &self.matters,
            obstacles,
        };
        let parts: Vec<Summary> = self
            .state
            .bunches
            .par_iter_mut()
            .enumerate()
            .map_init(
                || (vec![Node::<T>::default(); size], Vec::new()),
                |(tile, before), (index, bunch)| {
                    let block = &layout.blocks[index];
                    let from = (&layout.nodes_around[index], usize::from(block.species), species);
                    grid.fill_tile::<D>(&grid.nodes, from, tile);
                    if gather.settings.transfer.flip_share() > 0.0 {
                        before.resize(size, Node::<T>::default());
                        grid.fill_tile::<D>(&grid.before, from, before);
                        before.iter_mut().for_each(to_velocity::<T>);
                    }
                    let changes = changes.get(layout.grains_of(index)).unwrap_or_default();
                    let (gather, place) = (&gather, &block.place);
                    dispatch(GatherBlock::<T, D, W> { gather, place, bunch, changes, tile, before })
                },
            )
            .collect();
        parts.into_iter().fold(Summary::default(), Summary::with)
    }

    /// The longest step that is stable, by waves, motion and friction (Nilles 2020, §4.1; VALIDATION T19).
    fn stable_step(&self, summary: &Summary) -> f64 {
        if self.settings.integrator == Integrator::Implicit {
            return self.settings.courant * self.motion_step();
        }
        self.settings.courant * self.wave_step(summary).min(self.viscous_step(summary))
    }

    /// Time in which the fastest particle, or one that falls from rest, crosses a cell [s].
    fn motion_step(&self) -> f64 {
        let speed = self.fastest().1;
        let (h, push) = (self.mesh.spacing, self.gravity.map_or(0.0, |gravity| gravity.norm()));
        // The root of h = v t + g t²/2.
        2.0 * h / (speed + (speed * speed + 2.0 * push * h).sqrt()).max(f64::MIN_POSITIVE)
    }

    /// Time in which a signal crosses a cell [s].
    fn wave_step(&self, summary: &Summary) -> f64 {
        self.mesh.spacing / summary.signal_speed.max(f64::MIN_POSITIVE)
    }

    /// Time in which friction spreads over a cell [s].
    fn viscous_step(&self, summary: &Summary) -> f64 {
        self.mesh.spacing.powi(2) / (2.0 * D as f64 * summary.viscosity.max(f64::MIN_POSITIVE))
    }
}

fn to_velocity<T: Scalar>(node: &mut Node<T>) {
    let mass = node.array()[EXTRA];
    if mass > T::zero() {
        *node = *node * Quad::splat(T::one() / mass);
    }
}

/// The acceleration of everything, if it is the same everywhere and always [m/s²].
fn uniform<const D: usize>(world: &World<D>) -> Option<Vect<D>> {
    let mut sum = Vect::zeros();
    for acceleration in &world.accelerations {
        match &acceleration.field {
            VectorField::Constant(_) if acceleration.region.is_none() && acceleration.bodies.is_none() => {
                sum += acceleration.at(&Vect::zeros(), 0, 0.0);
            }
            _ => return None,
        }
    }
    Some(sum)
}
