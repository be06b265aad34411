//! The colour bar: what the colours of a picture mean.

use crate::colour::bytes;
use crate::image::Image;
use crate::paint::FieldColours;
use crate::text::{self, Anchor};

/// Ink on the light background of pictures.
pub(crate) const INK: [u8; 3] = [0x2b, 0x30, 0x38];

/// What stands beside a colour bar.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendText {
    /// What the colours show, with its unit.
    pub heading: String,
    /// Round values between the ends with their labels.
    pub ticks: Vec<(f64, String)>,
}

impl LegendText {
    /// The text for a field over a range.
    pub fn of(colours: &FieldColours) -> Self {
        let range = colours.range.usable();
        let (title, si_unit) = caption(&colours.field);
        let scale = Scale::new(f64::from(range.low), f64::from(range.high), si_unit);
        let heading = if scale.unit.is_empty() { title } else { format!("{title}  [{}]", scale.unit) };
        Self { heading, ticks: scale.ticks() }
    }
}

impl Image {
    /// Draws a colour bar whose right end is at `right` [pixels], in ink of a colour; returns where its left end is.
    pub fn draw_legend(&mut self, colours: &FieldColours, right: f32, ink: [u8; 3]) -> f32 {
        draw(self, colours, right, ink)
    }
}

fn draw(image: &mut Image, colours: &FieldColours, right: f32, ink: [u8; 3]) -> f32 {
    let unit = image.height() as f32 / 100.0;
    let size = (3.1 * unit).max(9.0);
    let range = colours.range.usable();
    let (bar_width, bar_height) = (2.2 * unit, 44.0 * unit);
    let LegendText { heading, ticks: labels } = LegendText::of(colours);
    let label_width = labels.iter().map(|(_, label)| text::width(label, size)).fold(0.0, f32::max);
    let column = (bar_width + 1.4 * unit + label_width).max(text::width(&heading, size));
    let left = right - column - 4.0 * unit;
    let top = 50.0 * unit - 0.5 * bar_height + 2.0 * unit;
    text::draw(image, &heading, (left, top - 2.0 * unit, Anchor::Left), size, ink);
    let map = colours.chosen_map();
    let first_row = top.round() as i32;
    let rows = bar_height.round() as i32;
    for row in 0..rows {
        let colour = bytes(map.colour(1.0 - (row as f32 + 0.5) / rows as f32));
        for x in left.round() as i32..(left + bar_width).round() as i32 {
            image.blend(x, first_row + row, colour, 1.0);
        }
    }
    let span = f64::from(range.high) - f64::from(range.low);
    for (value, label) in labels {
        let height = ((value - f64::from(range.low)) / span) as f32;
        let y = top + bar_height * (1.0 - height);
        for x in (left + bar_width) as i32..(left + bar_width + 0.7 * unit) as i32 {
            image.blend(x, y as i32, ink, 0.8);
        }
        let place = (left + bar_width + 1.4 * unit, y + 0.34 * size, Anchor::Left);
        text::draw(image, &label, place, size, ink);
    }
    left
}

/// Title and SI unit of the conventional fields; others keep their name.
fn caption(field: &str) -> (String, &'static str) {
    let (title, unit) = match field {
        "velocity" | "speed" => ("speed", "m/s"),
        "density" => ("density", "kg/m³"),
        "pressure" => ("pressure", "Pa"),
        "von_mises" => ("von Mises stress", "Pa"),
        "stress" => ("stress, norm", "Pa"),
        "mass" => ("mass", "kg"),
        "radius" => ("radius", "m"),
        "J" => ("volume ratio J", ""),
        "F" => ("deformation, norm", ""),
        other => return (other.replace('_', " "), ""),
    };
    (title.to_owned(), unit)
}

/// Numbers along the bar in a unit that keeps them short.
struct Scale {
    low: f64,
    high: f64,
    factor: f64,
    unit: String,
}

impl Scale {
    fn new(low: f64, high: f64, unit: &str) -> Self {
        let largest = low.abs().max(high.abs());
        // Only these units take prefixes in print; kilo-kilograms do not exist.
        let takes_prefix = matches!(unit, "Pa" | "J" | "N");
        let prefixes = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
        let found = prefixes.into_iter().find(|(factor, _)| takes_prefix && largest >= *factor);
        let (factor, prefix) = found.unwrap_or((1.0, ""));
        Self { low, high, factor, unit: format!("{prefix}{unit}") }
    }

    /// Round values between the ends with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = (self.low / self.factor, self.high / self.factor);
        let step = round_step((high - low) / 4.0);
        let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
        let is_plain = high.abs().max(low.abs()) < 1e5 && step >= 1e-5;
        let first = (low / step - 1e-6).ceil();
        // At most nine: the step is a quarter of the span or, after rounding down, an eighth.
        let values = (0..9).map(|i| (first + f64::from(i)) * step).filter(|v| *v <= high + 1e-6 * step);
        values
            .map(|value| {
                let value = if value.abs() < 1e-9 * step { 0.0 } else { value };
                let label = if is_plain { format!("{value:.decimals$}") } else { format!("{value:.3e}") };
                (value * self.factor, label.replace('-', "−"))
            })
            .collect()
    }
}

/// The largest of 1, 2, 5 times a power of ten that is not above `step`.
pub(crate) fn round_step(step: f64) -> f64 {
    if !(step > 0.0 && step.is_finite()) {
        return 1.0;
    }
    let power = 10.0_f64.powf(step.log10().floor());
    let leading = step / power;
    power
        * if leading >= 5.0 {
            5.0
        } else if leading >= 2.0 {
            2.0
        } else {
            1.0
        }
}

#[cfg(test)]
mod tests {
    use super::{FieldColours, Image, Scale};
    use crate::paint::ValueRange;

    #[test]
    fn ticks_are_round_and_inside() {
        let labels: Vec<String> =
            Scale::new(0.0, 3.7, "m/s").ticks().into_iter().map(|tick| tick.1).collect();
        assert_eq!(labels, ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0", "3.5"]);
        let pressure = Scale::new(-140_000.0, 140_000.0, "Pa");
        assert_eq!(pressure.unit, "kPa");
        let labels: Vec<String> = pressure.ticks().into_iter().map(|tick| tick.1).collect();
        assert_eq!(labels, ["−100", "−50", "0", "50", "100"]);
    }

    #[test]
    fn a_legend_survives_any_range_and_size() {
        let ends = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, 3.0, -3.0, f32::MAX, f32::MIN, 1e-40];
        for low in ends {
            for high in ends {
                let mut image = Image::filled(64, 36, [255; 3]).unwrap();
                let range = ValueRange { low, high };
                let left =
                    image.draw_legend(&FieldColours { range, ..FieldColours::new("velocity") }, 64.0, [0; 3]);
                assert!(left < 64.0);
            }
        }
        let long = FieldColours::new("a_field_with_a_long_name");
        Image::filled(1, 1, [255; 3]).unwrap().draw_legend(&long, 1.0, [0; 3]);
    }
}
