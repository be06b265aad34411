//! The constant matrix of stretch and zero-energy terms, `M + 2Δt² DᵀKD + Δt² HᵀK̃H` (Kugelstadt 2021, Eq. 29). The
//! supplement's `D_i` and `H_ij` follow from Eq. 9 and 19: with `c_ij = V_j L_i ∇W_ij` and `c_ii = −Σ_j c_ij` the rows of
//! `D_i` are the `c`, and those of `H_ij` are `cᵀ X_ij` less the difference that the edge itself is. The three axes share
//! it.

use super::rest::Rest;
use super::strain::Moduli;
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

/// What particles add to the matrix: vectors of the particles in their neighbourhoods, one after the other, themselves last.
struct Neighbourhoods {
    /// Where the vectors of each particle start.
    starts: Vec<usize>,
    entries: Vec<Entry>,
}

/// The vectors of one particle of a neighbourhood.
#[derive(Clone, Copy)]
struct Entry {
    /// `c`.
    gradient: [f64; 3],
    /// Weighted offset `b`.
    offset: [f64; 3],
    /// `M c − b`.
    flux: [f64; 3],
    /// Weight of the difference that the edge is; their sum for the particle itself.
    weight: f64,
}

impl Matrix {
    pub fn assemble(rest: &Rest, with: &Coefficients<'_>) -> Self {
        let neighbourhoods = Neighbourhoods::new(rest, with);
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

impl Neighbourhoods {
    fn new(rest: &Rest, with: &Coefficients<'_>) -> Self {
        let starts: Vec<usize> =
            rest.starts.iter().zip(0..).map(|(&start, own)| start as usize + own).collect();
        let none = Entry { gradient: [0.0; 3], offset: [0.0; 3], flux: [0.0; 3], weight: 0.0 };
        let mut entries = vec![none; rest.edges.len() + rest.len()];
        let mut left = entries.as_mut_slice();
        let mut rows = Vec::with_capacity(rest.len());
        for i in 0..rest.len() {
            let (row, after) = left.split_at_mut(starts[i + 1] - starts[i]);
            rows.push(row);
            left = after;
        }
        rows.into_par_iter().enumerate().for_each(|(i, row)| fill(row, rest, with, i));
        Self { starts, entries }
    }

    fn of(&self, i: usize) -> &[Entry] {
        &self.entries[self.starts[i]..self.starts[i + 1]]
    }
}

/// The vectors of the neighbourhood of particle `i`.
fn fill(row: &mut [Entry], rest: &Rest, with: &Coefficients<'_>, i: usize) {
    let stretch = with.moduli.stretch[i] * rest.volume[i];
    let penalty = with.moduli.zero_energy * with.moduli.shear[i] * rest.volume[i];
    let moduli = rest.spread[i].cast::<f64>() * penalty + nalgebra::Matrix3::from_diagonal_element(stretch);
    let correction = rest.correction[i].cast::<f64>();
    let entry = |gradient: Vec3, offset: Vec3, weight: f64| Entry {
        gradient: gradient.into(),
        offset: offset.into(),
        flux: (moduli * gradient - offset).into(),
        weight,
    };
    let (mut gradients, mut offsets, mut weights) = (Vec3::zeros(), Vec3::zeros(), 0.0);
    for (edge, place) in rest.row(i).iter().zip(&mut *row) {
        let gradient = correction * edge.offset() * f64::from(edge.steepness);
        let weight = penalty * f64::from(edge.weight);
        let offset = edge.offset() * weight;
        *place = entry(gradient, offset, weight);
        gradients += gradient;
        offsets += offset;
        weights += weight;
    }
    row[row.len() - 1] = entry(-gradients, -offsets, weights);
}

/// The upper part of column `k`; `row` holds zeros.
fn column(
    rest: &Rest,
    with: &Coefficients<'_>,
    neighbourhoods: &Neighbourhoods,
    (k, row): (usize, &mut [f64]),
) -> Vec<(u32, f32)> {
    if with.pinned[k] {
        return vec![(k as u32, 1.0)];
    }
    let mut touched: Vec<u32> = Vec::with_capacity(64);
    let near = rest.starts[k] as usize..rest.starts[k + 1] as usize;
    for i in rest.to[near].iter().map(|&to| to as usize).chain([k]) {
        let entries = neighbourhoods.of(i);
        let last = entries.len() - 1;
        let to = &rest.to[rest.starts[i] as usize..rest.starts[i + 1] as usize];
        // Rows rise, so those up to the diagonal come first.
        let above = to.partition_point(|&to| to <= k as u32);
        let own = if i == k { last } else { above - 1 };
        let Entry { gradient, offset, weight, .. } = entries[own];
        let mut add = |to: u32, entry: &Entry, difference: f64| {
            let value = dot(&gradient, &entry.flux) - dot(&offset, &entry.gradient) + difference;
            if row[to as usize] == 0.0 {
                touched.push(to);
            }
            row[to as usize] += value;
        };
        if i == k {
            to[..above].iter().zip(entries).for_each(|(&to, entry)| add(to, entry, -entry.weight));
            add(k as u32, &entries[last], weight);
        } else {
            to[..own].iter().zip(entries).for_each(|(&to, entry)| add(to, entry, 0.0));
            add(k as u32, &entries[own], weight);
            if i < k {
                add(i as u32, &entries[last], -weight);
            }
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

#[inline(always)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
