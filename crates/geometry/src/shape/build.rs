//! Constructors that let only sound shapes through.

use super::{MeshShape, Shape};
use crate::mesh::{MeshReport, TriangleMesh};
use crate::{GeometryError, Placement};
use nalgebra::UnitQuaternion;
use pliant_math::Vec3;
use std::sync::Arc;

/// More copies than this in one array are taken for a slip of the pen.
const COPY_LIMIT: usize = 100_000;

fn all_positive(what: &'static str, lengths: &Vec3) -> Result<(), GeometryError> {
    lengths.iter().try_for_each(|length| GeometryError::check_positive(what, *length).map(|_| ()))
}

fn not_empty(what: &'static str, shapes: Vec<Shape>) -> Result<Vec<Shape>, GeometryError> {
    if shapes.is_empty() { Err(GeometryError::NoShapes { what }) } else { Ok(shapes) }
}

impl Shape {
    /// A box with these half edge lengths `[m]`.
    pub fn cuboid(half_extents: Vec3) -> Result<Self, GeometryError> {
        all_positive("half extent of the box", &half_extents)?;
        Ok(Shape::Cuboid { half_extents })
    }

    /// A ball of this radius `[m]`.
    pub fn ball(radius: f64) -> Result<Self, GeometryError> {
        Ok(Shape::Ball { radius: GeometryError::check_positive("radius of the ball", radius)? })
    }

    /// An ellipsoid with these half axes `[m]`.
    pub fn ellipsoid(radii: Vec3) -> Result<Self, GeometryError> {
        all_positive("radius of the ellipsoid", &radii)?;
        Ok(Shape::Ellipsoid { radii })
    }

    /// A cylinder about y `[m]`.
    pub fn cylinder(radius: f64, half_height: f64) -> Result<Self, GeometryError> {
        GeometryError::check_positive("radius of the cylinder", radius)?;
        GeometryError::check_positive("half height of the cylinder", half_height)?;
        Ok(Shape::Cylinder { radius, half_height })
    }

    /// A pointed cone about y, base at `-half_height` `[m]`.
    pub fn cone(radius: f64, half_height: f64) -> Result<Self, GeometryError> {
        GeometryError::check_positive("radius of the cone", radius)?;
        Self::truncated_cone(radius, 0.0, half_height)
    }

    /// A cone about y that is cut off where its radius is `top_radius` `[m]`.
    pub fn truncated_cone(
        bottom_radius: f64,
        top_radius: f64,
        half_height: f64,
    ) -> Result<Self, GeometryError> {
        GeometryError::check_not_negative("bottom radius of the cone", bottom_radius)?;
        GeometryError::check_not_negative("top radius of the cone", top_radius)?;
        GeometryError::check_positive("larger radius of the cone", bottom_radius.max(top_radius))?;
        GeometryError::check_positive("half height of the cone", half_height)?;
        Ok(Shape::Cone { bottom_radius, top_radius, half_height })
    }

    /// A capsule about y; `half_height` is that of the straight part and may be zero `[m]`.
    pub fn capsule(radius: f64, half_height: f64) -> Result<Self, GeometryError> {
        GeometryError::check_positive("radius of the capsule", radius)?;
        GeometryError::check_not_negative("half height of the capsule", half_height)?;
        Ok(Shape::Capsule { radius, half_height })
    }

    /// A torus about y `[m]`.
    pub fn torus(major_radius: f64, minor_radius: f64) -> Result<Self, GeometryError> {
        GeometryError::check_positive("major radius of the torus", major_radius)?;
        GeometryError::check_positive("minor radius of the torus", minor_radius)?;
        Ok(Shape::Torus { major_radius, minor_radius })
    }

    /// The hull of two balls `[m]`.
    pub fn round_cone(ends: [Vec3; 2], radii: [f64; 2]) -> Result<Self, GeometryError> {
        for end in 0..2 {
            GeometryError::check_finite("end of the round cone", &ends[end])?;
            GeometryError::check_positive("radius of the round cone", radii[end])?;
        }
        Ok(Shape::RoundCone { ends, radii })
    }

    /// The half-space under the plane through `point` with this outward normal (any length but zero).
    pub fn half_space(normal: Vec3, point: Vec3) -> Result<Self, GeometryError> {
        GeometryError::check_finite("normal of the half-space", &normal)?;
        GeometryError::check_finite("point of the half-space", &point)?;
        let normal = normal
            .try_normalize(0.0)
            .ok_or(GeometryError::NoDirection { what: "normal of the half-space" })?;
        Ok(Shape::HalfSpace { normal, offset: normal.dot(&point) })
    }

    /// The solid within a mesh that was loaded or inspected.
    pub fn mesh(mesh: TriangleMesh, report: &MeshReport) -> Result<Self, GeometryError> {
        Ok(Shape::Mesh(Arc::new(MeshShape::new(mesh, report)?)))
    }

    /// What is in any of the shapes.
    pub fn union(shapes: Vec<Shape>) -> Result<Self, GeometryError> {
        not_empty("a union", shapes).map(Shape::Union)
    }

    /// What is in all of the shapes.
    pub fn intersection(shapes: Vec<Shape>) -> Result<Self, GeometryError> {
        not_empty("an intersection", shapes).map(Shape::Intersection)
    }

    /// What is in `base` and in none of the `cuts`.
    pub fn difference(base: Shape, cuts: Vec<Shape>) -> Result<Self, GeometryError> {
        Ok(Shape::Difference { base: Box::new(base), cuts: not_empty("a difference", cuts)? })
    }

    /// A union with fillets that begin `blend` `[m]` from each crease; a blend of zero is a plain union.
    pub fn smooth_union(shapes: Vec<Shape>, blend: f64) -> Result<Self, GeometryError> {
        let shapes = not_empty("a smooth union", shapes)?;
        GeometryError::check_not_negative("blend of the smooth union", blend)?;
        Ok(if blend == 0.0 { Shape::Union(shapes) } else { Shape::SmoothUnion { shapes, blend } })
    }

    /// This shape scaled, turned and moved.
    pub fn placed(self, placement: Placement) -> Self {
        Shape::Placed { shape: Box::new(self), placement }
    }

    /// This shape moved by `translation` `[m]`.
    pub fn translated(self, translation: Vec3) -> Self {
        self.placed(Placement::translation(translation))
    }

    /// This shape turned about its origin.
    pub fn rotated(self, rotation: UnitQuaternion<f64>) -> Self {
        self.placed(Placement::rotation(rotation))
    }

    /// Copies of this shape on a grid: `counts` along each axis, `step` `[m]` apart, the first one unmoved.
    pub fn array(&self, counts: [u32; 3], step: Vec3) -> Result<Self, GeometryError> {
        GeometryError::check_finite("step of the array", &step)?;
        let total = counts.iter().map(|count| f64::from(*count)).product::<f64>();
        if total > COPY_LIMIT as f64 {
            return Err(GeometryError::TooMany {
                what: "an array of copies",
                count: total,
                limit: COPY_LIMIT,
            });
        }
        let mut copies = Vec::new();
        for (i, j, k) in grid(counts) {
            let offset = Vec3::new(f64::from(i), f64::from(j), f64::from(k)).component_mul(&step);
            copies.push(self.clone().translated(offset));
        }
        Self::union(copies)
    }
}

/// The indices of a grid, the first running fastest.
fn grid(counts: [u32; 3]) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..counts[2]).flat_map(move |k| (0..counts[1]).flat_map(move |j| (0..counts[0]).map(move |i| (i, j, k))))
}
