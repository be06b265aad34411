//! The solver: what it knows, what it remembers, and what it answers.

use crate::kernel::Kernel;
use crate::matter::Matter;
use crate::rigid::{Motion, Rigids};
use crate::settings::{Elasticity, SphSettings};
use crate::solid::{Lane, Solids, State as BodyState};
use crate::step::Workspace;
use pliant_math::{Vec3, parallel};
use pliant_solver::{Onlooker, RestoreError, Solver, Span, StepError, StepReport};
use pliant_world::{Field, World};
use serde::{Deserialize, Serialize};

/// Share of the time a pressure wave takes across a spacing that an explicit elastic step may last.
const EXPLICIT_COURANT: f64 = 0.2;

/// The solver.
#[derive(Debug)]
pub struct Sph {
    pub(crate) settings: SphSettings,
    pub(crate) kernel: Kernel,
    /// Smallest spacing [m].
    pub(crate) spacing: f64,
    pub(crate) matter: Matter,
    pub(crate) solids: Solids,
    pub(crate) rigids: Rigids,
    /// Which particles have appeared.
    pub(crate) present: Vec<bool>,
    pub(crate) state: State,
    pub(crate) work: Workspace,
}

/// What is remembered from step to step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// Pressures of the last divergence solve [Pa], by particle.
    pub(crate) pressure: Vec<f32>,
    /// The same of the density solve, which only moves particles apart.
    pub(crate) crowding: Vec<f32>,
    /// Spin of micropolar fluid particles [1/s].
    pub(crate) spin: Vec<Lane>,
    /// Density relative to that at rest.
    pub(crate) density: Vec<f32>,
    /// Fastest particle [m/s].
    pub(crate) speed: f64,
    /// Until when particles that appear have been taken up [s].
    pub(crate) admitted: f64,
}

impl Solver<3> for Sph {
    fn step_seen(
        &mut self,
        world: &mut World<3>,
        span: Span,
        onlooker: &mut Onlooker<'_>,
    ) -> Result<StepReport, StepError> {
        if !world.particles.birth.is_empty() {
            self.see_present(world, span.time);
        }
        let remembered = self.solids.states();
        let outcome = self.coupled_step(world, span, onlooker);
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
        let firsts: Vec<usize> = self.rigids.particles().map(|range| range.start).collect();
        for (index, i) in firsts.into_iter().enumerate() {
            if p.is_present(i, time) && !p.is_present(i, self.state.admitted) {
                self.rigids.appear(index, p.position[i]);
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
        postcard::to_stdvec(&(&self.state, self.solids.states(), &self.rigids.motion))
            .expect("writing to memory cannot fail")
    }

    fn restore(&mut self, world: &World<3>, bytes: &[u8]) -> Result<(), RestoreError> {
        let (state, bodies, motion): (State, Vec<BodyState>, Vec<Motion>) =
            postcard::from_bytes(bytes).map_err(|error| RestoreError(error.to_string()))?;
        if state.pressure.len() != world.particles.len() || motion.len() != self.rigids.motion.len() {
            return Err(RestoreError("it has another number of particles".to_owned()));
        }
        self.solids.restore(bodies, world, &self.settings).map_err(RestoreError)?;
        for index in 0..self.solids.bodies.len() {
            self.matter.take_rest_pose(&self.settings, (index, &self.solids));
        }
        (self.state, self.rigids.motion) = (state, motion);
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
            crowding: vec![0.0; count],
            spin: vec![[0.0; 4]; count],
            density: vec![1.0; count],
            speed: 0.0,
            admitted: 0.0,
        };
        let work = Workspace::default();
        let rigids = Rigids::new(world);
        let present = Vec::new();
        let mut solver = Self { settings, kernel, spacing, matter, solids, rigids, present, state, work };
        solver.see_present(world, 0.0);
        solver.state.speed = solver.fastest(&world.particles.velocity);
        solver
    }

    /// Numbers that the factors of all bodies hold.
    pub fn factor_entries(&self) -> usize {
        self.solids.factor_entries()
    }

    /// Notes who is there at a time [s]. A body is there when all of it is.
    fn see_present(&mut self, world: &World<3>, time: f64) {
        self.present = (0..world.particles.len()).map(|i| world.particles.is_present(i, time)).collect();
        for body in &mut self.solids.bodies {
            body.is_present = self.present[body.first];
        }
    }

    pub(crate) fn fastest(&self, velocities: &[Vec3]) -> f64 {
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

    /// Positions at the start [m].
    pub(crate) fn rest_position(&self) -> &[Vec3] {
        &self.matter.start
    }
}
