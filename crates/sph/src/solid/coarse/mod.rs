//! A coarse space for bodies that are solved in parts: motions that are trilinear between the nodes of a wide grid, solved
//! directly beside the parts (an additive two-level Schwarz method, `z = Σ Rᵀ A_part⁻¹ R r + P (PᵀAP)⁻¹ Pᵀ r`). A part
//! knows nothing of what pushes its neighbours; through the grid a push reaches the whole body at once.

mod assembly;
mod grid;

use super::factor::Factor;
use super::lanes::Lane;
use super::product::{Part, Product};
use super::rest::Rest;
use grid::{CORNERS, Grid, Spot, distinct, weights};
use rayon::prelude::*;
use std::collections::BTreeMap;
use wide::f32x4;

/// The coarse system.
#[derive(Debug)]
pub(super) struct Coarse {
    factor: Factor,
    /// What each part of the body has to do with the grid.
    shares: Vec<Share>,
}

/// How a part of the body lies in the grid.
#[derive(Debug)]
struct Share {
    /// The first particle of the part.
    first: usize,
    /// Unknowns of the coarse system that the part takes part in, rising.
    nodes: Vec<u32>,
    /// Corners of its cells, as places in `nodes`.
    cells: Vec<[u16; CORNERS]>,
    /// Its particles that can move: place in the part, cell, and where in the cell.
    particles: Vec<(u16, u16, [f32; 3])>,
}

impl Coarse {
    /// The coarse system of a matrix, or none if it is not positive definite.
    pub fn new(rest: &Rest, pinned: &[bool], product: &Product) -> Option<Self> {
        let grid = Grid::new(rest);
        let spots: Vec<Option<Spot>> = (rest.position.par_iter().zip(pinned))
            .map(|(x, pinned)| if *pinned { None } else { Some(grid.spot(x)) })
            .collect();
        let cells = distinct(spots.iter().flatten().map(|spot| spot.cell));
        let nodes = distinct(cells.iter().flat_map(|&cell| grid.corners(cell)));
        let number =
            |node: u32| nodes.binary_search(&node).expect("a corner of a cell with particles") as u32;
        let corners: BTreeMap<u32, [u32; CORNERS]> =
            cells.iter().map(|&cell| (cell, grid.corners(cell).map(number))).collect();
        let blocks: Vec<_> =
            product.parts().par_iter().map(|part| assembly::seen_by(part, &spots, &corners)).collect();
        let factor = assembly::factorise(nodes.len(), blocks)?;
        let shares = product.parts().iter().map(|part| Share::new(part, &spots, &corners)).collect();
        Some(Self { factor, shares })
    }

    /// The motion of the nodes that a residual asks for, `(PᵀAP)⁻¹ Pᵀ r`.
    pub fn solve(&self, residual: &[Lane]) -> Vec<Lane> {
        let sums: Vec<Vec<f32x4>> = self.shares.par_iter().map(|share| share.gather(residual)).collect();
        let mut side = vec![[0.0; 4]; self.factor.range.len()];
        for (share, sums) in self.shares.iter().zip(sums) {
            for (&node, sum) in share.nodes.iter().zip(sums) {
                let sum = sum.to_array();
                (0..3).for_each(|axis| side[node as usize][axis] += sum[axis]);
            }
        }
        self.factor.solve(&mut [&mut side]);
        side
    }

    /// Adds the motion of the nodes to that of a part.
    pub fn add(&self, part: usize, motion: &[Lane], out: &mut [Lane]) {
        self.shares[part].hand_out(motion, out);
    }
}

impl Share {
    fn new(part: &Part, spots: &[Option<Spot>], corners: &BTreeMap<u32, [u32; CORNERS]>) -> Self {
        let own = &spots[part.range.clone()];
        let cells = distinct(own.iter().flatten().map(|spot| spot.cell));
        let nodes = distinct(cells.iter().flat_map(|cell| corners[cell]));
        // A part has at most 512 particles, so small numbers do.
        let place = |all: &[u32], one: u32| all.binary_search(&one).expect("listed above") as u16;
        let places = (0u16..).zip(own).filter_map(|(k, spot)| spot.as_ref().map(|spot| (k, spot)));
        let particles = places.map(|(k, spot)| (k, place(&cells, spot.cell), spot.along)).collect();
        let cells = cells.iter().map(|cell| corners[cell].map(|node| place(&nodes, node))).collect();
        Self { first: part.range.start, nodes, cells, particles }
    }

    /// `Pᵀ r` of the part, node by node.
    fn gather(&self, residual: &[Lane]) -> Vec<f32x4> {
        let mut sums = vec![f32x4::ZERO; self.nodes.len()];
        for &(k, cell, along) in &self.particles {
            let here = f32x4::from(residual[self.first + usize::from(k)]);
            for (&node, weight) in self.cells[usize::from(cell)].iter().zip(weights(along)) {
                sums[usize::from(node)] += here * f32x4::splat(weight);
            }
        }
        sums
    }

    /// Adds `P` times the motion of the nodes to that of the part.
    fn hand_out(&self, motion: &[Lane], out: &mut [Lane]) {
        let motion: Vec<f32x4> = self.nodes.iter().map(|&node| f32x4::from(motion[node as usize])).collect();
        for &(k, cell, along) in &self.particles {
            let mut sum = f32x4::from(out[usize::from(k)]);
            for (&node, weight) in self.cells[usize::from(cell)].iter().zip(weights(along)) {
                sum += motion[usize::from(node)] * f32x4::splat(weight);
            }
            out[usize::from(k)] = sum.to_array();
        }
    }
}
