//! The pipelines that draw balls, points, icosahedra, meshes, lines, traced shapes and shadows.

use eframe::wgpu;

use super::gpu::{
    COLOUR, DEPTH, DRAW_SIZE, Device, GLOBALS_SIZE, SHADOW, instance_layouts, texture_layout, tracing_layout,
    uniform_layout, vertex_layout,
};

const SHADERS: &str = concat!(
    include_str!("shaders.wgsl"),
    include_str!("near.wgsl"),
    include_str!("small.wgsl"),
    include_str!("trace.wgsl")
);

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

impl Pass {
    fn blends(self) -> bool {
        matches!(self, Self::Blend | Self::OnTop)
    }

    /// How colours are written.
    fn target(self) -> wgpu::ColorTargetState {
        wgpu::ColorTargetState {
            format: if self == Self::Shadow { SHADOW } else { COLOUR },
            blend: self.blends().then_some(wgpu::BlendState::ALPHA_BLENDING),
            write_mask: if self == Self::DepthOnly {
                wgpu::ColorWrites::empty()
            } else {
                wgpu::ColorWrites::ALL
            },
        }
    }

    /// How depth is compared and written.
    fn depth(self) -> wgpu::DepthStencilState {
        let compare = match self {
            Self::OnTop => wgpu::CompareFunction::Always,
            Self::Blend => wgpu::CompareFunction::LessEqual,
            _ => wgpu::CompareFunction::Less,
        };
        wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(!self.blends()),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }
    }
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
    /// Balls of a few pixels.
    pub(super) coins: Family,
    /// Icosahedra.
    pub(super) solids: Family,
    /// Icosahedra of a few pixels.
    pub(super) gems: Family,
    pub(super) points: Family,
    pub(super) meshes: Family,
    pub(super) lines: Family,
    /// Shapes by sphere tracing.
    pub(super) traced: Family,
    /// Shapes of the plane, by the sign of their distance.
    pub(super) cuts: Family,
    pub(super) ball_shadow: wgpu::RenderPipeline,
    pub(super) square_shadow: wgpu::RenderPipeline,
    pub(super) gem_shadow: wgpu::RenderPipeline,
    pub(super) mesh_shadow: wgpu::RenderPipeline,
    pub(super) traced_shadow: wgpu::RenderPipeline,
    pub(super) globals: wgpu::BindGroupLayout,
    pub(super) draws: wgpu::BindGroupLayout,
    pub(super) shadows: wgpu::BindGroupLayout,
    pub(super) tracings: wgpu::BindGroupLayout,
}

struct Kind<'a> {
    vertex: &'a str,
    fragment: &'a str,
    topology: wgpu::PrimitiveTopology,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    /// Whether it is a box around a shape, of which only the back is drawn.
    is_traced: bool,
}

struct Maker<'a> {
    device: &'a wgpu::Device,
    module: &'a wgpu::ShaderModule,
    picture: wgpu::PipelineLayout,
    shadow: wgpu::PipelineLayout,
    traced_picture: wgpu::PipelineLayout,
    traced_shadow: wgpu::PipelineLayout,
    samples: u32,
}

impl Pipelines {
    /// Compiles all pipelines for pictures with that many samples a pixel.
    pub fn new(device: &Device, samples: u32) -> Self {
        let module = shaders(device);
        let device = &device.device;
        let globals = uniform_layout(device, GLOBALS_SIZE, false);
        let draws = uniform_layout(device, DRAW_SIZE, true);
        let (shadows, tracings) = (texture_layout(device), tracing_layout(device));
        let maker = Maker::new(device, &module, samples, [&globals, &draws, &shadows, &tracings]);
        let [ball, colour, turn] = instance_layouts();
        let vertex = vertex_layout();
        let strip = wgpu::PrimitiveTopology::TriangleStrip;
        let list = wgpu::PrimitiveTopology::TriangleList;
        let lines = wgpu::PrimitiveTopology::LineList;
        let shapes = [ball.clone(), colour.clone()];
        let turned = [ball.clone(), colour, turn.clone()];
        let mesh = [vertex];
        let family = |vertex, fragment, topology, buffers| {
            maker.family(&Kind { vertex, fragment, topology, buffers, is_traced: false })
        };
        let traced =
            |vertex, fragment| Kind { vertex, fragment, topology: list, buffers: &[], is_traced: true };
        let one = std::slice::from_ref(&ball);
        let shadow = |vertex, fragment, topology, buffers: &[_]| {
            maker.pipeline(&Kind { vertex, fragment, topology, buffers, is_traced: false }, Pass::Shadow)
        };
        let plain = "shadow_fragment";
        Self {
            balls: family("ball_vertex", "ball_fragment", strip, &shapes),
            coins: family("coin_vertex", "coin_fragment", strip, &shapes),
            solids: family("solid_vertex", "solid_fragment", strip, &turned),
            gems: family("gem_vertex", "gem_fragment", strip, &turned),
            points: family("point_vertex", "point_fragment", strip, &turned),
            meshes: family("mesh_vertex", "surface_fragment", list, &mesh),
            lines: family("mesh_vertex", "surface_fragment", lines, &mesh),
            traced: maker.family(&traced("traced_vertex", "traced_fragment")),
            cuts: maker.family(&traced("traced_vertex", "cut_fragment")),
            traced_shadow: maker.pipeline(&traced("traced_shadow", "traced_shadow_fragment"), Pass::Shadow),
            ball_shadow: shadow("ball_shadow", plain, strip, one),
            square_shadow: shadow("square_shadow", plain, strip, one),
            gem_shadow: shadow("gem_shadow", "gem_shadow_fragment", strip, &[ball.clone(), turn]),
            mesh_shadow: shadow("mesh_shadow", plain, list, &mesh),
            globals,
            draws,
            shadows,
            tracings,
        }
    }
}

fn shaders(device: &Device) -> wgpu::ShaderModule {
    let text = if device.shades_samples {
        SHADERS.to_owned()
    } else {
        SHADERS.replace("@interpolate(perspective, sample)", "")
    };
    device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("viewport"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    })
}

impl<'a> Maker<'a> {
    fn new(
        device: &'a wgpu::Device,
        module: &'a wgpu::ShaderModule,
        samples: u32,
        [globals, draws, shadows, tracings]: [&wgpu::BindGroupLayout; 4],
    ) -> Self {
        let layout = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("viewport"),
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        Self {
            device,
            module,
            picture: layout(&[Some(globals), Some(draws), Some(shadows)]),
            shadow: layout(&[Some(globals), Some(draws)]),
            traced_picture: layout(&[Some(globals), Some(draws), Some(shadows), Some(tracings)]),
            traced_shadow: layout(&[Some(globals), Some(draws), None, Some(tracings)]),
            samples,
        }
    }

    fn family(&self, kind: &Kind<'_>) -> Family {
        Family {
            opaque: self.pipeline(kind, Pass::Opaque),
            depth: self.pipeline(kind, Pass::DepthOnly),
            blend: self.pipeline(kind, Pass::Blend),
            on_top: self.pipeline(kind, Pass::OnTop),
        }
    }

    fn layout(&self, kind: &Kind<'_>, pass: Pass) -> &wgpu::PipelineLayout {
        match (pass == Pass::Shadow, kind.is_traced) {
            (false, false) => &self.picture,
            (true, false) => &self.shadow,
            (false, true) => &self.traced_picture,
            (true, true) => &self.traced_shadow,
        }
    }

    fn pipeline(&self, kind: &Kind<'_>, pass: Pass) -> wgpu::RenderPipeline {
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(kind.vertex),
            layout: Some(self.layout(kind, pass)),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(kind.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: kind.buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: kind.topology,
                cull_mode: kind.is_traced.then_some(wgpu::Face::Front),
                ..Default::default()
            },
            depth_stencil: Some(pass.depth()),
            multisample: wgpu::MultisampleState {
                count: if pass == Pass::Shadow { 1 } else { self.samples },
                ..Default::default()
            },
            fragment: Some(wgpu::FragmentState {
                module: self.module,
                entry_point: Some(kind.fragment),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(pass.target())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
