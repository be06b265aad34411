//! From a snapshot and a look to what the graphics processor draws. Nothing here knows of windows or devices.

use std::ops::Range;
use std::sync::Arc;

use nalgebra::{Matrix3, Matrix4};
use pliant_render::{ColourMap, FieldColours, ValueRange};
use pliant_world::{Column, Snapshot};
use rayon::prelude::*;

use super::camera::Bounds;
use super::cull;
use super::look::{Grain, Look};

/// A triangle mesh: positions, normals (zero for what is not lit) and colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices: place [m], normal, sRGB colour with opacity.
    pub vertices: Vec<Vertex>,
    /// Triples of vertices.
    pub indices: Vec<u32>,
}

/// A vertex of a mesh or a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Place [m].
    pub position: [f32; 3],
    /// Unit normal; zero is not lit.
    pub normal: [f32; 3],
    /// sRGB colour and opacity.
    pub colour: [u8; 4],
}

/// Particles of bodies that are drawn alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Which particles of the drawing.
    pub particles: Range<u32>,
    /// Opacity, 0 to 1.
    pub opacity: f32,
    /// Whether it throws shadows.
    pub casts: bool,
    /// Whether shadows fall on it.
    pub receives: bool,
}

/// Particles ready to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grains {
    /// Place and radius [m].
    pub balls: Vec<[f32; 4]>,
    /// sRGB colours with opacity.
    pub colours: Vec<[u8; 4]>,
    /// Rotations of icosahedra as quaternions, or normals of points; empty for balls.
    pub turns: Vec<[f32; 4]>,
    /// Bodies in the order they are drawn.
    pub batches: Vec<Batch>,
    /// Radius of the largest ball [m].
    pub largest: f32,
    /// The particle of the snapshot each one is.
    pub sources: Vec<u32>,
    /// Where they are.
    pub bounds: Option<Bounds>,
}

/// A mesh in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedMesh {
    /// The mesh.
    pub mesh: Arc<Mesh>,
    /// Where it stands.
    pub world_from_model: Matrix4<f32>,
    /// Multiplies its colours, linear; the last is the opacity.
    pub tint: [f32; 4],
    /// Distance of lines drawn on it [m]; none if 0.
    pub line_spacing: f32,
}

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

/// Colour of matter that has none.
const PLAIN: [u8; 4] = [154, 160, 166, 255];

/// Prepares the particles of a snapshot.
pub fn grains(snapshot: &Snapshot, look: &Look) -> (Grains, Option<Legend>) {
    let positions = snapshot.positions();
    let (colours, legend) = colours(snapshot, look);
    let (order, batches) = batches(snapshot, look);
    let radii = snapshot.scalars(Snapshot::RADIUS).unwrap_or_default();
    let ratios = if look.size_by_volume { snapshot.scalars("J").unwrap_or_default() } else { &[] };
    let ball = |&i: &u32| {
        let i = i as usize;
        let grown = ratios.get(i).map_or(1.0, |ratio| ratio.clamp(0.01, 100.0).cbrt());
        let radius = radii.get(i).copied().unwrap_or(0.01) * look.size * grown;
        let [x, y, z] = positions[i];
        let is_there = x.is_finite() && y.is_finite() && z.is_finite() && radius.is_finite();
        // A place that is not a number is drawn nowhere: a ball of no size, out of sight.
        if is_there { [x, y, z, radius.max(0.0)] } else { [0.0; 4] }
    };
    let balls: Vec<[f32; 4]> = order.par_iter().map(ball).collect();
    let grains = Grains {
        largest: balls.iter().fold(0.0, |largest, ball| ball[3].max(largest)),
        balls,
        colours: order.par_iter().map(|&i| colours.get(i as usize).copied().unwrap_or(PLAIN)).collect(),
        turns: if look.needs_turns() { turns(snapshot, &order) } else { Vec::new() },
        batches,
        bounds: Some(Bounds::of(positions, radii.first().copied().unwrap_or(0.0))),
        sources: order,
    };
    (grains, legend)
}

/// Particles body by body in the order they are drawn: opaque ones first, then translucent ones as the user orders.
fn batches(snapshot: &Snapshot, look: &Look) -> (Vec<u32>, Vec<Batch>) {
    let count = snapshot.positions().len() as u32;
    let bodies = snapshot.integers("body").unwrap_or_default();
    let body_count = bodies.iter().max().map_or(1, |last| *last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); body_count];
    for i in 0..count {
        members[bodies.get(i as usize).copied().unwrap_or(0) as usize].push(i);
    }
    let mut order: Vec<usize> = (0..body_count).filter(|&body| look.body(body).opacity > 0.0).collect();
    order.sort_by_key(|&body| (look.body(body).opacity < 1.0, look.body(body).order));
    let (mut particles, mut batches) = (Vec::with_capacity(count as usize), Vec::new());
    let radii = snapshot.scalars(Snapshot::RADIUS).unwrap_or_default();
    for body in order {
        let start = particles.len() as u32;
        // Balls that do not fill their cells, and translucent ones, show what is behind them.
        let is_dense = look.size >= 1.0 && look.grain != Grain::Surface && look.body(body).opacity >= 1.0;
        if is_dense {
            particles.extend(cull::visible(snapshot.positions(), radii, &members[body]));
        } else {
            particles.append(&mut members[body]);
        }
        let kind = look.body(body);
        let batch = Batch {
            particles: start..particles.len() as u32,
            opacity: kind.opacity.clamp(0.0, 1.0),
            casts: kind.casts,
            receives: kind.receives,
        };
        merge(&mut batches, batch);
    }
    (particles, batches)
}

/// Opaque bodies that are drawn alike become one batch: scenes have thousands of them.
fn merge(batches: &mut Vec<Batch>, next: Batch) {
    match batches.last_mut() {
        Some(last)
            if last.opacity >= 1.0
                && next.opacity >= 1.0
                && (last.casts, last.receives) == (next.casts, next.receives) =>
        {
            last.particles.end = next.particles.end;
        }
        _ => batches.push(next),
    }
}

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
    let mut names = vec!["material".to_owned(), "body".to_owned(), "speed".to_owned(), "volume".to_owned()];
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
        _ => snapshot.column(name).map(magnitudes),
    }
}

fn colours(snapshot: &Snapshot, look: &Look) -> (Vec<[u8; 4]>, Option<Legend>) {
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

/// The rotation in the polar decomposition of each deformation gradient, as a quaternion.
fn turns(snapshot: &Snapshot, order: &[u32]) -> Vec<[f32; 4]> {
    let Some(Column::Tensor(gradients)) = snapshot.column("F") else {
        return vec![[0.0, 0.0, 0.0, 1.0]; order.len()];
    };
    let turn = |&i: &u32| {
        let gradient = Matrix3::from_row_slice(&gradients[i as usize]);
        if gradient.iter().any(|x| !x.is_finite()) {
            return [0.0, 0.0, 0.0, 1.0];
        }
        let rotation = pliant_math::principal(&gradient.cast::<f64>()).rotation();
        let turn = nalgebra::UnitQuaternion::from_matrix(&rotation);
        [turn.i as f32, turn.j as f32, turn.k as f32, turn.w as f32]
    };
    order.par_iter().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::{Grain, Look, Snapshot, grains};
    use pliant_world::{Column, Field};

    fn snapshot() -> Snapshot {
        let field = |name: &str, column| Field { name: name.to_owned(), column };
        Snapshot {
            fields: vec![
                field("position", Column::Vector(vec![[0.0; 3], [f32::NAN, 0.0, 0.0], [1.0, 2.0, 3.0]])),
                field("radius", Column::Scalar(vec![0.1, 0.1, f32::INFINITY])),
                field("body", Column::Integer(vec![0, 1, 0])),
                field("pressure", Column::Scalar(vec![1.0, f32::NAN, 3.0])),
                field("F", Column::Tensor(vec![[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]; 3])),
            ],
            ..Snapshot::default()
        }
    }

    #[test]
    fn what_is_not_a_number_is_magenta_or_nowhere() {
        let look = Look { colour_by: "pressure".to_owned(), grain: Grain::Icosahedra, ..Look::default() };
        let (grains, legend) = grains(&snapshot(), &look);
        assert_eq!(grains.sources, [0, 2, 1]);
        assert_eq!(grains.balls[1], [0.0; 4]);
        assert_eq!(grains.balls[2], [0.0; 4]);
        assert_eq!(grains.colours[2], [255, 0, 255, 255]);
        assert_eq!(grains.turns.len(), 3);
        assert!(legend.unwrap().range[1] >= 3.0);
    }

    #[test]
    fn translucent_bodies_come_last_in_the_order_of_the_user() {
        let mut look = Look::default();
        look.body_mut(0).opacity = 0.5;
        let (grains, _) = grains(&snapshot(), &look);
        assert_eq!(grains.sources, [1, 0, 2]);
        assert_eq!(grains.batches.len(), 2);
        look.body_mut(1).opacity = 0.0;
        assert_eq!(super::grains(&snapshot(), &look).0.sources, [0, 2]);
    }
}
