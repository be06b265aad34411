//! The rotation nearest to a matrix, without its singular values.

use crate::{Mat, determinant, principal};

/// Newton's iteration doubles its digits: a change below this is the last that matters.
const LAST_CHANGE: f64 = 1e-8;
/// Matrices that need more iterations are too flat for it.
const MAX_ITERATIONS: usize = 10;
/// Smallest volume, over that of a cube as wide as the matrix, that Newton's iteration is trusted with.
const FLATTEST: f64 = 1e-2;

/// The rotation R of the polar decomposition `F = R S`: by Newton's iteration `X ← (X + X⁻ᵀ)/2` (Higham 1986) where `F`
/// is far from flat, a fifth of the work of singular values; by those elsewhere, and for inverted matrices.
pub fn rotation<const D: usize>(f: &Mat<D>) -> Mat<D> {
    newton(f).unwrap_or_else(|| principal(f).rotation())
}

fn newton<const D: usize>(f: &Mat<D>) -> Option<Mat<D>> {
    let is_round = |volume: f64| volume > FLATTEST * f.amax().powi(D as i32);
    let mut x = *f;
    let mut volume = Some(determinant(f)).filter(|volume| is_round(*volume))?;
    for _ in 0..MAX_ITERATIONS {
        let next = (x + cofactors(&x) / volume) * 0.5;
        let change = (next - x).amax();
        x = next;
        if change < LAST_CHANGE {
            return Some(x);
        }
        volume = determinant(&x);
    }
    None
}

/// `det(m) m⁻ᵀ`.
fn cofactors<const D: usize>(m: &Mat<D>) -> Mat<D> {
    Mat::from_fn(|row, column| match D {
        2 if row == column => m[(1 - row, 1 - column)],
        2 => -m[(1 - row, 1 - column)],
        _ => {
            let ((a, b), (c, d)) = (((row + 1) % 3, (row + 2) % 3), ((column + 1) % 3, (column + 2) % 3));
            m[(a, c)] * m[(b, d)] - m[(a, d)] * m[(b, c)]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Random, Vect};

    fn check<const D: usize>(stretches: impl Fn(&mut Random) -> f64) {
        let mut random = Random(5);
        let mut by_newton = 0;
        for _ in 0..20_000 {
            let mut turn = || principal(&Mat::<D>::from_fn(|_, _| random.number())).u;
            let (q, p) = (turn(), turn());
            let s = Vect::<D>::from_fn(|_, _| stretches(&mut random));
            let f = q * Mat::from_diagonal(&s) * p.transpose();
            by_newton += u32::from(newton(&f).is_some());
            let found = rotation(&f);
            assert!((found - principal(&f).rotation()).amax() < 1e-13 / s.amin().abs(), "{s}");
            assert!(determinant(&found) > 0.0);
        }
        assert!(by_newton > 5_000, "{by_newton}");
    }

    #[test]
    fn it_is_the_rotation_of_the_singular_values() {
        check::<2>(|random| 1.6 + 1.4 * random.number());
        check::<3>(|random| 1.6 + 1.4 * random.number());
        check::<3>(|random| 1.0 + 0.02 * random.number());
    }

    #[test]
    fn flat_inverted_and_broken_matrices_get_what_singular_values_say() {
        let mirror = Mat::<3>::from_diagonal(&Vect::from([1.0, 2.0, -0.5]));
        for f in [mirror, Mat::zeros(), Mat::repeat(1.0), Mat::repeat(f64::NAN), Mat::repeat(f64::INFINITY)] {
            assert!(newton(&f).is_none());
            assert_eq!(rotation(&f), principal(&f).rotation());
        }
        assert!((rotation(&(Mat::<3>::identity() * 1e-200)) - Mat::identity()).amax() < 1e-12);
    }
}
