//! Particles to grid and back in packs, four nodes of the last axis at a time: what [`super::transfer`] does for one
//! particle and one node, for splines of three or four nodes.

#![allow(clippy::needless_range_loop, reason = "lanes and axes are counted: iterators hide which is which")]

use super::kernel::{inverse_dispersion, shift, weights};
use super::lanes::Lanes;
use super::layout::{MARGIN, Place, block_edge, tile_edge};
use super::registers::{LANES, Registers, Row};
use super::transfer::{Mesh, small_integer};
use pulp::bytemuck;
use wide::f32x4;

/// A node of each particle of a pack.
type Nodes = [[f32; 4]; LANES];

/// The nodes that the particles of a pack see, in the tile of their block.
pub(super) struct Stencils<const D: usize, const W: usize> {
    /// The first node, as an index of the tile.
    corner: Row<u32>,
    /// Cells from the first node to the particle.
    pub within: [Row<f32>; D],
    weights: [[Row<f32>; W]; D],
}

impl<const D: usize, const W: usize> Stencils<D, W> {
    #[inline(always)]
    pub fn of<R: Registers>(registers: R, mesh: &Mesh, place: &Place<D>, position: &[Row<f64>; D]) -> Self {
        let mut corner = [0; LANES];
        let mut within = [[0.0; LANES]; D];
        for axis in 0..D {
            let base = f64::from(place.0[axis] * block_edge(D) as i32 - MARGIN);
            let mut cells = position[axis];
            for value in &mut cells {
                *value *= mesh.per_metre;
            }
            let mut first = cells;
            for value in &mut first {
                *value -= const { shift::<W>() };
            }
            let first = registers.floor(&first);
            for lane in 0..LANES {
                within[axis][lane] = (cells[lane] - first[lane]) as f32;
            }
            for lane in 0..LANES {
                corner[lane] =
                    corner[lane] * tile_edge(D, W) as u32 + small_integer(first[lane] - base) as u32;
            }
        }
        let mut all = [[[0.0; LANES]; W]; D];
        for axis in 0..D - 1 {
            let here = weights::<_, W>(Lanes::load(registers, &within[axis]));
            for i in 0..W {
                all[axis][i] = here[i].to_array();
            }
        }
        Self { corner, within, weights: all }
    }

    /// Weights of a particle along one axis.
    #[inline(always)]
    fn along(&self, axis: usize, lane: usize) -> [f32; W] {
        let mut along = [0.0; W];
        for i in 0..W {
            along[i] = self.weights[axis][i][lane];
        }
        along
    }
}

/// From the first node of a stencil to the end of its last line.
const fn span(dimension: usize, width: usize) -> usize {
    let edge = tile_edge(dimension, width);
    let steps = if dimension == 2 { edge } else { edge * edge + edge };
    (width - 1) * steps + 4
}

/// Weights of the four nodes of a line as polynomials, the same for all numbers of a node.
struct LineWeights<R: Registers> {
    registers: R,
    /// For cubic splines: whether a node counts from the far side.
    flip: [Lanes<R>; 2],
    terms: [Lanes<R>; 3],
    /// Number of the node.
    number: Lanes<R>,
}

impl<R: Registers> LineWeights<R> {
    #[inline(always)]
    fn new<const W: usize>(registers: R) -> Self {
        let (flip, terms) = if W == 3 {
            ([[0.0; 4]; 2], [[0.5, -1.0, 0.5, 0.0], [1.5, 1.0, 0.5, 0.0], [0.0, 0.75, 0.0, 0.0]])
        } else {
            (
                [[1.0, 0.0, 1.0, 0.0], [-1.0, 1.0, -1.0, 1.0]],
                [[0.0, 4.0, 4.0, 0.0], [1.0, 3.0, 3.0, 1.0], [0.0, -6.0, -6.0, 0.0]],
            )
        };
        Self {
            registers,
            flip: [of_nodes(registers, flip[0]), of_nodes(registers, flip[1])],
            terms: [
                of_nodes(registers, terms[0]),
                of_nodes(registers, terms[1]),
                of_nodes(registers, terms[2]),
            ],
            number: of_nodes(registers, [0.0, 1.0, 2.0, 3.0]),
        }
    }

    /// Weights of a particle `t` cells from the first node; that of a fourth node is 0 if the spline has three.
    #[inline(always)]
    fn at<const W: usize>(&self, t: f32) -> Lanes<R> {
        let [a, b, c] = self.terms;
        if W == 3 {
            // w = a (t − b)² + c
            let d = Lanes::splat(self.registers, t) - b;
            a * d * d + c
        } else {
            // w = (a + x² (b x + c))/6 of x = t − 1 or 2 − t
            let x = self.flip[0] + self.flip[1] * (t - 1.0);
            (a + x * x * (b * x + c)) * (1.0 / 6.0)
        }
    }
}

/// One value for all numbers of each node of a line.
#[inline(always)]
fn of_nodes<R: Registers>(registers: R, values: [f32; 4]) -> Lanes<R> {
    let mut row = [0.0; LANES];
    for (number, value) in row.iter_mut().enumerate() {
        *value = values[number / 4];
    }
    Lanes::load(registers, &row)
}

/// Sums over nodes with their weights, and with their numbers: `Σ w v` and, for each axis, `Σ i w v`.
pub(super) struct Sums<R: Registers, const D: usize> {
    pub value: [Lanes<R>; 4],
    pub moment: [[Lanes<R>; 4]; D],
}

/// What the particles of a pack get from the nodes of a tile.
#[inline(always)]
pub(super) fn gather<R: Registers, const D: usize, const W: usize>(
    registers: R,
    tile: &[f32x4],
    stencils: &Stencils<D, W>,
    count: usize,
) -> Sums<R, D> {
    let lines = LineWeights::new::<W>(registers);
    let tile: &[f32] = bytemuck::cast_slice(tile);
    let zero = Lanes::splat(registers, 0.0);
    let (mut value, mut moment) = ([zero; 4], [[zero; 4]; D]);
    // Four particles are folded into one line of nodes, one of each quarter of the pack.
    for first in 0..4 {
        let (mut sums, mut moments) = ([zero; 4], [[zero; 4]; D]);
        for quarter in 0..4 {
            let lane = 4 * quarter + first;
            if lane < count {
                let (sum, by_number) = particle(&lines, tile, stencils, lane);
                sums[quarter] = sum;
                for axis in 0..D {
                    moments[axis][quarter] = by_number[axis];
                }
            }
        }
        value[first] = Lanes::fold(sums);
        for axis in 0..D {
            moment[axis][first] = Lanes::fold(moments[axis]);
        }
    }
    let mut sums = Sums { value: Lanes::transpose(value), moment };
    for axis in 0..D {
        sums.moment[axis] = Lanes::transpose(moment[axis]);
    }
    sums
}

/// Sums over the lines of one particle, node by node of a line.
#[inline(always)]
fn particle<R: Registers, const D: usize, const W: usize>(
    lines: &LineWeights<R>,
    tile: &[f32],
    stencils: &Stencils<D, W>,
    lane: usize,
) -> (Lanes<R>, [Lanes<R>; D]) {
    let registers = lines.registers;
    let nodes = &tile[stencils.corner[lane] as usize * 4..][..const { span(D, W) * 4 }];
    let last = lines.at::<W>(stencils.within[D - 1][lane]);
    let x = stencils.along(0, lane);
    let zero = Lanes::splat(registers, 0.0);
    let (mut sum, mut along, mut across) = (zero, zero, zero);
    for i in (0..W).rev() {
        let (plane, beside) = if D == 2 {
            (line(registers, nodes, i * tile_edge(D, W)), zero)
        } else {
            plane(registers, &nodes[i * tile_edge(D, W) * tile_edge(D, W) * 4..], stencils, lane)
        };
        sum = sum + plane * x[i];
        across = across + beside * x[i];
        if i > 0 {
            along = along + sum;
        }
    }
    let sum = sum * last;
    let mut moment = [along * last; D];
    if D == 3 {
        moment[1] = across * last;
    }
    moment[D - 1] = sum * lines.number;
    (sum, moment)
}

/// Sums over the lines of a plane: weighted, and with the numbers of the lines.
#[inline(always)]
fn plane<R: Registers, const D: usize, const W: usize>(
    registers: R,
    nodes: &[f32],
    stencils: &Stencils<D, W>,
    lane: usize,
) -> (Lanes<R>, Lanes<R>) {
    let y = stencils.along(1, lane);
    let mut sum = line(registers, nodes, (W - 1) * tile_edge(D, W)) * y[W - 1];
    let mut moment = sum;
    for j in (0..W - 1).rev() {
        sum = sum + line(registers, nodes, j * tile_edge(D, W)) * y[j];
        if j > 0 {
            moment = moment + sum;
        }
    }
    (sum, moment)
}

/// Four nodes from number `first` on.
#[inline(always)]
fn line<R: Registers>(registers: R, nodes: &[f32], first: usize) -> Lanes<R> {
    Lanes::load(registers, nodes[first * 4..].first_chunk().expect("a stencil is inside its tile"))
}

/// A field that is linear around each particle of a pack: its value at the first node of the stencil, and what it grows by
/// from node to node along each axis.
pub(super) struct Fields<const D: usize> {
    pub start: [Row<f32>; 4],
    pub growth: [[Row<f32>; 4]; D],
}

/// Adds linear fields, weighted, to the nodes of a tile.
#[inline(always)]
pub(super) fn scatter<R: Registers, const D: usize, const W: usize>(
    registers: R,
    tile: &mut [f32x4],
    stencils: &Stencils<D, W>,
    fields: &Fields<D>,
    count: usize,
) {
    let lines = LineWeights::new::<W>(registers);
    let tile: &mut [f32] = bytemuck::cast_slice_mut(tile);
    let start = to_nodes(registers, &fields.start);
    let mut growth: [Nodes; D] = [start; D];
    for axis in 0..D {
        growth[axis] = to_nodes(registers, &fields.growth[axis]);
    }
    for lane in 0..count {
        let node = lane % 4 * 4 + lane / 4;
        let nodes = &mut tile[stencils.corner[lane] as usize * 4..][..const { span(D, W) * 4 }];
        let last = lines.at::<W>(stencils.within[D - 1][lane]);
        let x = stencils.along(0, lane);
        let inside = Lanes::repeat(registers, growth[D - 1][node]) * lines.number;
        let mut here = (Lanes::repeat(registers, start[node]) + inside) * last;
        let step = Lanes::repeat(registers, growth[0][node]) * last;
        let across = Lanes::repeat(registers, growth[1][node]) * last;
        for i in 0..W {
            let value = here * x[i];
            if D == 2 {
                add_to_line(registers, nodes, i * tile_edge(D, W), value);
            } else {
                let y = stencils.along(1, lane);
                let across = across * x[i];
                let mut value = value;
                for j in 0..W {
                    add_to_line(registers, nodes, (i * tile_edge(D, W) + j) * tile_edge(D, W), value * y[j]);
                    value = value + across;
                }
            }
            here = here + step;
        }
    }
}

#[inline(always)]
fn add_to_line<R: Registers>(registers: R, nodes: &mut [f32], first: usize, value: Lanes<R>) {
    let line = nodes[first * 4..].first_chunk_mut().expect("a stencil is inside its tile");
    *line = (Lanes::load(registers, line) + value).to_array();
}

/// Rows of numbers as nodes, those of every fourth particle together.
#[inline(always)]
fn to_nodes<R: Registers>(registers: R, rows: &[Row<f32>; 4]) -> Nodes {
    let [a, b, c, d] = rows;
    let load = [
        Lanes::load(registers, a),
        Lanes::load(registers, b),
        Lanes::load(registers, c),
        Lanes::load(registers, d),
    ];
    let [a, b, c, d] = Lanes::transpose(load);
    bytemuck::cast([a.to_array(), b.to_array(), c.to_array(), d.to_array()])
}

impl<R: Registers, const D: usize> Sums<R, D> {
    /// Gradient of the value along `axis` for so many cells a metre, by moving least squares (Nilles 2020, Eq. 66–69).
    #[inline(always)]
    pub fn slope<const W: usize>(
        &self,
        registers: R,
        (row, axis): (usize, usize),
        within: &Row<f32>,
        per_cell: f32,
    ) -> Lanes<R> {
        let offset = Lanes::load(registers, within) * self.value[row];
        (self.moment[axis][row] - offset) * (inverse_dispersion::<W>() as f32 * per_cell)
    }
}
