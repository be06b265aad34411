//! Linear elasticity in the frame that rotates with the material: the law of Zhou 2013 and Kugelstadt 2021.

use crate::Lame;
use pliant_math::{Mat, Vect, symmetric};

/// Hooke's law on the co-rotated strain `ε = sym(RᵀF) − I` (Zhou 2013, Eq. 6–7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearCorotated(pub Lame);

impl LinearCorotated {
    /// `Ψ(σ) = μ Σ(σᵢ−1)² + ½ λ (Σ(σᵢ−1))²` [J/m³] (Zhou 2013, Eq. 7)
    pub fn energy<const D: usize>(&self, sigma: &Vect<D>) -> f64 {
        let (Lame { mu, lambda }, strain) = (self.0, sigma.add_scalar(-1.0));
        mu * strain.norm_squared() + 0.5 * lambda * strain.sum().powi(2)
    }

    /// `Ψ = μ ε:ε + ½ λ tr(ε)²` [J/m³], without principal stretches.
    pub fn energy_of<const D: usize>(&self, strain: &Mat<D>) -> f64 {
        let Lame { mu, lambda } = self.0;
        mu * strain.norm_squared() + 0.5 * lambda * strain.trace().powi(2)
    }

    /// `∂Ψ/∂σᵢ = 2μ(σᵢ−1) + λ Σ(σⱼ−1)`: principal Piola stress [Pa].
    pub fn piola<const D: usize>(&self, sigma: &Vect<D>) -> Vect<D> {
        let (Lame { mu, lambda }, strain) = (self.0, sigma.add_scalar(-1.0));
        strain * (2.0 * mu) + Vect::repeat(lambda * strain.sum())
    }

    /// `∂²Ψ/∂σᵢ∂σⱼ = 2μ δᵢⱼ + λ` [Pa].
    pub fn stiffness<const D: usize>(&self) -> Mat<D> {
        let Lame { mu, lambda } = self.0;
        Mat::identity() * (2.0 * mu) + Mat::repeat(lambda)
    }

    /// First Piola stress `R (2μ ε + λ tr(ε) I)` for the strain `ε = sym(RᵀF) − I` [Pa]. Equal to
    /// `U piola(σ) Vᵀ` when R is the polar factor of F; stays the gradient of the energy while R is frozen.
    pub fn first_piola<const D: usize>(&self, rotation: &Mat<D>, f: &Mat<D>) -> Mat<D> {
        rotation * self.stress_of(&(symmetric(&rotation.tr_mul(f)) - Mat::identity()))
    }

    /// Hooke's law `2μ ε + λ tr(ε) I` [Pa].
    pub fn stress_of<const D: usize>(&self, strain: &Mat<D>) -> Mat<D> {
        let Lame { mu, lambda } = self.0;
        strain * (2.0 * mu) + Mat::identity() * (lambda * strain.trace())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_math::principal;

    fn law() -> LinearCorotated {
        LinearCorotated(Lame::new(1e6, 0.3).unwrap())
    }

    #[test]
    fn known_values_are_met() {
        let p = |sigma: [f64; 3]| law().piola(&Vect::from(sigma));
        assert!((p([1.2, 1.0, 1.0])[0] - 269_230.769).abs() < 1e-3);
        assert!((p([0.8, 1.0, 1.0])[0] + 269_230.769).abs() < 1e-3);
        assert!((p([1.5, 1.0, 1.0])[0] - 673_076.923).abs() < 1e-3);
        assert!((p([1.2, 1.0, 1.0])[1] / 1.2 - 96_153.846).abs() < 1e-3);
        let mut shear = Mat::<3>::identity();
        shear[(0, 1)] = 0.5;
        let cauchy = law().first_piola(&principal(&shear).rotation(), &shear) * shear.transpose();
        assert!((cauchy[(0, 1)] - 206_662.3).abs() < 0.1 && (cauchy[(0, 0)] - 160_749.4).abs() < 0.1);
        assert!((cauchy[(1, 1)] - 57_418.3).abs() < 0.1);
    }

    #[test]
    fn stress_is_the_derivative_of_the_energy() {
        let sigma = Vect::<3>::from([1.3, 0.9, 0.4]);
        for k in 0..3 {
            let mut h = Vect::zeros();
            h[k] = 1e-6;
            let slope = (law().energy(&(sigma + h)) - law().energy(&(sigma - h))) / 2e-6;
            assert!((slope - law().piola(&sigma)[k]).abs() < 1e-3);
        }
    }

    #[test]
    fn stress_from_the_rotation_equals_stress_from_the_stretches() {
        let f = Mat::<3>::new(1.1, 0.2, -0.3, 0.1, 0.8, 0.2, 0.0, -0.4, 1.2);
        let s = principal(&f);
        let expected = s.u * Mat::from_diagonal(&law().piola(&s.sigma)) * s.v.transpose();
        assert!((law().first_piola(&s.rotation(), &f) - expected).amax() < 1e-6);
    }
}
