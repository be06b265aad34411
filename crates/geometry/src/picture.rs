//! Greyscale pictures from files.

use crate::GeometryError;
use std::path::Path;

/// Wider or higher pictures are refused.
const EDGE_LIMIT: u32 = 8192;

/// Grey values from 0 (black) to 1 (white), row by row from the top.
pub(crate) struct Picture {
    pub width: usize,
    pub height: usize,
    pub values: Vec<f64>,
}

/// Reads a PNG or JPEG file of bounded size.
pub(crate) fn load(path: &Path) -> Result<Picture, GeometryError> {
    let fault = |reason: String| GeometryError::ImageFile { path: path.display().to_string(), reason };
    let mut reader = image::ImageReader::open(path).map_err(|error| fault(error.to_string()))?;
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(EDGE_LIMIT);
    limits.max_image_height = Some(EDGE_LIMIT);
    limits.max_alloc = Some(128 << 20);
    reader.limits(limits);
    let reader = reader.with_guessed_format().map_err(|error| fault(error.to_string()))?;
    let grey = reader.decode().map_err(|error| fault(error.to_string()))?.into_luma16();
    let (width, height) = (grey.width() as usize, grey.height() as usize);
    let values = grey.into_raw().into_iter().map(|value| f64::from(value) / f64::from(u16::MAX)).collect();
    Ok(Picture { width, height, values })
}
