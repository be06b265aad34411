//! Unilateral frictional contact between bodies, of a body with itself, and with colliders.
//!
//! The paper has none. A contact is a stiff one-sided spring along the normal, implicit in the system, about as
//! stiff as one layer of the material: a soft body sinks in by a share of its strain, never by more. Friction is
//! a tangential spring to the point of first touch whose force is capped by Coulomb's cone and which is dragged
//! along when it slips, so that what rests stays at rest. A particle meets another body at the weighted centroid
//! of its near particles: flat faces slide on each other without interlocking, and forces are equal and opposite
//! on one line, so momentum and angular momentum are kept.

mod bodies;
mod colliders;
mod detect;
mod history;
mod springs;

pub(crate) use detect::{Bonds, Candidates, Detector, Positions};
pub(crate) use history::History;
pub(crate) use springs::Springs;

use pliant_math::{Mat, Vect};
use serde::{Deserialize, Serialize};

/// Contact springs are this many times stiffer than a layer of the material one spacing thick.
const LAYER_STIFFNESS: f64 = 4.0;

/// A particle near an obstacle may move this share of its spacing in a step, so that nothing tunnels.
const SAFE_TRAVEL: f64 = 0.5;
/// A particle that would have come this many times deeper than it did was stopped by an impact: it did not rest.
const IMPACT: f64 = 2.0;

/// What a particle touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Target {
    Collider(u32),
    Body(u32),
}

/// One particle against one collider or body, linearised about the position it was found at.
#[derive(Clone, Debug)]
pub(crate) struct Touch<const D: usize> {
    pub particle: u32,
    pub target: Target,
    /// Particles of the other body that carry the load, with weights that add up to 1; none for colliders.
    pub support: Vec<(u32, f64)>,
    /// From the target to the particle.
    pub normal: Vect<D>,
    /// Distance between the surfaces, negative when pressed together [m].
    pub gap: f64,
    /// Tangential displacement since the touch began [m].
    pub slip: Vect<D>,
    /// Velocity of the target's surface over the step [m/s]; zero for bodies.
    pub surface_velocity: Vect<D>,
    /// Spring constant of the contact [N/m].
    pub stiffness: f64,
    pub friction: f64,
    /// Tension it can bear [N].
    pub adhesion: f64,
    pub restitution: f64,
}

impl<const D: usize> Touch<D> {
    /// Push on the particle along the normal, negative when it clings [N].
    pub fn push(&self) -> f64 {
        let push = -self.stiffness * self.gap;
        if push >= 0.0 || -push <= self.adhesion { push } else { 0.0 }
    }

    /// Whether it carries load.
    pub fn is_loaded(&self) -> bool {
        self.push() != 0.0
    }

    /// The longest slip friction can hold back [m].
    pub fn grip(&self) -> f64 {
        (self.friction * self.push().max(0.0) + self.adhesion.min(f64::MAX)) / self.stiffness
    }

    /// Secant stiffness along the surface: full while it sticks, Coulomb's force over the slip when it slides.
    fn drag(&self) -> f64 {
        let slip = self.slip.norm();
        let grip = self.grip();
        if slip <= grip { self.stiffness } else { self.stiffness * grip / slip }
    }

    /// Adds minus its force, the derivative of its energy, to `gradient` [N].
    pub fn add_gradient(&self, gradient: &mut [Vect<D>]) {
        if self.is_loaded() {
            let force = self.slip * self.drag() - self.normal * self.push();
            gradient[self.particle as usize] += force;
            for &(j, share) in &self.support {
                gradient[j as usize] -= force * share;
            }
        }
    }

    /// Its stiffness between the particle and its support [N/m].
    pub fn stiffness_matrix(&self) -> Mat<D> {
        let along = self.normal * self.normal.transpose();
        let drag = self.drag();
        Mat::identity() * drag + along * (self.stiffness - drag)
    }

    /// A field at the particle minus the same field at its support.
    pub fn relative(&self, values: &[Vect<D>]) -> Vect<D> {
        let support: Vect<D> = self.support.iter().map(|&(j, share)| values[j as usize] * share).sum();
        values[self.particle as usize] - support
    }

    /// Poisson's restitution: an impact gives back a share of the impulse that stopped it, so that it is the
    /// body that bounces, however few of its particles touch. What rests is left alone.
    pub fn rebound(&self, dt: f64, mass: &[f64], before: &[Vect<D>], after: &mut [Vect<D>]) {
        let i = self.particle as usize;
        let approach = -self.normal.dot(&(before[i] - self.surface_velocity));
        if self.restitution > 0.0 && self.push() > 0.0 && approach * dt > IMPACT * self.gap.abs() {
            after[i] += self.normal * (self.restitution * self.push() * dt / mass[i]);
        }
    }
}

fn tangential<const D: usize>(v: Vect<D>, normal: &Vect<D>) -> Vect<D> {
    v - normal * normal.dot(&v)
}
