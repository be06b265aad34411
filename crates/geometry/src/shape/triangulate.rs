//! The surface of a shape as triangles: surface nets, with every vertex pulled onto the surface.

use super::Shape;
use crate::mesh::TriangleMesh;
use crate::{Aabb, GeometryError};
use pliant_math::Vec3;
use rayon::prelude::*;

/// Nodes of the grid at most, four bytes each.
const NODE_LIMIT: usize = 100_000_000;
/// Cells along the edge of a block that is decided as a whole if the surface is far.
const BLOCK: usize = 8;
/// Steps that pull a vertex onto the surface.
const PULLS: usize = 3;

impl Shape {
    /// Triangles of about this edge `[m]` around the shape, facing outwards, closed. Corners and creases finer than the
    /// edge are rounded.
    ///
    /// # Errors
    /// When the shape has no end, or the grid would have too many nodes.
    pub fn triangulate(&self, edge: f64) -> Result<TriangleMesh, GeometryError> {
        GeometryError::check_positive("the edge of triangles", edge)?;
        let bounds = self.bounds().ok_or(GeometryError::Endless)?.inflate(1.5 * edge);
        let counts = bounds.size().map(|length| (length / edge).ceil() + 1.0);
        let nodes = counts.product();
        if nodes.is_nan() || nodes > NODE_LIMIT as f64 {
            return Err(GeometryError::TooMany {
                what: "the grid of the surface",
                count: nodes,
                limit: NODE_LIMIT,
            });
        }
        let counts = [counts.x as usize, counts.y as usize, counts.z as usize];
        let grid = Grid { shape: self, bounds, edge, counts, values: Vec::new() };
        Ok(grid.filled().net())
    }
}

/// Signed distances on a grid over the bounds.
struct Grid<'a> {
    shape: &'a Shape,
    bounds: Aabb,
    edge: f64,
    counts: [usize; 3],
    values: Vec<f32>,
}

impl Grid<'_> {
    fn filled(mut self) -> Self {
        self.values = vec![0.0; self.counts.iter().product()];
        let blocks = self.counts.map(|count| count.div_ceil(BLOCK));
        let found: Vec<Vec<(usize, f32)>> = (0..blocks.iter().product::<usize>())
            .into_par_iter()
            .map(|block| {
                let [x, y, _] = blocks;
                self.block([block % x * BLOCK, block / x % y * BLOCK, block / (x * y) * BLOCK])
            })
            .collect();
        for (node, value) in found.into_iter().flatten() {
            self.values[node] = value;
        }
        self
    }

    /// The nodes of a block and their distances.
    fn block(&self, start: [usize; 3]) -> Vec<(usize, f32)> {
        let end = [0, 1, 2].map(|axis| (start[axis] + BLOCK).min(self.counts[axis]));
        let (low, high) = (self.place(start), self.place(end.map(|index| index - 1)));
        // Distances of meshes are interpolated far from the surface: the margin of a cell keeps far from near.
        let middle = self.shape.distance(&((low + high) * 0.5));
        let is_far = middle.abs() > 0.5 * (high - low).norm() + 2.0 * self.edge;
        let mut nodes = Vec::with_capacity(BLOCK.pow(3));
        for k in start[2]..end[2] {
            for j in start[1]..end[1] {
                for i in start[0]..end[0] {
                    let value = if is_far { middle } else { self.shape.distance(&self.place([i, j, k])) };
                    nodes.push((self.node([i, j, k]), value as f32));
                }
            }
        }
        nodes
    }

    fn place(&self, index: [usize; 3]) -> Vec3 {
        self.bounds.min + Vec3::from_fn(|axis, _| index[axis] as f64) * self.edge
    }

    fn node(&self, index: [usize; 3]) -> usize {
        (index[2] * self.counts[1] + index[1]) * self.counts[0] + index[0]
    }

    /// One vertex a cell that the surface crosses, one quadrilateral a grid edge that it crosses.
    fn net(&self) -> TriangleMesh {
        let mut vertex_of = vec![u32::MAX; self.values.len()];
        let mut cells = Vec::new();
        let last = self.counts.map(|count| count - 1);
        for k in 0..last[2] {
            for j in 0..last[1] {
                for i in 0..last[0] {
                    let inside = self.corners([i, j, k]).iter().filter(|(_, value)| *value < 0.0).count();
                    if inside != 0 && inside != 8 {
                        vertex_of[self.node([i, j, k])] = cells.len() as u32;
                        cells.push([i, j, k]);
                    }
                }
            }
        }
        let vertices = cells.par_iter().map(|cell| self.vertex(*cell)).collect();
        let mut mesh = TriangleMesh { vertices, triangles: Vec::new() };
        for cell in cells {
            for axis in 0..3 {
                self.quadrilateral(cell, axis, &vertex_of, &mut mesh);
            }
        }
        mesh
    }

    fn corners(&self, [i, j, k]: [usize; 3]) -> [([usize; 3], f32); 8] {
        std::array::from_fn(|corner| {
            let index = [i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2)];
            (index, self.values[self.node(index)])
        })
    }

    /// The middle of where the surface crosses the edges of a cell, pulled onto the surface.
    fn vertex(&self, cell: [usize; 3]) -> Vec3 {
        let corners = self.corners(cell);
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        for first in 0..8 {
            for bit in [1, 2, 4].into_iter().filter(|bit| first & bit == 0) {
                let ((a, from), (b, to)) = (corners[first], corners[first | bit]);
                if (from < 0.0) != (to < 0.0) {
                    let share = f64::from(from / (from - to));
                    sum += self.place(a) * (1.0 - share) + self.place(b) * share;
                    count += 1.0;
                }
            }
        }
        let start = sum / count;
        let mut vertex = start;
        for _ in 0..PULLS {
            vertex -= self.shape.normal(&vertex) * self.shape.distance(&vertex);
        }
        // On a crease normals jump; a vertex that left its cell would fold the surface.
        if (vertex - start).amax() < 0.5 * self.edge { vertex } else { start }
    }

    /// The four cells around the grid edge that begins at a cell's first corner, if the surface crosses it.
    fn quadrilateral(&self, cell: [usize; 3], axis: usize, vertex_of: &[u32], mesh: &mut TriangleMesh) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut next = cell;
        next[axis] += 1;
        let inside = [cell, next].map(|index| self.values[self.node(index)] < 0.0);
        // The bounds are wider than the shape: no crossed edge lies on the border of the grid.
        if inside[0] == inside[1] || cell[u] == 0 || cell[v] == 0 {
            return;
        }
        let corner = |back_u: usize, back_v: usize| {
            let mut index = cell;
            index[u] -= back_u;
            index[v] -= back_v;
            vertex_of[self.node(index)]
        };
        let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
        let triangles = if inside[0] { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
        mesh.triangles.extend(triangles);
    }
}
