//! How much of the elasticity of particles that are held counts.

use super::rest::{Edge, Rest};
use pliant_geometry::clamp::{self, Link};

/// The factor for each particle; one for those that are not held. `penalty` is the strength α of the zero-energy term.
pub(super) fn factors(rest: &Rest, pinned: &[bool], penalty: f64) -> Vec<f64> {
    let link = |edge: &Edge| Link {
        offset: edge.offset(),
        weight: f64::from(edge.steepness),
        penalty: penalty * f64::from(edge.weight),
        is_held: pinned[edge.to as usize],
    };
    let factor = |i: usize| match pinned[i] {
        true => clamp::stored_share(&rest.row(i).iter().map(link).collect::<Vec<_>>()),
        false => 1.0,
    };
    (0..rest.len()).map(factor).collect()
}
