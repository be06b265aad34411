//! Conjugate gradients for symmetric positive definite operators that are applied, never assembled.

use crate::{Vect, parallel};

/// A symmetric positive definite operator on one vector a particle.
pub trait LinearOperator<const D: usize> {
    /// `out = A x`, and `x · A x` added in a fixed order.
    fn apply(&mut self, x: &[Vect<D>], out: &mut [Vect<D>]) -> f64;
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Solved when `‖r‖² ≤` this, in the norm of [`Workspace::solve`].
    pub residual_squared: f64,
    /// Give up after this many applications.
    pub max_iterations: usize,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Applications of the operator.
    pub iterations: usize,
    /// `‖r‖²` at the end.
    pub residual_squared: f64,
    /// Whether the residual fell below the bound.
    pub converged: bool,
}

/// Vectors reused from solve to solve.
#[derive(Debug, Default)]
pub struct Workspace<const D: usize> {
    direction: Vec<Vect<D>>,
    image: Vec<Vect<D>>,
}

impl<const D: usize> Workspace<D> {
    /// Solves `A x = r` from `x = 0`; `r` becomes the residual. The norm is `‖r‖² = Σ wᵢ |rᵢ|²`, so that
    /// particles of unequal mass count by their error in position.
    pub fn solve(
        &mut self,
        operator: &mut impl LinearOperator<D>,
        weights: &[f64],
        residual: &mut [Vect<D>],
        solution: &mut [Vect<D>],
        stop: Stop,
    ) -> Outcome {
        let count = residual.len();
        self.direction.resize(count, Vect::zeros());
        self.image.resize(count, Vect::zeros());
        parallel::fill(solution, |_| Vect::zeros());
        self.direction.copy_from_slice(residual);

        let mut norms = parallel::sum(count, Vect::<2>::zeros(), |i| squares(&residual[i], weights[i]));
        let mut iterations = 0;
        while norms[1] > stop.residual_squared && iterations < stop.max_iterations {
            iterations += 1;
            let curvature = operator.apply(&self.direction, &mut self.image);
            let step = norms[0] / curvature;
            if !(curvature > 0.0 && step.is_finite()) {
                break; // the residual has reached the rounding floor of the operator
            }
            let (direction, image) = (&self.direction, &self.image);
            parallel::update(solution, |i, x| *x += direction[i] * step);
            let next = parallel::update_and_sum(residual, Vect::zeros(), |i, r| {
                *r -= image[i] * step;
                squares(r, weights[i])
            });
            let ratio = next[0] / norms[0];
            norms = next;
            parallel::update(&mut self.direction, |i, p| *p = residual[i] + *p * ratio);
        }
        let converged = norms[1] <= stop.residual_squared;
        Outcome { iterations, residual_squared: norms[1], converged }
    }
}

/// The square CG needs and the square the stopping rule asks for, in one pass.
fn squares<const D: usize>(r: &Vect<D>, weight: f64) -> Vect<2> {
    let square = r.norm_squared();
    Vect::from([square, square * weight])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of springs between fixed walls: tridiagonal, known inverse.
    struct Chain;
    impl LinearOperator<2> for Chain {
        fn apply(&mut self, x: &[Vect<2>], out: &mut [Vect<2>]) -> f64 {
            let at = |i: isize| usize::try_from(i).ok().and_then(|i| x.get(i)).copied().unwrap_or_default();
            for (i, value) in out.iter_mut().enumerate() {
                let i = i as isize;
                *value = at(i) * 2.0 - at(i - 1) - at(i + 1);
            }
            x.iter().zip(&*out).map(|(x, y)| x.dot(y)).sum()
        }
    }

    #[test]
    fn a_chain_of_springs_is_solved_in_as_many_iterations_as_unknowns() {
        let count = 20;
        let expected: Vec<Vect<2>> =
            (0..count).map(|i| Vect::from([(i as f64).sin(), (i * i % 7) as f64])).collect();
        let mut residual = vec![Vect::zeros(); count];
        Chain.apply(&expected, &mut residual);
        let mut solution = vec![Vect::zeros(); count];
        let stop = Stop { residual_squared: 1e-24, max_iterations: 2 * count };
        let outcome =
            Workspace::default().solve(&mut Chain, &vec![1.0; count], &mut residual, &mut solution, stop);
        assert!(outcome.converged && outcome.iterations <= count + 2, "{outcome:?}");
        for (found, wanted) in solution.iter().zip(&expected) {
            assert!((found - wanted).norm() < 1e-10);
        }
    }

    #[test]
    fn a_solve_that_cannot_converge_says_so() {
        let mut residual = vec![Vect::repeat(1.0); 50];
        let mut solution = vec![Vect::zeros(); 50];
        let stop = Stop { residual_squared: 1e-20, max_iterations: 3 };
        let outcome = Workspace::default().solve(&mut Chain, &[1.0; 50], &mut residual, &mut solution, stop);
        assert!(!outcome.converged);
        assert_eq!(outcome.iterations, 3);
    }
}
