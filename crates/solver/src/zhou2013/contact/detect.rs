//! Finding contacts: a broad phase once a step, the contacts themselves at every position asked for.

use super::{History, LAYER_STIFFNESS, Target, Touch};
use crate::zhou2013::neighbourhoods::Neighbourhoods;
use crate::{Span, StepError};
use nalgebra::Isometry3;
use pliant_geometry::kernel;
use pliant_geometry::neighbours::Cells;
use pliant_math::{Vect, embed, flatten, parallel};
use pliant_world::World;

/// Bodies are felt from this many spacings on; nearer than one spacing they push.
const REACH: f64 = 1.5;
/// Pairs are searched this many spacings farther out, because particles move while a step is solved.
const MARGIN: f64 = 0.5;
/// A particle near an obstacle may move this share of its spacing in a step, so that nothing tunnels.
const SAFE_TRAVEL: f64 = 0.5;
/// Particles whose weighted neighbour sum is above this share of `Σ w |p|` have a free side.
const SURFACE: f64 = 0.1;

/// What contact needs to know of each particle, fixed until neighbourhoods change.
#[derive(Clone, Debug)]
pub(in super::super) struct Detector {
    spacing: Vec<f64>,
    /// `(λ + 2μ) V / d²`: stiffness of a layer one spacing thick [N/m].
    layer: Vec<f64>,
    friction: Vec<f64>,
    stickiness: Vec<f64>,
    on_surface: Vec<bool>,
    self_contact: bool,
}

/// Pairs that may touch in this step.
#[derive(Debug)]
pub(in super::super) struct Candidates {
    colliders: Vec<(u32, u32)>,
    /// Particles with the particles they may touch in this step.
    pairs: Vec<(u32, Vec<u32>)>,
    /// Poses of the colliders at the start and the end of the step.
    poses: Vec<(Isometry3<f64>, Isometry3<f64>)>,
    dt: f64,
}

/// Positions a contact search works with.
#[derive(Clone, Copy)]
pub(in super::super) struct Positions<'a, const D: usize> {
    /// At the start of the step [m].
    pub start: &'a [Vect<D>],
    /// Now [m].
    pub now: &'a [Vect<D>],
}

impl Detector {
    pub fn new<const D: usize>(world: &World<D>, self_contact: bool) -> Self {
        let count = world.particles.len();
        let spacing: Vec<f64> =
            (0..count).map(|i| world.bodies[world.particles.body[i] as usize].spacing).collect();
        let materials: Vec<_> = (0..count).map(|i| world.material_of(i)).collect();
        let layer = (0..count)
            .map(|i| materials[i].lame.p_wave() * world.particles.rest_volume[i] / spacing[i].powi(2))
            .collect();
        let friction = materials.iter().map(|material| material.friction).collect();
        let stickiness = materials.iter().map(|material| material.stickiness).collect();
        Self { spacing, layer, friction, stickiness, on_surface: vec![true; count], self_contact }
    }

    /// Marks the particles that have a free side.
    pub fn find_surface<const D: usize>(&mut self, neighbourhoods: &Neighbourhoods<D>) {
        parallel::fill(&mut self.on_surface, |i| {
            let fit = &neighbourhoods.fits[i];
            let reach: f64 = neighbourhoods.offsets(i).map(|(_, p, w)| w * p.norm()).sum();
            fit.weight_sum.norm() >= SURFACE * reach
        });
    }

    /// Which pairs may touch between `positions.start` and `positions.now`.
    ///
    /// # Errors
    /// When something moves so far that a contact could be missed.
    pub fn broad_phase<const D: usize>(
        &self,
        world: &World<D>,
        neighbourhoods: &Neighbourhoods<D>,
        positions: Positions<'_, D>,
        Span { time, dt, .. }: Span,
    ) -> Result<Candidates, StepError> {
        let poses: Vec<_> = world
            .colliders
            .iter()
            .map(|c| (c.world_from_initial(time), c.world_from_initial(time + dt)))
            .collect();
        let mut candidates = Candidates { colliders: Vec::new(), pairs: Vec::new(), poses, dt };
        self.near_colliders(world, positions, &mut candidates)?;
        let particles = self.near_bodies(world, positions)?;
        candidates.pairs = self.pairs(world, neighbourhoods, &particles, positions.now);
        Ok(candidates)
    }

    fn near_colliders<const D: usize>(
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
                // Distance changes at most as fast as position: what starts and ends farther away than it
                // travels cannot have crossed the surface.
                let start_gap = collider.shape.distance(&local_start.coords) - radius;
                if travel > limit && start_gap.max(0.0) + gap.max(0.0) <= travel {
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

    /// Particles inside the swept bounds of another body, and all free sides if bodies collide with themselves.
    fn near_bodies<const D: usize>(
        &self,
        world: &World<D>,
        positions: Positions<'_, D>,
    ) -> Result<Vec<u32>, StepError> {
        let mut particles = Vec::new();
        let swept: Vec<Swept<D>> = world.bodies.iter().map(|body| Swept::new(body, positions)).collect();
        for (index, body) in world.bodies.iter().enumerate() {
            let others: Vec<&Swept<D>> = swept
                .iter()
                .enumerate()
                .filter(|(other, bounds)| *other != index && bounds.overlaps(&swept[index]))
                .map(|(_, bounds)| bounds)
                .collect();
            for i in body.particles.clone() {
                let mut near = self.self_contact && self.on_surface[i];
                for other in others.iter().filter(|other| other.holds(i, positions)) {
                    near = true;
                    let travel = (positions.now[i] - positions.start[i] - other.mean_travel).norm();
                    let limit = SAFE_TRAVEL * self.spacing[i].min(other.spacing);
                    if travel > limit {
                        return Err(StepError::TooFast { particle: i, distance: travel, limit });
                    }
                }
                if near {
                    particles.push(i as u32);
                }
            }
        }
        Ok(particles)
    }

    /// For each of `particles`, the others that belong elsewhere and may come within reach.
    fn pairs<const D: usize>(
        &self,
        world: &World<D>,
        neighbourhoods: &Neighbourhoods<D>,
        particles: &[u32],
        x: &[Vect<D>],
    ) -> Vec<(u32, Vec<u32>)> {
        let near: Vec<Vect<D>> = particles.iter().map(|&i| x[i as usize]).collect();
        let reach = |i: usize, j: usize| (REACH + MARGIN) * 0.5 * (self.spacing[i] + self.spacing[j]);
        let widest = world.bodies.iter().map(|body| body.spacing).fold(f64::MIN_POSITIVE, f64::max);
        let cells = Cells::new(&near, (REACH + MARGIN) * widest);
        let body = &world.particles.body;
        let mut rows: Vec<(u32, Vec<u32>)> = particles.iter().map(|&i| (i, Vec::new())).collect();
        parallel::update(&mut rows, |k, (i, row)| {
            let here = *i as usize;
            cells.for_each_near(&near[k], |other| {
                let j = particles[other as usize];
                let there = j as usize;
                let apart = body[there] != body[here]
                    || self.self_contact && self.on_surface[here] && self.on_surface[there] && there != here;
                if apart
                    && (x[there] - x[here]).norm() < reach(here, there)
                    && neighbourhoods.row(here).binary_search(&j).is_err()
                    && neighbourhoods.row(there).binary_search(i).is_err()
                {
                    row.push(j);
                }
            });
            row.sort_unstable_by_key(|&j| (body[j as usize], j));
        });
        rows.retain(|(_, row)| !row.is_empty());
        rows
    }

    /// The contacts at `positions.now`, in a fixed order.
    pub fn touches<const D: usize>(
        &self,
        world: &World<D>,
        history: &History<D>,
        candidates: &Candidates,
        positions: Positions<'_, D>,
    ) -> Vec<Touch<D>> {
        let mut found: Vec<Vec<Touch<D>>> = vec![Vec::new(); candidates.colliders.len()];
        parallel::fill(&mut found, |k| {
            let (particle, collider) = candidates.colliders[k];
            let poses = &candidates.poses[collider as usize];
            self.touch_collider(world, history, (particle, collider), (poses, candidates.dt), positions)
                .into_iter()
                .collect()
        });
        let mut bodies: Vec<Vec<Touch<D>>> = vec![Vec::new(); candidates.pairs.len()];
        parallel::fill(&mut bodies, |k| {
            let (i, others) = &candidates.pairs[k];
            self.touch_bodies(&BodySearch { world, history, positions }, *i as usize, others)
        });
        found.into_iter().chain(bodies).flatten().collect()
    }

    fn touch_collider<const D: usize>(
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

    fn touch_bodies<const D: usize>(
        &self,
        search: &BodySearch<'_, D>,
        i: usize,
        others: &[u32],
    ) -> Vec<Touch<D>> {
        let BodySearch { world, positions, .. } = *search;
        let weigh = |&j: &u32| {
            let other = j as usize;
            let reach = REACH * 0.5 * (self.spacing[i] + self.spacing[other]);
            let weight = kernel::cosine((positions.now[other] - positions.now[i]).norm(), reach);
            (weight > 0.0).then_some((world.particles.body[other], j, weight))
        };
        let near: Vec<(u32, u32, f64)> = others.iter().filter_map(weigh).collect(); // body, particle, weight
        near.chunk_by(|a, b| a.0 == b.0).filter_map(|group| self.touch_group(search, i, group)).collect()
    }

    fn touch_group<const D: usize>(
        &self,
        search: &BodySearch<'_, D>,
        i: usize,
        group: &[(u32, u32, f64)],
    ) -> Option<Touch<D>> {
        let total: f64 = group.iter().map(|entry| entry.2).sum();
        let support: Vec<(u32, f64)> = group.iter().map(|&(_, j, weight)| (j, weight / total)).collect();
        let mean = |column: &[f64]| support.iter().map(|&(j, share)| column[j as usize] * share).sum::<f64>();

        let target = Target::Body(group[0].0);
        let before = search.history.slip(i as u32, target);
        let rest_distance = 0.5 * (self.spacing[i] + mean(&self.spacing));
        let (mine, theirs) = (self.layer[i], mean(&self.layer));
        let friction = 0.5 * (self.friction[i] + mean(&self.friction));
        let stickiness = self.stickiness[i].min(mean(&self.stickiness));
        let adhesion = if before.is_some() { stickiness * self.spacing[i].powi(D as i32 - 1) } else { 0.0 };
        let mut touch = Touch {
            particle: i as u32,
            target,
            support,
            normal: Vect::zeros(),
            gap: 0.0,
            slip: Vect::zeros(),
            surface_velocity: Vect::zeros(),
            stiffness: LAYER_STIFFNESS * mine * theirs / (mine + theirs),
            friction,
            adhesion,
            restitution: 0.0,
        };
        let Positions { start, now } = search.positions;
        let apart = touch.relative(now);
        touch.gap = apart.norm() - rest_distance;
        touch.normal = apart.try_normalize(1e-9 * rest_distance)?;
        let moved = apart - touch.relative(start);
        touch.slip = tangential(before.unwrap_or_else(Vect::zeros) + moved, &touch.normal);
        Some(touch)
    }
}

/// What a search against bodies reads.
struct BodySearch<'a, const D: usize> {
    world: &'a World<D>,
    history: &'a History<D>,
    positions: Positions<'a, D>,
}

fn tangential<const D: usize>(v: Vect<D>, normal: &Vect<D>) -> Vect<D> {
    v - normal * normal.dot(&v)
}

/// Bounds of a body over a step, and how far it moves on average.
struct Swept<const D: usize> {
    min: Vect<D>,
    max: Vect<D>,
    spacing: f64,
    mean_travel: Vect<D>,
}

impl<const D: usize> Swept<D> {
    fn new(body: &pliant_world::Body, positions: Positions<'_, D>) -> Self {
        let margin = Vect::repeat(REACH * body.spacing);
        let (mut min, mut max) = (Vect::<D>::repeat(f64::INFINITY), Vect::<D>::repeat(f64::NEG_INFINITY));
        let mut travel = Vect::zeros();
        for i in body.particles.clone() {
            for x in [&positions.start[i], &positions.now[i]] {
                (min, max) = (min.inf(x), max.sup(x));
            }
            travel += positions.now[i] - positions.start[i];
        }
        let mean_travel = travel / body.particles.len().max(1) as f64;
        Self { min: min - margin, max: max + margin, spacing: body.spacing, mean_travel }
    }

    fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    fn holds(&self, i: usize, positions: Positions<'_, D>) -> bool {
        (0..D).all(|axis| {
            let (a, b) = (positions.start[i][axis], positions.now[i][axis]);
            a.min(b) <= self.max[axis] && a.max(b) >= self.min[axis]
        })
    }
}
