//! The graphics processor: its device and the pipelines that draw balls, points, icosahedra, meshes, lines, shadows.

use eframe::wgpu;

/// Format of pictures; the bytes are sRGB, which the shaders write themselves.
pub const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const SHADOW: wgpu::TextureFormat = wgpu::TextureFormat::R32Float;
/// Bytes of a place in the buffer of draws: what every device can step by.
pub const DRAW_STRIDE: u64 = 256;
/// Bytes of one draw: a matrix, a colour, flags.
pub const DRAW_SIZE: u64 = 96;
/// Bytes of what holds for the whole picture.
pub const GLOBALS_SIZE: u64 = 240;

/// No graphics processor, real or in software, can be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "no graphics adapter was found ({0}); install a Vulkan driver, or the one in software \
     (Debian and Ubuntu: apt install mesa-vulkan-drivers). `pliant run` and `pliant render` need none."
)]
pub struct NoAdapter(pub String);

/// A device and its queue.
#[derive(Clone)]
pub struct Device {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// Name of the adapter.
    pub name: String,
}

impl Device {
    /// A device without a window.
    ///
    /// # Errors
    /// When there is no adapter.
    pub fn headless() -> Result<Self, NoAdapter> {
        let failed = |error: &dyn std::fmt::Display| NoAdapter(error.to_string());
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .map_err(|error| failed(&error))?;
        let wish = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&wish)).map_err(|error| failed(&error))?;
        Ok(Self { device, queue, name: adapter.get_info().name })
    }
}

/// How a pipeline writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Hides what is behind.
    Opaque,
    /// Writes depth only: the first pass of translucent matter.
    DepthOnly,
    /// Blends with what is there: the second.
    Blend,
    /// Over everything.
    OnTop,
    /// The view of the light.
    Shadow,
}

/// Pipelines of one kind of thing.
pub struct Family {
    pub(super) opaque: wgpu::RenderPipeline,
    pub(super) depth: wgpu::RenderPipeline,
    pub(super) blend: wgpu::RenderPipeline,
    pub(super) on_top: wgpu::RenderPipeline,
}

/// All pipelines.
pub struct Pipelines {
    pub(super) balls: Family,
    pub(super) points: Family,
    pub(super) solids: Family,
    pub(super) meshes: Family,
    pub(super) lines: Family,
    pub(super) ball_shadow: wgpu::RenderPipeline,
    pub(super) mesh_shadow: wgpu::RenderPipeline,
    pub(super) globals: wgpu::BindGroupLayout,
    pub(super) draws: wgpu::BindGroupLayout,
    pub(super) shadows: wgpu::BindGroupLayout,
}

struct Kind<'a> {
    vertex: &'a str,
    fragment: &'a str,
    topology: wgpu::PrimitiveTopology,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
}

struct Maker<'a> {
    device: &'a wgpu::Device,
    module: &'a wgpu::ShaderModule,
    picture: wgpu::PipelineLayout,
    shadow: wgpu::PipelineLayout,
    samples: u32,
}

impl Pipelines {
    /// Compiles all pipelines for pictures with that many samples a pixel.
    pub fn new(device: &wgpu::Device, samples: u32) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("viewport"),
            source: wgpu::ShaderSource::Wgsl(include_str!("shaders.wgsl").into()),
        });
        let globals = uniform_layout(device, GLOBALS_SIZE, false);
        let draws = uniform_layout(device, DRAW_SIZE, true);
        let shadows = texture_layout(device);
        let layout = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("viewport"),
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let maker = Maker {
            device,
            module: &module,
            picture: layout(&[Some(&globals), Some(&draws), Some(&shadows)]),
            shadow: layout(&[Some(&globals), Some(&draws)]),
            samples,
        };
        let [ball, colour, turn, corner] = instance_layouts();
        let vertex = vertex_layout();
        let strip = wgpu::PrimitiveTopology::TriangleStrip;
        let list = wgpu::PrimitiveTopology::TriangleList;
        let lines = wgpu::PrimitiveTopology::LineList;
        let shapes = [ball.clone(), colour.clone()];
        let turned = [ball.clone(), colour.clone(), turn.clone()];
        let solid = [ball.clone(), colour, turn, corner];
        let mesh = [vertex];
        let family =
            |vertex, fragment, topology, buffers| maker.family(&Kind { vertex, fragment, topology, buffers });
        Self {
            balls: family("ball_vertex", "ball_fragment", strip, &shapes),
            points: family("point_vertex", "surface_fragment", strip, &turned),
            solids: family("solid_vertex", "surface_fragment", list, &solid),
            meshes: family("mesh_vertex", "surface_fragment", list, &mesh),
            lines: family("mesh_vertex", "surface_fragment", lines, &mesh),
            ball_shadow: maker.pipeline(
                &Kind {
                    vertex: "ball_shadow",
                    fragment: "shadow_fragment",
                    topology: strip,
                    buffers: &[ball],
                },
                Pass::Shadow,
            ),
            mesh_shadow: maker.pipeline(
                &Kind { vertex: "mesh_shadow", fragment: "shadow_fragment", topology: list, buffers: &mesh },
                Pass::Shadow,
            ),
            globals,
            draws,
            shadows,
        }
    }
}

impl Maker<'_> {
    fn family(&self, kind: &Kind<'_>) -> Family {
        Family {
            opaque: self.pipeline(kind, Pass::Opaque),
            depth: self.pipeline(kind, Pass::DepthOnly),
            blend: self.pipeline(kind, Pass::Blend),
            on_top: self.pipeline(kind, Pass::OnTop),
        }
    }

    fn pipeline(&self, kind: &Kind<'_>, pass: Pass) -> wgpu::RenderPipeline {
        let is_shadow = pass == Pass::Shadow;
        let blends = matches!(pass, Pass::Blend | Pass::OnTop);
        let target = wgpu::ColorTargetState {
            format: if is_shadow { SHADOW } else { COLOUR },
            blend: blends.then_some(wgpu::BlendState::ALPHA_BLENDING),
            write_mask: if pass == Pass::DepthOnly {
                wgpu::ColorWrites::empty()
            } else {
                wgpu::ColorWrites::ALL
            },
        };
        let compare = match pass {
            Pass::OnTop => wgpu::CompareFunction::Always,
            Pass::Blend => wgpu::CompareFunction::LessEqual,
            _ => wgpu::CompareFunction::Less,
        };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(kind.vertex),
            layout: Some(if is_shadow { &self.shadow } else { &self.picture }),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(kind.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: kind.buffers,
            },
            primitive: wgpu::PrimitiveState { topology: kind.topology, ..Default::default() },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(!blends),
                depth_compare: Some(compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState {
                count: if is_shadow { 1 } else { self.samples },
                ..Default::default()
            },
            fragment: Some(wgpu::FragmentState {
                module: self.module,
                entry_point: Some(kind.fragment),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(target)],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

fn uniform_layout(device: &wgpu::Device, size: u64, has_dynamic_offset: bool) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("uniforms"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset,
                min_binding_size: wgpu::BufferSize::new(size),
            },
            count: None,
        }],
    })
}

fn texture_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("shadow map"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            count: None,
        }],
    })
}

/// Ball, colour and turn of an instance, and the corners of an icosahedron.
fn instance_layouts() -> [Option<wgpu::VertexBufferLayout<'static>>; 4] {
    const BALL: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Float32x4];
    const COLOUR: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![1 => Unorm8x4];
    const TURN: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![2 => Float32x4];
    const CORNER: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![3 => Float32x3, 4 => Float32x3];
    let layout = |array_stride, step_mode, attributes| {
        Some(wgpu::VertexBufferLayout { array_stride, step_mode, attributes })
    };
    [
        layout(16, wgpu::VertexStepMode::Instance, &BALL),
        layout(4, wgpu::VertexStepMode::Instance, &COLOUR),
        layout(16, wgpu::VertexStepMode::Instance, &TURN),
        layout(24, wgpu::VertexStepMode::Vertex, &CORNER),
    ]
}

/// Place, normal and colour of a vertex.
fn vertex_layout() -> Option<wgpu::VertexBufferLayout<'static>> {
    const VERTEX: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4];
    let step_mode = wgpu::VertexStepMode::Vertex;
    Some(wgpu::VertexBufferLayout { array_stride: 28, step_mode, attributes: &VERTEX })
}

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
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shadow map"),
            layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&view),
            }],
        });
        Self { side, view, depth, group }
    }
}
