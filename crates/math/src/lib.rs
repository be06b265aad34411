//! Small dense mathematics shared by every method: one type family for two and three dimensions.

/// The scalar of all state. Hot loops may store constants or increments in single precision (ADR 1).
pub type Real = f64;
/// A vector in `D` dimensions.
pub type Vect<const D: usize> = nalgebra::SVector<Real, D>;
/// A square matrix in `D` dimensions.
pub type Mat<const D: usize> = nalgebra::SMatrix<Real, D, D>;
/// A vector in space; two-dimensional scenes live in the plane `z = 0`.
pub type Vec3 = Vect<3>;
