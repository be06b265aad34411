//! One elastic body: what it remembers, and its share of Algorithm 1.

use super::dilation::Dilation;
use super::gradients::Workspace;
use super::lanes::{Lane, wide_vector};
use super::shape::Shape;
use super::strain::Strain;
use super::turns;
use crate::settings::{Elasticity, SphSettings, ZeroEnergy};
use nalgebra::{Matrix3, UnitQuaternion};
use pliant_material::History;
use pliant_math::{Vec3, parallel};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a body remembers from step to step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// Quaternions, `w` last.
    pub rotation: Vec<Lane>,
    /// `Δv*` of the last step, from which the next solve of the split as printed starts [m/s].
    pub change: Vec<Lane>,
    /// Stretch at which each particle has no stress: what plastic flow has left; empty for elastic bodies.
    pub relaxed: Vec<Matrix3<f64>>,
    pub history: Vec<History>,
    /// Plastic strain since the rest pose was taken.
    pub since_base: Vec<f64>,
    /// The rest pose that replaced the first one, in the order of the body, and volumes; empty for the first one.
    pub base: Vec<(Vec3, f64)>,
}

impl State {
    /// At rest, turned from the rest pose by `rotation`.
    pub fn new(count: usize, rotation: UnitQuaternion<f64>, plastic: bool) -> Self {
        let flowing = if plastic { count } else { 0 };
        Self {
            rotation: vec![turns::stored(&rotation); count],
            change: vec![[0.0; 4]; count],
            relaxed: vec![Matrix3::identity(); flowing],
            history: vec![History::default(); flowing],
            since_base: vec![0.0; flowing],
            base: Vec::new(),
        }
    }

    pub fn target(&self) -> Option<&[Matrix3<f64>]> {
        (!self.relaxed.is_empty()).then_some(&self.relaxed[..])
    }
}

/// A rigid motion.
#[derive(Debug, Default)]
struct Drift {
    speed: Vec3,
    turn: Vec3,
    center: Vec3,
}

/// Where particles are and how they move, by index in the world.
#[derive(Clone, Copy)]
pub(crate) struct Course<'a> {
    pub position: &'a [Vec3],
    /// Velocities at the start of the step [m/s].
    pub before: &'a [Vec3],
    /// Velocities after all forces but elasticity and pressure [m/s].
    pub velocity: &'a [Vec3],
    /// The step of elasticity over the step there is.
    pub ratio: f64,
}

/// A body in the world.
#[derive(Debug)]
pub(crate) struct Body {
    /// Its first particle in the world.
    pub first: usize,
    pub shape: Arc<Shape>,
    pub state: State,
    /// Whether it has appeared.
    pub is_present: bool,
    pub(super) strain: Strain,
    pub(super) dilation: Dilation,
    pub(super) cg: Workspace,
    /// `q_i`: how strongly each particle resists a change of volume [Pa m³].
    pub(super) resistance: Vec<f32>,
    /// Predicted positions, in the order of the rest pose [m].
    pub(super) predicted: Vec<Vec3>,
    /// What other forces do to velocities in a step of elasticity [m/s].
    pub(super) push: Vec<Lane>,
    /// Right-hand side, then change of velocity.
    pub side: Vec<Lane>,
}

impl Body {
    pub fn new(first: usize, shape: Arc<Shape>, state: State) -> Self {
        Self {
            first,
            shape,
            state,
            is_present: true,
            strain: Strain::default(),
            dilation: Dilation::default(),
            cg: Workspace::default(),
            resistance: Vec::new(),
            predicted: Vec::new(),
            push: Vec::new(),
            side: Vec::new(),
        }
    }

    /// Index in the world of the particle at each place of the rest pose.
    pub fn particle(&self, place: usize) -> usize {
        self.first + self.shape.rest.order[place] as usize
    }

    /// Lines 3 and 4 of Algorithm 1, and the right-hand side of Eq. 29.
    pub fn predict(&mut self, course: &Course<'_>, settings: &SphSettings) {
        let dt = settings.elastic_step;
        let mut predicted = std::mem::take(&mut self.predicted);
        predicted.resize(self.shape.rest.len(), Vec3::zeros());
        parallel::fill(&mut predicted, |place| {
            let i = self.particle(place);
            course.position[i] + course.velocity[i] * dt
        });
        self.predicted = predicted;
        self.strain.measure(&self.shape.rest, &self.predicted, &mut self.state.rotation);
        self.resist();
        if settings.elasticity == Elasticity::Split {
            self.resistance.fill(0.0);
        }
        self.pull(settings);
        let Self { shape, side, .. } = self;
        parallel::update(side, |place, side| {
            let keep = if shape.pinned[place] { 0.0 } else { dt as f32 };
            side.iter_mut().for_each(|value| *value *= keep);
        });
    }

    /// Elastic forces at the measured positions, in `side` [N].
    pub(super) fn pull(&mut self, settings: &SphSettings) {
        let Self { shape, strain, state, side, resistance, .. } = self;
        side.resize(shape.rest.len(), [0.0; 4]);
        strain.forces(&shape.rest, &shape.moduli, state.target(), resistance, side);
        if let ZeroEnergy::Explicit(strength) = settings.zero_energy {
            self.add_explicit_penalty(strength);
        }
    }

    /// Resistances at the measured positions.
    pub(super) fn resist(&mut self) {
        let Self { shape, strain, state, resistance, .. } = self;
        resistance.resize(shape.rest.len(), 0.0);
        let stiffness = &shape.resistance.stiffness;
        parallel::fill(resistance, |i| stiffness[i] * strain.dilation(&shape.rest, state.target(), i));
    }

    /// Lines 10 and 11: adds the change of velocity, as an acceleration. A free body cannot push or turn itself: what
    /// rounding, and rotations that the linear systems hold fixed, did to its momentum and spin is taken back.
    pub fn share_change(&self, x: &[Vec3], dt: f64, acceleration: &mut [Vec3]) {
        let free = !self.shape.pinned.iter().any(|&pinned| pinned);
        let drift = if free { self.drift(x) } else { Drift::default() };
        for (place, side) in self.side.iter().enumerate() {
            let i = self.particle(place);
            let drift = drift.speed + drift.turn.cross(&(x[i] - drift.center));
            acceleration[i] += (wide_vector(side) - drift) / dt;
        }
    }

    /// The rigid motion that has the momentum and the spin of the change of velocity. Particles move along their new
    /// velocities, so a step keeps the spin of a body if the change has none about the positions before it.
    fn drift(&self, x: &[Vec3]) -> Drift {
        let here = |place: usize| x[self.particle(place)];
        let each = || self.side.iter().map(wide_vector).zip(&self.shape.mass).zip((0..).map(here));
        let (mut mass, mut momentum, mut center) = (0.0, Vec3::zeros(), Vec3::zeros());
        for ((change, &m), x) in each() {
            (mass, momentum, center) = (mass + m, momentum + change * m, center + x * m);
        }
        let (speed, center) = (momentum / mass, center / mass);
        let (mut spin, mut inertia) = (Vec3::zeros(), Matrix3::zeros());
        for ((change, &m), x) in each() {
            let arm = x - center;
            spin += arm.cross(&(change - speed)) * m;
            inertia += (Matrix3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose()) * m;
        }
        // Particles in a line have no inertia about it.
        let thick = inertia.determinant() > 1e-9 * (inertia.trace() / 3.0).powi(3);
        let turn = inertia.try_inverse().filter(|_| thick).map_or_else(Vec3::zeros, |inverse| inverse * spin);
        Drift { speed, turn, center }
    }

    /// Deformation at given positions of the world, for observers and for plastic flow; and those positions in the order
    /// of the rest pose.
    pub fn strain_at(&self, x: &[Vec3]) -> (Strain, Vec<Vec3>) {
        let mut here = vec![Vec3::zeros(); self.shape.rest.len()];
        parallel::fill(&mut here, |place| x[self.particle(place)]);
        let mut strain = Strain::default();
        strain.measure(&self.shape.rest, &here, &mut self.state.rotation.clone());
        (strain, here)
    }

    /// Elastic energy at given positions, and that of the zero-energy term [J].
    pub fn energy_at(&self, x: &[Vec3]) -> (f64, f64) {
        let (strain, here) = self.strain_at(x);
        strain.energy((&self.shape.rest, &here), &self.shape.moduli, self.state.target())
    }
}
