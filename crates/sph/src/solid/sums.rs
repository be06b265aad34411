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

/// `Σ_j a (h_i + h_j) o`, and with two terms less `Σ_j w (s_i + s_j) o`, where the fluxes of a particle are `[h, s]`.
#[inline(always)]
pub(super) fn divergence<const TERMS: usize>(rest: &Rest, i: usize, flux: &[[Columns; TERMS]]) -> f32x4 {
    let mut sum = f32x4::ZERO;
    for edge in rest.row(i) {
        let fluxes = &flux[edge.to as usize];
        let weights = [edge.steepness, -edge.weight];
        for (flux, weight) in fluxes.iter().zip(weights) {
            sum += flux.times(&edge.offset.map(|offset| offset * weight));
        }
    }
    let own = [rest.slope[i], rest.lean[i].map(|value| -value)];
    for (flux, own) in flux[i].iter().zip(own) {
        sum += flux.times(&own);
    }
    sum
}

/// `Σ_j w (k_i + k_j) x_ji` for stiffnesses `k`.
#[inline(always)]
pub(super) fn springs(row: &[Edge], own: f32, stiffness: &[f32], apart: impl Fn(usize) -> f32x4) -> f32x4 {
    let mut sum = f32x4::ZERO;
    for edge in row {
        let j = edge.to as usize;
        sum += apart(j) * f32x4::splat(edge.weight * (own + stiffness[j]));
    }
    sum
}
