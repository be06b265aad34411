//! What never moves under the nodes: which of them are inside obstacles, found once for each block while it is there.

use super::grid::node_position;
use super::layout::{Layout, Place, block_edge};
use super::mirrors::Pair;
use super::obstacles::{Obstacles, Touch};
use rayon::prelude::*;

/// How far from a node a wall may lie to be on it [cells].
const ON_NODE: f64 = 1e-6;

/// The obstacles that never move, as the grid meets them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ground<const D: usize> {
    /// Blocks of nodes, in order.
    places: Vec<Place<D>>,
    /// The nodes of each block that are inside obstacles.
    pub inside: Vec<Inside<D>>,
    /// Nodes behind smooth walls and their images before them.
    pub pairs: Vec<Pair<D>>,
}

/// The nodes of a block that are inside obstacles which never move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inside<const D: usize> {
    pub touching: Vec<Touch<D>>,
    /// Those one cell behind a smooth wall that lies on nodes, which images hold.
    mirrored: Vec<Touch<D>>,
}

impl<const D: usize> Ground<D> {
    /// Follows the grid: what was found for a block that is still there is kept.
    pub fn follow(&mut self, layout: &Layout<D>, obstacles: &Obstacles<'_>, with_mirrors: bool) {
        if self.places == layout.nodes {
            return;
        }
        let with_mirrors = with_mirrors && obstacles.has_mirrors();
        let Self { places, inside, .. } = std::mem::take(self);
        let mut before = places.into_iter().zip(inside).peekable();
        let mut known = |place: &Place<D>| {
            while before.next_if(|(old, _)| old < place).is_some() {}
            before.next_if(|(old, _)| old == place).map(|(_, inside)| inside)
        };
        let known: Vec<Option<Inside<D>>> = layout.nodes.iter().map(&mut known).collect();
        let found = |(known, place): (Option<Inside<D>>, &Place<D>)| {
            known.unwrap_or_else(|| Inside::of(obstacles, place, with_mirrors))
        };
        self.inside = known.into_par_iter().zip(&layout.nodes).map(found).collect();
        self.places.clone_from(&layout.nodes);
        for (block, inside) in self.inside.iter().enumerate() {
            let pair = |touch| pair(obstacles, layout, (block, touch));
            self.pairs.extend(inside.mirrored.iter().filter_map(pair));
        }
    }
}

impl<const D: usize> Inside<D> {
    fn of(obstacles: &Obstacles<'_>, place: &Place<D>, with_mirrors: bool) -> Self {
        let is_mirrored = |touch: &Touch<D>| with_mirrors && is_mirrored(obstacles, place, touch);
        let (mirrored, touching) = obstacles.touches(place).into_iter().partition(is_mirrored);
        Self { touching, mirrored }
    }
}

/// Whether a node is one cell behind a smooth wall that lies on nodes.
fn is_mirrored<const D: usize>(obstacles: &Obstacles<'_>, place: &Place<D>, touch: &Touch<D>) -> bool {
    let off_axis = (touch.normal.amax() - 1.0).abs();
    let x = node_position(obstacles.spacing(), place, touch.node.into());
    let depth = || -obstacles.distance(touch, &x) / obstacles.spacing();
    obstacles.mirror_hold(touch).is_some() && off_axis <= ON_NODE && (depth() - 1.0).abs() <= ON_NODE
}

/// A node behind a wall and its image, unless that is where no particle comes.
fn pair<const D: usize>(
    obstacles: &Obstacles<'_>,
    layout: &Layout<D>,
    (block, touch): (usize, &Touch<D>),
) -> Option<Pair<D>> {
    let hold = obstacles.mirror_hold(touch)?;
    let axis = touch.normal.iamax();
    let way = 2 * touch.normal[axis].round() as i32;
    let before = moved(layout, (&layout.nodes[block], touch.node), (axis, way))?;
    Some(Pair { behind: (block as u32, touch.node), before, normal: touch.normal, hold })
}

/// The node so many cells along an axis from one of a block, if it is there.
fn moved<const D: usize>(
    layout: &Layout<D>,
    (place, node): (&Place<D>, u16),
    (axis, by): (usize, i32),
) -> Option<(u32, u16)> {
    let edge = block_edge(D) as i32;
    let mut rest = i32::from(node);
    let mut global = [0; D];
    for along in (0..D).rev() {
        global[along] = place.0[along] * edge + rest % edge;
        rest /= edge;
    }
    global[axis] += by;
    let there = Place(global.map(|n| n.div_euclid(edge)));
    let block = layout.nodes.binary_search(&there).ok()?;
    let local = global.iter().fold(0, |local, n| local * edge + n.rem_euclid(edge));
    Some((block as u32, local as u16))
}
