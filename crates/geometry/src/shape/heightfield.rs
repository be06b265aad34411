//! Ground given by its height over a grid.

use super::MeshShape;
use crate::mesh::{self, TriangleMesh};
use crate::{GeometryError, picture};
use pliant_math::Vec3;
use std::path::Path;

/// More grid points than this take seconds to prepare.
const POINT_LIMIT: usize = 600_000;

/// The solid between a flat bottom and heights over a rectangle of the x-z plane, centred on the origin.
///
/// Its surface is made of two triangles a cell, and its distances are exact, as those of any mesh.
#[derive(Debug)]
pub struct Heightfield {
    shape: MeshShape,
}

impl Heightfield {
    /// From rows of heights `[m]`: along a row x grows, from row to row z grows. `size` is the extent in x and z and
    /// `bottom` the height of the underside `[m]`, below all heights.
    pub fn new(rows: &[Vec<f64>], size: [f64; 2], bottom: f64) -> Result<Self, GeometryError> {
        GeometryError::check_positive("size of the heightfield in x", size[0])?;
        GeometryError::check_positive("size of the heightfield in z", size[1])?;
        let columns = check_rows(rows)?;
        for height in rows.iter().flatten() {
            GeometryError::check_positive("height above the bottom of the heightfield", height - bottom)?;
        }
        let counts = [columns, rows.len()];
        let place = |i: usize, j: usize, y: f64| {
            let along =
                |axis: usize, index: usize| (index as f64 / (counts[axis] - 1) as f64 - 0.5) * size[axis];
            Vec3::new(along(0, i), y, along(1, j))
        };
        let grid = || (0..counts[1]).flat_map(|j| (0..counts[0]).map(move |i| (i, j)));
        let tops = grid().map(|(i, j)| place(i, j, rows[j][i]));
        let bottoms = grid().map(|(i, j)| place(i, j, bottom));
        let mesh = TriangleMesh { vertices: tops.chain(bottoms).collect(), triangles: triangulate(counts) };
        let unusable = GeometryError::NoShapes { what: "a heightfield" };
        let (mesh, report) = mesh::inspect(mesh, "heightfield").map_err(|_| unusable)?;
        Ok(Self { shape: MeshShape::new(mesh, &report)? })
    }

    /// From a function of x and z `[m]`, at `counts` points along x and z.
    pub fn from_function(
        counts: [usize; 2],
        size: [f64; 2],
        bottom: f64,
        height: impl Fn(f64, f64) -> f64,
    ) -> Result<Self, GeometryError> {
        check_counts(counts)?;
        let along = |axis: usize, index: usize| (index as f64 / (counts[axis] - 1) as f64 - 0.5) * size[axis];
        let row = |j: usize| (0..counts[0]).map(|i| height(along(0, i), along(1, j))).collect();
        Self::new(&(0..counts[1]).map(row).collect::<Vec<Vec<f64>>>(), size, bottom)
    }

    /// From a greyscale picture: black is at `heights[0]`, white at `heights[1]` `[m]`; its top edge lies at -z.
    pub fn from_image(
        path: &Path,
        size: [f64; 2],
        heights: [f64; 2],
        bottom: f64,
    ) -> Result<Self, GeometryError> {
        let picture = picture::load(path)?;
        check_counts([picture.width, picture.height])?;
        let height = |grey: &f64| heights[0] + (heights[1] - heights[0]) * grey;
        let rows: Vec<Vec<f64>> =
            picture.values.chunks(picture.width).map(|row| row.iter().map(height).collect()).collect();
        Self::new(&rows, size, bottom)
    }

    /// The solid as a mesh.
    pub fn mesh_shape(&self) -> &MeshShape {
        &self.shape
    }
}

fn check_counts(counts: [usize; 2]) -> Result<(), GeometryError> {
    const HINT: &str = "; a heightfield needs two rows and columns at least";
    for got in counts {
        if got < 2 {
            return Err(GeometryError::WrongLength { what: "the heightfield", got, expected: 2, hint: HINT });
        }
    }
    let count = counts[0] as f64 * counts[1] as f64;
    if count > POINT_LIMIT as f64 {
        return Err(GeometryError::TooMany { what: "the heightfield", count, limit: POINT_LIMIT });
    }
    Ok(())
}

/// The length all rows share.
fn check_rows(rows: &[Vec<f64>]) -> Result<usize, GeometryError> {
    let columns = rows.first().map_or(0, Vec::len);
    check_counts([columns, rows.len()])?;
    match rows.iter().find(|row| row.len() != columns) {
        Some(row) => Err(GeometryError::WrongLength {
            what: "a row of the heightfield",
            got: row.len(),
            expected: columns,
            hint: "; all rows must be equally long",
        }),
        None => Ok(columns),
    }
}

/// The triangles of top, bottom and rim; tops are numbered row by row, then the bottoms.
fn triangulate(counts: [usize; 2]) -> Vec<[u32; 3]> {
    let layer = (counts[0] * counts[1]) as u32;
    let vertex = |i: usize, j: usize| (j * counts[0] + i) as u32;
    let mut triangles = Vec::new();
    let mut quad = |a: u32, b: u32, c: u32, d: u32| triangles.extend([[a, b, c], [a, c, d]]);
    for j in 0..counts[1] - 1 {
        for i in 0..counts[0] - 1 {
            let corners = [vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)];
            let [a, b, c, d] = corners;
            quad(a, b, c, d);
            quad(d + layer, c + layer, b + layer, a + layer);
        }
    }
    let mut wall = |a: u32, b: u32| quad(b, a, a + layer, b + layer);
    let (last_i, last_j) = (counts[0] - 1, counts[1] - 1);
    for i in 0..last_i {
        wall(vertex(i, last_j), vertex(i + 1, last_j));
        wall(vertex(i + 1, 0), vertex(i, 0));
    }
    for j in 0..last_j {
        wall(vertex(0, j), vertex(0, j + 1));
        wall(vertex(last_i, j + 1), vertex(last_i, j));
    }
    triangles
}
