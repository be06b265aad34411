//! The coupled step of solids and fluids: Algorithm 1 of Kugelstadt 2021.

use crate::fluid::Fluids;
use crate::friction::Rubbing;
use crate::kernel::Kernel;
use crate::near::{Near, Rules, Sorting};
use crate::pressure::{Crowd, Goal, Lane, Solve};
use crate::settings::{Elasticity, SolidPressure, SphSettings};
use crate::solid::{Solids, State as BodyState, is_fluid};
use crate::walls::Walls;
use pliant_material::Law;
use pliant_math::{Vec3, parallel};
use pliant_solver::stopwatch::Stopwatch;
use pliant_solver::{RestoreError, Solver, Span, StepError, StepReport};
use pliant_world::{Field, World};
use serde::{Deserialize, Serialize};

/// Iterations of a pressure solve, at most: what is left after them is small and carried into the next step.
const MAX_PRESSURE_ITERATIONS: usize = 100;
/// Share of the time a pressure wave takes across a spacing that an explicit elastic step may last.
const EXPLICIT_COURANT: f64 = 0.2;

/// Density of a particle in the flat surface of a lattice: what one touched by a lattice has beside it. Solid particles
/// that only feel contacts all have it, so that edges and corners resist where a flat surface does.
const SURFACE: f32 = 0.85;

/// Parts of a body that are farther apart at rest than so many kernel supports may touch each other. Nearer ones come close
/// when a body is squeezed, which is no contact.
const SELF_CONTACT: f64 = 2.0;

/// The solver.
#[derive(Debug)]
pub struct Sph {
    settings: SphSettings,
    kernel: Kernel,
    /// Smallest spacing [m].
    spacing: f64,
    matter: Matter,
    solids: Solids,
    /// Which particles have appeared.
    present: Vec<bool>,
    state: State,
    work: Workspace,
}

/// What particles are, by index in the world.
#[derive(Debug)]
struct Matter {
    /// Elastic body; fluids have none.
    body: Vec<Option<u32>>,
    /// Positions at the start [m].
    start: Vec<Vec3>,
    /// Positions at rest, for telling neighbours in a body from contacts [m].
    rest: Vec<[f32; 3]>,
    /// Density that a particle and its neighbours at rest make.
    base: Vec<f32>,
    /// Viscosity of fluids [Pa s]; negative for solids.
    viscosity: Vec<f32>,
    /// Friction of solids; negative for fluids.
    friction: Vec<f32>,
    pinned: Vec<bool>,
    /// Fastest pressure wave over its spacing [1/s].
    wave_rate: f64,
}

/// What is remembered from step to step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    /// Pressures of the last density and divergence solves [Pa], by particle.
    pressure: Vec<f32>,
    divergence_pressure: Vec<f32>,
    /// Spin of micropolar fluid particles [1/s].
    spin: Vec<Lane>,
    /// Density relative to that at rest.
    density: Vec<f32>,
    /// Fastest particle [m/s].
    speed: f64,
    /// Until when particles that appear have been taken up [s].
    admitted: f64,
}

/// Scratch of a step; never saved.
#[derive(Debug, Default)]
struct Workspace {
    sorting: Sorting,
    near: Near,
    crowd: Crowd,
    /// Velocities by particle [m/s]: what single precision changes is added, so that nothing is lost where nothing acts.
    velocity: Vec<Vec3>,
}

impl Workspace {
    /// Lets `act` change velocities in single precision.
    fn act<R>(&mut self, act: impl FnOnce(&mut Crowd, &Near) -> R) -> R {
        let Self { sorting, near, crowd, velocity } = self;
        gather(&mut crowd.velocity, &sorting.order, |i| lane(&velocity[i]));
        let before = crowd.velocity.clone();
        let result = act(crowd, near);
        for (place, &i) in sorting.order.iter().enumerate() {
            velocity[i as usize] += vector(&crowd.velocity[place]) - vector(&before[place]);
        }
        result
    }
}

impl Solver<3> for Sph {
    fn step(&mut self, world: &mut World<3>, span: Span) -> Result<StepReport, StepError> {
        if !world.particles.birth.is_empty() {
            self.see_present(world, span.time);
        }
        let remembered = self.solids.states();
        let outcome = self.coupled_step(world, span);
        if outcome.is_err() {
            self.solids.put_back(remembered);
        }
        outcome
    }

    fn longest_step(&self) -> Option<f64> {
        let moving = self.settings.courant * self.spacing / self.state.speed.max(f64::MIN_POSITIVE);
        let waves = match self.settings.elasticity {
            Elasticity::Becker2009 => EXPLICIT_COURANT / self.matter.wave_rate.max(f64::MIN_POSITIVE),
            _ => f64::INFINITY,
        };
        Some(moving.min(waves).min(self.settings.elastic_step))
    }

    fn admit(&mut self, world: &mut World<3>, time: f64) {
        let p = &mut world.particles;
        for i in 0..p.birth.len() {
            if p.is_present(i, time) && !p.is_present(i, self.state.admitted) {
                p.position[i] = p.place_at(i, time);
                self.state.speed = self.state.speed.max(p.velocity[i].norm());
            }
        }
        self.state.admitted = time;
        self.see_present(world, time);
    }

    fn step_limit(&self) -> Option<String> {
        let step = self.longest_step()?;
        let cause = if step >= self.settings.elastic_step {
            "the step of elasticity"
        } else if self.settings.elasticity == Elasticity::Becker2009 {
            "explicit elastic waves"
        } else {
            "the fastest particle"
        };
        Some(format!("{step:.3e} s, by {cause}"))
    }

    fn elastic_energy(&self, world: &World<3>) -> f64 {
        self.solids.energy(&world.particles.position)
    }

    fn volume(&self, world: &World<3>) -> f64 {
        self.present_volume(world)
    }

    fn fields(&self, world: &World<3>) -> Vec<Field> {
        self.columns(world)
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.state, self.solids.states())).expect("writing to memory cannot fail")
    }

    fn restore(&mut self, world: &World<3>, bytes: &[u8]) -> Result<(), RestoreError> {
        let (state, bodies): (State, Vec<BodyState>) =
            postcard::from_bytes(bytes).map_err(|error| RestoreError(error.to_string()))?;
        if state.pressure.len() != world.particles.len() {
            return Err(RestoreError("it has another number of particles".to_owned()));
        }
        self.solids.restore(bodies, world, &self.settings).map_err(RestoreError)?;
        for index in 0..self.solids.bodies.len() {
            self.matter.take_rest_pose(&self.settings, (index, &self.solids));
        }
        self.state = state;
        Ok(())
    }

    fn warnings(&self) -> Vec<String> {
        self.solids.warnings(&self.settings)
    }
}

impl Sph {
    /// A solver for a world at rest.
    pub fn new(world: &World<3>, settings: SphSettings) -> Self {
        let spacings = world.bodies.iter().filter(|body| !body.particles.is_empty()).map(|body| body.spacing);
        let largest = spacings.clone().fold(0.0, f64::max);
        let spacing = spacings.fold(f64::INFINITY, f64::min);
        let kernel = Kernel::new(settings.support * if largest > 0.0 { largest } else { 1.0 });
        let solids = Solids::new(world, &settings);
        let matter = Matter::new(world, &settings, &kernel, &solids);
        let count = world.particles.len();
        let state = State {
            pressure: vec![0.0; count],
            divergence_pressure: vec![0.0; count],
            spin: vec![[0.0; 4]; count],
            density: vec![1.0; count],
            speed: 0.0,
            admitted: 0.0,
        };
        let work = Workspace::default();
        let mut solver = Self { settings, kernel, spacing, matter, solids, present: Vec::new(), state, work };
        solver.see_present(world, 0.0);
        solver.state.speed = solver.fastest(&world.particles.velocity);
        solver
    }

    /// Notes who is there at a time [s]. A body is there when all of it is.
    fn see_present(&mut self, world: &World<3>, time: f64) {
        self.present = (0..world.particles.len()).map(|i| world.particles.is_present(i, time)).collect();
        for body in &mut self.solids.bodies {
            body.is_present = self.present[body.first];
        }
    }

    fn fastest(&self, velocities: &[Vec3]) -> f64 {
        let square = |i: usize| if self.present[i] { velocities[i].norm_squared() } else { 0.0 };
        parallel::max(velocities.len(), square).map_or(0.0, |(_, square)| square.sqrt())
    }

    pub(crate) fn is_present(&self, i: usize) -> bool {
        self.present[i]
    }

    pub(crate) fn solids(&self) -> &Solids {
        &self.solids
    }

    pub(crate) fn is_fluid(&self, i: usize) -> bool {
        self.matter.body[i].is_none()
    }

    /// Density of a particle relative to that at rest.
    pub(crate) fn density(&self, i: usize) -> f32 {
        self.state.density[i]
    }

    /// Pressure on a particle in the last step [Pa].
    pub(crate) fn pressure(&self, i: usize) -> f32 {
        self.state.pressure[i]
    }

    /// Positions at the start [m].
    pub(crate) fn rest_position(&self) -> &[Vec3] {
        &self.matter.start
    }

    /// Algorithm 1.
    fn coupled_step(&mut self, world: &mut World<3>, span: Span) -> Result<StepReport, StepError> {
        let mut watch = Stopwatch::start();
        let mut report = StepReport::default();
        let dt = span.dt as f32;
        let colliders = std::mem::take(&mut world.colliders);
        let walls = Walls::new(&colliders, (self.kernel, self.spacing), (span.time, span.dt));

        self.find_neighbours(world, span, &walls); // 1
        watch.lap("neighbours");
        let goal = Goal {
            dt,
            error: self.settings.divergence_error as f32,
            max_iterations: MAX_PRESSURE_ITERATIONS,
        };
        report.iterations += self.solve_pressure(Solve::Divergence, goal);
        watch.lap("divergence");
        self.apply_other_forces(world, span, &mut report); // 2
        watch.lap("forces");
        let outcome = self.apply_elasticity(world, span, &mut report); // 3 to 12
        watch.lap("elasticity");
        if outcome.is_ok() {
            let goal = Goal { error: self.settings.density_error as f32, ..goal };
            report.iterations += self.solve_pressure(Solve::Density, goal); // 13
            self.rub(dt);
            watch.lap("pressure");
        }
        let moved = outcome.and_then(|()| self.move_on(world, span, &walls));
        drop(walls);
        world.colliders = colliders;
        moved?;
        report.contacts = self.work.crowd.walls.iter().filter(|wall| wall.density > 0.0).count();
        let (yielding, rebased) = self.solids.flow(world, &self.settings, span.dt);
        report.yielding = yielding;
        for index in rebased {
            self.matter.take_rest_pose(&self.settings, (index, &self.solids));
        }
        watch.lap("advance");
        report.solves += 2;
        report.stages = watch.laps();
        Ok(report)
    }

    fn find_neighbours(&mut self, world: &World<3>, span: Span, walls: &Walls<'_>) {
        let Self { kernel, matter, work, state, settings, present, .. } = self;
        let Workspace { sorting, near, crowd, velocity } = work;
        let particles = &world.particles;
        sorting.sort(&particles.position, kernel.support, |i| present[i]);
        let order = &sorting.order;
        velocity.clone_from(&particles.velocity);
        for (i, target) in world.pinned_positions(span.time + span.dt) {
            velocity[i] = (target - particles.position[i]) / span.dt;
        }
        gather(&mut crowd.volume, order, |i| particles.rest_volume[i] as f32);
        gather(&mut crowd.base, order, |i| matter.base[i]);
        gather(&mut crowd.inverse_mass, order, |i| {
            if matter.pinned[i] { 0.0 } else { (1.0 / particles.mass[i]) as f32 }
        });
        walls.feel(sorting, &particles.position, &mut crowd.walls);
        let volume = std::mem::take(&mut crowd.volume);
        let contact = settings.solid_pressure == SolidPressure::Contact;
        let related = |i: usize, j: usize| {
            let (i, j) = (order[i] as usize, order[j] as usize);
            !(contact && matter.are_neighbours_at_rest(i, j, kernel.support))
        };
        near.find(sorting, &Rules { kernel: *kernel, volume: &volume, related });
        crowd.volume = volume;
        crowd.weigh(near, |r| kernel.value_single(r));
        for (place, &i) in order.iter().enumerate() {
            state.density[i as usize] = crowd.density[place];
        }
    }

    /// Solves for pressures by place, which are remembered by particle.
    fn solve_pressure(&mut self, solve: Solve, goal: Goal) -> usize {
        let memory = match solve {
            Solve::Density => &mut self.state.pressure,
            Solve::Divergence => &mut self.state.divergence_pressure,
        };
        let mut pressure = Vec::new();
        gather(&mut pressure, &self.work.sorting.order, |i| memory[i]);
        let iterations = self.work.act(|crowd, near| crowd.solve(near, solve, goal, &mut pressure));
        scatter(memory, &self.work.sorting.order, &pressure);
        iterations
    }

    /// Gravity, and what fluids do beside pressure.
    fn apply_other_forces(&mut self, world: &World<3>, span: Span, report: &mut StepReport) {
        let Self { work, matter, settings, state, kernel, present, .. } = self;
        let particles = &world.particles;
        parallel::update(&mut work.velocity, |i, v| {
            if present[i] && !matter.pinned[i] {
                *v += world.acceleration_at(&particles.position[i], particles.body[i], span.time) * span.dt;
            }
        });
        if matter.viscosity.iter().all(|&viscosity| viscosity < 0.0) {
            return;
        }
        let (mut viscosity, mut spin) = (Vec::new(), Vec::new());
        gather(&mut viscosity, &work.sorting.order, |i| matter.viscosity[i]);
        gather(&mut spin, &work.sorting.order, |i| state.spin[i]);
        let fluids = Fluids { viscosity: &viscosity, kernel: *kernel, dt: span.dt as f32 };
        report.iterations += work.act(|crowd, near| {
            fluids.contract(crowd, near, settings.surface_tension as f32);
            fluids.spin(crowd, near, settings.vorticity as f32, &mut spin);
            fluids.diffuse(crowd, near, (settings.tolerance, settings.max_iterations))
        });
        scatter(&mut state.spin, &work.sorting.order, &spin);
    }

    /// Lines 3 to 12: accelerations at the fixed step of elasticity, taken over the step there is.
    fn apply_elasticity(
        &mut self,
        world: &World<3>,
        span: Span,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        if self.solids.bodies.is_empty() {
            return Ok(());
        }
        let velocity = &mut self.work.velocity;
        let mut acceleration = vec![Vec3::zeros(); velocity.len()];
        let gravity = world.acceleration_at(&world.particles.position[0], 0, span.time).norm();
        let place = (&world.particles.position[..], &velocity[..]);
        let (solves, iterations) =
            self.solids.accelerate(place, (&self.settings, gravity), &mut acceleration)?;
        report.solves += solves;
        report.iterations += iterations;
        parallel::update(velocity, |i, v| *v += acceleration[i] * span.dt);
        Ok(())
    }

    fn rub(&mut self, dt: f32) {
        let order = &self.work.sorting.order;
        let (mut coefficient, mut pressure) = (Vec::new(), Vec::new());
        gather(&mut coefficient, order, |i| self.matter.friction[i]);
        gather(&mut pressure, order, |i| self.state.pressure[i]);
        let rubbing = Rubbing { coefficient: &coefficient, pressure: &pressure, dt };
        self.work.act(|crowd, near| rubbing.apply(crowd, near));
    }

    /// New positions; nothing has changed in the world before.
    fn move_on(&mut self, world: &mut World<3>, span: Span, walls: &Walls<'_>) -> Result<(), StepError> {
        let mut velocity = self.work.velocity.clone();
        let mut position = world.particles.position.clone();
        let (pinned, present) = (&self.matter.pinned, &self.present);
        parallel::update(&mut position, |i, x| {
            *x += if present[i] { velocity[i] * span.dt } else { Vec3::zeros() }
        });
        if let Some(particle) = position.iter().position(|x| !x.iter().all(|c| c.is_finite())) {
            return Err(StepError::NonFinite { quantity: "position", particle });
        }
        let may_move = |i: usize| present[i] && !pinned[i];
        walls.keep_out(&world.particles.position, (&mut position, &mut velocity), may_move);
        for (i, target) in world.pinned_positions(span.time + span.dt) {
            velocity[i] = (target - world.particles.position[i]) / span.dt;
            position[i] = target;
        }
        self.state.speed = self.fastest(&velocity);
        (world.particles.position, world.particles.velocity) = (position, velocity);
        Ok(())
    }
}

impl Matter {
    fn new(world: &World<3>, settings: &SphSettings, kernel: &Kernel, solids: &Solids) -> Self {
        let p = &world.particles;
        let count = p.len();
        let own = |i: usize| (p.rest_volume[i] * kernel.value(0.0)) as f32;
        let mut matter = Self {
            body: vec![None; count],
            start: p.position.clone(),
            rest: p.position.iter().map(|x| [x.x as f32, x.y as f32, x.z as f32]).collect(),
            base: (0..count).map(own).collect(),
            viscosity: vec![-1.0; count],
            friction: vec![-1.0; count],
            pinned: vec![false; count],
            wave_rate: 0.0,
        };
        world.pins.iter().flat_map(|pin| &pin.particles).for_each(|&i| matter.pinned[i as usize] = true);
        for (i, material) in (0..count).map(|i| (i, &world.materials[usize::from(p.material[i])])) {
            match material.law {
                Some(Law::Fluid(fluid)) => matter.viscosity[i] = fluid.viscosity as f32,
                _ => matter.friction[i] = material.friction as f32,
            }
        }
        for index in 0..solids.bodies.len() {
            matter.take_rest_pose(settings, (index, solids));
        }
        for body in &world.bodies {
            let materials = body.particles.clone().map(|i| &world.materials[usize::from(p.material[i])]);
            let fastest = materials.filter(|material| !is_fluid(material)).map(|m| m.sound_speed());
            matter.wave_rate = matter.wave_rate.max(fastest.fold(0.0, f64::max) / body.spacing);
        }
        matter
    }

    /// Who is a neighbour at rest in a body.
    fn take_rest_pose(&mut self, settings: &SphSettings, (index, solids): (usize, &Solids)) {
        let body = &solids.bodies[index];
        let shape = &body.shape;
        for place in 0..shape.rest.len() {
            let i = body.particle(place);
            let rest = shape.rest.position[place];
            self.body[i] = Some(index as u32);
            self.rest[i] = [rest.x as f32, rest.y as f32, rest.z as f32];
            if settings.solid_pressure == SolidPressure::Contact {
                self.base[i] = SURFACE;
            }
        }
    }

    /// Whether elasticity looks after two particles, and the pressure does not.
    fn are_neighbours_at_rest(&self, i: usize, j: usize, support: f64) -> bool {
        if self.body[i].is_none() || self.body[i] != self.body[j] {
            return false;
        }
        let square: f32 = (0..3).map(|axis| (self.rest[i][axis] - self.rest[j][axis]).powi(2)).sum();
        let apart = SELF_CONTACT * support;
        square < (apart * apart) as f32
    }
}

/// `out[place] = value(particle at place)`.
fn gather<T: Send + Clone + Default>(out: &mut Vec<T>, order: &[u32], value: impl Fn(usize) -> T + Sync) {
    out.resize(order.len(), T::default());
    parallel::fill(out, |place| value(order[place] as usize));
}

/// `out[particle at place] = values[place]`.
fn scatter<T: Copy>(out: &mut [T], order: &[u32], values: &[T]) {
    order.iter().zip(values).for_each(|(&i, value)| out[i as usize] = *value);
}

fn lane(v: &Vec3) -> Lane {
    [v.x as f32, v.y as f32, v.z as f32, 0.0]
}

fn vector(lane: &Lane) -> Vec3 {
    Vec3::new(f64::from(lane[0]), f64::from(lane[1]), f64::from(lane[2]))
}
