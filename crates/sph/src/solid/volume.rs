//! The second half of the split step: what resists changes of volume (Kugelstadt 2021, Eq. 28 and 30).

use super::body::Body;
use super::dilation::{Diagonal, DilationSystem};
use super::gradients::{Excess, Operator, Stop};
use super::shape::Effort;
use pliant_math::{Vec3, parallel};
use std::sync::Arc;

impl Body {
    /// Lines 6 to 9 of Algorithm 1: adds `Δv*` to the change of velocity `Δv` in `side`; returns the iterations.
    pub fn keep_volume(&mut self, x: &[Vec3], v: &[Vec3], effort: &Effort) -> Result<usize, Excess> {
        let shape = Arc::clone(&self.shape);
        let rest = &shape.rest;
        let dt = effort.dt as f32;
        // The first system already had the resistances of the last step.
        let mut residual = vec![[0.0; 4]; rest.len()];
        if self.state.resistance.iter().any(|&q| q != 0.0) {
            self.strain.add_pressure_forces(rest, &self.state.resistance, -1.0, &mut residual);
        }
        self.measure(x, v, effort.dt);
        self.resist();
        let mut resisted = vec![[0.0; 4]; rest.len()];
        self.dilation.add_forces(rest, &self.state.resistance, &mut resisted);
        parallel::update_pair(&mut residual, &mut resisted, |i, residual, resisted| {
            for axis in 0..3 {
                let keep = if shape.pinned[i] { 0.0 } else { dt };
                resisted[axis] *= keep;
                residual[axis] = keep * residual[axis] + resisted[axis];
            }
        });
        let stop =
            Stop { residual: effort.residual(&shape, &resisted), max_iterations: effort.max_iterations };
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
        let image = &mut resisted;
        system.apply(change, image);
        parallel::update(&mut residual, |i, residual| {
            (0..3).for_each(|axis| residual[axis] -= image[i][axis]);
        });
        let iterations = self.cg.solve(&mut system, &mut diagonal, &mut residual, change, stop)?;
        parallel::update(&mut self.side, |i, side| {
            (0..3).for_each(|axis| side[axis] += change[i][axis]);
        });
        // Where the solve leads, at the end of the step.
        let resistance = &mut self.state.resistance;
        self.dilation.add_change((rest, &shape.resistance), change, dt, resistance);
        Ok(iterations)
    }
}
