//! Whether a step is solved, or has to be solved again about a better position.

use super::contact::{self, Touch};
use super::plan::Plan;
use super::{Workspace, Zhou2013, Zhou2013Settings};
use pliant_math::{Vect, parallel};
use pliant_solver::{Care, StepError, StepReport};
use pliant_world::{Body, World};

/// Solves go on while a rotation still changes by more than this [rad].
const SETTLED_TURN: f64 = 0.02;
/// A step whose rotations still change by more than this after the last solve is halved [rad].
const ROUGH_TURN: f64 = 0.3;
/// A solve that changed rotations by less than this is likely followed by the last one [rad].
const SLIGHT_TURN: f64 = 0.2;
/// A step is solved if the last solve moved particles by less than this share of their way, whatever still changes: a
/// few contacts that come and go, or thin tips that turn.
const SETTLED_MOTION: f64 = 0.03;
/// A step whose last solve moved particles by more than this is halved, in spacings.
const ROUGH_MOTION: f64 = 0.25;
/// One in so many particles of a body may turn more: neighbourhoods at the tips of thin parts are hardly more than lines,
/// and no solve ever settles the turn about them. And one in so many contacts may come or go: where much lies on the
/// ground there is always one that does.
const OUTLIERS: usize = 500;
/// A contact that comes or goes matters if it is worth more than this share of what its body moves in a step.
const CONTACT_TOLERANCE: f64 = 1e-2;

impl<const D: usize> Zhou2013<D> {
    /// What the last solve changed.
    pub(super) fn change(
        &self,
        (world, plan): (&World<D>, &Plan<D>),
        (before, after): (&[Touch<D>], &[Touch<D>]),
    ) -> Change {
        let (elasticity, Workspace { tangents, motion, .. }) = (self.elasticity(), &self.work);
        let (count, mass) = (motion.len(), &world.particles.mass);
        // About the axis of a line of neighbours, or where they are in a plane, a rotation means little.
        let is_round = |i: usize| elasticity.neighbourhoods.fits[i].covered.is_none();
        let mut turns = vec![0.0; count];
        parallel::fill(&mut turns, |i| match is_round(i) {
            true => elasticity.turn(i, &tangents[i], motion),
            false => 0.0,
        });
        let (particle, angle) = widest_turn(world, &turns);
        let square =
            parallel::sum(count, 0.0, |i| motion[i].norm_squared() * mass[i] * mass[i] * plan.weights[i]);
        let motion_share = (square / count.max(1) as f64).sqrt();
        let spacing = &self.detector.spacing;
        let square = parallel::sum(count, 0.0, |i| motion[i].norm_squared() / spacing[i].powi(2));
        let motion_in_spacings = (square / count.max(1) as f64).sqrt();
        let allowed = CONTACT_TOLERANCE * self.leniency();
        let contacts_hold = plan.contacts_hold((before, after), mass, (motion, allowed));
        Change { particle, angle, motion_share, motion_in_spacings, contacts_hold }
    }

    /// Whether the step is solved: rotations and contacts would not change any more, or so few of them that hardly
    /// anything moves. Otherwise the paper's single linearisation is repeated about the new position.
    ///
    /// # Errors
    /// When it was repeated often enough and still changes much.
    pub(super) fn is_settled(
        &self,
        change: &Change,
        is_exact: bool,
        report: &StepReport,
        care: Care,
    ) -> Result<bool, StepError> {
        let Zhou2013Settings { relinearisations, max_relinearisations, .. } = self.settings;
        let &Change { particle, angle, motion_share, motion_in_spacings, contacts_hold } = change;
        if report.solves < relinearisations {
            return Ok(false);
        }
        let is_last = report.solves >= max_relinearisations;
        if is_last && care == Care::Strict {
            if angle > ROUGH_TURN {
                return Err(StepError::Rough { particle, angle });
            }
            if motion_in_spacings > ROUGH_MOTION && max_relinearisations > 1 {
                return Err(StepError::Unsettled { spacings: motion_in_spacings });
            }
        }
        let is_still = angle <= SETTLED_TURN && contacts_hold && is_exact;
        let is_nearly_still = report.solves > relinearisations
            && motion_share < self.leniency() * SETTLED_MOTION
            && angle <= ROUGH_TURN;
        Ok(is_last || is_still || is_nearly_still)
    }
}

/// The body that turns farthest, few outliers left out: the angle that all others of it stay below [rad], and the first
/// particle that reaches it.
fn widest_turn<const D: usize>(world: &World<D>, turns: &[f64]) -> (usize, f64) {
    let of_body = |body: &Body| {
        let range = body.particles.clone();
        let mut sorted = turns[range.clone()].to_vec();
        let outliers = sorted.len() / OUTLIERS;
        let (_, angle, _) = sorted.select_nth_unstable_by(outliers, |a, b| b.total_cmp(a));
        let angle = *angle;
        let particle = range.clone().find(|i| turns[*i] == angle).unwrap_or(range.start);
        (particle, angle)
    };
    let bodies = world.bodies.iter().filter(|body| !body.particles.is_empty()).map(of_body);
    bodies.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}

/// What a solve changed.
#[derive(Debug)]
pub(super) struct Change {
    /// The particle that turned most, outliers left out, and how far [rad].
    particle: usize,
    angle: f64,
    /// Root mean square of the motion, as a share of what bodies move in the step.
    motion_share: f64,
    /// The same in spacings.
    motion_in_spacings: f64,
    contacts_hold: bool,
}

impl Change {
    /// Whether the next solve is likely the last.
    pub fn is_slight(&self) -> bool {
        self.angle <= SLIGHT_TURN && self.contacts_hold
    }
}

impl<const D: usize> Plan<D> {
    /// Whether the contacts a solve was made with are those it led to, but for what is too small to matter: those that
    /// came are hardly pressed, those that went were hardly held back.
    fn contacts_hold(
        &self,
        (before, after): (&[Touch<D>], &[Touch<D>]),
        mass: &[f64],
        (motion, allowed): (&[Vect<D>], f64),
    ) -> bool {
        let is_small = |touch: &Touch<D>, way: f64| {
            let i = touch.particle as usize;
            way * mass[i] * self.weights[i].sqrt() <= allowed
        };
        let (held, pressed) = (loaded(before), loaded(after));
        let is_in = |touch: &Touch<D>, list: &[&Touch<D>]| {
            list.binary_search_by_key(&key(touch), |other| key(other)).is_ok()
        };
        let came = pressed.iter().filter(|touch| !is_in(touch, &held));
        let went = held.iter().filter(|touch| !is_in(touch, &pressed));
        let held_back = |touch: &Touch<D>| {
            let gap = touch.gap + touch.normal.dot(&touch.relative(motion));
            gap * touch.stiffness * self.beta * self.beta / mass[touch.particle as usize]
        };
        let changes = came.filter(|touch| !is_small(touch, -touch.gap)).count()
            + went.filter(|touch| !is_small(touch, held_back(touch))).count();
        changes <= pressed.len() / OUTLIERS
    }
}

fn key<const D: usize>(touch: &Touch<D>) -> (u32, contact::Target) {
    (touch.particle, touch.target)
}

/// The contacts that carry load, in order.
fn loaded<const D: usize>(touches: &[Touch<D>]) -> Vec<&Touch<D>> {
    let mut loaded: Vec<&Touch<D>> = touches.iter().filter(|touch| touch.is_loaded()).collect();
    loaded.sort_unstable_by_key(|touch| key(touch));
    loaded
}

#[cfg(test)]
mod tests {
    use super::widest_turn;
    use crate::zhou2013::tests::{cube, elastic};

    #[test]
    fn one_in_five_hundred_particles_of_a_body_may_turn_more() {
        let world = cube::<3>(10, 0.0, elastic());
        let mut turns = vec![0.01; world.particles.len()];
        (turns[3], turns[700]) = (2.0, 0.5);
        assert_eq!(widest_turn(&world, &turns).1, 0.01);
        turns[41] = 0.4;
        assert_eq!(widest_turn(&world, &turns), (41, 0.4));
        let small = cube::<3>(4, 0.0, elastic());
        let mut turns = vec![0.01; small.particles.len()];
        turns[5] = 0.4;
        assert_eq!(widest_turn(&small, &turns), (5, 0.4), "small bodies have no outliers");
    }
}
