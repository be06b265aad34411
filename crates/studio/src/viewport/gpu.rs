//! The graphics processor: its device and the pipelines that draw balls, points, icosahedra, meshes, lines, shadows.

use eframe::wgpu;

/// Format of pictures; the bytes are sRGB, which the shaders write themselves.
pub const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
pub(super) const SHADOW: wgpu::TextureFormat = wgpu::TextureFormat::R32Float;
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
        if !can_draw(&adapter) {
            return Err(NoAdapter(format!("{} cannot draw maps of shadows", adapter.get_info().name)));
        }
        let wish = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&wish)).map_err(|error| failed(&error))?;
        Ok(Self { device, queue, name: adapter.get_info().name })
    }
}

/// Whether an adapter can do what the viewport asks for. Old ones that stand in where there is no driver cannot.
pub fn can_draw(adapter: &wgpu::Adapter) -> bool {
    let usages = adapter.get_texture_format_features(SHADOW).allowed_usages;
    usages.contains(wgpu::TextureUsages::RENDER_ATTACHMENT)
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
    pub(super) coins: Family,
    pub(super) points: Family,
    pub(super) solids: Family,
    pub(super) meshes: Family,
    pub(super) lines: Family,
    pub(super) ball_shadow: wgpu::RenderPipeline,
    pub(super) square_shadow: wgpu::RenderPipeline,
    pub(super) solid_shadow: wgpu::RenderPipeline,
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
        let solid = [ball.clone(), colour, turn.clone(), corner.clone()];
        let mesh = [vertex];
        let family =
            |vertex, fragment, topology, buffers| maker.family(&Kind { vertex, fragment, topology, buffers });
        let one = std::slice::from_ref(&ball);
        let shadow = |vertex, topology, buffers: &[_]| {
            let fragment = "shadow_fragment";
            maker.pipeline(&Kind { vertex, fragment, topology, buffers }, Pass::Shadow)
        };
        Self {
            balls: family("ball_vertex", "ball_fragment", strip, &shapes),
            coins: family("coin_vertex", "coin_fragment", strip, &shapes),
            points: family("point_vertex", "surface_fragment", strip, &turned),
            solids: family("solid_vertex", "surface_fragment", list, &solid),
            meshes: family("mesh_vertex", "surface_fragment", list, &mesh),
            lines: family("mesh_vertex", "surface_fragment", lines, &mesh),
            ball_shadow: shadow("ball_shadow", strip, one),
            square_shadow: shadow("square_shadow", strip, one),
            solid_shadow: shadow("solid_shadow", list, &[ball.clone(), turn, corner]),
            mesh_shadow: shadow("mesh_shadow", list, &mesh),
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
        entries: &[
            wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Float { filterable: false },
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
                count: None,
            },
            wgpu::BindGroupLayoutEntry {
                binding: 1,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::NonFiltering),
                count: None,
            },
        ],
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
