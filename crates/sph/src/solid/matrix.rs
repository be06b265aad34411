//! The constant matrix of stretch and zero-energy terms, `M + 2Δt² DᵀKD + Δt² HᵀK̃H` (Kugelstadt 2021, Eq. 29). The
//! supplement's `D_i` and `H_ij` follow from Eq. 9 and 19: with `c_ij = V_j L_i ∇W_ij` and `c_ii = −Σ_j c_ij` the rows of
//! `D_i` are the `c`, and those of `H_ij` are `cᵀ X_ij` less the difference that the edge itself is. The three axes share
//! it.

use super::rest::Rest;
use super::strain::Moduli;
use nalgebra::Vector3;
use pliant_math::Vec3;
use rayon::prelude::*;

/// What the matrix depends on beside the rest pose.
pub(crate) struct Coefficients<'a> {
    /// Masses [kg].
    pub mass: &'a [f64],
    pub moduli: &'a Moduli,
    /// Step [s].
    pub dt: f64,
    /// Particles whose equations are removed.
    pub pinned: &'a [bool],
}

/// The upper triangle, column by column, rows rising.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    pub starts: Vec<u32>,
    pub rows: Vec<u32>,
    pub values: Vec<f32>,
}

/// What particle `i` adds to the matrix, as vectors of the particles in its neighbourhood (itself last).
struct Neighbourhood {
    /// Particle, gradient `c`, weighted offset `b`, and `M c − b`.
    entries: Vec<(u32, Vec3, Vec3, Vec3)>,
    /// Weights of the differences.
    weights: Vec<f64>,
}

impl Matrix {
    pub fn assemble(rest: &Rest, with: &Coefficients<'_>) -> Self {
        let neighbourhoods: Vec<Neighbourhood> =
            (0..rest.len()).into_par_iter().map(|i| Neighbourhood::new(rest, with, i)).collect();
        let columns: Vec<Vec<(u32, f32)>> = (0..rest.len())
            .into_par_iter()
            .map_init(|| vec![0.0; rest.len()], |row, k| column(rest, with, &neighbourhoods, (k, row)))
            .collect();
        let mut matrix = Self { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for column in columns {
            for (row, value) in column {
                matrix.rows.push(row);
                matrix.values.push(value);
            }
            matrix.starts.push(matrix.rows.len() as u32);
        }
        matrix
    }

    /// The rows and columns of a range of particles.
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        let mut part = Self { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for k in range.clone() {
            for e in self.starts[k] as usize..self.starts[k + 1] as usize {
                if range.contains(&(self.rows[e] as usize)) {
                    part.rows.push(self.rows[e] - range.start as u32);
                    part.values.push(self.values[e]);
                }
            }
            part.starts.push(part.rows.len() as u32);
        }
        part
    }
}

impl Neighbourhood {
    fn new(rest: &Rest, with: &Coefficients<'_>, i: usize) -> Self {
        let stretch = with.moduli.stretch[i] * rest.volume[i];
        let penalty = with.moduli.zero_energy * with.moduli.shear[i] * rest.volume[i];
        let moduli =
            rest.spread[i].cast::<f64>() * penalty + nalgebra::Matrix3::from_diagonal_element(stretch);
        let correction = rest.correction[i].cast::<f64>();
        let (mut entries, mut weights) = (Vec::new(), Vec::new());
        let (mut gradients, mut offsets) = (Vec3::zeros(), Vec3::zeros());
        let mut add = |to: u32, gradient: Vec3, offset: Vec3| {
            entries.push((to, gradient, offset, moduli * gradient - offset));
        };
        for edge in rest.row(i) {
            let offset: Vec3 = Vector3::from(edge.offset).cast();
            let gradient = correction * offset * f64::from(edge.steepness);
            let weight = penalty * f64::from(edge.weight);
            add(edge.to, gradient, offset * weight);
            weights.push(weight);
            gradients += gradient;
            offsets += offset * weight;
        }
        add(i as u32, -gradients, -offsets);
        weights.push(weights.iter().sum());
        Self { entries, weights }
    }
}

/// The upper part of column `k`.
fn column(
    rest: &Rest,
    with: &Coefficients<'_>,
    neighbourhoods: &[Neighbourhood],
    (k, row): (usize, &mut [f64]),
) -> Vec<(u32, f32)> {
    if with.pinned[k] {
        return vec![(k as u32, 1.0)];
    }
    let mut touched: Vec<u32> = Vec::new();
    for i in rest.row(k).iter().map(|edge| edge.to as usize).chain([k]) {
        let neighbourhood = &neighbourhoods[i];
        let own = neighbourhood.entries.iter().position(|entry| entry.0 as usize == k);
        let own = own.expect("neighbours know of each other");
        let (_, gradient, offset, _) = neighbourhood.entries[own];
        let last = neighbourhood.entries.len() - 1;
        for (place, (to, c, _, flux)) in neighbourhood.entries.iter().enumerate() {
            if *to as usize > k {
                continue;
            }
            let difference = if place == own {
                neighbourhood.weights[own]
            } else if own == last {
                -neighbourhood.weights[place]
            } else if place == last {
                -neighbourhood.weights[own]
            } else {
                0.0
            };
            let value = gradient.dot(flux) - offset.dot(c) + difference;
            if row[*to as usize] == 0.0 {
                touched.push(*to);
            }
            row[*to as usize] += value;
        }
    }
    touched.sort_unstable();
    touched.dedup(); // a sum may have passed through zero
    let dt_squared = with.dt * with.dt;
    let mut column = Vec::with_capacity(touched.len());
    for to in touched {
        let value = std::mem::take(&mut row[to as usize]) * dt_squared;
        if to as usize == k {
            column.push((to, (with.mass[k] + value) as f32));
        } else if !with.pinned[to as usize] {
            column.push((to, value as f32));
        }
    }
    column
}
