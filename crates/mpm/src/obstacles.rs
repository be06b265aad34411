//! Colliders and walls: what nodes and particles may not enter (Nilles 2020, steps 5 and 9; Fumoto, Eq. 11).

use super::grid::node_position;
use super::layout::{Place, block_edge, block_size};
use super::obstacle::{Obstacle, is_fine};
use super::settings::Surface;
use pliant_math::{Vect, embed, flatten};
use pliant_world::Collider;
use std::borrow::Cow;

/// The obstacles of one step.
pub(crate) struct Obstacles<'a> {
    all: Vec<Obstacle<'a>>,
    dt: f64,
    spacing: f64,
}

/// A node inside an obstacle that never moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch<const D: usize> {
    pub node: u16,
    obstacle: u32,
    /// Outward.
    pub normal: Vect<D>,
}

/// What an obstacle is to a node inside it, over one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Footing<const D: usize> {
    /// Outward.
    pub normal: Vect<D>,
    /// Velocity of the surface [m/s].
    pub surface: Vect<D>,
    /// Coulomb friction.
    pub friction: f64,
    /// Impulse with which it holds the node [N s]; infinite for glue.
    pub hold: f64,
}

impl<const D: usize> Footing<D> {
    /// Glue that moves at this velocity [m/s].
    pub fn glue(surface: Vect<D>) -> Self {
        Self { normal: Vect::zeros(), surface, friction: 0.0, hold: f64::INFINITY }
    }
}

/// Obstacles that one node may be inside of; a corner of walls has `D`.
pub(crate) const MAX_TOUCHES: usize = 8;

/// An obstacle this many cells thick has nodes inside wherever it is.
const THICK: f64 = 2.0;
/// A node this many cells outside still counts as inside: one on the surface belongs to the obstacle.
const SURFACE: f64 = 1e-6;

impl<'a> Obstacles<'a> {
    /// `surfaces` are of the first colliders; those that follow are walls.
    pub fn new(
        colliders: impl Iterator<Item = &'a Collider>,
        surfaces: &'a [Surface],
        spacing: f64,
        (time, dt): (f64, f64),
    ) -> Self {
        let changed = |collider: &'a Collider| match collider.shape.is_changing() {
            true => Cow::Owned(Collider { shape: collider.shape.at(time + dt), ..collider.clone() }),
            false => Cow::Borrowed(collider),
        };
        let obstacle = |(index, collider): (usize, &'a Collider)| Obstacle {
            collider: changed(collider),
            earlier: collider.shape.is_changing().then(|| collider.shape.at(time)),
            surfaces: surfaces.iter().filter(|surface| surface.collider == index).collect(),
            time: time + dt,
            before: collider.world_from_initial(time),
            after: collider.world_from_initial(time + dt),
            is_fine: is_fine(&collider.shape, THICK * spacing),
        };
        Self { all: colliders.enumerate().map(obstacle).collect(), dt, spacing }
    }

    /// The obstacles within `reach` cells of a block, by index.
    pub fn near<const D: usize>(&self, place: &Place<D>, reach: f64) -> Vec<usize> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let half = 0.5 * (block_edge(D) as f64 - 1.0);
        let middle = Vect::<D>::from_fn(|axis, _| {
            self.spacing * (f64::from(place.0[axis]) * block_edge(D) as f64 + half)
        });
        let radius = self.spacing * ((half + reach) * (D as f64).sqrt());
        let is_near = |index: &usize| {
            let obstacle = &self.all[*index];
            obstacle.collider.distance(&obstacle.after, &embed(&middle)) < radius
        };
        (0..self.all.len()).filter(is_near).collect()
    }

    /// The nodes of a block that are inside obstacles which never move: found once, while the grid stands.
    pub fn touches<const D: usize>(&self, place: &Place<D>) -> Vec<Touch<D>> {
        let mut touches = Vec::new();
        for index in self.near(place, 0.0) {
            let obstacle = &self.all[index];
            if !obstacle.is_static() {
                continue;
            }
            for node in 0..block_size(D) {
                let x = embed(&node_position(self.spacing, place, node));
                if let Some(contact) = obstacle.collider.contact(&obstacle.after, &x, SURFACE * self.spacing)
                {
                    let normal = flatten(&contact.normal);
                    touches.push(Touch { node: node as u16, obstacle: index as u32, normal });
                }
            }
        }
        touches.sort_by_key(|touch| touch.node);
        touches
    }

    /// Distance between nodes [m].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Whether any obstacle is a mirror.
    pub fn has_mirrors(&self) -> bool {
        self.all.iter().any(Obstacle::is_mirror)
    }

    /// Tensile stress with which the obstacle under a node holds matter [Pa], if it is a mirror.
    pub fn mirror_hold<const D: usize>(&self, touch: &Touch<D>) -> Option<f64> {
        let obstacle = &self.all[touch.obstacle as usize];
        obstacle.is_mirror().then_some(obstacle.collider.stickiness)
    }

    /// Distance of a place from the obstacle under a node [m].
    pub fn distance<const D: usize>(&self, touch: &Touch<D>, x: &Vect<D>) -> f64 {
        let obstacle = &self.all[touch.obstacle as usize];
        obstacle.collider.distance(&obstacle.after, &embed(x))
    }

    /// The obstacles near a block that move.
    pub fn moving_near<const D: usize>(&self, place: &Place<D>) -> Vec<usize> {
        if self.all.iter().all(Obstacle::is_static) {
            return Vec::new();
        }
        let mut near = self.near(place, 0.0);
        near.retain(|&index| !self.all[index].is_static());
        near
    }

    /// The velocity that an obstacle allows a node inside it.
    pub fn press<const D: usize>(
        &self,
        touch: &Touch<D>,
        (x, species): (&Vect<D>, usize),
        velocity: Vect<D>,
        pull: f64,
    ) -> Vect<D> {
        let obstacle = &self.all[touch.obstacle as usize];
        obstacle.allowed((&embed(x), species), &touch.normal, velocity, (pull, self.dt))
    }

    /// The velocity of a node at `x` that the obstacles allow. `pull` is the stress that a velocity of one would mean to
    /// a sticky surface [Pa s/m].
    pub fn constrain<const D: usize>(
        &self,
        near: &[usize],
        (x, species): (&Vect<D>, usize),
        velocity: Vect<D>,
        pull: f64,
    ) -> Vect<D> {
        near.iter().fold(velocity, |velocity, &index| {
            let obstacle = &self.all[index];
            match obstacle.collider.contact(&obstacle.after, &embed(x), SURFACE * self.spacing) {
                Some(contact) => {
                    let normal = flatten(&contact.normal);
                    obstacle.allowed((&embed(x), species), &normal, velocity, (pull, self.dt))
                }
                None => velocity,
            }
        })
    }

    /// What the obstacles are to a node at `x` [m].
    pub fn footings<const D: usize>(&self, near: &[usize], x: &Vect<D>, species: usize) -> Vec<Footing<D>> {
        let area = self.spacing.powi(D as i32 - 1);
        let footing = |&index: &usize| {
            let obstacle = &self.all[index];
            let contact = obstacle.collider.contact(&obstacle.after, &embed(x), SURFACE * self.spacing)?;
            let (friction, stickiness) = obstacle.grip(&embed(x), species);
            Some(Footing {
                normal: flatten(&contact.normal),
                surface: flatten(&obstacle.surface_velocity(&embed(x), self.dt)),
                friction,
                hold: stickiness * area * self.dt,
            })
        };
        near.iter().filter_map(footing).collect()
    }

    /// The obstacles within `reach` cells of a block that its particles must look for on their own: those that the grid may
    /// be too coarse to see, or all.
    pub fn to_watch<const D: usize>(&self, place: &Place<D>, reach: f64, always: bool) -> Vec<usize> {
        let is_watched = |index: usize| always || self.all[index].is_fine;
        if !(0..self.all.len()).any(is_watched) {
            return Vec::new();
        }
        let mut near = self.near(place, reach);
        near.retain(|&index| is_watched(index));
        near
    }

    /// Keeps a particle that would move from `start` by `step` out of obstacles: its new place and velocity.
    pub fn stop<const D: usize>(
        &self,
        watched: &[usize],
        (start, step, species): (&Vect<D>, Vect<D>, usize),
        velocity: Vect<D>,
    ) -> (Vect<D>, Vect<D>) {
        let (mut place, mut velocity) = (start + step, velocity);
        for &index in watched {
            let obstacle = &self.all[index];
            let step = place - start;
            let Some(hit) = obstacle.hit(&embed(start), &embed(&step)) else { continue };
            let contact = obstacle.collider.contact(&obstacle.after, &hit, f64::INFINITY);
            let Some(contact) = contact else { continue };
            let normal: Vect<D> = flatten(&contact.normal);
            let depth = normal.dot(&(place - flatten(&hit))) + contact.distance;
            if depth < 0.0 {
                place -= normal * depth;
            }
            velocity = obstacle.allowed((&hit, species), &normal, velocity, (0.0, self.dt));
        }
        // A shape without a normal there says nothing: the particle waits.
        let is_sound = place.iter().chain(velocity.iter()).all(|component| component.is_finite());
        if is_sound { (place, velocity) } else { (*start, Vect::zeros()) }
    }
}
