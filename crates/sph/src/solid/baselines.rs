//! Other ways to solve the elastic step, for the comparisons of the paper: Peer 2018, Becker 2009, Ganzenmüller 2015.

use super::body::Body;
use super::gradients::{Excess, Operator, Stop, dot};
use super::lanes::{Columns, Lane, wide_vector};
use super::shape::{Effort, Shape};
use super::sums;
use nalgebra::Matrix3;
use pliant_math::{Vec3, parallel};
use std::sync::Arc;
use wide::f32x4;

impl Body {
    /// The whole system by plain conjugate gradients (Peer 2018).
    pub fn solve_peer(&mut self, effort: &Effort) -> Result<usize, Excess> {
        let shape = Arc::clone(&self.shape);
        let mut system = PeerSystem {
            shape: &shape,
            dt_squared: (effort.dt * effort.dt) as f32,
            turn: &self.strain.turn,
            flux: vec![Columns::ZERO; shape.rest.len()],
        };
        let mut residual = std::mem::take(&mut self.side);
        let stop =
            Stop { residual: effort.residual(&shape, &residual), max_iterations: effort.max_iterations };
        let mut change = vec![[0.0; 4]; residual.len()];
        let iterations = self.cg.solve(&mut system, &mut Plain, &mut residual, &mut change, stop)?;
        self.side = change;
        Ok(iterations)
    }

    /// The explicit forces at the positions, over the masses (Becker 2009).
    pub fn solve_explicit(&mut self) {
        let mass = &self.shape.mass_single;
        parallel::update(&mut self.side, |i, side| side.iter_mut().for_each(|value| *value /= mass[i]));
    }

    /// Adds the forces of Ganzenmüller 2015 against zero-energy modes, along the lines between particles [N].
    pub(super) fn add_explicit_penalty(&mut self, strength: f64) {
        let Self { shape, strain, side, .. } = self;
        let (rest, moduli) = (&shape.rest, &shape.moduli);
        let young = |i: usize| {
            let (mu, lambda) = (moduli.shear[i], moduli.dilation[i]);
            mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu)
        };
        parallel::update(side, |i, out| {
            let mut force = Vec3::zeros();
            for edge in rest.row(i) {
                let j = edge.to as usize;
                let (offset, apart) = (edge.offset(), wide_vector(&strain.apart(i, j).to_array()));
                let length = apart.norm();
                if length <= 0.0 {
                    continue;
                }
                let error = |k: usize| {
                    (strain.gradient[k].cast::<f64>() * offset - apart).dot(&apart) / length * young(k)
                };
                let pull = -0.5 * strength * f64::from(edge.weight) * rest.volume[i] * (error(i) + error(j));
                force += apart * (pull / length);
            }
            (0..3).for_each(|axis| out[axis] += force[axis] as f32);
        });
    }
}

/// The whole system of linear corotated elasticity: the stress is `R (2μ ε + λ tr ε)`.
struct PeerSystem<'a> {
    shape: &'a Shape,
    dt_squared: f32,
    turn: &'a [Matrix3<f32>],
    flux: Vec<Columns>,
}

impl Operator for PeerSystem<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        let Self { shape, turn, flux, .. } = self;
        let (rest, moduli) = (&shape.rest, &shape.moduli);
        parallel::fill(flux, |i| {
            let here = f32x4::from(x[i]);
            let [f] = sums::moments(rest.row(i), |j| f32x4::from(x[j]) - here);
            let local = turn[i].tr_mul(&(f.matrix() * rest.correction[i]));
            let strain = (local + local.transpose()) * 0.5;
            let (mu, lambda) = (moduli.shear[i] as f32, moduli.dilation[i] as f32);
            let stress = strain * (2.0 * mu) + Matrix3::from_diagonal_element(lambda * strain.trace());
            (turn[i] * stress * rest.correction[i]).into()
        });
        let (flux, dt_squared) = (&*flux, self.dt_squared);
        parallel::fill(out, |i| {
            if shape.pinned[i] {
                return x[i];
            }
            let force = sums::divergence(rest, i, flux);
            let inertia = f32x4::from(x[i]) * f32x4::splat(shape.mass_single[i]);
            (inertia - force * f32x4::splat(dt_squared * rest.volume[i] as f32)).to_array()
        });
        dot(x, out)
    }
}

/// A preconditioner that does nothing.
struct Plain;

impl Operator for Plain {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        out.copy_from_slice(x);
        dot(x, out)
    }
}
