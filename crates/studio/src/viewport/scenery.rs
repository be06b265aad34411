//! From a state to a [`Stage`], with as little work as the changes allow: particles when the state or the look
//! changes, obstacles when the scene does, surfaces in the background.

use std::hash::{Hash, Hasher};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};

use nalgebra::Vector3;
use pliant_render::{Skins, SurfaceOptions};
use pliant_scene::Scene;
use pliant_world::Snapshot;

use super::bounds::Bounds;
use super::camera::Camera;
use super::colours::Legend;
use super::drawing::{self, Grains, Mesh, Placed, Vertex};
use super::grid::NodeGrid;
use super::look::{Grain, Look};
use super::obstacles::{self, Obstacle};
use super::overlays::{grid_lines, layer_mesh, particle_lines};
use super::renderer::Stage;

/// A state to be shown.
#[derive(Clone)]
pub struct State {
    /// Particles.
    pub snapshot: Arc<Snapshot>,
    /// The scene they belong to, if it is known.
    pub scene: Option<Arc<Scene>>,
    /// Nodes of the grid in the midst of a step.
    pub nodes: Option<Arc<Snapshot>>,
    /// What tells it from others beside it.
    pub title: String,
}

impl State {
    /// A state between steps.
    pub fn new(snapshot: Arc<Snapshot>, scene: Option<Arc<Scene>>) -> Self {
        Self { snapshot, scene, nodes: None, title: String::new() }
    }

    /// Where its particles are.
    pub fn bounds(&self) -> Bounds {
        let radii = self.snapshot.scalars("radius").unwrap_or_default();
        Bounds::of(self.snapshot.positions(), radii.first().copied().unwrap_or(0.0))
    }
}

/// What was prepared for the last picture, kept for the next.
#[derive(Default)]
pub struct Scenery {
    number: u64,
    /// What the newest preparation is of.
    wanted: Option<(Arc<Snapshot>, Look)>,
    coming: Option<Receiver<Prepared>>,
    prepared: Prepared,
    obstacles: Background<Arc<Vec<Obstacle>>>,
    surface: Background<Arc<Mesh>>,
    /// The skins that bodies of a scene wear, bound to their particles.
    skins: Arc<Mutex<Worn>>,
}

/// Skins, and the scene they are of.
type Worn = Option<(Arc<Scene>, Skins)>;

/// A state as it is drawn.
#[derive(Default)]
struct Prepared {
    grains: Arc<Grains>,
    legend: Option<Legend>,
    layer: Option<Placed>,
    layer_legend: Option<Legend>,
    lines: Arc<Vec<Vertex>>,
}

/// States with more particles are prepared on another thread; the window shows the last one meanwhile.
const MANY: usize = 20_000;

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

impl Scenery {
    /// What a picture of a state shows, from a camera.
    pub fn stage(&mut self, state: &State, look: &Look, camera: &Camera) -> Stage {
        self.take_prepared();
        let is_known = self
            .wanted
            .as_ref()
            .is_some_and(|(snapshot, known)| Arc::ptr_eq(snapshot, &state.snapshot) && known == look);
        if !is_known && self.coming.is_none() {
            self.prepare(state, look);
        }
        let time = state.snapshot.time;
        let eye = (!camera.is_flat).then(|| camera.eye().cast::<f64>());
        let obstacles = self.obstacles(state).map(|known| obstacles::placed(known, look, time, eye));
        let mut obstacles = obstacles.unwrap_or_default();
        // From far away a plane is seen farther: it never fades before what stands on it.
        obstacles.iter_mut().for_each(|placed| placed.sight = placed.sight.max(4.0 * camera.distance));
        Stage {
            grains: Arc::clone(&self.prepared.grains),
            surface: self.surface(state, look),
            obstacles,
            layer: self.prepared.layer.clone(),
            lines: Arc::clone(&self.prepared.lines),
            number: self.number,
        }
    }

    /// What the colours of the last stage mean.
    pub fn legend(&self) -> Option<&Legend> {
        self.prepared.legend.as_ref()
    }

    /// What the colours of the last layer mean.
    pub fn layer_legend(&self) -> Option<&Legend> {
        self.prepared.layer_legend.as_ref()
    }

    /// Where the particles of the last stage are.
    fn bounds(&self) -> Bounds {
        self.prepared.grains.bounds.unwrap_or(Bounds::EMPTY)
    }

    /// The particles of the last stage.
    pub fn grains(&self) -> &Grains {
        &self.prepared.grains
    }

    /// Whether something is still being worked out.
    pub fn is_busy(&self) -> bool {
        self.coming.is_some() || self.obstacles.is_busy() || self.surface.is_busy()
    }

    /// Prepares a state, here if it is small, on another thread if not.
    fn prepare(&mut self, state: &State, look: &Look) {
        self.wanted = Some((Arc::clone(&state.snapshot), look.clone()));
        let known = self.obstacles.result.clone().unwrap_or_default();
        if state.snapshot.positions().len() <= MANY {
            self.number += 1;
            self.prepared = prepared(state, look, &known);
            return;
        }
        let (sender, receiver) = mpsc::channel();
        let (state, look) = (state.clone(), look.clone());
        self.coming = Some(receiver);
        std::thread::spawn(move || drop(sender.send(prepared(&state, &look, &known))));
    }

    fn take_prepared(&mut self) {
        match self.coming.as_ref().map(Receiver::try_recv) {
            Some(Ok(prepared)) => {
                self.number += 1;
                (self.prepared, self.coming) = (prepared, None);
            }
            Some(Err(mpsc::TryRecvError::Disconnected)) => self.coming = None,
            Some(Err(mpsc::TryRecvError::Empty)) | None => {}
        }
    }

    fn obstacles(&mut self, state: &State) -> Option<&Arc<Vec<Obstacle>>> {
        let scene = state.scene.clone()?;
        let bounds = self.bounds();
        let key = Arc::as_ptr(&scene) as usize;
        self.obstacles.get(key, move || Arc::new(obstacles::prepare_obstacles(&scene, &bounds)))
    }

    fn surface(&mut self, state: &State, look: &Look) -> Option<Placed> {
        if look.grain != Grain::Surface {
            return None;
        }
        let (state, look, skins) = (state.clone(), look.clone(), Arc::clone(&self.skins));
        let mut key = std::hash::DefaultHasher::new();
        let colours = (&look.colour_by, format!("{:?}", (look.map, look.range)));
        (Arc::as_ptr(&state.snapshot), colours).hash(&mut key);
        let mesh = self.surface.get(key.finish() as usize, move || {
            let mut skins = skins.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::new(surface_of(&state, &look, &mut skins))
        })?;
        Some(Placed::mesh(Arc::clone(mesh)))
    }
}

/// Particles, lines and the layer of the grid as a look wants them.
fn prepared(state: &State, look: &Look, known: &[Obstacle]) -> Prepared {
    let snapshot = &state.snapshot;
    let (mut grains, legend) = drawing::grains(snapshot, look);
    let shows_lines = look.grid_lines || state.nodes.is_some();
    let is_dotted = |batch: &drawing::Batch| batch.grain == Grain::Points && batch.is_lit;
    let has_points = grains.batches.iter().any(is_dotted);
    let needs_grid = look.layer.is_shown || shows_lines || has_points;
    let grid = state.scene.as_ref().filter(|_| needs_grid).map(|scene| NodeGrid::of(snapshot, scene));
    let (mut layer, mut layer_legend, mut lines) = (None, None, Vec::new());
    if let Some(mut grid) = grid {
        if let Some(nodes) = &state.nodes {
            grid.take_nodes(nodes);
        }
        if has_points {
            let places: Vec<[f32; 3]> = grains.balls.iter().map(|ball| [ball[0], ball[1], ball[2]]).collect();
            let normals = grid.normals(&places);
            grains.turns.resize(normals.len(), [0.0, 0.0, 0.0, 1.0]);
            for batch in grains.batches.iter().filter(|batch| is_dotted(batch)) {
                let members = batch.particles.start as usize..batch.particles.end as usize;
                grains.turns[members.clone()].copy_from_slice(&normals[members]);
            }
        }
        if look.layer.is_shown {
            let (mesh, meaning) = layer_mesh(&grid, look, known, snapshot.time);
            (layer, layer_legend) = (Some(mesh), meaning);
        }
        if shows_lines {
            grid_lines(&grid, look, &mut lines);
        }
    }
    if look.particle_lines {
        particle_lines(snapshot, look, &mut lines);
    }
    Prepared { grains: Arc::new(grains), legend, layer, layer_legend, lines: Arc::new(lines) }
}

/// The skins of bodies that wear one and the surface around all others, coloured as the nearest particles; empty where
/// there is none.
fn surface_of(state: &State, look: &Look, worn: &mut Worn) -> Mesh {
    let snapshot = &state.snapshot;
    if let Some(scene) = &state.scene
        && worn.as_ref().is_none_or(|(known, _)| !Arc::ptr_eq(known, scene))
    {
        *worn = scene.skins().ok().map(|skins| (Arc::clone(scene), Skins::new(skins)));
    }
    let mut none = Skins::new([]);
    let skins = match worn {
        Some((_, skins)) if state.scene.is_some() => skins,
        _ => &mut none,
    };
    let surface = pliant_render::dressed(snapshot, skins, &SurfaceOptions::default());
    let Ok(surface) = surface else { return Mesh::default() };
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
