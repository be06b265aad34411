//! What a step starts from: inertia, outer forces, and how exactly it has to be solved.

use super::Zhou2013;
use super::contact::Touch;
use super::integrator::Coefficients;
use pliant_math::{Vect, parallel};
use pliant_solver::Span;
use pliant_world::World;

/// What stays fixed while a step is solved.
pub(super) struct Plan<const D: usize> {
    pub beta: f64,
    pub dt: f64,
    /// Velocity that inertia alone leads to, `v*` [m/s].
    pub velocity: Vec<Vect<D>>,
    /// Where inertia alone leads, `q*` [m].
    pub inertial: Vec<Vect<D>>,
    /// External acceleration [m/s²].
    pub external: Vec<Vect<D>>,
    /// Weights of the stopping rule: 1/(mass × travel that matters)².
    pub weights: Vec<f64>,
}

impl<const D: usize> Plan<D> {
    pub fn positions(&self, departure: &[Vect<D>]) -> Vec<Vect<D>> {
        let mut x = vec![Vect::zeros(); departure.len()];
        parallel::fill(&mut x, |i| self.inertial[i] + departure[i]);
        x
    }
}

impl<const D: usize> Zhou2013<D> {
    pub(super) fn plan(&self, world: &World<D>, span: Span) -> Plan<D> {
        let past = self.state.past.as_ref();
        let step = Coefficients::new(self.settings.integrator, span.dt, past.map(|past| past.dt));
        let particles = &world.particles;
        let count = particles.len();
        let (mut velocity, mut inertial) = (vec![Vect::zeros(); count], vec![Vect::zeros(); count]);
        parallel::update_pair(&mut velocity, &mut inertial, |i, velocity, inertial| {
            let base = step.base(&particles.position[i], past.map(|past| &past.position[i]));
            *velocity = step.base(&particles.velocity[i], past.map(|past| &past.velocity[i]));
            *inertial = base + *velocity * step.beta;
        });
        let mut external = vec![Vect::zeros(); count];
        parallel::fill(&mut external, |i| {
            world.acceleration_at(&particles.position[i], particles.body[i], span.time + span.dt)
        });
        Plan { beta: step.beta, dt: span.dt, velocity, inertial, external, weights: vec![0.0; count] }
    }
}

/// The stopping rule measures each particle's error against what its body moves in a step, about its own centre or
/// against what it hits: the answer then depends neither on the origin nor on how fast other bodies are.
pub(super) fn tolerance_weights<const D: usize>(
    world: &World<D>,
    dt: f64,
    external: &[Vect<D>],
    touches: &[Touch<D>],
) -> Vec<f64> {
    let particles = &world.particles;
    let mut impact = vec![0.0_f64; world.bodies.len()];
    for touch in touches.iter().filter(|touch| touch.is_loaded()) {
        let speed = (touch.relative(&particles.velocity) - touch.surface_velocity).norm();
        for i in touch.support.iter().map(|&(j, _)| j).chain([touch.particle]) {
            let fastest = &mut impact[particles.body[i as usize] as usize];
            *fastest = fastest.max(speed);
        }
    }
    let mut weights = vec![0.0; particles.len()];
    for (body, impact) in world.bodies.iter().zip(impact) {
        let range = body.particles.clone();
        let count = range.len().max(1) as f64;
        let velocity = &particles.velocity[range.clone()];
        let mean = velocity.iter().sum::<Vect<D>>() / count;
        let spread = velocity.iter().map(|v| (v - mean).norm_squared()).sum::<f64>() / count;
        let pull = external[range.clone()].iter().map(Vect::norm).sum::<f64>() / count;
        let speed = spread.sqrt().max(impact).max(pull * dt).max(1e-6 * body.spacing / dt);
        for i in range {
            weights[i] = (particles.mass[i] * dt * speed).powi(-2);
        }
    }
    weights
}
