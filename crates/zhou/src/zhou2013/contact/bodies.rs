//! Particles against other bodies and the far side of their own.

use super::detect::{Bonds, Detector, Positions};
use super::{History, LAYER_STIFFNESS, SAFE_TRAVEL, Target, Touch, tangential};
use pliant_geometry::kernel;
use pliant_geometry::neighbours::Cells;
use pliant_math::{Vect, parallel};
use pliant_solver::StepError;
use pliant_world::World;

/// Bodies are felt from this many spacings on; nearer than one spacing they push.
const REACH: f64 = 1.5;
/// Pairs are searched this many spacings farther out, because particles move while a step is solved.
const MARGIN: f64 = 0.5;

/// What a search against bodies reads.
pub(super) struct BodySearch<'a, const D: usize> {
    pub world: &'a World<D>,
    pub history: &'a History<D>,
    pub positions: Positions<'a, D>,
}

impl Detector {
    /// Particles inside the swept bounds of another body, and all free sides if bodies collide with themselves.
    pub(super) fn near_bodies<const D: usize>(
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
    pub(super) fn pairs<const D: usize>(
        &self,
        world: &World<D>,
        bonds: &impl Bonds,
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
                if apart && (x[there] - x[here]).norm() < reach(here, there) && !bonds.are_bonded(here, there)
                {
                    row.push(j);
                }
            });
            row.sort_unstable_by_key(|&j| (body[j as usize], j));
        });
        rows.retain(|(_, row)| !row.is_empty());
        rows
    }

    pub(super) fn touch_bodies<const D: usize>(
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
