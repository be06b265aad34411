//! Bodies that are moved and turned copies of others: they share rest pose and factor (Kugelstadt 2021 §9).

use super::Solids;
use super::polar;
use nalgebra::{Matrix3, UnitQuaternion};
use pliant_math::Vec3;
use pliant_world::World;

/// Positions that differ by less than this share of a spacing make copies of a body.
const COPY: f64 = 1e-6;

impl Solids {
    /// The body that particles are a moved and turned copy of, and by how much they are turned.
    pub(super) fn copy_of(
        &self,
        world: &World<3>,
        range: std::ops::Range<usize>,
        pinned: &[bool],
    ) -> Option<(usize, UnitQuaternion<f64>)> {
        let p = &world.particles;
        (0..self.bodies.len()).find_map(|of| {
            let first = self.bodies[of].first;
            if self.bodies[of].shape.rest.len() != range.len() {
                return None;
            }
            let spacing = self.details[of].spacing;
            let rotation =
                turn_between(&p.position[first..first + range.len()], &p.position[range.clone()], spacing)?;
            let same = range.clone().zip(first..).all(|(i, j)| {
                p.material[i] == p.material[j]
                    && pinned[i] == pinned[j]
                    && (p.rest_volume[i] - p.rest_volume[j]).abs() <= 1e-9 * p.rest_volume[j]
                    && (p.mass[i] - p.mass[j]).abs() <= 1e-9 * p.mass[j]
            });
            let varies = world
                .variations
                .iter()
                .any(|v| v.particles.start < range.end && range.start < v.particles.end);
            (same && !varies).then_some((of, rotation))
        })
    }
}

/// The rotation that takes one set of points to another, up to a translation; none if there is none.
fn turn_between(from: &[Vec3], to: &[Vec3], spacing: f64) -> Option<UnitQuaternion<f64>> {
    let center = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len() as f64;
    let (a, b) = (center(from), center(to));
    let covariance: Matrix3<f64> =
        from.iter().zip(to).map(|(from, to)| (to - b) * (from - a).transpose()).sum();
    let rotation = polar::rotation(&covariance, &UnitQuaternion::identity());
    let close = |(from, to): (&Vec3, &Vec3)| ((to - b) - rotation * (from - a)).norm() < COPY * spacing;
    from.iter().zip(to).all(close).then_some(rotation)
}
