//! Elastic laws, plastic flow, moduli and presets. Positive stress is tension.
//!
//! A material is an elastic law times a plastic flow. Both speak in principal stretches σ (the singular values
//! of the deformation gradient), so one formula serves two and three dimensions and every method.

pub mod elastic;
mod moduli;
pub mod plastic;
mod presets;

pub use moduli::{Lame, ModulusError};
pub use plastic::{Plastic, Yielding};
pub use presets::{PRESETS, Preset, preset};

/// What a body is made of. Values are checked where a scene is read; solvers trust them.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name, as the scene gives it.
    pub name: String,
    /// Density at rest [kg/m³].
    pub density: f64,
    /// Elastic moduli.
    pub lame: Lame,
    /// Plastic flow; none for a purely elastic material.
    pub plastic: Option<Plastic>,
    /// Coulomb friction against other bodies.
    pub friction: f64,
    /// Tensile stress up to which the material clings to other bodies [Pa].
    pub stickiness: f64,
    /// Neighbours that come apart by more than this many times their rest distance let go of each other;
    /// infinite for a material that never tears.
    pub tear_stretch: f64,
    /// Whether pieces of this material that flow into each other become one.
    pub merges: bool,
    /// Colour in pictures, linear red, green, blue in 0..1.
    pub color: [f32; 3],
}

/// A parameter that may vary inside a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Young's modulus [Pa].
    Young,
    /// Poisson's ratio.
    Poisson,
    /// Yield stress [Pa].
    YieldStress,
    /// Hardening modulus [Pa].
    Hardening,
}

impl Material {
    /// The same material with one parameter changed; the checks of a scene apply to the value.
    ///
    /// # Errors
    /// When the value is outside the parameter's range.
    pub fn with(mut self, parameter: Parameter, value: f64) -> Result<Self, ModulusError> {
        match (parameter, &mut self.plastic) {
            (Parameter::Young, _) => self.lame = Lame::new(value, self.lame.poisson())?,
            (Parameter::Poisson, _) => self.lame = Lame::new(self.lame.young(), value)?,
            (Parameter::YieldStress, Some(Plastic::Bargteil2007(flow))) => flow.yield_stress = value,
            (Parameter::Hardening, Some(Plastic::Bargteil2007(flow))) => flow.hardening = value,
            (Parameter::YieldStress | Parameter::Hardening, None) => {}
        }
        Ok(self)
    }

    /// Speed of pressure waves, `√((λ + 2μ)/ρ)` [m/s].
    pub fn sound_speed(&self) -> f64 {
        (self.lame.p_wave() / self.density).sqrt()
    }
}
