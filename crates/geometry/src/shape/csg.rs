//! Combining solids: distances and bounds of unions, intersections, differences and smooth unions.

use super::Shape;
use crate::Aabb;
use pliant_math::Vec3;

pub(super) fn union(shapes: &[Shape], p: &Vec3, reach: f64) -> f64 {
    shapes.iter().fold(f64::INFINITY, |least, shape| least.min(shape.distance_within(p, least.min(reach))))
}

/// Once one member is out of reach the others do not matter.
pub(super) fn intersection(shapes: &[Shape], p: &Vec3, reach: f64) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for shape in shapes {
        most = most.max(shape.distance_within(p, reach));
        if most >= reach {
            break;
        }
    }
    most
}

/// Cuts only add to the distance of the base: if that is out of reach they do not matter.
pub(super) fn difference(base: &Shape, cuts: &[Shape], p: &Vec3, reach: f64) -> f64 {
    let base_distance = base.distance_within(p, reach);
    if base_distance >= reach {
        return base_distance;
    }
    cuts.iter().map(|cut| -cut.distance(p)).fold(base_distance, f64::max)
}

/// A part farther away than the nearest so far by more than the blend leaves no trace.
pub(super) fn smooth_union(shapes: &[Shape], blend: f64, p: &Vec3, reach: f64) -> f64 {
    let out_of_reach = reach + blend_growth(shapes.len(), blend);
    shapes.iter().fold(f64::INFINITY, |least, shape| {
        let distance = shape.distance_within(p, out_of_reach.min(least + blend));
        smooth_minimum(least, distance, blend)
    })
}

/// The quadratic smooth minimum. Its slope is a convex mix of the slopes of `a` and `b`, so never above one.
pub(super) fn smooth_minimum(a: f64, b: f64, blend: f64) -> f64 {
    let overlap = blend - (a - b).abs();
    if overlap > 0.0 { a.min(b) - overlap * overlap / (4.0 * blend) } else { a.min(b) }
}

/// How far a smooth union can reach beyond its parts `[m]`: a quarter of the blend a step, all of it at most.
pub(super) fn blend_growth(count: usize, blend: f64) -> f64 {
    blend * (0.25 * count.saturating_sub(1) as f64).min(1.0)
}

pub(super) fn union_bounds(shapes: &[Shape]) -> Option<Aabb> {
    let mut bounds = shapes.iter().map(Shape::bounds);
    let first = bounds.next()??;
    bounds.try_fold(first, |all, next| Some(all.union(&next?)))
}

/// Unbounded members do not matter as long as one is bounded; parts that do not meet leave a single point.
pub(super) fn intersection_bounds(shapes: &[Shape]) -> Option<Aabb> {
    let meet = |a: Aabb, b: Aabb| a.intersect(&b).unwrap_or(Aabb::new(a.center(), a.center()));
    shapes.iter().filter_map(Shape::bounds).reduce(meet)
}
