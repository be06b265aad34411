//! Plastic flow in principal stretches, one file each.

mod bargteil2007;

pub use bargteil2007::Bargteil2007;

use crate::Lame;
use pliant_math::Vect;

/// The flows a scene can name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plastic {
    /// Volume-preserving flow above a yield stress (Bargteil 2007).
    Bargteil2007(Bargteil2007),
}

/// A trial state as a flow sees it.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a, const D: usize> {
    /// Elastic moduli.
    pub lame: &'a Lame,
    /// Principal stretches of the elastic trial.
    pub sigma: &'a Vect<D>,
    /// Plastic strain accumulated so far.
    pub plastic_strain: f64,
    /// Time step [s].
    pub dt: f64,
}

/// What flows in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yielding<const D: usize> {
    /// Principal plastic stretches; their product is 1.
    pub stretch: Vect<D>,
    /// Share γ of the deviator that flows away; `1 − γ` is the secant stiffness of shear.
    pub share: f64,
    /// Equivalent plastic strain added.
    pub strain: f64,
}

impl Plastic {
    /// The flow of this step, or `None` while the state is elastic.
    pub fn flow<const D: usize>(&self, trial: &Trial<'_, D>) -> Option<Yielding<D>> {
        match self {
            Self::Bargteil2007(flow) => flow.flow(trial),
        }
    }
}
