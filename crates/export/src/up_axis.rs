//! Snapshots turned for programs whose z axis points up.

use crate::names::COLOR;
use pliant_world::snapshot::{Column, Field, Snapshot};
use std::borrow::Cow;

/// The axis that points up in the exported files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// As simulated: Houdini, Maya.
    #[default]
    Y,
    /// Turned by a quarter about x: Blender, robotics.
    Z,
}

impl UpAxis {
    /// The snapshot in these axes.
    pub(crate) fn turn(self, snapshot: &Snapshot) -> Cow<'_, Snapshot> {
        match self {
            Self::Y => Cow::Borrowed(snapshot),
            Self::Z => Cow::Owned(Snapshot {
                fields: snapshot.fields.iter().map(turn_field).collect(),
                quantities: snapshot.quantities.clone(),
                state_hash: snapshot.state_hash.clone(),
                ..*snapshot
            }),
        }
    }
}

fn turn_field(field: &Field) -> Field {
    let column = match &field.column {
        Column::Vector(values) if field.name != COLOR => {
            Column::Vector(values.iter().map(|v| turn_vector(*v)).collect())
        }
        Column::Tensor(values) => Column::Tensor(values.iter().map(turn_tensor).collect()),
        other => other.clone(),
    };
    Field { name: field.name.clone(), column }
}

/// R v with R the quarter turn about x that takes y to z.
fn turn_vector([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, -z, y]
}

/// R T Rᵀ, row by row. Right for deformation gradients too, since the rest pose turns along.
fn turn_tensor(t: &[f32; 9]) -> [f32; 9] {
    let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = *t;
    [xx, -xz, xy, -zx, zz, -zy, yx, -yz, yy]
}

#[cfg(test)]
mod tests {
    use super::{turn_tensor, turn_vector};

    #[test]
    fn up_stays_up() {
        assert_eq!(turn_vector([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_turned_tensor_maps_turned_vectors_to_turned_results() {
        let tensor = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0];
        let apply = |t: &[f32; 9], v: [f32; 3]| -> [f32; 3] {
            std::array::from_fn(|row| (0..3).map(|column| t[3 * row + column] * v[column]).sum())
        };
        for v in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            assert_eq!(apply(&turn_tensor(&tensor), turn_vector(v)), turn_vector(apply(&tensor, v)));
        }
    }
}
