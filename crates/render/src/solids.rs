//! Colliders as a ray sees them: planes, meshes and distance fields, each at its place.

use std::sync::Arc;

use nalgebra::UnitQuaternion;
use pliant_geometry::{Placement, Shape};
use pliant_math::Vec3;

use crate::bvh::{Box3, Ray, V3};
use crate::colour::linear;
use crate::mesh::{MeshTracer, SurfaceMesh};

/// A collider in pictures: a shape prepared for rays once, placed anew for every frame.
#[derive(Clone, Debug)]
pub struct Collider {
    body: Arc<Body>,
    placement: Placement,
    colour: Option<V3>,
}

#[derive(Debug)]
enum Body {
    Plane { normal: Vec3, point: Vec3 },
    Mesh(MeshTracer),
    Field(Shape),
}

impl Collider {
    /// A shape where it is, in an sRGB colour (0..=1) or the default of its kind.
    pub fn new(shape: &Shape, colour: Option<[f32; 3]>) -> Self {
        let body = as_plane(shape).or_else(|| as_mesh(shape)).unwrap_or_else(|| Body::Field(shape.clone()));
        Self { body: Arc::new(body), placement: Placement::identity(), colour: colour.map(linear) }
    }

    /// The same collider moved from where its shape was given.
    pub fn at(&self, placement: Placement) -> Self {
        Self { placement, ..self.clone() }
    }

    /// What a ray meets.
    pub(crate) fn placed(&self) -> PlacedSolid {
        let scale = self.placement.scale as f32;
        let solid = match &*self.body {
            Body::Plane { normal, point } => {
                let (normal, point) = (self.placement.rotation * normal, self.placement.to_world(point));
                return PlacedSolid::Plane(Plane {
                    normal: normal.cast(),
                    offset: normal.dot(&point) as f32,
                    colour: self.colour,
                });
            }
            Body::Mesh(tracer) => Some(tracer.bounds()),
            Body::Field(shape) => {
                shape.bounds().map(|b| Box3 { min: b.min.cast::<f32>(), max: b.max.cast::<f32>() })
            }
        };
        PlacedSolid::Solid(Solid {
            body: Arc::clone(&self.body),
            placement: self.placement,
            world_from_body: self.placement.rotation.cast(),
            translation: self.placement.translation.cast(),
            scale,
            bounds: solid.map(|local| self.world_box(&local)),
            colour: self.colour,
        })
    }

    fn world_box(&self, local: &Box3) -> Box3 {
        let mut world = Box3::EMPTY;
        for corner in 0..8 {
            let pick = |axis: usize| if corner >> axis & 1 == 0 { local.min[axis] } else { local.max[axis] };
            let corner = V3::new(pick(0), pick(1), pick(2));
            world.grow(&self.placement.to_world(&corner.cast()).cast());
        }
        world
    }
}

/// The half-space a shape is, however often placed.
fn as_plane(shape: &Shape) -> Option<Body> {
    match shape {
        Shape::HalfSpace { normal, offset } => Some(Body::Plane { normal: *normal, point: normal * *offset }),
        Shape::Placed { shape, placement } => match as_plane(shape)? {
            Body::Plane { normal, point } => {
                Some(Body::Plane { normal: placement.rotation * normal, point: placement.to_world(&point) })
            }
            _ => None,
        },
        _ => None,
    }
}

/// Triangles are met far faster as such than through their distance.
fn as_mesh(shape: &Shape) -> Option<Body> {
    let triangles = shape.triangles()?;
    let mut mesh = SurfaceMesh {
        positions: triangles.vertices.iter().map(|vertex| vertex.cast::<f32>().into()).collect(),
        triangles: triangles.triangles,
        ..SurfaceMesh::default()
    };
    mesh.normals = mesh.vertex_normals();
    Some(Body::Mesh(MeshTracer::new(&mesh, Vec::new())))
}

/// A collider at its place.
#[derive(Clone, Debug)]
pub(crate) enum PlacedSolid {
    Plane(Plane),
    Solid(Solid),
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

/// A collider with an inside that is no half-space.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    body: Arc<Body>,
    placement: Placement,
    world_from_body: UnitQuaternion<f32>,
    translation: V3,
    scale: f32,
    bounds: Option<Box3>,
    pub colour: Option<V3>,
}

/// Steps before a ray gives up; grazing rays end here.
const MARCH_STEPS: usize = 160;
/// Unbounded fields are followed this many scene sizes.
const FIELD_REACH: f32 = 50.0;
/// Distance at which a ray has arrived, in scene sizes.
pub(crate) const ARRIVAL: f32 = 1e-4;

impl Solid {
    pub fn bounds(&self) -> Option<Box3> {
        self.bounds
    }

    /// Signed distance to a field [m]; meshes have none here.
    pub fn distance(&self, point: &V3) -> Option<f32> {
        match &*self.body {
            Body::Field(shape) => {
                let local = self.placement.to_shape(&point.cast());
                Some((shape.distance(&local) * self.placement.scale) as f32)
            }
            _ => None,
        }
    }

    /// Distance to the surface and its normal there; `scale` is the size of the scene [m] and sets the precision.
    pub fn nearest(&self, ray: &Ray, limit: f32, scale: f32) -> Option<(f32, V3)> {
        let (near, far) = self.span(ray, limit, scale)?;
        match &*self.body {
            Body::Mesh(tracer) => {
                let local = self.to_body(ray);
                let (place, distance) = tracer.nearest(&local, limit / self.scale)?;
                let (normal, _) = tracer.look(place, &local.at(distance));
                Some((distance * self.scale, self.world_from_body * normal))
            }
            _ => {
                let distance = self.march(ray, near, far, scale)?;
                Some((distance, self.field_normal(&ray.at(distance))))
            }
        }
    }

    pub fn blocks(&self, ray: &Ray, limit: f32, scale: f32) -> bool {
        let Some((near, far)) = self.span(ray, limit, scale) else { return false };
        match &*self.body {
            Body::Mesh(tracer) => tracer.blocks(&self.to_body(ray), limit / self.scale),
            _ => self.march(ray, near, far, scale).is_some(),
        }
    }

    fn span(&self, ray: &Ray, limit: f32, scale: f32) -> Option<(f32, f32)> {
        match &self.bounds {
            Some(bounds) => bounds.span(ray, limit),
            None => Some((0.0, limit.min(FIELD_REACH * scale + ray.origin.norm()))),
        }
    }

    /// The ray in the body's coordinates; its distances there are `1 / scale` of those in the world.
    fn to_body(&self, ray: &Ray) -> Ray {
        let origin = self.world_from_body.inverse_transform_vector(&(ray.origin - self.translation));
        Ray::new(origin / self.scale, self.world_from_body.inverse_transform_vector(&ray.direction))
    }

    fn march(&self, ray: &Ray, near: f32, far: f32, scale: f32) -> Option<f32> {
        let mut distance = near;
        for _ in 0..MARCH_STEPS {
            let gap = self.distance(&ray.at(distance))?;
            if gap < ARRIVAL * scale {
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

    fn field_normal(&self, point: &V3) -> V3 {
        let local = self.placement.to_shape(&point.cast());
        match &*self.body {
            Body::Field(shape) => (self.placement.rotation * shape.normal(&local)).cast(),
            _ => V3::y(),
        }
    }
}
