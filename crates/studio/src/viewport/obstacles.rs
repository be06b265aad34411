//! Obstacles as meshes: made once from their signed distance, moved by their pose ever after.

use std::sync::Arc;

use nalgebra::Matrix4;
use pliant_geometry::Shape;
use pliant_math::Vec3;
use pliant_scene::Scene;
use rayon::prelude::*;

use super::camera::Bounds;
use super::drawing::{Mesh, PlacedMesh, Vertex};
use super::look::{Look, Obstacles};
use super::nets::{cut_through, surface_net};

/// Half the side of the square that stands for a plane without end, in sizes of the scene.
const PLANE_REACH: f64 = 12.0;

/// An obstacle of a scene, meshed.
#[derive(Clone, Debug)]
pub struct Obstacle {
    mesh: Arc<Mesh>,
    collider: pliant_world::Collider,
    /// Normal and a point of a plane without end, in its first place.
    plane: Option<(Vec3, Vec3)>,
}

/// Meshes all visible obstacles of a scene whose matter is about `bounds`. Takes a moment for large meshes.
pub fn mesh_obstacles(scene: &Scene, bounds: &Bounds) -> Vec<Obstacle> {
    let size = f64::from(bounds.radius()).max(0.05);
    let center: Vec3 = bounds.center().cast();
    let visible: Vec<_> = scene.colliders.iter().filter(|collider| collider.visible).collect();
    let make = |collider: &&pliant_world::Collider| {
        let plane = as_plane(&collider.shape);
        let mesh = match &plane {
            Some((normal, point)) if scene.dimension == 2 => half_plane(normal, point, &center, size),
            Some((normal, point)) => square(normal, point, &center, size * PLANE_REACH),
            None if scene.dimension == 2 => cut_through(&collider.shape),
            None => as_triangles(&collider.shape).unwrap_or_else(|| surface_net(&collider.shape)),
        };
        Obstacle { mesh: Arc::new(mesh), collider: (*collider).clone(), plane }
    };
    visible.par_iter().map(make).collect()
}

/// The obstacles as they stand at a time, seen from `eye`.
pub fn placed(obstacles: &[Obstacle], look: &Look, time: f64, eye: Option<Vec3>) -> Vec<PlacedMesh> {
    if look.obstacles == Obstacles::Hidden {
        return Vec::new();
    }
    let place = |obstacle: &Obstacle| {
        let pose = obstacle.collider.world_from_initial(time);
        if let (Some((normal, point)), Some(eye)) = (&obstacle.plane, eye) {
            // From inside, a wall would hide everything.
            let (normal, point) = (pose.rotation * normal, pose.transform_point(&(*point).into()).coords);
            if normal.dot(&(eye - point)) < 0.0 {
                return None;
            }
        }
        let [r, g, b] = match look.obstacle_colour {
            Some(colour) => colour.map(|channel| (f32::from(channel) / 255.0).powf(2.2)),
            None => obstacle.collider.color,
        };
        Some(PlacedMesh {
            mesh: Arc::clone(&obstacle.mesh),
            world_from_model: pose.to_homogeneous().cast::<f32>(),
            tint: [r, g, b, look.obstacle_opacity.clamp(0.0, 1.0)],
            line_spacing: if obstacle.plane.is_some() && eye.is_some() { 0.1 } else { 0.0 },
        })
    };
    obstacles.iter().filter_map(place).collect()
}

/// Whether a point lies inside any obstacle at a time.
pub fn is_inside(obstacles: &[Obstacle], point: &Vec3, time: f64) -> bool {
    obstacles.iter().any(|obstacle| {
        let pose = obstacle.collider.world_from_initial(time);
        obstacle.collider.distance(&pose, point) < 0.0
    })
}

/// Normal and a point of the plane that bounds a half-space, however often placed.
fn as_plane(shape: &Shape) -> Option<(Vec3, Vec3)> {
    match shape {
        Shape::HalfSpace { normal, offset } => Some((*normal, normal * *offset)),
        Shape::Placed { shape, placement } => {
            let (normal, point) = as_plane(shape)?;
            Some((placement.rotation * normal, placement.to_world(&point)))
        }
        _ => None,
    }
}

const WHITE: [u8; 4] = [255; 4];

pub(super) fn vertex(position: &Vec3, normal: &Vec3) -> Vertex {
    Vertex { position: position.cast::<f32>().into(), normal: normal.cast::<f32>().into(), colour: WHITE }
}

/// A square of the plane near the scene.
fn square(normal: &Vec3, point: &Vec3, center: &Vec3, reach: f64) -> Mesh {
    let middle = center - normal * normal.dot(&(center - point));
    let across = if normal.y.abs() > 0.9 { Vec3::x() } else { Vec3::y() }.cross(normal).normalize() * reach;
    let along = normal.cross(&across);
    let corners = [-across - along, across - along, across + along, along - across];
    Mesh {
        vertices: corners.iter().map(|corner| vertex(&(middle + corner), normal)).collect(),
        indices: vec![0, 1, 2, 0, 2, 3],
    }
}

/// The solid side of a line in the plane, behind all matter.
fn half_plane(normal: &Vec3, point: &Vec3, center: &Vec3, size: f64) -> Mesh {
    let reach = size * PLANE_REACH;
    let flat = Vec3::new(normal.x, normal.y, 0.0).normalize();
    let along = Vec3::new(-flat.y, flat.x, 0.0) * reach;
    let middle = center - flat * flat.dot(&(center - point)) + BEHIND;
    let corners =
        [middle - along, middle + along, middle + along - flat * reach, middle - along - flat * reach];
    Mesh {
        vertices: corners.iter().map(|corner| vertex(corner, &Vec3::zeros())).collect(),
        indices: vec![0, 1, 2, 0, 2, 3],
    }
}

/// Where things of the plane are drawn that particles should hide [m].
pub(super) const BEHIND: Vec3 = Vec3::new(0.0, 0.0, -0.5);

fn as_triangles(shape: &Shape) -> Option<Mesh> {
    if let Some(mesh) = as_box(shape) {
        return Some(mesh);
    }
    let triangles = shape.triangles()?;
    let mut surface = pliant_render::SurfaceMesh {
        positions: triangles.vertices.iter().map(|place| place.cast::<f32>().into()).collect(),
        triangles: triangles.triangles,
        ..pliant_render::SurfaceMesh::default()
    };
    surface.normals = surface.vertex_normals();
    Some(surface_mesh(&surface, &[]))
}

/// A reconstructed or given surface with a colour for each vertex, white if there are none.
pub fn surface_mesh(surface: &pliant_render::SurfaceMesh, colours: &[[u8; 4]]) -> Mesh {
    let vertex = |(i, position): (usize, &[f32; 3])| Vertex {
        position: *position,
        normal: surface.normals.get(i).copied().unwrap_or([0.0, 1.0, 0.0]),
        colour: colours.get(i).copied().unwrap_or(WHITE),
    };
    Mesh {
        vertices: surface.positions.iter().enumerate().map(vertex).collect(),
        indices: surface.triangles.iter().flatten().copied().collect(),
    }
}

/// The exact faces of a box: a net would round its edges.
fn as_box(shape: &Shape) -> Option<Mesh> {
    match shape {
        Shape::Cuboid { half_extents } => {
            let mut mesh = Mesh::default();
            for axis in 0..3 {
                for side in [-1.0, 1.0] {
                    let mut normal = Vec3::zeros();
                    normal[axis] = side;
                    let (mut u, mut v) = (Vec3::zeros(), Vec3::zeros());
                    u[(axis + 1) % 3] = half_extents[(axis + 1) % 3];
                    v[(axis + 2) % 3] = half_extents[(axis + 2) % 3];
                    let middle = normal * half_extents[axis];
                    let start = mesh.vertices.len() as u32;
                    let corners = [-u - v, u - v, u + v, v - u];
                    mesh.vertices.extend(corners.iter().map(|corner| vertex(&(middle + corner), &normal)));
                    mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| start + corner));
                }
            }
            Some(mesh)
        }
        Shape::Placed { shape, placement } => {
            let mut mesh = as_box(shape)?;
            for vertex in &mut mesh.vertices {
                let place = placement.to_world(&Vec3::from(vertex.position.map(f64::from)));
                let normal = placement.rotation * Vec3::from(vertex.normal.map(f64::from));
                vertex.position = place.cast::<f32>().into();
                vertex.normal = normal.cast::<f32>().into();
            }
            Some(mesh)
        }
        _ => None,
    }
}

/// An icosahedron with flat faces, as vertices and normals.
pub fn icosahedron() -> Vec<([f32; 3], [f32; 3])> {
    let golden = 0.5 * (1.0 + 5.0_f32.sqrt());
    let mut corners = Vec::new();
    for a in [-1.0, 1.0] {
        for b in [-golden, golden] {
            corners.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]].map(nalgebra::Vector3::from));
        }
    }
    let mut vertices = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                let (a, b, c) = (corners[i], corners[j], corners[k]);
                let is_edge = |u: nalgebra::Vector3<f32>, v: nalgebra::Vector3<f32>| {
                    ((u - v).norm() - 2.0).abs() < 1e-3
                };
                if is_edge(a, b) && is_edge(b, c) && is_edge(a, c) {
                    let normal = (a + b + c).normalize();
                    vertices.extend([a, b, c].map(|corner| (corner.normalize().into(), normal.into())));
                }
            }
        }
    }
    vertices
}

/// Leaves things where they are.
pub fn identity() -> Matrix4<f32> {
    Matrix4::identity()
}

#[cfg(test)]
mod tests {
    use super::{Shape, Vec3, as_triangles, cut_through, icosahedron, surface_net};

    #[test]
    fn a_net_lies_on_its_shape_and_is_closed() {
        for shape in [Shape::ball(0.3).unwrap(), Shape::torus(0.4, 0.1).unwrap()] {
            let mesh = surface_net(&shape);
            let far =
                mesh.vertices.iter().map(|v| shape.distance(&Vec3::from(v.position.map(f64::from))).abs());
            assert!(far.fold(0.0, f64::max) < 1e-4);
            let mut edges = std::collections::HashMap::new();
            for triangle in mesh.indices.chunks(3) {
                for edge in 0..3 {
                    let (a, b) = (triangle[edge], triangle[(edge + 1) % 3]);
                    *edges.entry((a.min(b), a.max(b))).or_insert(0) += 1;
                }
            }
            assert!(edges.values().all(|count| *count == 2), "a hole in the net");
        }
    }

    #[test]
    fn a_cut_has_the_area_of_its_shape() {
        let mesh = cut_through(&Shape::ball(0.5).unwrap());
        let corner = |i: u32| nalgebra::Vector3::from(mesh.vertices[i as usize].position);
        let area: f32 = mesh
            .indices
            .chunks(3)
            .map(|t| 0.5 * (corner(t[1]) - corner(t[0])).cross(&(corner(t[2]) - corner(t[0]))).norm())
            .sum();
        assert!((area - 0.25 * std::f32::consts::PI).abs() < 1e-3, "{area}");
    }

    #[test]
    fn boxes_and_icosahedra_have_their_faces() {
        let cuboid = Shape::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        assert_eq!(as_triangles(&cuboid).unwrap().indices.len(), 36);
        assert_eq!(icosahedron().len(), 60);
    }
}
