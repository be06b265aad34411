//! Triangles of a mesh that cut through each other.

use super::TriangleMesh;
use crate::Aabb;
use pliant_math::Vec3;

/// Cells along the longest side of the box around a mesh, at most.
const MOST_CELLS: f64 = 256.0;
/// Rounding of places on an edge or in a triangle, in shares of them.
const RIM: f64 = 1e-9;

/// How many pairs of triangles that share no corner cut through each other.
pub(super) fn count(mesh: &TriangleMesh) -> usize {
    let boxes: Vec<Aabb> = mesh.triangles.iter().filter_map(|t| Aabb::of_points(&mesh.corners(t))).collect();
    let Some(bounds) = mesh.bounds() else { return 0 };
    let mean = boxes.iter().map(|b| b.size().max()).sum::<f64>() / boxes.len().max(1) as f64;
    let size = (2.0 * mean).max(bounds.size().max() / MOST_CELLS);
    let cell = |x: &Vec3| (x - bounds.min).map(|along| (along / size) as u32);
    let mut held: Vec<([u32; 3], u32)> = Vec::new();
    for (triangle, b) in (0u32..).zip(&boxes) {
        let (low, high) = (cell(&b.min), cell(&b.max));
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                held.extend((low.x..=high.x).map(|x| ([x, y, z], triangle)));
            }
        }
    }
    held.sort_unstable();
    let mut crossing = Vec::new();
    for group in held.chunk_by(|a, b| a.0 == b.0) {
        for (k, &(_, a)) in group.iter().enumerate() {
            for &(_, b) in &group[k + 1..] {
                let (s, t) = (&mesh.triangles[a as usize], &mesh.triangles[b as usize]);
                let apart = s.iter().all(|corner| !t.contains(corner));
                if apart && boxes[a as usize].intersect(&boxes[b as usize]).is_some() && cross(mesh, s, t) {
                    crossing.push((a, b));
                }
            }
        }
    }
    // A pair may meet in several cells.
    crossing.sort_unstable();
    crossing.dedup();
    crossing.len()
}

fn cross(mesh: &TriangleMesh, s: &[u32; 3], t: &[u32; 3]) -> bool {
    let (s, t) = (mesh.corners(s), mesh.corners(t));
    (0..3).any(|k| pierces(&s[k], &s[(k + 1) % 3], &t) || pierces(&t[k], &t[(k + 1) % 3], &s))
}

/// Whether the way between two points goes through a triangle, its rim included. Ways that only end at it touch.
fn pierces(from: &Vec3, to: &Vec3, [a, b, c]: &[Vec3; 3]) -> bool {
    let (way, ab, ac) = (to - from, b - a, c - a);
    let normal = ab.cross(&ac);
    let along = way.dot(&normal);
    if along.abs() <= 1e-12 * way.norm() * normal.norm() {
        return false;
    }
    let share = (a - from).dot(&normal) / along;
    let at = from + way * share - a;
    let square = normal.norm_squared();
    let (u, v) = (at.cross(&ac).dot(&normal) / square, ab.cross(&at).dot(&normal) / square);
    (RIM..=1.0 - RIM).contains(&share) && u >= -RIM && v >= -RIM && u + v <= 1.0 + RIM
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron of edges 1 along the axes, moved.
    fn corner(shift: Vec3, mesh: &mut TriangleMesh) {
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend([Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()].map(|v| v + shift));
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        mesh.triangles.extend(faces.map(|face: [u32; 3]| face.map(|k| k + first)));
    }

    #[test]
    fn parts_that_cut_through_each_other_are_found_and_parts_apart_are_not() {
        for (shift, crossing) in [(0.2, true), (0.9, false), (3.0, false)] {
            let mut mesh = TriangleMesh::default();
            corner(Vec3::zeros(), &mut mesh);
            corner(Vec3::repeat(shift), &mut mesh);
            assert_eq!(count(&mesh) > 0, crossing, "moved by {shift}");
        }
    }
}
