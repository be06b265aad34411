//! Meshes from files and as solids.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "common/mod.rs"]
mod common;
#[path = "common/meshes.rs"]
mod made;

use common::points_in_cube;
use made::{MAJOR, MINOR, flipped, torus};
use pliant_geometry::mesh::{self, MeshReport, TriangleMesh};
use pliant_geometry::{Sampler, Shape, sample};
use pliant_math::Vec3;

/// How far the flat triangles of the test torus lie inside the round one [m].
const FACETING: f64 = 4e-3;

fn write_and_load(name: &str, bytes: &[u8]) -> (TriangleMesh, MeshReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    mesh::load(&path, folder.path()).unwrap()
}

fn solid(mesh: TriangleMesh) -> Shape {
    let (mesh, report) = mesh::inspect(mesh, "test").unwrap();
    Shape::mesh(mesh, &report).unwrap()
}

/// Wrong signs among points that are not within the faceting of the surface.
fn wrong_signs(shape: &Shape, ignored: impl Fn(&Vec3) -> bool) -> usize {
    let exact = Shape::torus(MAJOR, MINOR).unwrap();
    let points = points_in_cube(20_000, 0.9, 17);
    let clear = points.iter().filter(|p| exact.distance(p).abs() > FACETING && !ignored(p));
    clear.filter(|p| exact.contains(p) != shape.contains(p)).count()
}

#[test]
fn every_format_gives_the_same_torus() {
    let torus = torus(48, 24);
    let files = [
        ("t.obj", made::obj(&torus)),
        ("t.stl", made::stl_text(&torus)),
        ("binary.STL", made::stl_binary(&torus)),
        ("t.ply", made::ply(&torus, "ascii")),
        ("little.ply", made::ply(&torus, "binary_little_endian")),
        ("big.ply", made::ply(&torus, "binary_big_endian")),
    ];
    let volume = torus.signed_volume();
    for (name, bytes) in files {
        let (mesh, report) = write_and_load(name, &bytes);
        assert_eq!((report.vertex_count, report.triangle_count), (48 * 24, 2 * 48 * 24), "{name}");
        assert!(report.is_watertight() && !report.was_inside_out, "{name}: {report}");
        assert!((mesh.signed_volume() / volume - 1.0).abs() < 1e-6, "{name}");
    }
}

#[test]
fn gltf_nodes_place_their_meshes() {
    let torus = torus(24, 12);
    let (mesh, report) = write_and_load("t.glb", &made::glb(&torus));
    assert!(report.is_watertight(), "{report}");
    assert!((mesh.signed_volume() / (8.0 * torus.signed_volume()) - 1.0).abs() < 1e-5);
    assert!((mesh.bounds().unwrap().center() - Vec3::y()).norm() < 1e-6);

    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("a b.bin"), made::gltf_buffer(&torus)).unwrap();
    std::fs::write(inner.join("t.gltf"), made::gltf_document(&torus, r#""uri":"a%20b.bin","#)).unwrap();
    let (beside, _) = mesh::load(&inner.join("t.gltf"), &inner).unwrap();
    assert_eq!(beside, mesh);
    assert_eq!(mesh::companions(&inner.join("t.gltf")).unwrap(), [inner.join("a b.bin")]);
    std::fs::write(inner.join("é%.bin"), made::gltf_buffer(&torus)).unwrap();
    std::fs::write(inner.join("t.gltf"), made::gltf_document(&torus, r#""uri":"%c3%A9%.bin","#)).unwrap();
    assert_eq!(mesh::load(&inner.join("t.gltf"), &inner).unwrap().0, mesh);
    std::fs::write(folder.path().join("secret.bin"), made::gltf_buffer(&torus)).unwrap();
    std::fs::write(inner.join("t.gltf"), made::gltf_document(&torus, r#""uri":"../secret.bin","#)).unwrap();
    let error = mesh::load(&inner.join("t.gltf"), &inner).unwrap_err();
    assert!(error.to_string().contains("outside the allowed folder"), "{error}");
    assert!(mesh::load(&inner.join("t.gltf"), folder.path()).is_ok());
}

#[test]
fn a_closed_mesh_knows_its_inside_and_its_distance() {
    let shape = solid(torus(96, 48));
    assert_eq!(wrong_signs(&shape, |_| false), 0);
    let exact = Shape::torus(MAJOR, MINOR).unwrap();
    for p in points_in_cube(5000, 0.9, 23) {
        let error = (shape.distance(&p) - exact.distance(&p)).abs();
        // Interpolated distances round off the ridge in the middle of the body, by less than a cell (0.044).
        let allowed = if exact.distance(&p).abs() < 0.08 { 1.5 * FACETING } else { 0.03 };
        assert!(error < allowed, "{p:?}: {error}");
        assert!((shape.normal(&p).norm() - 1.0).abs() < 1e-9);
    }
    let p = Vec3::new(0.8, 0.1, 0.1);
    assert!(shape.normal(&p).dot(&exact.normal(&p)) > 0.99);
}

#[test]
fn an_inside_out_mesh_is_turned_and_reported() {
    let (mesh, report) = mesh::inspect(flipped(torus(48, 24)), "test").unwrap();
    assert!(report.was_inside_out && report.to_string().contains("was inside out"), "{report}");
    assert!(mesh.signed_volume() > 0.0);
    assert_eq!(wrong_signs(&Shape::mesh(mesh, &report).unwrap(), |_| false), 0);
}

#[test]
fn an_open_mesh_is_closed_by_its_winding_number() {
    let mut open = torus(96, 48);
    let triangles = std::mem::take(&mut open.triangles);
    // A hole of a few triangles, and single ones missing all around.
    open.triangles = triangles
        .into_iter()
        .enumerate()
        .filter(|(i, _)| *i >= 12 && i % 100 != 99)
        .map(|(_, t)| t)
        .collect();
    let (mesh, report) = mesh::inspect(open, "test").unwrap();
    assert!(report.boundary_edge_count > 100 && !report.is_watertight(), "{report}");
    assert!(report.to_string().contains("not watertight"), "{report}");
    let shape = Shape::mesh(mesh, &report).unwrap();
    let near_the_hole = |p: &Vec3| (p - Vec3::new(MAJOR + MINOR, 0.0, 0.0)).norm() < 0.15;
    let wrong = wrong_signs(&shape, near_the_hole);
    assert!(wrong <= 4, "{wrong} wrong of 20000");
}

#[test]
fn flaws_are_counted() {
    let mut mesh = torus(48, 24);
    mesh.triangles[10].swap(0, 1);
    let repeated = mesh.triangles[20];
    mesh.triangles.extend([repeated, [5, 5, 6]]);
    mesh.vertices.push(mesh.vertices[0]);
    let last = mesh.vertices.len() as u32 - 1;
    mesh.triangles[0] = mesh.triangles[0].map(|v| if v == 0 { last } else { v });
    let (_, report) = mesh::inspect(mesh, "test").unwrap();
    assert_eq!(report.inconsistent_edge_count, 3, "{report:?}");
    assert_eq!(report.non_manifold_edge_count, 3, "{report:?}");
    assert_eq!((report.dropped_triangle_count, report.welded_vertex_count), (1, 1), "{report:?}");
}

#[test]
fn a_mesh_is_filled_like_the_body_it_stands_for() {
    let shape = solid(torus(96, 48));
    let points = sample(&shape, &Sampler::Lattice, 0.04, 3, 0, 1_000_000).unwrap();
    let volume = 2.0 * std::f64::consts::PI.powi(2) * MAJOR * MINOR * MINOR;
    assert!((points.len() as f64 * 0.04_f64.powi(3) / volume - 1.0).abs() < 0.03);
    let raised = shape.translated(Vec3::new(0.0, 3.0, 0.0));
    assert!(
        (raised.triangles().unwrap().bounds().unwrap().center() - Vec3::new(0.0, 3.0, 0.0)).norm() < 1e-9
    );
    assert!(Shape::ball(1.0).unwrap().triangles().is_none());
}
