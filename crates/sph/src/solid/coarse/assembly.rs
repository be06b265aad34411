//! The matrix of the coarse space, `PᵀAP`, from the rows of the parts.

use super::super::factor::Factor;
use super::super::matrix::Matrix;
use super::super::product::Part;
use super::grid::{CORNERS, Spot, distinct, weights};
use std::collections::BTreeMap;

/// Added to the diagonal, as a share of it: where a body is thin, two nodes may say the same.
const SHIFT: f64 = 1e-5;

/// A value of the upper triangle, by column and row.
type Entry = ((u32, u32), f64);

/// What the rows of a part add to the coarse matrix.
pub(super) fn seen_by(
    part: &Part,
    spots: &[Option<Spot>],
    corners: &BTreeMap<u32, [u32; CORNERS]>,
) -> Vec<Entry> {
    let particles = || part.range.clone().chain(part.beyond.iter().map(|&to| to as usize));
    let seen = particles().filter_map(|i| spots[i].as_ref());
    let nodes = distinct(seen.flat_map(|spot| corners[&spot.cell]));
    let place = |node: u32| nodes.binary_search(&node).expect("listed above");
    let reach = |spot: &Spot| (corners[&spot.cell].map(place), weights(spot.along).map(f64::from));
    let reached: Vec<Option<_>> = particles().map(|i| spots[i].as_ref().map(reach)).collect();
    let mut dense = vec![0.0; nodes.len() * nodes.len()];
    let mut image = vec![0.0; nodes.len()];
    for k in 0..part.range.len() {
        let Some((own, shares)) = &reached[k] else { continue };
        image.fill(0.0);
        let (columns, values) = part.row(k);
        for (&column, &value) in columns.iter().zip(values) {
            if let Some((nodes, weights)) = &reached[usize::from(column)] {
                let value = f64::from(value);
                nodes.iter().zip(weights).for_each(|(&node, weight)| image[node] += value * weight);
            }
        }
        for (&node, share) in own.iter().zip(shares) {
            let row = &mut dense[node * nodes.len()..(node + 1) * nodes.len()];
            row.iter_mut().zip(&image).for_each(|(sum, image)| *sum += share * image);
        }
    }
    let upper = (0..nodes.len()).flat_map(|row| (row..nodes.len()).map(move |column| (column, row)));
    let entries = upper.map(|(column, row)| ((nodes[column], nodes[row]), dense[row * nodes.len() + column]));
    entries.filter(|entry| entry.1 != 0.0).collect()
}

/// The factor of the sum of what all parts see.
pub(super) fn factorise(count: usize, blocks: Vec<Vec<Entry>>) -> Option<Factor> {
    let mut sums: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for (place, value) in blocks.into_iter().flatten() {
        *sums.entry(place).or_default() += value;
    }
    let mut matrix = Matrix { starts: Vec::new(), rows: Vec::new(), values: Vec::new() };
    for ((column, row), value) in sums {
        matrix.starts.resize(column as usize + 1, matrix.rows.len() as u32);
        matrix.rows.push(row);
        matrix.values.push((if row == column { value * (1.0 + SHIFT) } else { value }) as f32);
    }
    matrix.starts.resize(count + 1, matrix.rows.len() as u32);
    Factor::new(&matrix, 0..count, &[])
}
