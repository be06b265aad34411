//! Principal axes and stretches of sixteen particles.

use super::flows::Principal;
use super::kernel::Number;
use super::lanes::Lanes;
use super::packs::{Matrix, Vector};
use super::registers::Registers;

/// Columns are orthogonal when the square of their cosine is below this.
const ORTHOGONAL: f32 = 1e-13;
/// Sweeps of Jacobi rotations; three or four are enough in single precision.
const MAX_SWEEPS: usize = 6;

#[inline(always)]
pub(super) fn logarithms<R: Registers, const D: usize>(sigma: &Vector<R, D>) -> Vector<R, D> {
    let mut logs = *sigma;
    for value in &mut logs {
        *value = value.ln();
    }
    logs
}

#[inline(always)]
pub(super) fn sum<R: Registers, const D: usize>(a: &Vector<R, D>) -> Lanes<R> {
    let mut sum = a[0];
    for value in &a[1..] {
        sum = sum + *value;
    }
    sum
}

#[inline(always)]
pub(super) fn product<R: Registers, const D: usize>(a: &Vector<R, D>) -> Lanes<R> {
    let mut product = a[0];
    for value in &a[1..] {
        product = product * *value;
    }
    product
}

#[inline(always)]
pub(super) fn least<R: Registers, const D: usize>(a: &Vector<R, D>) -> Lanes<R> {
    let mut least = a[0];
    for value in &a[1..] {
        least = least.min(*value);
    }
    least
}

#[inline(always)]
pub(super) fn most<R: Registers, const D: usize>(a: &Vector<R, D>) -> Lanes<R> {
    let mut most = a[0];
    for value in &a[1..] {
        most = most.max(*value);
    }
    most
}

#[inline(always)]
pub(super) fn dot<R: Registers, const D: usize>(a: &Vector<R, D>, b: &Vector<R, D>) -> Lanes<R> {
    let mut sum = a[0] * b[0];
    for k in 1..D {
        sum = sum + a[k] * b[k];
    }
    sum
}

#[inline(always)]
pub(super) fn determinant<R: Registers, const D: usize>(m: &Matrix<R, D>) -> Lanes<R> {
    if D == 2 {
        return m[0][0] * m[1][1] - m[1][0] * m[0][1];
    }
    let (a, b, c) = (&m[0], &m[1], &m[D - 1]);
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Turns the columns of a matrix until they are orthogonal (Hestenes 1958): they are then the principal axes times their
/// stretches. Returns them and the squares of their lengths.
#[inline(always)]
pub(super) fn orthogonal<R: Registers, const D: usize>(m: &Matrix<R, D>) -> (Matrix<R, D>, Vector<R, D>) {
    let mut axes = *m;
    for _ in 0..MAX_SWEEPS {
        let mut moved = turn(&mut axes, 0, 1);
        if D == 3 {
            moved |= turn(&mut axes, 0, D - 1);
            moved |= turn(&mut axes, 1, D - 1);
        }
        if !moved {
            break;
        }
    }
    let mut squares = axes[0];
    for k in 0..D {
        squares[k] = dot(&axes[k], &axes[k]);
    }
    (axes, squares)
}

/// One Jacobi rotation of columns `p` and `q` in the lanes that need it; whether any did. Lanes that do not are left
/// alone, so that their numbers do not depend on who shares the register.
#[inline(always)]
fn turn<R: Registers, const D: usize>(axes: &mut Matrix<R, D>, p: usize, q: usize) -> bool {
    let (a, b) = (axes[p], axes[q]);
    let (alpha, beta, gamma) = (dot(&a, &a), dot(&b, &b), dot(&a, &b));
    let needed = (alpha * beta * ORTHOGONAL).less(gamma * gamma);
    if !needed.any() {
        return false;
    }
    let (zero, one) = (alpha.like(0.0), alpha.like(1.0));
    let zeta = (beta - alpha) / needed.choose(gamma * 2.0, one);
    let size = one / (zeta.abs() + (zeta * zeta + 1.0).sqrt());
    let t = needed.choose(zeta.less(zero).choose(-size, size), zero);
    let c = one / (t * t + 1.0).sqrt();
    let s = c * t;
    for row in 0..D {
        axes[p][row] = needed.choose(c * a[row] - s * b[row], a[row]);
        axes[q][row] = needed.choose(s * a[row] + c * b[row], b[row]);
    }
    true
}

/// `U Σ' Vᵀ = Σₖ (σ'ₖ/σₖ) uₖ uₖᵀ F` where flow took part of the stretches; as it was where it did not.
#[inline(always)]
pub(super) fn kept<R: Registers, const D: usize>(
    trial: &Matrix<R, D>,
    axes: &Matrix<R, D>,
    squares: &Vector<R, D>,
    answer: &Principal<R, D>,
) -> Matrix<R, D> {
    let mut elastic = *trial;
    let mut weights = *squares;
    for k in 0..D {
        weights[k] = answer.kept[k] / squares[k];
    }
    for c in 0..D {
        let mut column = trial[c];
        for k in 0..D {
            let along = weights[k] * dot(&axes[k], &trial[c]);
            for r in 0..D {
                column[r] = if k == 0 { along * axes[k][r] } else { column[r] + along * axes[k][r] };
            }
        }
        for r in 0..D {
            elastic[c][r] = answer.flowed.choose(column[r], trial[c][r]);
        }
    }
    elastic
}
