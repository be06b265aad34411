//! The generalised winding number of a triangle mesh with holes (Jacobson 2013), far parts taken as dipoles
//! (Barill 2018).

use crate::Aabb;
use crate::mesh::TriangleMesh;
use pliant_math::Vec3;
use std::f64::consts::PI;

/// Triangles in a leaf.
const LEAF: usize = 8;
/// A cluster is far at this many of its radii; the dipole is then right to about a hundredth.
const FAR: f64 = 2.5;

/// A cluster of triangles: a dipole for the far field, children or triangles for the near field.
struct Cluster {
    center: Vec3,
    radius: f64,
    /// The sum of the triangles' normals times their areas `[m²]`.
    area: Vec3,
    contents: Contents,
}

enum Contents {
    Children(usize, usize),
    Triangles(Vec<u32>),
}

/// A binary tree of clusters; the root is the last.
pub(super) struct WindingTree {
    clusters: Vec<Cluster>,
}

impl WindingTree {
    pub fn new(mesh: &TriangleMesh) -> Self {
        let mut tree = Self { clusters: Vec::new() };
        let centroids: Vec<Vec3> =
            mesh.triangles.iter().map(|triangle| mesh.corners(triangle).iter().sum::<Vec3>() / 3.0).collect();
        let mut order: Vec<u32> = (0..centroids.len() as u32).collect();
        tree.build(mesh, &centroids, &mut order);
        tree
    }

    /// Splits at the median along the longest edge, so the depth is that of a balanced tree.
    fn build(&mut self, mesh: &TriangleMesh, centroids: &[Vec3], order: &mut [u32]) -> usize {
        let cluster = cluster(mesh, order);
        let contents = if order.len() <= LEAF {
            Contents::Triangles(order.to_vec())
        } else {
            let size = Aabb::of_points(order.iter().map(|triangle| &centroids[*triangle as usize]))
                .map_or(Vec3::zeros(), |bounds| bounds.size());
            let axis = size.imax();
            let middle = order.len() / 2;
            let coordinate = |triangle: &u32| centroids[*triangle as usize][axis];
            order.select_nth_unstable_by(middle, |a, b| {
                coordinate(a).total_cmp(&coordinate(b)).then(a.cmp(b))
            });
            let (low, high) = order.split_at_mut(middle);
            Contents::Children(self.build(mesh, centroids, low), self.build(mesh, centroids, high))
        };
        self.clusters.push(Cluster { contents, ..cluster });
        self.clusters.len() - 1
    }

    /// One inside, zero outside, in between where a hole makes it doubtful.
    pub fn winding_number(&self, mesh: &TriangleMesh, p: &Vec3) -> f64 {
        let mut solid_angle = 0.0;
        let mut open = vec![self.clusters.len() - 1];
        while let Some(number) = open.pop() {
            let cluster = &self.clusters[number];
            let offset = cluster.center - p;
            let distance = offset.norm();
            if distance > FAR * cluster.radius {
                solid_angle += cluster.area.dot(&offset) / distance.powi(3);
                continue;
            }
            match &cluster.contents {
                Contents::Children(low, high) => open.extend([*low, *high]),
                Contents::Triangles(triangles) => {
                    let angle = |t: &u32| triangle_solid_angle(mesh.corners(&mesh.triangles[*t as usize]), p);
                    solid_angle += triangles.iter().map(angle).sum::<f64>();
                }
            }
        }
        solid_angle / (4.0 * PI)
    }
}

/// The far field of some triangles.
fn cluster(mesh: &TriangleMesh, triangles: &[u32]) -> Cluster {
    let corners = |triangle: &u32| mesh.corners(&mesh.triangles[*triangle as usize]);
    let (mut area, mut total, mut center) = (Vec3::zeros(), 0.0, Vec3::zeros());
    for triangle in triangles {
        let [a, b, c] = corners(triangle);
        let normal = 0.5 * (b - a).cross(&(c - a));
        area += normal;
        total += normal.norm();
        center += (a + b + c) * (normal.norm() / 3.0);
    }
    center /= total;
    let reach = |triangle: &u32| {
        corners(triangle).map(|corner| (corner - center).norm()).into_iter().fold(0.0, f64::max)
    };
    let radius = triangles.iter().map(reach).fold(0.0, f64::max);
    Cluster { center, radius, area, contents: Contents::Triangles(Vec::new()) }
}

/// The signed solid angle of a triangle seen from `p` (Van Oosterom and Strackee 1983).
fn triangle_solid_angle(corners: [Vec3; 3], p: &Vec3) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - p);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let volume = a.dot(&b.cross(&c));
    let cosine = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * volume.atan2(cosine)
}
