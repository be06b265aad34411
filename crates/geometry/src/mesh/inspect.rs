//! Checking a mesh: welding, dropping degenerate triangles, counting edges, turning it right side out.

use super::{Fault, Place, TriangleMesh, crossings};
use std::fmt;

/// What was found in a mesh, and what was done about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshReport {
    /// Vertices that are left.
    pub vertex_count: usize,
    /// Triangles that are left.
    pub triangle_count: usize,
    /// Vertices that were merged with an equal one.
    pub welded_vertex_count: usize,
    /// Triangles without area that were dropped.
    pub dropped_triangle_count: usize,
    /// Edges with a triangle on one side only: the rims of holes.
    pub boundary_edge_count: usize,
    /// Edges with more than two triangles.
    pub non_manifold_edge_count: usize,
    /// Edges whose two triangles disagree about which side is outside.
    pub inconsistent_edge_count: usize,
    /// Pairs of triangles that cut through each other.
    pub crossing_count: usize,
    /// The mesh was inside out and was turned.
    pub was_inside_out: bool,
    /// The enclosed volume after that `[m³]`.
    pub volume: f64,
}

impl MeshReport {
    /// Whether the surface has no hole, branch or twist and does not cut through itself: the inside is beyond doubt.
    pub fn is_watertight(&self) -> bool {
        self.boundary_edge_count == 0
            && self.non_manifold_edge_count == 0
            && self.inconsistent_edge_count == 0
            && self.crossing_count == 0
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} vertices, {} triangles", self.vertex_count, self.triangle_count)?;
        let mut note =
            |count: usize, text: &str| if count > 0 { write!(f, ", {count} {text}") } else { Ok(()) };
        note(self.welded_vertex_count, "duplicate vertices welded")?;
        note(self.dropped_triangle_count, "degenerate triangles dropped")?;
        note(self.boundary_edge_count, "boundary edges")?;
        note(self.non_manifold_edge_count, "non-manifold edges")?;
        note(self.inconsistent_edge_count, "edges between triangles that face opposite sides")?;
        note(self.crossing_count, "pairs of triangles that cut through each other")?;
        if self.was_inside_out {
            write!(f, ", was inside out and was turned")?;
        }
        if self.is_watertight() {
            write!(f, ", watertight")
        } else {
            write!(f, ", not watertight: inside is where the winding number is above one half")
        }
    }
}

pub(super) fn inspect(mut mesh: TriangleMesh) -> Result<(TriangleMesh, MeshReport), Fault> {
    let mut report = MeshReport { welded_vertex_count: weld(&mut mesh), ..MeshReport::default() };
    let before = mesh.triangles.len();
    drop_degenerate(&mut mesh);
    report.dropped_triangle_count = before - mesh.triangles.len();
    if mesh.triangles.is_empty() {
        let problem = format!("no triangles are left of {before}");
        return Err(Fault::new(Place::File, problem, "give a mesh with a surface"));
    }
    count_edges(&mesh, &mut report);
    report.crossing_count = crossings::count(&mesh);
    turn_outside_out(&mut mesh, &mut report)?;
    report.vertex_count = mesh.vertices.len();
    report.triangle_count = mesh.triangles.len();
    Ok((mesh, report))
}

/// Merges vertices with equal coordinates and forgets unused ones; returns how many were merged.
fn weld(mesh: &mut TriangleMesh) -> usize {
    let key = |vertex: &u32| {
        // Adding zero makes -0 and 0 equal.
        mesh.vertices[*vertex as usize].map(|coordinate| coordinate + 0.0)
    };
    let mut order: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
    order.sort_unstable();
    order.dedup();
    let used = order.len();
    order.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
    });
    let mut renamed = vec![0; mesh.vertices.len()];
    let mut kept = Vec::new();
    for vertex in order {
        let position = key(&vertex);
        if kept.last() != Some(&position) {
            kept.push(position);
        }
        renamed[vertex as usize] = (kept.len() - 1) as u32;
    }
    for corner in mesh.triangles.iter_mut().flatten() {
        *corner = renamed[*corner as usize];
    }
    mesh.vertices = kept;
    used - mesh.vertices.len()
}

fn drop_degenerate(mesh: &mut TriangleMesh) {
    let triangles = std::mem::take(&mut mesh.triangles);
    let has_area = |triangle: &[u32; 3]| {
        let [a, b, c] = mesh.corners(triangle);
        let longest = (b - a).norm_squared().max((c - a).norm_squared());
        (b - a).cross(&(c - a)).norm() > 1e-14 * longest
    };
    mesh.triangles = triangles.into_iter().filter(has_area).collect();
}

fn count_edges(mesh: &TriangleMesh, report: &mut MeshReport) {
    let mut edges = Vec::with_capacity(3 * mesh.triangles.len());
    for triangle in &mesh.triangles {
        for corner in 0..3 {
            let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
            edges.push((from.min(to), from.max(to), from < to));
        }
    }
    edges.sort_unstable();
    for group in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        match group {
            [_] => report.boundary_edge_count += 1,
            [a, b] if a.2 == b.2 => report.inconsistent_edge_count += 1,
            [_, _] => {}
            _ => report.non_manifold_edge_count += 1,
        }
    }
}

fn turn_outside_out(mesh: &mut TriangleMesh, report: &mut MeshReport) -> Result<(), Fault> {
    let diagonal = mesh.bounds().map_or(0.0, |bounds| bounds.size().norm());
    let volume = mesh.signed_volume();
    if volume.abs() <= 1e-9 * diagonal.powi(3) {
        let problem =
            format!("the mesh encloses no volume ({volume:.3e} m³ in a box of diagonal {diagonal:.3} m)");
        return Err(Fault::new(Place::File, problem, "give it thickness, or close it"));
    }
    report.was_inside_out = volume < 0.0;
    report.volume = volume.abs();
    if report.was_inside_out {
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    Ok(())
}
