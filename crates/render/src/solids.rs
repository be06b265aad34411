//! Colliders as a ray sees them: planes, meshes and distance fields, each at its place.

use std::sync::Arc;

use nalgebra::UnitQuaternion;
use pliant_geometry::{Placement, Shape};
use pliant_math::Vec3;

use crate::mesh::{MeshTracer, SurfaceMesh};
use crate::ray::{Box3, Ray, V3};

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
    Mesh(MeshTracer, Shape),
    Field(Shape),
}

impl Collider {
    /// A shape where it is, in a colour (linear light, 0..=1) or the default of its kind.
    pub fn new(shape: &Shape, colour: Option<[f32; 3]>) -> Self {
        let body = as_plane(shape).or_else(|| as_mesh(shape)).unwrap_or_else(|| Body::Field(shape.clone()));
        Self { body: Arc::new(body), placement: Placement::identity(), colour: colour.map(V3::from) }
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
            Body::Mesh(tracer, _) => Some(tracer.bounds()),
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
    Some(Body::Mesh(MeshTracer::new(&mesh, Vec::new()), shape.clone()))
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

    /// Signed distance [m].
    pub fn distance(&self, point: &V3) -> f32 {
        let local = self.placement.to_shape(&point.cast());
        match &*self.body {
            Body::Field(shape) | Body::Mesh(_, shape) => {
                (shape.distance(&local) * self.placement.scale) as f32
            }
            Body::Plane { normal, point } => (normal.dot(&(local - point)) * self.placement.scale) as f32,
        }
    }

    /// Distance to the surface and its normal there; `scale` is the size of the scene [m] and sets the precision.
    pub fn nearest(&self, ray: &Ray, limit: f32, scale: f32) -> Option<(f32, V3)> {
        let (near, far) = self.span(ray, limit, scale)?;
        match &*self.body {
            Body::Mesh(tracer, _) => {
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
            Body::Mesh(tracer, _) => tracer.blocks(&self.to_body(ray), limit / self.scale),
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
            let gap = self.distance(&ray.at(distance));
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
            Body::Field(shape) | Body::Mesh(_, shape) => {
                (self.placement.rotation * shape.normal(&local)).cast()
            }
            Body::Plane { normal, .. } => (self.placement.rotation * normal).cast(),
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use pliant_geometry::mesh::{self, TriangleMesh};
    use pliant_geometry::{Placement, Shape};
    use pliant_math::Vec3;

    use super::{Collider, PlacedSolid, Ray, Solid, V3};

    fn solid(collider: &Collider) -> Solid {
        match collider.placed() {
            PlacedSolid::Solid(solid) => solid,
            PlacedSolid::Plane(_) => panic!("no plane was built"),
        }
    }

    /// A cube of edge 2 as twelve triangles.
    fn cube() -> Shape {
        let corner = |i: u32| Vec3::from_fn(|axis, _| if i >> axis & 1 == 0 { -1.0 } else { 1.0 });
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        let raw = TriangleMesh { vertices: (0..8).map(corner).collect(), triangles };
        let (mended, report) = mesh::inspect(raw, "cube").unwrap();
        Shape::mesh(mended, &report).unwrap()
    }

    #[test]
    fn a_mesh_is_met_where_its_distance_field_is() {
        let turn = UnitQuaternion::from_euler_angles(0.4, -0.7, 0.2);
        let placement = Placement::new(turn, Vec3::new(0.3, -0.2, 0.5), 0.7).unwrap();
        let triangles = solid(&Collider::new(&cube(), None).at(placement));
        let field = solid(&Collider::new(&Shape::cuboid(Vec3::repeat(1.0)).unwrap(), None).at(placement));
        let mut hits = 0;
        for i in 0..400 {
            let (a, b) = (i as f32 * 0.7, (i as f32 * 0.37).sin());
            let origin = V3::new(5.0 * a.cos(), 5.0 * b, 5.0 * a.sin());
            let target = V3::new((3.1 * a).sin(), (1.7 * a).cos(), (2.3 * a).sin());
            let ray = Ray::new(origin, (target - origin).normalize());
            let (one, other) = (triangles.nearest(&ray, f32::MAX, 1.0), field.nearest(&ray, f32::MAX, 1.0));
            assert_eq!(triangles.blocks(&ray, f32::MAX, 1.0), one.is_some());
            // Marching stops 1e-4 before the surface, farther along rays that graze it.
            if let (Some((d1, n1)), Some((d2, n2))) = (one, other)
                && n1.dot(&ray.direction) < -0.2
                && n1.dot(&n2) > 0.99
            {
                assert!((d1 - d2).abs() < 1e-3, "{d1} {d2}");
                hits += 1;
            }
        }
        assert!(hits > 100, "{hits}");
    }

    #[test]
    fn a_half_space_stays_a_plane_however_it_is_placed() {
        let ground = Shape::HalfSpace { normal: Vec3::y(), offset: 1.0 };
        let moved = ground.placed(Placement::translation(Vec3::new(0.0, 2.0, 0.0)));
        let turn = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
        let PlacedSolid::Plane(plane) = Collider::new(&moved, None).at(Placement::rotation(turn)).placed()
        else {
            panic!("a plane was built");
        };
        assert!((plane.normal + V3::x()).norm() < 1e-6 && (plane.offset - 3.0).abs() < 1e-6, "{plane:?}");
    }
}
