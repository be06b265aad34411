//! The constant matrix by loops over neighbours: what the assembled one and its factors are compared with.

use super::super::gradients::{Operator, dot};
use super::super::lanes::{Columns, Lane};
use super::super::rest::Rest;
use super::super::strain::Moduli;
use super::super::{Shape, sums};
use pliant_math::parallel;
use wide::f32x4;

/// `M + 2Δt² DᵀKD + Δt² HᵀK̃H` with what `moduli` has in place of `2 μ`, applied and never assembled.
pub(super) struct StretchSystem<'a> {
    rest: &'a Rest,
    moduli: &'a Moduli,
    mass: &'a [f32],
    pinned: &'a [bool],
    dt_squared: f32,
    /// What particles pull with, reused from product to product.
    flux: Vec<[Columns; 2]>,
}

impl<'a> StretchSystem<'a> {
    pub fn new(shape: &'a Shape, dt: f64) -> Self {
        let Shape { rest, moduli, mass_single: mass, pinned, .. } = shape;
        Self { rest, moduli, mass, pinned, dt_squared: (dt * dt) as f32, flux: Vec::new() }
    }
}

impl Operator for StretchSystem<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        let Self { rest, moduli, .. } = *self;
        let mut flux = std::mem::take(&mut self.flux);
        flux.resize(x.len(), [Columns::ZERO; 2]);
        parallel::fill(&mut flux, |i| {
            let here = f32x4::from(x[i]);
            let [f, b] = sums::moments(rest.row(i), |j| f32x4::from(x[j]) - here);
            let f = f.matrix() * rest.correction[i];
            let stretch = f * moduli.stretch[i] as f32;
            let penalty = (f * rest.spread[i] - b.matrix()) * moduli.penalty[i];
            [((stretch + penalty) * rest.correction[i]).into(), (f * moduli.penalty[i]).into()]
        });
        parallel::fill(out, |i| {
            if self.pinned[i] {
                return x[i];
            }
            let here = f32x4::from(x[i]);
            let apart = |j: usize| f32x4::from(x[j]) - here;
            let force = sums::pull((rest, i), &flux, &moduli.penalty, apart);
            let scale = self.dt_squared * rest.volume[i] as f32;
            (here * f32x4::splat(self.mass[i]) - force * f32x4::splat(scale)).to_array()
        });
        self.flux = flux;
        dot(x, out)
    }
}
