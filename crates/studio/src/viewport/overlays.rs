//! What is laid over particles: lines along velocities, and a layer of the grid.

use std::sync::Arc;

use nalgebra::Vector3;
use pliant_render::ColourMap;
use pliant_world::Snapshot;

use super::colours::Legend;
use super::drawing::{Mesh, Placed, Vertex};
use super::grid::NodeGrid;
use super::look::{LayerPart, LayerProperty, Look};
use super::obstacles::{self, Obstacle};

/// Red of velocity lines, as in Fumoto's window.
const RED: [u8; 4] = [226, 38, 38, 255];
/// Grey of cells inside obstacles, where these have no colour of their own.
const SOLID: [u8; 3] = [110, 110, 116];
/// Longest velocity line, in radii of particles.
const LONGEST_LINE: f32 = 8.0;

fn line(from: Vector3<f32>, along: Vector3<f32>, lines: &mut Vec<Vertex>) {
    let to = from + along;
    if from.iter().chain(to.iter()).all(|x| x.is_finite()) {
        let vertex = |place: Vector3<f32>| Vertex { position: place.into(), normal: [0.0; 3], colour: RED };
        lines.extend([vertex(from), vertex(to)]);
    }
}

/// Time for which lines show the way [s]: the one the look asks for, or one that makes the fastest a few radii long.
fn line_time(look: &Look, fastest: f32, radius: f32) -> f32 {
    look.line_time.unwrap_or(if fastest > 0.0 { LONGEST_LINE * radius / fastest } else { 0.0 })
}

pub(super) fn particle_lines(snapshot: &Snapshot, look: &Look, lines: &mut Vec<Vertex>) {
    let velocities = snapshot.vectors(Snapshot::VELOCITY).unwrap_or_default();
    let radius = snapshot.scalars(Snapshot::RADIUS).and_then(|radii| radii.first().copied()).unwrap_or(0.01);
    let speed = |v: &[f32; 3]| Vector3::from(*v).norm();
    let fastest = velocities.iter().map(speed).filter(|speed| speed.is_finite()).fold(0.0, f32::max);
    let time = line_time(look, fastest, radius);
    for (position, velocity) in snapshot.positions().iter().zip(velocities) {
        line(Vector3::from(*position), Vector3::from(*velocity) * time, lines);
    }
}

pub(super) fn grid_lines(grid: &NodeGrid, look: &Look, lines: &mut Vec<Vertex>) {
    let (_, nodes) = grid.layer(look.layer.axis, look.layer.place);
    let speeds = nodes.iter().filter_map(|node| grid.velocity(*node)).map(|velocity| velocity.norm());
    let fastest = speeds.filter(|speed| speed.is_finite()).fold(0.0, f32::max);
    let time = line_time(look, fastest, 0.25 * grid.spacing);
    for node in nodes {
        if let Some(velocity) = grid.velocity(node) {
            line(grid.place(node), velocity * time, lines);
        }
    }
}

/// A square for each node of the layer, coloured by its value, and what the colours mean.
pub(super) fn layer_mesh(
    grid: &NodeGrid,
    look: &Look,
    known: &[Obstacle],
    time: f64,
) -> (Placed, Option<Legend>) {
    let layer = &look.layer;
    let (_, nodes) = grid.layer(layer.axis, layer.place);
    let value = |node: usize| match layer.property {
        LayerProperty::Mass => Vector3::new(grid.mass[node], 0.0, 0.0),
        LayerProperty::Velocity => grid.velocity(node).unwrap_or_default(),
        LayerProperty::PressureGradient => grid.pressure_gradient[node],
    };
    let largest = nodes.iter().map(|node| value(*node).norm()).filter(|x| x.is_finite()).fold(0.0, f32::max);
    let [low, high] = layer.range.unwrap_or([0.0, largest.max(1e-30)]);
    let share = |x: f32| ((x - low) / (high - low)).clamp(0.0, 1.0);
    let map = look.map.map().unwrap_or(ColourMap::Viridis);
    let [r, g, b] = look.obstacle_colour.unwrap_or(SOLID);
    let is_flat = grid.counts[2] == 1;
    let axis = if is_flat { 2 } else { layer.axis.min(2) };
    let (mut u, mut v) = (Vector3::zeros(), Vector3::zeros());
    u[(axis + 1) % 3] = 0.5 * grid.spacing;
    v[(axis + 2) % 3] = 0.5 * grid.spacing;
    let mut mesh = Mesh::default();
    for node in nodes {
        let place = grid.place(node);
        let value = value(node);
        let is_solid = layer.marks_obstacles && obstacles::is_inside(known, &place.cast::<f64>(), time);
        if grid.mass[node] <= 0.0 && !is_solid {
            continue;
        }
        let shade = match layer.part {
            LayerPart::Absolute => [value.x, value.y, value.z].map(|x| share(x.abs())),
            LayerPart::Length => map.colour(share(value.norm())),
        };
        let [red, green, blue] = shade.map(|channel| (channel * 255.0) as u8);
        let colour = if is_solid { [r, g, b, 200] } else { [red, green, blue, 235] };
        let start = mesh.vertices.len() as u32;
        for corner in [-u - v, u - v, u + v, v - u] {
            mesh.vertices.push(Vertex { position: (place + corner).into(), normal: [0.0; 3], colour });
        }
        mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| start + corner));
    }
    let name = match layer.property {
        LayerProperty::Mass => "node mass [kg]",
        LayerProperty::Velocity => "node speed [m/s]",
        LayerProperty::PressureGradient => "pressure gradient [Pa/m]",
    };
    let is_usable = low.is_finite() && high.is_finite() && low < high;
    let is_bar = is_usable && (layer.part == LayerPart::Length || layer.property == LayerProperty::Mass);
    let legend = is_bar.then(|| Legend { field: name.to_owned(), range: [low, high], map });
    (Placed::mesh(Arc::new(mesh)), legend)
}
