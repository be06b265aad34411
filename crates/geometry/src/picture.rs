//! Pictures from files.

use crate::GeometryError;
use pliant_math::Vec3;
use std::path::Path;

/// Wider or higher pictures are refused.
const EDGE_LIMIT: u32 = 8192;

/// Grey values from 0 (black) to 1 (white), row by row from the top.
pub(crate) struct Picture {
    pub width: usize,
    pub height: usize,
    pub values: Vec<f64>,
}

/// Reads the grey values of a PNG or JPEG file of bounded size.
pub(crate) fn load(path: &Path) -> Result<Picture, GeometryError> {
    let grey = decode(path)?.into_luma16();
    let (width, height) = (grey.width() as usize, grey.height() as usize);
    let values = grey.into_raw().into_iter().map(|value| f64::from(value) / f64::from(u16::MAX)).collect();
    Ok(Picture { width, height, values })
}

/// A picture in colours, centred on the origin of the plane z = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorPicture {
    /// Width of a pixel `[m]`.
    pixel: f64,
    pixels: image::RgbImage,
}

impl ColorPicture {
    /// Reads a PNG or JPEG file of bounded size; `width` is that of the picture `[m]`.
    ///
    /// # Errors
    /// When the file cannot be read, or is no picture.
    pub fn load(path: &Path, width: f64) -> Result<Self, GeometryError> {
        let pixels = decode(path)?.into_rgb8();
        Ok(Self { pixel: width / f64::from(pixels.width().max(1)), pixels })
    }

    /// The colour of the pixel under a point, as displays show it, red, green, blue in 0..1; beyond the rim that of
    /// the nearest pixel.
    pub fn at(&self, p: &Vec3) -> [f64; 3] {
        let (width, height) = (self.pixels.width(), self.pixels.height());
        let place = |value: f64, count: u32| (value.max(0.0) as u32).min(count - 1);
        let x = place(p.x / self.pixel + 0.5 * f64::from(width), width);
        let y = place(0.5 * f64::from(height) - p.y / self.pixel, height);
        self.pixels.get_pixel(x, y).0.map(|value| f64::from(value) / 255.0)
    }
}

fn decode(path: &Path) -> Result<image::DynamicImage, GeometryError> {
    let fault = |reason: String| GeometryError::ImageFile { path: path.display().to_string(), reason };
    let mut reader = image::ImageReader::open(path).map_err(|error| fault(error.to_string()))?;
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(EDGE_LIMIT);
    limits.max_image_height = Some(EDGE_LIMIT);
    limits.max_alloc = Some(128 << 20);
    reader.limits(limits);
    let reader = reader.with_guessed_format().map_err(|error| fault(error.to_string()))?;
    reader.decode().map_err(|error| fault(error.to_string()))
}
