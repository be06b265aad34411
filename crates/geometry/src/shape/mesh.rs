//! A triangle mesh as a solid: distance and side of a point.

mod cache;
mod winding;

use crate::mesh::{MeshReport, TriangleMesh};
use crate::{Aabb, GeometryError};
use cache::DistanceCache;
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{TriMesh, TriMeshFlags};
use pliant_math::Vec3;
use std::fmt;
use winding::WindingTree;

/// A solid bounded by triangles.
///
/// A watertight mesh is signed by the normals at the nearest point; any other by its generalised winding number,
/// which closes holes with the surface a soap film would roughly take. Distances are exact near the surface and
/// interpolated far from it (beyond about a thirtieth of the size).
pub struct MeshShape {
    mesh: TriangleMesh,
    bounds: Aabb,
    surface: TriMesh,
    winding: Option<WindingTree>,
    cache: Option<DistanceCache>,
}

impl MeshShape {
    /// A solid from a mesh that was inspected; the report decides how inside is told from outside.
    pub fn new(mesh: TriangleMesh, report: &MeshReport) -> Result<Self, GeometryError> {
        let vertices = mesh.vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
        let bounds = mesh.bounds().ok_or(GeometryError::NoShapes { what: "a mesh" })?;
        let surface = TriMesh::with_flags(vertices, mesh.triangles.clone(), TriMeshFlags::ORIENTED)
            .map_err(|_| GeometryError::NoShapes { what: "a mesh" })?;
        let winding = (!report.is_watertight()).then(|| WindingTree::new(&mesh));
        let mut shape = Self { mesh, bounds, surface, winding, cache: None };
        shape.cache = Some(DistanceCache::new(&bounds, |p| shape.exact_distance(p)));
        Ok(shape)
    }

    /// The triangles.
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// Whether the triangles leave no hole.
    pub fn is_watertight(&self) -> bool {
        self.winding.is_none()
    }

    /// The box around the triangles.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    pub(super) fn distance(&self, p: &Vec3) -> f64 {
        let far = self.cache.as_ref().and_then(|cache| cache.distance_if_far(p));
        far.unwrap_or_else(|| self.exact_distance(p))
    }

    fn exact_distance(&self, p: &Vec3) -> f64 {
        let (foot, inside) = self.nearest(p);
        let distance = (p - foot).norm();
        if inside { -distance } else { distance }
    }

    /// The nearest point of the surface, and whether `p` is inside.
    fn nearest(&self, p: &Vec3) -> (Vec3, bool) {
        let projection = self.surface.project_local_point(Vector::new(p.x, p.y, p.z), false);
        let foot = Vec3::new(projection.point.x, projection.point.y, projection.point.z);
        let inside = match &self.winding {
            Some(tree) => tree.winding_number(&self.mesh, p) > 0.5,
            None => projection.is_inside,
        };
        (foot, inside)
    }

    /// The slope of the distance, or `None` so near the surface that the nearest point gives no direction.
    pub(super) fn gradient(&self, p: &Vec3) -> Option<Vec3> {
        let (foot, inside) = self.nearest(p);
        let away = p - foot;
        let clear = away.norm() > 1e-7 * self.bounds.size().norm();
        clear.then(|| if inside { -away } else { away })
    }
}

impl fmt::Debug for MeshShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MeshShape({} triangles)", self.mesh.triangles.len())
    }
}
