//! Wavefront OBJ: vertices and polygons; everything else is skipped.

use super::text::{clip, lines, number};
use super::{Fault, Place, TriangleMesh};
use pliant_math::Vec3;

const INDEX_HINT: &str = "indices count from 1, or from -1 backwards; export the file again";

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let mut mesh = TriangleMesh::default();
    let mut corners = Vec::new();
    let mut largest = (0, 0); // vertices may follow the faces that use them: checked at the end, by line
    for (line, text) in lines(bytes) {
        let place = Place::Line(line);
        let mut words = text.split_whitespace();
        match words.next() {
            Some("v") => {
                let (x, y, z) = (
                    number(words.next(), place)?,
                    number(words.next(), place)?,
                    number(words.next(), place)?,
                );
                mesh.vertices.push(Vec3::new(x, y, z));
            }
            Some("f") => {
                corners.clear();
                for word in words {
                    let corner = corner(word, mesh.vertices.len(), place)?;
                    largest = largest.max((corner, line));
                    corners.push(corner);
                }
                if corners.len() < 3 {
                    let problem = format!("a face has {} corners", corners.len());
                    return Err(Fault::new(place, problem, "a face needs at least three"));
                }
                mesh.push_polygon(&corners);
            }
            _ => {}
        }
    }
    let (corner, line) = largest;
    if !mesh.triangles.is_empty() && corner as usize >= mesh.vertices.len() {
        let problem = format!("face index {} but the file has {} vertices", corner + 1, mesh.vertices.len());
        return Err(Fault::new(Place::Line(line), problem, INDEX_HINT));
    }
    Ok(mesh)
}

/// The vertex number, from zero, of a corner such as `3`, `3/1/2` or `-1`.
fn corner(word: &str, vertex_count: usize, place: Place) -> Result<u32, Fault> {
    let refuse = || Fault::new(place, format!("\"{}\" is not a vertex index", clip(word)), INDEX_HINT);
    let index: i64 = word.split('/').next().unwrap_or("").parse().map_err(|_| refuse())?;
    let from_zero = match index {
        1.. => index - 1,
        0 => return Err(refuse()),
        _ => i64::try_from(vertex_count).map_err(|_| refuse())?.saturating_add(index),
    };
    u32::try_from(from_zero).ok().filter(|index| *index < u32::MAX).ok_or_else(refuse)
}
