//! From a snapshot and a look to what the graphics processor draws. Nothing here knows of windows or devices.

use std::ops::Range;
use std::sync::Arc;

use nalgebra::Matrix4;
use pliant_world::Snapshot;
use rayon::prelude::*;

use super::bounds::Bounds;
use super::colours::{Legend, PLAIN, colours};
use super::cull;
use super::look::{Grain, Look, ShadowGrain};
use super::trace::Tracing;
use super::turns::turns;

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
    /// What its particles look like.
    pub grain: Grain,
    /// What they look like to the light.
    pub shadow_grain: ShadowGrain,
    /// Whether they are shaded.
    pub is_lit: bool,
    /// Size of points [pixels].
    pub point_size: f32,
    /// Whether all of it is as the look of the picture says.
    is_common: bool,
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

/// What something that is not a particle is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// Triangles.
    Mesh(Arc<Mesh>),
    /// A signed distance that rays are traced along.
    Traced(Arc<Tracing>),
    /// A signed distance that is cut along the plane z = 0.
    Cut(Arc<Tracing>),
}

/// A thing in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// What it is made of.
    pub solid: Solid,
    /// Where it stands.
    pub world_from_model: Matrix4<f32>,
    /// Multiplies its colours, linear; the last is the opacity.
    pub tint: [f32; 4],
    /// Distance of lines drawn on it [m]; none if 0.
    pub line_spacing: f32,
    /// How far what has lines is seen [m].
    pub sight: f32,
}

impl Placed {
    /// A mesh where it is, in its own colours.
    pub fn mesh(mesh: Arc<Mesh>) -> Self {
        Self {
            solid: Solid::Mesh(mesh),
            world_from_model: Matrix4::identity(),
            tint: [1.0; 4],
            line_spacing: 0.0,
            sight: 0.0,
        }
    }
}

/// Prepares the particles of a snapshot.
pub fn grains(snapshot: &Snapshot, look: &Look) -> (Grains, Option<Legend>) {
    let positions = snapshot.positions();
    let (common, legend) = colours(snapshot, look);
    let (order, batches) = batches(snapshot, look);
    let radii = snapshot.scalars(Snapshot::RADIUS).unwrap_or_default();
    let (mut balls, mut painted) = (Vec::with_capacity(order.len()), Vec::with_capacity(order.len()));
    for (batch, worn) in &batches {
        let members = &order[batch.particles.start as usize..batch.particles.end as usize];
        let ratios = if worn.size_by_volume { snapshot.scalars("J").unwrap_or_default() } else { &[] };
        balls
            .par_extend(members.par_iter().map(|&i| ball(positions, radii, ratios, (i as usize, worn.size))));
        let own;
        let shades = if batch.is_common {
            &common
        } else {
            own = colours(snapshot, worn).0;
            &own
        };
        painted.par_extend(members.par_iter().map(|&i| shades.get(i as usize).copied().unwrap_or(PLAIN)));
    }
    let is_solid = |batch: &Batch| batch.grain == Grain::Icosahedra;
    let needs_turns = look.needs_turns() || batches.iter().any(|(batch, _)| is_solid(batch));
    let grains = Grains {
        largest: balls.iter().fold(0.0, |largest, ball: &[f32; 4]| ball[3].max(largest)),
        balls,
        colours: painted,
        turns: if needs_turns { turns(snapshot, &order) } else { Vec::new() },
        batches: batches.into_iter().map(|(batch, _)| batch).collect(),
        bounds: Some(Bounds::of(positions, radii.first().copied().unwrap_or(0.0))),
        sources: order,
    };
    (grains, legend)
}

/// Place and radius of a particle; one whose place is not a number is drawn nowhere: a ball of no size, out of sight.
fn ball(positions: &[[f32; 3]], radii: &[f32], ratios: &[f32], (i, size): (usize, f32)) -> [f32; 4] {
    let grown = ratios.get(i).map_or(1.0, |ratio| ratio.clamp(0.01, 100.0).cbrt());
    let radius = radii.get(i).copied().unwrap_or(0.01) * size * grown;
    let [x, y, z] = positions[i];
    let is_there = x.is_finite() && y.is_finite() && z.is_finite() && radius.is_finite();
    if is_there { [x, y, z, radius.max(0.0)] } else { [0.0; 4] }
}

/// Particles body by body in the order they are drawn: opaque ones first, then translucent ones as the user orders. With
/// each batch comes the look its particles have.
fn batches<'a>(snapshot: &Snapshot, look: &'a Look) -> (Vec<u32>, Vec<(Batch, &'a Look)>) {
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
        let (kind, worn) = (look.body(body), look.worn_by(body));
        // Balls that do not fill their cells, and translucent ones, show what is behind them.
        let is_dense = worn.size >= 1.0 && worn.grain != Grain::Surface && kind.opacity >= 1.0;
        if is_dense {
            particles.extend(cull::visible(snapshot.positions(), radii, &members[body]));
        } else {
            particles.append(&mut members[body]);
        }
        let batch = Batch {
            particles: start..particles.len() as u32,
            opacity: kind.opacity.clamp(0.0, 1.0),
            casts: kind.casts,
            receives: kind.receives,
            grain: worn.grain,
            shadow_grain: worn.shadow_grain,
            is_lit: worn.is_lit,
            point_size: worn.point_size,
            is_common: kind.worn.is_none(),
        };
        merge(&mut batches, (batch, worn));
    }
    (particles, batches)
}

/// Opaque bodies that are drawn alike become one batch: scenes have thousands of them.
fn merge<'a>(batches: &mut Vec<(Batch, &'a Look)>, (next, worn): (Batch, &'a Look)) {
    let is_alike = |last: &Batch| {
        let is_opaque = last.opacity >= 1.0 && next.opacity >= 1.0;
        let shadows = (last.casts, last.receives) == (next.casts, next.receives);
        is_opaque && shadows && last.is_common && next.is_common
    };
    match batches.last_mut() {
        Some((last, _)) if is_alike(last) => last.particles.end = next.particles.end,
        _ => batches.push((next, worn)),
    }
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

    #[test]
    fn a_body_with_a_look_of_its_own_is_a_batch_of_its_own() {
        let kept = Look {
            name: "mine".to_owned(),
            grain: Grain::Points,
            size: 2.0,
            colour_by: "pressure".to_owned(),
            ..Look::default()
        };
        let mut look = Look::default();
        look.body_mut(0).look = Some("mine".to_owned());
        let (grains, legend) = grains(&snapshot(), &look.dressed(&[kept]));
        let grain: Vec<Grain> = grains.batches.iter().map(|batch| batch.grain).collect();
        assert_eq!(grain, [Grain::Points, Grain::Balls]);
        assert_eq!(grains.balls[0][3], 0.2);
        assert_ne!(grains.colours[0], grains.colours[2]);
        assert!(legend.is_none(), "the bar is of the picture's own look");
    }
}
