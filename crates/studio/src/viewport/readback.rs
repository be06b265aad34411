//! Pictures from the device back to memory.

use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use eframe::wgpu;
use pliant_render::Image;

use super::canvas::Canvas;
use super::gpu::Device;

/// Colour of lines between pictures.
const PARTING: [u8; 4] = [128, 128, 128, 255];

/// A picture with opacity, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Width and height [pixels].
    pub size: [u32; 2],
    /// sRGB and opacity.
    pub rgba: Vec<[u8; 4]>,
}

impl Pixels {
    /// Reads what was drawn; waits for the device.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn read(device: &Device, canvas: &Canvas) -> Result<Self, String> {
        let [width, height] = canvas.size;
        let row =
            (4 * width).div_ceil(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT) * wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;
        let buffer = device.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(row) * u64::from(height),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_texture_to_buffer(
            canvas.colour.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row),
                    rows_per_image: None,
                },
            },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        device.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.slice(..).map_async(wgpu::MapMode::Read, move |outcome| drop(sender.send(outcome)));
        // Asked again and again: who waits inside the device holds a lock that the window needs to submit its own picture.
        let outcome = loop {
            device.device.poll(wgpu::PollType::Poll).map_err(|error| error.to_string())?;
            match receiver.try_recv() {
                Ok(outcome) => break outcome,
                Err(TryRecvError::Empty) => std::thread::sleep(Duration::from_millis(1)),
                Err(lost @ TryRecvError::Disconnected) => return Err(lost.to_string()),
            }
        };
        outcome.map_err(|error| error.to_string())?;
        let data = buffer.slice(..).get_mapped_range().map_err(|error| error.to_string())?;
        let rows = data.chunks_exact(row as usize).map(|bytes| &bytes[..4 * width as usize]);
        let rgba = rows.flat_map(|bytes| bytes.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]])).collect();
        Ok(Self { size: [width, height], rgba })
    }

    /// Pictures of the same height beside each other, parted by thin lines.
    pub fn beside(parts: &[Self]) -> Self {
        let mut whole = Self { size: [0, 0], rgba: Vec::new() };
        let height = parts.iter().map(|part| part.size[1]).max().unwrap_or(0);
        whole.size = [parts.iter().map(|part| part.size[0]).sum(), height];
        for row in 0..height as usize {
            for (number, part) in parts.iter().enumerate() {
                let width = part.size[0] as usize;
                let start = whole.rgba.len();
                whole.rgba.extend_from_slice(&part.rgba[row * width..(row + 1) * width]);
                if number > 0 {
                    whole.rgba[start] = PARTING;
                }
            }
        }
        whole
    }

    /// This picture with what was drawn onto its image; what is drawn on can not be seen through.
    #[must_use]
    pub fn with_letters(&self, image: &Image) -> Self {
        let pixels = self.rgba.iter().zip(image.pixels()).map(|(old, [r, g, b])| {
            let is_new = [old[0], old[1], old[2]] != [*r, *g, *b];
            [*r, *g, *b, if is_new { 255 } else { old[3] }]
        });
        Self { size: self.size, rgba: pixels.collect() }
    }

    /// The picture without its opacity.
    ///
    /// # Errors
    /// When it is too large.
    pub fn image(&self) -> Result<Image, pliant_render::RenderError> {
        let [width, height] = self.size;
        Image::from_pixels(width, height, self.rgba.iter().map(|p| [p[0], p[1], p[2]]).collect())
    }

    /// Writes a PNG file with opacity.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &std::path::Path) -> Result<(), String> {
        let failed = |error: &dyn std::fmt::Display| format!("cannot write {}: {error}", path.display());
        let file = std::fs::File::create(path).map_err(|error| failed(&error))?;
        let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|error| failed(&error))?;
        let bytes: Vec<u8> = self.rgba.iter().flatten().copied().collect();
        writer.write_image_data(&bytes).map_err(|error| failed(&error))
    }
}
