//! The rotation of a deformation gradient: the polar decomposition of Kugelstadt 2018, by Newton's method from the
//! rotation of the last step. It follows a particle through inversion, where a singular value decomposition would jump.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// Newton's method converges quadratically; from a good start three iterations are exact.
const ITERATIONS: usize = 24;
/// A turn of less than this leaves an error of its square: the rotation is final after it [rad].
const SETTLED: f64 = 1e-5;

/// The rotation nearest to `deformation`, starting from `last`.
pub(crate) fn rotation(deformation: &Matrix3<f64>, last: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let mut turned = *last;
    for _ in 0..ITERATIONS {
        let b = turned.to_rotation_matrix().matrix().tr_mul(deformation);
        let slope = Vector3::new(b[(2, 1)] - b[(1, 2)], b[(0, 2)] - b[(2, 0)], b[(1, 0)] - b[(0, 1)]);
        let turn = newton(&b, &slope).unwrap_or_else(|| slope / (b.trace().abs() + slope.norm() + 1e-9));
        let angle = turn.norm();
        if angle.is_nan() || angle < 1e-15 {
            break;
        }
        // The Cayley map: exact to second order, and a rotation for every length of the turn.
        let quarter = 0.5 * turn;
        turned *= UnitQuaternion::new_normalize(Quaternion::new(1.0, quarter.x, quarter.y, quarter.z));
        if angle < SETTLED {
            break;
        }
    }
    turned
}

/// The turn `ω` with `(tr B − sym B) ω = slope`, if the energy is convex here.
fn newton(b: &Matrix3<f64>, slope: &Vector3<f64>) -> Option<Vector3<f64>> {
    let hessian = Matrix3::from_diagonal_element(b.trace()) - (b + b.transpose()) * 0.5;
    let scale = b.norm();
    let minor = hessian[(0, 0)] * hessian[(1, 1)] - hessian[(0, 1)].powi(2);
    let determinant = hessian.determinant();
    let convex = hessian[(0, 0)] > 1e-3 * scale
        && minor > 1e-6 * scale * scale
        && determinant > 1e-9 * scale * scale * scale;
    if !convex {
        return None;
    }
    // Rows of the inverse are cross products of columns over the determinant.
    let (a, b, c) = (hessian.column(0), hessian.column(1), hessian.column(2));
    let solution = b.cross(&c) * slope.x + c.cross(&a) * slope.y + a.cross(&b) * slope.z;
    let turn = solution / determinant;
    // A Newton step farther than a quarter turn left the realm where the quadratic model means anything.
    (turn.norm() < 1.6).then_some(turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotation_is_that_of_the_singular_value_decomposition() {
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        for _ in 0..2000 {
            let deformation = Matrix3::from_fn(|row, column| next() + if row == column { 1.0 } else { 0.0 });
            if deformation.determinant() < 0.05 {
                continue;
            }
            let found = rotation(&deformation, &UnitQuaternion::identity());
            let svd = deformation.svd(true, true);
            let expected = svd.u.unwrap() * svd.v_t.unwrap();
            let error = (found.to_rotation_matrix().matrix() - expected).norm();
            assert!(error < 1e-8, "{error} for {deformation}");
        }
    }

    #[test]
    fn an_inverted_particle_keeps_a_rotation() {
        let inverted = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -0.3));
        let found = rotation(&inverted, &UnitQuaternion::identity());
        assert!(found.angle() < 1e-9, "turned by {}", found.angle());
        let flat = rotation(&Matrix3::zeros(), &UnitQuaternion::identity());
        assert!(flat.angle() < 1e-9);
    }
}
