//! Two-dimensional scenes: colliders cut open by the plane `z = 0`, matter without light from the side.

use crate::ray::{Ray, V3};
use crate::solids::{Plane, Solid};
use crate::stage::Hit;

/// Paper, inside of colliders and their outline, linear.
const PAPER: V3 = V3::new(0.93, 0.94, 0.955);
const INSIDE: V3 = V3::new(0.66, 0.69, 0.735);
const OUTLINE: V3 = V3::new(0.24, 0.27, 0.33);
/// Width of the outline [pixels].
const OUTLINE_WIDTH: f32 = 1.6;

/// The colliders of a two-dimensional scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cut {
    pub planes: Vec<Plane>,
    pub solids: Vec<Solid>,
}

impl Cut {
    /// Linear colour of the plane where the ray crosses it; `footprint` is the size of a pixel [m].
    pub fn colour(&self, ray: &Ray, footprint: f32) -> V3 {
        let point = V3::new(ray.origin.x, ray.origin.y, 0.0);
        let planes = self.planes.iter().map(|plane| (plane.normal.dot(&point) - plane.offset, plane.colour));
        let solids = self.solids.iter().map(|solid| (solid.distance(&point), solid.colour));
        planes.chain(solids).fold(PAPER, |under, (distance, colour)| {
            // Coverage grows from 0 to 1 over one pixel around the edge.
            let cover = |edge: f32| (0.5 + (edge - distance) / footprint).clamp(0.0, 1.0);
            let inside = under.lerp(&colour.unwrap_or(INSIDE), cover(0.0));
            let line = cover(0.0) * (1.0 - cover(-OUTLINE_WIDTH * footprint));
            inside.lerp(&OUTLINE, line)
        })
    }
}

/// Colour of matter: its own, with a hint of roundness.
pub(crate) fn matter(hit: &Hit) -> V3 {
    let lamp = V3::new(-0.35, 0.55, 0.76);
    hit.colour * (0.72 + 0.34 * hit.normal.dot(&lamp).max(0.0))
}
