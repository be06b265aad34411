//! Triangle meshes: what they are made of, and how a ray meets them.

use pliant_world::snapshot::Field;

use crate::bvh::Bvh;
use crate::ray::{Box3, Ray, V3};

/// A triangle mesh with values at its vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertices [m].
    pub positions: Vec<[f32; 3]>,
    /// Outward unit normal of each vertex; may be empty, then faces look flat.
    pub normals: Vec<[f32; 3]>,
    /// Three vertices a triangle, counter-clockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Further columns, one value a vertex, named as in a snapshot.
    pub attributes: Vec<Field>,
}

impl SurfaceMesh {
    /// Unit normals of the vertices from the triangles around them, each weighted by its angle there: how a face is
    /// cut into triangles then does not matter.
    pub fn vertex_normals(&self) -> Vec<[f32; 3]> {
        let mut sums = vec![V3::zeros(); self.positions.len()];
        for triangle in &self.triangles {
            let Some(corners @ [a, b, c]) = self.corners(triangle) else { continue };
            let Some(normal) = (b - a).cross(&(c - a)).try_normalize(0.0) else { continue };
            for (place, &vertex) in triangle.iter().enumerate() {
                let here = corners[place];
                let angle = (corners[(place + 1) % 3] - here).angle(&(corners[(place + 2) % 3] - here));
                sums[vertex as usize] += normal * angle;
            }
        }
        sums.into_iter().map(|sum| sum.try_normalize(0.0).unwrap_or_else(V3::y).into()).collect()
    }

    /// The corners of a triangle, if all of them exist.
    fn corners(&self, triangle: &[u32; 3]) -> Option<[V3; 3]> {
        let corner = |vertex: u32| self.positions.get(vertex as usize).map(|position| V3::from(*position));
        Some([corner(triangle[0])?, corner(triangle[1])?, corner(triangle[2])?])
    }
}

/// Cosine between the normals of a face and of its vertex at which an edge counts as sharp.
const CREASE: f32 = 0.8;

#[derive(Clone, Copy, Debug)]
struct Face {
    corner: V3,
    edges: [V3; 2],
    vertices: [u32; 3],
}

/// A mesh made ready for rays; triangles with missing or non-finite corners are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshTracer {
    tree: Bvh,
    faces: Vec<Face>,
    normals: Vec<V3>,
    colours: Vec<V3>,
}

impl MeshTracer {
    /// `colours` are linear, one a vertex, or none.
    pub fn new(mesh: &SurfaceMesh, colours: Vec<V3>) -> Self {
        let mut faces = Vec::with_capacity(mesh.triangles.len());
        let mut boxes = Vec::with_capacity(mesh.triangles.len());
        for triangle in &mesh.triangles {
            let Some(corners @ [a, b, c]) = mesh.corners(triangle) else { continue };
            if corners.iter().all(|corner| crate::spheres::is_drawable(corner, 1.0)) {
                faces.push(Face { corner: a, edges: [b - a, c - a], vertices: *triangle });
                let mut bounds = Box3::EMPTY;
                corners.iter().for_each(|corner| bounds.grow(corner));
                boxes.push(bounds);
            }
        }
        let tree = Bvh::build(&boxes);
        let faces = tree.order.iter().map(|&item| faces[item as usize]).collect();
        let has_normals = mesh.normals.len() == mesh.positions.len();
        let normals = if has_normals { mesh.normals.clone() } else { Vec::new() };
        Self { tree, faces, normals: normals.into_iter().map(V3::from).collect(), colours }
    }

    pub fn bounds(&self) -> Box3 {
        self.tree.bounds()
    }

    #[inline]
    pub fn nearest(&self, ray: &Ray, limit: f32) -> Option<(usize, f32)> {
        self.tree.nearest(ray, limit, |place, limit| self.faces[place].intersect(ray, limit))
    }

    #[inline]
    pub fn blocks(&self, ray: &Ray, limit: f32) -> bool {
        self.tree.any(ray, limit, |place| self.faces[place].intersect(ray, limit).is_some())
    }

    /// Normal and colour at a point of a face.
    pub fn look(&self, place: usize, point: &V3) -> (V3, V3) {
        let face = &self.faces[place];
        let weights = face.weights(point);
        let blend = |value: &dyn Fn(usize) -> V3| {
            face.vertices
                .iter()
                .zip(weights)
                .map(|(&vertex, weight)| value(vertex as usize) * weight)
                .sum::<V3>()
        };
        let flat = face.edges[0].cross(&face.edges[1]).try_normalize(0.0).unwrap_or_else(V3::y);
        // A vertex whose normal turns far from the face's sits on a sharp edge, which smoothing would blur.
        let smooth = |vertex: usize| {
            self.normals.get(vertex).filter(|normal| normal.dot(&flat) > CREASE).copied().unwrap_or(flat)
        };
        let colour = |vertex: usize| self.colours.get(vertex).copied().unwrap_or_else(|| V3::repeat(1.0));
        (blend(&smooth).try_normalize(1e-6).unwrap_or(flat), blend(&colour))
    }
}

impl Face {
    /// Möller and Trumbore's test.
    #[inline]
    fn intersect(&self, ray: &Ray, limit: f32) -> Option<f32> {
        let p = ray.direction.cross(&self.edges[1]);
        let inverse = 1.0 / self.edges[0].dot(&p);
        let from_corner = ray.origin - self.corner;
        let u = from_corner.dot(&p) * inverse;
        let q = from_corner.cross(&self.edges[0]);
        let v = ray.direction.dot(&q) * inverse;
        let distance = self.edges[1].dot(&q) * inverse;
        // Comparisons with NaN fail, so degenerate triangles are never met.
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0 && distance < limit).then_some(distance)
    }

    /// Barycentric weights of a point of the triangle.
    fn weights(&self, point: &V3) -> [f32; 3] {
        let [a, b] = self.edges;
        let offset = point - self.corner;
        let (aa, ab, bb) = (a.dot(&a), a.dot(&b), b.dot(&b));
        let (pa, pb) = (offset.dot(&a), offset.dot(&b));
        let inverse = 1.0 / (aa * bb - ab * ab);
        let (u, v) = ((bb * pa - ab * pb) * inverse, (aa * pb - ab * pa) * inverse);
        if u.is_finite() && v.is_finite() { [1.0 - u - v, u, v] } else { [1.0, 0.0, 0.0] }
    }
}

#[cfg(test)]
mod tests {
    use super::{MeshTracer, Ray, SurfaceMesh, V3};

    #[test]
    fn a_triangle_is_met_inside_and_missed_outside() {
        let mesh = SurfaceMesh {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2], [0, 1, 9], [0, 0, 0]],
            ..SurfaceMesh::default()
        };
        let tracer = MeshTracer::new(&mesh, vec![V3::zeros(), V3::x(), V3::y()]);
        let towards = |x, y| Ray::new(V3::new(x, y, 3.0), -V3::z());
        let (place, distance) = tracer.nearest(&towards(0.25, 0.5), f32::MAX).unwrap();
        assert!((distance - 3.0).abs() < 1e-6);
        let (normal, colour) = tracer.look(place, &V3::new(0.25, 0.5, 0.0));
        assert!((normal - V3::z()).norm() < 1e-6);
        assert!((colour - V3::new(0.25, 0.5, 0.0)).norm() < 1e-6);
        assert!(tracer.nearest(&towards(0.6, 0.6), f32::MAX).is_none());
        assert!(!tracer.blocks(&towards(0.25, 0.5), 2.9));
    }

    #[test]
    fn vertex_normals_of_a_corner_point_outwards() {
        let mesh = SurfaceMesh {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            ..SurfaceMesh::default()
        };
        let corner = V3::from(mesh.vertex_normals()[0]);
        assert!((corner + V3::repeat(1.0 / 3.0_f32.sqrt())).norm() < 1e-6);
    }
}
