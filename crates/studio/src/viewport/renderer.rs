//! Draws a [`Stage`] into a picture. Particles are uploaded once for each new state, however often they are drawn.

use eframe::wgpu;
use nalgebra::{Matrix4, Vector3, Vector4};
use std::sync::Arc;

use super::camera::{Bounds, Camera};
use super::drawing::{Grains, Mesh, PlacedMesh, Vertex};
use super::gpu::{Canvas, DRAW_SIZE, DRAW_STRIDE, Device, Family, GLOBALS_SIZE, Pipelines, ShadowMap};
use super::look::{Grain, Look, Obstacles};
use super::obstacles::icosahedron;

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
    uploaded: Uploaded,
    icosahedron: wgpu::Buffer,
    meshes: Vec<(Arc<Mesh>, MeshBuffers)>,
}

#[derive(Default)]
struct Uploaded {
    key: Option<(u64, usize)>,
    balls: Option<wgpu::Buffer>,
    colours: Option<wgpu::Buffer>,
    turns: Option<wgpu::Buffer>,
    lines: Option<wgpu::Buffer>,
    line_key: Option<usize>,
    line_count: u32,
}

#[derive(Clone)]
struct MeshBuffers {
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    count: u32,
}

/// Things that can be drawn in one picture.
const MOST_DRAWS: u64 = 1024;
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
            self.draw_shadows(&mut encoder, shot, &plan);
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
            if matches!(look.grain, Grain::Icosahedra | Grain::Points) {
                let plain = [0.0, 0.0, 0.0, if look.grain == Grain::Icosahedra { 1.0 } else { 0.0 }];
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

    fn mesh(&mut self, mesh: &Arc<Mesh>) -> MeshBuffers {
        if let Some((_, buffers)) = self.meshes.iter().find(|(known, _)| Arc::ptr_eq(known, mesh)) {
            return buffers.clone();
        }
        let buffers = MeshBuffers {
            vertices: filled(&self.device, &vertex_bytes(&mesh.vertices), wgpu::BufferUsages::VERTEX),
            indices: filled(&self.device, bytemuck::cast_slice(&mesh.indices), wgpu::BufferUsages::INDEX),
            count: mesh.indices.len() as u32,
        };
        if self.meshes.len() >= MOST_MESHES {
            self.meshes.remove(0);
        }
        self.meshes.push((Arc::clone(mesh), buffers.clone()));
        buffers
    }

    /// What is drawn, in this order.
    fn plan(&mut self, shot: &Shot<'_>) -> Vec<Item> {
        let (stage, look) = (shot.stage, shot.look);
        let lit = if look.is_lit { 1.0 } else { 0.0 };
        let mut items = Vec::new();
        let obstacles: Vec<Item> =
            stage.obstacles.iter().map(|placed| self.mesh_item(placed, look)).collect();
        if look.obstacles != Obstacles::After {
            items.extend(obstacles.iter().cloned());
        }
        if let Some(surface) = &stage.surface {
            items.push(self.mesh_item(surface, look));
        } else if !matches!(look.grain, Grain::Hidden | Grain::Surface) {
            for batch in &stage.grains.batches {
                let tint = [1.0, 1.0, 1.0, batch.opacity];
                let flags = [lit, if batch.receives { 1.0 } else { 0.0 }, 0.0, 0.0];
                items.push(Item {
                    uniform: uniform(&Matrix4::identity(), tint, flags),
                    thing: Thing::Grains(batch.particles.clone()),
                    ink: if batch.opacity < 1.0 { Ink::Translucent } else { Ink::Opaque },
                    casts: batch.casts,
                });
            }
        }
        if let Some(layer) = &stage.layer {
            let item = self.mesh_item(layer, look);
            items.push(Item { ink: Ink::OnTop, casts: false, ..item });
        }
        if look.obstacles == Obstacles::After {
            items.extend(obstacles.into_iter().map(|item| Item { ink: Ink::OnTop, ..item }));
        }
        if self.uploaded.line_count > 0 {
            items.push(Item {
                uniform: uniform(&Matrix4::identity(), [1.0; 4], [0.0; 4]),
                thing: Thing::Lines,
                ink: Ink::OnTop,
                casts: false,
            });
        }
        items.truncate(MOST_DRAWS as usize);
        items
    }

    fn mesh_item(&mut self, placed: &PlacedMesh, look: &Look) -> Item {
        let lit = if look.is_lit { 1.0 } else { 0.0 };
        let ink = match look.obstacles {
            _ if placed.tint[3] < 1.0 => Ink::Translucent,
            Obstacles::Before if placed.line_spacing > 0.0 => Ink::Backdrop,
            _ => Ink::Opaque,
        };
        Item {
            uniform: uniform(&placed.world_from_model, placed.tint, [lit, 1.0, placed.line_spacing, 0.0]),
            thing: Thing::Mesh(self.mesh(&placed.mesh)),
            ink,
            casts: look.obstacle_shadows && placed.line_spacing == 0.0,
        }
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
                    let Some(balls) = &self.uploaded.balls else { continue };
                    pass.set_pipeline(&self.pipelines.ball_shadow);
                    pass.set_vertex_buffer(0, balls.slice(..));
                    pass.draw(0..4, range.clone());
                }
                Thing::Mesh(mesh) if mesh.count > 0 => {
                    pass.set_pipeline(&self.pipelines.mesh_shadow);
                    draw_mesh(&mut pass, mesh);
                }
                _ => {}
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
        for (place, item) in plan.iter().enumerate() {
            pass.set_bind_group(1, &self.draws_group, &[(place as u64 * DRAW_STRIDE) as u32]);
            let family = match item.thing {
                Thing::Mesh(_) => &self.pipelines.meshes,
                Thing::Lines => &self.pipelines.lines,
                Thing::Grains(_) => match shot.look.grain {
                    Grain::Points => &self.pipelines.points,
                    Grain::Icosahedra => &self.pipelines.solids,
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

#[derive(Clone)]
struct Item {
    uniform: [f32; 24],
    thing: Thing,
    ink: Ink,
    casts: bool,
}

#[derive(Clone)]
enum Thing {
    Grains(std::ops::Range<u32>),
    Mesh(MeshBuffers),
    Lines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ink {
    Opaque,
    /// Two passes: depth, then colour where it is nearest.
    Translucent,
    /// Behind everything that follows.
    Backdrop,
    OnTop,
}

impl Ink {
    fn pipelines(self, family: &Family) -> impl Iterator<Item = &wgpu::RenderPipeline> {
        match self {
            Self::Opaque => vec![&family.opaque],
            Self::Translucent => vec![&family.depth, &family.blend],
            Self::Backdrop | Self::OnTop => vec![&family.on_top],
        }
        .into_iter()
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

fn uniform(world_from_model: &Matrix4<f32>, tint: [f32; 4], flags: [f32; 4]) -> [f32; 24] {
    let mut numbers = [0.0; 24];
    numbers[..16].copy_from_slice(world_from_model.as_slice());
    numbers[16..20].copy_from_slice(&tint);
    numbers[20..].copy_from_slice(&flags);
    numbers
}

fn globals(shot: &Shot<'_>, canvas: &Canvas, light_from_world: &Matrix4<f32>, shadow_side: u32) -> Vec<f32> {
    let (camera, look) = (shot.camera, shot.look);
    let [width, height] = canvas.size.map(|side| side as f32);
    let [right, up, back] = camera.axes();
    let eye = camera.eye();
    let forward = -back;
    let [lx, ly, lz] = if camera.is_flat { [0.3, 0.4, 0.866] } else { look.to_light() };
    let [ar, ag, ab] = look.ambient;
    let is_shadowed = look.shadows && !camera.is_flat;
    let mut numbers = camera.clip_from_world(width / height).as_slice().to_vec();
    numbers.extend_from_slice(light_from_world.as_slice());
    let flag = |is: bool| if is { 1.0 } else { 0.0 };
    numbers.extend([eye.x, eye.y, eye.z, flag(camera.is_perspective())]);
    numbers.extend([right.x, right.y, right.z, 0.0]);
    numbers.extend([up.x, up.y, up.z, 0.0]);
    numbers.extend([forward.x, forward.y, forward.z, 0.0]);
    numbers.extend([lx, ly, lz, look.light_strength]);
    numbers.extend([ar, ag, ab, flag(is_shadowed)]);
    numbers.extend([width, height, look.point_size, shadow_side as f32]);
    numbers
}

/// From the world to the view of the light: a box around the matter.
fn light_matrix(shot: &Shot<'_>) -> Matrix4<f32> {
    let bounds = shot.stage.grains.bounds.filter(|bounds| !bounds.is_empty());
    let bounds = bounds.unwrap_or(Bounds { min: Vector3::repeat(-1.0), max: Vector3::repeat(1.0) });
    let (center, radius) = (bounds.center(), bounds.radius() * 1.5);
    let light = Vector3::from(shot.look.to_light());
    let above = if light.y.abs() > 0.9 { Vector3::x() } else { Vector3::y() };
    let right = above.cross(&light).normalize();
    let up = light.cross(&right);
    let row = |axis: Vector3<f32>, scale: f32, shift: f32| {
        let axis = axis * scale;
        Vector4::new(axis.x, axis.y, axis.z, shift - axis.dot(&center)).transpose()
    };
    Matrix4::from_rows(&[
        row(right, 1.0 / radius, 0.0),
        row(up, 1.0 / radius, 0.0),
        row(-light, 0.25 / radius, 0.5),
        Vector4::w().transpose(),
    ])
}

fn uniform_buffer(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("uniforms"),
        size,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

fn uniform_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    buffer: &wgpu::Buffer,
    size: u64,
) -> wgpu::BindGroup {
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("uniforms"),
        layout,
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: 0,
                size: wgpu::BufferSize::new(size),
            }),
        }],
    })
}

fn filled(device: &Device, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let buffer = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("geometry"),
        size: (bytes.len() as u64).max(16),
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    device.queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// Writes bytes into a buffer, which grows where it is too small.
fn put(device: &Device, buffer: &mut Option<wgpu::Buffer>, bytes: &[u8]) {
    match buffer {
        Some(buffer) if buffer.size() >= bytes.len() as u64 => device.queue.write_buffer(buffer, 0, bytes),
        _ => *buffer = Some(filled(device, bytes, wgpu::BufferUsages::VERTEX)),
    }
}

fn vertex_bytes(vertices: &[Vertex]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(vertices.len() * 28);
    for vertex in vertices {
        bytes.extend_from_slice(bytemuck::cast_slice(&vertex.position));
        bytes.extend_from_slice(bytemuck::cast_slice(&vertex.normal));
        bytes.extend_from_slice(&vertex.colour);
    }
    bytes
}
