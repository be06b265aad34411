//! Rotations of sixteen particles.

#![allow(clippy::needless_range_loop, reason = "lanes and axes are counted: iterators hide which is which")]

use super::kernel::Number;
use super::lanes::Mask;
use super::packs::Matrix;
use super::registers::Registers;

/// Steps of Newton's method; matter that is not crushed needs two to five.
const MAX_STEPS: usize = 8;
/// A rotation is found when the step that led to it was shorter than the root of this: the next one is about its square.
const SETTLED: f32 = 1e-7;

/// The rotation nearest to each matrix, and where it was not found.
#[inline(always)]
pub(super) fn rotation<R: Registers, const D: usize>(m: &Matrix<R, D>) -> (Matrix<R, D>, Mask<R>) {
    if D == 2 {
        return in_the_plane(m);
    }
    let mut x = *m;
    let mut moved = m[0][0].like(1.0);
    let settled = m[0][0].like(f64::from(SETTLED));
    // X ← (X + X⁻ᵀ)/2 (Higham 1986)
    for _ in 0..MAX_STEPS {
        let needed = settled.less(moved);
        if !needed.any() {
            break;
        }
        let cofactors = cofactors(&x);
        let mut volume = x[0][0] * cofactors[0][0];
        for r in 1..D {
            volume = volume + x[0][r] * cofactors[0][r];
        }
        let half = volume.like(0.5) / volume;
        let mut squares = volume.like(0.0);
        for c in 0..D {
            for r in 0..D {
                let change = cofactors[c][r] * half - x[c][r] * 0.5;
                squares = squares + change * change;
                x[c][r] = needed.choose(x[c][r] + change, x[c][r]);
            }
        }
        moved = needed.choose(squares, moved);
    }
    (x, settled.less(moved))
}

/// `R` with the angle of `F₁₁ + F₂₂` and `F₂₁ − F₁₂`.
#[inline(always)]
fn in_the_plane<R: Registers, const D: usize>(m: &Matrix<R, D>) -> (Matrix<R, D>, Mask<R>) {
    let (a, b) = (m[0][0] + m[1][1], m[0][1] - m[1][0]);
    let length = (a * a + b * b).sqrt();
    let per_length = length.like(1.0) / length;
    let (cosine, sine) = (a * per_length, b * per_length);
    let mut rotation = *m;
    (rotation[0][0], rotation[0][1]) = (cosine, sine);
    (rotation[1][0], rotation[1][1]) = (-sine, cosine);
    (rotation, length.less(length.like(1e-6)))
}

/// Cofactors of a matrix in space: its columns are products of the columns.
#[inline(always)]
fn cofactors<R: Registers, const D: usize>(m: &Matrix<R, D>) -> Matrix<R, D> {
    let mut cofactors = *m;
    for c in 0..D {
        let (a, b) = (&m[(c + 1) % D], &m[(c + 2) % D]);
        for r in 0..D {
            let (p, q) = ((r + 1) % D, (r + 2) % D);
            cofactors[c][r] = a[p] * b[q] - a[q] * b[p];
        }
    }
    cofactors
}
