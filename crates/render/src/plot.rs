//! Plots of whole-scene quantities over time, as SVG and PNG.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use plotters::backend::{BitMapBackend, SVGBackend};
use plotters::chart::{ChartBuilder, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::PathElement;
use plotters::prelude::DrawingBackend;
use plotters::series::LineSeries;
use plotters::style::{Color, FontStyle, RGBColor, ShapeStyle, WHITE, register_font};

use crate::RenderError;
use crate::image::{Image, write_file};
use crate::series::{Figure, figures};

const SIZE: (u32, u32) = (960, 480);
/// The plotting library places letters on whole pixels; finer pixels, averaged, give even text and lines.
const OVERSAMPLING: u32 = 3;
const INK: RGBColor = RGBColor(0x2b, 0x30, 0x38);
const GRID: RGBColor = RGBColor(0xe6, 0xe8, 0xeb);
const LINES: [RGBColor; 6] = [
    RGBColor(0xe9, 0x73, 0x3d),
    RGBColor(0x2a, 0x9d, 0x8f),
    RGBColor(0x4c, 0x6f, 0xd6),
    RGBColor(0x8f, 0x5b, 0xd0),
    RGBColor(0xc9, 0x92, 0x1c),
    RGBColor(0xdd, 0x4f, 0x74),
];
const FONT: &str = "sans-serif";

/// The values of one frame: its time [s] and its named quantities.
pub type Row = (f64, Vec<(String, f64)>);

/// Lines over a common axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Name of the file, without its extension.
    pub name: String,
    /// What stands above them.
    pub title: String,
    /// What stands along the horizontal axis, with its unit.
    pub across: String,
    /// What stands along the vertical axis, with its unit.
    pub along: String,
    /// The lines.
    pub lines: Vec<Curve>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it shows.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// Writes curves as `NAME.svg` and returns its path. Non-finite values leave gaps.
///
/// # Errors
/// [`RenderError::Plot`] if drawing fails, [`RenderError::Write`] if the file cannot be written.
pub fn write_curves(curves: &Curves, folder: &Path) -> Result<PathBuf, RenderError> {
    let path = folder.join(format!("{}.svg", curves.name));
    write_file(&path, to_svg(&Figure::from(curves))?.as_bytes())?;
    Ok(path)
}

/// Writes a figure for every kind of quantity in the rows, as `NAME.svg` and `NAME.png`, and returns their paths.
/// Non-finite values leave gaps; quantities without any finite value get no figure.
///
/// # Errors
/// [`RenderError::Plot`] if drawing fails, [`RenderError::Write`] if a file cannot be written.
pub fn write_plots(rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>, RenderError> {
    let mut written = Vec::new();
    for figure in figures(rows) {
        let svg = folder.join(format!("{}.svg", figure.name));
        write_file(&svg, to_svg(&figure)?.as_bytes())?;
        let png = folder.join(format!("{}.png", figure.name));
        to_image(&figure)?.save(&png)?;
        written.extend([svg, png]);
    }
    Ok(written)
}

fn to_svg(figure: &Figure) -> Result<String, RenderError> {
    let mut text = String::new();
    draw(figure, &SVGBackend::with_string(&mut text, SIZE).into_drawing_area(), 1)?;
    Ok(text)
}

fn to_image(figure: &Figure) -> Result<Image, RenderError> {
    let size = (SIZE.0 * OVERSAMPLING, SIZE.1 * OVERSAMPLING);
    let mut large = Image::filled(size.0, size.1, [255; 3])?;
    let buffer = large.pixels_mut().as_flattened_mut();
    draw(figure, &BitMapBackend::with_buffer(buffer, size).into_drawing_area(), OVERSAMPLING)?;
    large.shrunk(OVERSAMPLING)
}

/// Gives the plotting library the embedded font; it looks for none on the system.
fn prepare_font() -> bool {
    static IS_READY: OnceLock<bool> = OnceLock::new();
    let register = || register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT).is_ok();
    *IS_READY.get_or_init(register)
}

fn draw<B: DrawingBackend>(
    figure: &Figure,
    area: &DrawingArea<B, Shift>,
    scale: u32,
) -> Result<(), RenderError> {
    if !prepare_font() {
        return Err(RenderError::Plot("the embedded font is not readable".to_owned()));
    }
    draw_on(figure, area, scale).map_err(|error| RenderError::Plot(error.to_string()))
}

fn draw_on<B: DrawingBackend>(
    figure: &Figure,
    area: &DrawingArea<B, Shift>,
    scale: u32,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    area.fill(&WHITE)?;
    let (times, values): (Range<f64>, Range<f64>) = figure.ranges();
    let mut chart = ChartBuilder::on(area)
        .margin(18 * scale)
        .margin_right(30 * scale)
        .caption(&figure.title, (FONT, 24 * scale, &INK))
        .x_label_area_size(46 * scale)
        .y_label_area_size(74 * scale)
        .build_cartesian_2d(times, values)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(GRID.stroke_width(scale))
        .axis_style(INK.mix(0.5).stroke_width(scale))
        .x_labels(9)
        .y_labels(7)
        .x_desc(&figure.across)
        .y_desc(figure.value_label())
        .label_style((FONT, 15 * scale, &INK))
        .axis_desc_style((FONT, 16 * scale, &INK))
        .draw()?;
    let length = 20 * scale as i32;
    for (number, series) in figure.series.iter().enumerate() {
        let style = line_style(&series.label, number, scale);
        let mut pieces = series.pieces(figure.factor).into_iter();
        let first = pieces.next().unwrap_or_default();
        let line = chart.draw_series(LineSeries::new(first, style))?;
        if figure.series.len() > 1 {
            line.label(&series.label)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + length, y)], style));
        }
        for piece in pieces {
            chart.draw_series(LineSeries::new(piece, style))?;
        }
    }
    if figure.series.len() > 1 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(GRID)
            .legend_area_size(30 * scale)
            .margin(10 * scale)
            .label_font((FONT, 15 * scale, &INK))
            .draw()?;
    }
    area.present()
}

/// Sums are drawn in ink, their parts in colours.
fn line_style(label: &str, number: usize, scale: u32) -> ShapeStyle {
    if label == "total" {
        INK.stroke_width(3 * scale)
    } else {
        LINES[number % LINES.len()].stroke_width(2 * scale)
    }
}
