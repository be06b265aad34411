//! Smooth walls that lie on nodes: the velocity of the grid is zero *on* such a wall, not only at the nodes behind it.
//!
//! A spline that reaches over a wall gives weight to a node behind it. Holding that node leaves the velocity on the wall an
//! eighth of that of the node before it, and what the spline carries beyond the wall pushes on nothing: pressure in the
//! cell at the wall is off by a tenth and more. Here the two nodes move as images of each other, as they would if matter
//! behind the wall were the mirror image of that before it, as long as the wall has to push.

use super::Mpm;
use super::grid::Grid;
use super::layout::block_size;
use super::scalar::{Quad, Scalar};
use super::settings::DragMode;
use super::transfer::{EXTRA, Node, node_of};
use pliant_math::Vect;
use std::ops::Range;

/// A node one cell behind a smooth wall, and its image before it: blocks of nodes, and nodes of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<const D: usize> {
    pub behind: (u32, u16),
    pub before: (u32, u16),
    /// Away from the wall.
    pub normal: Vect<D>,
    /// Tensile stress with which the wall holds matter [Pa].
    pub hold: f64,
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

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// Lets smooth walls push.
    pub(super) fn reflect(&mut self, dt: f64) {
        let gravity = self.gravity.unwrap_or_else(Vect::zeros);
        let is_joined = self.settings.mixture.mode == DragMode::Limit;
        let step = Reflection { dt, spacing: self.mesh.spacing, gravity, is_joined };
        self.grid.reflect(self.layout.species(), &self.ground.pairs, &step);
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
