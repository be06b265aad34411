//! Conjugate gradients for symmetric positive definite operators that are applied, never assembled.

use crate::{Vect, parallel};

/// A symmetric positive definite operator on one vector a particle.
pub trait LinearOperator<const D: usize> {
    /// `out = A x`, and `x · A x` added in a fixed order.
    fn apply(&mut self, x: &[Vect<D>], out: &mut [Vect<D>]) -> f64;
}

/// A symmetric positive definite approximation of the operator's inverse.
pub trait Preconditioner<const D: usize> {
    /// `out = P r`, and `r · P r` added in a fixed order.
    fn apply(&mut self, residual: &[Vect<D>], out: &mut [Vect<D>]) -> f64;
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    /// Weights of the norm `‖r‖² = Σ wᵢ |rᵢ|²`, so that particles of unequal mass count by their error in position.
    pub weights: &'a [f64],
    /// Solved when `‖r‖² ≤` this.
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
    preconditioned: Vec<Vect<D>>,
}

impl<const D: usize> Workspace<D> {
    /// Solves `A x = r` from `x = 0`; `r` becomes the residual.
    pub fn solve(
        &mut self,
        operator: &mut impl LinearOperator<D>,
        preconditioner: Option<&mut dyn Preconditioner<D>>,
        residual: &mut [Vect<D>],
        solution: &mut [Vect<D>],
        stop: Stop<'_>,
    ) -> Outcome {
        let weights = stop.weights;
        let count = residual.len();
        let Self { direction, image, preconditioned } = self;
        direction.resize(count, Vect::zeros());
        image.resize(count, Vect::zeros());
        parallel::fill(solution, |_| Vect::zeros());

        let mut norms = parallel::sum(count, Vect::<2>::zeros(), |i| squares(&residual[i], weights[i]));
        let mut descent = Descent { preconditioner, preconditioned };
        let mut slope = descent.begin(residual, norms[0], direction);
        let mut iterations = 0;
        while norms[1] > stop.residual_squared && iterations < stop.max_iterations {
            iterations += 1;
            let curvature = operator.apply(direction, image);
            let step = slope / curvature;
            if !(curvature > 0.0 && step.is_finite()) {
                break; // the residual has reached the rounding floor of the operator
            }
            norms = parallel::update_pair_and_sum(solution, residual, Vect::zeros(), |i, x, r| {
                *x += direction[i] * step;
                *r -= image[i] * step;
                squares(r, weights[i])
            });
            slope = descent.turn(residual, norms[0], slope, direction);
        }
        let converged = norms[1] <= stop.residual_squared;
        Outcome { iterations, residual_squared: norms[1], converged }
    }
}

/// Where the next direction comes from: the residual, or the preconditioned residual.
struct Descent<'a, 'p, const D: usize> {
    preconditioner: Option<&'a mut (dyn Preconditioner<D> + 'p)>,
    preconditioned: &'a mut Vec<Vect<D>>,
}

impl<const D: usize> Descent<'_, '_, D> {
    /// The first direction, and the slope along it. `square` is `r · r`.
    fn begin(&mut self, residual: &[Vect<D>], square: f64, direction: &mut [Vect<D>]) -> f64 {
        match &mut self.preconditioner {
            None => {
                direction.copy_from_slice(residual);
                square
            }
            Some(preconditioner) => {
                self.preconditioned.resize(residual.len(), Vect::zeros());
                preconditioner.apply(residual, direction)
            }
        }
    }

    /// The next direction, conjugate to the last one, and the slope along it.
    fn turn(&mut self, residual: &[Vect<D>], square: f64, before: f64, direction: &mut [Vect<D>]) -> f64 {
        let (descent, slope) = match &mut self.preconditioner {
            None => (residual, square),
            Some(preconditioner) => {
                let slope = preconditioner.apply(residual, self.preconditioned);
                (&self.preconditioned[..], slope)
            }
        };
        let ratio = slope / before;
        parallel::update(direction, |i, p| *p = descent[i] + *p * ratio);
        slope
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
        let weights = vec![1.0; count];
        let stop = Stop { weights: &weights, residual_squared: 1e-24, max_iterations: 2 * count };
        let outcome = Workspace::default().solve(&mut Chain, None, &mut residual, &mut solution, stop);
        assert!(outcome.converged && outcome.iterations <= count + 2, "{outcome:?}");
        for (found, wanted) in solution.iter().zip(&expected) {
            assert!((found - wanted).norm() < 1e-10);
        }
    }

    /// Springs to the ground, each stiffer than the one before.
    struct Springs;
    impl LinearOperator<2> for Springs {
        fn apply(&mut self, x: &[Vect<2>], out: &mut [Vect<2>]) -> f64 {
            out.iter_mut().zip(x).enumerate().for_each(|(i, (out, x))| *out = x * (1 + i) as f64);
            x.iter().zip(&*out).map(|(x, y)| x.dot(y)).sum()
        }
    }

    struct Inverse;
    impl Preconditioner<2> for Inverse {
        fn apply(&mut self, residual: &[Vect<2>], out: &mut [Vect<2>]) -> f64 {
            out.iter_mut().zip(residual).enumerate().for_each(|(i, (out, r))| *out = r / (1 + i) as f64);
            residual.iter().zip(&*out).map(|(r, z)| r.dot(z)).sum()
        }
    }

    #[test]
    fn a_preconditioner_saves_iterations_and_keeps_the_answer() {
        let count = 50;
        let solve = |preconditioner: Option<&mut dyn Preconditioner<2>>| {
            let mut residual: Vec<Vect<2>> =
                (0..count).map(|i| Vect::from([1.0, (i as f64).cos()])).collect();
            let mut solution = vec![Vect::zeros(); count];
            let weights = vec![1.0; count];
            let stop = Stop { weights: &weights, residual_squared: 1e-20, max_iterations: 1000 };
            let outcome =
                Workspace::default().solve(&mut Springs, preconditioner, &mut residual, &mut solution, stop);
            (outcome.iterations, solution)
        };
        let ((plain, slow), (aided, fast)) = (solve(None), solve(Some(&mut Inverse)));
        assert!(plain > 10 && aided <= 2, "{plain} {aided}");
        for (i, (slow, fast)) in slow.iter().zip(&fast).enumerate() {
            let exact = Vect::from([1.0, (i as f64).cos()]) / (1 + i) as f64;
            assert!((slow - exact).norm() < 1e-9 && (fast - exact).norm() < 1e-12);
        }
    }

    #[test]
    fn a_solve_that_cannot_converge_says_so() {
        let mut residual = vec![Vect::repeat(1.0); 50];
        let mut solution = vec![Vect::zeros(); 50];
        let stop = Stop { weights: &[1.0; 50], residual_squared: 1e-20, max_iterations: 3 };
        let outcome = Workspace::default().solve(&mut Chain, None, &mut residual, &mut solution, stop);
        assert!(!outcome.converged);
        assert_eq!(outcome.iterations, 3);
    }
}
