//! The end of a step: its error, and the new state.

use super::contact::Touch;
use super::effort::Effort;
use super::plan::Plan;
use super::{Zhou2013, integrator, topology};
use pliant_math::{Vect, parallel};
use pliant_solver::{Care, StepError};
use pliant_world::{Particles, World};

/// Velocities that change by more than this in a step, in spacings a step, have jumped.
const JUMP: f64 = 0.25;

impl<const D: usize> Zhou2013<D> {
    /// Plans the next adaptive step by the error of this one: backward Euler misses `Δt² |a| / 2` of the way, BDF2 what
    /// the change of forces from step to step adds to it.
    pub(super) fn judge(
        &mut self,
        world: &World<D>,
        plan: &Plan<D>,
        departure: &[Vect<D>],
        (iterations, care): (usize, Care),
    ) -> Result<(), StepError> {
        let Some(allowed) = self.settings.step_error else { return Ok(()) };
        let particles = &world.particles;
        let (mass, body, beta_squared) = (&particles.mass, &particles.body, plan.beta * plan.beta);
        let is_first_order = plan.beta == plan.dt;
        let worst = parallel::max(departure.len(), |i| {
            if self.pinned[i] {
                return 0.0;
            }
            let acceleration = departure[i] / beta_squared;
            let missed = match is_first_order {
                true => acceleration,
                false => acceleration - plan.external[i] - self.state.force[i] / mass[i],
            };
            0.5 * plan.dt * plan.dt * missed.norm() / world.bodies[body[i] as usize].spacing
        });
        let (particle, error) = worst.unwrap_or((0, 0.0));
        if care == Care::Strict && Effort::is_coarse(error, allowed) {
            return Err(StepError::Coarse { particle, error, allowed });
        }
        self.state.effort.plan(plan.dt, error, allowed, iterations);
        Ok(())
    }

    /// Takes the step; returns the number of contacts that carry load.
    pub(super) fn accept(
        &mut self,
        world: &mut World<D>,
        plan: &Plan<D>,
        touches: &[Touch<D>],
        (x, departure): (Vec<Vect<D>>, Vec<Vect<D>>),
    ) -> usize {
        let particles = &mut world.particles;
        parallel::fill(&mut self.state.force, |i| {
            let needed = departure[i] / (plan.beta * plan.beta) - plan.external[i];
            if self.pinned[i] { Vect::zeros() } else { needed * particles.mass[i] }
        });
        let gains = departure.iter().map(|departure| departure / plan.beta);
        let velocity = plan.velocity.iter().zip(gains).map(|(velocity, gain)| velocity + gain).collect();
        let old_velocity = std::mem::replace(&mut particles.velocity, velocity);
        let old_position = std::mem::replace(&mut particles.position, x);
        for touch in touches {
            touch.rebound(plan.dt, &particles.mass, &old_velocity, &mut particles.velocity);
        }
        self.state.past = (!has_jumped(world, &old_velocity, plan.dt)).then(|| {
            let past = integrator::Past { dt: plan.dt, position: old_position, velocity: old_velocity };
            self.calm_spray(world, touches, past)
        });
        self.state.history.remember(touches);
        self.state.history.len()
    }

    /// A past without the jumps of spray. In a body that is splashed over the ground they are too few to count in
    /// [`has_jumped`], but dance for ever, driven by what the two-step rule makes of every impact. Momentum that is lost goes
    /// to the ground; bodies that nothing holds are left alone.
    fn calm_spray(
        &self,
        world: &World<D>,
        touches: &[Touch<D>],
        mut past: integrator::Past<D>,
    ) -> integrator::Past<D> {
        let Particles { position, velocity, body, .. } = &world.particles;
        let mut is_on_ground = vec![false; world.bodies.len()];
        for touch in touches.iter().filter(|touch| touch.is_loaded() && touch.support.is_empty()) {
            is_on_ground[body[touch.particle as usize] as usize] = true;
        }
        let dt = past.dt;
        parallel::update_pair(&mut past.position, &mut past.velocity, |i, before, velocity_before| {
            let jump = (velocity[i] - *velocity_before).norm() * dt;
            let its_body = body[i] as usize;
            let is_spray =
                is_on_ground[its_body] && self.state.neighbourhoods.row(i).len() < topology::ENOUGH * (D - 1);
            if is_spray && jump > JUMP * world.bodies[its_body].spacing {
                (*before, *velocity_before) = (position[i] - velocity[i] * dt, velocity[i]);
            }
        });
        past
    }
}

/// Whether a body was stopped or turned back within the step. Two-step integration would carry such a jump on: a body
/// that stopped would leave again with half of its speed. The next step then starts anew.
fn has_jumped<const D: usize>(world: &World<D>, before: &[Vect<D>], dt: f64) -> bool {
    let after = &world.particles.velocity;
    world.bodies.iter().any(|body| {
        let range = body.particles.clone();
        let count = range.len().max(1) as f64;
        let square: f64 = range.map(|i| (after[i] - before[i]).norm_squared()).sum();
        (square / count).sqrt() * dt > JUMP * body.spacing
    })
}
