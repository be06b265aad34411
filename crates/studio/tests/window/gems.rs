//! Icosahedra on the graphics processor beside the same rays met with their twenty triangles, pixel by pixel. Without an
//! adapter these tests say so and pass.

use std::sync::Arc;

use nalgebra::{Rotation3, Vector3};
use pliant_render::Image;
use pliant_studio::headless::Drawing;
use pliant_studio::viewport::look::Grain;
use pliant_studio::viewport::{Camera, Device, Lens, Look, Renderer, Scenery, State};
use pliant_world::{Column, Field, Snapshot};

type Triangle = [Vector3<f32>; 3];

const SIZE: [u32; 2] = [120, 120];
const BACKGROUND: [u8; 3] = [0, 0, 255];
const RADIUS: f32 = 0.5;
const PLACE: [f32; 3] = [0.1, 0.2, -0.1];
/// Linear light everywhere, and what the lamp adds where it shines straight on.
const AMBIENT: f32 = 0.2;
const LAMP: f32 = 0.7;

/// The faces of an icosahedron with corners at a distance of 1.
fn icosahedron() -> Vec<Triangle> {
    let golden = 0.5 * (1.0 + 5.0_f32.sqrt());
    let mut corners = Vec::new();
    for a in [-1.0, 1.0] {
        for b in [-golden, golden] {
            corners.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]].map(Vector3::from));
        }
    }
    let is_edge = |a: &Vector3<f32>, b: &Vector3<f32>| ((a - b).norm() - 2.0).abs() < 1e-3;
    let mut faces = Vec::new();
    for (i, a) in corners.iter().enumerate() {
        for (j, b) in corners.iter().enumerate().skip(i + 1) {
            for c in corners.iter().skip(j + 1) {
                if is_edge(a, b) && is_edge(b, c) && is_edge(a, c) {
                    faces.push([a.normalize(), b.normalize(), c.normalize()]);
                }
            }
        }
    }
    assert_eq!(faces.len(), 20);
    faces
}

fn rotation() -> Rotation3<f32> {
    Rotation3::from_euler_angles(0.4, -0.9, 1.3)
}

/// One particle, turned and stretched.
fn state() -> State {
    let gradient = rotation().matrix() * nalgebra::Matrix3::from_diagonal(&Vector3::new(1.2, 0.9, 1.0));
    let rows = gradient.transpose();
    let field = |name: &str, column| Field { name: name.to_owned(), column };
    let snapshot = Snapshot {
        fields: vec![
            field("position", Column::Vector(vec![PLACE])),
            field("radius", Column::Scalar(vec![RADIUS])),
            field("color", Column::Vector(vec![[1.0; 3]])),
            field("F", Column::Tensor(vec![rows.as_slice().try_into().unwrap()])),
        ],
        ..Snapshot::default()
    };
    State::new(Arc::new(snapshot), None)
}

fn look() -> Look {
    Look {
        grain: Grain::Icosahedra,
        background: Some(BACKGROUND),
        ambient: [AMBIENT; 3],
        light_strength: LAMP,
        shadows: false,
        ..Look::default()
    }
}

fn picture(camera: Camera) -> Option<Image> {
    match Device::headless() {
        Ok(device) => {
            let renderer = Renderer::new(device, 1);
            let mut drawing = Drawing { renderer, scenery: Scenery::default(), look: look(), camera };
            Some(drawing.picture(&state(), SIZE).unwrap())
        }
        Err(error) => {
            println!("not tested: {error}");
            None
        }
    }
}

/// The grey of the face that the ray through the middle of a pixel meets, if it meets one.
fn expected(faces: &[Triangle], camera: &Camera, pixel: usize) -> Option<u8> {
    let [width, height] = SIZE.map(|side| side as f32);
    let (i, j) = ((pixel % SIZE[0] as usize) as f32, (pixel / SIZE[0] as usize) as f32);
    let ray = camera.ray(2.0 * (i + 0.5) / width - 1.0, 1.0 - 2.0 * (j + 0.5) / height, width / height);
    let mut nearest: Option<(f32, Vector3<f32>)> = None;
    for [a, b, c] in faces {
        let normal = (b - a).cross(&(c - a));
        let normal = normal.normalize() * normal.dot(a).signum();
        let [a, b, c] = [a, b, c].map(|corner| rotation() * corner * RADIUS + Vector3::from(PLACE));
        let normal = rotation() * normal;
        let steep = normal.dot(&ray.direction);
        let along = normal.dot(&(a - ray.origin)) / steep;
        let hit = ray.origin + ray.direction * along;
        let is_left = |p: &Vector3<f32>, q: &Vector3<f32>, far: &Vector3<f32>| {
            let edge = (q - p).cross(&normal);
            edge.dot(&(hit - p)) * edge.dot(&(far - p)) >= 0.0
        };
        let is_inside = is_left(&a, &b, &c) && is_left(&b, &c, &a) && is_left(&c, &a, &b);
        if steep < 0.0 && is_inside && nearest.is_none_or(|(known, _)| along < known) {
            nearest = Some((along, normal));
        }
    }
    let (_, normal) = nearest?;
    let facing = normal.dot(&Vector3::from(look().to_light())).max(0.0);
    Some(((AMBIENT + LAMP * facing).clamp(0.0, 1.0).sqrt() * 255.0) as u8)
}

/// Share of the pixels of an icosahedron that are not as its triangles say, and how many there are.
fn wrong(camera: Camera) -> Option<(f64, usize)> {
    let image = picture(camera)?;
    let faces = icosahedron();
    let (mut wrong, mut covered) = (0, 0);
    for (pixel, seen) in image.pixels().iter().enumerate() {
        let told = expected(&faces, &camera, pixel);
        covered += usize::from(told.is_some());
        wrong += usize::from(match told {
            Some(grey) => seen[0].abs_diff(grey) > 3,
            None => *seen != BACKGROUND,
        });
    }
    Some((wrong as f64 / covered.max(1) as f64, covered))
}

#[test]
fn near_icosahedra_show_the_faces_their_triangles_have() {
    for lens in [Lens::Perspective, Lens::Orthographic] {
        let camera = Camera { target: [0.0; 3], distance: 3.0, lens, ..Camera::default() };
        let Some((wrong, covered)) = wrong(camera) else { return };
        // Pixels whose middle lies within a hair of an edge.
        assert!(wrong < 0.01 && covered > 1500, "{lens:?}: {wrong} of {covered}");
    }
}

#[test]
fn icosahedra_of_a_few_pixels_look_like_near_ones() {
    for lens in [Lens::Perspective, Lens::Orthographic] {
        let camera = Camera { target: [0.0; 3], distance: 18.0, lens, ..Camera::default() };
        let Some((wrong, covered)) = wrong(camera) else { return };
        // Few pixels, and the eye is taken to be far away: some on the rim and on edges between facets.
        assert!(wrong < 0.12 && (40..120).contains(&covered), "{lens:?}: {wrong} of {covered}");
    }
}
