//! Shapes as orders for the graphics processor, which walks along rays by their signed distance (sphere tracing, Hart
//! 1996; Nilles 2020, §7.6.2).
//!
//! A shape becomes a short list of orders in postfix form: bodies push their distance, combinations join the last two.
//! What has no formula (meshes within combinations, bitmaps) is sampled into a lattice of distances once.

use nalgebra::{UnitQuaternion, Vector3};
use pliant_geometry::{Aabb, Shape};
use pliant_math::Vec3;
use rayon::prelude::*;

/// Orders a shape may have; one with more is sampled as a whole.
pub const MOST_ORDERS: usize = 48;
/// Distances that may wait to be joined.
const DEEPEST: usize = 8;
/// Nodes along the longest side of a lattice of distances.
const NODES: usize = 72;
/// Numbers of an order: head, turn, place, more.
const ORDER_SIZE: usize = 16;

/// What an order does; the numbers stand in `shaders.wgsl` too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Ball = 0,
    Cuboid = 1,
    Ellipsoid = 2,
    Cylinder = 3,
    Cone = 4,
    Capsule = 5,
    Torus = 6,
    RoundCone = 7,
    HalfSpace = 8,
    Lattice = 9,
    Least = 10,
    Most = 11,
    Without = 12,
    Blend = 13,
    Mix = 14,
}

/// Distances on a lattice.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Nodes along x, y and z.
    pub counts: [u32; 3],
    /// First and last node [m].
    pub corners: [[f32; 3]; 2],
    /// Distances [m], x running fastest, in half precision.
    pub distances: Vec<u16>,
}

/// A shape that is traced.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracing {
    /// Numbers of the orders, `ORDER_SIZE` each.
    pub orders: Vec<f32>,
    /// Distances of what has no formula.
    pub lattice: Option<Lattice>,
    /// A box around all of it, a little wider [m].
    pub corners: [[f32; 3]; 2],
}

impl Tracing {
    /// A shape at a time; `room` bounds those without end.
    pub fn of(shape: &Shape, time: f64, room: &Aabb) -> Self {
        let bounds = shape.bounds().unwrap_or(*room);
        // A ray that starts on the box must start outside the shape.
        let bounds = bounds.inflate(0.01 * (bounds.max - bounds.min).norm() + 1e-4);
        let corners = [bounds.min, bounds.max].map(|corner| corner.cast::<f32>().into());
        let mut writer = Writer { time, ..Writer::default() };
        let is_short = writer.write(shape, &Frame::default()).is_some() && writer.lattices.len() <= 1;
        if is_short && writer.orders.len() <= MOST_ORDERS * ORDER_SIZE {
            let lattice = writer.lattices.pop().map(|(shape, bounds)| Lattice::of(&shape, &bounds));
            return Self { orders: writer.orders, lattice, corners };
        }
        let mut whole = Writer::default();
        whole.push(Verb::Lattice, &Frame::default(), [0.0; 3], [0.0; 4]);
        Self { orders: whole.orders, lattice: Some(Lattice::of(&shape.at(time), &bounds)), corners }
    }

    /// How many orders there are.
    pub fn count(&self) -> usize {
        self.orders.len() / ORDER_SIZE
    }
}

impl Lattice {
    fn of(shape: &Shape, bounds: &Aabb) -> Self {
        let size = bounds.max - bounds.min;
        let spacing = (size.max() / (NODES - 5) as f64).max(1e-9);
        let counts = [0, 1, 2].map(|axis| (size[axis] / spacing).ceil() as u32 + 4);
        let low = bounds.min - Vec3::repeat(1.5 * spacing);
        let [nx, ny, nz] = counts;
        let node = |i: u32| {
            let cell = Vec3::new(f64::from(i % nx), f64::from(i / nx % ny), f64::from(i / (nx * ny)));
            half(shape.distance(&(low + cell * spacing)) as f32)
        };
        let high = low + Vec3::new(f64::from(nx - 1), f64::from(ny - 1), f64::from(nz - 1)) * spacing;
        Self {
            counts,
            corners: [low, high].map(|corner| corner.cast::<f32>().into()),
            distances: (0..nx * ny * nz).into_par_iter().map(node).collect(),
        }
    }
}

/// A number in half precision: one sign, five exponent and ten fraction bits, rounded towards zero.
fn half(number: f32) -> u16 {
    let bits = number.clamp(-6e4, 6e4).to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = (bits >> 23 & 0xff) as i32 - 112;
    if exponent <= 0 { sign } else { sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16 }
}

/// From the coordinates of the whole to those of a part: turned back, moved, scaled.
#[derive(Clone, Copy)]
struct Frame {
    whole_from_part: UnitQuaternion<f64>,
    origin: Vec3,
    scale: f64,
}

impl Default for Frame {
    fn default() -> Self {
        Self { whole_from_part: UnitQuaternion::identity(), origin: Vec3::zeros(), scale: 1.0 }
    }
}

#[derive(Default)]
struct Writer {
    orders: Vec<f32>,
    lattices: Vec<(Shape, Aabb)>,
    time: f64,
    waiting: usize,
}

impl Writer {
    fn push(&mut self, verb: Verb, frame: &Frame, head: [f64; 3], more: [f64; 4]) {
        let part_from_whole = frame.whole_from_part.inverse();
        let turn = part_from_whole.coords;
        let place = frame.origin;
        self.orders.push(f32::from(verb as u8));
        self.orders.extend(head.map(|x| x as f32));
        self.orders.extend([turn.x, turn.y, turn.z, turn.w].map(|x| x as f32));
        self.orders.extend([place.x, place.y, place.z, frame.scale].map(|x| x as f32));
        self.orders.extend(more.map(|x| x as f32));
    }

    /// Pushes a body.
    fn body(&mut self, verb: Verb, frame: &Frame, head: [f64; 3], more: [f64; 4]) -> Option<()> {
        self.push(verb, frame, head, more);
        self.waiting += 1;
        (self.waiting <= DEEPEST).then_some(())
    }

    /// Joins the last two distances.
    fn join(&mut self, verb: Verb, number: f64) {
        self.push(verb, &Frame::default(), [number, 0.0, 0.0], [0.0; 4]);
        self.waiting -= 1;
    }

    fn all(&mut self, shapes: &[Shape], frame: &Frame, verb: Verb, number: f64) -> Option<()> {
        let (first, rest) = shapes.split_first()?;
        self.write(first, frame)?;
        for shape in rest {
            self.write(shape, frame)?;
            self.join(verb, number);
        }
        Some(())
    }

    /// Writes a shape; none if it is too deep.
    fn write(&mut self, shape: &Shape, frame: &Frame) -> Option<()> {
        let none = [0.0; 4];
        match shape {
            Shape::Ball { radius } => self.body(Verb::Ball, frame, [*radius, 0.0, 0.0], none),
            Shape::Cuboid { half_extents } => self.body(Verb::Cuboid, frame, (*half_extents).into(), none),
            Shape::Ellipsoid { radii } => self.body(Verb::Ellipsoid, frame, (*radii).into(), none),
            Shape::Cylinder { radius, half_height } => {
                self.body(Verb::Cylinder, frame, [*radius, *half_height, 0.0], none)
            }
            Shape::Cone { bottom_radius, top_radius, half_height } => {
                self.body(Verb::Cone, frame, [*bottom_radius, *top_radius, *half_height], none)
            }
            Shape::Capsule { radius, half_height } => {
                self.body(Verb::Capsule, frame, [*radius, *half_height, 0.0], none)
            }
            Shape::Torus { major_radius, minor_radius } => {
                self.body(Verb::Torus, frame, [*major_radius, *minor_radius, 0.0], none)
            }
            Shape::RoundCone { ends, radii } => self.limb(frame, ends, radii),
            Shape::HalfSpace { normal, offset } => {
                self.body(Verb::HalfSpace, frame, (*normal).into(), [*offset, 0.0, 0.0, 0.0])
            }
            Shape::Union(shapes) => self.all(shapes, frame, Verb::Least, 0.0),
            Shape::Intersection(shapes) => self.all(shapes, frame, Verb::Most, 0.0),
            Shape::SmoothUnion { shapes, blend } => {
                self.all(shapes, frame, Verb::Blend, (blend * frame.scale).max(1e-9))
            }
            Shape::Difference { base, cuts } => {
                self.write(base, frame)?;
                for cut in cuts {
                    self.write(cut, frame)?;
                    self.join(Verb::Without, 0.0);
                }
                Some(())
            }
            Shape::Morph { keys, .. } => self.between(keys, frame),
            Shape::Placed { shape, placement } => {
                let inner = Frame {
                    whole_from_part: frame.whole_from_part * placement.rotation,
                    origin: frame.origin + frame.whole_from_part * (placement.translation * frame.scale),
                    scale: frame.scale * placement.scale,
                };
                self.write(shape, &inner)
            }
            other => {
                let bounds = other.bounds()?;
                let wide = bounds.inflate(0.02 * (bounds.max - bounds.min).norm());
                self.lattices.push((other.clone(), wide));
                self.body(Verb::Lattice, frame, [0.0; 3], none)
            }
        }
    }

    /// A round cone stands on its first ball, along y.
    fn limb(&mut self, frame: &Frame, ends: &[Vec3; 2], radii: &[f64; 2]) -> Option<()> {
        let axis = ends[1] - ends[0];
        let upright = UnitQuaternion::rotation_between(&Vector3::y(), &axis)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
        let standing = Frame {
            whole_from_part: frame.whole_from_part * upright,
            origin: frame.origin + frame.whole_from_part * (ends[0] * frame.scale),
            scale: frame.scale,
        };
        self.body(Verb::RoundCone, &standing, [radii[0], radii[1], axis.norm()], [0.0; 4])
    }

    /// A shape on its way from key to key is a mix of the two distances.
    fn between(&mut self, keys: &[pliant_geometry::shape::Key], frame: &Frame) -> Option<()> {
        let after = keys.partition_point(|key| key.time <= self.time);
        let (from, to) = (&keys[after.max(1) - 1], &keys[after.min(keys.len() - 1)]);
        self.write(&from.shape, frame)?;
        if to.time > from.time {
            self.write(&to.shape, frame)?;
            self.join(Verb::Mix, ((self.time - from.time) / (to.time - from.time)).clamp(0.0, 1.0));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Lattice, ORDER_SIZE, Shape, Tracing, Vec3, half};
    use pliant_geometry::Aabb;

    fn room() -> Aabb {
        Aabb::around(Vec3::zeros(), Vec3::repeat(5.0))
    }

    #[test]
    fn a_body_is_one_order_and_its_box_is_wider_than_it() {
        let traced = Tracing::of(&Shape::ball(0.5).unwrap(), 0.0, &room());
        assert_eq!((traced.count(), traced.lattice), (1, None));
        assert!(traced.corners[1][0] > 0.5 && traced.corners[1][0] < 0.53);
    }

    #[test]
    fn combinations_come_after_what_they_join() {
        let ball = Shape::ball(0.5).unwrap();
        let shape = Shape::Difference { base: Box::new(ball.clone()), cuts: vec![ball.clone(), ball] };
        let orders = Tracing::of(&shape, 0.0, &room()).orders;
        let verbs: Vec<f32> = orders.iter().step_by(ORDER_SIZE).copied().collect();
        assert_eq!(verbs, [0.0, 0.0, 12.0, 0.0, 12.0]);
    }

    #[test]
    fn what_is_too_long_becomes_a_lattice() {
        let many = Shape::Union((0..60).map(|_| Shape::ball(0.5).unwrap()).collect());
        let traced = Tracing::of(&many, 0.0, &room());
        assert_eq!(traced.count(), 1);
        let Lattice { counts, distances, .. } = traced.lattice.unwrap();
        assert_eq!(distances.len() as u32, counts.iter().product::<u32>());
    }

    #[test]
    fn half_numbers_are_what_the_device_reads() {
        assert_eq!(half(1.0), 0x3c00);
        assert_eq!(half(-2.0), 0xc000);
        assert_eq!(half(0.5), 0x3800);
        assert_eq!(half(1e-9), 0);
        assert_eq!(half(1e9), half(6e4));
    }
}
