//! One collider over one step: where its surface is, how fast it moves, and what it does to what touches it.

use super::settings::{Domain, Surface};
use nalgebra::{Isometry3, Point3};
use pliant_expression::Expression;
use pliant_geometry::Shape;
use pliant_math::{Vec3, Vect, flatten};
use pliant_world::{Collider, Motion};
use std::borrow::Cow;

/// A collider over one step.
pub(super) struct Obstacle<'a> {
    /// As it is at the end of the step.
    pub collider: Cow<'a, Collider>,
    /// As it was at the start, if its shape changes.
    pub earlier: Option<Shape>,
    /// What it is to some species, or in some places.
    pub surfaces: Vec<&'a Surface>,
    /// End of the step [s].
    pub time: f64,
    pub before: Isometry3<f64>,
    pub after: Isometry3<f64>,
    /// Whether the grid may be too coarse to see it, or an edge of it.
    pub is_fine: bool,
}

/// Steps a particle takes to an obstacle in its way; the distance is safe to march along.
const MARCH: usize = 32;

impl Obstacle<'_> {
    /// Whether it is a smooth plane that stands still.
    pub fn is_mirror(&self) -> bool {
        let Collider { friction, stickiness, restitution, .. } = *self.collider;
        let is_smooth = friction == 0.0 && restitution == 0.0 && stickiness.is_finite();
        is_smooth && self.surfaces.is_empty() && self.is_static() && is_plane(&self.collider.shape)
    }

    /// Whether it is the same at every step.
    pub fn is_static(&self) -> bool {
        self.collider.motion.is_static() && self.earlier.is_none()
    }

    /// Velocity of the surface at a point: that of its motion, and how fast a changing shape comes nearer.
    pub fn surface_velocity(&self, x: &Vec3, dt: f64) -> Vec3 {
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
    pub fn grip(&self, x: &Vec3, species: usize) -> (f64, f64) {
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
    pub fn allowed<const D: usize>(
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
    pub fn hit(&self, start: &Vec3, step: &Vec3) -> Option<Vec3> {
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

fn is_plane(shape: &Shape) -> bool {
    match shape {
        Shape::HalfSpace { .. } => true,
        Shape::Placed { shape, .. } => is_plane(shape),
        _ => false,
    }
}

/// Round shapes whose thickness is plain to see are left to the grid. Near an edge it is not trusted: a node behind one face may be
/// nearer to another, which lets matter in along it.
pub(super) fn is_fine(shape: &Shape, thick: f64) -> bool {
    match shape {
        Shape::HalfSpace { .. } => false,
        Shape::Ball { radius } | Shape::Capsule { radius, .. } => 2.0 * radius < thick,
        Shape::Placed { shape, placement } => is_fine(shape, thick / placement.scale),
        Shape::Union(shapes) => shapes.iter().any(|shape| is_fine(shape, thick)),
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
