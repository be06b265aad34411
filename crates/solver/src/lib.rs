//! What every method answers ([`Solver`]) and what turns its steps into frames ([`Simulation`]). Each method is a
//! crate of its own.

mod clock;
pub mod columns;
mod observables;
mod observe;
pub mod onlooker;
mod simulation;
pub mod stopwatch;

pub use clock::Clock;
pub use observables::Totals;
pub use onlooker::{Onlooker, StageEnd};
pub use simulation::{AnySimulation, Simulation, SimulationError, StepStatus, Stepping};

use pliant_world::{Field, World};

/// A method in `D` dimensions. It answers these questions and nothing else; there is no base class.
pub trait Solver<const D: usize>: Send {
    /// Moves the world over one step. On error the world and the solver are unchanged. Shows the onlooker what exists
    /// where each stage but the last ends; a method that cannot be looked at takes the step as a whole.
    ///
    /// # Errors
    /// When the step cannot be trusted; the caller tries a smaller one.
    fn step_seen(
        &mut self,
        world: &mut World<D>,
        span: Span,
        onlooker: &mut Onlooker<'_>,
    ) -> Result<StepReport, StepError>;

    /// [`Solver::step_seen`] with nobody looking, to the same bits.
    ///
    /// # Errors
    /// As there.
    fn step(&mut self, world: &mut World<D>, span: Span) -> Result<StepReport, StepError> {
        self.step_seen(world, span, &mut Onlooker::none())
    }

    /// The longest step that is stable from here [s]; none for a method that takes any.
    fn longest_step(&self) -> Option<f64> {
        None
    }

    /// Takes up the particles of `world` that have appeared until `time` [s]. Called at the start of a run and after
    /// every step; scenes for methods without it have no emitters.
    fn admit(&mut self, _world: &mut World<D>, _time: f64) {}

    /// How long a step may be from here and what bounds it, in words; none for a method that takes any.
    fn step_limit(&self) -> Option<String> {
        None
    }

    /// Writes positions and velocities into the world, for a method that keeps particles in an order of its own and
    /// leaves the world behind while it steps.
    fn publish(&self, _world: &mut World<D>) {}

    /// Energy stored in the material [J].
    fn elastic_energy(&self, world: &World<D>) -> f64;

    /// Present volume of the material [m³].
    fn volume(&self, world: &World<D>) -> f64;

    /// Particle columns of this method for observers.
    fn fields(&self, world: &World<D>) -> Vec<Field>;

    /// Columns of the nodes of its grid as particles stand; none for a method without a grid.
    fn grid(&self) -> Option<Vec<Field>> {
        None
    }

    /// All that the method remembers, for a checkpoint.
    fn save(&self) -> Vec<u8>;

    /// Takes up what [`Solver::save`] gave.
    ///
    /// # Errors
    /// When the bytes are not a state of this method for this world.
    fn restore(&mut self, world: &World<D>, bytes: &[u8]) -> Result<(), RestoreError>;

    /// What a user should know before the run, one sentence each.
    fn warnings(&self) -> Vec<String>;
}

/// The time one step covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Start of the step [s].
    pub time: f64,
    /// Its length [s].
    pub dt: f64,
    /// What to do with a step that is rough but not wrong.
    pub care: Care,
}

/// How careful a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Refuse a rough step: a smaller one will be tried.
    Strict,
    /// Take it: there is no smaller one.
    LastResort,
}

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Applications of the linear operator.
    pub iterations: usize,
    /// Linear solves.
    pub solves: usize,
    /// Contacts that carried load at the end.
    pub contacts: usize,
    /// Particles that flowed plastically.
    pub yielding: usize,
    /// Wall time by stage, in the order of the method [s].
    pub stages: Vec<(&'static str, f64)>,
}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A number left the realm of numbers.
    #[error("{quantity} of particle {particle} is not finite")]
    NonFinite {
        /// Which quantity.
        quantity: &'static str,
        /// Which particle.
        particle: usize,
    },
    /// Solves of a step kept changing it.
    #[error("the last solve still moved particles by {spacings:.2} spacings")]
    Unsettled {
        /// Root mean square of its motion, in spacings.
        spacings: f64,
    },
    /// The linear solver did not reach its tolerance.
    #[error(
        "the linear solver stopped after {iterations} iterations, {excess:.1e} times above its tolerance"
    )]
    NotConverged {
        /// Iterations made.
        iterations: usize,
        /// Residual over tolerance.
        excess: f64,
    },
    /// Something moves too far in one step to see what it would hit.
    #[error(
        "particle {particle} would move {distance:.3e} m in one step, past the {limit:.3e} m at which contacts may be missed"
    )]
    TooFast {
        /// Which particle.
        particle: usize,
        /// How far it would move [m].
        distance: f64,
        /// How far it may move [m].
        limit: f64,
    },
    /// A particle is farther away than the grid can count.
    #[error(
        "particle {particle} is {distance:.3e} m from the origin, past the {limit:.3e} m that the grid can count"
    )]
    TooFar {
        /// Which particle.
        particle: usize,
        /// How far it is [m].
        distance: f64,
        /// How far it may be [m].
        limit: f64,
    },
    /// A neighbourhood changed too much in one explicit sub-step to be followed.
    #[error(
        "the neighbourhood of particle {particle} was distorted by {increment:.2} in one sub-step, past the limit of {limit:.2}"
    )]
    Distorted {
        /// Which particle.
        particle: usize,
        /// Norm of the displacement gradient of the sub-step.
        increment: f64,
        /// The largest that is accepted.
        limit: f64,
    },
    /// An explicit method would need too many sub-steps.
    #[error("the step would take {count:.1e} explicit sub-steps, more than {limit:.0e}")]
    TooManySubsteps {
        /// How many.
        count: f64,
        /// How many are accepted.
        limit: f64,
    },
    /// A step whose motion a shorter one would see differently.
    #[error(
        "particle {particle} would be {error:.2} spacings off after the step, past the {allowed:.2} that are allowed"
    )]
    Coarse {
        /// Which particle.
        particle: usize,
        /// Estimated error of its position [spacings].
        error: f64,
        /// The largest that was asked for [spacings].
        allowed: f64,
    },
    /// Rotations still changed when the re-linearisations were used up.
    #[error(
        "the rotation of particle {particle} still changed by {angle:.2} rad after the last re-linearisation"
    )]
    Rough {
        /// Which particle.
        particle: usize,
        /// By how much [rad].
        angle: f64,
    },
}

/// A saved state that does not fit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the saved state does not fit this scene: {0}")]
pub struct RestoreError(pub String);
