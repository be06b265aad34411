//! The graphics processor: its device, and how what it is given is laid out.

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
pub const GLOBALS_SIZE: u64 = 256;
/// Bytes of a shape that is traced: two boxes, and its orders.
pub const TRACING_SIZE: u64 = 64 + 64 * super::trace::MOST_ORDERS as u64;

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
    /// Whether the samples of a pixel can be worked out one by one.
    pub shades_samples: bool,
}

impl Device {
    /// A device without a window.
    ///
    /// # Errors
    /// When there is no adapter.
    pub fn headless() -> Result<Self, NoAdapter> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .map_err(|error| NoAdapter(error.to_string()))?;
        Self::on(&adapter)
    }

    /// A new device of an adapter.
    ///
    /// # Errors
    /// When the adapter cannot do what the viewport asks for.
    pub fn on(adapter: &wgpu::Adapter) -> Result<Self, NoAdapter> {
        if !can_draw(adapter) {
            return Err(NoAdapter(format!("{} cannot draw maps of shadows", adapter.get_info().name)));
        }
        let wish = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&wish))
            .map_err(|error| NoAdapter(error.to_string()))?;
        Ok(Self::of(adapter, device, queue))
    }

    /// A device that an adapter has given.
    pub fn of(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let flags = adapter.get_downlevel_capabilities().flags;
        let shades_samples = flags.contains(wgpu::DownlevelFlags::MULTISAMPLED_SHADING);
        Self { device, queue, name: adapter.get_info().name, shades_samples }
    }
}

/// Whether an adapter can do what the viewport asks for. Old ones that stand in where there is no driver cannot.
pub fn can_draw(adapter: &wgpu::Adapter) -> bool {
    let usages = adapter.get_texture_format_features(SHADOW).allowed_usages;
    usages.contains(wgpu::TextureUsages::RENDER_ATTACHMENT)
}

pub(super) fn uniform_layout(
    device: &wgpu::Device,
    size: u64,
    has_dynamic_offset: bool,
) -> wgpu::BindGroupLayout {
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

pub(super) fn texture_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
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

/// Ball, colour and turn of an instance.
pub(super) fn instance_layouts() -> [Option<wgpu::VertexBufferLayout<'static>>; 3] {
    const BALL: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Float32x4];
    const COLOUR: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![1 => Unorm8x4];
    const TURN: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![2 => Float32x4];
    let step_mode = wgpu::VertexStepMode::Instance;
    let layout =
        |array_stride, attributes| Some(wgpu::VertexBufferLayout { array_stride, step_mode, attributes });
    [layout(16, &BALL), layout(4, &COLOUR), layout(16, &TURN)]
}

/// Place, normal and colour of a vertex.
pub(super) fn vertex_layout() -> Option<wgpu::VertexBufferLayout<'static>> {
    const VERTEX: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4];
    let step_mode = wgpu::VertexStepMode::Vertex;
    Some(wgpu::VertexBufferLayout { array_stride: 28, step_mode, attributes: &VERTEX })
}

/// Orders, lattice and sampler of a shape that is traced.
pub(super) fn tracing_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, visibility, ty| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
    let both = wgpu::ShaderStages::VERTEX_FRAGMENT;
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("tracing"),
        entries: &[
            entry(
                0,
                both,
                wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: wgpu::BufferSize::new(TRACING_SIZE),
                },
            ),
            entry(
                1,
                both,
                wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Float { filterable: true },
                    view_dimension: wgpu::TextureViewDimension::D3,
                    multisampled: false,
                },
            ),
            entry(2, both, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)),
        ],
    })
}
