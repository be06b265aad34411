//! STL, as text or binary. A binary file may begin with "solid" too: its length tells.

use super::text::{finite, lines, number};
use super::{Fault, Place, TriangleMesh};
use pliant_math::Vec3;

const HEADER: usize = 84;
const RECORD: usize = 50;
const HINT: &str = "the file is cut off or not an STL file; export it again";

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let claimed = bytes.get(80..HEADER).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
    let needed = claimed.map(|count| HEADER as u64 + RECORD as u64 * u64::from(count));
    let fits = needed == Some(bytes.len() as u64);
    if !fits && bytes.trim_ascii_start().starts_with(b"solid") {
        return read_text(bytes);
    }
    match needed {
        Some(needed) if needed <= bytes.len() as u64 => read_binary(bytes),
        Some(needed) => {
            let count = claimed.unwrap_or(0);
            let problem = format!("{count} triangles need {needed} bytes, the file has {}", bytes.len());
            Err(Fault::new(Place::Byte(80), problem, HINT))
        }
        None => Err(Fault::new(Place::File, format!("{} bytes are no STL file", bytes.len()), HINT)),
    }
}

fn read_binary(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let count = u32::from_le_bytes([bytes[80], bytes[81], bytes[82], bytes[83]]) as usize;
    let mut mesh = TriangleMesh::default();
    for (record, chunk) in bytes[HEADER..].chunks_exact(RECORD).take(count).enumerate() {
        for corner in 0..3 {
            let start = 12 + 12 * corner; // after the normal
            let place = Place::Byte(HEADER + RECORD * record + start);
            let mut vertex = Vec3::zeros();
            for (axis, raw) in chunk[start..start + 12].chunks_exact(4).enumerate() {
                let value = f32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]);
                vertex[axis] = finite(f64::from(value), place)?;
            }
            mesh.vertices.push(vertex);
        }
    }
    chain_corners(&mut mesh)?;
    Ok(mesh)
}

fn read_text(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let mut mesh = TriangleMesh::default();
    let mut last = 1;
    for (line, text) in lines(bytes) {
        let place = Place::Line(line);
        let mut words = text.split_whitespace();
        match words.next() {
            Some("vertex") => {
                let (x, y, z) = (
                    number(words.next(), place)?,
                    number(words.next(), place)?,
                    number(words.next(), place)?,
                );
                mesh.vertices.push(Vec3::new(x, y, z));
            }
            Some("endloop") if mesh.vertices.len() % 3 != 0 => {
                return Err(Fault::new(place, "a facet does not have three vertices", HINT));
            }
            _ => {}
        }
        last = line;
    }
    if mesh.vertices.len() % 3 != 0 {
        return Err(Fault::new(Place::Line(last), "the last facet is incomplete", HINT));
    }
    chain_corners(&mut mesh)?;
    Ok(mesh)
}

/// Each three vertices are a triangle; equal ones are welded later.
fn chain_corners(mesh: &mut TriangleMesh) -> Result<(), Fault> {
    let count = u32::try_from(mesh.vertices.len())
        .map_err(|_| Fault::new(Place::File, "more than 2^32 corners", "decimate the mesh"))?;
    mesh.triangles = (0..count / 3).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect();
    Ok(())
}
