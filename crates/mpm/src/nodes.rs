//! The grid as observers see it: mass and velocity of the nodes around the particles as they stand.

use crate::grid::node_position;
use crate::kernel::shift;
use crate::layout::block_size;
use crate::scalar::{Quad, Scalar};
use crate::transfer::{EXTRA, Node};
use crate::{Kernel, Mpm};
use pliant_math::{Vect, embed};
use pliant_solver::{Onlooker, StageEnd};
use pliant_world::{Column, Field, Snapshot};
use std::collections::BTreeMap;

/// Mass [kg] and momentum [kg m/s] of a node.
type Sum<const D: usize> = (f64, Vect<D>);

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// Place, mass, velocity and species of every node that particles reach (Nilles 2020, Eq. 38 and 66). Found anew
    /// and in the plain way: particles must not be sorted for the sake of those who look on.
    pub(super) fn grid_columns(&self) -> Vec<Field> {
        let nodes = match self.settings.kernel {
            Kernel::Linear => self.nodes::<2>(),
            Kernel::Quadratic => self.nodes::<3>(),
            Kernel::Cubic => self.nodes::<4>(),
        };
        let vector = |v: Vect<D>| embed(&v).map(|component| component as f32).into();
        let place = |node: &[i32; D]| Vect::from(node.map(|n| f64::from(n) * self.mesh.spacing));
        let species = nodes.keys().map(|(species, _)| u32::from(*species)).collect();
        let columns = [
            (Snapshot::POSITION, Column::Vector(nodes.keys().map(|(_, node)| vector(place(node))).collect())),
            (Snapshot::VELOCITY, Column::Vector(nodes.values().map(|(m, p)| vector(p / *m)).collect())),
            ("mass", Column::Scalar(nodes.values().map(|(mass, _)| *mass as f32).collect())),
            ("species", Column::Integer(species)),
        ];
        columns.into_iter().map(|(name, column)| Field { name: name.to_owned(), column }).collect()
    }

    /// Shows the nodes as particles have left them, and keeps their masses for the next stage: velocities as mass and
    /// momentum give them, forces of an explicit step included.
    pub(super) fn show_momentum(&self, onlooker: &mut Onlooker<'_>) -> Vec<Node<T>> {
        onlooker.see(|| {
            let nodes = &self.grid.nodes;
            let velocity = |index: usize| {
                let [x, y, z, mass] = nodes[index].array().map(T::wide);
                [x / mass, y / mass, z / mass].map(|part| part as f32)
            };
            self.stage_end("particles to grid", nodes, velocity)
        });
        if onlooker.is_there() { self.grid.nodes.clone() } else { Vec::new() }
    }

    /// The nodes after forces and obstacles; `carried` holds their masses.
    pub(super) fn moved_nodes(&self, carried: &[Node<T>]) -> StageEnd {
        let velocity = |index: usize| {
            let [x, y, z, _] = self.grid.nodes[index].array().map(T::wide);
            [x, y, z].map(|part| part as f32)
        };
        self.stage_end("grid", carried, velocity)
    }

    /// The nodes that have mass, species by species in each block.
    fn stage_end(
        &self,
        name: &'static str,
        carried: &[Node<T>],
        velocity: impl Fn(usize) -> [f32; 3],
    ) -> StageEnd {
        let (species, size) = (self.layout.species(), block_size(D));
        let index = |block: usize, kind: usize, node: usize| (block * species + kind) * size + node;
        let mass = |index: usize| carried[index].array()[EXTRA].wide();
        let (mut places, mut velocities, mut masses, mut kinds) = (vec![], vec![], vec![], vec![]);
        for (block, place) in self.layout.nodes.iter().enumerate() {
            for (kind, node) in (0..species).flat_map(|kind| (0..size).map(move |node| (kind, node))) {
                let index = index(block, kind, node);
                if mass(index) <= f64::from(f32::MIN_POSITIVE) {
                    continue;
                }
                let position = embed(&node_position(self.mesh.spacing, place, node));
                places.push(pliant_solver::columns::vector(&position));
                velocities.push(velocity(index));
                masses.push(mass(index) as f32);
                kinds.push(kind as u32);
            }
        }
        let columns = [
            (Snapshot::POSITION, Column::Vector(places)),
            (Snapshot::VELOCITY, Column::Vector(velocities)),
            ("mass", Column::Scalar(masses)),
            ("species", Column::Integer(kinds)),
        ];
        let nodes = columns.into_iter().map(|(name, column)| Field { name: name.to_owned(), column });
        StageEnd { name, particles: Vec::new(), nodes: nodes.collect() }
    }

    fn nodes<const W: usize>(&self) -> BTreeMap<(u8, [i32; D]), Sum<D>> {
        let h = self.mesh.spacing;
        let mut nodes = BTreeMap::<_, Sum<D>>::new();
        for grain in self.present() {
            let first: [f64; D] =
                std::array::from_fn(|axis| (grain.position[axis] / h - shift::<W>()).floor());
            let within: [f64; D] = std::array::from_fn(|axis| grain.position[axis] / h - first[axis]);
            let w: [[f64; W]; D] = std::array::from_fn(|axis| self.mesh.weights(axis, within[axis]));
            let mass = grain.mass.wide();
            let (velocity, affine) = (grain.velocity.map(T::wide), grain.affine.map(T::wide));
            for number in 0..W.pow(D as u32) {
                let at: [usize; D] = std::array::from_fn(|axis| number / W.pow(axis as u32) % W);
                let weight: f64 = (0..D).map(|axis| w[axis][at[axis]]).product();
                let offset = Vect::<D>::from_fn(|axis, _| (at[axis] as f64 - within[axis]) * h);
                let carried =
                    if self.settings.transfer.is_affine() { affine * offset } else { Vect::zeros() };
                let node = std::array::from_fn(|axis| first[axis] as i32 + at[axis] as i32);
                let sum = nodes.entry((grain.species, node)).or_insert((0.0, Vect::zeros()));
                *sum = (sum.0 + mass * weight, sum.1 + (velocity + carried) * (mass * weight));
            }
        }
        nodes.retain(|_, (mass, _)| *mass > f64::from(f32::MIN_POSITIVE));
        nodes
    }
}
