//! The fixed corotated law of Stomakhin 2012: the elasticity of snow (Nilles 2020, §5.1.4).

use super::{cofactors, second_cofactors};
use crate::Lame;
use pliant_math::{Mat, Vect};

/// `Ψ(σ) = μ Σ(σᵢ−1)² + ½ λ (J−1)²` [J/m³] (Nilles 2020, Eq. 77)
pub(super) fn energy<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> f64 {
    let volume = sigma.product() - 1.0;
    lame.mu * sigma.add_scalar(-1.0).norm_squared() + 0.5 * lame.lambda * volume * volume
}

/// `∂Ψ/∂σᵢ = 2μ(σᵢ−1) + λ(J−1) J/σᵢ` [Pa] (Nilles 2020, Eq. 78)
pub(super) fn piola<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> Vect<D> {
    let volume = sigma.product() - 1.0;
    sigma.add_scalar(-1.0) * (2.0 * lame.mu) + cofactors(sigma) * (lame.lambda * volume)
}

/// `∂²Ψ/∂σᵢ∂σⱼ = 2μ δᵢⱼ + λ (∂J/∂σᵢ ∂J/∂σⱼ + (J−1) ∂²J/∂σᵢ∂σⱼ)` [Pa]
pub(super) fn stiffness<const D: usize>(lame: &Lame, sigma: &Vect<D>) -> Mat<D> {
    let (slope, volume) = (cofactors(sigma), sigma.product() - 1.0);
    let bulk = slope * slope.transpose() + second_cofactors(sigma) * volume;
    Mat::identity() * (2.0 * lame.mu) + bulk * lame.lambda
}
