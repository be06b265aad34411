//! Shapes and points that come from files, data or are built in.

use std::sync::Arc;

use pliant_geometry::mesh::TriangleMesh;
use pliant_geometry::shape::{Filter, Heightfield, ImageOptions, ImageShape, Inside, Sweep};
use pliant_geometry::{Placement, Shape, mesh, models, points};
use pliant_math::Vec3;

use super::Context;
use crate::error::{Fault, suggestion};
use crate::file::quantity::LARGEST_LENGTH;
use crate::file::shape::{HeightfieldFile, ImageFile, MeshFile, ModelFile, SolidFile, SweepFile};
use crate::file::value::At;

impl Context<'_> {
    /// A solid from a mesh file; what is doubtful about it becomes a warning.
    pub(super) fn mesh(&self, file: &MeshFile) -> Result<Shape, Fault> {
        let At { value: name, span } = &file.path;
        let path = self.assets.path(name, span)?;
        let (mesh, report) = mesh::load(&path, &self.assets.root)
            .map_err(|error| Fault::new(span.clone(), error.to_string()))?;
        self.check_reach(mesh.bounds(), span)?;
        if !report.is_watertight() || report.was_inside_out {
            self.warnings.borrow_mut().push(format!("mesh {name}: {report}"));
        }
        Shape::mesh(mesh, &report).map_err(|error| Fault::new(span.clone(), error.to_string()))
    }

    /// A mesh that only follows: it need not be closed.
    pub(super) fn skin_mesh(&self, file: &At<String>) -> Result<TriangleMesh, Fault> {
        let path = self.assets.path(&file.value, &file.span)?;
        mesh::load_surface(&path, &self.assets.root)
            .map_err(|error| Fault::new(file.span.clone(), error.to_string()))
    }

    /// A solid from a picture.
    pub(super) fn image(&self, file: &ImageFile) -> Result<Shape, Fault> {
        let path = self.assets.path(&file.path.value, &file.path.span)?;
        let half_thickness = file.depth.get()? / 2.0;
        let options = ImageOptions {
            width: file.width.get()?,
            threshold: file.threshold.get()?,
            inside: match file.solid {
                SolidFile::Dark => Inside::Dark,
                SolidFile::Bright => Inside::Bright,
            },
            filter: Filter::Bilinear,
            sweep: match file.sweep {
                SweepFile::Extruded => Sweep::Extruded { half_thickness },
                SweepFile::Revolved => Sweep::Revolved,
            },
        };
        match ImageShape::load(&path, &options) {
            Ok(image) => Ok(Shape::Image(Arc::new(image))),
            Err(error) => Err(Fault::new(file.path.span.clone(), error.to_string())),
        }
    }

    /// Ground from rows of heights.
    pub(super) fn heightfield(&self, file: &HeightfieldFile) -> Result<Shape, Fault> {
        let fault = |error: String| Fault::new(file.heights.span.clone(), error);
        let [x, z] = &file.size.items[..] else {
            let message = format!("expected 2 lengths, along x and z, got {}", file.size.items.len());
            return Err(Fault::new(file.size.span.clone(), message));
        };
        let unit = file.height_scale.get()?;
        let rows: Vec<Vec<f64>> =
            file.heights.value.iter().map(|row| row.iter().map(|height| height * unit).collect()).collect();
        let lowest = rows.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        if !lowest.is_finite() {
            return Err(fault("there are no heights".to_owned()));
        }
        if let Some(height) = rows.iter().flatten().find(|height| height.abs() > LARGEST_LENGTH) {
            return Err(fault(format!("a height of {height:.3e} m, at most {LARGEST_LENGTH:e} m")));
        }
        let bottom = lowest - file.thickness.get()?;
        let field = Heightfield::new(&rows, [x.get()?, z.get()?], bottom)
            .map_err(|error| fault(error.to_string()))?;
        Ok(Shape::Heightfield(Arc::new(field)))
    }

    /// A creature that comes with the program.
    pub(super) fn model(&self, file: &ModelFile) -> Result<Shape, Fault> {
        let scale = file.height.get()?;
        models::by_name(&file.name.value)
            .map(|shape| shape.placed(Placement { scale, ..Placement::identity() }))
            .ok_or_else(|| {
                Fault::new(file.name.span.clone(), format!("there is no model `{}`", file.name.value))
                    .help(suggestion(&file.name.value, models::names().iter().copied()))
            })
    }

    /// Positions from a CSV or PLY file [m].
    pub(super) fn points(&self, path: &At<String>) -> Result<Vec<Vec3>, Fault> {
        let fault = |message: String| Fault::new(path.span.clone(), message);
        let file = self.assets.path(&path.value, &path.span)?;
        let points = points::load(&file).map_err(|error| fault(error.to_string()))?;
        if let Some(index) = points.iter().position(|point| self.dimension == 2 && point.z != 0.0) {
            return Err(fault(format!(
                "point {} has z = {}, but the scene has dimension 2",
                index + 1,
                points[index].z
            )));
        }
        Ok(points)
    }
}
