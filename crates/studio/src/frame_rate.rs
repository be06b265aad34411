//! How many pictures a second the viewport makes on this machine: `pliant-studio --bench PARTICLES`.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::wgpu;
use pliant_world::{Column, Field, Snapshot};

use crate::viewport::look::Grain;
use crate::viewport::{Bounds, Camera, Device, Look, Renderer, Scenery, Shot, State};

/// Size of the pictures [pixels].
const SIZE: [u32; 2] = [1280, 720];
/// Time each way of drawing is tried for.
const PATIENCE: Duration = Duration::from_secs(3);
/// Pictures before it counts.
const WARM: usize = 2;

/// How particles lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// A full block, as bodies at rest.
    Block,
    /// Far apart, so that every single one is seen.
    Cloud,
}

/// Pictures a second, by what changes between them.
#[derive(Clone, Debug)]
pub struct FrameRate {
    /// How particles lie, and what changes between pictures.
    pub name: String,
    /// Pictures a second.
    pub rate: f64,
}

/// What was measured on which adapter.
#[derive(Clone, Debug)]
pub struct Rates {
    /// Name of the adapter.
    pub adapter: String,
    /// Particles.
    pub particles: usize,
    /// What was measured.
    pub rates: Vec<FrameRate>,
}

/// Draws that many particles again and again.
///
/// # Errors
/// When there is no adapter, or it is lost.
pub fn measure(particles: usize, samples: u32) -> Result<Rates, String> {
    let device = Device::headless().map_err(|error| error.to_string())?;
    let adapter = device.name.clone();
    let mut renderer = Renderer::new(device, samples);
    let mut rates = Vec::new();
    let kinds = [
        (Grain::Balls, "balls"),
        (Grain::Points, "points"),
        (Grain::Icosahedra, "icosahedra"),
        (Grain::Surface, "surface"),
    ];
    let heaps = [(Heap::Block, "block"), (Heap::Cloud, "cloud")];
    for ((grain, kind), (heap, lie)) in kinds.iter().flat_map(|kind| heaps.map(|heap| (*kind, heap))) {
        for (moves, change) in [(false, "camera turns"), (true, "new state each picture")] {
            let is_slow = grain == Grain::Surface && (moves || heap == Heap::Cloud);
            if is_slow {
                // Surfaces are made on other threads while the last one is shown; a cloud has none worth the name.
                continue;
            }
            let rate = rate(&mut renderer, particles, grain, (heap, moves))?;
            rates.push(FrameRate { name: format!("{kind}, {lie}, {change}"), rate });
        }
    }
    Ok(Rates { adapter, particles, rates })
}

impl fmt::Display for Rates {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(to, "{}: {} particles, {} x {} pixels", self.adapter, self.particles, SIZE[0], SIZE[1])?;
        for rate in &self.rates {
            writeln!(to, "{:>8.1} pictures a second: {}", rate.rate, rate.name)?;
        }
        Ok(())
    }
}

/// A floor below the particles.
const FLOOR: &str = "pliant = 1\nspacing = 0.1\n[materials.a]\npreset = \"jello\"\n[[objects]]\nmaterial = \"a\"\n\
                     shape.ball.radius = 0.2\n[[colliders]]\nshape.half_space = {}\n";

fn rate(
    renderer: &mut Renderer,
    particles: usize,
    grain: Grain,
    (heap, moves): (Heap, bool),
) -> Result<f64, String> {
    let scene = pliant_scene::Scene::from_text(FLOOR, std::path::Path::new("."), &[]);
    let scene = Arc::new(scene.map_err(|error| error.to_string())?);
    let states = [0.0, 0.01].map(|shift| {
        let snapshot = Arc::new(particles_of(particles, heap, shift));
        State::new(snapshot, Some(Arc::clone(&scene)))
    });
    let bounds = Bounds::of(states[0].snapshot.positions(), 0.0);
    let mut camera = Camera::default().seeing(&bounds, SIZE[0] as f32 / SIZE[1] as f32);
    let (mut scenery, look) = (Scenery::default(), Look { grain, ..Look::default() });
    scenery.stage(&states[0], &look, &camera);
    while scenery.is_busy() {
        std::thread::sleep(Duration::from_millis(2));
        scenery.stage(&states[0], &look, &camera);
    }
    let canvas = renderer.canvas(SIZE);
    let (mut start, mut count) = (Instant::now(), 0);
    while count < WARM + 2 || start.elapsed() < PATIENCE {
        if count == WARM {
            start = Instant::now();
        }
        camera.azimuth += 3.0;
        let state = &states[if moves { count % 2 } else { 0 }];
        let stage = scenery.stage(state, &look, &camera);
        let shot = Shot { stage: &stage, camera: &camera, look: &look, background: [0.1, 0.1, 0.1, 1.0] };
        renderer.draw(&shot, &canvas);
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: None };
        renderer.device().device.poll(wait).map_err(|error| error.to_string())?;
        count += 1;
    }
    Ok((count - WARM) as f64 / start.elapsed().as_secs_f64())
}

/// A metre of particles, pushed up by a share of their distance.
fn particles_of(count: usize, heap: Heap, shift: f32) -> Snapshot {
    let side = (count as f64).cbrt().ceil() as usize;
    let spacing = 1.0 / side as f32;
    let place = |i: usize| {
        // Low bits of a multiplicative hash: off the lattice by up to a quarter, the same every time.
        let off = |axis: u64| {
            let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(21 * axis as u32);
            ((mixed >> 40) as f32 / (1_u64 << 24) as f32 - 0.5) * 0.5
        };
        let cell = [i % side, i / side % side, i / (side * side)];
        [0, 1, 2].map(|axis| (cell[axis] as f32 + 0.5 + shift + off(axis as u64)) * spacing)
    };
    let share = if heap == Heap::Block { 0.5 } else { 0.15 };
    let positions: Vec<[f32; 3]> = (0..count).map(place).collect();
    let colours = positions.iter().map(|[x, y, z]| [0.2 + 0.6 * x, 0.2 + 0.6 * y, 0.2 + 0.6 * z]).collect();
    // Each particle turned by another angle about z, so that every rotation has to be found.
    let turned = |i: usize| {
        let (sin, cos) = (i as f32 * 0.37).sin_cos();
        [cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0]
    };
    let field = |name: &str, column| Field { name: name.to_owned(), column };
    Snapshot {
        fields: vec![
            field("position", Column::Vector(positions)),
            field("radius", Column::Scalar(vec![share * spacing; count])),
            field("color", Column::Vector(colours)),
            field("mass", Column::Scalar(vec![1.0; count])),
            field("F", Column::Tensor((0..count).map(turned).collect())),
        ],
        ..Snapshot::default()
    }
}
