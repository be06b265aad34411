//! What a scene may choose about the method.

use super::neighbourhoods::filled_radius;
use crate::explicit::Resistance;
use pliant_world::World;

/// Which particles a particle takes for its neighbours, in the world as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Neighbours {
    /// All within this many particle spacings (Zhou 2013 §5: 2.5; 4.5 and 5.5 in the starred rows of Table 1).
    Within(f64),
    /// This many of the nearest, as Gerszewski 2009 does (Zhou 2013, Table 1: 30 to 200).
    Nearest(usize),
}

/// Settings of the Gerszewski 2009 solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Gbb2009Settings {
    /// Which particles are neighbours.
    pub neighbours: Neighbours,
    /// Longest explicit sub-step [s]; chosen from the stiffest material if none.
    pub substep: Option<f64>,
    /// Stiffness of the SPH pressure that resists crowding [Pa]; 0 switches it off.
    pub pressure: f64,
    /// SPH viscosity [Pa s]; 0 switches it off.
    pub viscosity: f64,
    /// Principal stresses below this share of Young's modulus are taken for zero (Zhou 2013 §5: 1e-5).
    pub stress_clamp: f64,
}

impl Default for Gbb2009Settings {
    fn default() -> Self {
        Self {
            neighbours: Neighbours::Within(2.5),
            substep: None,
            pressure: 0.0,
            viscosity: 0.0,
            stress_clamp: 0.0,
        }
    }
}

impl Gbb2009Settings {
    /// What limits a sub-step.
    pub fn resistance<const D: usize>(&self) -> Resistance {
        let radius = match self.neighbours {
            Neighbours::Within(radius) => radius,
            Neighbours::Nearest(count) => filled_radius::<D>(count),
        };
        Resistance { radius, pressure: self.pressure, viscosity: self.viscosity }
    }

    /// The longest sub-step a run takes [s].
    pub fn longest_substep<const D: usize>(&self, world: &World<D>) -> f64 {
        self.substep.unwrap_or_else(|| self.resistance::<D>().safe_step(world))
    }
}
