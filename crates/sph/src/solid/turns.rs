//! Rotations of many deformation gradients: what [`polar`](super::polar) does, eight particles at a time in single
//! precision, as Kugelstadt 2018 does it.

use super::lanes::Lane;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion};
use pliant_math::parallel;
use rayon::prelude::*;
use wide::f32x8;

/// Particles that are turned together.
const LANES: usize = 8;
/// From a good start two iterations are exact.
const ITERATIONS: usize = 24;
/// A turn of less than this leaves an error of its square, which single precision does not see [rad].
const SETTLED: f32 = 3e-4;
/// Turns farther than this left the realm where the quadratic model means anything [rad].
const FARTHEST: f32 = 1.6;

type Vector = [f32x8; 3];
/// Rows of columns.
type Matrix = [Vector; 3];

/// A rotation as it is stored: `x`, `y`, `z`, `w` of a quaternion.
pub(crate) fn stored(rotation: &UnitQuaternion<f64>) -> Lane {
    rotation.coords.map(|value| value as f32).into()
}

/// The matrix of a stored rotation.
pub(super) fn matrix(rotation: &Lane) -> Matrix3<f32> {
    let [x, y, z, w] = *rotation;
    *UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)).to_rotation_matrix().matrix()
}

/// Lets rotations follow the deformation gradients, from the last ones; `turn` are their matrices.
pub(super) fn follow(gradient: &[Matrix3<f32>], rotation: &mut [Lane], turn: &mut [Matrix3<f32>]) {
    let blocks = gradient
        .par_chunks(parallel::BLOCK)
        .zip(rotation.par_chunks_mut(parallel::BLOCK).zip(turn.par_chunks_mut(parallel::BLOCK)));
    blocks.for_each(|(gradient, (rotation, turn))| {
        let packs = gradient.chunks(LANES).zip(rotation.chunks_mut(LANES).zip(turn.chunks_mut(LANES)));
        packs.for_each(|(gradient, (rotation, turn))| follow_eight(gradient, rotation, turn));
    });
}

fn follow_eight(gradient: &[Matrix3<f32>], rotation: &mut [Lane], turn: &mut [Matrix3<f32>]) {
    let none = Matrix3::identity();
    let of = |lane: usize| gradient.get(lane).unwrap_or(&none);
    let deformation: Matrix = std::array::from_fn(|row| {
        std::array::from_fn(|column| f32x8::new(std::array::from_fn(|lane| of(lane)[(row, column)])))
    });
    let last = |axis: usize, lane: usize| rotation.get(lane).map_or(0.0, |rotation| rotation[axis]);
    let mut q: [f32x8; 4] =
        std::array::from_fn(|axis| f32x8::new(std::array::from_fn(|lane| last(axis, lane))));
    for _ in 0..ITERATIONS {
        let angle_squared = improve(&deformation, &mut q);
        if !angle_squared.simd_gt(f32x8::splat(SETTLED * SETTLED)).any() {
            break;
        }
    }
    let q = q.map(f32x8::to_array);
    let r = matrix_of(&q.map(f32x8::new)).map(|row| row.map(f32x8::to_array));
    for (lane, (rotation, turn)) in rotation.iter_mut().zip(turn).enumerate() {
        *rotation = q.map(|axis| axis[lane]);
        *turn = Matrix3::from_fn(|row, column| r[row][column][lane]);
    }
}

/// One Newton step; returns the square of the angles that were turned.
#[inline(always)]
fn improve(deformation: &Matrix, q: &mut [f32x8; 4]) -> f32x8 {
    let r = matrix_of(q);
    let b: Matrix = std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            r[0][row] * deformation[0][column]
                + r[1][row] * deformation[1][column]
                + r[2][row] * deformation[2][column]
        })
    });
    let slope = [b[2][1] - b[1][2], b[0][2] - b[2][0], b[1][0] - b[0][1]];
    let descent = {
        let trace = (b[0][0] + b[1][1] + b[2][2]).abs();
        let scale = trace + dot(&slope, &slope).sqrt() + f32x8::splat(1e-9);
        slope.map(|slope| slope / scale)
    };
    let (newton, convex) = newton(&b, &slope);
    let short = dot(&newton, &newton).simd_lt(f32x8::splat(FARTHEST * FARTHEST));
    let chosen = convex & short;
    let turn: Vector = std::array::from_fn(|axis| chosen.select(newton[axis], descent[axis]));
    let square = dot(&turn, &turn);
    // A deformation that is not finite turns nothing.
    let finite = square.simd_lt(f32x8::splat(f32::MAX));
    let half = turn.map(|turn| finite.select(turn, f32x8::ZERO) * f32x8::splat(0.5));
    *q = turned(q, &half);
    square
}

/// The turn `ω` with `(tr B − sym B) ω = slope`, and where the energy is convex.
#[inline(always)]
fn newton(b: &Matrix, slope: &Vector) -> (Vector, f32x8) {
    let mean = |row: usize, column: usize| (b[row][column] + b[column][row]) * f32x8::splat(-0.5);
    let (xx, yy, zz) = (b[1][1] + b[2][2], b[0][0] + b[2][2], b[0][0] + b[1][1]);
    let (xy, xz, yz) = (mean(0, 1), mean(0, 2), mean(1, 2));
    // Cofactors of the symmetric matrix.
    let (cxx, cxy, cxz) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let (cyy, cyz, czz) = (xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy);
    let determinant = xx * cxx + xy * cxy + xz * cxz;
    let square = dot(&b[0], &b[0]) + dot(&b[1], &b[1]) + dot(&b[2], &b[2]);
    let scale = square.sqrt();
    let convex = xx.simd_gt(scale * f32x8::splat(1e-3))
        & czz.simd_gt(square * f32x8::splat(1e-5))
        & determinant.simd_gt(square * scale * f32x8::splat(1e-6));
    let solution = [dot(&[cxx, cxy, cxz], slope), dot(&[cxy, cyy, cyz], slope), dot(&[cxz, cyz, czz], slope)];
    (solution.map(|value| value / determinant), convex)
}

/// The Cayley map: exact to second order, and a rotation for every length of the turn.
#[inline(always)]
fn turned(q: &[f32x8; 4], half: &Vector) -> [f32x8; 4] {
    let ([x, y, z, w], [a, b, c]) = (*q, *half);
    let product = [
        x + w * a + y * c - z * b,
        y + w * b + z * a - x * c,
        z + w * c + x * b - y * a,
        w - x * a - y * b - z * c,
    ];
    let square = product.iter().fold(f32x8::ZERO, |sum, value| sum + *value * *value);
    let inverse = f32x8::ONE / square.sqrt();
    product.map(|value| value * inverse)
}

#[inline(always)]
fn matrix_of([x, y, z, w]: &[f32x8; 4]) -> Matrix {
    let (one, two) = (f32x8::ONE, f32x8::splat(2.0));
    let twice = |a: f32x8, b: f32x8, c: f32x8, d: f32x8| two * (a * b + c * d);
    let (nx, nz) = (-*x, -*z);
    [
        [one - twice(*y, *y, *z, *z), twice(*x, *y, nz, *w), twice(*x, *z, *y, *w)],
        [twice(*x, *y, *z, *w), one - twice(*x, *x, *z, *z), twice(*y, *z, nx, *w)],
        [twice(*x, *z, -*y, *w), twice(*y, *z, *x, *w), one - twice(*x, *x, *y, *y)],
    ]
}

#[inline(always)]
fn dot(a: &Vector, b: &Vector) -> f32x8 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::super::polar;
    use super::*;

    const AT_REST: Lane = [0.0, 0.0, 0.0, 1.0];

    #[test]
    fn eight_at_a_time_are_as_one_by_one() {
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f32 / (1u64 << 31) as f32 - 0.5
        };
        let start = UnitQuaternion::from_euler_angles(0.3, -0.2, 0.5);
        let mut deformations = Vec::new();
        while deformations.len() < 1003 {
            let f = Matrix3::from_fn(|row, column| next() + if row == column { 1.0 } else { 0.0 });
            if f.determinant() > 0.1 {
                deformations.push(f);
            }
        }
        let mut rotation = vec![stored(&start); deformations.len()];
        let mut turn = vec![Matrix3::zeros(); deformations.len()];
        follow(&deformations, &mut rotation, &mut turn);
        for (i, deformation) in deformations.iter().enumerate() {
            let expected = polar::rotation(&deformation.cast(), &start);
            let error = (turn[i].cast() - expected.to_rotation_matrix().matrix()).norm();
            // As exact as single precision allows where the rotation is badly determined.
            assert!(error < 1e-4, "{error} for {deformation}");
            assert!((turn[i] - matrix(&rotation[i])).norm() < 1e-6);
        }
    }

    #[test]
    fn inverted_flat_and_broken_particles_keep_a_rotation() {
        let inverted = Matrix3::from_diagonal(&nalgebra::Vector3::new(1.0, 1.0, -0.3));
        let cases = [inverted, Matrix3::zeros(), Matrix3::repeat(f32::NAN), Matrix3::repeat(f32::MAX)];
        let mut rotation = [AT_REST; 4];
        let mut turn = [Matrix3::zeros(); 4];
        follow(&cases, &mut rotation, &mut turn);
        for turn in turn {
            assert!((turn - Matrix3::identity()).norm() < 1e-6, "{turn}");
        }
    }
}
