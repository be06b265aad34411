//! Points with neighbourhoods: the implicit method of Zhou et al. 2013, the baseline it is compared to (Gerszewski et
//! al. 2009), and what explicit steps share.

pub mod explicit;
pub mod gbb2009;
pub mod zhou2013;

pub use gbb2009::{Gbb2009, Gbb2009Settings};
pub use zhou2013::{Zhou2013, Zhou2013Settings};

use pliant_solver::Solver;
use pliant_world::World;
use std::any::Any;

/// The method of Zhou et al. for `world`.
pub fn solver<const D: usize>(world: &World<D>, settings: &Zhou2013Settings) -> Box<dyn Solver<D>> {
    of_dimension(
        world,
        |world| zhou_in_plane(world, settings.clone()),
        |world| zhou_in_space(world, settings.clone()),
    )
}

/// The method of Gerszewski et al. for `world`.
pub fn baseline<const D: usize>(world: &World<D>, settings: &Gbb2009Settings) -> Box<dyn Solver<D>> {
    of_dimension(
        world,
        |world| gbb_in_plane(world, settings.clone()),
        |world| gbb_in_space(world, settings.clone()),
    )
}

/// Asked for by type, so that this crate alone, and not each one that asks, compiles the solvers: how fast they are must
/// not depend on who asks.
fn of_dimension<const D: usize>(
    world: &World<D>,
    in_plane: impl Fn(&World<2>) -> Box<dyn Solver<2>>,
    in_space: impl Fn(&World<3>) -> Box<dyn Solver<3>>,
) -> Box<dyn Solver<D>> {
    let world: &dyn Any = world;
    let solver: Box<dyn Any> = match (world.downcast_ref(), world.downcast_ref()) {
        (Some(world), _) => Box::new(in_plane(world)),
        (_, Some(world)) => Box::new(in_space(world)),
        _ => unreachable!("there are only worlds of two and three dimensions"),
    };
    *solver.downcast().expect("a solver has the dimension of its world")
}

#[inline(never)]
fn zhou_in_plane(world: &World<2>, settings: Zhou2013Settings) -> Box<dyn Solver<2>> {
    Box::new(Zhou2013::new(world, settings))
}

#[inline(never)]
fn zhou_in_space(world: &World<3>, settings: Zhou2013Settings) -> Box<dyn Solver<3>> {
    Box::new(Zhou2013::new(world, settings))
}

#[inline(never)]
fn gbb_in_plane(world: &World<2>, settings: Gbb2009Settings) -> Box<dyn Solver<2>> {
    Box::new(Gbb2009::new(world, settings))
}

#[inline(never)]
fn gbb_in_space(world: &World<3>, settings: Gbb2009Settings) -> Box<dyn Solver<3>> {
    Box::new(Gbb2009::new(world, settings))
}
