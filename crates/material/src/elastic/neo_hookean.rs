//! The Neo-Hookean law of rubber (Nilles 2020, §5.1.3).

use super::{logarithms, not_flat};
use crate::Lame;
use pliant_math::{Mat, Vect};

/// `Ψ(σ) = ½ μ Σ(σᵢ²−1) − μ ln J + ½ λ ln²J` [J/m³] (Nilles 2020, Eq. 74)
pub(super) fn energy<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> f64 {
    let log_volume = logarithms(sigma).sum();
    let stretch = sigma.norm_squared() - D as f64;
    lame.mu * (0.5 * stretch - log_volume) + 0.5 * lame.lambda * log_volume.powi(2)
}

/// `τᵢ = μ(σᵢ²−1) + λ ln J` [Pa] (Nilles 2020, Eq. 75 times Fᵀ)
pub(super) fn kirchhoff<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> Vect<D> {
    let log_volume = logarithms(sigma).sum();
    sigma.map(|stretch| lame.mu * (stretch * stretch - 1.0) + lame.lambda * log_volume)
}

/// `∂²Ψ/∂σᵢ∂σⱼ = λ/(σᵢσⱼ) + δᵢⱼ (μ + (μ − λ ln J)/σᵢ²)` [Pa]
pub(super) fn stiffness<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> Mat<D> {
    let inverse = sigma.map(|stretch| 1.0 / not_flat(stretch));
    let shear = lame.mu - lame.lambda * logarithms(sigma).sum();
    let own = inverse.map(|inverse| lame.mu + shear * inverse * inverse);
    inverse * inverse.transpose() * lame.lambda + Mat::from_diagonal(&own)
}
