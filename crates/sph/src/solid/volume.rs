//! The second half of the split step as printed: what resists changes of volume (Kugelstadt 2021, Eq. 28 and 30).

use super::body::Body;
use super::dilation::{Diagonal, DilationSystem};
use super::gradients::{Excess, Operator, Stop};
use super::shape::Effort;
use pliant_math::parallel;
use std::sync::Arc;

impl Body {
    /// Lines 6 to 9 of Algorithm 1: adds `Δv*` to the change of velocity `Δv` in `side`; returns the iterations.
    pub fn keep_volume(&mut self, effort: &Effort) -> Result<usize, Excess> {
        let shape = Arc::clone(&self.shape);
        let rest = &shape.rest;
        let dt = effort.dt as f32;
        self.strain.advance(rest, (&self.side, dt), &mut self.state.rotation);
        self.resist();
        self.dilation.update((rest, &shape.resistance), &self.strain);
        let keep = |i: usize| if shape.pinned[i] { 0.0 } else { dt };
        let mut residual = vec![[0.0; 4]; rest.len()];
        self.dilation.forces(rest, &self.resistance, keep, &mut residual);
        let stop =
            Stop { residual: effort.residual(&shape, &residual), max_iterations: effort.max_iterations };
        let mut system = DilationSystem {
            rest,
            dilation: &mut self.dilation,
            constant: &shape.resistance,
            mass: &shape.mass_single,
            pinned: &shape.pinned,
            dt_squared: dt * dt,
        };
        let mut diagonal = Diagonal::of(&system);
        let change = &mut self.state.change;
        let mut image = vec![[0.0; 4]; rest.len()];
        system.apply(change, &mut image);
        parallel::update(&mut residual, |i, residual| {
            (0..3).for_each(|axis| residual[axis] -= image[i][axis]);
        });
        let iterations = self.cg.solve(&mut system, &mut diagonal, &mut residual, change, stop)?;
        parallel::update(&mut self.side, |i, side| {
            (0..3).for_each(|axis| side[axis] += change[i][axis]);
        });
        Ok(iterations)
    }
}
