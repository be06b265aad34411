//! Draws a [`Stage`] into a picture. Particles are uploaded once for each new state, however often they are drawn.

use eframe::wgpu;
use std::sync::Arc;

use super::camera::Camera;
use super::canvas::{Canvas, ShadowMap};
use super::drawing::{Grains, Mesh, Placed, Vertex};
use super::gpu::{DRAW_SIZE, DRAW_STRIDE, Device, GLOBALS_SIZE};
use super::look::{Grain, Look, ShadowGrain};
use super::pipelines::Pipelines;
use super::plan::{MOST_DRAWS, ShadowKey};
use super::trace::Tracing;
use super::upload::{
    filled, globals, light_matrix, put, tracing_group, uniform_buffer, uniform_group, vertex_bytes,
};

/// Everything that is in a picture.
#[derive(Clone, Default)]
pub struct Stage {
    /// Particles.
    pub grains: Arc<Grains>,
    /// A surface around them, instead of them.
    pub surface: Option<Placed>,
    /// Obstacles.
    pub obstacles: Vec<Placed>,
    /// A layer of the grid.
    pub layer: Option<Placed>,
    /// Lines: pairs of vertices.
    pub lines: Arc<Vec<Vertex>>,
    /// Counts the states; particles are uploaded when it changes.
    pub number: u64,
}

/// The renderer of a viewport: pipelines, and what was uploaded last.
pub struct Renderer {
    device: Device,
    pub(super) pipelines: Pipelines,
    samples: u32,
    globals: wgpu::Buffer,
    pub(super) globals_group: wgpu::BindGroup,
    draws: wgpu::Buffer,
    pub(super) draws_group: wgpu::BindGroup,
    pub(super) shadow: ShadowMap,
    pub(super) uploaded: Uploaded,
    meshes: Vec<(Arc<Mesh>, MeshBuffers)>,
    tracings: Vec<(Arc<Tracing>, TraceBuffers)>,
    /// What the shadow map shows.
    shadowed: Option<ShadowKey>,
}

#[derive(Default)]
pub(super) struct Uploaded {
    key: Option<(u64, usize)>,
    pub(super) balls: Option<wgpu::Buffer>,
    pub(super) colours: Option<wgpu::Buffer>,
    pub(super) turns: Option<wgpu::Buffer>,
    pub(super) lines: Option<wgpu::Buffer>,
    line_key: Option<usize>,
    pub(super) line_count: u32,
}

/// A mesh on the device.
#[derive(Clone)]
pub(super) struct MeshBuffers {
    pub(super) vertices: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    pub(super) count: u32,
    /// Tells it from others while it is kept.
    pub(super) identity: usize,
}

/// A shape that is traced, on the device.
#[derive(Clone)]
pub(super) struct TraceBuffers {
    pub(super) group: wgpu::BindGroup,
    /// Tells it from others while it is kept.
    pub(super) identity: usize,
}

/// Meshes kept on the device; more are forgotten, oldest first.
const MOST_MESHES: usize = 600;

/// What the renderer does in one call.
pub struct Shot<'a> {
    /// What is seen.
    pub stage: &'a Stage,
    /// From where.
    pub camera: &'a Camera,
    /// How.
    pub look: &'a Look,
    /// Colour behind everything, sRGB and opacity, 0 to 1.
    pub background: [f32; 4],
}

impl Renderer {
    /// A renderer for pictures with that many samples a pixel (1 or 4).
    pub fn new(device: Device, samples: u32) -> Self {
        let gpu = &device.device;
        let pipelines = Pipelines::new(&device, samples);
        let globals = uniform_buffer(gpu, GLOBALS_SIZE);
        let draws = uniform_buffer(gpu, DRAW_STRIDE * MOST_DRAWS);
        let globals_group = uniform_group(gpu, &pipelines.globals, &globals, GLOBALS_SIZE);
        let draws_group = uniform_group(gpu, &pipelines.draws, &draws, DRAW_SIZE);
        let shadow = ShadowMap::new(gpu, &pipelines.shadows, 1024);
        Self {
            device,
            pipelines,
            samples,
            globals,
            globals_group,
            draws,
            draws_group,
            shadow,
            uploaded: Uploaded::default(),
            meshes: Vec::new(),
            tracings: Vec::new(),
            shadowed: None,
        }
    }

    /// The device it draws with.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// An empty picture of that size.
    pub fn canvas(&self, size: [u32; 2]) -> Canvas {
        Canvas::new(&self.device.device, size, self.samples)
    }

    /// Draws into a picture.
    pub fn draw(&mut self, shot: &Shot<'_>, canvas: &Canvas) {
        self.upload(shot.stage, shot.look);
        if self.shadow.side != shot.look.shadow_resolution.clamp(16, 8192) {
            let side = shot.look.shadow_resolution.clamp(16, 8192);
            self.shadow = ShadowMap::new(&self.device.device, &self.pipelines.shadows, side);
            self.shadowed = None;
        }
        let light_from_world = light_matrix(shot);
        self.device.queue.write_buffer(
            &self.globals,
            0,
            bytemuck::cast_slice(&globals(shot, canvas, &light_from_world, self.shadow.side)),
        );
        let plan = self.plan(shot);
        let mut bytes = vec![0.0_f32; (DRAW_STRIDE / 4) as usize * plan.len().max(1)];
        for (item, place) in plan.iter().zip(bytes.chunks_mut((DRAW_STRIDE / 4) as usize)) {
            place[..24].copy_from_slice(&item.uniform);
        }
        self.device.queue.write_buffer(&self.draws, 0, bytemuck::cast_slice(&bytes));
        let mut encoder =
            self.device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if shot.look.shadows && !shot.camera.is_flat {
            let key = ShadowKey::of(shot, &plan, &light_from_world);
            if self.shadowed.as_ref() != Some(&key) {
                self.draw_shadows(&mut encoder, shot, &plan);
                self.shadowed = Some(key);
            }
        }
        self.draw_picture(&mut encoder, shot, &plan, canvas);
        self.device.queue.submit([encoder.finish()]);
    }

    fn upload(&mut self, stage: &Stage, look: &Look) {
        let key = (stage.number, Arc::as_ptr(&stage.grains) as usize);
        if self.uploaded.key != Some(key) {
            self.uploaded.key = Some(key);
            let grains = &stage.grains;
            put(&self.device, &mut self.uploaded.balls, bytemuck::cast_slice(&grains.balls));
            put(&self.device, &mut self.uploaded.colours, bytemuck::cast_slice(&grains.colours));
            let is_turned = |grain: Grain| matches!(grain, Grain::Points | Grain::Icosahedra);
            let casts_turned = look.shadow_grain == ShadowGrain::Icosahedra;
            if casts_turned || grains.batches.iter().any(|batch| is_turned(batch.grain)) {
                let missing = grains.balls.len().saturating_sub(grains.turns.len());
                let turns: Vec<[f32; 4]> = vec![[0.0, 0.0, 0.0, 1.0]; missing];
                let turns = if missing > 0 { &turns } else { &grains.turns };
                put(&self.device, &mut self.uploaded.turns, bytemuck::cast_slice(turns));
            }
        }
        let line_key = Arc::as_ptr(&stage.lines) as usize;
        if self.uploaded.line_key != Some(line_key) {
            self.uploaded.line_key = Some(line_key);
            self.uploaded.line_count = stage.lines.len() as u32;
            put(&self.device, &mut self.uploaded.lines, &vertex_bytes(&stage.lines));
        }
    }

    /// A mesh on the device, uploaded if it is new.
    pub(super) fn mesh(&mut self, mesh: &Arc<Mesh>) -> MeshBuffers {
        if let Some((_, buffers)) = self.meshes.iter().find(|(known, _)| Arc::ptr_eq(known, mesh)) {
            return buffers.clone();
        }
        let buffers = MeshBuffers {
            vertices: filled(&self.device, &vertex_bytes(&mesh.vertices), wgpu::BufferUsages::VERTEX),
            indices: filled(&self.device, bytemuck::cast_slice(&mesh.indices), wgpu::BufferUsages::INDEX),
            count: mesh.indices.len() as u32,
            identity: Arc::as_ptr(mesh) as usize,
        };
        if self.meshes.len() >= MOST_MESHES {
            self.meshes.remove(0);
        }
        self.meshes.push((Arc::clone(mesh), buffers.clone()));
        buffers
    }

    /// A shape that is traced on the device, uploaded if it is new.
    pub(super) fn tracing(&mut self, tracing: &Arc<Tracing>) -> TraceBuffers {
        if let Some((_, buffers)) = self.tracings.iter().find(|(known, _)| Arc::ptr_eq(known, tracing)) {
            return buffers.clone();
        }
        let group = tracing_group(&self.device, &self.pipelines.tracings, tracing);
        let buffers = TraceBuffers { group, identity: Arc::as_ptr(tracing) as usize };
        if self.tracings.len() >= MOST_MESHES {
            self.tracings.remove(0);
        }
        self.tracings.push((Arc::clone(tracing), buffers.clone()));
        buffers
    }
}
