//! Smooth walls that lie on nodes: the velocity of the grid is zero *on* such a wall, not only at the nodes behind it.
//!
//! A spline that reaches over a wall gives weight to a node behind it. Holding that node leaves the velocity on the wall an
//! eighth of that of the node before it, and what the spline carries beyond the wall pushes on nothing: pressure in the
//! cell at the wall is off by a tenth and more. Here the two nodes move as images of each other, as they would if matter
//! behind the wall were the mirror image of that before it, as long as the wall has to push.

use super::Mpm;
use super::grid::{Grid, node_position};
use super::layout::{Layout, Place, block_edge, block_size};
use super::obstacles::{Obstacles, Touch};
use super::scalar::{Quad, Scalar};
use super::settings::{DragMode, Integrator};
use super::transfer::{EXTRA, Node, node_of};
use pliant_math::{Vect, parallel};
use std::ops::Range;

/// A node one cell behind a smooth wall, and its image before it: blocks of nodes, and nodes of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<const D: usize> {
    behind: (u32, u16),
    before: (u32, u16),
    /// Away from the wall.
    normal: Vect<D>,
    /// Tensile stress with which the wall holds matter [Pa].
    hold: f64,
}

/// What pairs need to know of a step.
struct Reflection<const D: usize> {
    dt: f64,
    spacing: f64,
    /// Acceleration that is the same everywhere [m/s²].
    gravity: Vect<D>,
    /// Whether all species at a node move as one, as they do where drag has no limit.
    is_joined: bool,
}

/// How far from a node a wall may lie to be on it [cells].
const ON_NODE: f64 = 1e-6;

/// The nodes inside obstacles that never move, by block; those that have an image before a smooth wall are taken out of
/// them and returned.
fn take_pairs<const D: usize>(
    obstacles: &Obstacles<'_>,
    layout: &Layout<D>,
    touching: &mut [Vec<Touch<D>>],
) -> Vec<Pair<D>> {
    let mut pairs = Vec::new();
    if !obstacles.has_mirrors() {
        return pairs;
    }
    for (block, touches) in touching.iter_mut().enumerate() {
        touches.retain(|touch| {
            let pair = pair_of(obstacles, layout, (block, touch));
            pairs.extend(pair);
            pair.is_none()
        });
    }
    pairs
}

fn pair_of<const D: usize>(
    obstacles: &Obstacles<'_>,
    layout: &Layout<D>,
    (block, touch): (usize, &Touch<D>),
) -> Option<Pair<D>> {
    let hold = obstacles.mirror_hold(touch)?;
    let axis = touch.normal.iamax();
    let side = touch.normal[axis];
    let place = &layout.nodes[block];
    let x = node_position(obstacles.spacing(), place, touch.node.into());
    let depth = -obstacles.distance(touch, &x) / obstacles.spacing();
    if (side.abs() - 1.0).abs() > ON_NODE || (depth - 1.0).abs() > ON_NODE {
        return None;
    }
    let before = moved(layout, (place, touch.node), (axis, 2 * side as i32))?;
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

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// Finds the nodes inside obstacles that never move, if the grid is new, and lets smooth walls push.
    pub(super) fn meet_obstacles(&mut self, obstacles: &Obstacles<'_>, dt: f64) {
        if self.touching.is_empty() {
            let places = &self.layout.nodes;
            self.touching.resize(places.len(), Vec::new());
            parallel::fill(&mut self.touching, |block| obstacles.touches(&places[block]));
            self.pairs.clear();
            // Implicit steps hold nodes behind walls while forces are balanced.
            if self.settings.integrator == Integrator::Explicit {
                self.pairs = take_pairs(obstacles, &self.layout, &mut self.touching);
            }
        }
        let gravity = self.gravity.unwrap_or_else(Vect::zeros);
        let is_joined = self.settings.mixture.mode == DragMode::Limit;
        let step = Reflection { dt, spacing: self.mesh.spacing, gravity, is_joined };
        self.grid.reflect(self.layout.species(), &self.pairs, &step);
    }
}

impl<T: Scalar> Grid<T> {
    /// Gives the nodes of each pair the impulse of the wall between them.
    fn reflect<const D: usize>(&mut self, species: usize, pairs: &[Pair<D>], step: &Reflection<D>) {
        for pair in pairs {
            if step.is_joined {
                self.reflect_pair(species, 0..species, pair, step);
            } else {
                (0..species).for_each(|kind| self.reflect_pair(species, kind..kind + 1, pair, step));
            }
        }
    }

    /// The impulse on some of so many species together, each by its share of the mass.
    fn reflect_pair<const D: usize>(
        &mut self,
        species: usize,
        kinds: Range<usize>,
        pair: &Pair<D>,
        step: &Reflection<D>,
    ) {
        let per_pull = 1.0 / (step.dt * step.spacing.powi(D as i32 - 1));
        let index = |(block, node): (u32, u16), kind: usize| {
            (block as usize * species + kind) * block_size(D) + usize::from(node)
        };
        let mass = |node: &Node<T>| node.array()[EXTRA].wide();
        let motion = |nodes: &[Node<T>], place: (u32, u16)| {
            kinds.clone().map(|kind| &nodes[index(place, kind)]).fold((0.0, 0.0), |(m, p), node| {
                let value = node.array();
                let momentum = Vect::<D>::from_fn(|axis, _| value[axis].wide());
                (m + mass(node), p + momentum.dot(&pair.normal))
            })
        };
        let (m, p) = motion(&self.nodes, pair.behind);
        let (m_before, p_before) = motion(&self.nodes, pair.before);
        if m <= 0.0 || m_before <= 0.0 {
            return;
        }
        // Twice the velocity on the wall, but for what the node on it does.
        let approach = p / m + p_before / m_before + 2.0 * step.dt * step.gravity.dot(&pair.normal);
        let impulse = -approach * m * m_before / (m + m_before);
        if -2.0 * impulse * per_pull >= pair.hold && impulse < 0.0 {
            return;
        }
        for (place, all) in [(pair.behind, m), (pair.before, m_before)] {
            for kind in kinds.clone() {
                let node = &mut self.nodes[index(place, kind)];
                let share = mass(node) / all;
                *node = *node + node_of(&(pair.normal * (impulse * share)).map(T::of), T::zero());
            }
        }
    }
}
