//! Meshes of shapes that are known by their signed distance only.

use pliant_geometry::Shape;
use pliant_math::Vec3;
use rayon::prelude::*;

use super::drawing::Mesh;
use super::obstacles::{BEHIND, vertex};

/// Cells along the longest side of a meshed shape.
const CELLS: usize = 56;

/// A lattice of distances around a shape.
struct Lattice {
    origin: Vec3,
    spacing: f64,
    counts: [usize; 3],
    distances: Vec<f64>,
}

impl Lattice {
    fn around(shape: &Shape, is_flat: bool) -> Option<Self> {
        let bounds = shape.bounds()?;
        let size = bounds.max - bounds.min;
        let cells = if is_flat { 4 * CELLS } else { CELLS };
        let spacing = if is_flat { size.x.max(size.y) } else { size.max() } / cells as f64;
        if !(spacing.is_finite() && spacing > 0.0) {
            return None;
        }
        let count =
            |axis: usize| if is_flat && axis == 2 { 1 } else { (size[axis] / spacing).ceil() as usize + 3 };
        let counts = [count(0), count(1), count(2)];
        let mut origin = bounds.min - Vec3::repeat(spacing);
        if is_flat {
            origin.z = 0.0;
        }
        let mut lattice = Self { origin, spacing, counts, distances: Vec::new() };
        let total = counts.iter().product::<usize>();
        lattice.distances = (0..total)
            .into_par_iter()
            .map(|node| shape.distance(&lattice.place(lattice.split(node))))
            .collect();
        Some(lattice)
    }

    fn split(&self, node: usize) -> [usize; 3] {
        let [x, y, _] = self.counts;
        [node % x, node / x % y, node / (x * y)]
    }

    fn place(&self, [i, j, k]: [usize; 3]) -> Vec3 {
        self.origin + Vec3::new(i as f64, j as f64, k as f64) * self.spacing
    }

    fn distance(&self, [i, j, k]: [usize; 3]) -> f64 {
        self.distances[i + self.counts[0] * (j + self.counts[1] * k)]
    }
}

/// The surface of any bounded shape: a vertex in each cell it passes (surface nets, Gibson 1998), drawn onto it.
pub(super) fn surface_net(shape: &Shape) -> Mesh {
    let Some(lattice) = Lattice::around(shape, false) else { return Mesh::default() };
    let [nx, ny, nz] = lattice.counts;
    let cell_of = |[i, j, k]: [usize; 3]| i + nx * (j + ny * k);
    let mut mesh = Mesh::default();
    let mut numbers = vec![u32::MAX; nx * ny * nz];
    for k in 0..nz - 1 {
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let corners: Vec<[usize; 3]> =
                    (0..8).map(|c| [i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)]).collect();
                let inside = corners.iter().filter(|corner| lattice.distance(**corner) < 0.0).count();
                if inside == 0 || inside == 8 {
                    continue;
                }
                let mut place = lattice.place([i, j, k]).add_scalar(0.5 * lattice.spacing);
                for _ in 0..4 {
                    place -= shape.normal(&place) * shape.distance(&place);
                }
                numbers[cell_of([i, j, k])] = mesh.vertices.len() as u32;
                mesh.vertices.push(vertex(&place, &shape.normal(&place)));
            }
        }
    }
    for k in 1..nz - 1 {
        for j in 1..ny - 1 {
            for i in 1..nx - 1 {
                for axis in 0..3 {
                    let (mut next, mut u, mut v) = ([i, j, k], [0; 3], [0; 3]);
                    next[axis] += 1;
                    (u[(axis + 1) % 3], v[(axis + 2) % 3]) = (1, 1);
                    if (lattice.distance([i, j, k]) < 0.0) == (lattice.distance(next) < 0.0) {
                        continue;
                    }
                    let at = |du: usize, dv: usize| {
                        let cell = [0, 1, 2].map(|a| [i, j, k][a] - du * u[a] - dv * v[a]);
                        numbers[cell_of(cell)]
                    };
                    let quad = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
                    if quad.iter().all(|number| *number != u32::MAX) {
                        mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|corner: usize| quad[corner]));
                    }
                }
            }
        }
    }
    mesh
}

/// The cut of a shape through the plane z = 0: each cell of a lattice, clipped to its inside.
pub(super) fn cut_through(shape: &Shape) -> Mesh {
    let Some(lattice) = Lattice::around(shape, true) else { return Mesh::default() };
    let mut mesh = Mesh::default();
    for j in 0..lattice.counts[1] - 1 {
        for i in 0..lattice.counts[0] - 1 {
            let ring = [[i, j, 0], [i + 1, j, 0], [i + 1, j + 1, 0], [i, j + 1, 0]];
            let mut polygon: Vec<Vec3> = Vec::new();
            for edge in 0..4 {
                let (from, to) = (ring[edge], ring[(edge + 1) % 4]);
                let (a, b) = (lattice.distance(from), lattice.distance(to));
                if a < 0.0 {
                    polygon.push(lattice.place(from));
                }
                if (a < 0.0) != (b < 0.0) {
                    let share = a / (a - b);
                    polygon.push(lattice.place(from).lerp(&lattice.place(to), share));
                }
            }
            let start = mesh.vertices.len() as u32;
            mesh.vertices.extend(polygon.iter().map(|place| vertex(&(place + BEHIND), &Vec3::zeros())));
            mesh.indices
                .extend((2..polygon.len() as u32).flat_map(|last| [start, start + last - 1, start + last]));
        }
    }
    mesh
}
