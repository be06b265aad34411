//! Singular values with proper rotations, for matrices that may be flat, inverted, tiny or huge.

use crate::{Mat, Vect};

/// `F = U diag(σ) Vᵀ` with U and V proper rotations. σ falls in size; the last one carries the sign of an
/// inverted matrix (Irving 2004, used by Zhou 2013 §3.1).
#[derive(Clone, Copy, Debug)]
pub struct Principal<const D: usize> {
    /// Rotation to world space.
    pub u: Mat<D>,
    /// Principal stretches.
    pub sigma: Vect<D>,
    /// Rotation to rest space.
    pub v: Mat<D>,
}

impl<const D: usize> Principal<D> {
    /// The rotation `R = U Vᵀ` nearest to the matrix.
    pub fn rotation(&self) -> Mat<D> {
        self.u * self.v.transpose()
    }

    /// `U diag(σ) Vᵀ`.
    pub fn compose(&self) -> Mat<D> {
        self.u * Mat::from_diagonal(&self.sigma) * self.v.transpose()
    }
}

/// Columns are orthogonal when their cosine is below this; a few units in the last place of f64.
const ORTHOGONAL: f64 = 4.0 * f64::EPSILON;
/// Jacobi converges quadratically: 3×3 matrices need 4 to 6 sweeps, the cap only bounds non-finite input.
const MAX_SWEEPS: usize = 16;
/// A column shorter than this share of the longest has no direction worth keeping.
const NO_DIRECTION: f64 = 1e-300;

/// Decomposes `f` by one-sided Jacobi rotations (Hestenes 1958): columns of `F V` are made orthogonal, their
/// lengths are the singular values. Accurate for flat and badly scaled matrices, one code for 2×2 and 3×3.
pub fn principal<const D: usize>(f: &Mat<D>) -> Principal<D> {
    let scale = f.amax();
    if scale == 0.0 || !scale.is_finite() {
        return Principal { u: Mat::identity(), sigma: Vect::repeat(scale), v: Mat::identity() };
    }
    // In two factors, because 1/scale overflows for subnormal matrices.
    let half = scale.sqrt();
    let mut columns = f / half / half;
    let mut v = Mat::identity();
    for _ in 0..MAX_SWEEPS {
        if !sweep(&mut columns, &mut v) {
            break;
        }
    }
    sort_columns(&mut columns, &mut v);
    let (u, sigma) = directions(&columns);
    Principal { u, sigma: sigma * half * half, v }
}

/// One pass over all pairs of columns; true if any was rotated.
fn sweep<const D: usize>(a: &mut Mat<D>, v: &mut Mat<D>) -> bool {
    let mut rotated = false;
    for p in 0..D {
        for q in p + 1..D {
            let (alpha, beta) = (a.column(p).norm_squared(), a.column(q).norm_squared());
            let gamma = a.column(p).dot(&a.column(q));
            if gamma.abs() <= ORTHOGONAL * (alpha.sqrt() * beta.sqrt()) {
                continue;
            }
            rotated = true;
            let zeta = (beta - alpha) / (2.0 * gamma);
            // Square roots only: exactly rounded everywhere, and far cheaper than `hypot`.
            let secant = if zeta.abs() < 1e100 { (1.0 + zeta * zeta).sqrt() } else { zeta.abs() };
            let t = zeta.signum() / (zeta.abs() + secant);
            let c = 1.0 / (1.0 + t * t).sqrt();
            rotate_columns(a, (p, q), (c, c * t));
            rotate_columns(v, (p, q), (c, c * t));
        }
    }
    rotated
}

fn rotate_columns<const D: usize>(m: &mut Mat<D>, (p, q): (usize, usize), (c, s): (f64, f64)) {
    for row in 0..D {
        let (x, y) = (m[(row, p)], m[(row, q)]);
        m[(row, p)] = c * x - s * y;
        m[(row, q)] = s * x + c * y;
    }
}

/// Longest column first; an odd permutation also flips the last column so that V stays a rotation.
fn sort_columns<const D: usize>(a: &mut Mat<D>, v: &mut Mat<D>) {
    for p in 0..D {
        for q in p + 1..D {
            if a.column(q).norm_squared() > a.column(p).norm_squared() {
                for m in [&mut *a, &mut *v] {
                    m.swap_columns(p, q);
                    m.column_mut(D - 1).neg_mut();
                }
            }
        }
    }
}

/// Unit directions of the columns, completed to a proper rotation; the last one follows from orientation, so
/// its singular value is negative for an inverted matrix.
fn directions<const D: usize>(columns: &Mat<D>) -> (Mat<D>, Vect<D>) {
    let mut u = Mat::<D>::zeros();
    for k in 0..D - 1 {
        let mut direction = columns.column(k).into_owned();
        if direction.norm() <= NO_DIRECTION {
            direction = least_covered_axis(&u, k);
        }
        direction = direction.normalize();
        // Twice is enough (Parlett): removes what rounding left of the earlier directions.
        for _ in 0..2 {
            for earlier in 0..k {
                direction -= u.column(earlier) * u.column(earlier).dot(&direction);
            }
            direction = direction.normalize();
        }
        u.set_column(k, &direction);
    }
    u.set_column(D - 1, &oriented_last(&u));
    let sigma = Vect::from_fn(|k, _| u.column(k).dot(&columns.column(k)));
    (u, sigma)
}

/// The axis that the first `count` directions cover least.
fn least_covered_axis<const D: usize>(u: &Mat<D>, count: usize) -> Vect<D> {
    let covered = |axis: usize| (0..count).map(|k| u[(axis, k)].powi(2)).sum::<f64>();
    let axis = (0..D).min_by(|&a, &b| covered(a).total_cmp(&covered(b))).unwrap_or(0);
    Vect::from_fn(|row, _| f64::from(u8::from(row == axis)))
}

/// The last column that makes `u` a proper rotation.
fn oriented_last<const D: usize>(u: &Mat<D>) -> Vect<D> {
    match D {
        2 => Vect::from_fn(|row, _| if row == 0 { -u[(1, 0)] } else { u[(0, 0)] }),
        3 => Vect::from_fn(|row, _| {
            let (i, j) = ((row + 1) % 3, (row + 2) % 3);
            u[(i, 0)] * u[(j, 1)] - u[(j, 0)] * u[(i, 1)]
        }),
        _ => unreachable!("space has two or three dimensions"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reconstruction and orthogonality, relative to the largest entry.
    const TOLERANCE: f64 = 1e-12;

    fn check<const D: usize>(f: &Mat<D>) {
        let Principal { u, sigma, v } = principal(f);
        let scale = f.amax().max(f64::MIN_POSITIVE);
        let error = (u * Mat::from_diagonal(&(sigma / scale)) * v.transpose() - f / scale).amax();
        assert!(error < TOLERANCE, "U S Vt differs by {error:e} for {f}");
        for (name, q) in [("U", u), ("V", v)] {
            assert!((q.transpose() * q - Mat::identity()).amax() < TOLERANCE, "{name} of {f}");
            assert!(crate::determinant(&q) > 0.0, "{name} of {f} mirrors");
        }
        for k in 1..D {
            assert!(sigma[k - 1] >= sigma[k].abs() * (1.0 - TOLERANCE), "{sigma}");
        }
    }

    struct Random(u64);
    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        }
        fn matrix<const D: usize>(&mut self) -> Mat<D> {
            Mat::from_fn(|_, _| self.next())
        }
    }

    #[test]
    fn a_million_random_matrices_are_decomposed() {
        let mut random = Random(1);
        for _ in 0..700_000 {
            check(&random.matrix::<3>());
        }
        for _ in 0..300_000 {
            check(&random.matrix::<2>());
        }
    }

    #[test]
    fn flat_inverted_repeated_and_scaled_matrices_are_decomposed() {
        let mut random = Random(2);
        for round in 0..20_000 {
            let (q, p) = (principal(&random.matrix::<3>()).u, principal(&random.matrix::<3>()).u);
            let stretches = match round % 8 {
                0 => [1.0, 1.0, 1.0],
                1 => [1.0, 1.0, -1.0],
                2 => [1.0, 1e-9, 0.0],
                3 => [1.0, 0.0, 0.0],
                4 => [2.0, 1.0, 1e-17],
                5 => [1.0, 1.0, 0.0],
                6 => [1.0, 1.0 - 1e-15, 1.0 - 2e-15],
                _ => [0.0, 0.0, 0.0],
            };
            for scale in [1.0, 1e-300, 1e300, 1e-9] {
                check(&(q * Mat::from_diagonal(&Vect::from(stretches)) * p.transpose() * scale));
            }
        }
        check(&Mat::<3>::zeros());
        check(&Mat::<3>::repeat(1.0));
        check(&Mat::<2>::repeat(f64::MIN_POSITIVE));
    }

    #[test]
    fn a_rotation_is_its_own_polar_factor() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let q = principal(&random.matrix::<3>()).u;
            assert!((principal(&q).rotation() - q).amax() < TOLERANCE);
            let mirrored = q * Mat::from_diagonal(&Vect::from([1.0, 1.0, -1.0]));
            assert!(principal(&mirrored).rotation().determinant() > 0.0);
        }
    }

    #[test]
    fn non_finite_matrices_end() {
        principal(&Mat::<3>::repeat(f64::NAN));
        principal(&Mat::<3>::repeat(f64::INFINITY));
        let mut one = Mat::<3>::identity();
        one[(1, 2)] = f64::NAN;
        principal(&one);
    }
}
