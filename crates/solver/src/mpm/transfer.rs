//! Particles to grid and back (Nilles 2020, steps 1, 3, 4 and 8; Fumoto, Eq. 3–4 and 16).
//!
//! A block scatters its particles onto a tile of its own. Nodes then gather from the tiles that cover them, always in
//! the same order: no two threads write to one place, and sums have the same bits on any number of threads.

use super::grain::Grain;
use super::kernel::{inverse_dispersion, shift, slopes, weights};
use super::layout::{MARGIN, Place, block_edge, tile_edge};
use super::scalar::Scalar;
use nalgebra::{SMatrix, SVector};
use pliant_math::Vect;

/// What a node holds: momentum or velocity, and in the last place mass or a flag.
pub(crate) type Node<T> = [T; 4];

/// The place in a [`Node`] that is not part of the vector.
pub(crate) const EXTRA: usize = 3;

/// Where the grid lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mesh {
    /// Distance between nodes [m].
    pub spacing: f64,
    /// Nodes a metre [1/m].
    per_metre: f64,
}

impl Mesh {
    pub fn new(spacing: f64) -> Self {
        Self { spacing, per_metre: 1.0 / spacing }
    }

    /// A coordinate in cells, and the first node that a particle there sees.
    #[inline(always)]
    fn cells<const W: usize>(&self, x: f64) -> (f64, f64) {
        let cells = x * self.per_metre;
        (cells, (cells - shift::<W>()).floor())
    }

    /// The first node that a particle at `x` sees.
    #[inline(always)]
    pub fn first_node<const D: usize, const W: usize>(&self, x: &Vect<D>) -> [i32; D] {
        std::array::from_fn(|axis| self.cells::<W>(x[axis]).1 as i32)
    }
}

/// The nodes a particle sees, in the tile of its block.
pub(crate) struct Stencil<T, const D: usize, const W: usize> {
    /// The first node, as an index of the tile.
    pub corner: usize,
    /// Cells from the first node to the particle.
    pub within: [T; D],
    pub weights: [[T; W]; D],
}

impl<T: Scalar, const D: usize, const W: usize> Stencil<T, D, W> {
    #[inline(always)]
    pub fn of(mesh: &Mesh, place: &Place<D>, x: &Vect<D>) -> Self {
        let mut corner = 0;
        let mut within = [T::zero(); D];
        for axis in 0..D {
            let (cells, first) = mesh.cells::<W>(x[axis]);
            let local = first as i32 - place.0[axis] * block_edge(D) as i32 + MARGIN;
            corner = corner * tile_edge(D, W) + local as usize;
            within[axis] = T::of(cells - first);
        }
        let mut all = [[T::zero(); W]; D];
        for axis in 0..D {
            all[axis] = weights(within[axis]);
        }
        Self { corner, within, weights: all }
    }
}

#[inline(always)]
fn add_scaled<T: Scalar>(a: Node<T>, scale: T, b: &Node<T>) -> Node<T> {
    [a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2], a[3] + scale * b[3]]
}

#[inline(always)]
fn node_of<T: Scalar, const D: usize>(vector: impl Fn(usize) -> T, extra: T) -> Node<T> {
    let mut node = [T::zero(); 4];
    for (axis, value) in node.iter_mut().enumerate().take(D) {
        *value = vector(axis);
    }
    node[EXTRA] = extra;
    node
}

/// A field that is linear around a particle: its value at the first node of the stencil, and what it grows by from node
/// to node along each axis.
pub(crate) struct Linear<T, const D: usize> {
    pub start: Node<T>,
    pub growth: [Node<T>; D],
}

impl<T: Scalar, const D: usize> Linear<T, D> {
    /// Mass, and momentum `m v + M (x_i − x_p)`, of a grain; `moment` is `M` times the grid spacing.
    #[inline(always)]
    pub fn momentum(grain: &Grain<T, D>, moment: &SMatrix<T, D, D>, within: &[T; D]) -> Self {
        let mut growth = [[T::zero(); 4]; D];
        let mut start = [T::zero(); 4];
        start[EXTRA] = grain.mass;
        for row in 0..D {
            start[row] = grain.mass * grain.velocity[row];
            for axis in 0..D {
                growth[axis][row] = moment[(row, axis)];
            }
        }
        for axis in 0..D {
            start = add_scaled(start, -within[axis], &growth[axis]);
        }
        Self { start, growth }
    }
}

/// Adds a linear field, weighted, to the nodes of a stencil.
#[inline(always)]
pub(crate) fn scatter<T: Scalar, const D: usize, const W: usize>(
    tile: &mut [Node<T>],
    stencil: &Stencil<T, D, W>,
    field: &Linear<T, D>,
) {
    let edge = tile_edge(D, W);
    let w = &stencil.weights;
    let mut plane = field.start;
    for i in 0..W {
        let mut line = plane;
        if D == 2 {
            let row = &mut tile[stencil.corner + i * edge..][..W];
            for (j, node) in row.iter_mut().enumerate() {
                *node = add_scaled(*node, w[0][i] * w[1][j], &line);
                line = add_scaled(line, T::one(), &field.growth[1]);
            }
        } else {
            for j in 0..W {
                let mut value = line;
                let row = &mut tile[stencil.corner + (i * edge + j) * edge..][..W];
                let here = w[0][i] * w[1][j];
                for (k, node) in row.iter_mut().enumerate() {
                    *node = add_scaled(*node, here * w[D - 1][k], &value);
                    value = add_scaled(value, T::one(), &field.growth[D - 1]);
                }
                line = add_scaled(line, T::one(), &field.growth[1]);
            }
        }
        plane = add_scaled(plane, T::one(), &field.growth[0]);
    }
}

/// Calls `visit(index of the node, weight, slope of the weight)` for all nodes of a stencil, slopes in cells.
#[inline(always)]
fn for_nodes<T: Scalar, const D: usize, const W: usize>(
    stencil: &Stencil<T, D, W>,
    mut visit: impl FnMut(usize, T, [T; D]),
) {
    let edge = tile_edge(D, W);
    let (w, g) = (&stencil.weights, stencil.within.map(slopes::<T, W>));
    for number in 0..W.pow(D as u32) {
        let mut rest = number;
        let mut at = [0; D];
        for axis in (0..D).rev() {
            at[axis] = rest % W;
            rest /= W;
        }
        let index = at.iter().fold(0, |index, step| index * edge + step);
        let weight = (0..D).fold(T::one(), |product, axis| product * w[axis][at[axis]]);
        let slope = std::array::from_fn(|along| {
            (0..D).fold(T::one(), |product, axis| {
                product * if axis == along { g[axis][at[axis]] } else { w[axis][at[axis]] }
            })
        });
        visit(stencil.corner + index, weight, slope);
    }
}

/// Adds `impulse ∇w` to the momentum of the nodes; `impulse` is over the grid spacing (Nilles 2020, Eq. 45).
#[inline(always)]
pub(crate) fn scatter_gradient<T: Scalar, const D: usize, const W: usize>(
    tile: &mut [Node<T>],
    stencil: &Stencil<T, D, W>,
    impulse: &SMatrix<T, D, D>,
) {
    for_nodes(stencil, |index, _, slope| {
        let change = node_of::<T, D>(
            |row| (0..D).fold(T::zero(), |sum, axis| sum + impulse[(row, axis)] * slope[axis]),
            T::zero(),
        );
        tile[index] = add_scaled(tile[index], T::one(), &change);
    });
}

/// What a particle gets from the grid.
pub(crate) struct Gathered<T, const D: usize> {
    /// Weighted sum of the nodes.
    pub value: Node<T>,
    /// How it changes along each axis, a cell.
    pub slope: [Node<T>; D],
}

impl<T: Scalar, const D: usize> Gathered<T, D> {
    /// The sum without its extra place.
    #[inline(always)]
    pub fn vector(&self) -> SVector<T, D> {
        let mut vector = SVector::zeros();
        for axis in 0..D {
            vector[axis] = self.value[axis];
        }
        vector
    }

    /// Its gradient, for so many cells a metre.
    #[inline(always)]
    pub fn gradient(&self, per_cell: T) -> SMatrix<T, D, D> {
        let mut gradient = SMatrix::zeros();
        for axis in 0..D {
            for row in 0..D {
                gradient[(row, axis)] = self.slope[axis][row] * per_cell;
            }
        }
        gradient
    }
}

/// Weighted sum of the nodes and its slope by moving least squares (Nilles 2020, Eq. 66–69).
#[inline(always)]
pub(crate) fn gather<T: Scalar, const D: usize, const W: usize>(
    tile: &[Node<T>],
    stencil: &Stencil<T, D, W>,
) -> Gathered<T, D> {
    let edge = tile_edge(D, W);
    let w = &stencil.weights;
    let zero = [T::zero(); 4];
    let mut steps = [T::zero(); W];
    for i in 1..W {
        steps[i] = steps[i - 1] + T::one();
    }
    let (mut value, mut moment) = (zero, [zero; D]);
    for i in 0..W {
        let (mut plane, mut across) = (zero, zero);
        if D == 2 {
            let row = &tile[stencil.corner + i * edge..][..W];
            for (j, node) in row.iter().enumerate() {
                plane = add_scaled(plane, w[1][j], node);
                across = add_scaled(across, w[1][j] * steps[j], node);
            }
        } else {
            let mut along = zero;
            for j in 0..W {
                let (mut line, mut inside) = (zero, zero);
                let row = &tile[stencil.corner + (i * edge + j) * edge..][..W];
                for (k, node) in row.iter().enumerate() {
                    line = add_scaled(line, w[D - 1][k], node);
                    inside = add_scaled(inside, w[D - 1][k] * steps[k], node);
                }
                plane = add_scaled(plane, w[1][j], &line);
                across = add_scaled(across, w[1][j] * steps[j], &line);
                along = add_scaled(along, w[1][j], &inside);
            }
            moment[D - 1] = add_scaled(moment[D - 1], w[0][i], &along);
        }
        value = add_scaled(value, w[0][i], &plane);
        moment[1] = add_scaled(moment[1], w[0][i], &across);
        moment[0] = add_scaled(moment[0], w[0][i] * steps[i], &plane);
    }
    let spread = T::of(inverse_dispersion::<W>());
    let mut slope = moment;
    for axis in 0..D {
        slope[axis] = add_scaled(zero, spread, &add_scaled(moment[axis], -stencil.within[axis], &value));
    }
    Gathered { value, slope }
}

/// Weighted sum of the nodes and its slope by the slope of the spline (Nilles 2020, Eq. 48).
#[inline(always)]
pub(crate) fn gather_gradient<T: Scalar, const D: usize, const W: usize>(
    tile: &[Node<T>],
    stencil: &Stencil<T, D, W>,
) -> Gathered<T, D> {
    let mut gathered = Gathered { value: [T::zero(); 4], slope: [[T::zero(); 4]; D] };
    for_nodes(stencil, |index, weight, slope| {
        let node = &tile[index];
        gathered.value = add_scaled(gathered.value, weight, node);
        for axis in 0..D {
            gathered.slope[axis] = add_scaled(gathered.slope[axis], slope[axis], node);
        }
    });
    gathered
}
