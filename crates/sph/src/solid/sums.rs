//! The two loops over neighbours at rest that forces, energies and linear operators are made of.

use super::lanes::Columns;
use super::rest::{Edge, Rest};
use wide::f32x4;

/// `Σ_j a x_ji oᵀ`, and with two terms `Σ_j w x_ji oᵀ`, where `a = −V_j W'/r`, `o = X_j − X_i` and `w = V_j W/r²`.
#[inline(always)]
pub(super) fn moments<const TERMS: usize>(row: &[Edge], apart: impl Fn(usize) -> f32x4) -> [Columns; TERMS] {
    let mut sums = [Columns::ZERO; TERMS];
    for edge in row {
        let apart = apart(edge.to as usize);
        let weights = [edge.steepness, edge.weight];
        for (sum, weight) in sums.iter_mut().zip(weights) {
            sum.add_outer(apart * f32x4::splat(weight), &edge.offset);
        }
    }
    sums
}

/// `Σ_j a (h_i + h_j) o` for fluxes `h`.
#[inline(always)]
pub(super) fn divergence(rest: &Rest, i: usize, flux: &[Columns]) -> f32x4 {
    let mut sum = flux[i].times(&rest.slope[i]);
    for edge in rest.row(i) {
        sum += flux[edge.to as usize].times(&edge.offset.map(|offset| offset * edge.steepness));
    }
    sum
}

/// `Σ_j [a (h_i + h_j) o − w (s_i + s_j) o + w (k_i + k_j) x_ji]` for the fluxes `[h, s]` of particles and stiffnesses `k`.
#[inline(always)]
pub(super) fn pull(
    (rest, i): (&Rest, usize),
    flux: &[[Columns; 2]],
    stiffness: &[f32],
    apart: impl Fn(usize) -> f32x4,
) -> f32x4 {
    let own = stiffness[i];
    let mut sum = flux[i][0].times(&rest.slope[i]) - flux[i][1].times(&rest.lean[i]);
    for edge in rest.row(i) {
        let j = edge.to as usize;
        let [h, s] = &flux[j];
        let (a, w) = (edge.steepness, edge.weight);
        sum +=
            h.times(&edge.offset.map(|offset| offset * a)) - s.times(&edge.offset.map(|offset| offset * w));
        sum += apart(j) * f32x4::splat(w * (own + stiffness[j]));
    }
    sum
}
