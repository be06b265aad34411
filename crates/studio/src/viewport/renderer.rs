//! Draws a [`Stage`] into a picture. Particles are uploaded once for each new state, however often they are drawn.

use eframe::wgpu;
use std::sync::Arc;

use super::camera::Camera;
use super::canvas::{Canvas, ShadowMap};
use super::drawing::{Grains, Mesh, PlacedMesh, Vertex};
use super::gpu::{DRAW_SIZE, DRAW_STRIDE, Device, GLOBALS_SIZE, Pipelines};
use super::look::{Grain, Look, ShadowGrain};
use super::obstacles::icosahedron;
use super::plan::{Item, MOST_DRAWS, ShadowKey, Thing, largest_ball};
use super::upload::{filled, globals, light_matrix, put, uniform_buffer, uniform_group, vertex_bytes};

/// Everything that is in a picture.
#[derive(Clone, Default)]
pub struct Stage {
    /// Particles.
    pub grains: Arc<Grains>,
    /// A surface around them, instead of them.
    pub surface: Option<PlacedMesh>,
    /// Obstacles.
    pub obstacles: Vec<PlacedMesh>,
    /// A layer of the grid.
    pub layer: Option<PlacedMesh>,
    /// Lines: pairs of vertices.
    pub lines: Arc<Vec<Vertex>>,
    /// Counts the states; particles are uploaded when it changes.
    pub number: u64,
}

/// The renderer of a viewport: pipelines, and what was uploaded last.
pub struct Renderer {
    device: Device,
    pipelines: Pipelines,
    samples: u32,
    globals: wgpu::Buffer,
    globals_group: wgpu::BindGroup,
    draws: wgpu::Buffer,
    draws_group: wgpu::BindGroup,
    shadow: ShadowMap,
    pub(super) uploaded: Uploaded,
    icosahedron: wgpu::Buffer,
    meshes: Vec<(Arc<Mesh>, MeshBuffers)>,
    /// What the shadow map shows.
    shadowed: Option<ShadowKey>,
}

#[derive(Default)]
pub(super) struct Uploaded {
    key: Option<(u64, usize)>,
    balls: Option<wgpu::Buffer>,
    colours: Option<wgpu::Buffer>,
    turns: Option<wgpu::Buffer>,
    lines: Option<wgpu::Buffer>,
    line_key: Option<usize>,
    pub(super) line_count: u32,
}

/// A mesh on the device.
#[derive(Clone)]
pub(super) struct MeshBuffers {
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    pub(super) count: u32,
    /// Tells it from others while it is kept.
    pub(super) identity: usize,
}

/// Balls that look smaller than this radius are drawn as coins [pixels].
const COIN: f32 = 6.0;
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
        let pipelines = Pipelines::new(gpu, samples);
        let globals = uniform_buffer(gpu, GLOBALS_SIZE);
        let draws = uniform_buffer(gpu, DRAW_STRIDE * MOST_DRAWS);
        let globals_group = uniform_group(gpu, &pipelines.globals, &globals, GLOBALS_SIZE);
        let draws_group = uniform_group(gpu, &pipelines.draws, &draws, DRAW_SIZE);
        let shadow = ShadowMap::new(gpu, &pipelines.shadows, 1024);
        let corners: Vec<f32> =
            icosahedron().into_iter().flat_map(|(place, normal)| [place, normal].concat()).collect();
        let icosahedron = filled(&device, bytemuck::cast_slice(&corners), wgpu::BufferUsages::VERTEX);
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
            icosahedron,
            meshes: Vec::new(),
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
            if look.needs_turns() || look.grain == Grain::Points {
                let plain = [0.0, 0.0, 0.0, if look.needs_turns() { 1.0 } else { 0.0 }];
                let mut turns = grains.turns.clone();
                turns.resize(grains.balls.len(), plain);
                put(&self.device, &mut self.uploaded.turns, bytemuck::cast_slice(&turns));
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

    fn draw_shadows(&self, encoder: &mut wgpu::CommandEncoder, shot: &Shot<'_>, plan: &[Item]) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            color_attachments: &[Some(attachment(&self.shadow.view, None, wgpu::Color::WHITE))],
            depth_stencil_attachment: Some(depth_attachment(&self.shadow.depth)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.globals_group, &[]);
        for (place, item) in plan.iter().enumerate().filter(|(_, item)| item.casts) {
            pass.set_bind_group(1, &self.draws_group, &[(place as u64 * DRAW_STRIDE) as u32]);
            match &item.thing {
                Thing::Grains(range) if shot.stage.surface.is_none() => {
                    self.draw_grain_shadows(&mut pass, range, shot.look.shadow_grain);
                }
                Thing::Mesh(mesh) if mesh.count > 0 => {
                    pass.set_pipeline(&self.pipelines.mesh_shadow);
                    draw_mesh(&mut pass, mesh);
                }
                _ => {}
            }
        }
    }

    fn draw_grain_shadows(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        range: &std::ops::Range<u32>,
        grain: ShadowGrain,
    ) {
        let Some(balls) = &self.uploaded.balls else { return };
        pass.set_vertex_buffer(0, balls.slice(..));
        match (grain, &self.uploaded.turns) {
            (ShadowGrain::Icosahedra, Some(turns)) => {
                pass.set_pipeline(&self.pipelines.solid_shadow);
                pass.set_vertex_buffer(1, turns.slice(..));
                pass.set_vertex_buffer(2, self.icosahedron.slice(..));
                pass.draw(0..60, range.clone());
            }
            (ShadowGrain::Squares, _) => {
                pass.set_pipeline(&self.pipelines.square_shadow);
                pass.draw(0..4, range.clone());
            }
            _ => {
                pass.set_pipeline(&self.pipelines.ball_shadow);
                pass.draw(0..4, range.clone());
            }
        }
    }

    fn draw_picture(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        shot: &Shot<'_>,
        plan: &[Item],
        canvas: &Canvas,
    ) {
        let [r, g, b, a] = shot.background.map(f64::from);
        let clear = wgpu::Color { r, g, b, a };
        let (target, resolved) = match &canvas.samples {
            Some(samples) => (samples, Some(&canvas.view)),
            None => (&canvas.view, None),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("viewport"),
            color_attachments: &[Some(attachment(target, resolved, clear))],
            depth_stencil_attachment: Some(depth_attachment(&canvas.depth)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.globals_group, &[]);
        pass.set_bind_group(2, &self.shadow.group, &[]);
        let is_small = largest_ball(shot, canvas.size[1]) < COIN;
        for (place, item) in plan.iter().enumerate() {
            pass.set_bind_group(1, &self.draws_group, &[(place as u64 * DRAW_STRIDE) as u32]);
            let family = match item.thing {
                Thing::Mesh(_) => &self.pipelines.meshes,
                Thing::Lines => &self.pipelines.lines,
                Thing::Grains(_) => match shot.look.grain {
                    Grain::Points => &self.pipelines.points,
                    Grain::Icosahedra => &self.pipelines.solids,
                    _ if is_small => &self.pipelines.coins,
                    _ => &self.pipelines.balls,
                },
            };
            for pipeline in item.ink.pipelines(family) {
                pass.set_pipeline(pipeline);
                self.draw_thing(&mut pass, &item.thing, shot.look.grain);
            }
        }
    }

    fn draw_thing(&self, pass: &mut wgpu::RenderPass<'_>, thing: &Thing, grain: Grain) {
        match thing {
            Thing::Mesh(mesh) => draw_mesh(pass, mesh),
            Thing::Lines => {
                let Some(lines) = &self.uploaded.lines else { return };
                pass.set_vertex_buffer(0, lines.slice(..));
                pass.draw(0..self.uploaded.line_count, 0..1);
            }
            Thing::Grains(range) => {
                let (Some(balls), Some(colours)) = (&self.uploaded.balls, &self.uploaded.colours) else {
                    return;
                };
                pass.set_vertex_buffer(0, balls.slice(..));
                pass.set_vertex_buffer(1, colours.slice(..));
                if matches!(grain, Grain::Points | Grain::Icosahedra) {
                    let Some(turns) = &self.uploaded.turns else { return };
                    pass.set_vertex_buffer(2, turns.slice(..));
                }
                if grain == Grain::Icosahedra {
                    pass.set_vertex_buffer(3, self.icosahedron.slice(..));
                    pass.draw(0..60, range.clone());
                } else {
                    pass.draw(0..4, range.clone());
                }
            }
        }
    }
}

fn draw_mesh(pass: &mut wgpu::RenderPass<'_>, mesh: &MeshBuffers) {
    if mesh.count > 0 {
        pass.set_vertex_buffer(0, mesh.vertices.slice(..));
        pass.set_index_buffer(mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..mesh.count, 0, 0..1);
    }
}

fn attachment<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    clear: wgpu::Color,
) -> wgpu::RenderPassColorAttachment<'a> {
    wgpu::RenderPassColorAttachment {
        view,
        resolve_target,
        ops: wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Store },
        depth_slice: None,
    }
}

fn depth_attachment(view: &wgpu::TextureView) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store }),
        stencil_ops: None,
    }
}
