//! Contacts as impulses: what would end inside an obstacle arrives at its surface instead.
//!
//! The springs of the implicit method would shorten the explicit step; impulses do not. Contacts are found by
//! the same detector.

use crate::zhou2013::contact::{Target, Touch};
use pliant_math::Vect;

/// Share of the depth at which a particle starts that one sub-step takes back; more would throw it out.
const RECOVERY: f64 = 0.02;
/// Both sides of a contact between bodies find it, so each takes half of the impulse.
const EACH_SIDE: f64 = 0.5;

/// What contacts need of a sub-step.
pub(crate) struct Impact<'a, const D: usize> {
    pub dt: f64,
    /// 1/mass, zero for pinned particles [1/kg].
    pub inverse_mass: &'a [f64],
    /// Velocities at the start of the sub-step [m/s].
    pub before: &'a [Vect<D>],
    /// Velocities that led to the positions contacts were found at [m/s].
    pub predicted: &'a [Vect<D>],
}

impl<const D: usize> Impact<'_, D> {
    /// Changes velocities by the impulses of all contacts: between bodies all at once, so that their order does
    /// not matter; then with colliders, which always win.
    pub fn resolve(&self, touches: &[Touch<D>]) -> Vec<Vect<D>> {
        let mut velocity = self.predicted.to_vec();
        let is_body = |touch: &&Touch<D>| matches!(touch.target, Target::Body(_));
        for touch in touches.iter().filter(is_body) {
            let impulse = self.impulse(touch, self.predicted) * EACH_SIDE;
            self.push(touch, &impulse, &mut velocity);
        }
        for touch in touches.iter().filter(|touch| !is_body(touch)) {
            let impulse = self.impulse(touch, &velocity);
            self.push(touch, &impulse, &mut velocity);
        }
        velocity
    }

    fn push(&self, touch: &Touch<D>, impulse: &Vect<D>, velocity: &mut [Vect<D>]) {
        let i = touch.particle as usize;
        velocity[i] += impulse * self.inverse_mass[i];
        for &(j, share) in &touch.support {
            velocity[j as usize] -= impulse * (share * self.inverse_mass[j as usize]);
        }
    }

    /// The impulse on the particle that keeps the two apart, with Coulomb friction [N s].
    fn impulse(&self, touch: &Touch<D>, velocity: &[Vect<D>]) -> Vect<D> {
        let Touch { normal, surface_velocity, friction, restitution, .. } = touch;
        let compliance = self.inverse_mass[touch.particle as usize]
            + touch
                .support
                .iter()
                .map(|&(j, share)| share * share * self.inverse_mass[j as usize])
                .sum::<f64>();
        let relative = |values: &[Vect<D>]| touch.relative(values) - surface_velocity;
        let (now, parting) = (relative(velocity), normal.dot(&relative(velocity)));
        let start_gap = touch.gap - self.dt * normal.dot(&relative(self.predicted));
        let gap = start_gap + self.dt * parting;
        let clings = gap > 0.0 && touch.adhesion > 0.0 && touch.is_loaded();
        if compliance == 0.0 || gap > 0.0 && !clings {
            return Vect::zeros();
        }
        let depth = -start_gap;
        let arrival = if depth > 0.0 { RECOVERY * depth / self.dt } else { depth / self.dt };
        let rebound = -restitution * normal.dot(&relative(self.before));
        let wanted = if rebound > 0.0 { arrival.max(rebound) } else { arrival };
        let change = if clings { wanted - parting } else { (wanted - parting).max(0.0) };
        let sliding = now - normal * parting;
        let speed = sliding.norm();
        // Adhesion may be infinite: it then holds whatever slides.
        let grip = friction * change.max(0.0) + touch.adhesion * self.dt * compliance;
        let held = if speed > grip { sliding * (grip / speed) } else { sliding };
        (normal * change - held) / compliance
    }
}
