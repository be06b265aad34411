//! Particles against colliders.

use super::detect::{Candidates, Detector, Positions};
use super::{History, LAYER_STIFFNESS, SAFE_TRAVEL, Target, Touch, tangential};
use nalgebra::Isometry3;
use pliant_geometry::Shape;
use pliant_math::{Vec3, Vect, embed, flatten, parallel};
use pliant_world::{Collider, Contact, World};

/// Paths are looked at this often, in spacings: walls are at least as thick.
const PACE: f64 = 0.1;

/// Where a path from outside first enters a shape. Distance changes at most as fast as position.
fn entry(shape: &Shape, (from, to): (&Vec3, &Vec3), pace: f64) -> Option<Vec3> {
    let along = to - from;
    let (length, mut done) = (along.norm(), 0.0);
    while done < length {
        let here = from + along * (done / length);
        let gap = shape.distance(&here);
        if gap < 0.0 {
            return Some(here);
        }
        done += gap.max(pace);
    }
    (shape.distance(to) < 0.0).then_some(*to)
}

impl Detector {
    /// Lists the particles that may touch a collider in this step, wherever in it they end.
    pub(super) fn near_colliders<const D: usize>(
        &self,
        world: &World<D>,
        positions: Positions<'_, D>,
        candidates: &mut Candidates<D>,
    ) {
        let mut near = vec![false; world.particles.len()];
        for (index, collider) in world.colliders.iter().enumerate() {
            let (from, to) = &candidates.poses[index];
            parallel::fill(&mut near, |i| {
                let (start, now) = (embed(&positions.start[i]), embed(&positions.now[i]));
                let local_start = from.inverse_transform_point(&start.into());
                let local_now = to.inverse_transform_point(&now.into());
                let travel = (local_now - local_start).norm();
                collider.shape.distance(&local_now.coords) < 1.5 * self.spacing[i] + travel
            });
            for (i, near) in (0u32..).zip(&near) {
                if *near {
                    candidates.colliders.push((i, index as u32));
                }
            }
        }
    }

    /// What a particle meets of a collider. One that moves by more than its radius may be deep inside or beyond a thin
    /// wall by now: it meets the plane where it entered.
    fn meeting<const D: usize>(
        &self,
        collider: &Collider,
        i: usize,
        (from, to): (&Isometry3<f64>, &Isometry3<f64>),
        positions: Positions<'_, D>,
        reach: f64,
    ) -> Option<Contact> {
        let (start, now) = (embed(&positions.start[i]), embed(&positions.now[i]));
        let local_start = from.inverse_transform_point(&start.into()).coords;
        let local_now = to.inverse_transform_point(&now.into()).coords;
        if (local_now - local_start).norm() > SAFE_TRAVEL * self.spacing[i]
            && let Some(entry) = entry(&collider.shape, (&local_start, &local_now), PACE * self.spacing[i])
        {
            let normal = collider.shape.normal(&entry);
            let distance = collider.shape.distance(&entry) + normal.dot(&(local_now - entry));
            return (distance < reach).then(|| Contact { distance, normal: to.rotation * normal });
        }
        collider.contact(to, &now, reach)
    }

    pub(super) fn touch_collider<const D: usize>(
        &self,
        world: &World<D>,
        history: &History<D>,
        (particle, index): (u32, u32),
        ((from, to), dt): (&(Isometry3<f64>, Isometry3<f64>), f64),
        positions: Positions<'_, D>,
    ) -> Option<Touch<D>> {
        let (i, collider) = (particle as usize, &world.colliders[index as usize]);
        let target = Target::Collider(index);
        let before = history.slip(particle, target);
        let area = self.spacing[i].powi(D as i32 - 1);
        let adhesion = if before.is_some() { collider.stickiness * area } else { 0.0 };
        let radius = 0.5 * self.spacing[i];
        let reach = radius + if adhesion > 0.0 { self.spacing[i] } else { 0.0 };
        let contact = self.meeting(collider, i, (from, to), positions, reach)?;
        let normal = flatten::<D>(&contact.normal).try_normalize(1e-6)?;

        let start = embed(&positions.start[i]);
        let carried = to * from.inverse_transform_point(&start.into()); // where the surface takes that point
        let surface_shift = flatten::<D>(&(carried.coords - start));
        let moved = positions.now[i] - positions.start[i] - surface_shift;
        Some(Touch {
            particle,
            target,
            support: Vec::new(),
            normal,
            gap: contact.distance - radius,
            slip: tangential(before.unwrap_or_else(Vect::zeros) + moved, &normal),
            surface_velocity: surface_shift / dt,
            stiffness: LAYER_STIFFNESS * self.layer[i],
            friction: collider.friction,
            adhesion,
            restitution: collider.restitution,
        })
    }
}
