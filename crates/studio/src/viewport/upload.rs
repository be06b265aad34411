//! Numbers and bytes on their way to the graphics processor.

use eframe::wgpu;
use nalgebra::{Matrix4, Vector3, Vector4};

use super::bounds::Bounds;
use super::canvas::Canvas;
use super::drawing::Vertex;
use super::gpu::{Device, TRACING_SIZE};
use super::renderer::Shot;
use super::trace::{Lattice, Tracing};

pub(super) fn uniform(world_from_model: &Matrix4<f32>, tint: [f32; 4], flags: [f32; 4]) -> [f32; 24] {
    let mut numbers = [0.0; 24];
    numbers[..16].copy_from_slice(world_from_model.as_slice());
    numbers[16..20].copy_from_slice(&tint);
    numbers[20..].copy_from_slice(&flags);
    numbers
}

pub(super) fn globals(
    shot: &Shot<'_>,
    canvas: &Canvas,
    light_from_world: &Matrix4<f32>,
    shadow_side: u32,
) -> Vec<f32> {
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
    let [lamp_r, lamp_g, lamp_b] = look.light_colour.map(|channel| channel * look.light_strength);
    numbers.extend([right.x, right.y, right.z, lamp_r]);
    numbers.extend([up.x, up.y, up.z, lamp_g]);
    numbers.extend([forward.x, forward.y, forward.z, lamp_b]);
    numbers.extend([lx, ly, lz, 0.0]);
    numbers.extend([ar, ag, ab, flag(is_shadowed)]);
    numbers.extend([width, height, 0.0, shadow_side as f32]);
    numbers.extend(shot.background);
    numbers
}

/// From the world to the view of the light: a box around the matter.
pub(super) fn light_matrix(shot: &Shot<'_>) -> Matrix4<f32> {
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

pub(super) fn uniform_buffer(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("uniforms"),
        size,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

pub(super) fn uniform_group(
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

pub(super) fn filled(device: &Device, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
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
pub(super) fn put(device: &Device, buffer: &mut Option<wgpu::Buffer>, bytes: &[u8]) {
    match buffer {
        Some(buffer) if buffer.size() >= bytes.len() as u64 => device.queue.write_buffer(buffer, 0, bytes),
        _ => *buffer = Some(filled(device, bytes, wgpu::BufferUsages::VERTEX)),
    }
}

pub(super) fn vertex_bytes(vertices: &[Vertex]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(vertices.len() * 28);
    for vertex in vertices {
        bytes.extend_from_slice(bytemuck::cast_slice(&vertex.position));
        bytes.extend_from_slice(bytemuck::cast_slice(&vertex.normal));
        bytes.extend_from_slice(&vertex.colour);
    }
    bytes
}

/// What a traced shape is drawn from: its orders, and its lattice of distances or an empty one.
pub(super) fn tracing_group(
    device: &Device,
    layout: &wgpu::BindGroupLayout,
    tracing: &Tracing,
) -> wgpu::BindGroup {
    let [low, high] = tracing.corners;
    let diagonal = (Vector3::from(high) - Vector3::from(low)).norm();
    let none = Lattice { counts: [1; 3], corners: [[0.0; 3], [1.0; 3]], distances: vec![0] };
    let lattice = tracing.lattice.as_ref().unwrap_or(&none);
    let [first, last] = lattice.corners.map(Vector3::from);
    let size = last - first;
    let mut numbers = vec![low[0], low[1], low[2], tracing.count() as f32];
    numbers.extend([high[0], high[1], high[2], diagonal]);
    numbers.extend([first.x, first.y, first.z, 0.0, size.x, size.y, size.z, 0.0]);
    numbers.extend_from_slice(&tracing.orders);
    numbers.resize(TRACING_SIZE as usize / 4, 0.0);
    let orders = filled(device, bytemuck::cast_slice(&numbers), wgpu::BufferUsages::UNIFORM);
    let view = lattice_texture(device, lattice).create_view(&wgpu::TextureViewDescriptor::default());
    let sampler = device.device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    });
    device.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("tracing"),
        layout,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: orders.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&view) },
            wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::Sampler(&sampler) },
        ],
    })
}

fn lattice_texture(device: &Device, lattice: &Lattice) -> wgpu::Texture {
    let [width, height, depth] = lattice.counts;
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: depth };
    let texture = device.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("distances"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D3,
        format: wgpu::TextureFormat::R16Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(2 * width),
        rows_per_image: Some(height),
    };
    device.queue.write_texture(
        texture.as_image_copy(),
        bytemuck::cast_slice(&lattice.distances),
        layout,
        size,
    );
    texture
}
