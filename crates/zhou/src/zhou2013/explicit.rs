//! The explicit integration that the paper compares with (Zhou 2013, Eq. 10–11): the same forces, in sub-steps short
//! enough to be stable.

use super::Zhou2013;
use super::contact::Positions;
use crate::explicit::{Impact, count_substeps};
use pliant_math::{Vect, parallel};
use pliant_solver::stopwatch::Stopwatch;
use pliant_solver::{Span, StepError, StepReport};
use pliant_world::World;

impl<const D: usize> Zhou2013<D> {
    /// As many sub-steps as stability asks for; on error nothing has changed.
    pub(super) fn explicit_step(
        &mut self,
        world: &mut World<D>,
        span: Span,
    ) -> Result<StepReport, StepError> {
        let mut watch = Stopwatch::start();
        let mut report = StepReport::default();
        let count = count_substeps(span.dt, self.settings.longest_substep(world))?;
        let dt = span.dt / f64::from(count);
        let before = (world.particles.clone(), self.state.clone());
        let outcome = (0..count).try_for_each(|k| {
            let part = Span { time: span.time + f64::from(k) * dt, dt, care: span.care };
            self.explicit_substep(world, part, (&mut watch, &mut report))
        });
        if let Err(error) = outcome {
            (world.particles, self.state) = before;
            return Err(error);
        }
        report.stages = watch.laps();
        Ok(report)
    }

    fn explicit_substep(
        &mut self,
        world: &mut World<D>,
        span: Span,
        (watch, report): (&mut Stopwatch, &mut StepReport),
    ) -> Result<(), StepError> {
        let dt = span.dt;
        let (x, v) = (&world.particles.position, &world.particles.velocity);
        let work = &mut self.work;
        self.state.elasticity(&self.matter).linearise(x, dt, &mut work.tangents, &mut work.fluxes);
        watch.lap("forces");

        let (mass, body) = (&world.particles.mass, &world.particles.body);
        let gradient = &work.fluxes.gradient;
        let mut predicted = vec![Vect::zeros(); x.len()];
        parallel::fill(&mut predicted, |i| {
            let external = world.acceleration_at(&x[i], body[i], span.time + dt);
            v[i] + (external - gradient[i] / mass[i]) * dt // Eq. 10
        });
        for (i, target) in world.pinned_positions(span.time + dt) {
            predicted[i] = (target - x[i]) / dt;
        }
        super::check_finite("velocity", &predicted)?;
        let mut now = vec![Vect::zeros(); x.len()];
        parallel::fill(&mut now, |i| x[i] + predicted[i] * dt);
        let positions = Positions { start: x, now: &now };
        let near = self.detector.broad_phase(world, &self.state.neighbourhoods, positions, span)?;
        let touches = self.detector.touches(world, &self.state.history, &near, positions);
        let inverse_mass: Vec<f64> =
            (0..x.len()).map(|i| if self.pinned[i] { 0.0 } else { 1.0 / mass[i] }).collect();
        let impact = Impact { dt, inverse_mass: &inverse_mass, before: v, predicted: &predicted };
        let after = impact.resolve(&touches);
        self.state.history.remember(&touches);
        report.contacts = self.state.history.len();
        watch.lap("contact");

        parallel::update(&mut world.particles.position, |i, x| *x += after[i] * dt); // Eq. 11
        world.particles.velocity = after;
        report.yielding = self.split_plastic_flow(world, dt); // Eq. 12–13
        self.update_neighbourhoods(world); // Eq. 14–15
        watch.lap("plasticity");
        Ok(())
    }
}
