//! Rigid bodies: their particles are boundary and matter of the one pressure solve, which sees them move as a whole; the
//! library rapier moves them on and holds their joints.
//!
//! Nothing of rapier is kept from step to step: it is set up anew from the poses here, so a checkpoint needs only those.

mod engine;

use crate::solid::Lane;
use crate::sorting::NOWHERE;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion};
use pliant_math::Vec3;
use pliant_world::{Joint, World};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// All rigid bodies.
#[derive(Debug, Default)]
pub(crate) struct Rigids {
    bodies: Vec<Rigid>,
    joints: Vec<Tie>,
    pub motion: Vec<Motion>,
}

/// A rigid body.
#[derive(Debug)]
struct Rigid {
    particles: Range<usize>,
    /// Particles from the centre of mass, in the frame of the start [m].
    local: Vec<Vec3>,
    mass: f64,
    masses: Vec<f64>,
    /// Moments of inertia in the frame of the start [kg m²].
    inertia: Matrix3<f64>,
}

/// A joint between rigid bodies, by index here.
#[derive(Debug)]
struct Tie {
    joint: Joint,
    bodies: [Option<usize>; 2],
    /// Its place from the centre of each body at the start; in the world where there is none [m].
    anchors: [Vec3; 2],
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Motion {
    center: [f64; 3],
    /// i, j, k, w.
    rotation: [f64; 4],
    velocity: [f64; 3],
    spin: [f64; 3],
}

impl Motion {
    fn center(&self) -> Vec3 {
        self.center.into()
    }

    fn rotation(&self) -> UnitQuaternion<f64> {
        let [i, j, k, w] = self.rotation;
        UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k))
    }

    fn speed_at(&self, offset: &Vec3) -> Vec3 {
        Vec3::from(self.velocity) + Vec3::from(self.spin).cross(offset)
    }

    /// Adds to velocity and spin.
    fn push(&mut self, (velocity, spin): (Vec3, Vec3)) {
        self.velocity = (Vec3::from(self.velocity) + velocity).into();
        self.spin = (Vec3::from(self.spin) + spin).into();
    }
}

/// A rigid body as the pressure sees it: where its particles are and how hard it is to move.
#[derive(Debug)]
pub(crate) struct Held {
    /// Place, and offset from the centre of mass [m].
    places: Vec<(u32, Vec3)>,
    inverse_mass: f64,
    inverse_inertia: Matrix3<f64>,
    /// Acceleration [m/s²] and angular acceleration [1/s²] that the pressure tried last.
    pulled: (Vec3, Vec3),
    /// Velocity [m/s] and spin [1/s] that it gained.
    pub gained: (Vec3, Vec3),
}

impl Held {
    /// What a body makes of changes of the velocities of its particles: all move on as one.
    fn of_changes(&self, change: impl Fn(usize) -> Lane, inverse_mass: &[f32]) -> (Vec3, Vec3) {
        let (mut momentum, mut turn) = (Vec3::zeros(), Vec3::zeros());
        for (place, offset) in &self.places {
            let (at, change) = (*place as usize, change(*place as usize));
            let change = Vec3::from_fn(|axis, _| f64::from(change[axis])) / f64::from(inverse_mass[at]);
            momentum += change;
            turn += offset.cross(&change);
        }
        (momentum * self.inverse_mass, self.inverse_inertia * turn)
    }

    /// Makes accelerations of its particles one motion.
    pub fn stiffen(&mut self, changes: &mut [Lane], inverse_mass: &[f32]) {
        self.pulled = self.of_changes(|place| changes[place], inverse_mass);
        for (place, offset) in &self.places {
            let change = self.pulled.0 + self.pulled.1.cross(offset);
            changes[*place as usize] = [change.x as f32, change.y as f32, change.z as f32, 0.0];
        }
    }

    /// The last accelerations act for a time [s].
    pub fn keep(&mut self, dt: f64) {
        self.gained = (self.pulled.0 * dt, self.pulled.1 * dt);
    }

    /// Lets the body move as one after velocities were changed from what they were `before`.
    pub fn take_up(&mut self, (after, before): (&mut [Lane], &[Lane]), inverse_mass: &[f32]) {
        let change = |place: usize| std::array::from_fn(|axis| after[place][axis] - before[place][axis]);
        let (velocity, spin) = self.of_changes(change, inverse_mass);
        for (place, offset) in &self.places {
            let (at, change) = (*place as usize, velocity + spin.cross(offset));
            after[at] = std::array::from_fn(|axis| {
                before[at][axis] + if axis < 3 { change[axis] as f32 } else { 0.0 }
            });
        }
        self.gained = (self.gained.0 + velocity, self.gained.1 + spin);
    }
}

impl Rigids {
    /// The rigid bodies of a world as it stands.
    pub fn new(world: &World<3>) -> Self {
        let mut rigids = Self::default();
        let mut index_of = vec![None; world.bodies.len()];
        for (index, body) in world.bodies.iter().enumerate().filter(|(_, body)| body.rigid) {
            if body.particles.is_empty() {
                continue;
            }
            index_of[index] = Some(rigids.bodies.len());
            rigids.add(world, body.particles.clone());
        }
        for joint in &world.joints {
            let bodies = joint.bodies.map(|body| body.and_then(|index| index_of[index]));
            let anchors = bodies.map(|body| {
                joint.anchor - body.map_or(Vec3::zeros(), |index: usize| rigids.motion[index].center())
            });
            rigids.joints.push(Tie { joint: joint.clone(), bodies, anchors });
        }
        rigids
    }

    fn add(&mut self, world: &World<3>, particles: Range<usize>) {
        let p = &world.particles;
        let masses = p.mass[particles.clone()].to_vec();
        let mass: f64 = masses.iter().sum();
        let weighted = particles.clone().map(|i| p.position[i] * p.mass[i]).sum::<Vec3>();
        let center = weighted / mass;
        let local: Vec<Vec3> = p.position[particles.clone()].iter().map(|x| x - center).collect();
        let mut inertia = Matrix3::zeros();
        for (k, i) in particles.clone().enumerate() {
            let (x, mass) = (&local[k], masses[k]);
            inertia += (Matrix3::identity() * x.norm_squared() - x * x.transpose()) * mass;
            // A particle is a cube: `m d²/6` about its own centre.
            inertia += Matrix3::identity() * (mass * p.rest_volume[i].cbrt().powi(2) / 6.0);
        }
        let moved = particles.clone().map(|i| p.velocity[i] * p.mass[i]).sum::<Vec3>() / mass;
        let turning: Vec3 =
            particles.clone().enumerate().map(|(k, i)| local[k].cross(&(p.velocity[i] * masses[k]))).sum();
        // Spin of the particles as points: what the scene has given them.
        let points: Matrix3<f64> = local
            .iter()
            .zip(&masses)
            .map(|(x, mass)| (Matrix3::identity() * x.norm_squared() - x * x.transpose()) * *mass)
            .sum();
        let spin = points.try_inverse().map_or(Vec3::zeros(), |inverse| inverse * turning);
        self.motion.push(Motion {
            center: center.into(),
            rotation: [0.0, 0.0, 0.0, 1.0],
            velocity: moved.into(),
            spin: spin.into(),
        });
        self.bodies.push(Rigid { particles, local, mass, masses, inertia });
    }

    /// Particles of each body.
    pub fn particles(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.bodies.iter().map(|body| body.particles.clone())
    }

    /// Bodies for the pressure; `place_of` tells where particles are sorted to, or that they are nowhere.
    pub fn held(&self, place_of: &[u32]) -> Vec<Held> {
        let held = |(body, motion): (&Rigid, &Motion)| {
            let rotation = motion.rotation();
            let places = body.particles.clone().zip(&body.local);
            let turn = rotation.to_rotation_matrix();
            let inertia = turn.matrix() * body.inertia * turn.matrix().transpose();
            Held {
                places: places
                    .map(|(i, x)| (place_of[i], rotation * x))
                    .filter(|(place, _)| *place != NOWHERE)
                    .collect(),
                inverse_mass: 1.0 / body.mass,
                inverse_inertia: inertia.try_inverse().unwrap_or_else(Matrix3::zeros),
                pulled: (Vec3::zeros(), Vec3::zeros()),
                gained: (Vec3::zeros(), Vec3::zeros()),
            }
        };
        self.bodies.iter().zip(&self.motion).map(held).collect()
    }

    /// Takes up changes of the velocities of its particles by forces on each of them.
    pub fn absorb(&self, motion: &mut [Motion], velocity: &mut [Vec3]) {
        for (body, motion) in self.bodies.iter().zip(motion) {
            let rotation = motion.rotation();
            let (mut momentum, mut turn) = (Vec3::zeros(), Vec3::zeros());
            for (k, i) in body.particles.clone().enumerate() {
                let offset = rotation * body.local[k];
                let change = (velocity[i] - motion.speed_at(&offset)) * body.masses[k];
                momentum += change;
                turn += offset.cross(&change);
            }
            let local = rotation.inverse() * turn;
            let spin =
                body.inertia.try_inverse().map_or(Vec3::zeros(), |inverse| rotation * (inverse * local));
            motion.push((momentum / body.mass, spin));
            for (k, i) in body.particles.clone().enumerate() {
                velocity[i] = motion.speed_at(&(rotation * body.local[k]));
            }
        }
    }

    /// Adds what the pressure gave to the bodies.
    pub fn gain(motion: &mut [Motion], held: &[Held]) {
        motion.iter_mut().zip(held).for_each(|(motion, held)| motion.push(held.gained));
    }

    /// Moves bodies that are `present` over a step. `shifts` are motions beside their own, which they do not keep.
    pub fn advance(&self, motion: &mut [Motion], (shifts, present): (&[(Vec3, Vec3)], &[bool]), dt: f64) {
        motion.iter_mut().zip(shifts).for_each(|(motion, shift)| motion.push(*shift));
        engine::advance(self, motion, present, dt);
        motion.iter_mut().zip(shifts).for_each(|(motion, shift)| motion.push((-shift.0, -shift.1)));
    }

    /// Puts particles where their bodies are.
    pub fn place(&self, motion: &[Motion], (position, velocity): (&mut [Vec3], &mut [Vec3])) {
        for (body, motion) in self.bodies.iter().zip(motion) {
            let rotation = motion.rotation();
            for (k, i) in body.particles.clone().enumerate() {
                let offset = rotation * body.local[k];
                position[i] = motion.center() + offset;
                velocity[i] = motion.speed_at(&offset);
            }
        }
    }

    /// Moves bodies to where their particles have appeared.
    pub fn appear(&mut self, index: usize, place: Vec3) {
        let body = &self.bodies[index];
        self.motion[index].center = (place - body.local[0]).into();
    }
}
