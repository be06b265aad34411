//! Gravity and other fields of acceleration, constant or written as expressions.

use pliant_expression::Expression;
use pliant_geometry::Shape;
use pliant_math::{Vec3, Vect, embed, flatten};

/// A vector that may depend on position and time.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorField {
    /// The same everywhere, always.
    Constant(Vec3),
    /// Three expressions of [`VectorField::VARIABLES`].
    Varying(Box<[Expression; 3]>),
}

impl VectorField {
    /// Names that expressions of a field may use, in the order of evaluation.
    pub const VARIABLES: [&'static str; 4] = ["x", "y", "z", "t"];

    /// The value at a point [m] and time [s].
    pub fn at(&self, point: &Vec3, time: f64) -> Vec3 {
        match self {
            Self::Constant(value) => *value,
            Self::Varying(components) => {
                let inputs = [point.x, point.y, point.z, time];
                Vec3::from_fn(|row, _| components[row].evaluate(&inputs))
            }
        }
    }
}

/// A field of acceleration [m/s²], everywhere or in a region, on all bodies or some.
#[derive(Clone, Debug)]
pub struct Acceleration {
    /// Its value.
    pub field: VectorField,
    /// Where it acts; everywhere if none.
    pub region: Option<Shape>,
    /// Indices of the bodies it acts on; all if none.
    pub bodies: Option<Vec<u32>>,
}

impl Acceleration {
    /// A constant acceleration of everything.
    pub fn uniform(value: Vec3) -> Self {
        Self { field: VectorField::Constant(value), region: None, bodies: None }
    }

    /// What a particle of `body` at `position` feels [m/s²].
    pub fn at<const D: usize>(&self, position: &Vect<D>, body: u32, time: f64) -> Vect<D> {
        let point = embed(position);
        let acts = self.bodies.as_ref().is_none_or(|bodies| bodies.contains(&body))
            && self.region.as_ref().is_none_or(|region| region.contains(&point));
        if acts { flatten(&self.field.at(&point, time)) } else { Vect::zeros() }
    }
}
