//! Refuses what does not fit into this machine, before anything is built.

use pliant_geometry::Shape;
use pliant_geometry::rng::SplitMix64;
use pliant_math::Vec3;
use pliant_scene::{Matter, Object, Scene};
use pliant_store::machine::Machine;

use crate::console;
use crate::exit::{Failure, LIMIT};

/// Enough probes to know the filled part of a shape's box within a few percent.
const PROBES: u32 = 2048;
/// Memory of a particle besides its neighbourhood, measured [bytes].
const PARTICLE: f64 = 1200.0;
/// Memory of one neighbour of a particle, measured [bytes].
const NEIGHBOUR: f64 = 100.0;

/// Fails if the particles of a scene would need more memory than there is; takes milliseconds whatever their number.
pub fn check_memory(scene: &Scene) -> Result<(), Failure> {
    let particles: f64 = scene.objects.iter().map(|object| particles(object, scene.dimension)).sum();
    let neighbours = scene.method.neighbours_per_particle(scene.dimension);
    let needed = particles * (PARTICLE + neighbours * NEIGHBOUR);
    let present = Machine::detect().memory as f64;
    if present == 0.0 || needed <= present {
        return Ok(());
    }
    let message = format!(
        "the scene has about {particles:.1e} particles, which need {} of memory; this machine has {}: \
         try a larger spacing or smaller objects",
        console::bytes(needed),
        console::bytes(present)
    );
    Err(Failure::new(LIMIT, message))
}

fn particles(object: &Object, dimension: usize) -> f64 {
    let one = match &object.matter {
        Matter::Filled { shape, .. } => filled(shape, object.spacing, dimension),
        Matter::Points(points) => points.len() as f64,
        _ => 0.0,
    };
    one * object.copies.len() as f64
}

/// Cells of the lattice that lie inside a shape, about.
fn filled(shape: &Shape, spacing: f64, dimension: usize) -> f64 {
    let Some(bounds) = shape.bounds() else { return 0.0 };
    let size = bounds.size();
    let cells: f64 = size.iter().take(dimension).map(|length| length / spacing).product();
    let mut rng = SplitMix64::new(0);
    let inside = (0..PROBES)
        .filter(|_| {
            let mut point = Vec3::from_fn(|axis, _| rng.between(bounds.min[axis], bounds.max[axis]));
            if dimension == 2 {
                point.z = 0.0;
            }
            shape.distance(&point) < 0.0
        })
        .count();
    cells * inside as f64 / f64::from(PROBES)
}
