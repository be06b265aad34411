//! Shapes as signed distances: elementary bodies, grids, meshes, and what can be built from them.

mod build;
mod csg;
mod distance_transform;
mod heightfield;
mod image;
mod mesh;
mod morph;
mod normal;
mod primitives;
mod triangulate;

use crate::mesh::TriangleMesh;
use crate::{Aabb, Placement};
pub use heightfield::Heightfield;
pub use image::{Filter, ImageOptions, ImageShape, Inside, Sweep};
pub use mesh::MeshShape;
pub use morph::Key;
use pliant_math::Vec3;
use std::sync::Arc;

/// A solid, described by its signed distance. The axis of turned bodies is y, each is centred on the origin.
///
/// The constructors (`Shape::ball(..)`) check their values; build the variants directly only from values known to
/// be good.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A box.
    Cuboid {
        /// Half the edge lengths `[m]`.
        half_extents: Vec3,
    },
    /// A ball.
    Ball {
        /// Its radius `[m]`.
        radius: f64,
    },
    /// A ball stretched along the axes.
    Ellipsoid {
        /// The half axes `[m]`.
        radii: Vec3,
    },
    /// A cylinder about y.
    Cylinder {
        /// Its radius `[m]`.
        radius: f64,
        /// Half its height `[m]`.
        half_height: f64,
    },
    /// A cone about y, cut off at the top if `top_radius` is not zero.
    Cone {
        /// The radius at the bottom `[m]`.
        bottom_radius: f64,
        /// The radius at the top `[m]`, zero for a pointed cone.
        top_radius: f64,
        /// Half its height `[m]`.
        half_height: f64,
    },
    /// A cylinder about y with round ends.
    Capsule {
        /// Its radius `[m]`.
        radius: f64,
        /// Half the length of the cylindrical part `[m]`.
        half_height: f64,
    },
    /// A ring about y.
    Torus {
        /// From the centre to the middle of the tube `[m]`.
        major_radius: f64,
        /// The radius of the tube `[m]`.
        minor_radius: f64,
    },
    /// The hull of two balls: a limb that tapers.
    RoundCone {
        /// The balls' centres `[m]`.
        ends: [Vec3; 2],
        /// The balls' radii `[m]`.
        radii: [f64; 2],
    },
    /// All points with `normal · p ≤ offset`; unbounded.
    HalfSpace {
        /// Outward unit normal.
        normal: Vec3,
        /// Signed distance of the boundary from the origin along the normal `[m]`.
        offset: f64,
    },
    /// Ground given by heights over a rectangle.
    Heightfield(Arc<Heightfield>),
    /// A bitmap, drawn out or turned.
    Image(Arc<ImageShape>),
    /// A body bounded by triangles.
    Mesh(Arc<MeshShape>),
    /// What is in any of the shapes.
    Union(Vec<Shape>),
    /// What is in all of the shapes.
    Intersection(Vec<Shape>),
    /// What is in `base` and in none of the `cuts`.
    Difference {
        /// The body that is cut.
        base: Box<Shape>,
        /// What is taken away.
        cuts: Vec<Shape>,
    },
    /// A union whose creases are filled with a fillet; later shapes are blended onto earlier ones.
    SmoothUnion {
        /// The shapes to blend.
        shapes: Vec<Shape>,
        /// How far from a crease the fillet begins `[m]`.
        blend: f64,
    },
    /// A shape that changes over time, as it is at one.
    Morph {
        /// What it goes through.
        keys: Arc<[Key]>,
        /// When `[s]`.
        time: f64,
    },
    /// A shape that was scaled, turned and moved.
    Placed {
        /// The shape in its own coordinates.
        shape: Box<Shape>,
        /// Where it stands.
        placement: Placement,
    },
}

impl Shape {
    /// The signed distance from `p` to the surface `[m]`, negative inside.
    ///
    /// Never more than the true distance and never steeper than one, so it is safe to march along. Exact for
    /// elementary bodies and outside of unions; a lower bound inside unions, and outside of other combinations.
    pub fn distance(&self, p: &Vec3) -> f64 {
        self.distance_within(p, f64::INFINITY)
    }

    /// The distance if it is below `reach`; otherwise something not below `reach`, found more cheaply.
    fn distance_within(&self, p: &Vec3, reach: f64) -> f64 {
        match self {
            Shape::Cuboid { half_extents } => primitives::cuboid(half_extents, p),
            Shape::Ball { radius } => p.norm() - radius,
            Shape::Ellipsoid { radii } => primitives::ellipsoid(radii, p, reach),
            Shape::Cylinder { radius, half_height } => primitives::cylinder(*radius, *half_height, p),
            Shape::Cone { bottom_radius, top_radius, half_height } => {
                primitives::cone(*bottom_radius, *top_radius, *half_height, p)
            }
            Shape::Capsule { radius, half_height } => primitives::capsule(*radius, *half_height, p),
            Shape::Torus { major_radius, minor_radius } => primitives::torus(*major_radius, *minor_radius, p),
            Shape::RoundCone { ends, radii } => primitives::round_cone(ends, radii, p),
            Shape::HalfSpace { normal, offset } => normal.dot(p) - offset,
            Shape::Heightfield(field) => field.mesh_shape().distance(p),
            Shape::Image(image) => image.distance(p),
            Shape::Mesh(mesh) => mesh.distance(p),
            Shape::Union(shapes) => csg::union(shapes, p, reach),
            Shape::Intersection(shapes) => csg::intersection(shapes, p, reach),
            Shape::Difference { base, cuts } => csg::difference(base, cuts, p, reach),
            Shape::SmoothUnion { shapes, blend } => csg::smooth_union(shapes, *blend, p, reach),
            Shape::Morph { keys, time } => morph::between(keys, *time).distance(p),
            Shape::Placed { shape, placement } => {
                shape.distance_within(&placement.to_shape(p), reach / placement.scale) * placement.scale
            }
        }
    }

    /// Whether the point lies inside or on the surface.
    pub fn contains(&self, p: &Vec3) -> bool {
        self.distance(p) <= 0.0
    }

    /// Whether the distance is known to be nowhere steeper than one, so that its value at one point bounds it nearby.
    /// Interpolated distances may be a little steeper, those of meshes with holes may jump.
    pub(crate) fn has_lipschitz_distance(&self) -> bool {
        match self {
            Shape::Union(shapes) | Shape::Intersection(shapes) | Shape::SmoothUnion { shapes, .. } => {
                shapes.iter().all(Shape::has_lipschitz_distance)
            }
            Shape::Difference { base, cuts } => {
                base.has_lipschitz_distance() && cuts.iter().all(Shape::has_lipschitz_distance)
            }
            Shape::Placed { shape, .. } => shape.has_lipschitz_distance(),
            Shape::Morph { keys, .. } => keys.iter().all(|key| key.shape.has_lipschitz_distance()),
            Shape::Mesh(_) | Shape::Heightfield(_) | Shape::Image(_) => false,
            _ => true,
        }
    }

    /// Whether every mesh it is made of is watertight, so that inside and outside are beyond doubt.
    pub fn is_closed(&self) -> bool {
        match self {
            Shape::Union(shapes) | Shape::Intersection(shapes) | Shape::SmoothUnion { shapes, .. } => {
                shapes.iter().all(Shape::is_closed)
            }
            Shape::Difference { base, cuts } => base.is_closed() && cuts.iter().all(Shape::is_closed),
            Shape::Placed { shape, .. } => shape.is_closed(),
            Shape::Mesh(mesh) => mesh.is_watertight(),
            Shape::Heightfield(field) => field.mesh_shape().is_watertight(),
            _ => true,
        }
    }

    /// A box around the shape, or `None` if it has no end. Tight for single bodies, safe for combinations.
    pub fn bounds(&self) -> Option<Aabb> {
        let half_extents = match self {
            Shape::Cuboid { half_extents } => *half_extents,
            Shape::Ball { radius } => Vec3::repeat(*radius),
            Shape::Ellipsoid { radii } => *radii,
            Shape::Cylinder { radius, half_height } => Vec3::new(*radius, *half_height, *radius),
            Shape::Cone { bottom_radius, top_radius, half_height } => {
                let radius = bottom_radius.max(*top_radius);
                Vec3::new(radius, *half_height, radius)
            }
            Shape::Capsule { radius, half_height } => Vec3::new(*radius, half_height + radius, *radius),
            Shape::Torus { major_radius, minor_radius } => {
                let radius = major_radius + minor_radius;
                Vec3::new(radius, *minor_radius, radius)
            }
            Shape::RoundCone { ends, radii } => {
                let balls = [0, 1].map(|end| Aabb::around(ends[end], Vec3::repeat(radii[end])));
                return Some(balls[0].union(&balls[1]));
            }
            Shape::HalfSpace { .. } => return None,
            Shape::Heightfield(field) => return Some(field.mesh_shape().bounds()),
            Shape::Image(image) => return Some(image.bounds()),
            Shape::Mesh(mesh) => return Some(mesh.bounds()),
            Shape::Union(shapes) => return csg::union_bounds(shapes),
            Shape::Intersection(shapes) => return csg::intersection_bounds(shapes),
            Shape::Difference { base, .. } => return base.bounds(),
            Shape::SmoothUnion { shapes, blend } => {
                return csg::union_bounds(shapes).map(|b| b.inflate(csg::blend_growth(shapes.len(), *blend)));
            }
            Shape::Morph { keys, .. } => {
                let mut boxes = keys.iter().map(|key| key.shape.bounds());
                let first = boxes.next().flatten()?;
                return boxes.try_fold(first, |all, next| Some(all.union(&next?)));
            }
            Shape::Placed { shape, placement } => return shape.bounds().map(|b| b.transformed(placement)),
        };
        Some(Aabb::around(Vec3::zeros(), half_extents))
    }

    /// The triangles of a mesh, placed as the shape is, for whoever wants to draw it; `None` for other shapes.
    pub fn triangles(&self) -> Option<TriangleMesh> {
        match self {
            Shape::Mesh(shape) => Some(shape.mesh().clone()),
            Shape::Heightfield(field) => Some(field.mesh_shape().mesh().clone()),
            Shape::Placed { shape, placement } => {
                let mut mesh = shape.triangles()?;
                mesh.vertices.iter_mut().for_each(|vertex| *vertex = placement.to_world(vertex));
                Some(mesh)
            }
            _ => None,
        }
    }
}
