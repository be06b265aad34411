//! The point-based method for elastoplastic solids of Gerszewski, Bhattacharya and Bargteil 2009, the baseline
//! that Zhou 2013 compares with: explicit, and without a rest pose.
//!
//! Neighbours are searched in the world in every sub-step, and each particle multiplies up what they did since
//! the one before. Motion that the fit does not see is forgotten, so an elastic body does not return to its
//! shape: that is the method, not a defect of this code.

mod deformation;
mod forces;
mod neighbourhoods;
mod settings;
mod state;
#[cfg(test)]
mod tests;

pub use settings::{Gbb2009Settings, Neighbours};

use crate::explicit::{Impact, count_substeps};
use crate::zhou2013::contact::{Detector, Positions};
use forces::Local;
use neighbourhoods::Neighbourhoods;
use pliant_material::elastic::LinearCorotated;
use pliant_material::{Lame, Plastic};
use pliant_math::{Principal, Vect, determinant, parallel, principal};
use pliant_solver::columns::Columns;
use pliant_solver::stopwatch::Stopwatch;
use pliant_solver::{Onlooker, RestoreError, Solver, Span, StepError, StepReport};
use pliant_world::{Field, World};
use state::State;

/// The solver: what it remembers of a world, and scratch.
#[derive(Debug)]
pub struct Gbb2009<const D: usize> {
    settings: Gbb2009Settings,
    longest_substep: f64,
    matter: Vec<Matter>,
    /// 1/mass, zero for pinned particles [1/kg].
    inverse_mass: Vec<f64>,
    /// `n⁰`: how crowded each particle was at the start.
    rest_crowding: Vec<f64>,
    rest_position: Vec<Vect<D>>,
    detector: Detector,
    state: State<D>,
    work: Workspace<D>,
}

/// What a particle's matter is, fixed for the run.
#[derive(Clone, Copy, Debug)]
struct Matter {
    lame: Lame,
    plastic: Option<Plastic>,
    rest_volume: f64,
}

/// Scratch of a sub-step; never saved.
#[derive(Debug, Default)]
struct Workspace<const D: usize> {
    neighbourhoods: Neighbourhoods<D>,
    locals: Vec<Local<D>>,
}

/// What a step changes, apart from the world until it is accepted.
struct Draft<const D: usize> {
    position: Vec<Vect<D>>,
    velocity: Vec<Vect<D>>,
    state: State<D>,
}

impl<const D: usize> Solver<D> for Gbb2009<D> {
    /// As many explicit sub-steps as stability asks for.
    fn step_seen(
        &mut self,
        world: &mut World<D>,
        span: Span,
        _onlooker: &mut Onlooker<'_>,
    ) -> Result<StepReport, StepError> {
        let mut watch = Stopwatch::start();
        let mut report = StepReport::default();
        let count = count_substeps(span.dt, self.longest_substep)?;
        let dt = span.dt / f64::from(count);
        let mut draft = Draft {
            position: world.particles.position.clone(),
            velocity: world.particles.velocity.clone(),
            state: self.state.clone(),
        };
        let mut work = std::mem::take(&mut self.work);
        let outcome = (0..count).try_for_each(|k| {
            let part = Span { time: span.time + f64::from(k) * dt, dt, care: span.care };
            self.substep(world, part, &mut draft, &mut work, (&mut watch, &mut report))
        });
        self.work = work;
        outcome?;
        (world.particles.position, world.particles.velocity) = (draft.position, draft.velocity);
        self.state = draft.state;
        report.stages = watch.laps();
        Ok(report)
    }

    fn elastic_energy(&self, _world: &World<D>) -> f64 {
        let elastic = &self.state.elastic;
        parallel::sum(elastic.len(), 0.0, |i| {
            let Matter { lame, rest_volume, .. } = self.matter[i];
            rest_volume * LinearCorotated(lame).energy(&principal(&elastic[i]).sigma)
        })
    }

    fn volume(&self, _world: &World<D>) -> f64 {
        let elastic = &self.state.elastic;
        parallel::sum(elastic.len(), 0.0, |i| self.matter[i].rest_volume * determinant(&elastic[i]))
    }

    fn fields(&self, world: &World<D>) -> Vec<Field> {
        let mut near = Neighbourhoods::default();
        near.search(world, &world.particles.position, self.settings.neighbours);
        let deformation: Vec<Principal<D>> = self.state.elastic.iter().map(principal).collect();
        let indices = 0..deformation.len();
        Columns {
            rest_position: &self.rest_position,
            deformation,
            lame: self.matter.iter().map(|matter| matter.lame).collect(),
            plastic_strain: &self.state.plastic_strain,
            neighbour_count: indices.map(|i| near.row(i).len() as u32).collect(),
        }
        .fields()
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).expect("writing to memory cannot fail")
    }

    fn restore(&mut self, world: &World<D>, bytes: &[u8]) -> Result<(), RestoreError> {
        self.state = State::from_bytes(bytes, world.particles.len())?;
        Ok(())
    }

    fn warnings(&self) -> Vec<String> {
        let flat = self.work.locals.iter().filter(|local| local.covered.is_some()).count();
        let note = format!(
            "degenerate neighbourhoods: {flat} particles have co-planar, co-linear or no neighbours; thin parts \
             there have no bending stiffness, use a smaller spacing"
        );
        if flat > 0 { vec![note] } else { Vec::new() }
    }
}

impl<const D: usize> Gbb2009<D> {
    /// One explicit sub-step, symplectic Euler (Gerszewski 2009; Zhou 2013 §2 and Eq. 10–13).
    fn substep(
        &self,
        world: &World<D>,
        span: Span,
        draft: &mut Draft<D>,
        work: &mut Workspace<D>,
        (watch, report): (&mut Stopwatch, &mut StepReport),
    ) -> Result<(), StepError> {
        let Workspace { neighbourhoods, locals } = work;
        let Draft { position, velocity, state } = draft;
        neighbourhoods.search(world, position, self.settings.neighbours); // in the world as it is
        watch.lap("neighbours");
        self.stress_particles(neighbourhoods, &state.elastic, locals); // Eq. 5, 7: fit and stress
        let times = (span.time, span.dt);
        let predicted = self.accelerate(world, neighbourhoods, locals, (position, velocity), times); // Eq. 8, 10
        watch.lap("forces");
        let after = self.collide(world, span, (neighbourhoods, state), (position, velocity), predicted)?;
        watch.lap("contact");
        let travel = self.travel(world, span, position, &after);
        self.deform(neighbourhoods, locals, &travel, &mut state.elastic)?; // F ← G F
        report.yielding = self.split_plastic_flow(state, span.dt); // Eq. 12–13
        parallel::update(position, |i, position| *position += travel[i]); // Eq. 11
        *velocity = after;
        report.contacts = state.history.len();
        watch.lap("deformation");
        Ok(())
    }

    /// Velocities after contacts have acted on the predicted ones.
    fn collide(
        &self,
        world: &World<D>,
        span: Span,
        (neighbourhoods, state): (&Neighbourhoods<D>, &mut State<D>),
        (position, before): (&[Vect<D>], &[Vect<D>]),
        mut predicted: Vec<Vect<D>>,
    ) -> Result<Vec<Vect<D>>, StepError> {
        let mut now = self.travel(world, span, position, &predicted);
        if let Some(particle) = now.iter().position(|u| !u.iter().all(|component| component.is_finite())) {
            return Err(StepError::NonFinite { quantity: "velocity", particle });
        }
        for i in world.pins.iter().flat_map(|pin| &pin.particles).map(|&i| i as usize) {
            predicted[i] = now[i] / span.dt;
        }
        parallel::update(&mut now, |i, now| *now += position[i]);
        let positions = Positions { start: position, now: &now };
        let near = self.detector.broad_phase(world, neighbourhoods, positions, span)?;
        let touches = self.detector.touches(world, &state.history, &near, positions);
        let (dt, inverse_mass) = (span.dt, &self.inverse_mass);
        let after = Impact { dt, inverse_mass, before, predicted: &predicted }.resolve(&touches);
        state.history.remember(&touches);
        Ok(after)
    }

    /// How far each particle moves in the sub-step; pinned ones go where their pin says [m].
    fn travel(
        &self,
        world: &World<D>,
        span: Span,
        position: &[Vect<D>],
        velocity: &[Vect<D>],
    ) -> Vec<Vect<D>> {
        let mut travel = vec![Vect::zeros(); velocity.len()];
        parallel::fill(&mut travel, |i| velocity[i] * span.dt);
        for (i, target) in world.pinned_positions(span.time + span.dt) {
            travel[i] = target - position[i];
        }
        travel
    }
}
