//! Smoothed Particle Hydrodynamics: corotated elastic solids (Kugelstadt, Bender, Fernández-Fernández, Jeske, Löschner and
//! Longva 2021) and fluids in one pressure solve.

mod arrows;
mod fields;
mod fluid;
mod friction;
mod incompressible;
mod kernel;
mod matter;
mod near;
mod picked;
mod pressure;
mod registers;
mod rigid;
mod settings;
mod sixteen;
mod solid;
mod solver;
mod sorting;
mod step;
#[cfg(test)]
mod tests;
mod viscosity;
mod walls;

pub use settings::{Elasticity, PressureSolver, SolidPressure, SphSettings, VolumeRule, ZeroEnergy};
pub use solver::Sph;

use pliant_solver::Solver;
use pliant_world::World;
use std::any::Any;

/// The method for a world; none in the plane.
pub fn solver<const D: usize>(world: &World<D>, settings: SphSettings) -> Option<Box<dyn Solver<D>>> {
    let world = (world as &dyn Any).downcast_ref::<World<3>>()?;
    let solver: Box<dyn Solver<3>> = Box::new(Sph::new(world, settings));
    (Box::new(solver) as Box<dyn Any>).downcast::<Box<dyn Solver<D>>>().ok().map(|solver| *solver)
}
