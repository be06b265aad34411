//! Where a step begins to look for its end.

use super::Zhou2013;
use super::contact::{self, Touch};
use super::effort::Aid;
use super::plan::Plan;
use pliant_math::{Mat, Vect, parallel, polar};
use pliant_solver::{Span, StepError};
use pliant_world::World;

/// Rigid motion is taken for the first guess if it costs less than this share of what the last forces lead to.
const CLEARLY_LESS: f64 = 0.5;

/// A place to begin, and what is touched there.
pub(super) struct Guess<const D: usize> {
    /// From `q*` [m]. Departures are small numbers: far from the origin they keep digits that positions lose.
    pub departure: Vec<Vect<D>>,
    pub x: Vec<Vect<D>>,
    pub near: contact::Candidates<D>,
    pub touches: Vec<Touch<D>>,
}

impl<const D: usize> Zhou2013<D> {
    /// Where the forces of the last step lead (Eq. 17). In hard steps rigid motion is tried as well, because after an
    /// impact those forces belong to contacts that are gone: what costs less of the energy that the step minimises is
    /// taken.
    pub(super) fn predict(
        &self,
        world: &World<D>,
        span: Span,
        plan: &Plan<D>,
        aid: Aid,
    ) -> Result<Guess<D>, StepError> {
        let forced = self.guess(world, span, plan, self.as_forced(world, span, plan))?;
        if aid == Aid::CoarseSpace {
            let rigid = self.as_rigid(world, plan, &forced.departure);
            let limit =
                CLEARLY_LESS * (self.cost(world, plan, &forced.departure) + contact_energy(&forced.touches));
            let cost = self.cost(world, plan, &rigid);
            if cost < limit {
                let rigid = self.guess(world, span, plan, rigid)?;
                if cost + contact_energy(&rigid.touches) < limit {
                    return Ok(rigid);
                }
            }
        }
        Ok(forced)
    }

    fn guess(
        &self,
        world: &World<D>,
        span: Span,
        plan: &Plan<D>,
        departure: Vec<Vect<D>>,
    ) -> Result<Guess<D>, StepError> {
        let x = plan.positions(&departure);
        let near = self.near(world, &x, span)?;
        let touches = self.touches(world, &near, &x);
        Ok(Guess { departure, x, near, touches })
    }

    /// How far from `q*` the forces of the last step would take each particle.
    fn as_forced(&self, world: &World<D>, span: Span, plan: &Plan<D>) -> Vec<Vect<D>> {
        let mut departure = vec![Vect::zeros(); world.particles.len()];
        parallel::fill(&mut departure, |i| {
            let force = self.state.force[i] / world.particles.mass[i];
            (plan.external[i] + force) * (plan.beta * plan.beta)
        });
        for (i, position) in world.pinned_positions(span.time + span.dt) {
            departure[i] = position - plan.inertial[i];
        }
        departure
    }

    /// The same if each body moved as it is, with the momentum and about the spin it has; a body with pins as forced.
    fn as_rigid(&self, world: &World<D>, plan: &Plan<D>, forced: &[Vect<D>]) -> Vec<Vect<D>> {
        let (x, mass) = (&world.particles.position, &world.particles.mass);
        let free = |i: usize| plan.inertial[i] + plan.external[i] * (plan.beta * plan.beta);
        let mut departure = forced.to_vec();
        for body in &world.bodies {
            let range = body.particles.clone();
            if range.is_empty() || range.clone().any(|i| self.pinned[i]) {
                continue;
            }
            let weight: f64 = mass[range.clone()].iter().sum();
            let centre = range.clone().map(|i| x[i] * mass[i]).sum::<Vect<D>>() / weight;
            let goal = range.clone().map(|i| free(i) * mass[i]).sum::<Vect<D>>() / weight;
            let spread = |i: usize| (free(i) - goal) * (x[i] - centre).transpose() * mass[i];
            let turn = polar::rotation(&range.clone().map(spread).sum::<Mat<D>>());
            for i in range {
                departure[i] = turn * (x[i] - centre) + goal - plan.inertial[i];
            }
        }
        departure
    }

    /// What a backward step minimises, without contacts: `|x − q* − β² a|² m / 2β²` and the stored energy [J].
    fn cost(&self, world: &World<D>, plan: &Plan<D>, departure: &[Vect<D>]) -> f64 {
        let beta_squared = plan.beta * plan.beta;
        let inertia = parallel::sum(departure.len(), 0.0, |i| {
            (departure[i] - plan.external[i] * beta_squared).norm_squared() * world.particles.mass[i]
        });
        0.5 * inertia / beta_squared + self.elasticity().energy(&plan.positions(departure))
    }
}

fn contact_energy<const D: usize>(touches: &[Touch<D>]) -> f64 {
    touches.iter().map(|touch| -0.5 * touch.push() * touch.gap).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zhou2013::tests::{cube, elastic, solver};
    use pliant_math::Vec3;
    use pliant_solver::Care;

    #[test]
    fn a_body_that_lost_its_contacts_is_first_taken_for_rigid() {
        let mut world = cube::<3>(6, 0.0, elastic());
        let centre = world.particles.position.iter().sum::<Vec3>() / world.particles.len() as f64;
        for (v, x) in world.particles.velocity.iter_mut().zip(&world.particles.position) {
            *v = Vec3::new(0.0, 0.0, 30.0).cross(&(x - centre));
        }
        let mut solver = solver(&world);
        let span = Span { time: 0.0, dt: 0.01, care: Care::Strict };
        // What held the lowest layer up in the last step is gone.
        solver.state.force.iter_mut().take(36).for_each(|force| *force = Vec3::y() * 1e3);
        let stretch = |aid| {
            let plan = solver.plan(&world, span);
            let guess = solver.predict(&world, span, &plan, aid).expect("there is nothing to collide with");
            let before = world.particles.position[215] - world.particles.position[0];
            (guess.x[215] - guess.x[0]).norm() / before.norm()
        };
        assert!((stretch(Aid::CoarseSpace) - 1.0).abs() < 1e-9);
        assert!((stretch(Aid::Scales) - 1.0).abs() > 0.01);
    }
}
