//! Colliders and walls: what nodes and particles may not enter (Nilles 2020, steps 5 and 9; Fumoto, Eq. 11).

use super::grid::node_position;
use super::layout::{Place, block_edge, block_size};
use super::settings::{Domain, Surface};
use nalgebra::{Isometry3, Point3};
use pliant_expression::Expression;
use pliant_geometry::Shape;
use pliant_math::{Vec3, Vect, embed, flatten};
use pliant_world::{Collider, Motion};
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
    normal: Vect<D>,
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

/// A collider over one step.
struct Obstacle<'a> {
    /// As it is at the end of the step.
    collider: Cow<'a, Collider>,
    /// As it was at the start, if its shape changes.
    earlier: Option<Shape>,
    /// What it is to some species, or in some places.
    surfaces: Vec<&'a Surface>,
    /// End of the step [s].
    time: f64,
    before: Isometry3<f64>,
    after: Isometry3<f64>,
    /// Whether the grid may be too coarse to see it.
    may_be_thin: bool,
}

/// An obstacle this many cells thick has nodes inside wherever it is.
const THICK: f64 = 2.0;
/// A node this many cells outside still counts as inside: one on the surface belongs to the obstacle.
const SURFACE: f64 = 1e-6;
/// Steps a particle takes to an obstacle in its way; the distance is safe to march along.
const MARCH: usize = 32;

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
            may_be_thin: may_be_thin(&collider.shape, THICK * spacing),
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

    /// Whether particles in a block that is near these obstacles must look for them on their own.
    pub fn need_care(&self, near: &[usize], always: bool) -> bool {
        near.iter().any(|&index| always || self.all[index].may_be_thin)
    }

    /// Keeps a particle that would move from `start` by `step` out of obstacles that the grid is too coarse to see, or
    /// of all: its new place and velocity.
    pub fn stop<const D: usize>(
        &self,
        near: &[usize],
        always: bool,
        (start, step, species): (&Vect<D>, Vect<D>, usize),
        velocity: Vect<D>,
    ) -> (Vect<D>, Vect<D>) {
        let (mut place, mut velocity) = (start + step, velocity);
        for &index in near {
            let obstacle = &self.all[index];
            if !(always || obstacle.may_be_thin) {
                continue;
            }
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

impl Obstacle<'_> {
    /// Whether it is the same at every step.
    fn is_static(&self) -> bool {
        self.collider.motion.is_static() && self.earlier.is_none()
    }

    /// Velocity of the surface at a point: that of its motion, and how fast a changing shape comes nearer.
    fn surface_velocity(&self, x: &Vec3, dt: f64) -> Vec3 {
        if self.is_static() || dt <= 0.0 {
            return Vec3::zeros();
        }
        let initial = self.after.inverse_transform_point(&Point3::from(*x));
        let carried = (x - self.before.transform_point(&initial).coords) / dt;
        let Some(earlier) = &self.earlier else { return carried };
        let shape = &self.collider.shape;
        let growth = (earlier.distance(&initial.coords) - shape.distance(&initial.coords)) / dt;
        carried + self.after.rotation * shape.normal(&initial.coords) * growth
    }

    /// Friction and stickiness [Pa] to a species at a place.
    fn grip(&self, x: &Vec3, species: usize) -> (f64, f64) {
        let (friction, stickiness) = (self.collider.friction, self.collider.stickiness);
        let fits = |surface: &&&Surface| surface.species.is_none_or(|only| only == species);
        let Some(surface) = self.surfaces.iter().find(fits) else { return (friction, stickiness) };
        let value = |expression: &Option<Expression>, own: f64| match expression {
            // Less than nothing is nothing; NaN stays, and ends the step.
            Some(expression) => match expression.evaluate(&[x.x, x.y, x.z, self.time]) {
                value if value < 0.0 => 0.0,
                value => value,
            },
            None => own,
        };
        (value(&surface.friction, friction), value(&surface.stickiness, stickiness))
    }

    /// Separation, Coulomb friction and sticking (Nilles 2020, step 5).
    fn allowed<const D: usize>(
        &self,
        (x, species): (&Vec3, usize),
        normal: &Vect<D>,
        velocity: Vect<D>,
        (pull, dt): (f64, f64),
    ) -> Vect<D> {
        let restitution = self.collider.restitution;
        let (friction, stickiness) = self.grip(x, species);
        let surface: Vect<D> = flatten(&self.surface_velocity(x, dt));
        if stickiness.is_infinite() {
            return surface;
        }
        let relative = velocity - surface;
        let approach = relative.dot(normal);
        if approach > 0.0 && approach * pull >= stickiness {
            return velocity;
        }
        let sliding = relative - normal * approach;
        let speed = sliding.norm();
        let grip = friction * approach.abs();
        let kept = if speed > grip { sliding * (1.0 - grip / speed) } else { Vect::zeros() };
        surface + kept - normal * (restitution * approach.min(0.0))
    }

    /// Where a particle on its way first meets the obstacle.
    fn hit(&self, start: &Vec3, step: &Vec3) -> Option<Vec3> {
        let length = step.norm();
        let mut travelled = 0.0;
        for _ in 0..MARCH {
            let here = if length > 0.0 { start + step * (travelled / length) } else { *start };
            let distance = self.collider.distance(&self.after, &here);
            if distance < 1e-3 * length || distance <= 0.0 {
                return Some(here);
            }
            travelled += distance;
            if travelled > length {
                return None;
            }
        }
        Some(start + step * (travelled / length).min(1.0))
    }
}

/// Shapes whose thickness is plain to see; for others the grid is not trusted.
fn may_be_thin(shape: &Shape, thick: f64) -> bool {
    match shape {
        Shape::HalfSpace { .. } => false,
        Shape::Cuboid { half_extents } => 2.0 * half_extents.min() < thick,
        Shape::Ball { radius } | Shape::Capsule { radius, .. } => 2.0 * radius < thick,
        Shape::Cylinder { radius, half_height } => 2.0 * radius.min(*half_height) < thick,
        Shape::Placed { shape, placement } => may_be_thin(shape, thick / placement.scale),
        Shape::Union(shapes) => shapes.iter().any(|shape| may_be_thin(shape, thick)),
        _ => true,
    }
}

/// The walls of a bounded domain as obstacles.
pub(crate) fn walls<const D: usize>(domain: &Domain) -> Vec<Collider> {
    let sides = (0..D).flat_map(|axis| {
        let normal = Vec3::from_fn(|row, _| f64::from(u8::from(row == axis)));
        [(normal, domain.min[axis]), (-normal, -domain.max[axis])]
    });
    sides
        .map(|(normal, offset)| Collider {
            name: "wall".to_owned(),
            shape: Shape::HalfSpace { normal, offset },
            motion: Motion::Static,
            friction: domain.friction,
            stickiness: if domain.sticky { f64::INFINITY } else { 0.0 },
            restitution: 0.0,
            color: [0.5; 3],
            visible: false,
        })
        .collect()
}
