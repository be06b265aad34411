//! From the columns of a snapshot to colours, and what they mean.

use pliant_render::{ColourMap, FieldColours, ValueRange};
use pliant_world::{Column, Snapshot};
use rayon::prelude::*;

use super::look::Look;

/// What colours mean: the bar beside the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// Name of the field.
    pub field: String,
    /// Values at the ends.
    pub range: [f32; 2],
    /// The map.
    pub map: ColourMap,
}

impl Legend {
    /// The colours as pictures on disk have them.
    pub fn colours(&self) -> FieldColours {
        let [low, high] = self.range;
        FieldColours { field: self.field.clone(), map: Some(self.map), range: ValueRange { low, high } }
    }
}

/// Colour of matter that has none.
pub(super) const PLAIN: [u8; 4] = [154, 160, 166, 255];

/// One number a particle: the value, or the length of a vector or tensor.
pub fn magnitudes(column: &Column) -> Vec<f32> {
    let norm = |parts: &[f32]| parts.iter().map(|part| f64::from(*part).powi(2)).sum::<f64>().sqrt() as f32;
    match column {
        Column::Integer(values) => values.iter().map(|value| *value as f32).collect(),
        Column::Scalar(values) => values.clone(),
        Column::Vector(values) => values.iter().map(|value| norm(value)).collect(),
        Column::Tensor(values) => values.iter().map(|value| norm(value)).collect(),
    }
}

/// Names of what particles can be coloured by.
pub fn colour_choices(snapshot: &Snapshot) -> Vec<String> {
    let mut names: Vec<String> =
        ["material", "body", "speed", "volume", "log J"].iter().map(|name| (*name).to_owned()).collect();
    if snapshot.column("J").is_none() {
        names.retain(|name| name != "log J");
    }
    let hidden = ["color", "id", "body", "velocity", "rest_position"];
    names.extend(
        snapshot
            .fields
            .iter()
            .map(|field| field.name.clone())
            .filter(|name| !hidden.contains(&name.as_str())),
    );
    names.dedup();
    names
}

/// What a choice of colours is called in the window: names of columns are short, and papers have letters for them.
pub fn choice_label(name: &str) -> String {
    match name {
        "material" => "own colour".to_owned(),
        "Jp" => "Jp (of sand: v_c)".to_owned(),
        "plastic_strain" => "plastic strain (hardening q)".to_owned(),
        "hardening" => "hardening factor".to_owned(),
        "F" => "deformation F".to_owned(),
        other => other.replace('_', " "),
    }
}

/// The values a field name stands for.
pub fn values(snapshot: &Snapshot, name: &str) -> Option<Vec<f32>> {
    match name {
        "speed" => snapshot.column(Snapshot::VELOCITY).map(magnitudes),
        "volume" => {
            let (mass, density) = (snapshot.scalars("mass")?, snapshot.scalars("density")?);
            let ratios = snapshot.scalars("J").unwrap_or_default();
            let ratio = |i: usize| ratios.get(i).copied().unwrap_or(1.0);
            Some(
                mass.iter()
                    .zip(density)
                    .enumerate()
                    .map(|(i, (mass, density))| mass / density * ratio(i))
                    .collect(),
            )
        }
        "log J" => Some(snapshot.scalars("J")?.iter().map(|ratio| ratio.ln()).collect()),
        _ => snapshot.column(name).map(magnitudes),
    }
}

pub(super) fn colours(snapshot: &Snapshot, look: &Look) -> (Vec<[u8; 4]>, Option<Legend>) {
    let opaque = |rgb: [f32; 3]| {
        let [r, g, b] = rgb.map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8);
        [r, g, b, 255]
    };
    let own = |snapshot: &Snapshot| match snapshot.vectors("color") {
        Some(colours) => colours.par_iter().map(|colour| opaque(colour.map(srgb))).collect(),
        None => vec![PLAIN; snapshot.positions().len()],
    };
    if look.colour_by == "material" {
        return (own(snapshot), None);
    }
    if look.colour_by == "body" {
        let bodies = snapshot.integers("body").unwrap_or_default();
        return (bodies.iter().map(|body| opaque(pliant_render::body_colour(*body))).collect(), None);
    }
    let Some(values) = values(snapshot, &look.colour_by) else { return (own(snapshot), None) };
    let range = match look.range {
        Some([low, high]) => ValueRange { low, high },
        None => value_range(&values),
    };
    let chosen = FieldColours { field: look.colour_by.clone(), map: look.map.map(), range };
    let (map, range) = (chosen.chosen_map(), range.usable());
    let table: Vec<[u8; 4]> = (0..=1024).map(|place| opaque(map.colour(place as f32 / 1024.0))).collect();
    let nowhere = opaque(pliant_render::NOT_A_NUMBER);
    let scale = 1024.0 / (f64::from(range.high) - f64::from(range.low));
    let colour = |value: &f32| {
        let place = (f64::from(*value) - f64::from(range.low)) * scale;
        if place.is_nan() { nowhere } else { table[place.clamp(0.0, 1024.0) as usize] }
    };
    let legend = Legend { field: look.colour_by.clone(), range: [range.low, range.high], map };
    (values.par_iter().map(colour).collect(), Some(legend))
}

/// The range of values, without the outermost two in a thousand on either side.
fn value_range(values: &[f32]) -> ValueRange {
    let field = pliant_world::Field { name: "value".to_owned(), column: Column::Scalar(values.to_vec()) };
    let mut range = ValueRange::default();
    range.include(&Snapshot { fields: vec![field], ..Snapshot::default() }, "value");
    range
}

/// From linear light to sRGB.
pub fn srgb(linear: f32) -> f32 {
    let linear = if linear.is_nan() { 0.0 } else { linear.clamp(0.0, 1.0) };
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}
