//! Particles against colliders.

use super::detect::{Candidates, Detector, Positions};
use super::{History, LAYER_STIFFNESS, SAFE_TRAVEL, Target, Touch, tangential};
use nalgebra::Isometry3;
use pliant_geometry::Shape;
use pliant_math::{Vec3, Vect, embed, flatten, parallel};
use pliant_solver::StepError;
use pliant_world::World;

/// Paths are looked at this often, in spacings: walls are at least as thick.
const PACE: f64 = 0.1;

/// Whether a particle stays outside of a shape on its way. Distance changes at most as fast as position.
fn stays_outside(shape: &Shape, (from, to): (&Vec3, &Vec3), (radius, pace): (f64, f64)) -> bool {
    let along = to - from;
    let (length, mut done) = (along.norm(), 0.0);
    while done < length {
        let gap = shape.distance(&(from + along * (done / length))) - radius;
        if gap < 0.0 {
            return false;
        }
        done += gap.max(pace);
    }
    shape.distance(to) >= radius
}

impl Detector {
    /// Lists the particles that may touch a collider in this step.
    ///
    /// # Errors
    /// When one moves so far that it may have crossed a surface unseen.
    pub(super) fn near_colliders<const D: usize>(
        &self,
        world: &World<D>,
        positions: Positions<'_, D>,
        candidates: &mut Candidates,
    ) -> Result<(), StepError> {
        let mut near = vec![Ok(false); world.particles.len()];
        for (index, collider) in world.colliders.iter().enumerate() {
            let (from, to) = &candidates.poses[index];
            parallel::fill(&mut near, |i| {
                let (start, now) = (embed(&positions.start[i]), embed(&positions.now[i]));
                let local_start = from.inverse_transform_point(&start.into());
                let local_now = to.inverse_transform_point(&now.into());
                let travel = (local_now - local_start).norm();
                let radius = 0.5 * self.spacing[i];
                let gap = collider.shape.distance(&local_now.coords) - radius;
                if gap > self.spacing[i] + travel {
                    return Ok(false);
                }
                let limit = SAFE_TRAVEL * self.spacing[i];
                let path = (&local_start.coords, &local_now.coords);
                let body = (radius, PACE * self.spacing[i]);
                if travel > limit && !stays_outside(&collider.shape, path, body) {
                    return Err(StepError::TooFast { particle: i, distance: travel, limit });
                }
                Ok(gap < self.spacing[i])
            });
            for (i, near) in (0u32..).zip(&near) {
                if near.clone()? {
                    candidates.colliders.push((i, index as u32));
                }
            }
        }
        Ok(())
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
        let contact = collider.contact(to, &embed(&positions.now[i]), reach)?;
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
