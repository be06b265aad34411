//! Particles against other bodies and the far side of their own.

use super::detect::{Bonds, Detector, Positions};
use super::{History, LAYER_STIFFNESS, SAFE_TRAVEL, Target, Touch, tangential};
use pliant_geometry::kernel;
use pliant_geometry::neighbours::{Cells, Run};
use pliant_math::Vect;
use pliant_solver::StepError;
use pliant_world::World;

/// Bodies are felt from this many spacings on; nearer than one spacing they push.
const REACH: f64 = 1.5;
/// A particle may move this many spacings past another body in a step: pairs are searched for that much farther out.
const LONGEST_PASS: f64 = 2.0;
/// And this many spacings farther still, because particles move while a step is solved.
pub(super) const DRIFT: f64 = 0.5;
/// Passes are looked at this often, in spacings.
const PACE: f64 = 0.25;

/// What a search against bodies reads.
pub(super) struct BodySearch<'a, const D: usize> {
    pub world: &'a World<D>,
    pub history: &'a History<D>,
    pub positions: Positions<'a, D>,
}

impl<const D: usize> BodySearch<'_, D> {
    fn body(&self, particle: u32) -> u32 {
        self.world.particles.body[particle as usize]
    }
}

impl Detector {
    /// Particles inside the swept bounds of another body, and all free sides if bodies collide with themselves; and the
    /// longest way one of them moves past another body.
    ///
    /// # Errors
    /// When one moves so far that a contact could be missed.
    pub(super) fn near_bodies<const D: usize>(
        &self,
        world: &World<D>,
        positions: Positions<'_, D>,
    ) -> Result<(Vec<u32>, f64), StepError> {
        let (mut particles, mut longest) = (Vec::new(), 0.0_f64);
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
                    longest = longest.max(travel);
                    let limit = LONGEST_PASS * self.spacing[i].min(other.spacing);
                    if travel > limit {
                        return Err(StepError::TooFast { particle: i, distance: travel, limit });
                    }
                }
                if near {
                    particles.push(i as u32);
                }
            }
        }
        Ok((particles, longest))
    }

    /// For each of `particles`, the others that belong elsewhere and may come within reach.
    pub(super) fn pairs<const D: usize>(
        &self,
        world: &World<D>,
        bonds: &impl Bonds,
        (particles, longest): &(Vec<u32>, f64),
        x: &[Vect<D>],
    ) -> Vec<(u32, Vec<u32>)> {
        let near: Vec<Vect<D>> = particles.iter().map(|&i| x[i as usize]).collect();
        let reach = |spacing: f64| (REACH + DRIFT) * spacing + 2.0 * longest;
        let widest = reach(world.bodies.iter().map(|body| body.spacing).fold(f64::MIN_POSITIVE, f64::max));
        let cells = Cells::new(&near, widest);
        let body = &world.particles.body;
        let pairs_of = |(k, place): (u32, &Vect<D>), around: &[Run<'_, D>]| {
            let here = particles[k as usize] as usize;
            let mut row = Vec::new();
            for (other, its_place) in around.iter().flat_map(|run| run.iter()) {
                let distance = (its_place - place).norm_squared();
                if distance >= widest * widest {
                    continue; // most are, and nothing else has to be looked up for them
                }
                let j = particles[other as usize];
                let there = j as usize;
                let apart = body[there] != body[here]
                    || self.self_contact && self.on_surface[here] && self.on_surface[there] && there != here;
                let reach = reach(0.5 * (self.spacing[here] + self.spacing[there]));
                if apart && distance < reach * reach {
                    row.push(j);
                }
            }
            row.sort_unstable();
            bonds.leave_free(here, &mut row);
            row.sort_unstable_by_key(|&j| (body[j as usize], j));
            (here as u32, row)
        };
        let found = cells.map(|points, around| {
            let rows = points.iter().map(|point| pairs_of(point, around));
            rows.filter(|(_, row)| !row.is_empty()).collect::<Vec<_>>()
        });
        let mut rows = found.concat();
        rows.sort_unstable_by_key(|(i, _)| *i);
        rows
    }

    pub(super) fn touch_bodies<const D: usize>(
        &self,
        search: &BodySearch<'_, D>,
        i: usize,
        others: &[u32],
    ) -> Vec<Touch<D>> {
        others
            .chunk_by(|a, b| search.body(*a) == search.body(*b))
            .filter_map(|group| self.touch_group(search, i, group))
            .collect()
    }

    /// Particles of another body that carry a touch, with weights that add up to 1, seen after a share of the step.
    fn support<const D: usize>(
        &self,
        positions: Positions<'_, D>,
        (i, others): (usize, &[u32]),
        share: f64,
    ) -> Vec<(u32, f64)> {
        let Positions { start, now } = positions;
        let at = |i: usize| start[i] + (now[i] - start[i]) * share;
        let here = at(i);
        let weigh = |&j: &u32| {
            let reach = REACH * 0.5 * (self.spacing[i] + self.spacing[j as usize]);
            let weight = kernel::cosine((at(j as usize) - here).norm(), reach);
            (weight > 0.0).then_some((j, weight))
        };
        let mut support: Vec<(u32, f64)> = others.iter().filter_map(weigh).collect();
        let total: f64 = support.iter().map(|entry| entry.1).sum();
        support.iter_mut().for_each(|entry| entry.1 /= total);
        support
    }

    /// Where a particle first comes within a spacing of another body during the step, or where they are now. Later in a
    /// long step the particle may be deep inside, where nearby particles tell nothing of the way out.
    fn meeting_of_bodies<const D: usize>(
        &self,
        positions: Positions<'_, D>,
        (i, others): (usize, &[u32]),
    ) -> Option<Meeting<D>> {
        let Positions { start, now } = positions;
        let travel = now[i] - start[i];
        let past = |&j: &u32| (travel - (now[j as usize] - start[j as usize])).norm_squared();
        let longest = others.iter().map(past).fold(0.0, f64::max).sqrt();
        let looks = if longest > SAFE_TRAVEL * self.spacing[i] {
            (longest / (PACE * self.spacing[i])).ceil() as u32
        } else {
            1
        };
        (1..=looks).find_map(|look| {
            let share = f64::from(look) / f64::from(looks);
            let support = self.support(positions, (i, others), share);
            if support.is_empty() {
                return None;
            }
            let theirs: f64 = support.iter().map(|&(j, weight)| self.spacing[j as usize] * weight).sum();
            let rest_distance = 0.5 * (self.spacing[i] + theirs);
            let at = |i: usize| start[i] + (now[i] - start[i]) * share;
            let there: Vect<D> = support.iter().map(|&(j, weight)| at(j as usize) * weight).sum();
            let apart = at(i) - there;
            let normal = apart.try_normalize(1e-9 * rest_distance)?;
            let is_met = apart.norm() < rest_distance || look == looks;
            is_met.then_some(Meeting { support, rest_distance, normal })
        })
    }

    fn touch_group<const D: usize>(
        &self,
        search: &BodySearch<'_, D>,
        i: usize,
        others: &[u32],
    ) -> Option<Touch<D>> {
        let Meeting { support, rest_distance, normal } =
            self.meeting_of_bodies(search.positions, (i, others))?;
        let mean = |column: &[f64]| support.iter().map(|&(j, share)| column[j as usize] * share).sum::<f64>();
        let target = Target::Body(search.body(others[0]));
        let before = search.history.slip(i as u32, target);
        let (mine, theirs) = (self.layer[i], mean(&self.layer));
        let friction = 0.5 * (self.friction[i] + mean(&self.friction));
        let stickiness = self.stickiness[i].min(mean(&self.stickiness));
        let adhesion = if before.is_some() { stickiness * self.spacing[i].powi(D as i32 - 1) } else { 0.0 };
        let mut touch = Touch {
            particle: i as u32,
            target,
            support,
            normal,
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
        touch.gap = normal.dot(&apart) - rest_distance;
        let moved = apart - touch.relative(start);
        touch.slip = tangential(before.unwrap_or_else(Vect::zeros) + moved, &touch.normal);
        Some(touch)
    }
}

/// How a particle meets another body.
struct Meeting<const D: usize> {
    /// Particles of the body that carry the touch, with weights that add up to 1.
    support: Vec<(u32, f64)>,
    /// How far apart the two are when nothing presses [m].
    rest_distance: f64,
    /// From the body to the particle.
    normal: Vect<D>,
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
