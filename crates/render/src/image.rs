//! A finished picture: 8-bit sRGB pixels, PNG bytes.

use std::path::Path;

use crate::RenderError;

/// Largest side of a picture [pixels]; H.264 and PNG viewers agree up to here.
pub(crate) const LARGEST_SIDE: u32 = 16_384;

/// A picture in sRGB, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 3]>,
}

impl Image {
    /// A picture of one colour.
    ///
    /// # Errors
    /// [`RenderError::Size`] if a side is zero or beyond 16384 pixels.
    pub fn filled(width: u32, height: u32, colour: [u8; 3]) -> Result<Self, RenderError> {
        let side = 1..=LARGEST_SIDE;
        if !side.contains(&width) || !side.contains(&height) {
            return Err(RenderError::Size { width, height, limit: LARGEST_SIDE });
        }
        Ok(Self { width, height, pixels: vec![colour; width as usize * height as usize] })
    }

    /// A picture of these pixels, row by row from the top.
    ///
    /// # Errors
    /// [`RenderError::Size`] if a side is zero or beyond 16384 pixels, or the pixels are not as many as the sides say.
    pub fn from_pixels(width: u32, height: u32, pixels: Vec<[u8; 3]>) -> Result<Self, RenderError> {
        let side = 1..=LARGEST_SIDE;
        let is_whole = pixels.len() as u64 == u64::from(width) * u64::from(height);
        if !side.contains(&width) || !side.contains(&height) || !is_whole {
            return Err(RenderError::Size { width, height, limit: LARGEST_SIDE });
        }
        Ok(Self { width, height, pixels })
    }

    /// Width [pixels].
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height [pixels].
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All pixels, row by row from the top.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// All pixels, to change.
    pub(crate) fn pixels_mut(&mut self) -> &mut [[u8; 3]] {
        &mut self.pixels
    }

    /// Lays a colour over a pixel, covering that part of it (0..=1); pixels outside the picture are ignored.
    pub(crate) fn blend(&mut self, x: i32, y: i32, colour: [u8; 3], cover: f32) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let pixel = &mut self.pixels[y as usize * self.width as usize + x as usize];
        for (channel, new) in pixel.iter_mut().zip(colour) {
            let mixed = f32::from(*channel) + (f32::from(new) - f32::from(*channel)) * cover.clamp(0.0, 1.0);
            *channel = mixed.round() as u8;
        }
    }

    /// The picture at a fraction of its size, each pixel the mean of a block.
    pub(crate) fn shrunk(&self, factor: u32) -> Result<Self, RenderError> {
        let mut small = Self::filled(self.width / factor, self.height / factor, [0; 3])?;
        let (side, width) = (factor as usize, small.width as usize);
        for (index, pixel) in small.pixels.iter_mut().enumerate() {
            let (left, top) = (index % width * side, index / width * side);
            let rows = (top..top + side).map(|y| y * self.width as usize + left);
            let block = rows.flat_map(|start| &self.pixels[start..start + side]);
            let sum = block.fold([0_u32; 3], |sum, colour| [0, 1, 2].map(|i| sum[i] + u32::from(colour[i])));
            *pixel = sum.map(|sum| (sum / (factor * factor)) as u8);
        }
        Ok(small)
    }

    /// Pictures in rows and columns on white; each is put at its place by the largest width and height.
    ///
    /// # Errors
    /// [`RenderError::Size`] if there is no picture, or the whole is beyond 16384 pixels.
    pub fn grid(rows: &[Vec<Self>]) -> Result<Self, RenderError> {
        let all = || rows.iter().flatten();
        let width = all().map(Self::width).max().unwrap_or(0);
        let height = all().map(Self::height).max().unwrap_or(0);
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let mut whole =
            Self::filled(width.saturating_mul(columns), height.saturating_mul(rows.len() as u32), [255; 3])?;
        for (row, images) in rows.iter().enumerate() {
            for (column, image) in images.iter().enumerate() {
                let corner = row * height as usize * whole.width as usize + column * width as usize;
                for (y, line) in image.pixels.chunks(image.width as usize).enumerate() {
                    let start = corner + y * whole.width as usize;
                    whole.pixels[start..start + line.len()].copy_from_slice(line);
                }
            }
        }
        Ok(whole)
    }

    /// Reads a picture that [`Image::save`] wrote.
    ///
    /// # Errors
    /// [`RenderError::Read`] if the file cannot be read or is no such picture.
    pub fn load(path: &Path) -> Result<Self, RenderError> {
        let failed = |cause: String| RenderError::Read { path: path.to_owned(), cause };
        let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
        let decoder = png::Decoder::new(std::io::BufReader::new(file));
        let mut reader = decoder.read_info().map_err(|error| failed(error.to_string()))?;
        let (width, height) = reader.info().size();
        let is_ours = reader.output_color_type() == (png::ColorType::Rgb, png::BitDepth::Eight);
        let mut image = Self::filled(width, height, [0; 3])?;
        if !is_ours {
            return Err(failed("it is not an 8-bit RGB picture".to_owned()));
        }
        reader.next_frame(image.pixels.as_flattened_mut()).map_err(|error| failed(error.to_string()))?;
        Ok(image)
    }

    /// The picture as a PNG file's bytes.
    ///
    /// # Errors
    /// [`RenderError::Png`] if the encoder fails.
    pub fn to_png(&self) -> Result<Vec<u8>, RenderError> {
        let failed = |error: png::EncodingError| RenderError::Png(error.to_string());
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }

    /// Writes the picture as a PNG file, whole or not at all.
    ///
    /// # Errors
    /// [`RenderError::Write`] if the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), RenderError> {
        write_file(path, &self.to_png()?)
    }
}

/// Writes a file beside its place and renames it there, so that nobody ever reads half of it.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), RenderError> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    let part = path.with_file_name(name);
    std::fs::write(&part, bytes)
        .and_then(|()| std::fs::rename(&part, path))
        .map_err(|source| RenderError::Write { path: path.to_path_buf(), source })
}
