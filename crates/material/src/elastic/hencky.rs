//! Hooke's law on the logarithmic strain `ε = ln σ`: the elasticity of sand and of metals (Nilles 2020, §5.1.2).

use super::{logarithms, not_flat};
use crate::Lame;
use pliant_math::{Mat, Vect};

/// `Ψ(σ) = μ Σ ln²σᵢ + ½ λ (Σ ln σᵢ)²` [J/m³] (Nilles 2020, Eq. 72)
pub(super) fn energy<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> f64 {
    let strain = logarithms(sigma);
    lame.mu * strain.norm_squared() + 0.5 * lame.lambda * strain.sum().powi(2)
}

/// `τᵢ = 2μ ln σᵢ + λ Σ ln σⱼ` [Pa] (Nilles 2020, Eq. 73 times Fᵀ; Eq. 71, which is no Cauchy stress: errata N1)
pub(super) fn kirchhoff<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> Vect<D> {
    let strain = logarithms(sigma);
    (strain * (2.0 * lame.mu)).add_scalar(lame.lambda * strain.sum())
}

/// `∂²Ψ/∂σᵢ∂σⱼ = (λ + δᵢⱼ (2μ − τᵢ))/(σᵢσⱼ)` [Pa]
pub(super) fn stiffness<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> Mat<D> {
    let inverse = sigma.map(|stretch| 1.0 / not_flat(stretch));
    let own = kirchhoff(lame, sigma).map(|stress| 2.0 * lame.mu - stress);
    (Mat::repeat(lame.lambda) + Mat::from_diagonal(&own)).component_mul(&(inverse * inverse.transpose()))
}
