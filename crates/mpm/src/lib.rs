//! The Material Point Method of Nilles 2020 (MLS-MPM with APIC), with the older forms of Stomakhin 2013 and Fumoto as
//! settings: particles carry matter, a sparse grid carries forces and contacts.
//!
//! `Mpm::substep` is the ten steps of the paper. Particles are kept in the order of the grid (`keeping`, `layout`), go to the
//! grid (`to_grid`) and back (`to_particles`) by splines (`transfer`, `kernel`), nodes are moved (`grid`, `obstacles`), and matter answers
//! (`constitutive`).

mod constitutive;
mod diffusion;
mod elastic;
mod fields;
mod flows;
mod grain;
mod grid;
mod ground;
mod implicit;
mod interaction;
mod keeping;
mod kernel;
mod lanes;
mod layout;
mod limit;
mod lines;
mod mirrors;
mod nodes;
mod obstacle;
mod obstacles;
mod order;
mod pace;
mod packs;
mod passes;
mod polar;
mod principal;
mod registers;
mod scalar;
mod settings;
mod species;
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
    Supply, Surface, Transfer, VolumeRule,
};

use constitutive::Matter;
use grid::{Grid, NodeStep};
use ground::Ground;
use interaction::Reaction;
use layout::Layout;
use obstacles::Obstacles;
use pliant_math::{Vect, parallel};
use pliant_solver::stopwatch::Stopwatch;
use pliant_solver::{Onlooker, RestoreError, Solver, Span, StepError, StepReport};
use pliant_world::{Collider, Field, VectorField, World};
use scalar::Scalar;
use state::{Slot, State};
use std::any::Any;
use std::sync::Arc;
use summary::Summary;
use transfer::Mesh;

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
    rest_position: Vec<[f32; D]>,
    state: State<T, D>,
    layout: Layout<D>,
    grid: Grid<T>,
    /// Nodes of what particles carry and share.
    sharing: Grid<f64>,
    ground: Ground<D>,
    /// What the particles reported last.
    summary: Summary,
    /// Where each particle of the world is among the grains.
    slot: Vec<Slot>,
}

impl<T: Scalar, const D: usize> Solver<D> for Mpm<T, D> {
    fn step_seen(
        &mut self,
        world: &mut World<D>,
        span: Span,
        onlooker: &mut Onlooker<'_>,
    ) -> Result<StepReport, StepError> {
        match self.settings.kernel {
            Kernel::Linear => self.substep::<2>(world, span, onlooker),
            Kernel::Quadratic => self.substep::<3>(world, span, onlooker),
            Kernel::Cubic => self.substep::<4>(world, span, onlooker),
        }
    }

    fn admit(&mut self, world: &mut World<D>, time: f64) {
        self.take_up(world, time);
    }

    fn longest_step(&self) -> Option<f64> {
        Some(self.settings.substep.unwrap_or(self.state.longest_step))
    }

    fn step_limit(&self) -> Option<String> {
        self.binding_limit()
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
        self.state = State::from_bytes(bytes, world, self.matters.len())?;
        self.lay_out();
        self.number_slots();
        Ok(())
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// The ten steps of the paper (Nilles 2020, Fig. 3). The initial volumes of step 2 are part of [`Mpm::new`].
    fn substep<const W: usize>(
        &mut self,
        world: &World<D>,
        span: Span,
        onlooker: &mut Onlooker<'_>,
    ) -> Result<StepReport, StepError> {
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
        let carried = self.show_momentum(onlooker);
        let (time, walls) = ((span.time, span.dt), Arc::clone(&self.walls));
        let surfaces = Arc::clone(&self.surfaces);
        let colliders = world.colliders.iter().chain(&*walls);
        let obstacles = Obstacles::new(colliders, &surfaces, self.mesh.spacing, time);
        let particles = (&*self.state.bunches, &self.state.carried);
        let changes = interaction::react(&self.reactions, &self.matters, particles, span.time)?;
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
        // Implicit steps hold nodes behind walls while forces are balanced.
        let with_mirrors = self.settings.integrator == Integrator::Explicit;
        self.ground.follow(&self.layout, &obstacles, with_mirrors);
        self.reflect(span.dt);
        let step = NodeStep {
            dt: span.dt,
            spacing: self.mesh.spacing,
            gravity: self.gravity.unwrap_or_else(Vect::zeros),
            obstacles: &obstacles,
            inside: &self.ground.inside,
            mixture: &self.settings.mixture,
            density: &self.species_density,
        };
        let nodes = self.grid.update(&self.layout, &step);
        let speed = speed.filter(|_| nodes.speed.is_finite()).unwrap_or(nodes.speed);
        self.refuse_wild_nodes(speed, span.dt)?;
        watch.lap("grid");
        onlooker.see(|| self.moved_nodes(&carried));
        self.diffuse::<W>(span);
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

    /// Whether the velocities before forces are needed: FLIP compares with them, buoyancy finds forces by them.
    fn wants_before(&self) -> bool {
        self.settings.transfer.flip_share() > 0.0 || self.settings.mixture.buoyancy.is_some()
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
