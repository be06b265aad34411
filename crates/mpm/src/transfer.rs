//! Particles to grid and back (Nilles 2020, steps 1, 3, 4 and 8; Fumoto, Eq. 3–4 and 16).
//!
//! A block scatters its particles onto a tile of its own. Nodes then gather from the tiles that cover them, always in
//! the same order: no two threads write to one place, and sums have the same bits on any number of threads.

use super::grain::Grain;
use super::kernel::{self, Kernel, shift};
use super::layout::{MARGIN, Place, block_edge, tile_edge};
use super::scalar::{Quad, Scalar};
use nalgebra::{SMatrix, SVector};
use pliant_math::Vect;

/// What a node holds: momentum or velocity, and in the last place mass or a flag.
pub(crate) type Node<T> = <T as Scalar>::Quad;

/// The place in a [`Node`] that is not part of the vector.
pub(crate) const EXTRA: usize = 3;

/// Where the grid lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mesh {
    /// Distance between nodes [m].
    pub spacing: f64,
    /// Nodes a metre [1/m].
    pub per_metre: f64,
    /// The spline of each axis, where they are not all the same; the stencil is that of the widest.
    pub mixed: Option<[Kernel; 3]>,
}

impl Mesh {
    pub fn new(spacing: f64, mixed: Option<[Kernel; 3]>) -> Self {
        Self { spacing, per_metre: 1.0 / spacing, mixed }
    }

    /// Weights along an axis for a particle `t` cells from the first node.
    #[inline(always)]
    pub fn weights<T: Scalar, const W: usize>(&self, axis: usize, t: T) -> [T; W] {
        match self.mixed {
            None => kernel::weights(t),
            Some(kernels) => kernels[axis].weights(t),
        }
    }

    /// Their derivatives by the position of the particle, in cells.
    #[inline(always)]
    pub fn slopes<T: Scalar, const W: usize>(&self, axis: usize, t: T) -> [T; W] {
        match self.mixed {
            None => kernel::slopes(t),
            Some(kernels) => kernels[axis].slopes(t),
        }
    }

    /// As [`kernel::inverse_dispersion`], along an axis.
    #[inline(always)]
    pub fn inverse_dispersion<const W: usize>(&self, axis: usize) -> f64 {
        self.mixed.map_or(kernel::inverse_dispersion::<W>(), |kernels| kernels[axis].inverse_dispersion())
    }

    /// Whether a spline is linear, which has no slope by moving least squares.
    #[inline(always)]
    pub fn is_linear<const W: usize>(&self) -> bool {
        W == 2 || self.mixed.is_some_and(|kernels| kernels.contains(&Kernel::Linear))
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
pub(crate) struct Stencil<'a, T, const D: usize, const W: usize> {
    mesh: &'a Mesh,
    /// The first node, as an index of the tile.
    pub corner: usize,
    /// Cells from the first node to the particle.
    pub within: [T; D],
    pub weights: [[T; W]; D],
}

impl<'a, T: Scalar, const D: usize, const W: usize> Stencil<'a, T, D, W> {
    #[inline(always)]
    pub fn of(mesh: &'a Mesh, place: &Place<D>, x: &Vect<D>) -> Self {
        let mut corner = 0;
        let mut within = [T::zero(); D];
        for axis in 0..D {
            let (cells, first) = mesh.cells::<W>(x[axis]);
            let local = first - f64::from(place.0[axis] * block_edge(D) as i32 - MARGIN);
            corner = corner * tile_edge(D, W) + small_integer(local);
            within[axis] = T::of(cells - first);
        }
        let mut all = [[T::zero(); W]; D];
        for axis in 0..D {
            all[axis] = mesh.weights(axis, within[axis]);
        }
        Self { mesh, corner, within, weights: all }
    }
}

/// A whole number from 0 to 255 as an index. `as` would check ranges that cannot be left.
#[inline(always)]
pub(crate) fn small_integer(value: f64) -> usize {
    // In a number of this size the last bits count units.
    const UNITS: f64 = (1u64 << 52) as f64;
    ((value + UNITS).to_bits() & 0xff) as usize
}

/// From the first to the last node of a stencil in a tile.
const fn span(dimension: usize, width: usize) -> usize {
    let edge = tile_edge(dimension, width);
    let steps = if dimension == 2 { edge + 1 } else { edge * edge + edge + 1 };
    (width - 1) * steps + 1
}

/// A node with this vector and extra place.
#[inline(always)]
pub(crate) fn node_of<T: Scalar, const D: usize>(vector: &SVector<T, D>, extra: T) -> Node<T> {
    let mut node = [T::zero(); 4];
    for axis in 0..D {
        node[axis] = vector[axis];
    }
    node[EXTRA] = extra;
    Quad::new(node)
}

#[inline(always)]
fn add_scaled<T: Scalar>(a: Node<T>, scale: T, b: Node<T>) -> Node<T> {
    a + b * Quad::splat(scale)
}

/// A field that is linear around a particle: its value at the first node of the stencil, and what it grows by from node
/// to node along each axis.
pub(crate) struct Linear<T: Scalar, const D: usize> {
    pub start: Node<T>,
    pub growth: [Node<T>; D],
}

impl<T: Scalar, const D: usize> Linear<T, D> {
    /// Mass, and momentum `m v + M (x_i − x_p)`, of a grain; `moment` is `M` times the grid spacing.
    #[inline(always)]
    pub fn momentum(grain: &Grain<T, D>, moment: &SMatrix<T, D, D>, within: &[T; D]) -> Self {
        let mut growth = [Node::<T>::default(); D];
        for (axis, growth) in growth.iter_mut().enumerate() {
            *growth = node_of(&moment.column(axis).into_owned(), T::zero());
        }
        let mut start = node_of(&(grain.velocity * grain.mass), grain.mass);
        for axis in 0..D {
            start = add_scaled::<T>(start, -within[axis], growth[axis]);
        }
        Self { start, growth }
    }
}

/// Adds a linear field, weighted, to the nodes of a stencil.
#[inline(always)]
pub(crate) fn scatter<T: Scalar, const D: usize, const W: usize>(
    tile: &mut [Node<T>],
    stencil: &Stencil<'_, T, D, W>,
    field: &Linear<T, D>,
) {
    let edge = const { tile_edge(D, W) };
    let w = &stencil.weights;
    let nodes = &mut tile[stencil.corner..][..const { span(D, W) }];
    let mut plane = field.start;
    for i in 0..W {
        let mut line = plane;
        if D == 2 {
            for j in 0..W {
                let node = &mut nodes[i * edge + j];
                *node = add_scaled::<T>(*node, w[0][i] * w[1][j], line);
                line = line + field.growth[1];
            }
        } else {
            for j in 0..W {
                let mut value = line;
                let here = w[0][i] * w[1][j];
                for k in 0..W {
                    let node = &mut nodes[(i * edge + j) * edge + k];
                    *node = add_scaled::<T>(*node, here * w[D - 1][k], value);
                    value = value + field.growth[D - 1];
                }
                line = line + field.growth[1];
            }
        }
        plane = plane + field.growth[0];
    }
}

/// Calls `visit(index of the node, weight, slope of the weight)` for all nodes of a stencil, slopes in cells.
#[inline(always)]
fn for_nodes<T: Scalar, const D: usize, const W: usize>(
    stencil: &Stencil<'_, T, D, W>,
    mut visit: impl FnMut(usize, T, [T; D]),
) {
    let edge = const { tile_edge(D, W) };
    let w = &stencil.weights;
    let mut g = stencil.weights;
    for (axis, slopes) in g.iter_mut().enumerate() {
        *slopes = stencil.mesh.slopes(axis, stencil.within[axis]);
    }
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
    stencil: &Stencil<'_, T, D, W>,
    impulse: &SMatrix<T, D, D>,
) {
    for_nodes(stencil, |index, _, slope| {
        tile[index] = tile[index] + node_of(&(impulse * SVector::from(slope)), T::zero());
    });
}

/// What a particle gets from the grid.
pub(crate) struct Gathered<T: Scalar, const D: usize> {
    /// Weighted sum of the nodes.
    pub value: Node<T>,
    /// How it changes along each axis, a cell.
    pub slope: [Node<T>; D],
}

impl<T: Scalar, const D: usize> Gathered<T, D> {
    /// The sum without its extra place.
    #[inline(always)]
    pub fn vector(&self) -> SVector<T, D> {
        let (mut vector, value) = (SVector::zeros(), self.value.array());
        for axis in 0..D {
            vector[axis] = value[axis];
        }
        vector
    }

    /// Its gradient, for so many cells a metre.
    #[inline(always)]
    pub fn gradient(&self, per_cell: T) -> SMatrix<T, D, D> {
        let mut gradient = SMatrix::zeros();
        for axis in 0..D {
            let slope = (self.slope[axis] * Quad::splat(per_cell)).array();
            for row in 0..D {
                gradient[(row, axis)] = slope[row];
            }
        }
        gradient
    }
}

/// Weighted sum of the nodes and its slope by moving least squares (Nilles 2020, Eq. 66–69).
#[inline(always)]
pub(crate) fn gather<T: Scalar, const D: usize, const W: usize>(
    tile: &[Node<T>],
    stencil: &Stencil<'_, T, D, W>,
) -> Gathered<T, D> {
    let edge = const { tile_edge(D, W) };
    let w = &stencil.weights;
    // Weights times the number of the node: first moments about the first node.
    let mut first = *w;
    for weights in &mut first {
        let mut step = T::zero();
        for value in weights {
            *value *= step;
            step += T::one();
        }
    }
    let nodes = &tile[stencil.corner..][..const { span(D, W) }];
    let zero = Node::<T>::default();
    let (mut value, mut moment) = (zero, [zero; D]);
    for i in 0..W {
        let (mut plane, mut across) = (zero, zero);
        if D == 2 {
            for j in 0..W {
                let node = nodes[i * edge + j];
                plane = add_scaled::<T>(plane, w[1][j], node);
                across = add_scaled::<T>(across, first[1][j], node);
            }
        } else {
            let mut along = zero;
            for j in 0..W {
                let start = (i * edge + j) * edge;
                let mut line = nodes[start] * Quad::splat(w[D - 1][0]);
                let mut inside = zero;
                for k in 1..W {
                    line = add_scaled::<T>(line, w[D - 1][k], nodes[start + k]);
                    inside = add_scaled::<T>(inside, first[D - 1][k], nodes[start + k]);
                }
                plane = add_scaled::<T>(plane, w[1][j], line);
                across = add_scaled::<T>(across, first[1][j], line);
                along = add_scaled::<T>(along, w[1][j], inside);
            }
            moment[D - 1] = add_scaled::<T>(moment[D - 1], w[0][i], along);
        }
        value = add_scaled::<T>(value, w[0][i], plane);
        moment[1] = add_scaled::<T>(moment[1], w[0][i], across);
        moment[0] = add_scaled::<T>(moment[0], first[0][i], plane);
    }
    let mut slope = moment;
    for axis in 0..D {
        let spread = T::of(stencil.mesh.inverse_dispersion::<W>(axis));
        slope[axis] = add_scaled::<T>(moment[axis], -stencil.within[axis], value) * Quad::splat(spread);
    }
    Gathered { value, slope }
}

/// Weighted sum of the nodes and its slope by the slope of the spline (Nilles 2020, Eq. 48).
#[inline(always)]
pub(crate) fn gather_gradient<T: Scalar, const D: usize, const W: usize>(
    tile: &[Node<T>],
    stencil: &Stencil<'_, T, D, W>,
) -> Gathered<T, D> {
    let mut gathered = Gathered { value: Node::<T>::default(), slope: [Node::<T>::default(); D] };
    for_nodes(stencil, |index, weight, slope| {
        let node = tile[index];
        gathered.value = add_scaled::<T>(gathered.value, weight, node);
        for (sum, slope) in gathered.slope.iter_mut().zip(slope) {
            *sum = add_scaled::<T>(*sum, slope, node);
        }
    });
    gathered
}
