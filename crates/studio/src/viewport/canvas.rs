//! What is drawn into: pictures with their depth, and the map of what the light sees.

use eframe::wgpu;

use super::gpu::{COLOUR, DEPTH, SHADOW};

/// A picture on the device, with its depth.
pub struct Canvas {
    pub(crate) size: [u32; 2],
    pub(crate) colour: wgpu::Texture,
    pub(crate) view: wgpu::TextureView,
    /// Several samples a pixel, resolved into `colour`; none if one is enough.
    pub(crate) samples: Option<wgpu::TextureView>,
    pub(crate) depth: wgpu::TextureView,
}

impl Canvas {
    /// An empty picture; sides are at least one pixel and at most what the device can do.
    pub fn new(device: &wgpu::Device, size: [u32; 2], samples: u32) -> Self {
        let limit = device.limits().max_texture_dimension_2d;
        let [width, height] = size.map(|side| side.clamp(1, limit));
        let texture = |format, sample_count, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some("viewport"),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let read = wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::TEXTURE_BINDING;
        let colour = texture(COLOUR, 1, drawn | read);
        let view = colour.create_view(&wgpu::TextureViewDescriptor::default());
        let several = (samples > 1).then(|| texture(COLOUR, samples, drawn).create_view(&Default::default()));
        let depth = texture(DEPTH, samples, drawn).create_view(&Default::default());
        Self { size: [width, height], colour, view, samples: several, depth }
    }
}

/// The map of what the light sees.
pub struct ShadowMap {
    pub(super) side: u32,
    pub(super) view: wgpu::TextureView,
    pub(super) depth: wgpu::TextureView,
    pub(super) group: wgpu::BindGroup,
}

impl ShadowMap {
    /// An empty map.
    pub fn new(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, side: u32) -> Self {
        let side = side.clamp(16, device.limits().max_texture_dimension_2d);
        let texture = |format, usage| {
            let texture = device.create_texture(&wgpu::TextureDescriptor {
                label: Some("shadow map"),
                size: wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let view = texture(SHADOW, drawn | wgpu::TextureUsages::TEXTURE_BINDING);
        let depth = texture(DEPTH, drawn);
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor::default());
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shadow map"),
            layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
            ],
        });
        Self { side, view, depth, group }
    }
}
