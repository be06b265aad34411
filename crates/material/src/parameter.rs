//! Parameters that may differ from particle to particle (Nilles 2020, Eq. 99–100).

use crate::{Lame, Material, ModulusError};

/// A parameter that may vary inside a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Young's modulus [Pa].
    Young,
    /// Poisson's ratio.
    Poisson,
    /// Shear modulus μ [Pa].
    Mu,
    /// First Lamé parameter λ [Pa].
    Lambda,
    /// Yield stress [Pa].
    YieldStress,
    /// Hardening modulus [Pa]; of snow and Cam-Clay the dimensionless factor.
    Hardening,
    /// Friction angle of sand [rad].
    FrictionAngle,
    /// Cohesion of sand, in the unit its material has; of Cam-Clay the dimensionless one.
    Cohesion,
    /// Critical compression of snow.
    CriticalCompression,
    /// Critical stretch of snow.
    CriticalStretch,
    /// Bulk modulus of a fluid [Pa].
    BulkModulus,
    /// Viscosity of a fluid [Pa s].
    Viscosity,
}

impl Parameter {
    /// Every parameter with its name in scenes.
    pub const NAMES: [(&'static str, Self); 12] = [
        ("young", Self::Young),
        ("poisson", Self::Poisson),
        ("mu", Self::Mu),
        ("lambda", Self::Lambda),
        ("yield_stress", Self::YieldStress),
        ("hardening", Self::Hardening),
        ("friction_angle", Self::FrictionAngle),
        ("cohesion", Self::Cohesion),
        ("critical_compression", Self::CriticalCompression),
        ("critical_stretch", Self::CriticalStretch),
        ("bulk_modulus", Self::BulkModulus),
        ("viscosity", Self::Viscosity),
    ];

    /// The parameter of that name in scenes.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, parameter)| *parameter)
    }

    /// Its name in scenes.
    pub fn name(self) -> &'static str {
        let entry = Self::NAMES.iter().find(|(_, parameter)| *parameter == self);
        entry.map_or("", |(name, _)| name)
    }
}

impl Material {
    /// The same material with one parameter changed; one that the material does not have is ignored.
    ///
    /// # Errors
    /// When the value is outside the parameter's range.
    pub fn with(mut self, parameter: Parameter, value: f64) -> Result<Self, ModulusError> {
        match parameter {
            Parameter::Young => self.lame = Lame::new(value, self.lame.poisson())?,
            Parameter::Poisson => self.lame = Lame::new(self.lame.young(), value)?,
            Parameter::Mu => self.lame = Lame { mu: not_negative(parameter, value)?, ..self.lame },
            Parameter::Lambda => self.lame = Lame { lambda: not_negative(parameter, value)?, ..self.lame },
            Parameter::BulkModulus | Parameter::Viscosity => {
                let value = not_negative(parameter, value)?;
                if let Some(law) = &mut self.law {
                    law.set(parameter, value);
                }
            }
            _ => {
                let value = not_negative(parameter, value)?;
                if let Some(plastic) = &mut self.plastic {
                    plastic.set(parameter, value);
                }
            }
        }
        Ok(self)
    }
}

fn not_negative(parameter: Parameter, value: f64) -> Result<f64, ModulusError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(ModulusError::Parameter { name: parameter.name(), value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Law, preset};

    #[test]
    fn every_name_leads_to_its_parameter() {
        for (name, parameter) in Parameter::NAMES {
            assert_eq!((Parameter::from_name(name), parameter.name()), (Some(parameter), name));
        }
        assert_eq!(Parameter::from_name("colour"), None);
    }

    #[test]
    fn a_value_out_of_range_is_refused_and_a_foreign_one_ignored() {
        let sand = preset("sand").unwrap().material();
        for value in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(sand.clone().with(Parameter::Cohesion, value).is_err(), "{value}");
            assert!(sand.clone().with(Parameter::Mu, value).is_err(), "{value}");
        }
        assert_eq!(sand.clone().with(Parameter::CriticalStretch, 0.1), Ok(sand));
    }

    #[test]
    fn changes_arrive() {
        let water = preset("water").unwrap().material().with(Parameter::BulkModulus, 1e4).unwrap();
        assert!(matches!(water.law, Some(Law::Fluid(fluid)) if fluid.bulk_modulus == 1e4));
        let snow = preset("snow").unwrap().material();
        let soft = snow.with(Parameter::Mu, 0.0).unwrap().with(Parameter::Lambda, 5.0).unwrap();
        assert_eq!(soft.lame, Lame { mu: 0.0, lambda: 5.0 });
    }
}
