//! Laws in lanes that need no principal axes: fluids, Neo-Hookean and fixed corotated matter.

#![allow(clippy::needless_range_loop, reason = "lanes and axes are counted: iterators hide which is which")]

use super::constitutive::FLUID_RANGE;
use super::grain::{Pack, beside};
use super::kernel::Number;
use super::lanes::{LOG_RANGE, Lanes};
use super::packs::{Answer, CRUSHED, Lot, Matrix, Symmetric, load, product_transposed, whole};
use super::polar::rotation;
use super::principal::determinant;
use super::registers::Registers;
use super::to_particles::Taken;
use pliant_material::elastic::{EquationOfState, Fluid};

impl<R: Registers> Lot<'_, R> {
    /// `τ = −p J I + J η (L + Lᵀ − ⅔ tr L I)` (Nilles 2020, Eq. 80–83)
    #[inline(always)]
    pub fn fluid<const D: usize>(
        &self,
        fluid: &Fluid,
        pack: &Pack<f32, D>,
        taken: &Taken<f32, D>,
    ) -> Answer<R, D> {
        let l = load(self.registers, &taken.gradient);
        let mut spread = l[0][0];
        for axis in 1..D {
            spread = spread + l[axis][axis];
        }
        let before = Lanes::load(self.registers, &pack.memory_volume);
        let (low, high) = (self.splat(FLUID_RANGE.0), self.splat(FLUID_RANGE.1));
        let j = (before * (spread * (self.dt as f32) + 1.0)).max(low).min(high);
        let bulk = self.splat(fluid.bulk_modulus);
        let (pressure, stiffness) = match fluid.state {
            EquationOfState::Linear => (bulk * (j.like(1.0) - j), bulk * (j * j * 2.0 - j)),
            EquationOfState::Tait { exponent } => {
                let power = power(j.like(1.0) / j, whole(exponent).unwrap_or(1));
                (bulk * (power - 1.0), bulk * (power * (exponent as f32 - 1.0) + 1.0) * j)
            }
        };
        let push = j * pressure;
        let friction = j * fluid.viscosity as f32;
        let mut stress = Symmetric { diagonal: [push; D], beside: [push; D] };
        for r in 0..D {
            stress.diagonal[r] = friction * (l[r][r] * 2.0 - spread * (2.0 / 3.0)) - push;
            for c in r + 1..D {
                stress.beside[beside(D, r, c)] = friction * (l[c][r] + l[r][c]);
            }
        }
        let at_rest = self.matter.law.wave_modulus(&self.matter.lame);
        let stiffening = (stiffness * (1.0 / at_rest) as f32).max(j.like(1.0));
        let never = j.less(j);
        Answer {
            elastic: None,
            stress,
            volume: Some(j),
            strain: None,
            stiffening,
            flowed: never,
            wrong: never,
        }
    }

    /// `τ = μ(F Fᵀ − I) + λ ln J I`
    #[inline(always)]
    pub fn neo_hookean<const D: usize>(&self, trial: &Matrix<R, D>) -> Answer<R, D> {
        let (mu, lambda) = self.moduli();
        let j = determinant(trial);
        let wrong = j.less(self.splat(f64::from(LOG_RANGE.0))).or(self.splat(f64::from(LOG_RANGE.1)).less(j));
        let spread = lambda * j.ln();
        let mut stress = product_transposed(trial, trial);
        // The largest square of a stretch is at most 1 + |F Fᵀ − I|.
        let mut squares = self.splat(0.0);
        for r in 0..D {
            let excess = stress.diagonal[r] - 1.0;
            squares = squares + excess * excess;
            stress.diagonal[r] = mu * excess + spread;
        }
        for k in if D == 2 { 1..D } else { 0..D } {
            let shear = stress.beside[k];
            squares = squares + shear * shear * 2.0;
            stress.beside[k] = mu * shear;
        }
        self.elastic(*trial, stress, (squares.sqrt() + 1.0, wrong))
    }

    /// `τ = 2μ(F − R)Fᵀ + λ(J − 1)J I`
    #[inline(always)]
    pub fn fixed_corotated<const D: usize>(&self, trial: &Matrix<R, D>) -> Answer<R, D> {
        let (mu, lambda) = self.moduli();
        let j = determinant(trial);
        let (rotation, lost) = rotation(trial);
        let mut stretched = *trial;
        // The largest stretch is at most 1 + |F − R|.
        let mut squares = self.splat(0.0);
        for c in 0..D {
            for r in 0..D {
                stretched[c][r] = trial[c][r] - rotation[c][r];
                squares = squares + stretched[c][r] * stretched[c][r];
            }
        }
        let mut stress = product_transposed(&stretched, trial);
        let (twice, spread) = (mu * 2.0, lambda * (j - 1.0) * j);
        for k in 0..D {
            stress.diagonal[k] = stress.diagonal[k] * twice + spread;
            stress.beside[k] = stress.beside[k] * twice;
        }
        let wrong = lost.or(j.less(self.splat(f64::from(CRUSHED))));
        let stiffening = corotated_stiffening(squares.sqrt() + 1.0, j);
        self.elastic(*trial, stress, (stiffening, wrong))
    }
}

/// How much stiffer co-rotated matter is than at rest.
#[inline(always)]
pub(super) fn corotated_stiffening<R: Registers>(stretch: Lanes<R>, j: Lanes<R>) -> Lanes<R> {
    (stretch * stretch * 2.0 - stretch).max(j * j * 2.0 - j).max(j.like(1.0))
}

/// A power with a whole exponent.
#[inline(always)]
fn power<R: Registers>(base: Lanes<R>, mut exponent: u32) -> Lanes<R> {
    let (mut result, mut square) = (base.like(1.0), base);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * square;
        }
        square = square * square;
        exponent /= 2;
    }
    result
}
