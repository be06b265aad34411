//! Coulomb friction of solids against walls and against each other, from the pushes that the pressure found.

use crate::near::Near;
use crate::pressure::Crowd;
use crate::solid::Lane;
use pliant_math::parallel;

/// Who rubs, by place.
pub(crate) struct Rubbing<'a> {
    /// Friction coefficient of solid particles; negative for fluids.
    pub coefficient: &'a [f32],
    pub pressure: &'a [f32],
    pub dt: f32,
}

impl Rubbing<'_> {
    /// Slows sliding down, by at most what the pushes allow and never past rest.
    pub fn apply(&self, crowd: &mut Crowd, near: &Near) {
        let mut contacts = vec![0u32; crowd.volume.len()];
        parallel::fill(&mut contacts, |i| {
            let touching = |j: usize| self.rubs(i, j) && self.pressure[i] + self.pressure[j] > 0.0;
            near.edges(i).filter(|edge| touching(edge.to as usize)).count() as u32
        });
        let mut velocity = std::mem::take(&mut crowd.velocity);
        let before = velocity.clone();
        parallel::update(&mut velocity, |i, v| {
            if crowd.inverse_mass[i] <= 0.0 || self.coefficient[i] < 0.0 {
                return;
            }
            if contacts[i] > 0 {
                self.rub_bodies(crowd, near, (&before, &contacts), (i, v));
            }
            self.rub_wall(crowd, (i, v));
        });
        crowd.velocity = velocity;
    }

    fn rubs(&self, i: usize, j: usize) -> bool {
        self.coefficient[i] >= 0.0 && self.coefficient[j] >= 0.0
    }

    fn rub_wall(&self, crowd: &Crowd, (i, v): (usize, &mut Lane)) {
        let wall = &crowd.walls[i];
        let push = crowd.wall_push(self.pressure, i, self.dt);
        let slope = wall.gradient.iter().map(|g| g * g).sum::<f32>().sqrt();
        if push <= 0.0 || slope <= 0.0 {
            return;
        }
        let normal = wall.gradient.map(|g| g / slope);
        let relative: [f32; 3] = std::array::from_fn(|axis| v[axis] - wall.velocity[axis]);
        let slowed = slowdown(&relative, &normal, wall.friction * push);
        for axis in 0..3 {
            v[axis] -= slowed[axis];
        }
    }

    /// Each pair takes its share, the same seen from both sides, so momentum is kept.
    fn rub_bodies(
        &self,
        crowd: &Crowd,
        near: &Near,
        (before, contacts): (&[Lane], &[u32]),
        (i, v): (usize, &mut Lane),
    ) {
        for edge in near.edges(i) {
            let j = edge.to as usize;
            let pressure = self.pressure[i] + self.pressure[j];
            if !self.rubs(i, j) || pressure <= 0.0 {
                continue;
            }
            let length = edge.gradient.iter().map(|g| g * g).sum::<f32>().sqrt();
            if length <= 0.0 {
                continue;
            }
            let normal = edge.gradient.map(|g| g / length);
            let relative: [f32; 3] = std::array::from_fn(|axis| before[i][axis] - before[j][axis]);
            let (own, other) = (crowd.inverse_mass[i], crowd.inverse_mass[j]);
            let impulse = self.dt * pressure * crowd.volume[i] * length;
            let grip = 0.5 * (self.coefficient[i] + self.coefficient[j]) * impulse * (own + other);
            let share = own / (own + other) / contacts[i].max(contacts[j]) as f32;
            let slowed = slowdown(&relative, &normal, grip * contacts[i].max(contacts[j]) as f32);
            for axis in 0..3 {
                v[axis] -= share * slowed[axis];
            }
        }
    }
}

/// The part of a relative velocity that friction takes: along the surface, at most `grip`.
fn slowdown(relative: &[f32; 3], normal: &[f32; 3], grip: f32) -> [f32; 3] {
    let across: f32 = (0..3).map(|axis| relative[axis] * normal[axis]).sum();
    let along: [f32; 3] = std::array::from_fn(|axis| relative[axis] - across * normal[axis]);
    let speed = along.iter().map(|v| v * v).sum::<f32>().sqrt();
    if speed <= grip || speed <= 0.0 { along } else { along.map(|v| v * (grip / speed)) }
}
