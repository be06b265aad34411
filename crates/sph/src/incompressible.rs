//! Line 13 of Algorithm 1: how the solvers of the pressure keep matter from being compressed. All of them share the crowd, its
//! walls and the system (`pressure.rs`); they differ in what is solved for, where it starts, and what the pressures act on.

use crate::friction::Rubbing;
use crate::pressure::{Goal, Iteration, Kind, Since, Solve};
use crate::rigid::Rigids;
use crate::settings::PressureSolver;
use crate::solver::Sph;
use crate::step::{Workspace, gather, vector};
use pliant_math::Vec3;
use pliant_solver::StepReport;

/// Iterations of a pressure solve, at most: what is left after them is small and carried into the next step.
const MAX_ITERATIONS: usize = 100;
/// Share of the last pressures that IISPH starts from (Ihmsen et al. 2014, Algorithm 1).
const IISPH_START: f32 = 0.5;

impl Sph {
    /// Line 13, by the solver that the scene chose.
    pub(crate) fn apply_pressure(&mut self, dt: f32, report: &mut StepReport) {
        self.work.shifts.clear();
        self.work.shift.clear();
        self.work.shift.resize(self.state.pressure.len(), Vec3::zeros());
        let goal = |error: f64, iteration| Goal {
            dt,
            error: error as f32,
            max_iterations: MAX_ITERATIONS,
            iteration,
            since: Since::Change,
        };
        let (slow, apart) = (self.settings.divergence_error, self.settings.density_error);
        match self.settings.pressure {
            PressureSolver::Dfsph => {
                let (iterations, since) = self.push(Solve::Divergence, goal(slow, Iteration::Nesterov), 1.0);
                let apart = self.move_apart(Goal { since, ..goal(apart, Iteration::Nesterov) });
                report.iterations += iterations + apart;
                report.solves += 2;
            }
            PressureSolver::Iisph => {
                report.iterations += self.push(Solve::Density, goal(apart, Iteration::Jacobi), IISPH_START).0;
                report.solves += 1;
            }
        }
    }

    /// Pressures change momentum, and friction follows from them. They start from a `share` of the last ones.
    fn push(&mut self, solve: Solve, goal: Goal, share: f32) -> (usize, Since) {
        let Self { work, state, matter, .. } = self;
        let (mut pressure, mut friction) = (Vec::new(), Vec::new());
        gather(&mut pressure, &work.sorting.order, |i| share * state.pressure[i]);
        gather(&mut friction, &work.sorting.order, |i| matter.friction[i]);
        let outcome = work.act(|crowd, near, _| {
            let iterations = crowd.solve(near, solve, goal, &mut pressure);
            if !crowd.kind.contains(&Kind::Solid) {
                return (iterations, Since::Nothing);
            }
            let before = crowd.velocity.clone();
            Rubbing { coefficient: &friction, pressure: &pressure, dt: goal.dt }.apply(crowd, near);
            crowd.take_up(&before);
            (iterations, Since::Change)
        });
        Rigids::gain(&mut work.motion, &work.crowd.rigids);
        work.sorting.for_each(&mut state.pressure, |value, place| *value = pressure[place]);
        outcome
    }

    /// What is still too dense is moved apart without changing its velocity: positions that are put right must not make
    /// matter boil.
    fn move_apart(&mut self, goal: Goal) -> usize {
        let Self { work, state, .. } = self;
        let Workspace { sorting, near, crowd, shift, shifts, before, .. } = work;
        let mut crowding = Vec::new();
        gather(&mut crowding, &sorting.order, |i| state.crowding[i]);
        before.clone_from(&crowd.velocity);
        let iterations = crowd.solve(near, Solve::Density, goal, &mut crowding);
        shifts.extend(crowd.rigids.iter().map(|held| held.gained));
        sorting.for_each(shift, |shift, place| {
            *shift = vector(&crowd.velocity[place]) - vector(&before[place]);
        });
        sorting.for_each(&mut state.crowding, |value, place| *value = crowding[place]);
        iterations
    }
}
