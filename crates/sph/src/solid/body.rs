//! One elastic body: its shape at rest, what it remembers, and its share of Algorithm 1.

use super::dilation::{Diagonal, Dilation, DilationSystem};
use super::gradients::{Excess, Lane, Stop, Workspace, dot, turn};
use super::matrix::Coefficients;
use super::rest::Rest;
use super::strain::{Moduli, Strain};
use super::system::{Plain, StretchSystem, System};
use crate::settings::{Elasticity, SphSettings, ZeroEnergy};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use pliant_material::{History, Material};
use pliant_math::{Vec3, parallel};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What copies of a body share.
#[derive(Debug)]
pub(crate) struct Shape {
    pub rest: Rest,
    pub moduli: Moduli,
    pub mass: Vec<f64>,
    mass_single: Vec<f32>,
    pub pinned: Vec<bool>,
    /// None if it is not needed, or if the matrix is not positive definite.
    pub system: Option<System>,
}

impl Shape {
    pub fn new(
        rest: Rest,
        (mass, moduli): (Vec<f64>, Moduli),
        pinned: Vec<bool>,
        settings: &SphSettings,
    ) -> Self {
        let implicit =
            !matches!(settings.elasticity, Elasticity::Peer2018 | Elasticity::Becker2009) && rest.len() > 0;
        let system = implicit.then(|| {
            let with = Coefficients {
                mass: &mass,
                shear: &moduli.shear,
                zero_energy: moduli.zero_energy,
                dt: settings.elastic_step,
                pinned: &pinned,
            };
            System::new(&rest, &with)
        });
        let mass_single = mass.iter().map(|&mass| mass as f32).collect();
        Self { rest, moduli, mass, mass_single, pinned, system: system.flatten() }
    }

    /// The system of stretch and zero-energy terms, to be applied.
    pub fn stretch(&self) -> StretchSystem<'_> {
        let Self { rest, moduli, mass_single, pinned, .. } = self;
        StretchSystem { rest, moduli, mass: mass_single, pinned, dt_squared: 0.0, turn: None }
    }
}

/// What a body remembers from step to step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    pub rotation: Vec<UnitQuaternion<f64>>,
    /// `q_i`: how strongly each particle resisted a change of volume in the last step [Pa m³].
    resistance: Vec<f32>,
    /// `Δv*` of the last step, from which the next solve starts [m/s].
    change: Vec<Lane>,
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
            rotation: vec![rotation; count],
            resistance: vec![0.0; count],
            change: vec![[0.0; 4]; count],
            relaxed: vec![Matrix3::identity(); flowing],
            history: vec![History::default(); flowing],
            since_base: vec![0.0; flowing],
            base: Vec::new(),
        }
    }

    fn target(&self) -> Option<&[Matrix3<f64>]> {
        (!self.relaxed.is_empty()).then_some(&self.relaxed[..])
    }
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
    strain: Strain,
    dilation: Dilation,
    cg: Workspace,
    /// Predicted positions, in the order of the rest pose [m].
    predicted: Vec<Vec3>,
    /// Right-hand side, then change of velocity.
    pub side: Vec<Lane>,
}

/// What the elastic step needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub dt: f64,
    pub tolerance: f64,
    pub max_iterations: usize,
    /// Acceleration that matters to the stopping rules [m/s²].
    pub acceleration: f64,
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
            predicted: Vec::new(),
            side: Vec::new(),
        }
    }

    /// Index in the world of the particle at each place of the rest pose.
    pub fn particle(&self, place: usize) -> usize {
        self.first + self.shape.rest.order[place] as usize
    }

    /// Lines 3 and 4 of Algorithm 1, and the right-hand side of Eq. 29.
    pub fn predict(&mut self, x: &[Vec3], v: &[Vec3], settings: &SphSettings) {
        let dt = settings.elastic_step;
        let count = self.shape.rest.len();
        let mut predicted = std::mem::take(&mut self.predicted);
        predicted.resize(count, Vec3::zeros());
        parallel::fill(&mut predicted, |place| {
            let i = self.particle(place);
            x[i] + v[i] * dt
        });
        self.predicted = predicted;
        self.measure();
        let mut side = std::mem::take(&mut self.side);
        side.resize(count, [0.0; 4]);
        match settings.elasticity {
            Elasticity::Split => self.forces(false, &mut side),
            Elasticity::Corrected => self.forces(true, &mut side),
            Elasticity::Unsplit | Elasticity::Peer2018 | Elasticity::Becker2009 => {
                self.resist();
                self.forces(true, &mut side);
            }
        }
        if let ZeroEnergy::Explicit(strength) = settings.zero_energy {
            self.add_explicit_penalty(strength, &mut side);
        }
        parallel::update(&mut side, |place, side| {
            let keep = if self.shape.pinned[place] { 0.0 } else { dt as f32 };
            side.iter_mut().for_each(|value| *value *= keep);
        });
        self.side = side;
    }

    /// Deformation and rotations at the predicted positions.
    fn measure(&mut self) {
        self.strain.measure(&self.shape.rest, &self.predicted, &mut self.state.rotation);
    }

    /// Resistances at the predicted positions.
    fn resist(&mut self) {
        let shape = Arc::clone(&self.shape);
        self.dilation.update(&shape.rest, &self.strain, &shape.moduli.dilation);
        let mut resistance = std::mem::take(&mut self.state.resistance);
        self.dilation.resist(&shape.rest, &self.predicted, self.state.target(), &mut resistance);
        self.state.resistance = resistance;
    }

    fn forces(&mut self, with_volume: bool, out: &mut [Lane]) {
        if !with_volume {
            self.state.resistance.fill(0.0);
        }
        let place = (&self.shape.rest, &self.predicted[..]);
        let target = self.state.target();
        self.strain.forces(place, &self.shape.moduli, target, &self.state.resistance, out);
    }

    /// Lines 6 to 9 of Algorithm 1: adds `Δv*` to the change of velocity `Δv` in `side`; returns the iterations.
    pub fn keep_volume(&mut self, x: &[Vec3], v: &[Vec3], effort: &Effort) -> Result<usize, Excess> {
        let shape = Arc::clone(&self.shape);
        let rest = &shape.rest;
        let mut predicted = std::mem::take(&mut self.predicted);
        parallel::fill(&mut predicted, |place| {
            let i = self.particle(place);
            x[i] + (v[i] + lane_to_vector(&self.side[place])) * effort.dt
        });
        self.predicted = predicted;
        // The first system already had the resistances of the last step, turned with the body.
        let before = self.state.resistance.clone();
        let mut old = vec![[0.0; 4]; rest.len()];
        if before.iter().any(|&q| q != 0.0) {
            self.dilation.update(rest, &self.strain, &shape.moduli.dilation);
            self.dilation.add_forces(rest, &before, &mut old);
        }
        self.measure();
        self.resist();
        let mut residual = vec![[0.0; 4]; rest.len()];
        self.dilation.add_forces(rest, &self.state.resistance, &mut residual);
        let dt = effort.dt as f32;
        parallel::update(&mut residual, |i, residual| {
            for axis in 0..3 {
                residual[axis] = if shape.pinned[i] { 0.0 } else { dt * (residual[axis] - old[i][axis]) };
            }
        });
        let mut system = DilationSystem {
            rest,
            dilation: &mut self.dilation,
            mass: &shape.mass_single,
            pinned: &shape.pinned,
            dt_squared: dt * dt,
        };
        let stop = effort.stop(&shape, &residual);
        let mut diagonal = Diagonal::of(&system);
        let change = &mut self.state.change;
        change_residual(&mut system, change, &mut residual);
        let iterations = self.cg.solve(&mut system, &mut diagonal, &mut residual, change, stop)?;
        parallel::update(&mut self.side, |i, side| {
            for axis in 0..3 {
                side[axis] += change[i][axis];
            }
        });
        self.remember_resistance(effort.dt);
        Ok(iterations)
    }

    /// The resistances at the end of the step, where the solve leads.
    fn remember_resistance(&mut self, dt: f64) {
        let change = &self.state.change;
        parallel::update(&mut self.predicted, |i, x| *x += lane_to_vector(&change[i]) * dt);
        let mut resistance = std::mem::take(&mut self.state.resistance);
        self.dilation.resist(&self.shape.rest, &self.predicted, self.state.target(), &mut resistance);
        self.state.resistance = resistance;
    }

    /// The whole system by conjugate gradients with the factor of its larger part as preconditioner. With `z = A_s⁻¹ r`
    /// the product `A_s p` follows from `r` by the same recurrence as `p` from `z`, so the stretch is never applied.
    pub fn solve_unsplit(&mut self, effort: &Effort) -> Result<usize, Excess> {
        let shape = Arc::clone(&self.shape);
        let rest = &shape.rest;
        let system = shape.system.as_ref().ok_or(Excess { iterations: 0, ratio: f64::INFINITY })?;
        let (count, dt) = (rest.len(), effort.dt as f32);
        let massless = vec![0.0; count];
        let mut volume = DilationSystem {
            rest,
            dilation: &mut self.dilation,
            mass: &massless,
            pinned: &shape.pinned,
            dt_squared: dt * dt,
        };
        let mut stretch = StretchSystem { dt_squared: dt * dt, ..shape.stretch() };
        let mut residual = std::mem::take(&mut self.side);
        let stop = effort.stop(&shape, &residual);
        let mut x = vec![[0.0; 4]; count];
        let (mut image, mut stretched) = (vec![[0.0; 4]; count], residual.clone());
        let mut descent = residual.clone();
        system.precondition(&mut [&mut descent]);
        let mut direction = descent.clone();
        let mut slope = dot(&residual, &descent);
        let mut iterations = 0;
        let mut norm = dot(&residual, &residual).sqrt();
        while norm > stop.residual {
            if iterations == stop.max_iterations || norm.is_nan() {
                return Err(Excess { iterations, ratio: norm / stop.residual });
            }
            iterations += 1;
            if !system.is_direct() {
                super::gradients::Operator::apply(&mut stretch, &direction, &mut stretched);
            }
            super::gradients::Operator::apply(&mut volume, &direction, &mut image);
            parallel::update(&mut image, |i, image| {
                for axis in 0..3 {
                    // An equation that was removed is already in the constant matrix.
                    let volume = if shape.pinned[i] { 0.0 } else { image[axis] };
                    image[axis] = stretched[i][axis] + volume;
                }
            });
            let step = (slope / dot(&direction, &image)) as f32;
            if !step.is_finite() {
                break;
            }
            parallel::update_pair(&mut x, &mut residual, |i, x, residual| {
                for axis in 0..3 {
                    x[axis] += step * direction[i][axis];
                    residual[axis] -= step * image[i][axis];
                }
            });
            descent.copy_from_slice(&residual);
            system.precondition(&mut [&mut descent]);
            let before = std::mem::replace(&mut slope, dot(&residual, &descent));
            norm = dot(&residual, &residual).sqrt();
            let ratio = (slope / before) as f32;
            turn(&mut direction, &descent, ratio);
            turn(&mut stretched, &residual, ratio);
        }
        self.side = x;
        Ok(iterations)
    }

    /// The whole system by plain conjugate gradients (Peer 2018).
    pub fn solve_peer(&mut self, effort: &Effort) -> Result<usize, Excess> {
        let shape = Arc::clone(&self.shape);
        let moduli = Moduli { zero_energy: 0.0, ..shape.moduli.clone() };
        let mut system = StretchSystem {
            rest: &shape.rest,
            moduli: &moduli,
            mass: &shape.mass_single,
            pinned: &shape.pinned,
            dt_squared: (effort.dt * effort.dt) as f32,
            turn: Some(&self.strain.turn),
        };
        let mut residual = std::mem::take(&mut self.side);
        let stop = effort.stop(&shape, &residual);
        let mut change = vec![[0.0; 4]; residual.len()];
        let iterations = self.cg.solve(&mut system, &mut Plain, &mut residual, &mut change, stop)?;
        self.side = change;
        Ok(iterations)
    }

    /// The explicit forces at the positions, over the masses (Becker 2009).
    pub fn solve_explicit(&mut self) {
        let mass = &self.shape.mass_single;
        parallel::update(&mut self.side, |i, side| side.iter_mut().for_each(|value| *value /= mass[i]));
    }

    /// The forces of Ganzenmüller 2015 against zero-energy modes, along the lines between particles [N].
    fn add_explicit_penalty(&self, strength: f64, out: &mut [Lane]) {
        let (rest, moduli, x) = (&self.shape.rest, &self.shape.moduli, &self.predicted);
        let young = |i: usize| {
            let (mu, lambda) = (moduli.shear[i], moduli.dilation[i]);
            mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu)
        };
        parallel::update(out, |i, out| {
            let mut force = Vec3::zeros();
            for edge in rest.row(i) {
                let j = edge.to as usize;
                let (offset, apart) = (edge.offset(), x[j] - x[i]);
                let length = apart.norm();
                if length <= 0.0 {
                    continue;
                }
                let error = |k: usize| {
                    (self.strain.gradient[k].cast::<f64>() * offset - apart).dot(&apart) / length * young(k)
                };
                let pull = -0.5 * strength * f64::from(edge.weight) * rest.volume[i] * (error(i) + error(j));
                force += apart * (pull / length);
            }
            for axis in 0..3 {
                out[axis] += force[axis] as f32;
            }
        });
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

    /// Elastic deformation of a particle: its stretch less what plastic flow has relaxed.
    pub fn elastic(&self, strain: &Strain, place: usize) -> Matrix3<f64> {
        let (turn, whole) = (strain.turn[place].cast::<f64>(), strain.gradient[place].cast::<f64>());
        match self.state.relaxed.get(place) {
            None => whole,
            Some(relaxed) => whole + turn * (Matrix3::identity() - relaxed),
        }
    }

    /// Lets yielding particles flow; returns how many did.
    pub fn flow(&mut self, x: &[Vec3], materials: &[Material], dt: f64) -> usize {
        if self.state.relaxed.is_empty() {
            return 0;
        }
        let (strain, _) = self.strain_at(x);
        let mut flowed = vec![0.0; self.state.relaxed.len()];
        let State { relaxed, history, .. } = &mut self.state;
        parallel::update_triple(relaxed, history, &mut flowed, |i, relaxed, (history, flowed)| {
            let material = &materials[i];
            let Some(plastic) = &material.plastic else { return };
            let local = strain.turn[i].cast::<f64>().tr_mul(&strain.gradient[i].cast::<f64>());
            let elastic = pliant_math::symmetric(&local) - *relaxed + Matrix3::identity();
            let eigen = elastic.symmetric_eigen();
            let mut sigma = eigen.eigenvalues;
            let before = history.strain;
            let law = pliant_material::Law::LinearCorotated;
            if plastic.project(law, &material.lame, &mut sigma, history, dt) {
                let axes = eigen.eigenvectors;
                let kept = axes * Matrix3::from_diagonal(&sigma) * axes.transpose();
                *relaxed += elastic - kept;
                // Flow keeps volume; the sum of stretches does so only to first order.
                *relaxed /= relaxed.determinant().max(0.01).cbrt();
                *flowed = history.strain - before;
            }
        });
        for (since, flowed) in self.state.since_base.iter_mut().zip(&flowed) {
            *since += flowed;
        }
        flowed.iter().filter(|&&flowed| flowed > 0.0).count()
    }

    /// The largest plastic strain since the rest pose was taken.
    pub fn flow_since_base(&self) -> f64 {
        self.state.since_base.iter().copied().fold(0.0, f64::max)
    }

    /// Takes the present pose as rest pose; what is left of elastic strain stays as the stretch at which particles have
    /// no stress.
    pub fn rebase(&mut self, x: &[Vec3], spacing: f64, settings: &SphSettings) {
        let (strain, here) = self.strain_at(x);
        let count = self.shape.rest.len();
        let (mut base, mut relaxed) = (vec![(Vec3::zeros(), 0.0); count], vec![Matrix3::zeros(); count]);
        let mut history = vec![History::default(); count];
        for place in 0..count {
            let own = self.shape.rest.order[place] as usize;
            let turn = strain.turn[place].cast::<f64>();
            let local = turn.tr_mul(&strain.gradient[place].cast());
            let elastic = pliant_math::symmetric(&local) - self.state.relaxed[place];
            relaxed[own] = Matrix3::identity() - turn * elastic * turn.transpose();
            base[own] = (here[place], self.shape.rest.volume[place]);
            history[own] = self.state.history[place];
        }
        let mut state = State::new(count, UnitQuaternion::identity(), true);
        (state.relaxed, state.history, state.base) = (relaxed, history, base);
        self.take_base(&state, spacing, settings);
        state.relaxed = sorted(&state.relaxed, &self.shape.rest.order);
        state.history = sorted(&state.history, &self.shape.rest.order);
        self.state = state;
    }

    /// Builds the shape of a rest pose that replaces the present one.
    pub fn take_base(&mut self, state: &State, spacing: f64, settings: &SphSettings) {
        let shape = &self.shape;
        let (positions, volumes): (Vec<Vec3>, Vec<f64>) = state.base.iter().copied().unzip();
        let rest = Rest::new(&positions, &volumes, spacing, settings);
        let mut place = vec![0u32; rest.len()];
        shape.rest.order.iter().zip(0u32..).for_each(|(&own, at)| place[own as usize] = at);
        let from: Vec<u32> = rest.order.iter().map(|&own| place[own as usize]).collect();
        let moduli = Moduli {
            shear: sorted(&shape.moduli.shear, &from),
            dilation: sorted(&shape.moduli.dilation, &from),
            zero_energy: shape.moduli.zero_energy,
        };
        let (mass, pinned) = (sorted(&shape.mass, &from), sorted(&shape.pinned, &from));
        self.shape = Arc::new(Shape::new(rest, (mass, moduli), pinned, settings));
    }

    /// Elastic energy at given positions, and that of the zero-energy term [J].
    pub fn energy_at(&self, x: &[Vec3]) -> (f64, f64) {
        let (strain, here) = self.strain_at(x);
        strain.energy((&self.shape.rest, &here), &self.shape.moduli, self.state.target())
    }
}

impl Effort {
    /// Solved when the residual is a small share of the right-hand side, or of what the acceleration that matters does
    /// in a step.
    fn stop(&self, shape: &Shape, side: &[Lane]) -> Stop {
        let mass: f64 = shape.mass.iter().map(|mass| mass * mass).sum();
        let floor = 1e-2 * mass.sqrt() * self.acceleration * self.dt;
        let norm = dot(side, side).sqrt().max(floor);
        Stop { residual: self.tolerance * norm, max_iterations: self.max_iterations }
    }
}

/// Values in another order.
fn sorted<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&i| values[i as usize]).collect()
}

pub(crate) fn lane_to_vector(lane: &Lane) -> Vec3 {
    Vector3::new(lane[0], lane[1], lane[2]).cast()
}

/// `residual −= A x`.
fn change_residual(system: &mut DilationSystem<'_>, x: &[Lane], residual: &mut [Lane]) {
    let mut image = vec![[0.0; 4]; x.len()];
    super::gradients::Operator::apply(system, x, &mut image);
    parallel::update(residual, |i, residual| {
        for axis in 0..3 {
            residual[axis] -= image[i][axis];
        }
    });
}
