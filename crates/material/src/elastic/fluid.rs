//! Weakly compressible fluids: pressure from the change of volume J (Nilles 2020, §5.1.5).

use crate::Lame;
use serde::{Deserialize, Serialize};

/// A fluid. Its stress depends on J alone; viscosity needs velocities and is applied by the solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fluid {
    /// How pressure grows with compression.
    pub state: EquationOfState,
    /// Bulk modulus K [Pa].
    pub bulk_modulus: f64,
    /// Dynamic viscosity [Pa s].
    pub viscosity: f64,
}

/// How pressure grows with compression.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EquationOfState {
    /// In proportion to the change of volume.
    Linear,
    /// With a power of the density: punishes compression more than expansion.
    Tait {
        /// Exponent γ; 7 for water.
        exponent: f64,
    },
}

/// Below this share of its volume a fluid is taken for no denser: powers of less mean nothing.
const DENSEST: f64 = 1e-2;

impl Fluid {
    /// Pressure `K(1 − J)` (Nilles 2020, Eq. 80) or `K(J^−γ − 1)` (Eq. 81) [Pa].
    pub fn pressure(&self, j: f64) -> f64 {
        match self.state {
            EquationOfState::Linear => self.bulk_modulus * (1.0 - j),
            EquationOfState::Tait { exponent } => {
                self.bulk_modulus * (power(j.max(DENSEST), -exponent) - 1.0)
            }
        }
    }

    /// How `−p J` grows with `ln J` [Pa]: what drives waves at the volume `J`.
    pub fn stiffness(&self, j: f64) -> f64 {
        match self.state {
            EquationOfState::Linear => self.bulk_modulus * (2.0 * j * j - j),
            EquationOfState::Tait { exponent } => {
                ((exponent - 1.0) * (self.pressure(j) + self.bulk_modulus) + self.bulk_modulus) * j
            }
        }
    }

    /// How fast pressure falls as the volume grows, `−dp/dJ` [Pa].
    pub fn pressure_slope(&self, j: f64) -> f64 {
        match self.state {
            EquationOfState::Linear => self.bulk_modulus,
            EquationOfState::Tait { .. } if j < DENSEST => 0.0,
            EquationOfState::Tait { exponent } => self.bulk_modulus * exponent * power(j, -exponent - 1.0),
        }
    }

    /// The moduli that say the same at rest: no resistance to shear.
    pub fn lame(&self) -> Lame {
        Lame { mu: 0.0, lambda: self.wave_modulus() }
    }

    /// `Ψ(J) = −∫₁ᴶ p` [J/m³]
    pub(super) fn energy(&self, j: f64) -> f64 {
        let EquationOfState::Tait { exponent } = self.state else {
            return 0.5 * self.bulk_modulus * (j - 1.0) * (j - 1.0);
        };
        let known = j.max(DENSEST);
        let power = exponent - 1.0;
        let thinning = if power.abs() < 1e-9 { -known.ln() } else { (known.powf(-power) - 1.0) / power };
        self.bulk_modulus * (thinning + known - 1.0) + self.pressure(known) * (known - j)
    }

    /// `τ = −p J`, the same in every direction [Pa] (Nilles 2020, Eq. 82 times Fᵀ)
    pub(super) fn kirchhoff(&self, j: f64) -> f64 {
        -self.pressure(j) * j
    }

    pub(super) fn wave_modulus(&self) -> f64 {
        match self.state {
            EquationOfState::Linear => self.bulk_modulus,
            EquationOfState::Tait { exponent } => self.bulk_modulus * exponent.max(1.0),
        }
    }
}

/// `xʸ`, by products where the exponent is a whole number, as the 7 of water is.
fn power(x: f64, exponent: f64) -> f64 {
    if exponent.fract() == 0.0 && exponent.abs() <= 16.0 { x.powi(exponent as i32) } else { x.powf(exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_rises_with_compression_and_its_slope_at_rest_is_the_wave_modulus() {
        for state in [EquationOfState::Linear, EquationOfState::Tait { exponent: 7.0 }] {
            let fluid = Fluid { state, bulk_modulus: 2e5, viscosity: 0.0 };
            assert_eq!(fluid.pressure(1.0), 0.0);
            assert!(fluid.pressure(0.9) > 0.0 && fluid.pressure(1.1) < 0.0);
            let slope = (fluid.pressure(1.0 - 1e-6) - fluid.pressure(1.0 + 1e-6)) / 2e-6;
            assert!((slope / fluid.wave_modulus() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn known_pressures_are_met() {
        let tait =
            |exponent| Fluid { state: EquationOfState::Tait { exponent }, bulk_modulus: 1e5, viscosity: 0.0 };
        assert!((tait(7.0).pressure(0.5) - 1e5 * 127.0).abs() < 1e-6, "2⁷ − 1");
        assert!((tait(1.0).pressure(0.8) - 25_000.0).abs() < 1e-9, "1/0.8 − 1");
    }
}
