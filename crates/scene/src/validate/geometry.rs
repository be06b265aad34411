//! Shapes and placements.

use nalgebra::{Unit, UnitQuaternion};
use pliant_geometry::shape::Key;
use pliant_geometry::{Aabb, GeometryError, Placement, Shape};
use pliant_math::Vec3;

use super::Context;
use crate::error::Fault;
use crate::file::quantity::{Angle, Any, LARGEST_LENGTH, Length, Number, Positive};
use crate::file::shape::{KeyShapeFile, PartsFile, PlacedFile, ShapeFile};
use crate::file::value::{At, Value};
use crate::file::vector::{Form, RotationFile, Vector};
use crate::source::Span;

/// Parts one shape may have in all, nested ones included.
const MAX_PARTS: usize = 10_000;
/// How far a box of a plane scene reaches out of the plane, in sizes: far enough that its nearest face is
/// always one of those in the plane.
const PLANE_DEPTH: f64 = 1e3;

impl Context<'_> {
    /// Where something stands.
    pub(crate) fn placement(
        &self,
        position: Option<&Vector<Length>>,
        rotation: Option<&RotationFile>,
        scale: Option<&Value<Number, Positive>>,
    ) -> Result<Placement, Fault> {
        Ok(Placement {
            translation: self.offset(position)?,
            rotation: rotation.map_or(Ok(UnitQuaternion::identity()), |rotation| self.rotation(rotation))?,
            scale: scale.map_or(Ok(1.0), Value::get)?,
        })
    }

    /// A rotation; only about z in the plane.
    pub(crate) fn rotation(&self, file: &RotationFile) -> Result<UnitQuaternion<f64>, Fault> {
        let span = &file.0.span;
        let rotation = match &file.0.value {
            Form::One(raw) => {
                let angle = Value::<Angle, Any>::new(raw.clone(), span.clone());
                UnitQuaternion::from_axis_angle(&Vec3::z_axis(), angle.get()?)
            }
            Form::List(items) => {
                let angles: Vec<f64> = items.iter().map(Value::get).collect::<Result<_, Fault>>()?;
                let [x, y, z] = angles[..] else {
                    let message = format!("expected 3 angles, got {}", angles.len());
                    return Err(Fault::new(span.clone(), message).help("about x, y and z, in degrees"));
                };
                UnitQuaternion::from_euler_angles(x, y, z)
            }
            Form::Table(file) => {
                let space = Context { dimension: 3, ..*self };
                let axis = Unit::new_unchecked(space.direction(&file.axis)?);
                UnitQuaternion::from_axis_angle(&axis, file.angle.get()?)
            }
        };
        if self.dimension == 2 && rotation.i.hypot(rotation.j) > 1e-12 {
            return Err(Fault::new(span.clone(), "a scene of dimension 2 turns about z only"));
        }
        Ok(rotation)
    }

    /// A shape in its place.
    pub(crate) fn placed(&self, file: &PlacedFile) -> Result<Shape, Fault> {
        let placement =
            self.placement(file.position.as_ref(), file.rotation.as_ref(), file.scale.as_ref())?;
        let shape = self.shape(&file.shape)?.placed(placement);
        self.check_reach(shape.bounds(), &file.shape.span)?;
        Ok(shape)
    }

    /// Refuses what lies further out than lengths go.
    pub(crate) fn check_reach(&self, bounds: Option<Aabb>, span: &Span) -> Result<(), Fault> {
        let corners = bounds.map(|bounds| [bounds.min, bounds.max]).unwrap_or_default();
        let coordinates = corners.iter().flat_map(|corner| corner.iter().take(self.dimension));
        let reach = coordinates.fold(0.0_f64, |reach, coordinate| reach.max(coordinate.abs()));
        if reach <= LARGEST_LENGTH {
            return Ok(());
        }
        let message = format!("reaches {reach:.3e} m from the origin, at most {LARGEST_LENGTH:e} m");
        Err(Fault::new(span.clone(), message).help("move it closer or make it smaller"))
    }

    /// A shape about its own origin.
    pub(crate) fn shape(&self, entry: &At<ShapeFile>) -> Result<Shape, Fault> {
        let wrong = |error: GeometryError| Fault::new(entry.span.clone(), error.to_string());
        match &entry.value {
            ShapeFile::Box(file) => {
                let size = self.vector(&file.size, 0.0)?;
                let depth = if self.dimension == 2 { PLANE_DEPTH * size.max() } else { size.z };
                Shape::cuboid(Vec3::new(size.x, size.y, depth) / 2.0)
            }
            ShapeFile::Ball(file) => Shape::ball(file.radius.get()?),
            ShapeFile::Ellipsoid(file) => {
                let radii = self.vector(&file.radii, 0.0)?;
                let depth = if self.dimension == 2 { radii.max() } else { radii.z };
                Shape::ellipsoid(Vec3::new(radii.x, radii.y, depth))
            }
            ShapeFile::Cylinder(file) => Shape::cylinder(file.radius.get()?, file.height.get()? / 2.0),
            ShapeFile::Cone(file) => {
                let (bottom, top) = (file.radius.get()?, file.top_radius.get()?);
                Shape::truncated_cone(bottom, top, file.height.get()? / 2.0)
            }
            ShapeFile::Capsule(file) => Shape::capsule(file.radius.get()?, file.height.get()? / 2.0),
            ShapeFile::Torus(file) => Shape::torus(file.radius.get()?, file.tube_radius.get()?),
            ShapeFile::HalfSpace(file) => Shape::half_space(self.direction(&file.normal)?, Vec3::zeros()),
            ShapeFile::Union(file) => Shape::union(self.parts(file)?),
            ShapeFile::Intersection(file) => Shape::intersection(self.parts(file)?),
            ShapeFile::Difference(file) => {
                let mut parts = self.parts(file)?.into_iter();
                let base =
                    parts.next().ok_or(GeometryError::NoShapes { what: "a difference" }).map_err(wrong)?;
                Shape::difference(base, parts.collect())
            }
            ShapeFile::SmoothUnion(file) => {
                let parts = PartsFile { shapes: file.shapes.clone() };
                Shape::smooth_union(self.parts(&parts)?, file.blend.get()?)
            }
            ShapeFile::Morph(keys) => {
                Shape::morph(keys.iter().map(|key| self.key_shape(key)).collect::<Result<_, Fault>>()?)
            }
            ShapeFile::Heightfield(file) => return self.heightfield(file),
            ShapeFile::Mesh(file) => return self.mesh(file),
            ShapeFile::Image(file) => return self.image(file),
            ShapeFile::Model(file) => return self.model(file),
        }
        .map_err(wrong)
    }

    fn key_shape(&self, file: &KeyShapeFile) -> Result<Key, Fault> {
        if matches!(file.shape.value, ShapeFile::Morph(_)) {
            return Err(Fault::new(file.shape.span.clone(), "a key shape does not change itself"));
        }
        let placement =
            self.placement(file.position.as_ref(), file.rotation.as_ref(), file.scale.as_ref())?;
        Ok(Key { time: file.time.get()?, shape: self.shape(&file.shape)?.placed(placement) })
    }

    fn parts(&self, file: &PartsFile) -> Result<Vec<Shape>, Fault> {
        if file.shapes.value.len() > MAX_PARTS {
            let message = format!("{} parts, at most {MAX_PARTS} are allowed", file.shapes.value.len());
            return Err(Fault::new(file.shapes.span.clone(), message));
        }
        file.shapes.value.iter().map(|part| self.placed(part)).collect()
    }
}
