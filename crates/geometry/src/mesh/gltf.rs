//! glTF 2 and GLB: the triangles of the default scene, each node at its place. Materials and motion are skipped.

mod buffers;
mod document;

use super::text::finite;
use super::{Fault, Place, TriangleMesh};
use buffers::Buffers;
use document::{Document, Node, Primitive};
use nalgebra::{Matrix4, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::path::Path;

const HINT: &str = "export it again as glTF 2.0, with triangles and without compression";
const TRIANGLES: u32 = 4;

pub(super) fn read(bytes: &[u8], path: &Path, allowed_folder: &Path) -> Result<TriangleMesh, Fault> {
    let (document, blob) = parse(bytes)?;
    if let Some(extension) = document.extensions_required.first() {
        return Err(whole(format!("needs the extension {extension}, which is not supported")));
    }
    let buffers = Buffers::load(&document, blob, path, allowed_folder)?;
    let mut mesh = TriangleMesh::default();
    let mut seen = vec![false; document.nodes.len()];
    let mut open: Vec<(usize, Matrix4<f64>)> =
        document.roots().into_iter().map(|node| (node, Matrix4::identity())).collect();
    while let Some((number, parent)) = open.pop() {
        let node = entry(&document.nodes, number, "node")?;
        if std::mem::replace(&mut seen[number], true) {
            return Err(whole(format!("node {number} hangs on two branches or on itself")));
        }
        let place = parent * transform(node);
        open.extend(node.children.iter().map(|child| (*child, place)));
        if let Some(number) = node.mesh {
            for primitive in &entry(&document.meshes, number, "mesh")?.primitives {
                push_primitive(primitive, &document, &buffers, &place, &mut mesh)?;
            }
        }
    }
    Ok(mesh)
}

fn parse(bytes: &[u8]) -> Result<(Document, Option<&[u8]>), Fault> {
    let (json, blob) = buffers::split_container(bytes)?;
    let document = serde_json::from_slice(json)
        .map_err(|error| Fault::new(Place::Cell(error.line(), error.column()), error.to_string(), HINT))?;
    Ok((document, blob))
}

/// The files that hold the buffers of a glTF or GLB file, relative to it.
pub(super) fn external_files(bytes: &[u8]) -> Result<Vec<String>, Fault> {
    Ok(buffers::external_files(&parse(bytes)?.0))
}

fn whole(problem: impl Into<String>) -> Fault {
    Fault::new(Place::File, problem, HINT)
}

fn entry<'a, T>(list: &'a [T], number: usize, what: &str) -> Result<&'a T, Fault> {
    list.get(number).ok_or_else(|| whole(format!("{what} {number} is used but only {} exist", list.len())))
}

fn transform(node: &Node) -> Matrix4<f64> {
    if let Some(columns) = node.matrix {
        return Matrix4::from_column_slice(&columns);
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
    let scale = Vector3::from(node.scale.unwrap_or([1.0; 3]));
    let translation = Translation3::from(Vector3::from(node.translation.unwrap_or([0.0; 3])));
    translation.to_homogeneous() * rotation.to_homogeneous() * Matrix4::new_nonuniform_scaling(&scale)
}

/// Adds the triangles of a primitive; points and lines have none.
fn push_primitive(
    primitive: &Primitive,
    document: &Document,
    buffers: &Buffers,
    place: &Matrix4<f64>,
    mesh: &mut TriangleMesh,
) -> Result<(), Fault> {
    match primitive.mode.unwrap_or(TRIANGLES) {
        TRIANGLES => {}
        0..TRIANGLES => return Ok(()),
        mode => return Err(whole(format!("triangle strips and fans (mode {mode}) are not supported"))),
    }
    let Some(positions) = primitive.attributes.position else { return Ok(()) };
    let first = mesh.vertices.len();
    for corner in buffers.vectors(document, positions)? {
        let moved = place.transform_point(&corner.into()).coords;
        for coordinate in &moved {
            finite(*coordinate, Place::File)?;
        }
        mesh.vertices.push(moved);
    }
    let count = mesh.vertices.len() - first;
    let indices = match primitive.indices {
        Some(accessor) => buffers.indices(document, accessor)?,
        None => (0..count).map(|index| index as u32).collect(),
    };
    push_triangles(&indices, first, count, place.determinant() < 0.0, mesh)
}

/// A mirroring node turns triangles over; they are turned back.
fn push_triangles(
    indices: &[u32],
    first: usize,
    count: usize,
    mirrored: bool,
    mesh: &mut TriangleMesh,
) -> Result<(), Fault> {
    for corners in indices.chunks_exact(3) {
        let mut triangle = [0; 3];
        for (corner, index) in triangle.iter_mut().zip(corners) {
            if *index as usize >= count {
                return Err(whole(format!("a triangle uses vertex {index} of {count}")));
            }
            *corner = u32::try_from(first + *index as usize).map_err(|_| whole("more than 2^32 vertices"))?;
        }
        if mirrored {
            triangle.swap(1, 2);
        }
        mesh.triangles.push(triangle);
    }
    Ok(())
}
