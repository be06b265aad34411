//! Colliders as a ray sees them: planes, distance fields and meshes, each at its place.

use std::sync::Arc;

use pliant_geometry::{Placement, Shape};
use pliant_math::Vec3;

use crate::bvh::{Box3, Ray, V3};

/// A collider in a picture.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Its shape, in its own coordinates; shared, because it never changes during a run.
    pub shape: Arc<Shape>,
    /// Where it stands now.
    pub placement: Placement,
    /// Its colour, sRGB in 0..=1; `None` takes the default of its kind.
    pub colour: Option<[f32; 3]>,
}

/// A half-space seen from outside: the ground, a wall.
#[derive(Clone, Debug)]
pub(crate) struct Plane {
    pub normal: V3,
    pub offset: f32,
    pub colour: Option<V3>,
}

impl Plane {
    /// Planes are seen from outside only, so that a wall before the camera does not hide the scene.
    #[inline]
    pub fn intersect(&self, ray: &Ray, limit: f32) -> Option<f32> {
        let approach = self.normal.dot(&ray.direction);
        let distance = (self.offset - self.normal.dot(&ray.origin)) / approach;
        (approach < 0.0 && distance > 0.0 && distance < limit).then_some(distance)
    }
}

/// A shape met by marching along its signed distance.
#[derive(Clone, Debug)]
pub(crate) struct Marched {
    shape: Arc<Shape>,
    placement: Placement,
    bounds: Option<Box3>,
    pub colour: Option<V3>,
}

/// Steps before a ray gives up; grazing rays end here.
const MARCH_STEPS: usize = 160;
/// Unbounded fields are followed this many metres times the scene's size.
const FIELD_REACH: f32 = 50.0;

impl Marched {
    /// The collider, if it is no plane.
    pub fn new(collider: &Collider) -> Self {
        let bounds = collider.shape.bounds().map(|local| {
            let world = local.transformed(&collider.placement);
            Box3 { min: world.min.cast(), max: world.max.cast() }
        });
        Self {
            shape: Arc::clone(&collider.shape),
            placement: collider.placement,
            bounds,
            colour: collider.colour.map(crate::colour::linear),
        }
    }

    pub fn bounds(&self) -> Option<Box3> {
        self.bounds
    }

    /// Signed distance in the world [m].
    pub fn distance(&self, point: &V3) -> f32 {
        let local = self.placement.to_shape(&point.cast());
        (self.shape.distance(&local) * self.placement.scale) as f32
    }

    /// Distance along the ray to the surface; `scale` is the size of the scene [m] and sets the precision.
    pub fn intersect(&self, ray: &Ray, limit: f32, scale: f32) -> Option<f32> {
        let reach = limit.min(FIELD_REACH * scale + ray.origin.norm());
        let (near, far) = match &self.bounds {
            Some(bounds) => bounds.span(ray, reach)?,
            None => (0.0, reach),
        };
        let precision = 1e-4 * scale;
        let mut distance = near;
        for _ in 0..MARCH_STEPS {
            let gap = self.distance(&ray.at(distance));
            if gap < precision {
                // A start inside or on the surface is no hit, else every surface would shadow itself.
                return (distance > 0.0).then_some(distance);
            }
            distance += gap;
            if distance > far {
                return None;
            }
        }
        None
    }

    pub fn normal(&self, point: &V3) -> V3 {
        let local = self.placement.to_shape(&point.cast());
        let normal: Vec3 = self.placement.rotation * self.shape.normal(&local);
        normal.cast()
    }
}

/// The plane a collider is, if its shape is a half-space, however often placed.
pub(crate) fn as_plane(collider: &Collider) -> Option<Plane> {
    let mut shape: &Shape = &collider.shape;
    let mut placements = vec![collider.placement];
    while let Shape::Placed { shape: inner, placement } = shape {
        placements.push(*placement);
        shape = inner;
    }
    let Shape::HalfSpace { normal, offset } = shape else { return None };
    let (mut normal, mut point) = (*normal, normal * *offset);
    for placement in placements.iter().rev() {
        (normal, point) = (placement.rotation * normal, placement.to_world(&point));
    }
    let colour = collider.colour.map(crate::colour::linear);
    Some(Plane { normal: normal.cast(), offset: normal.dot(&point) as f32, colour })
}
