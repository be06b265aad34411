//! Small dense mathematics shared by every method: one type family for two and three dimensions,
//! singular values that survive inversion, conjugate gradients, and the deterministic parallel primitives.

pub mod cg;
pub mod parallel;
pub mod polar;
mod random;
pub mod svd;

pub use random::Random;
pub use svd::{Principal, principal};

/// The scalar of all state. Hot loops may store constants or increments in single precision (ADR 1).
pub type Real = f64;
/// A vector in `D` dimensions.
pub type Vect<const D: usize> = nalgebra::SVector<Real, D>;
/// A square matrix in `D` dimensions.
pub type Mat<const D: usize> = nalgebra::SMatrix<Real, D, D>;
/// A vector in space; two-dimensional scenes live in the plane `z = 0`.
pub type Vec3 = Vect<3>;

/// The point of the plane `z = 0` (or of space) that a `D`-dimensional vector means.
pub fn embed<const D: usize>(v: &Vect<D>) -> Vec3 {
    Vec3::from_fn(|row, _| if row < D { v[row] } else { 0.0 })
}

/// The first `D` components of a vector in space.
pub fn flatten<const D: usize>(v: &Vec3) -> Vect<D> {
    Vect::from_fn(|row, _| v[row])
}

/// The symmetric part of a matrix.
pub fn symmetric<const D: usize>(m: &Mat<D>) -> Mat<D> {
    (m + m.transpose()) * 0.5
}

/// The determinant of a 2×2 or 3×3 matrix.
pub fn determinant<const D: usize>(m: &Mat<D>) -> Real {
    match D {
        2 => m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)],
        3 => (0..3)
            .map(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                m[(0, k)] * (m[(1, i)] * m[(2, j)] - m[(1, j)] * m[(2, i)])
            })
            .sum(),
        _ => unreachable!("space has two or three dimensions"),
    }
}
