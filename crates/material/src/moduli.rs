//! Elastic moduli and their conversions.

use serde::{Deserialize, Serialize};

/// Lamé parameters of an isotropic material; in two dimensions those of plane strain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lame {
    /// Shear modulus μ [Pa].
    pub mu: f64,
    /// First Lamé parameter λ [Pa].
    pub lambda: f64,
}

/// Moduli that no stable material has.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModulusError {
    /// Young's modulus must be positive and finite.
    #[error("Young's modulus must be positive and finite, got {0} Pa")]
    Young(f64),
    /// Poisson's ratio must lie in (-1, 0.5).
    #[error(
        "Poisson's ratio must lie strictly between -1 and 0.5, got {0}; try 0.49 for nearly incompressible"
    )]
    Poisson(f64),
    /// A parameter must be zero or positive, and finite.
    #[error("`{name}` must be zero or positive and finite, got {value}")]
    Parameter {
        /// Its name in scenes.
        name: &'static str,
        /// Its value, in SI units.
        value: f64,
    },
}

impl Lame {
    /// From Young's modulus [Pa] and Poisson's ratio.
    ///
    /// # Errors
    /// When no stable material has these moduli.
    pub fn new(young: f64, poisson: f64) -> Result<Self, ModulusError> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(ModulusError::Young(young));
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(ModulusError::Poisson(poisson));
        }
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Ok(Self { mu, lambda })
    }

    /// Young's modulus `μ (3λ + 2μ)/(λ + μ)` [Pa].
    pub fn young(&self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }

    /// Poisson's ratio `λ/(2(λ + μ))`.
    pub fn poisson(&self) -> f64 {
        0.5 * self.lambda / (self.lambda + self.mu)
    }

    /// P-wave modulus `λ + 2μ` [Pa]: stiffness against uniaxial strain.
    pub fn p_wave(&self) -> f64 {
        self.lambda + 2.0 * self.mu
    }

    /// The same bulk response with the shear modulus times `secant`, in `D` dimensions: what a yielding
    /// particle feels in the implicit system. Plastic flow keeps volume, so `λ + 2μ/D` must not change.
    pub fn softened<const D: usize>(&self, secant: f64) -> Self {
        let mu = self.mu * secant;
        Self { mu, lambda: self.lambda + 2.0 / D as f64 * (self.mu - mu) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moduli_convert_both_ways() {
        let lame = Lame::new(1e6, 0.3).unwrap();
        assert!((lame.mu - 384_615.385).abs() < 1e-3 && (lame.lambda - 576_923.077).abs() < 1e-3);
        assert!((lame.young() - 1e6).abs() < 1e-6 && (lame.poisson() - 0.3).abs() < 1e-15);
    }

    #[test]
    fn unstable_moduli_are_refused() {
        for (young, poisson) in
            [(0.0, 0.3), (-1.0, 0.3), (f64::NAN, 0.3), (1.0, 0.5), (1.0, -1.0), (1.0, f64::NAN)]
        {
            assert!(Lame::new(young, poisson).is_err(), "{young} {poisson}");
        }
    }

    #[test]
    fn softening_keeps_the_bulk_modulus() {
        let lame = Lame::new(1e6, 0.3).unwrap();
        let soft = lame.softened::<3>(0.1);
        assert!((soft.lambda + 2.0 / 3.0 * soft.mu - lame.lambda - 2.0 / 3.0 * lame.mu).abs() < 1e-6);
    }
}
