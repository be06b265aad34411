//! Elastic laws, plastic flow, moduli and presets. Positive stress is tension.
//!
//! A material is an elastic law times a plastic flow. Both speak in principal stretches σ (the singular values
//! of the deformation gradient), so one formula serves two and three dimensions and every method.

pub mod elastic;
mod moduli;
mod parameter;
pub mod plastic;
mod presets;

pub use elastic::{EquationOfState, Fluid, Law};
pub use moduli::{Lame, ModulusError};
pub use parameter::Parameter;
pub use plastic::{History, Plastic, Yielding};
pub use presets::{PRESETS, Preset, preset};

/// What a body is made of. Values are checked where a scene is read; solvers trust them.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name, as the scene gives it.
    pub name: String,
    /// Density at rest [kg/m³].
    pub density: f64,
    /// Elastic law; none for the one that suits the method and the flow.
    pub law: Option<Law>,
    /// Elastic moduli; of a fluid no shear modulus, and its bulk modulus.
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
    /// How fast what its particles carry, such as heat, spreads in it [m²/s].
    pub diffusivity: f64,
    /// Whether pieces of this material that flow into each other become one.
    pub merges: bool,
    /// Colour in pictures, linear red, green, blue in 0..1.
    pub color: [f32; 3],
}

impl Material {
    /// Speed of pressure waves, `√((λ + 2μ)/ρ)` [m/s].
    pub fn sound_speed(&self) -> f64 {
        (self.lame.p_wave() / self.density).sqrt()
    }

    /// The law the Material Point Method uses: the one that is named, else Hencky's for flows that are made for
    /// it, else the fixed corotated one.
    pub fn law_for_mpm(&self) -> Law {
        self.law.unwrap_or(self.plastic.map_or(Law::FixedCorotated, |plastic| plastic.usual_law()))
    }

    /// Speed of sound in the Material Point Method before anything hardens, of solids and fluids [m/s].
    pub fn wave_speed(&self) -> f64 {
        (self.law_for_mpm().wave_modulus(&self.lame) / self.density).sqrt()
    }

    /// What it has that only the Material Point Method can do, in a word; none for matter of the other methods.
    pub fn needs_mpm(&self) -> Option<&'static str> {
        match (self.law, self.plastic) {
            _ if self.diffusivity > 0.0 => Some("diffusion"),
            (Some(Law::Fluid(_)), _) => Some("fluids"),
            (Some(law), _) if law != Law::LinearCorotated => {
                Some("other elastic laws than `linear_corotated`")
            }
            (_, Some(plastic)) => plastic.needs_mpm(),
            _ => None,
        }
    }
}
