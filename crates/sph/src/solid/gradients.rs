//! Conjugate gradients on single-precision vectors, one a particle; sums are in double precision and in a fixed order.

use super::lanes::Lane;
use pliant_math::parallel;

/// A symmetric positive definite operator, or a preconditioner.
pub(crate) trait Operator {
    /// `out = A x`; returns `x · A x`.
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64;
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// Solved when the norm of the residual is below this.
    pub residual: f64,
    pub max_iterations: usize,
}

/// Vectors reused from solve to solve.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    direction: Vec<Lane>,
    image: Vec<Lane>,
    descent: Vec<Lane>,
}

impl Workspace {
    /// Improves `x` until `A x = b`, given the residual `b − A x`; returns the iterations, or the norm of the residual
    /// over what was asked for if it stays above.
    pub fn solve(
        &mut self,
        operator: &mut impl Operator,
        preconditioner: &mut impl Operator,
        residual: &mut [Lane],
        x: &mut [Lane],
        stop: Stop,
    ) -> Result<usize, Excess> {
        let Self { direction, image, descent } = self;
        for vector in [&mut *direction, &mut *image, &mut *descent] {
            vector.resize(x.len(), [0.0; 4]);
        }
        let mut slope = preconditioner.apply(residual, descent);
        direction.copy_from_slice(descent);
        let mut norm = dot(residual, residual).sqrt();
        let mut iterations = 0;
        while norm > stop.residual {
            if iterations == stop.max_iterations || norm.is_nan() {
                return Err(Excess { iterations, ratio: norm / stop.residual });
            }
            iterations += 1;
            let curvature = operator.apply(direction, image);
            let step = (slope / curvature) as f32;
            if !(curvature > 0.0 && step.is_finite()) {
                break; // the residual has reached the rounding floor of the operator
            }
            norm = advance((x, residual), (direction, image), step).sqrt();
            let before = std::mem::replace(&mut slope, preconditioner.apply(residual, descent));
            turn(direction, descent, (slope / before) as f32);
        }
        Ok(iterations)
    }
}

/// A residual that stays too large.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excess {
    pub iterations: usize,
    /// How many times too large.
    pub ratio: f64,
}

/// `x += step · direction`, `residual -= step · image`; returns the square of the residual.
fn advance(
    (x, residual): (&mut [Lane], &mut [Lane]),
    (direction, image): (&[Lane], &[Lane]),
    step: f32,
) -> f64 {
    parallel::update_pair_and_sum(x, residual, 0.0, |i, x, residual| {
        for axis in 0..4 {
            x[axis] += step * direction[i][axis];
            residual[axis] -= step * image[i][axis];
        }
        let [a, b, c, _] = *residual;
        f64::from(a * a) + f64::from(b * b) + f64::from(c * c)
    })
}

/// `direction = descent + ratio · direction`.
pub(crate) fn turn(direction: &mut [Lane], descent: &[Lane], ratio: f32) {
    parallel::update(direction, |i, direction| {
        for axis in 0..4 {
            direction[axis] = descent[i][axis] + ratio * direction[axis];
        }
    });
}

/// `a · b`, in a fixed order.
pub(crate) fn dot(a: &[Lane], b: &[Lane]) -> f64 {
    parallel::sum(a.len(), 0.0, |i| {
        f64::from(a[i][0] * b[i][0]) + f64::from(a[i][1] * b[i][1]) + f64::from(a[i][2] * b[i][2])
    })
}
