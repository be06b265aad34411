//! Three-dimensional vectors and matrices in single-precision lanes, for the loops over neighbours.

use nalgebra::{Matrix3, Vector3};
use pliant_math::Vec3;
use wide::f32x4;

/// A vector as it is stored; the fourth number is padding.
pub(crate) type Lane = [f32; 4];

/// A position in two parts, `high + low`: differences are nearly as exact as in double precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    high: f32x4,
    low: f32x4,
}

impl Place {
    pub const ORIGIN: Self = Self { high: f32x4::ZERO, low: f32x4::ZERO };

    pub fn new(x: &Vec3) -> Self {
        let high = Vector3::new(x.x as f32, x.y as f32, x.z as f32);
        let low: Vector3<f32> = (x - high.cast::<f64>()).cast();
        Self { high: vector(&high), low: vector(&low) }
    }

    /// The way from `from` to here [m].
    #[inline(always)]
    pub fn since(&self, from: &Self) -> f32x4 {
        (self.high - from.high) + (self.low - from.low)
    }
}

/// A matrix by columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns(pub [f32x4; 3]);

impl Columns {
    pub const ZERO: Self = Self([f32x4::ZERO; 3]);

    /// Adds `a bᵀ`.
    #[inline(always)]
    pub fn add_outer(&mut self, a: f32x4, b: &[f32; 3]) {
        for (column, &b) in self.0.iter_mut().zip(b) {
            *column += a * f32x4::splat(b);
        }
    }

    /// The product with a vector.
    #[inline(always)]
    pub fn times(&self, v: &[f32; 3]) -> f32x4 {
        let [a, b, c] = &self.0;
        *a * f32x4::splat(v[0]) + *b * f32x4::splat(v[1]) + *c * f32x4::splat(v[2])
    }

    pub fn matrix(&self) -> Matrix3<f32> {
        Matrix3::from_columns(&self.0.map(|column| three(column.to_array())))
    }
}

impl From<Matrix3<f32>> for Columns {
    fn from(matrix: Matrix3<f32>) -> Self {
        Self(std::array::from_fn(|k| vector(&matrix.column(k).into())))
    }
}

/// Lanes of a vector.
#[inline(always)]
pub(super) fn vector(v: &Vector3<f32>) -> f32x4 {
    f32x4::from([v.x, v.y, v.z, 0.0])
}

/// The vector of a lane.
#[inline(always)]
pub(super) fn three(lane: Lane) -> Vector3<f32> {
    Vector3::new(lane[0], lane[1], lane[2])
}

/// The vector of a lane, in double precision.
pub(crate) fn wide_vector(lane: &Lane) -> Vec3 {
    three(*lane).cast()
}

/// Sum of the first three lanes.
#[inline(always)]
pub(super) fn sum(v: f32x4) -> f32 {
    let [x, y, z, _] = v.to_array();
    x + y + z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_places_are_exact_a_kilometre_away() {
        let (a, b) = (Vec3::new(1000.0, -2000.0, 3000.0), Vec3::new(1000.01, -2000.02, 3000.03));
        let apart = wide_vector(&Place::new(&b).since(&Place::new(&a)).to_array());
        assert!((apart - (b - a)).norm() < 1e-8);
    }

    #[test]
    fn lanes_do_what_matrices_do() {
        let m = Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.5_f32);
        let (a, b) = (Vector3::new(0.5, -1.0, 2.0_f32), Vector3::new(3.0, 0.25, -4.0_f32));
        let mut columns = Columns::from(m);
        assert_eq!(three(columns.times(&b.into()).to_array()), m * b);
        columns.add_outer(vector(&a), &b.into());
        assert_eq!(columns.matrix(), m + a * b.transpose());
        assert_eq!(sum(vector(&a) * vector(&b)), a.dot(&b));
    }
}
