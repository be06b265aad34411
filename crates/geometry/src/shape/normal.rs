//! Outward normals: the direction in which the signed distance grows fastest.

use super::{Shape, csg, morph};
use pliant_math::Vec3;

impl Shape {
    /// The outward unit normal of the level set through `p`. Always a unit vector: where the distance has no
    /// slope (the centre of a ball) it points away from the shape's origin, or up.
    pub fn normal(&self, p: &Vec3) -> Vec3 {
        let gradient = self.gradient(p);
        unit_or(gradient, unit_or(*p, Vec3::y()))
    }

    /// The slope of the distance, exact where it is cheap and by central differences elsewhere.
    fn gradient(&self, p: &Vec3) -> Vec3 {
        match self {
            Shape::Ball { .. } => *p,
            Shape::HalfSpace { normal, .. } => *normal,
            Shape::Mesh(mesh) => mesh.gradient(p).unwrap_or_else(|| self.central_difference(p)),
            Shape::Heightfield(field) => {
                field.mesh_shape().gradient(p).unwrap_or_else(|| self.central_difference(p))
            }
            Shape::Placed { shape, placement } => placement.rotation * shape.normal(&placement.to_shape(p)),
            Shape::Union(shapes) => nearest(shapes, p, 1.0),
            Shape::Intersection(shapes) => nearest(shapes, p, -1.0),
            Shape::Difference { base, cuts } => {
                let base_distance = base.distance(p);
                if cuts.iter().all(|cut| -cut.distance(p) <= base_distance) {
                    base.normal(p)
                } else {
                    -nearest(cuts, p, 1.0)
                }
            }
            Shape::SmoothUnion { shapes, blend } => blended(shapes, *blend, p),
            Shape::Morph { keys, time } => morph::between(keys, *time).gradient(p),
            _ => self.central_difference(p),
        }
    }

    fn central_difference(&self, p: &Vec3) -> Vec3 {
        // Large against rounding of the coordinates, small against any detail of a shape seen at this distance.
        let step = 1e-6 * p.amax().max(1e-3);
        Vec3::from_fn(|axis, _| {
            let mut offset = Vec3::zeros();
            offset[axis] = step;
            self.distance(&(p + offset)) - self.distance(&(p - offset))
        }) / (2.0 * step)
    }
}

/// The normal of the shape whose distance, times `sign`, is smallest.
fn nearest(shapes: &[Shape], p: &Vec3, sign: f64) -> Vec3 {
    let key = |shape: &&Shape| sign * shape.distance(p);
    shapes.iter().min_by(|a, b| key(a).total_cmp(&key(b))).map_or(Vec3::zeros(), |shape| shape.normal(p))
}

/// The normals mixed by the slopes of the smooth minimum.
fn blended(shapes: &[Shape], blend: f64, p: &Vec3) -> Vec3 {
    let start = (f64::INFINITY, Vec3::zeros());
    let mix = |(distance, normal): (f64, Vec3), shape: &Shape| {
        let next = shape.distance(p);
        let weight = (0.5 + (distance - next) / (2.0 * blend)).clamp(0.0, 1.0);
        let mixed = match weight {
            0.0 => normal,
            1.0 => shape.normal(p),
            _ => normal * (1.0 - weight) + shape.normal(p) * weight,
        };
        (csg::smooth_minimum(distance, next, blend), mixed)
    };
    shapes.iter().fold(start, mix).1
}

/// The direction of `v`, or `fallback` if it has none.
fn unit_or(v: Vec3, fallback: Vec3) -> Vec3 {
    let length = v.norm();
    if length > 1e-9 && length.is_finite() { v / length } else { fallback }
}
