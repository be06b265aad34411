//! From a state to a [`Stage`], with as little work as the changes allow: particles when the state or the look
//! changes, obstacles when the scene does, surfaces in the background.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use nalgebra::{Matrix4, Vector3};
use pliant_math::Vec3;
use pliant_render::{ColourMap, SurfaceOptions};
use pliant_scene::Scene;
use pliant_world::Snapshot;

use super::camera::{Bounds, Camera};
use super::drawing::{self, Grains, Legend, Mesh, PlacedMesh, Vertex};
use super::grid::NodeGrid;
use super::look::{Grain, LayerPart, LayerProperty, Look};
use super::obstacles::{self, Obstacle};
use super::renderer::Stage;

/// A state to be shown.
#[derive(Clone)]
pub struct State {
    /// Particles.
    pub snapshot: Arc<Snapshot>,
    /// The scene they belong to, if it is known.
    pub scene: Option<Arc<Scene>>,
}

/// What was prepared for the last picture, kept for the next.
#[derive(Default)]
pub struct Scenery {
    number: u64,
    prepared: Option<(Arc<Snapshot>, Look)>,
    grains: Arc<Grains>,
    legend: Option<Legend>,
    layer: Option<PlacedMesh>,
    lines: Arc<Vec<Vertex>>,
    obstacles: Background<Vec<Obstacle>>,
    surface: Background<Arc<Mesh>>,
}

/// A result that is worked out on another thread; the last one stays until the next is there.
struct Background<T> {
    key: Option<usize>,
    result: Option<T>,
    coming: Option<Receiver<T>>,
    wanted: Option<usize>,
}

impl<T> Default for Background<T> {
    fn default() -> Self {
        Self { key: None, result: None, coming: None, wanted: None }
    }
}

impl<T: Send + 'static> Background<T> {
    /// The newest result. Starts `work` if its key is new and nothing is under way.
    fn get(&mut self, key: usize, work: impl FnOnce() -> T + Send + 'static) -> Option<&T> {
        if let Some(coming) = &self.coming {
            match coming.try_recv() {
                Ok(result) => (self.key, self.result, self.coming) = (self.wanted, Some(result), None),
                Err(mpsc::TryRecvError::Disconnected) => (self.key, self.coming) = (self.wanted, None),
                Err(mpsc::TryRecvError::Empty) => {}
            }
        }
        if self.key != Some(key) && self.coming.is_none() {
            let (sender, receiver) = mpsc::channel();
            (self.coming, self.wanted) = (Some(receiver), Some(key));
            std::thread::spawn(move || drop(sender.send(work())));
        }
        self.result.as_ref()
    }

    fn is_busy(&self) -> bool {
        self.coming.is_some()
    }
}

/// Red of velocity lines, as in Fumoto's window.
const RED: [u8; 4] = [226, 38, 38, 255];
/// Grey of cells inside obstacles.
const SOLID: [u8; 4] = [110, 110, 116, 200];
/// Longest velocity line, in radii of particles.
const LONGEST_LINE: f32 = 8.0;

impl Scenery {
    /// What a picture of a state shows, from a camera.
    pub fn stage(&mut self, state: &State, look: &Look, camera: &Camera) -> Stage {
        let is_known = self
            .prepared
            .as_ref()
            .is_some_and(|(snapshot, known)| Arc::ptr_eq(snapshot, &state.snapshot) && known == look);
        if !is_known {
            self.prepare(state, look);
        }
        let time = state.snapshot.time;
        let eye = (!camera.is_flat).then(|| camera.eye().cast::<f64>());
        let obstacles = self.obstacles(state).map(|known| obstacles::placed(known, look, time, eye));
        Stage {
            grains: Arc::clone(&self.grains),
            surface: self.surface(state, look),
            obstacles: obstacles.unwrap_or_default(),
            layer: self.layer.clone(),
            lines: Arc::clone(&self.lines),
            number: self.number,
        }
    }

    /// What the colours of the last stage mean.
    pub fn legend(&self) -> Option<&Legend> {
        self.legend.as_ref()
    }

    /// Where the particles of the last stage are.
    pub fn bounds(&self) -> Bounds {
        self.grains.bounds.unwrap_or(Bounds::EMPTY)
    }

    /// The particles of the last stage.
    pub fn grains(&self) -> &Grains {
        &self.grains
    }

    /// Whether something is still being worked out.
    pub fn is_busy(&self) -> bool {
        self.obstacles.is_busy() || self.surface.is_busy()
    }

    fn prepare(&mut self, state: &State, look: &Look) {
        let snapshot = &state.snapshot;
        let (mut grains, legend) = drawing::grains(snapshot, look);
        let needs_grid = look.layer.is_shown || look.grid_lines || look.grain == Grain::Points;
        let grid = state.scene.as_ref().filter(|_| needs_grid).map(|scene| NodeGrid::of(snapshot, scene));
        self.layer = None;
        let mut lines = Vec::new();
        if let Some(mut grid) = grid {
            if look.grain == Grain::Points && look.is_lit {
                let places: Vec<[f32; 3]> =
                    grains.balls.iter().map(|ball| [ball[0], ball[1], ball[2]]).collect();
                grains.turns = grid.normals(&places);
            }
            if look.layer.is_shown {
                let known = self.obstacles.result.as_deref().unwrap_or_default();
                self.layer = Some(layer_mesh(&grid, look, known, snapshot.time));
            }
            if look.grid_lines {
                grid_lines(&grid, look, &mut lines);
            }
        }
        if look.particle_lines {
            particle_lines(snapshot, look, &mut lines);
        }
        self.number += 1;
        (self.grains, self.legend, self.lines) = (Arc::new(grains), legend, Arc::new(lines));
        self.prepared = Some((Arc::clone(snapshot), look.clone()));
    }

    fn obstacles(&mut self, state: &State) -> Option<&Vec<Obstacle>> {
        let scene = state.scene.clone()?;
        let bounds = self.bounds();
        let key = Arc::as_ptr(&scene) as usize;
        self.obstacles.get(key, move || obstacles::mesh_obstacles(&scene, &bounds))
    }

    fn surface(&mut self, state: &State, look: &Look) -> Option<PlacedMesh> {
        if look.grain != Grain::Surface {
            return None;
        }
        let (snapshot, look) = (Arc::clone(&state.snapshot), look.clone());
        let key = Arc::as_ptr(&snapshot) as usize;
        let mesh = self.surface.get(key, move || Arc::new(surface_of(&snapshot, &look)))?;
        Some(PlacedMesh {
            mesh: Arc::clone(mesh),
            world_from_model: Matrix4::identity(),
            tint: [1.0; 4],
            line_spacing: 0.0,
        })
    }
}

/// The surface around the particles, coloured as the nearest ones; empty where there is none.
fn surface_of(snapshot: &Snapshot, look: &Look) -> Mesh {
    let Ok(surface) = pliant_render::surface_of(snapshot, &SurfaceOptions::default()) else {
        return Mesh::default();
    };
    let carried = Snapshot { fields: surface.attributes.clone(), ..Snapshot::default() };
    let mut fields = carried.fields.clone();
    fields.push(pliant_world::Field {
        name: Snapshot::POSITION.to_owned(),
        column: pliant_world::Column::Vector(surface.positions.clone()),
    });
    let plain = Look { grain: Grain::Balls, bodies: Vec::new(), ..look.clone() };
    let (grains, _) = drawing::grains(&Snapshot { fields, ..Snapshot::default() }, &plain);
    let mut colours = vec![[200, 200, 205, 255]; surface.positions.len()];
    for (colour, source) in grains.colours.iter().zip(&grains.sources) {
        colours[*source as usize] = *colour;
    }
    obstacles::surface_mesh(&surface, &colours)
}

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

fn particle_lines(snapshot: &Snapshot, look: &Look, lines: &mut Vec<Vertex>) {
    let velocities = snapshot.vectors(Snapshot::VELOCITY).unwrap_or_default();
    let radius = snapshot.scalars(Snapshot::RADIUS).and_then(|radii| radii.first().copied()).unwrap_or(0.01);
    let speed = |v: &[f32; 3]| Vector3::from(*v).norm();
    let fastest = velocities.iter().map(speed).filter(|speed| speed.is_finite()).fold(0.0, f32::max);
    let time = line_time(look, fastest, radius);
    for (position, velocity) in snapshot.positions().iter().zip(velocities) {
        line(Vector3::from(*position), Vector3::from(*velocity) * time, lines);
    }
}

fn grid_lines(grid: &NodeGrid, look: &Look, lines: &mut Vec<Vertex>) {
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

/// A square for each node of the layer, coloured by its value.
fn layer_mesh(grid: &NodeGrid, look: &Look, known: &[Obstacle], time: f64) -> PlacedMesh {
    let (_, nodes) = grid.layer(look.layer.axis, look.layer.place);
    let value = |node: usize| match look.layer.property {
        LayerProperty::Mass => Vector3::new(grid.mass[node], 0.0, 0.0),
        LayerProperty::Velocity => grid.velocity(node).unwrap_or_default(),
        LayerProperty::PressureGradient => grid.pressure_gradient[node],
    };
    let largest = nodes.iter().map(|node| value(*node).norm()).filter(|x| x.is_finite()).fold(0.0, f32::max);
    let limit = look.layer.limit.unwrap_or(largest).max(1e-30);
    let map = look.map.map().unwrap_or(ColourMap::Viridis);
    let is_flat = grid.counts[2] == 1;
    let axis = if is_flat { 2 } else { look.layer.axis.min(2) };
    let (mut u, mut v) = (Vector3::zeros(), Vector3::zeros());
    u[(axis + 1) % 3] = 0.5 * grid.spacing;
    v[(axis + 2) % 3] = 0.5 * grid.spacing;
    let mut mesh = Mesh::default();
    for node in nodes {
        let place = grid.place(node);
        let value = value(node);
        let is_solid = look.layer.marks_obstacles && obstacles::is_inside(known, &place.cast::<f64>(), time);
        if grid.mass[node] <= 0.0 && !is_solid {
            continue;
        }
        let [r, g, b] = match look.layer.part {
            LayerPart::Absolute => [value.x, value.y, value.z].map(|x| (x.abs() / limit).min(1.0)),
            LayerPart::Length => map.colour(value.norm() / limit),
        };
        let bytes = [r, g, b].map(|channel| (channel * 255.0) as u8);
        let colour = if is_solid { SOLID } else { [bytes[0], bytes[1], bytes[2], 235] };
        let start = mesh.vertices.len() as u32;
        for corner in [-u - v, u - v, u + v, v - u] {
            mesh.vertices.push(Vertex { position: (place + corner).into(), normal: [0.0; 3], colour });
        }
        mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| start + corner));
    }
    PlacedMesh {
        mesh: Arc::new(mesh),
        world_from_model: Matrix4::identity(),
        tint: [1.0; 4],
        line_spacing: 0.0,
    }
}

/// The particle a ray meets first, as its place in the snapshot.
pub fn pick(grains: &Grains, ray: &super::camera::EyeRay, slack: f32) -> Option<usize> {
    let mut nearest = (f32::INFINITY, None);
    for (ball, source) in grains.balls.iter().zip(&grains.sources) {
        let to_center = Vector3::new(ball[0], ball[1], ball[2]) - ray.origin;
        let along = to_center.dot(&ray.direction);
        let off = (to_center - ray.direction * along).norm();
        let reach = ball[3].max(slack * along.abs());
        if ball[3] > 0.0 && off <= reach && along > 0.0 {
            // Among balls the ray grazes, the one it meets head on wins over one slightly before it.
            let depth = along - (ball[3] * ball[3] - off * off).max(0.0).sqrt() + off * 1e-3;
            if depth < nearest.0 {
                nearest = (depth, Some(*source as usize));
            }
        }
    }
    nearest.1
}

/// Where a point of space is, in double numbers.
pub fn wide(point: Vector3<f32>) -> Vec3 {
    point.cast()
}
