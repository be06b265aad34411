//! Which colour each particle or vertex has: its own, its body's, or a field's value on a colour map.

use pliant_world::snapshot::{Column, Field, Snapshot};

use crate::RenderError;
use crate::colour::{ColourMap, body_colour, hex, linear};
use crate::ray::V3;

/// What the colours of matter mean.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum ColourBy {
    /// The vector field `color` (linear light in 0..=1) if the run has one, else one colour a body.
    #[default]
    Body,
    /// The value of a field; vectors and tensors by their magnitude.
    Field(FieldColours),
}

/// Colours by a field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldColours {
    /// Name of the field in the snapshots; `speed` stands for `velocity`.
    pub field: String,
    /// The colour map; `None` takes diverging colours for values of both signs and viridis otherwise.
    pub map: Option<ColourMap>,
    /// Values at the ends of the map.
    pub range: ValueRange,
}

/// The lowest and highest value on a colour map; grows over the frames of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// Value at the lower end.
    pub low: f32,
    /// Value at the upper end.
    pub high: f32,
}

impl Default for ValueRange {
    /// The empty range, to be grown by [`ValueRange::include`].
    fn default() -> Self {
        Self { low: f32::INFINITY, high: f32::NEG_INFINITY }
    }
}

/// Part of the particles that may lie outside an automatic range on either side: one runaway particle would
/// otherwise paint all others in one colour.
const OUTLIERS: f64 = 0.002;

impl ValueRange {
    /// Widens the range by a frame's values; a field the frame lacks and non-finite values change nothing.
    pub fn include(&mut self, snapshot: &Snapshot, field: &str) {
        let Some(column) = find(&snapshot.fields, field) else { return };
        let mut values = magnitudes(column);
        values.retain(|value| value.is_finite());
        if values.is_empty() {
            return;
        }
        values.sort_unstable_by(f32::total_cmp);
        let skipped = (values.len() as f64 * OUTLIERS) as usize;
        let is_magnitude = matches!(column, Column::Vector(_) | Column::Tensor(_));
        let low = if is_magnitude { 0.0 } else { values[skipped] };
        self.low = self.low.min(low);
        self.high = self.high.max(values[values.len() - 1 - skipped]);
    }

    /// Finite ends with room between them, symmetric if the values have both signs.
    pub fn usable(&self) -> Self {
        let is_usable = self.low.is_finite() && self.high.is_finite() && self.low <= self.high;
        let Self { low, high } = if is_usable { *self } else { Self { low: 0.0, high: 1.0 } };
        if low < 0.0 && high > 0.0 {
            let reach = high.max(-low);
            return Self { low: -reach, high: reach };
        }
        // A constant field still needs two ends, far enough apart for single precision to tell them.
        let room = 1e-5 * low.abs().max(high.abs()).max(f32::MIN_POSITIVE);
        if high - low > room {
            Self { low, high }
        } else {
            Self { low: low - 10.0 * room, high: high + 10.0 * room }
        }
    }

    fn position(&self, value: f32) -> f32 {
        // In double precision: the span of two huge ends overflows single precision.
        ((f64::from(value) - f64::from(self.low)) / (f64::from(self.high) - f64::from(self.low))) as f32
    }
}

impl FieldColours {
    /// Colours by a field, over a range that the frames fill in.
    pub fn new(field: &str) -> Self {
        Self { field: field.to_owned(), map: None, range: ValueRange::default() }
    }

    /// The map after looking at the range.
    pub fn chosen_map(&self) -> ColourMap {
        let ValueRange { low, high } = self.range.usable();
        self.map.unwrap_or(if low < 0.0 && high > 0.0 { ColourMap::Diverging } else { ColourMap::Viridis })
    }
}

/// Linear colours of `count` particles or vertices with these columns.
pub(crate) fn paint(by: &ColourBy, fields: &[Field], count: usize) -> Result<Vec<V3>, RenderError> {
    let mut colours = match by {
        ColourBy::Body => by_body(fields, count),
        ColourBy::Field(colours) => by_field(colours, fields)?,
    };
    colours.resize(count, linear(hex(0x9aa0a6)));
    Ok(colours)
}

fn by_body(fields: &[Field], count: usize) -> Vec<V3> {
    let column = |name: &str| fields.iter().find(|field| field.name == name).map(|field| &field.column);
    match (column("color"), column("body")) {
        (Some(Column::Vector(colours)), _) => colours.iter().map(|&colour| V3::from(colour)).collect(),
        (_, Some(Column::Integer(bodies))) => bodies.iter().map(|body| linear(body_colour(*body))).collect(),
        _ => vec![linear(body_colour(0)); count],
    }
}

fn by_field(colours: &FieldColours, fields: &[Field]) -> Result<Vec<V3>, RenderError> {
    let column = find(fields, &colours.field).ok_or_else(|| RenderError::UnknownField {
        name: colours.field.clone(),
        available: fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", "),
    })?;
    let (map, range) = (colours.chosen_map(), colours.range.usable());
    let values = magnitudes(column).into_iter();
    Ok(values.map(|value| linear(map.colour(range.position(value)))).collect())
}

fn find<'a>(fields: &'a [Field], name: &str) -> Option<&'a Column> {
    let by_name = |name: &str| fields.iter().find(|field| field.name == name).map(|field| &field.column);
    by_name(name).or_else(|| if name == "speed" { by_name(Snapshot::VELOCITY) } else { None })
}

/// One number a particle: the value itself, or the Euclidean or Frobenius norm.
fn magnitudes(column: &Column) -> Vec<f32> {
    let norm = |parts: &[f32]| parts.iter().map(|part| f64::from(*part).powi(2)).sum::<f64>().sqrt() as f32;
    match column {
        Column::Integer(values) => values.iter().map(|value| *value as f32).collect(),
        Column::Scalar(values) => values.clone(),
        Column::Vector(values) => values.iter().map(|value| norm(value)).collect(),
        Column::Tensor(values) => values.iter().map(|value| norm(value)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Field, FieldColours, Snapshot, ValueRange, by_field, linear};
    use crate::colour::NOT_A_NUMBER;

    fn snapshot(values: &[f32]) -> Snapshot {
        let fields = vec![Field { name: "pressure".to_owned(), column: Column::Scalar(values.to_vec()) }];
        Snapshot { fields, ..Snapshot::default() }
    }

    #[test]
    fn the_range_spans_all_frames_and_ignores_what_is_not_finite() {
        let mut range = ValueRange::default();
        range.include(&snapshot(&[1.0, f32::NAN, 3.0]), "pressure");
        range.include(&snapshot(&[2.0, f32::INFINITY, 7.0]), "pressure");
        range.include(&snapshot(&[-900.0]), "no_such_field");
        assert_eq!(range, ValueRange { low: 1.0, high: 7.0 });
    }

    #[test]
    fn every_range_becomes_usable() {
        let ends = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, 5.0, -5.0, f32::MAX, f32::MIN, 1e-40];
        for low in ends {
            for high in ends {
                let usable = ValueRange { low, high }.usable();
                assert!(usable.low < usable.high, "{low} {high} {usable:?}");
            }
        }
    }

    #[test]
    fn values_of_both_signs_put_zero_in_the_middle() {
        let range = ValueRange { low: -1.0, high: 4.0 }.usable();
        assert_eq!(range.position(0.0), 0.5);
    }

    #[test]
    fn not_a_number_is_magenta() {
        let colours = by_field(&FieldColours::new("pressure"), &snapshot(&[f32::NAN, 1.0]).fields).unwrap();
        assert_eq!(colours[0], linear(NOT_A_NUMBER));
        assert_ne!(colours[1], linear(NOT_A_NUMBER));
    }

    #[test]
    fn an_unknown_field_names_the_known_ones() {
        let error = by_field(&FieldColours::new("presure"), &snapshot(&[1.0]).fields).unwrap_err();
        assert!(error.to_string().contains("pressure"), "{error}");
    }
}
