//! Obstacles as they are drawn: traced along their signed distance; planes and meshes as the polygons they are.

use std::sync::Arc;

use pliant_geometry::{Aabb, Shape};
use pliant_math::Vec3;
use pliant_scene::Scene;
use rayon::prelude::*;

use super::bounds::Bounds;
use super::drawing::{Mesh, Placed, Solid, Vertex};
use super::look::{Look, Obstacles};
use super::trace::Tracing;

/// Half the side of the square that stands for a plane without end, in sizes of the scene.
const PLANE_REACH: f64 = 40.0;
/// Half the side of the room in which other shapes without end are seen, in sizes of the scene.
const ROOM_REACH: f64 = 12.0;

/// An obstacle of a scene, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Obstacle {
    solid: Solid,
    /// What an eye inside a mesh sees: triangles have no outside.
    from_inside: Option<Solid>,
    collider: pliant_world::Collider,
    /// Normal and a point of a plane without end, in its first place.
    plane: Option<(Vec3, Vec3)>,
    /// Where shapes without end are cut off.
    room: Aabb,
    is_flat: bool,
}

/// Prepares all visible obstacles of a scene whose matter is about `bounds`. Takes a moment for meshes.
pub fn prepare_obstacles(scene: &Scene, bounds: &Bounds) -> Vec<Obstacle> {
    let size = f64::from(bounds.radius()).max(0.05);
    let center: Vec3 = bounds.center().cast();
    let room = Aabb::around(center, Vec3::repeat(size * ROOM_REACH));
    let is_flat = scene.dimension == 2;
    let visible: Vec<_> = scene.colliders.iter().filter(|collider| collider.visible).collect();
    let make = |collider: &&pliant_world::Collider| {
        let shape = &collider.shape;
        let plane = as_plane(shape);
        let mesh = |mesh: Mesh| Solid::Mesh(Arc::new(mesh));
        let trace = || traced(shape, 0.0, &room, is_flat);
        let triangles = shape.triangles().filter(|_| !is_flat);
        let (solid, from_inside) = match (&plane, triangles) {
            (Some((normal, point)), _) if is_flat => (mesh(half_plane(normal, point, &center, size)), None),
            (Some((normal, point)), _) => (mesh(square(normal, point, &center, size * PLANE_REACH)), None),
            (None, Some(triangles)) => (mesh(as_given(triangles)), Some(trace())),
            (None, None) => (trace(), None),
        };
        Obstacle { solid, from_inside, collider: (*collider).clone(), plane, room, is_flat }
    };
    visible.par_iter().map(make).collect()
}

fn traced(shape: &Shape, time: f64, room: &Aabb, is_flat: bool) -> Solid {
    let mut tracing = Tracing::of(shape, time, room);
    if is_flat {
        // Room for the plane z = 0 and for what is drawn behind it.
        (tracing.corners[0][2], tracing.corners[1][2]) = (2.0 * BEHIND.z as f32, -2.0 * BEHIND.z as f32);
        return Solid::Cut(Arc::new(tracing));
    }
    Solid::Traced(Arc::new(tracing))
}

/// The obstacles as they stand at a time, seen from `eye`.
pub fn placed(obstacles: &[Obstacle], look: &Look, time: f64, eye: Option<Vec3>) -> Vec<Placed> {
    if look.obstacles == Obstacles::Hidden {
        return Vec::new();
    }
    let place = |obstacle: &Obstacle| {
        let Obstacle { solid, from_inside, collider, plane, room, is_flat } = obstacle;
        let pose = collider.world_from_initial(time);
        // An eye inside an obstacle looks out of it (Nilles 2020, §7.6.2): it sees no wall from behind.
        let is_inside = |eye: Vec3| collider.distance(&pose, &eye) < 0.0;
        if plane.is_some() && eye.is_some_and(is_inside) {
            return None;
        }
        let solid = match (solid, from_inside) {
            (_, Some(inner)) if eye.is_some_and(is_inside) => inner.clone(),
            (Solid::Traced(_) | Solid::Cut(_), _) if collider.shape.is_changing() => {
                traced(&collider.shape, time, room, *is_flat)
            }
            (kept, _) => kept.clone(),
        };
        let [r, g, b] = match look.obstacle_colour {
            Some(colour) => colour.map(|channel| (f32::from(channel) / 255.0).powf(2.2)),
            None => collider.color,
        };
        Some(Placed {
            solid,
            world_from_model: pose.to_homogeneous().cast::<f32>(),
            tint: [r, g, b, look.obstacle_opacity.clamp(0.0, 1.0)],
            line_spacing: if plane.is_some() && eye.is_some() { line_spacing(room) } else { 0.0 },
            sight: 0.5 * (room.max - room.min).x as f32,
        })
    };
    obstacles.iter().filter_map(place).collect()
}

/// Distance of lines on planes [m]: a power of ten, a few to the size of the matter.
fn line_spacing(room: &Aabb) -> f32 {
    let size = (room.max - room.min).x / (2.0 * ROOM_REACH);
    10_f64.powf((0.25 * size).log10().round()) as f32
}

/// Whether a point lies inside any obstacle at a time.
pub fn is_inside(obstacles: &[Obstacle], point: &Vec3, time: f64) -> bool {
    obstacles.iter().any(|obstacle| {
        let pose = obstacle.collider.world_from_initial(time);
        let place = pose.inverse_transform_point(&(*point).into()).coords;
        let shape = &obstacle.collider.shape;
        let distance =
            if shape.is_changing() { shape.at(time).distance(&place) } else { shape.distance(&place) };
        distance < 0.0
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

fn vertex(position: &Vec3, normal: &Vec3) -> Vertex {
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

/// A mesh as it was given.
fn as_given(triangles: pliant_geometry::mesh::TriangleMesh) -> Mesh {
    let mut surface = pliant_render::SurfaceMesh {
        positions: triangles.vertices.iter().map(|place| place.cast::<f32>().into()).collect(),
        triangles: triangles.triangles,
        ..pliant_render::SurfaceMesh::default()
    };
    surface.normals = surface.vertex_normals();
    surface_mesh(&surface, &[])
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

#[cfg(test)]
mod tests {
    use super::{Bounds, Look, Solid, Vec3, is_inside, placed, prepare_obstacles};
    use nalgebra::Vector3;
    use std::path::Path;

    const SCENE: &str = "pliant = 1\nspacing = 0.1\n[method.mpm]\n[materials.a]\npreset = \"jello\"\n[[objects]]\n\
                         material = \"a\"\nshape.ball.radius = 0.2\n[[colliders]]\nshape.half_space = {}\n\
                         [[colliders]]\nshape.box.size = [1, 1, 1]\nposition = [3, 0, 0]\n";

    #[test]
    fn planes_are_squares_that_vanish_from_behind_and_bodies_are_traced() {
        let scene = pliant_scene::Scene::from_text(SCENE, Path::new("."), &[]).unwrap();
        let bounds = Bounds { min: Vector3::repeat(-0.2), max: Vector3::repeat(0.2) };
        let known = prepare_obstacles(&scene, &bounds);
        let seen = |eye: Vec3| placed(&known, &Look::default(), 0.0, Some(eye));
        let above = seen(Vec3::new(0.0, 1.0, 3.0));
        assert!(matches!(above[0].solid, Solid::Mesh(_)) && matches!(above[1].solid, Solid::Traced(_)));
        assert_eq!(seen(Vec3::new(0.0, -1.0, 3.0)).len(), 1, "from below, the floor does not hide the scene");
        assert!(is_inside(&known, &Vec3::new(3.0, 0.4, 0.0), 0.0));
        assert!(!is_inside(&known, &Vec3::new(0.0, 0.4, 0.0), 0.0));
        let flat = SCENE
            .replace("spacing", "dimension = 2\nspacing")
            .replace("[1, 1, 1]", "[1, 1]")
            .replace("[3, 0, 0]", "[3, 0]");
        let scene = pliant_scene::Scene::from_text(&flat, Path::new("."), &[]).unwrap();
        let cut = placed(&prepare_obstacles(&scene, &bounds), &Look::default(), 0.0, None);
        assert!(matches!(cut[1].solid, Solid::Cut(_)));
    }
}
