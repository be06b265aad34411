//! Pastes pictures of the viewport into the window.
//!
//! The window's own shader would do, but it can filter textures by hand as well, and an adapter in software works that out for
//! every pixel, wanted or not: a window of 1280 x 800 took 70 ms with it.

use eframe::egui::PaintCallbackInfo;
use eframe::egui_wgpu::{CallbackResources, CallbackTrait, RenderState};
use eframe::wgpu;

use super::gpu::texture_layout;

const SHADERS: &str = include_str!("paste.wgsl");

/// Makes pictures ready to be pasted.
pub struct Paste {
    pipeline: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
}

/// A picture that fills its place in the window.
#[derive(Clone)]
pub struct Pasted {
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
}

impl Paste {
    /// For pictures in that window.
    pub fn new(window: &RenderState) -> Self {
        let device = &window.device;
        let layout = texture_layout(device);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("paste"),
            source: wgpu::ShaderSource::Wgsl(SHADERS.into()),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("paste"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        // Where the window turns light into sRGB itself it must get light.
        let fragment = if window.target_format.is_srgb() { "paste_light" } else { "paste_srgb" };
        let target = wgpu::ColorTargetState {
            format: window.target_format,
            blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
            write_mask: wgpu::ColorWrites::ALL,
        };
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("paste"),
            layout: Some(&pipeline_layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("paste_vertex"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some(fragment),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(target)],
            }),
            multiview_mask: None,
            cache: None,
        });
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor::default());
        Self { pipeline, layout, sampler }
    }

    /// A picture on the device of the window.
    pub fn picture(&self, device: &wgpu::Device, view: &wgpu::TextureView) -> Pasted {
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("paste"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&self.sampler) },
            ],
        });
        Pasted { pipeline: self.pipeline.clone(), group }
    }
}

impl CallbackTrait for Pasted {
    fn paint(&self, _: PaintCallbackInfo, pass: &mut wgpu::RenderPass<'static>, _: &CallbackResources) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.draw(0..3, 0..1);
    }
}
