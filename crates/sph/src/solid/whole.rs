//! Stretch and volume at once: no error of splitting, whatever the step.

use super::body::Body;
use super::dilation::DilationSystem;
use super::gradients::{Excess, Operator, dot, turn};
use super::shape::Effort;
use pliant_math::parallel;
use std::sync::Arc;

impl Body {
    /// The whole system by conjugate gradients with the factor of its larger part as preconditioner. With `z = A_s⁻¹ r`
    /// the product `A_s p` follows from `r` by the same recurrence as `p` from `z`, so the stretch is never applied.
    pub fn solve_unsplit(&mut self, effort: &Effort) -> Result<usize, Excess> {
        let shape = Arc::clone(&self.shape);
        let rest = &shape.rest;
        let system = shape.system.as_ref().ok_or(Excess { iterations: 0, ratio: f64::INFINITY })?;
        let (count, dt) = (rest.len(), effort.dt as f32);
        self.dilation.update((rest, &shape.resistance), &self.strain);
        let massless = vec![0.0; count];
        let mut volume = DilationSystem {
            rest,
            dilation: &mut self.dilation,
            constant: &shape.resistance,
            mass: &massless,
            pinned: &shape.pinned,
            dt_squared: dt * dt,
        };
        let mut residual = std::mem::take(&mut self.side);
        let tolerated = effort.residual(&shape, &residual);
        let mut x = vec![[0.0; 4]; count];
        let (mut image, mut stretched) = (vec![[0.0; 4]; count], residual.clone());
        let mut descent = residual.clone();
        system.precondition(&mut [&mut descent]);
        let mut direction = descent.clone();
        let mut slope = dot(&residual, &descent);
        let mut iterations = 0;
        let mut norm = dot(&residual, &residual).sqrt();
        while norm > tolerated {
            if iterations == effort.max_iterations || norm.is_nan() {
                return Err(Excess { iterations, ratio: norm / tolerated });
            }
            iterations += 1;
            if let Some(mut product) = system.product() {
                product.apply(&direction, &mut stretched);
            }
            volume.apply(&direction, &mut image);
            parallel::update(&mut image, |i, image| {
                for axis in 0..3 {
                    // An equation that was removed is already in the constant matrix.
                    let volume = if shape.pinned[i] { 0.0 } else { image[axis] };
                    image[axis] = stretched[i][axis] + volume;
                }
            });
            let step = (slope / dot(&direction, &image)) as f32;
            if !step.is_finite() {
                break;
            }
            parallel::update_pair(&mut x, &mut residual, |i, x, residual| {
                for axis in 0..3 {
                    x[axis] += step * direction[i][axis];
                    residual[axis] -= step * image[i][axis];
                }
            });
            descent.copy_from_slice(&residual);
            system.precondition(&mut [&mut descent]);
            let before = std::mem::replace(&mut slope, dot(&residual, &descent));
            norm = dot(&residual, &residual).sqrt();
            let ratio = (slope / before) as f32;
            turn(&mut direction, &descent, ratio);
            turn(&mut stretched, &residual, ratio);
        }
        self.side = x;
        Ok(iterations)
    }
}
