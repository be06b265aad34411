//! Shorter steps along the residual where particles resist more than the rest of their body: in thin parts and flattened
//! neighbourhoods, whose fits are near singular, and at contacts. A few of them, a hundred times as stiff as the others, cost most
//! of the iterations of a puddle. Dividing by each particle's own diagonal would cost more than nothing at all, because zero-energy modes
//! are penalised.

use super::contact::Touch;
use super::elasticity::{Elasticity, Tangent};
use pliant_math::cg::Preconditioner;
use pliant_math::{Mat, Vect, parallel};
use pliant_world::Body;

/// Steps along the residual, of each particle.
#[derive(Debug)]
pub(super) struct Scales {
    /// Mean diagonal element of the stiffness.
    diagonal: Vec<f64>,
    /// One over the mean diagonal of the system in the body, or over the particle's own if that is larger.
    scale: Vec<f64>,
}

/// The system apart from elasticity, in one solve.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a, const D: usize> {
    pub touches: &'a [Touch<D>],
    pub mass: &'a [f64],
    /// β² [s²].
    pub beta_squared: f64,
}

/// Scales at work.
#[derive(Clone, Copy)]
pub(super) struct Scaling<'a>(pub &'a [f64]);

impl Scales {
    pub fn new<const D: usize>(elasticity: &Elasticity<'_, D>, tangents: &[Tangent<D>]) -> Self {
        Self { diagonal: diagonal(elasticity, tangents), scale: vec![0.0; tangents.len()] }
    }

    pub fn update<const D: usize>(&mut self, bodies: &[Body], now: Moment<'_, D>) {
        let Self { diagonal, scale } = self;
        parallel::fill(scale, |i| now.mass[i] + now.beta_squared * diagonal[i]);
        let mean = |body: &Body| {
            let own = &scale[body.particles.clone()];
            own.iter().sum::<f64>() / own.len().max(1) as f64
        };
        let means: Vec<f64> = bodies.iter().map(mean).collect();
        for touch in now.touches.iter().filter(|touch| touch.is_loaded()) {
            let stiffness = touch.stiffness_matrix().trace() / D as f64 * now.beta_squared;
            for (j, share) in touch.support.iter().copied().chain([(touch.particle, 1.0)]) {
                scale[j as usize] += share * share * stiffness;
            }
        }
        for (body, mean) in bodies.iter().zip(means) {
            scale[body.particles.clone()].iter_mut().for_each(|scale| *scale = 1.0 / mean.max(*scale));
        }
    }

    pub fn scaling(&self) -> Scaling<'_> {
        Scaling(&self.scale)
    }
}

impl<const D: usize> Preconditioner<D> for Scaling<'_> {
    fn apply(&mut self, residual: &[Vect<D>], out: &mut [Vect<D>]) -> f64 {
        parallel::update_and_sum(out, 0.0, |i, z| {
            *z = residual[i] * self.0[i];
            residual[i].dot(z)
        })
    }
}

/// Mean diagonal element of the stiffness at each particle.
fn diagonal<const D: usize>(elasticity: &Elasticity<'_, D>, tangents: &[Tangent<D>]) -> Vec<f64> {
    let (hoods, kappa, count) = (&elasticity.neighbourhoods, elasticity.kappa, tangents.len());
    // What the strain of a particle resists to a neighbour's motion is a quadratic form of the edge between them.
    let mut forms = vec![Mat::<D>::zeros(); count];
    parallel::fill(&mut forms, |j| {
        let (gradient, moduli) = (elasticity.gradient_map(j), tangents[j].stiffness);
        let along = moduli.mu + (moduli.mu + moduli.lambda) / D as f64;
        gradient * gradient.transpose() * along - hoods.fits[j].inverse_moment * kappa[j]
    });
    let form = |j: usize, moment: &Vect<D>, weight: f64| moment.dot(&(forms[j] * moment)) + kappa[j] * weight;
    let mut diagonal = vec![0.0; count];
    parallel::fill(&mut diagonal, |i| {
        let weight_sum = hoods.outgoing(i).iter().map(|(_, edge)| f64::from(edge[3])).sum();
        let neighbours = hoods
            .incoming(i)
            .iter()
            .map(|(j, edge)| form(j, &Vect::from_fn(|axis, _| f64::from(edge[axis])), f64::from(edge[3])));
        form(i, &hoods.fits[i].weight_sum, weight_sum) + neighbours.sum::<f64>()
    });
    diagonal
}
