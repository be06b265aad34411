//! The operator `M + β² K` of the implicit step in plain loops: double precision, one thread, nothing factorised. It is
//! the oracle of the fast one, and what the fast one's speed is measured against.

use super::Zhou2013;
use super::contact::Springs;
use super::elasticity::{Fluxes, Tangent};
use super::stiffness::Stiffness;
use super::system::ImplicitOperator;
use pliant_math::cg::LinearOperator;
use pliant_math::{Mat, Vect, symmetric};
use pliant_world::World;
use std::time::Instant;

/// The fast operator beside the plain one, on the same motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Wall time of a plain product on one thread [s].
    pub plain_seconds: f64,
    /// Wall time of a fast product on all threads [s].
    pub fast_seconds: f64,
    /// Largest difference of a component over the largest component.
    pub difference: f64,
}

/// One directed edge.
struct Edge<const D: usize> {
    neighbour: usize,
    /// Offset at rest `p` [m].
    offset: Vect<D>,
    /// `g = w N p` of Eq. 9: what the neighbour's motion adds to the gradient [1/m].
    gradient: Vect<D>,
    /// Penalty `κ w` [N/m].
    penalty: f64,
}

/// The system, edge by edge.
struct Plain<'a, const D: usize> {
    edges: Vec<Vec<Edge<D>>>,
    tangents: &'a [Tangent<D>],
    mass: &'a [f64],
    beta_squared: f64,
}

impl<const D: usize> Plain<'_, D> {
    fn apply(&self, u: &[Vect<D>], out: &mut [Vect<D>]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = u[i] * self.mass[i];
        }
        for (i, edges) in self.edges.iter().enumerate() {
            let Tangent { rotation, stiffness, .. } = &self.tangents[i];
            let gradient: Mat<D> =
                edges.iter().map(|edge| (u[edge.neighbour] - u[i]) * edge.gradient.transpose()).sum();
            let strain = symmetric(&rotation.tr_mul(&gradient));
            let pressure = Mat::identity() * (stiffness.lambda * strain.trace());
            let stress = rotation * (strain * (2.0 * stiffness.mu) + pressure);
            for edge in edges {
                let misfit = gradient * edge.offset - (u[edge.neighbour] - u[i]);
                let force = (stress * edge.gradient - misfit * edge.penalty) * self.beta_squared;
                out[edge.neighbour] += force;
                out[i] -= force;
            }
        }
    }
}

impl<const D: usize> Zhou2013<D> {
    /// Times products with the system of a step of `dt` about the present pose, without contacts and pins: the best of
    /// `rounds`, fast and plain.
    pub fn compare_operator(&mut self, world: &World<D>, dt: f64, rounds: usize) -> Comparison {
        let x = &world.particles.position;
        let elasticity = self.state.elasticity(&self.matter);
        let (mut tangents, mut fluxes) = (vec![Tangent::none(); x.len()], Fluxes::new(x.len()));
        elasticity.linearise(x, dt, &mut tangents, &mut fluxes);
        let mut stiffness = Stiffness::default();
        stiffness.update(&elasticity, &tangents, x);
        let (mass, beta_squared) = (&world.particles.mass[..], dt * dt);
        let edges = (0..x.len()).map(|i| {
            let weighted = |(neighbour, offset, weight): (usize, Vect<D>, f64)| Edge {
                neighbour,
                offset,
                gradient: elasticity.gradient_map(i).tr_mul(&(offset * weight)),
                penalty: elasticity.kappa[i] * weight,
            };
            elasticity.neighbourhoods.offsets(i).map(weighted).collect()
        });
        let plain = Plain { edges: edges.collect(), tangents: &tangents, mass, beta_squared };
        let mut operator = ImplicitOperator {
            elasticity,
            tangents: &tangents,
            springs: &mut Springs::new(&[], beta_squared, x.len()),
            mass,
            pinned: &vec![false; x.len()],
            beta_squared,
            stiffness: &mut stiffness,
        };
        // A smooth motion with something of every direction.
        let u: Vec<Vect<D>> = x.iter().map(|x| x.map(|x| (9.0 * x).sin()) * 1e-3).collect();
        let (mut expected, mut found) = (vec![Vect::zeros(); x.len()], vec![Vect::zeros(); x.len()]);
        let plain_seconds = best(rounds, || plain.apply(&u, &mut expected));
        let fast_seconds = best(rounds, || {
            operator.apply(&u, &mut found);
        });
        let largest = expected.iter().map(Vect::amax).fold(0.0, f64::max);
        let apart = found.iter().zip(&expected).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
        Comparison { plain_seconds, fast_seconds, difference: apart / largest }
    }
}

/// Shortest wall time of some rounds [s].
fn best(rounds: usize, mut work: impl FnMut()) -> f64 {
    let mut time = || {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..rounds.max(1)).map(|_| time()).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use crate::zhou2013::tests::{cube, elastic, solver};

    #[test]
    fn the_fast_operator_equals_the_plain_one() {
        for jitter in [0.0, 0.2] {
            let world = cube::<3>(6, jitter, elastic());
            let found = solver(&world).compare_operator(&world, 2e-3, 1);
            assert!(found.difference < 1e-6, "{found:?}");
        }
    }
}
