//! Materials by name. Presets are data: each says where its numbers come from.

mod point_method;
mod solids;

use crate::plastic::Plastic;
use crate::{Lame, Law, Material};

/// A ready-made material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Name in scene files.
    pub name: &'static str,
    /// What it feels like.
    pub summary: &'static str,
    /// Where the numbers come from.
    pub source: &'static str,
    /// Density [kg/m³].
    pub density: f64,
    /// Young's modulus [Pa]; of no meaning for fluids.
    pub young: f64,
    /// Poisson's ratio; of no meaning for fluids.
    pub poisson: f64,
    /// Elastic law; none for the one that suits the method.
    pub law: Option<Law>,
    /// Plastic flow; none for elastic materials.
    pub plastic: Option<Plastic>,
    /// Coulomb friction.
    pub friction: f64,
    /// Linear red, green, blue.
    pub color: [f32; 3],
}

impl Preset {
    const ELASTIC: Self = Self {
        name: "",
        summary: "",
        source: "",
        density: 1000.0,
        young: 1e6,
        poisson: 0.3,
        law: None,
        plastic: None,
        friction: 0.5,
        color: [0.6, 0.6, 0.6],
    };

    /// The material this preset describes.
    pub fn material(&self) -> Material {
        let lame = match self.law {
            Some(Law::Fluid(fluid)) => fluid.lame(),
            _ => Lame::new(self.young, self.poisson).expect("a test builds every preset"),
        };
        Material {
            name: self.name.to_owned(),
            density: self.density,
            law: self.law,
            lame,
            plastic: self.plastic,
            friction: self.friction,
            stickiness: 0.0,
            tear_stretch: f64::INFINITY,
            diffusivity: 0.0,
            merges: false,
            color: self.color,
        }
    }
}

/// The preset of that name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// All presets: solids for every method from soft to stiff, then what needs the Material Point Method.
pub const PRESETS: &[Preset] = &all();

const COUNT: usize = solids::SOLIDS.len() + point_method::POINT_METHOD.len();

const fn all() -> [Preset; COUNT] {
    let mut presets = [Preset::ELASTIC; COUNT];
    let mut i = 0;
    while i < COUNT {
        let first = solids::SOLIDS.len();
        presets[i] = if i < first { solids::SOLIDS[i] } else { point_method::POINT_METHOD[i - first] };
        i += 1;
    }
    presets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_builds_and_is_found_by_its_name() {
        for entry in PRESETS {
            assert_eq!(entry.material().name, entry.name);
            assert_eq!(preset(entry.name), Some(entry));
            assert!(!entry.source.is_empty() && !entry.summary.is_empty());
        }
    }

    #[test]
    fn solids_are_for_every_method_and_the_others_are_not() {
        for (index, entry) in PRESETS.iter().enumerate() {
            let is_for_all = entry.material().needs_mpm().is_none();
            assert_eq!(is_for_all, index < solids::SOLIDS.len(), "{}", entry.name);
        }
    }
}
