//! The coupled step of solids and fluids: Algorithm 1 of Kugelstadt 2021.

use crate::fluid::Fluids;
use crate::matter::Label;
use crate::near::{Near, Rules};
use crate::pressure::{Crowd, Kind};
use crate::rigid::Motion;
use crate::settings::SolidPressure;
use crate::sixteen::WIDE;
use crate::solid::{Course, Lane};
use crate::solver::Sph;
use crate::sorting::Sorting;
use crate::walls::Walls;
use pliant_math::{Vec3, parallel};
use pliant_solver::stopwatch::Stopwatch;
use pliant_solver::{Onlooker, Span, StageEnd, StepError, StepReport};
use pliant_world::{Column, Field, Snapshot, World};

/// Scratch of a step; never saved.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) sorting: Sorting,
    pub(crate) near: Near,
    pub(crate) crowd: Crowd,
    /// Where particles of bodies lie at rest, by place.
    labels: Vec<Label>,
    /// Velocities by particle [m/s]: what single precision changes is added, so that nothing is lost where nothing acts.
    velocity: Vec<Vec3>,
    /// What the search for neighbours reads, by place and with sixteen numbers more: volume [m³], one over mass [1/kg], velocity
    /// axis by axis [m/s], and 1 for fluids and 0 for others.
    columns: [Vec<f32>; 6],
    /// Velocities by place before something changes them [m/s].
    pub(crate) before: Vec<Lane>,
    /// Positions and velocities that the world takes up when all is well.
    moved: (Vec<Vec3>, Vec<Vec3>),
    /// Time and length of the step [s].
    span: (f64, f64),
    /// Rigid bodies as they move in this step.
    pub(crate) motion: Vec<Motion>,
    /// Motions by which rigid bodies that are too dense move apart.
    pub(crate) shifts: Vec<(Vec3, Vec3)>,
    /// By what particles that are too dense move apart beside that [m/s].
    pub(crate) shift: Vec<Vec3>,
}

impl Workspace {
    /// Lets `act` change velocities in single precision.
    pub(crate) fn act<R>(&mut self, act: impl FnOnce(&mut Crowd, &Near, &Sorting) -> R) -> R {
        let Self { sorting, near, crowd, velocity, before, .. } = self;
        gather(&mut crowd.velocity, &sorting.order, |i| lane(&velocity[i]));
        before.clone_from(&crowd.velocity);
        let result = act(crowd, near, sorting);
        sorting.for_each(velocity, |v, place| *v += vector(&crowd.velocity[place]) - vector(&before[place]));
        result
    }
}

impl Sph {
    /// What gauges at the particles show [Pa], by the stress that pairs carried in the last step.
    pub(crate) fn gauges(&self, world: &World<3>) -> Vec<f32> {
        let Workspace { sorting, near, crowd, span, .. } = &self.work;
        let mut gauges = self.state.pressure.clone();
        if sorting.place.len() == gauges.len() {
            let mut pressure = Vec::new();
            gather(&mut pressure, &sorting.order, |i| self.state.pressure[i]);
            let walls = Walls::new(&world.colliders, (self.kernel, self.spacing), *span);
            let by_place = crowd.gauge((near, sorting), &walls, &pressure);
            sorting.for_each(&mut gauges, |gauge, place| *gauge = by_place[place]);
        }
        gauges
    }

    /// Algorithm 1.
    pub(crate) fn coupled_step(
        &mut self,
        world: &mut World<3>,
        span: Span,
        onlooker: &mut Onlooker<'_>,
    ) -> Result<StepReport, StepError> {
        let (mut watch, mut report) = (Stopwatch::start(), StepReport::default());
        let dt = span.dt as f32;
        self.work.span = (span.time, span.dt);
        self.work.motion.clone_from(&self.rigids.motion);
        let colliders = std::mem::take(&mut world.colliders);
        let walls = Walls::new(&colliders, (self.kernel, self.spacing), (span.time, span.dt));

        self.find_neighbours(world, span, &walls); // 1
        watch.lap("neighbours");
        self.show("neighbours", onlooker);
        self.apply_other_forces(world, span, &mut report); // 2
        watch.lap("forces");
        self.show("forces", onlooker);
        let outcome = self.apply_elasticity(world, span, &mut report); // 3 to 12
        watch.lap("elasticity");
        self.show("elasticity", onlooker);
        if outcome.is_ok() {
            self.apply_pressure(dt, &mut report); // 13
            watch.lap("pressure");
            self.show("pressure", onlooker);
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
        report.stages = watch.laps();
        Ok(report)
    }

    /// Shows velocities and densities where a stage ends; places change only with the last one.
    fn show(&self, stage: &'static str, onlooker: &mut Onlooker<'_>) {
        onlooker.see(|| {
            let density = Column::Scalar(self.state.density.clone());
            let density = Field { name: "relative_density".to_owned(), column: density };
            let velocity = pliant_solver::onlooker::vectors(Snapshot::VELOCITY, &self.work.velocity);
            StageEnd::of_particles(stage, vec![velocity, density])
        });
    }

    fn find_neighbours(&mut self, world: &World<3>, span: Span, walls: &Walls<'_>) {
        let Self { kernel, matter, work, state, settings, present, rigids, .. } = self;
        let Workspace { sorting, near, crowd, velocity, labels, columns, .. } = work;
        let particles = &world.particles;
        sorting.sort(&particles.position, kernel.support, |i| present[i]);
        let order = &sorting.order;
        velocity.clone_from(&particles.velocity);
        for (i, target) in world.pinned_positions(span.time + span.dt) {
            velocity[i] = (target - particles.position[i]) / span.dt;
        }
        gather(&mut crowd.volume, order, |i| particles.rest_volume[i] as f32);
        gather(&mut crowd.spacing, order, |i| matter.spacing[i]);
        gather(&mut crowd.base, order, |i| matter.base[i]);
        gather(&mut crowd.kind, order, |i| if matter.body[i].is_some() { Kind::Solid } else { Kind::Fluid });
        gather(&mut crowd.inverse_mass, order, |i| {
            if matter.pinned[i] { 0.0 } else { (1.0 / particles.mass[i]) as f32 }
        });
        crowd.rigids = rigids.held(&sorting.place);
        walls.feel(sorting, (&particles.position, &crowd.spacing), &mut crowd.walls);
        let fluids_only = matter.is_all_fluid();
        if !fluids_only {
            gather(labels, order, |i| matter.label(i));
        }
        let contact = settings.solid_pressure == SolidPressure::Contact;
        let related = |i: usize, j: usize| {
            !((contact || labels[i].is_rigid) && labels[i].is_near(&labels[j], kernel.support))
        };
        let mut column = |index: usize, value: &(dyn Fn(usize) -> f32 + Sync)| {
            columns[index].resize(order.len() + WIDE, 0.0);
            parallel::fill(&mut columns[index][..order.len()], value);
        };
        column(0, &|place| crowd.volume[place]);
        column(1, &|place| crowd.inverse_mass[place]);
        (0..3).for_each(|axis| column(2 + axis, &|place| velocity[order[place] as usize][axis] as f32));
        column(5, &|place| if crowd.kind[place] == Kind::Fluid { 1.0 } else { 0.0 });
        let [volume, inverse_mass, vx, vy, vz, fluid] = &*columns;
        let (velocity, related) = ([&vx[..], vy, vz], (!fluids_only).then_some(related));
        let traits = [&volume[..], inverse_mass, fluid];
        let same = same_for_all(traits, order.len());
        near.find(sorting, &Rules { kernel: *kernel, traits, same, velocity, related });
        crowd.weigh(near);
        sorting.for_each(&mut state.density, |density, place| *density = crowd.density[place]);
    }

    /// Gravity, and what fluids do beside pressure.
    fn apply_other_forces(&mut self, world: &World<3>, span: Span, report: &mut StepReport) {
        let Self { work, matter, settings, state, kernel, present, rigids, .. } = self;
        let particles = &world.particles;
        parallel::update(&mut work.velocity, |i, v| {
            if present[i] && !matter.pinned[i] {
                *v += world.acceleration_at(&particles.position[i], particles.body[i], span.time) * span.dt;
            }
        });
        rigids.absorb(&mut work.motion, &mut work.velocity);
        if matter.viscosity.iter().all(|&viscosity| viscosity < 0.0) {
            return;
        }
        let (mut viscosity, mut spin) = (Vec::new(), Vec::new());
        gather(&mut viscosity, &work.sorting.order, |i| matter.viscosity[i]);
        gather(&mut spin, &work.sorting.order, |i| state.spin[i]);
        let mut fluids = Fluids { viscosity, kernel: *kernel, dt: span.dt as f32 };
        let mut pressure = Vec::new();
        gather(&mut pressure, &work.sorting.order, |i| state.pressure[i]);
        report.iterations += work.act(|crowd, near, sorting| {
            fluids.calm(crowd, near, (settings.artificial_viscosity as f32, &pressure));
            fluids.contract(crowd, (near, sorting), settings.surface_tension as f32);
            fluids.spin(crowd, near, settings.vorticity as f32, &mut spin);
            fluids.diffuse(crowd, near, (settings.tolerance, settings.max_iterations))
        });
        work.sorting.for_each(&mut state.spin, |value, place| *value = spin[place]);
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
        let course = Course {
            position: &world.particles.position,
            before: &world.particles.velocity,
            velocity,
            ratio: self.settings.elastic_step / span.dt,
        };
        let (solves, iterations) =
            self.solids.accelerate(&course, (&self.settings, gravity), &mut acceleration)?;
        report.solves += solves;
        report.iterations += iterations;
        parallel::update(velocity, |i, v| *v += acceleration[i] * span.dt);
        Ok(())
    }

    /// New positions; nothing has changed in the world before.
    fn move_on(&mut self, world: &mut World<3>, span: Span, walls: &Walls<'_>) -> Result<(), StepError> {
        let (mut position, mut velocity) = std::mem::take(&mut self.work.moved);
        position.clone_from(&world.particles.position);
        velocity.clone_from(&self.work.velocity);
        let (matter, present, shift) = (&self.matter, &self.present, &self.work.shift);
        parallel::update(&mut position, |i, x| {
            *x += if present[i] { (velocity[i] + shift[i]) * span.dt } else { Vec3::zeros() }
        });
        let there: Vec<bool> = self.rigids.particles().map(|range| present[range.start]).collect();
        let motion = &mut self.work.motion;
        self.rigids.advance(motion, (&self.work.shifts, &there), span.dt);
        self.rigids.place(motion, (&mut position, &mut velocity));
        if let Some(particle) = position.iter().position(|x| !x.iter().all(|c| c.is_finite())) {
            return Err(StepError::NonFinite { quantity: "position", particle });
        }
        let may_move = |i: usize| present[i] && !matter.pinned[i] && !matter.rigid[i];
        let (place, felt) = (&self.work.sorting.place, &self.work.crowd.walls);
        let clearance = |i: usize| f64::from(felt[place[i] as usize].clearance);
        walls.keep_out(&world.particles.position, (&mut position, &mut velocity), (may_move, clearance));
        for (i, target) in world.pinned_positions(span.time + span.dt) {
            velocity[i] = (target - world.particles.position[i]) / span.dt;
            position[i] = target;
        }
        self.rigids.motion.clone_from(&self.work.motion);
        self.state.speed = self.fastest(&velocity);
        let particles = &mut world.particles;
        self.work.moved = (
            std::mem::replace(&mut particles.position, position),
            std::mem::replace(&mut particles.velocity, velocity),
        );
        Ok(())
    }
}

/// `out[place] = value(particle at place)`.
pub(crate) fn gather<T: Send + Clone + Default>(
    out: &mut Vec<T>,
    order: &[u32],
    value: impl Fn(usize) -> T + Sync,
) {
    out.resize(order.len(), T::default());
    parallel::fill(out, |place| value(order[place] as usize));
}

/// The values of columns that have one value each.
fn same_for_all<const N: usize>(columns: [&[f32]; N], count: usize) -> Option<[f32; N]> {
    let first = columns.map(|column| column[0]);
    let is_same = |(column, first): (&[f32], f32)| column[..count].iter().all(|&value| value == first);
    columns.into_iter().zip(first).all(is_same).then_some(first)
}

fn lane(v: &Vec3) -> Lane {
    [v.x as f32, v.y as f32, v.z as f32, 0.0]
}

pub(crate) fn vector(lane: &Lane) -> Vec3 {
    Vec3::new(f64::from(lane[0]), f64::from(lane[1]), f64::from(lane[2]))
}
