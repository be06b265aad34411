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
    /// Solved as well when the error itself is small; none if only the residual counts.
    pub error: Option<ErrorBound<'a>>,
    /// Give up after this many applications.
    pub max_iterations: usize,
}

/// Bound of the error `e` by its energy `e · A e`, which the steps of the solver tell (Hestenes and Stiefel 1952): each
/// takes `α r · P r` away from it. Where the operator is much larger than the mass, a residual is far larger than the
/// error it stands for, and a solver that waits for it works for nothing.
#[derive(Clone, Copy, Debug)]
pub struct ErrorBound<'a> {
    /// Mass of each particle: energies are counted as `Σ wᵢ mᵢ |rᵢ|²` is spread over them.
    pub masses: &'a [f64],
    /// Solved when the energy left is below this.
    pub energy: f64,
    /// Or below this share of the energy of the solution so far.
    pub share: f64,
    /// How fast the error falls is told from this many iterations at least.
    pub window: usize,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Applications of the operator.
    pub iterations: usize,
    /// `‖r‖²` at the end.
    pub residual_squared: f64,
    /// Whether the residual or the error fell below its bound.
    pub converged: bool,
}

/// Vectors reused from solve to solve.
#[derive(Debug, Default)]
pub struct Workspace<const D: usize> {
    direction: Vec<Vect<D>>,
    image: Vec<Vect<D>>,
    preconditioned: Vec<Vect<D>>,
    progress: Progress,
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
        let (weights, count) = (stop.weights, residual.len());
        let masses = stop.error.map_or(weights, |error| error.masses);
        let squares = |i: usize, r: &Vect<D>| squares(r, weights[i], masses[i]);
        let Self { direction, image, preconditioned, progress } = self;
        progress.gained.clear();
        progress.shortest_window = stop.error.map_or(0, |error| error.window);
        direction.resize(count, Vect::zeros());
        image.resize(count, Vect::zeros());
        parallel::fill(solution, |_| Vect::zeros());

        let mut norms = parallel::sum(count, Vect::<3>::zeros(), |i| squares(i, &residual[i]));
        let mut descent = Descent { preconditioner, preconditioned };
        let mut slope = descent.begin(residual, norms[0], direction);
        let mut iterations = 0;
        let is_solved = |norms: &Vect<3>, progress: &Progress| {
            norms[1] <= stop.residual_squared || stop.error.is_some_and(|error| progress.is_within(&error))
        };
        while !is_solved(&norms, progress) && iterations < stop.max_iterations {
            iterations += 1;
            let curvature = operator.apply(direction, image);
            let step = slope / curvature;
            if !(curvature > 0.0 && step.is_finite()) {
                break; // the residual has reached the rounding floor of the operator
            }
            progress.add(step * slope * norms[2] / norms[0]);
            norms = parallel::update_pair_and_sum(solution, residual, Vect::zeros(), |i, x, r| {
                *x += direction[i] * step;
                *r -= image[i] * step;
                squares(i, r)
            });
            slope = descent.turn(residual, norms[0], slope, direction);
        }
        Outcome { iterations, residual_squared: norms[1], converged: is_solved(&norms, progress) }
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

/// The energy that iterations took from the error, added up.
#[derive(Debug, Default)]
struct Progress {
    gained: Vec<f64>,
    shortest_window: usize,
}

impl Progress {
    fn add(&mut self, gain: f64) {
        self.gained.push(self.after(self.gained.len()) + gain);
    }

    /// Energy gained by the first so many iterations.
    fn after(&self, iterations: usize) -> f64 {
        iterations.checked_sub(1).map_or(0.0, |last| self.gained[last])
    }

    fn is_within(&self, bound: &ErrorBound<'_>) -> bool {
        let allowed = bound.energy.max(bound.share * self.after(self.gained.len()));
        self.left().is_some_and(|left| left <= allowed)
    }

    /// Energy that is left, if it goes on to fall as it did from the last quarter but one to the last; none if that cannot
    /// be told.
    fn left(&self) -> Option<f64> {
        let now = self.gained.len();
        let window = (now / 4).max(self.shortest_window);
        let (middle, start) = (now.checked_sub(window)?, now.checked_sub(2 * window)?);
        let late = self.after(now) - self.after(middle);
        let ratio = late / (self.after(middle) - self.after(start));
        (ratio < 1.0).then(|| late * ratio / (1.0 - ratio))
    }
}

/// The square CG needs, the square the stopping rule asks for, and how energies are counted, in one pass.
fn squares<const D: usize>(r: &Vect<D>, weight: f64, mass: f64) -> Vect<3> {
    let square = r.norm_squared();
    Vect::from([square, square * weight, square * weight * mass])
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
        let stop =
            Stop { weights: &weights, residual_squared: 1e-24, error: None, max_iterations: 2 * count };
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
            let stop = Stop { weights: &weights, residual_squared: 1e-20, error: None, max_iterations: 1000 };
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
    fn the_energy_of_the_error_is_known_from_the_steps() {
        let count = 400;
        let exact: Vec<Vect<2>> = (0..count).map(|i| Vect::from([1.0, (i as f64).cos()])).collect();
        let (weights, masses) = (vec![1.0; count], vec![1.0; count]);
        for energy in [1.0, 1e-3, 1e-6] {
            let mut residual = vec![Vect::zeros(); count];
            Springs.apply(&exact, &mut residual);
            let mut solution = vec![Vect::zeros(); count];
            let error = Some(ErrorBound { masses: &masses, energy, share: 0.0, window: 2 });
            let stop = Stop { weights: &weights, residual_squared: 0.0, error, max_iterations: 1000 };
            let outcome = Workspace::default().solve(&mut Springs, None, &mut residual, &mut solution, stop);
            let left: Vec<Vect<2>> =
                exact.iter().zip(&solution).map(|(wanted, found)| wanted - found).collect();
            let mut image = vec![Vect::zeros(); count];
            let found = Springs.apply(&left, &mut image);
            assert!(
                outcome.converged && found < 4.0 * energy && found > 1e-3 * energy,
                "{found} {energy} {outcome:?}"
            );
        }
    }

    #[test]
    fn a_solve_that_cannot_converge_says_so() {
        let mut residual = vec![Vect::repeat(1.0); 50];
        let mut solution = vec![Vect::zeros(); 50];
        let stop = Stop { weights: &[1.0; 50], residual_squared: 1e-20, error: None, max_iterations: 3 };
        let outcome = Workspace::default().solve(&mut Chain, None, &mut residual, &mut solution, stop);
        assert!(!outcome.converged);
        assert_eq!(outcome.iterations, 3);
    }
}
