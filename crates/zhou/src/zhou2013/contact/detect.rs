//! Finding contacts: a broad phase once a step, the contacts themselves at every position asked for.

use super::bodies::{BodySearch, DRIFT};
use super::{History, Touch};
use crate::zhou2013::neighbourhoods::Neighbourhoods;
use nalgebra::Isometry3;
use pliant_math::{Vect, parallel};
use pliant_solver::{Span, StepError};
use pliant_world::World;

/// Particles whose weighted neighbour sum is above this share of `Σ w |p|` have a free side.
const SURFACE: f64 = 0.1;

/// What contact needs to know of each particle, fixed until neighbourhoods change.
#[derive(Clone, Debug)]
pub(crate) struct Detector {
    pub(in crate::zhou2013) spacing: Vec<f64>,
    /// `(λ + 2μ) V / d²`: stiffness of a layer one spacing thick [N/m].
    pub(super) layer: Vec<f64>,
    pub(super) friction: Vec<f64>,
    pub(super) stickiness: Vec<f64>,
    pub(super) on_surface: Vec<bool>,
    pub(super) self_contact: bool,
}

/// Pairs that may touch in this step.
#[derive(Debug)]
pub(crate) struct Candidates<const D: usize> {
    pub(super) colliders: Vec<(u32, u32)>,
    /// Particles with the particles they may touch in this step.
    pub(super) pairs: Vec<(u32, Vec<u32>)>,
    /// Poses of the colliders at the start and the end of the step.
    pub(super) poses: Vec<(Isometry3<f64>, Isometry3<f64>)>,
    pub(super) dt: f64,
    /// Positions they were searched at [m].
    found_at: Vec<Vect<D>>,
}

/// Positions a contact search works with.
#[derive(Clone, Copy)]
pub(crate) struct Positions<'a, const D: usize> {
    /// At the start of the step [m].
    pub start: &'a [Vect<D>],
    /// Now [m].
    pub now: &'a [Vect<D>],
}

/// Which particles hold together as neighbours: those never collide.
pub(crate) trait Bonds: Sync {
    /// Takes those that hold together with particle i out of `others`, which are in rising order.
    fn leave_free(&self, i: usize, others: &mut Vec<u32>);
}

impl<const D: usize> Bonds for Neighbourhoods<D> {
    fn leave_free(&self, i: usize, others: &mut Vec<u32>) {
        for edges in [self.outgoing(i), self.incoming(i)] {
            let mut bonded = edges.ends.iter().peekable();
            others.retain(|j| {
                while bonded.next_if(|end| *end < j).is_some() {}
                bonded.peek() != Some(&j)
            });
        }
    }
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
    pub(in crate::zhou2013) fn find_surface<const D: usize>(&mut self, neighbourhoods: &Neighbourhoods<D>) {
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
        bonds: &impl Bonds,
        positions: Positions<'_, D>,
        Span { time, dt, .. }: Span,
    ) -> Result<Candidates<D>, StepError> {
        let poses: Vec<_> = world
            .colliders
            .iter()
            .map(|c| (c.world_from_initial(time), c.world_from_initial(time + dt)))
            .collect();
        let found_at = positions.now.to_vec();
        let mut candidates = Candidates { colliders: Vec::new(), pairs: Vec::new(), poses, dt, found_at };
        self.near_colliders(world, positions, &mut candidates);
        let near = self.near_bodies(world, positions)?;
        candidates.pairs = self.pairs(world, bonds, &near, positions.now);
        Ok(candidates)
    }

    /// Whether something moved so far since the search that it may have met what was not found.
    pub fn is_outdated<const D: usize>(&self, candidates: &Candidates<D>, x: &[Vect<D>]) -> bool {
        let moved = |i: usize| (x[i] - candidates.found_at[i]).norm() / self.spacing[i];
        parallel::max(x.len(), moved).is_some_and(|(_, farthest)| farthest > DRIFT)
    }

    /// The contacts at `positions.now`, in a fixed order.
    pub fn touches<const D: usize>(
        &self,
        world: &World<D>,
        history: &History<D>,
        candidates: &Candidates<D>,
        positions: Positions<'_, D>,
    ) -> Vec<Touch<D>> {
        let mut colliders: Vec<Option<Touch<D>>> = vec![None; candidates.colliders.len()];
        parallel::fill(&mut colliders, |k| {
            let (particle, collider) = candidates.colliders[k];
            let poses = &candidates.poses[collider as usize];
            self.touch_collider(world, history, (particle, collider), (poses, candidates.dt), positions)
        });
        let mut bodies: Vec<Vec<Touch<D>>> = vec![Vec::new(); candidates.pairs.len()];
        parallel::fill(&mut bodies, |k| {
            let (i, others) = &candidates.pairs[k];
            self.touch_bodies(&BodySearch { world, history, positions }, *i as usize, others)
        });
        colliders.into_iter().flatten().chain(bodies.into_iter().flatten()).collect()
    }
}
