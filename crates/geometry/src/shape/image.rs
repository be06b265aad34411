//! Bitmaps as solids: a silhouette drawn out along z, or a profile turned about y.

use crate::picture::{self, Picture};
use crate::{Aabb, GeometryError};
use pliant_math::Vec3;
use std::path::Path;

/// Samples of the silhouette at most; small pictures are sampled several times a pixel.
const SAMPLE_LIMIT: usize = 16_000_000;
/// Samples along a pixel's edge at most.
const FINEST: usize = 4;

/// Which pixels are inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// Those brighter than the threshold.
    Bright,
    /// Those darker than the threshold.
    Dark,
}

/// What lies between the centres of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Squares of one grey value, with stepped outlines.
    Nearest,
    /// Grey values that change evenly, with smooth outlines.
    Bilinear,
}

/// How a flat silhouette becomes a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sweep {
    /// Drawn out along z, to either side of the plane `z = 0`.
    Extruded {
        /// Half the thickness `[m]`.
        half_thickness: f64,
    },
    /// Turned about y; the picture's left edge is the axis.
    Revolved,
}

/// How a bitmap is read as a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageOptions {
    /// The width of the picture `[m]`; its height follows from the pixels.
    pub width: f64,
    /// The grey value between inside and outside, 0 (black) to 1 (white).
    pub threshold: f64,
    /// Which side of the threshold is inside.
    pub inside: Inside,
    /// How pixels are joined.
    pub filter: Filter,
    /// How the silhouette becomes a solid.
    pub sweep: Sweep,
}

/// A solid made from a bitmap, centred in y, and in x unless it is turned about y.
///
/// Distances are measured between samples of the silhouette, four to the pixel for small pictures, and are right to
/// about one sample.
#[derive(Debug)]
pub struct ImageShape {
    /// Signed distances at the centres of samples `[m]`, rows from the bottom, with a rim of one sample around.
    distances: Vec<f64>,
    counts: [usize; 2],
    /// The centre of the first sample `[m]`.
    first: [f64; 2],
    sample: f64,
    sweep: Sweep,
    silhouette: Aabb,
}

impl ImageShape {
    /// From a PNG or JPEG file.
    pub fn load(path: &Path, options: &ImageOptions) -> Result<Self, GeometryError> {
        Self::from_picture(&picture::load(path)?, options)
    }

    /// From grey values, 0 (black) to 1 (white), row by row from the top, `width` values a row.
    pub fn new(values: Vec<f64>, width: usize, options: &ImageOptions) -> Result<Self, GeometryError> {
        let height = values.len().checked_div(width).unwrap_or(0);
        if height == 0 || height * width != values.len() {
            let (got, expected) = (values.len(), width.max(1) * height.max(1));
            return Err(GeometryError::WrongLength {
                what: "the image",
                got,
                expected,
                hint: "; give whole rows of pixels",
            });
        }
        Self::from_picture(&Picture { width, height, values }, options)
    }

    fn from_picture(picture: &Picture, options: &ImageOptions) -> Result<Self, GeometryError> {
        GeometryError::check_positive("width of the image", options.width)?;
        GeometryError::check_not_negative("threshold of the image", options.threshold)?;
        if let Sweep::Extruded { half_thickness } = options.sweep {
            GeometryError::check_positive("half thickness of the image", half_thickness)?;
        }
        let pixels = picture.width * picture.height;
        if pixels > SAMPLE_LIMIT {
            let count = pixels as f64;
            return Err(GeometryError::TooMany { what: "the image", count, limit: SAMPLE_LIMIT });
        }
        let fineness = (1..=FINEST).rev().find(|n| pixels * n * n <= SAMPLE_LIMIT).unwrap_or(1);
        let sample = options.width / (picture.width * fineness) as f64;
        let counts = [picture.width * fineness + 2, picture.height * fineness + 2];
        let mask = sample_mask(picture, options, fineness, counts);
        let distances = super::distance_transform::signed(&mask, counts, sample)
            .ok_or(GeometryError::EmptyImage { threshold: options.threshold })?;
        let left = if options.sweep == Sweep::Revolved { 0.0 } else { -0.5 * options.width };
        let first = [left - 0.5 * sample, -0.5 * (counts[1] - 1) as f64 * sample];
        let silhouette = silhouette(&mask, counts, first, sample);
        Ok(Self { distances, counts, first, sample, sweep: options.sweep, silhouette })
    }

    pub(super) fn distance(&self, p: &Vec3) -> f64 {
        match self.sweep {
            Sweep::Revolved => self.flat_distance(p.x.hypot(p.z), p.y),
            Sweep::Extruded { half_thickness } => {
                let (flat, along) = (self.flat_distance(p.x, p.y), p.z.abs() - half_thickness);
                flat.max(0.0).hypot(along.max(0.0)) + flat.max(along).min(0.0)
            }
        }
    }

    pub(super) fn bounds(&self) -> Aabb {
        let mut bounds = self.silhouette;
        match self.sweep {
            Sweep::Extruded { half_thickness } => {
                (bounds.min.z, bounds.max.z) = (-half_thickness, half_thickness);
            }
            Sweep::Revolved => {
                let radius = bounds.max.x;
                (bounds.min.x, bounds.min.z, bounds.max.z) = (-radius, -radius, radius);
            }
        }
        bounds
    }

    /// Bilinear between samples; beyond them the right angle at the nearest one bounds the distance from below.
    fn flat_distance(&self, x: f64, y: f64) -> f64 {
        let mut base = [0; 2];
        let (mut part, mut beyond) = ([0.0; 2], [0.0; 2]);
        for (axis, coordinate) in [x, y].into_iter().enumerate() {
            let local = (coordinate - self.first[axis]) / self.sample;
            let inside = local.clamp(0.0, (self.counts[axis] - 1) as f64);
            beyond[axis] = (local - inside) * self.sample;
            base[axis] = (inside as usize).min(self.counts[axis] - 2);
            part[axis] = inside - base[axis] as f64;
        }
        let at = |i: usize, j: usize| self.distances[(base[1] + j) * self.counts[0] + base[0] + i];
        let row = |j: usize| at(0, j) * (1.0 - part[0]) + at(1, j) * part[0];
        let value = row(0) * (1.0 - part[1]) + row(1) * part[1];
        let outside = beyond[0].hypot(beyond[1]);
        if outside > 0.0 { value.max(0.0).hypot(outside) } else { value }
    }
}

/// Which samples are inside; the rim never is, except that a profile goes on across its axis.
fn sample_mask(picture: &Picture, options: &ImageOptions, fineness: usize, counts: [usize; 2]) -> Vec<bool> {
    let is_inside = |grey: f64| match options.inside {
        Inside::Bright => grey > options.threshold,
        Inside::Dark => grey < options.threshold,
    };
    let mut mask = vec![false; counts[0] * counts[1]];
    let first_column = usize::from(options.sweep != Sweep::Revolved);
    for j in 1..counts[1] - 1 {
        for i in first_column..counts[0] - 1 {
            let x = (i.max(1) as f64 - 0.5) / fineness as f64;
            let y = picture.height as f64 - (j as f64 - 0.5) / fineness as f64;
            mask[j * counts[0] + i] = is_inside(grey(picture, options.filter, x, y));
        }
    }
    mask
}

/// The grey value at a point in pixels from the upper left corner.
fn grey(picture: &Picture, filter: Filter, x: f64, y: f64) -> f64 {
    let pixel = |i: f64, j: f64| {
        let column = i.clamp(0.0, (picture.width - 1) as f64) as usize;
        let row = j.clamp(0.0, (picture.height - 1) as f64) as usize;
        picture.values[row * picture.width + column]
    };
    match filter {
        Filter::Nearest => pixel(x.floor(), y.floor()),
        Filter::Bilinear => {
            let (x, y) = (x - 0.5, y - 0.5);
            let (i, j) = (x.floor(), y.floor());
            let row = |j: f64| pixel(i, j) * (1.0 - (x - i)) + pixel(i + 1.0, j) * (x - i);
            row(j) * (1.0 - (y - j)) + row(j + 1.0) * (y - j)
        }
    }
}

/// The flat box around the samples that are inside.
fn silhouette(mask: &[bool], counts: [usize; 2], first: [f64; 2], sample: f64) -> Aabb {
    let (mut min, mut max) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for number in (0..mask.len()).filter(|number| mask[*number]) {
        let center = [number % counts[0], number / counts[0]];
        for axis in 0..2 {
            let middle = first[axis] + center[axis] as f64 * sample;
            min[axis] = f64::min(min[axis], middle - 0.5 * sample);
            max[axis] = f64::max(max[axis], middle + 0.5 * sample);
        }
    }
    Aabb::new(Vec3::new(min.x, min.y, 0.0), Vec3::new(max.x, max.y, 0.0))
}
