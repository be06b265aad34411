//! PLY, as text or binary of either byte order: vertices and faces, other elements are skipped.

mod header;
mod values;

use super::text::finite;
use super::{Fault, Place, TriangleMesh};
use header::{Element, Header, Property};
use pliant_math::Vec3;
use values::Values;

const INDEX_HINT: &str = "vertex numbers count from 0; export the file again";

pub(crate) fn read(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let header = Header::read(bytes)?;
    let mut values = Values::new(bytes, &header);
    let mut mesh = TriangleMesh::default();
    for element in &header.elements {
        values.check_room(element)?;
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut values, &mut mesh)?,
            "face" => read_faces(element, &mut values, &mut mesh)?,
            _ => skip(element, &mut values)?,
        }
    }
    let count = mesh.vertices.len();
    match mesh.triangles.iter().flatten().find(|corner| **corner as usize >= count) {
        Some(corner) => {
            let problem = format!("a face uses vertex {corner} but the file has {count}");
            Err(Fault::new(Place::File, problem, INDEX_HINT))
        }
        None => Ok(mesh),
    }
}

fn read_vertices(element: &Element, values: &mut Values, mesh: &mut TriangleMesh) -> Result<(), Fault> {
    let axes = [element.scalar("x")?, element.scalar("y")?, element.scalar("z")?];
    for _ in 0..element.count {
        let mut vertex = Vec3::zeros();
        for (number, property) in element.properties.iter().enumerate() {
            match property {
                Property::Scalar { kind, .. } => {
                    let (place, value) = (values.place(), values.scalar(*kind)?);
                    if let Some(axis) = axes.iter().position(|axis| *axis == number) {
                        vertex[axis] = finite(value, place)?;
                    }
                }
                Property::List { count, kind, .. } => drop(values.list(*count, *kind)?),
            }
        }
        mesh.vertices.push(vertex);
    }
    Ok(())
}

fn read_faces(element: &Element, values: &mut Values, mesh: &mut TriangleMesh) -> Result<(), Fault> {
    for _ in 0..element.count {
        for property in &element.properties {
            let place = values.place();
            match property {
                Property::Scalar { kind, .. } => drop(values.scalar(*kind)?),
                Property::List { name, count, kind } => {
                    let list = values.list(*count, *kind)?;
                    if name == "vertex_indices" || name == "vertex_index" {
                        push_face(&list, place, mesh)?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn push_face(list: &[f64], place: Place, mesh: &mut TriangleMesh) -> Result<(), Fault> {
    let mut corners = Vec::with_capacity(list.len());
    for value in list {
        if !(value.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(value)) {
            return Err(Fault::new(place, format!("{value} is not a vertex number"), INDEX_HINT));
        }
        corners.push(*value as u32);
    }
    mesh.push_polygon(&corners);
    Ok(())
}

fn skip(element: &Element, values: &mut Values) -> Result<(), Fault> {
    for _ in 0..element.count {
        for property in &element.properties {
            match property {
                Property::Scalar { kind, .. } => drop(values.scalar(*kind)?),
                Property::List { count, kind, .. } => drop(values.list(*count, *kind)?),
            }
        }
    }
    Ok(())
}
