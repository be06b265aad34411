//! Looking at a step while it is taken.

use pliant_math::{Vect, embed};
use pliant_world::{Column, Field};

/// What exists where a stage of a step ends.
#[derive(Clone, Debug, PartialEq)]
pub struct StageEnd {
    /// Name of the stage, as in [`crate::StepReport::stages`].
    pub name: &'static str,
    /// Particle columns that this stage worked out, in the order of the world.
    pub particles: Vec<Field>,
    /// Columns of the nodes of a grid, a node a row; empty without one.
    pub nodes: Vec<Field>,
}

/// One who may look at a step where its stages end. Mostly nobody does, and then nothing is prepared.
#[derive(Default)]
pub struct Onlooker<'a>(Option<&'a mut dyn FnMut(StageEnd)>);

impl<'a> Onlooker<'a> {
    /// Nobody.
    pub fn none() -> Self {
        Self(None)
    }

    /// Someone who is told of every stage but the last, which ends with the step.
    pub fn new(sees: &'a mut dyn FnMut(StageEnd)) -> Self {
        Self(Some(sees))
    }

    /// Whether anybody looks.
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// Shows what a stage has worked out, if anybody looks.
    pub fn see(&mut self, make: impl FnOnce() -> StageEnd) {
        if let Some(sees) = &mut self.0 {
            sees(make());
        }
    }
}

impl StageEnd {
    /// The end of a stage that changed particles only.
    pub fn of_particles(name: &'static str, particles: Vec<Field>) -> Self {
        Self { name, particles, nodes: Vec::new() }
    }
}

/// A column of vectors.
pub fn vectors<const D: usize>(name: &str, values: &[Vect<D>]) -> Field {
    let column = values.iter().map(|value| crate::columns::vector(&embed(value))).collect();
    Field { name: name.to_owned(), column: Column::Vector(column) }
}
