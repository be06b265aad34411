//! How matter is turned: the rotation in the polar decomposition of each deformation gradient.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};
use pliant_math::polar;
use pliant_world::{Column, Snapshot};
use rayon::prelude::*;

/// What is not turned, as a quaternion.
const UNTURNED: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// The turns of some particles of a snapshot, as quaternions.
pub(super) fn turns(snapshot: &Snapshot, order: &[u32]) -> Vec<[f32; 4]> {
    let Some(Column::Tensor(gradients)) = snapshot.column("F") else {
        return vec![UNTURNED; order.len()];
    };
    order.par_iter().map(|&i| turn(&Matrix3::from_row_slice(&gradients[i as usize]))).collect()
}

fn turn(gradient: &Matrix3<f32>) -> [f32; 4] {
    if gradient.iter().any(|x| !x.is_finite()) {
        return UNTURNED;
    }
    let rotation = polar::rotation(&gradient.cast::<f64>()).cast();
    let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    [turn.i, turn.j, turn.k, turn.w]
}

#[cfg(test)]
mod tests {
    use super::{Matrix3, Rotation3, UnitQuaternion, turn};
    use nalgebra::{Quaternion, Vector3};

    #[test]
    fn turns_are_those_of_the_decomposition() {
        let stretches =
            [[1.0, 1.0, 1.0], [1.4, 0.7, 1.0], [8.0, 0.1, 2.0], [1.0, 1.0, 1e-7], [1.0, 0.9, -0.5]];
        for (number, stretch) in stretches.into_iter().enumerate() {
            let (u, v) = (
                Rotation3::from_euler_angles(0.3, -1.1, 2.0 + number as f32),
                Rotation3::from_euler_angles(1.0, 0.2 * number as f32, -0.4),
            );
            let gradient = u.matrix() * Matrix3::from_diagonal(&Vector3::from(stretch)) * v.matrix();
            let exact = pliant_math::principal(&gradient.cast::<f64>()).rotation().cast::<f32>();
            let [x, y, z, w] = turn(&gradient);
            let found = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)).to_rotation_matrix();
            let miss = (found.matrix() - exact).norm();
            assert!(miss < 1e-3, "{stretch:?}: {miss}");
        }
        assert_eq!(turn(&Matrix3::repeat(f32::NAN)), super::UNTURNED);
    }
}
