//! Elastic laws in principal stretches σ, one file each: an energy density Ψ(σ) and its derivatives.
//!
//! In two dimensions every law is that of plane strain: the third stretch is 1 and its stress is not asked for.

mod fixed_corotated;
mod fluid;
mod hencky;
mod linear_corotated;
mod neo_hookean;
mod st_venant_kirchhoff;

pub use fluid::{EquationOfState, Fluid};
pub use linear_corotated::LinearCorotated;

use crate::{Lame, Parameter};
use pliant_math::{Mat, Vect};
use serde::{Deserialize, Serialize};

/// The laws a scene can name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// Hooke's law in the frame that rotates with the material.
    LinearCorotated,
    /// The same with a volume term that resists inversion.
    FixedCorotated,
    /// Rubber: resists being flattened without bound.
    NeoHookean,
    /// Hooke's law on Green's strain; gives way when squeezed below a stretch of 0.58.
    StVenantKirchhoff,
    /// Hooke's law on logarithmic strain: the law of sand and of metals.
    Hencky,
    /// Pressure alone.
    Fluid(Fluid),
}

impl Law {
    /// Energy density Ψ [J/m³].
    pub fn energy<const D: usize>(&self, lame: &Lame, sigma: &Vect<D>) -> f64 {
        match self {
            Self::LinearCorotated => LinearCorotated(*lame).energy(sigma),
            Self::FixedCorotated => fixed_corotated::energy(lame, sigma),
            Self::NeoHookean => neo_hookean::energy(lame, sigma),
            Self::StVenantKirchhoff => st_venant_kirchhoff::energy(lame, sigma),
            Self::Hencky => hencky::energy(lame, sigma),
            Self::Fluid(fluid) => fluid.energy(sigma.product()),
        }
    }

    /// Principal first Piola stresses `∂Ψ/∂σᵢ` [Pa].
    pub fn piola<const D: usize>(&self, lame: &Lame, sigma: &Vect<D>) -> Vect<D> {
        match self {
            Self::LinearCorotated => LinearCorotated(*lame).piola(sigma),
            Self::FixedCorotated => fixed_corotated::piola(lame, sigma),
            Self::NeoHookean => neo_hookean::kirchhoff(lame, sigma).component_div(&sigma.map(not_flat)),
            Self::StVenantKirchhoff => st_venant_kirchhoff::piola(lame, sigma),
            Self::Hencky => hencky::kirchhoff(lame, sigma).component_div(&sigma.map(not_flat)),
            Self::Fluid(fluid) => cofactors(sigma) * -fluid.pressure(sigma.product()),
        }
    }

    /// Principal Kirchhoff stresses `τᵢ = σᵢ ∂Ψ/∂σᵢ` [Pa]: what `P Fᵀ` has in the frame of the left singular
    /// vectors. Finite for every finite σ: where a law takes logarithms, stretches below a millionth are taken
    /// for a millionth.
    pub fn kirchhoff<const D: usize>(&self, lame: &Lame, sigma: &Vect<D>) -> Vect<D> {
        match self {
            Self::LinearCorotated | Self::FixedCorotated | Self::StVenantKirchhoff => {
                self.piola(lame, sigma).component_mul(sigma)
            }
            Self::NeoHookean => neo_hookean::kirchhoff(lame, sigma),
            Self::Hencky => hencky::kirchhoff(lame, sigma),
            Self::Fluid(fluid) => Vect::repeat(fluid.kirchhoff(sigma.product())),
        }
    }

    /// `∂²Ψ/∂σᵢ∂σⱼ` [Pa]: how principal Piola stresses grow with the stretches.
    pub fn stiffness<const D: usize>(&self, lame: &Lame, sigma: &Vect<D>) -> Mat<D> {
        match self {
            Self::LinearCorotated => LinearCorotated(*lame).stiffness(),
            Self::FixedCorotated => fixed_corotated::stiffness(lame, sigma),
            Self::NeoHookean => neo_hookean::stiffness(lame, sigma),
            Self::StVenantKirchhoff => st_venant_kirchhoff::stiffness(lame, sigma),
            Self::Hencky => hencky::stiffness(lame, sigma),
            Self::Fluid(fluid) => {
                let (slope, j) = (cofactors(sigma), sigma.product());
                slope * slope.transpose() * fluid.pressure_slope(j)
                    - second_cofactors(sigma) * fluid.pressure(j)
            }
        }
    }

    /// Stiffness of pressure waves at rest [Pa]: `λ + 2μ` of solids, the bulk modulus times the exponent of
    /// fluids. Divided by the density it is the square of the speed of sound.
    pub fn wave_modulus(&self, lame: &Lame) -> f64 {
        match self {
            Self::Fluid(fluid) => fluid.wave_modulus(),
            _ => lame.p_wave(),
        }
    }

    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::LinearCorotated => "linear_corotated",
            Self::FixedCorotated => "fixed_corotated",
            Self::NeoHookean => "neo_hookean",
            Self::StVenantKirchhoff => "st_venant_kirchhoff",
            Self::Hencky => "hencky",
            Self::Fluid(_) => "fluid",
        }
    }

    /// Sets a parameter, if the law has it.
    pub(crate) fn set(&mut self, parameter: Parameter, value: f64) {
        match (self, parameter) {
            (Self::Fluid(fluid), Parameter::BulkModulus) => fluid.bulk_modulus = value,
            (Self::Fluid(fluid), Parameter::Viscosity) => fluid.viscosity = value,
            _ => {}
        }
    }
}

/// Stretches below this, and inverted ones, have no logarithm that means anything.
const FLATTEST: f64 = 1e-6;

/// The stretch, or the least one that laws with logarithms tell apart from flat.
pub(crate) fn not_flat(stretch: f64) -> f64 {
    stretch.max(FLATTEST)
}

/// Hencky strain `ln σ`, finite for every σ.
pub(crate) fn logarithms<const D: usize>(sigma: &Vect<D>) -> Vect<D> {
    sigma.map(|stretch| not_flat(stretch).ln())
}

/// `∂J/∂σᵢ`: the products of the other stretches, so that `J/σᵢ` needs no division.
fn cofactors<const D: usize>(sigma: &Vect<D>) -> Vect<D> {
    Vect::from_fn(|i, _| (0..D).filter(|j| *j != i).map(|j| sigma[j]).product())
}

/// `∂²J/∂σᵢ∂σⱼ`: the products of the stretches that are neither.
fn second_cofactors<const D: usize>(sigma: &Vect<D>) -> Mat<D> {
    Mat::from_fn(|i, j| match i == j {
        true => 0.0,
        false => (0..D).filter(|k| *k != i && *k != j).map(|k| sigma[k]).product(),
    })
}
