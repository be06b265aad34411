//! The elastic step by corrections with the constant matrix: the default.
//!
//! Wanted is the backward Euler step `M w = M (v + Δt a) + Δt f(x + Δt w)`. With `P` the constant matrix, which bounds the
//! stiffness whatever the rotations, `P δ = M (v + Δt a − w) + Δt f(x + Δt w)`, `w ← w + δ` is repeated from `w = v`, with
//! forces and rotations of where `w` leads. Where nothing moves `f = −M a` follows whatever the step: there is no error of
//! splitting in statics.
//!
//! Corrections that end early are stable if what they leave acts as inertia. For a linear force, `K` its matrix and
//! `t = P⁻¹ (M + Δt² K)`, they leave the share `(1 − t)ᵏ` of the way from `v` to the answer, which is the step of a body with
//! the additional mass `(M + Δt² K) (1 − t)ᵏ/(1 − (1 − t)ᵏ)`. This is no negative mass if `k` is even and no eigenvalue of `t` is
//! above 2. To put last step's resistances to changes of volume into the first of two systems instead, and only solve for
//! their change in the second, has the same statics and is not stable: its error is a friction whose matrix is the product of
//! both stiffnesses, which is not symmetric, and drives stiff slender bodies.

use super::body::{Body, Course};
use crate::settings::SphSettings;
use pliant_math::{Vec3, parallel};

/// Solves in a step; even.
pub(super) const CORRECTIONS: usize = 2;
/// Since `tr(F)² ≤ 3 |F|²`, stretches of `2μ + 3λ` bound all of elasticity. With half of the volume term eigenvalues of `t` lie
/// as far below 1 as above it.
pub(super) const VOLUME_SHARE: f64 = 0.5;

/// Where the matrix is too large for one factor, a correction is this much rougher than other solves: the next one, or that of
/// the next step, sees what it leaves.
pub(super) const ROUGH: f64 = 10.0;

impl Body {
    /// Starts from the velocities at the start of the step. Were gravity in them, particles next to pinned ones would seem
    /// to turn in every step, and a body at rest would hang too low.
    pub fn set_out(&mut self, course: &Course<'_>, dt: f64) {
        let count = self.shape.rest.len();
        let (mut predicted, mut push) = (std::mem::take(&mut self.predicted), std::mem::take(&mut self.push));
        predicted.resize(count, Vec3::zeros());
        push.resize(count, [0.0; 4]);
        parallel::update_pair(&mut predicted, &mut push, |place, predicted, push| {
            let i = self.particle(place);
            let (from, to) = (course.before[i], course.velocity[i]);
            let start = if self.shape.pinned[place] { to } else { from };
            *predicted = course.position[i] + start * dt;
            let gained = (to - start) * course.ratio;
            *push = [gained.x as f32, gained.y as f32, gained.z as f32, 0.0];
        });
        (self.predicted, self.push) = (predicted, push);
    }

    /// What is missing at the predicted positions, in `side` [kg m/s].
    pub fn miss(&mut self, settings: &SphSettings) {
        let dt = settings.elastic_step as f32;
        self.strain.measure(&self.shape.rest, &self.predicted, &mut self.state.rotation);
        self.resist();
        self.pull(settings);
        let Self { shape, side, push, .. } = self;
        parallel::update(side, |place, side| {
            let (mass, pinned) = (shape.mass_single[place], shape.pinned[place]);
            for axis in 0..3 {
                side[axis] = if pinned { 0.0 } else { mass * push[place][axis] + dt * side[axis] };
            }
        });
    }

    /// Goes on by the correction in `side`; `push` becomes what is still missing of what other forces do.
    pub fn go_on(&mut self, dt: f64) {
        let Self { predicted, push, side, .. } = self;
        parallel::update_pair(predicted, push, |place, predicted, push| {
            for axis in 0..3 {
                predicted[axis] += dt * f64::from(side[place][axis]);
                push[axis] -= side[place][axis];
            }
        });
    }

    /// Ends with the change beside what other forces do, in `side` [m/s].
    pub fn arrive(&mut self) {
        let Self { push, side, .. } = self;
        parallel::update(side, |place, side| *side = push[place].map(|missing| -missing));
    }
}
