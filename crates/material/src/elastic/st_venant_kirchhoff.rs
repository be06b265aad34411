//! Hooke's law on Green's strain `E = ½(σ²−1)` (Nilles 2020, §5.1.1). Squeezed below a stretch of 1/√3 it
//! softens; use another law where bodies are crushed.

use crate::Lame;
use pliant_math::{Mat, Vect};

/// `Ψ(σ) = μ Σ Eᵢ² + ½ λ (Σ Eᵢ)²` [J/m³]
pub(super) fn energy<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> f64 {
    let strain = green(sigma);
    lame.mu * strain.norm_squared() + 0.5 * lame.lambda * strain.sum().powi(2)
}

/// `∂Ψ/∂σᵢ = σᵢ (2μ Eᵢ + λ Σ Eⱼ)` [Pa] (Nilles 2020, Eq. 70 times F)
pub(super) fn piola<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> Vect<D> {
    let strain = green(sigma);
    (strain * (2.0 * lame.mu)).add_scalar(lame.lambda * strain.sum()).component_mul(sigma)
}

fn green<const D: usize>(sigma: &Vect<D>) -> Vect<D> {
    sigma.map(|stretch| 0.5 * (stretch * stretch - 1.0))
}

/// `∂²Ψ/∂σᵢ∂σⱼ = λ σᵢσⱼ + δᵢⱼ (2μ Eᵢ + λ Σ Eₖ + 2μ σᵢ²)` [Pa]
pub(super) fn stiffness<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> Mat<D> {
    let strain = green(sigma);
    let own =
        Vect::from_fn(|i, _| 2.0 * lame.mu * (strain[i] + sigma[i] * sigma[i]) + lame.lambda * strain.sum());
    sigma * sigma.transpose() * lame.lambda + Mat::from_diagonal(&own)
}
