//! The nodes: from the momentum that particles bring to the velocity they take back.

use super::ground::Inside;
use super::layout::{
    Around, Layout, NODE_BLOCKS_A_TASK, NONE, Place, block_edge, block_size, offsets, tile_edge, tile_size,
};
use super::obstacles::{MAX_TOUCHES, Obstacles, Touch};
use super::scalar::{Quad, Scalar};
use super::settings::Mixture;
use super::species::Mixed;
use super::transfer::{EXTRA, Node, node_of};
use pliant_math::Vect;
use rayon::prelude::*;

/// Most species a scene may have.
pub const MAX_SPECIES: usize = 4;

/// Scratch of a step: tiles of particles and blocks of nodes.
#[derive(Clone, Debug)]
pub(crate) struct Grid<T: Scalar> {
    /// One tile for each block of particles.
    pub tiles: Vec<Node<T>>,
    /// The nodes of each block, species by species.
    pub nodes: Vec<Node<T>>,
    /// Velocities before forces, where the method asks for them.
    pub before: Vec<Node<T>>,
    overlaps: Vec<Vec<Run>>,
}

/// A line of nodes that a block and a tile beside it have in common.
#[derive(Clone, Copy, Debug)]
struct Run {
    node: usize,
    tile: usize,
    count: usize,
}

/// What nodes need to know of the step.
pub(crate) struct NodeStep<'a, const D: usize> {
    pub dt: f64,
    pub spacing: f64,
    /// Acceleration that is the same everywhere [m/s²].
    pub gravity: Vect<D>,
    pub obstacles: &'a Obstacles<'a>,
    pub inside: &'a [Inside<D>],
    pub mixture: &'a Mixture,
    /// Rest density of each species [kg/m³], for buoyancy.
    pub density: &'a [f64],
}

/// What the nodes report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NodeReport {
    /// Fastest node [m/s]; infinite if one is not a number.
    pub speed: f64,
    /// Nodes that an obstacle changed.
    pub contacts: usize,
}

impl NodeReport {
    /// Counts a node that was `free` until obstacles had their say.
    fn see<const D: usize>(&mut self, velocity: &Vect<D>, free: &Vect<D>) {
        self.contacts += usize::from(velocity != free);
        let speed = velocity.norm();
        // `max` would let NaN pass.
        self.speed = if speed.is_finite() { self.speed.max(speed) } else { f64::INFINITY };
    }
}

impl<T: Scalar> Grid<T> {
    pub fn new<const D: usize>(width: usize) -> Self {
        let overlaps = offsets::<D>().map(|offset| runs(&offset, width)).collect();
        Self { tiles: Vec::new(), nodes: Vec::new(), before: Vec::new(), overlaps }
    }

    /// Adds up the tiles over every block of nodes.
    pub fn collect<const D: usize>(&mut self, layout: &Layout<D>, width: usize) {
        let species = layout.species();
        self.nodes.resize(layout.nodes.len() * species * block_size(D), Node::<T>::default());
        let (tiles, overlaps) = (&self.tiles, &self.overlaps);
        let chunks = self.nodes.par_chunks_mut(species * block_size(D)).with_min_len(NODE_BLOCKS_A_TASK);
        chunks.enumerate().for_each(|(block, chunk)| {
            chunk.fill(Node::<T>::default());
            for (part, reached_by) in chunk.chunks_mut(block_size(D)).zip(&layout.reached_by) {
                for (k, &from) in reached_by[block][..overlaps.len()].iter().enumerate() {
                    if from != NONE {
                        let tile = &tiles[from as usize * tile_size(D, width)..][..tile_size(D, width)];
                        for run in &overlaps[k] {
                            let (to, from) =
                                (&mut part[run.node..][..run.count], &tile[run.tile..][..run.count]);
                            for (to, from) in to.iter_mut().zip(from) {
                                *to = *to + *from;
                            }
                        }
                    }
                }
            }
        });
    }

    /// Copies the nodes that the particles of a block see from `source` into a tile; blocks that are not there hold nothing.
    pub fn fill_tile<const D: usize>(
        &self,
        source: &[Node<T>],
        (around, species, of_all): (&Around, usize, usize),
        tile: &mut [Node<T>],
    ) {
        for (k, &block) in around[..self.overlaps.len()].iter().enumerate() {
            let runs = &self.overlaps[self.overlaps.len() - 1 - k];
            if block == NONE {
                runs.iter().for_each(|run| tile[run.tile..][..run.count].fill(Node::<T>::default()));
                continue;
            }
            let nodes = &source[(block as usize * of_all + species) * block_size(D)..][..block_size(D)];
            for run in runs {
                tile[run.tile..][..run.count].copy_from_slice(&nodes[run.node..][..run.count]);
            }
        }
    }

    /// Momentum to velocity as it is, kept aside: what FLIP compares with and buoyancy takes forces from.
    pub fn keep_before(&mut self) {
        self.before.clone_from(&self.nodes);
    }

    /// Steps 3 to 5: velocities under gravity, exchange between species, obstacles. Afterwards the nodes hold
    /// velocities, and in the extra place whether other species have come here.
    pub fn update<const D: usize>(&mut self, layout: &Layout<D>, step: &NodeStep<'_, D>) -> NodeReport {
        let species = layout.species();
        let before = &self.before;
        let size = species * block_size(D);
        let reports: Vec<NodeReport> = self
            .nodes
            .par_chunks_mut(size)
            .with_min_len(NODE_BLOCKS_A_TASK)
            .zip(&layout.nodes)
            .enumerate()
            .map(|(block, (chunk, place))| {
                let before = if before.is_empty() { &[][..] } else { &before[block * size..][..size] };
                step.update_block::<T>(place, (species, &step.inside[block].touching), before, chunk)
            })
            .collect();
        reports.into_iter().fold(NodeReport::default(), |sum, part| NodeReport {
            speed: sum.speed.max(part.speed),
            contacts: sum.contacts + part.contacts,
        })
    }
}

impl<const D: usize> NodeStep<'_, D> {
    fn update_block<T: Scalar>(
        &self,
        place: &Place<D>,
        (species, touching): (usize, &[Touch<D>]),
        before: &[Node<T>],
        chunk: &mut [Node<T>],
    ) -> NodeReport {
        let near = self.obstacles.moving_near(place);
        if species == 1 && near.is_empty() {
            return self.update_alone::<T>(place, touching, chunk);
        }
        let mut report = NodeReport::default();
        let mut touching = touching.iter().peekable();
        let per_pull = 1.0 / (self.dt * self.spacing.powi(D as i32 - 1));
        for node in 0..block_size(D) {
            let index = |kind: usize| kind * block_size(D) + node;
            let (here, present) = self.mix::<T>(node, species, before, chunk);
            let mut touched = [None; MAX_TOUCHES];
            let mut touches = 0;
            while let Some(touch) = touching.next_if(|touch| usize::from(touch.node) <= node) {
                if usize::from(touch.node) == node && touches < MAX_TOUCHES {
                    touched[touches] = Some(touch);
                    touches += 1;
                }
            }
            let position = if present > 0 { node_position(self.spacing, place, node) } else { Vect::zeros() };
            for kind in 0..species {
                let mass = here.mass[kind];
                if mass <= 0.0 {
                    chunk[index(kind)] = Node::<T>::default();
                    continue;
                }
                let free = here.velocity[kind];
                let pull = mass * per_pull;
                let pushed = self.obstacles.constrain(&near, (&position, kind), free, pull);
                // What never moves has the last word: nothing is pushed through a wall.
                let velocity = touched[..touches].iter().flatten().fold(pushed, |velocity, touch| {
                    self.obstacles.press(touch, (&position, kind), velocity, pull)
                });
                report.see(&velocity, &free);
                let shared = f64::from(u8::from(present > 1));
                chunk[index(kind)] = node_of(&velocity.map(T::of), T::of(shared));
            }
        }
        report
    }

    /// A block of one species that nothing comes towards: nodes inside obstacles on their own, all others together.
    fn update_alone<T: Scalar>(
        &self,
        place: &Place<D>,
        touching: &[Touch<D>],
        chunk: &mut [Node<T>],
    ) -> NodeReport {
        let per_pull = 1.0 / (self.dt * self.spacing.powi(D as i32 - 1));
        let mut held = Vec::with_capacity(touching.len());
        let mut report = NodeReport::default();
        for touches in touching.chunk_by(|a, b| a.node == b.node) {
            let node = usize::from(touches[0].node);
            let value = std::mem::take(&mut chunk[node]).array();
            let mass = value[EXTRA].wide();
            if mass <= 0.0 {
                continue;
            }
            let free = Vect::from_fn(|axis, _| value[axis].wide() / mass + self.dt * self.gravity[axis]);
            let position = node_position(self.spacing, place, node);
            let velocity = touches.iter().take(MAX_TOUCHES).fold(free, |velocity, touch| {
                self.obstacles.press(touch, (&position, 0), velocity, mass * per_pull)
            });
            report.see(&velocity, &free);
            held.push((node, node_of(&velocity.map(T::of), T::zero())));
        }
        let others = self.update_free::<T>(chunk);
        for (node, value) in held {
            chunk[node] = value;
        }
        NodeReport { speed: report.speed.max(others.speed), ..report }
    }

    /// A block of one species that nothing stands in the way of.
    fn update_free<T: Scalar>(&self, chunk: &mut [Node<T>]) -> NodeReport {
        let mut fastest = T::zero();
        let mut is_sound = true;
        // What was the mass divides to one, and becomes zero.
        let fall = node_of(&(self.gravity * self.dt).map(T::of), -T::one());
        for node in chunk {
            let mass = node.array()[EXTRA];
            if mass > T::zero() {
                // A division, for the inverse of the smallest masses is no number.
                *node = *node / Quad::splat(mass) + fall;
                let squares = (*node * *node).array();
                let square = squares[0] + squares[1] + squares[2];
                is_sound &= square.is_finite();
                fastest = if square > fastest { square } else { fastest };
            } else {
                *node = Node::<T>::default();
            }
        }
        let speed = if is_sound { fastest.wide().sqrt() } else { f64::INFINITY };
        NodeReport { speed, contacts: 0 }
    }

    /// The species at a node under gravity, after they have exchanged momentum, and how many are there.
    fn mix<T: Scalar>(
        &self,
        node: usize,
        species: usize,
        before: &[Node<T>],
        chunk: &[Node<T>],
    ) -> (Mixed<D>, usize) {
        let index = |kind: usize| kind * block_size(D) + node;
        let mut here = Mixed { mass: [0.0; MAX_SPECIES], velocity: [Vect::zeros(); MAX_SPECIES] };
        let mut present = 0;
        for kind in 0..species {
            let value = chunk[index(kind)].array();
            let mass = value[EXTRA].wide();
            if mass > 0.0 {
                present += 1;
                here.mass[kind] = mass;
                here.velocity[kind] =
                    Vect::from_fn(|axis, _| value[axis].wide() / mass + self.dt * self.gravity[axis]);
            }
        }
        if present > 1 {
            if let Some(fluid) = self.mixture.buoyancy {
                let change = (chunk[index(fluid)] - before[index(fluid)]).array();
                here.lift(fluid, &Vect::from_fn(|axis, _| change[axis].wide()), self.density);
            }
            here.exchange(self.mixture, self.dt, self.spacing.powi(D as i32));
        }
        (here, present)
    }
}

/// Where a node of a block is [m].
pub(crate) fn node_position<const D: usize>(spacing: f64, place: &Place<D>, node: usize) -> Vect<D> {
    let edge = block_edge(D);
    let mut rest = node;
    let mut position = Vect::zeros();
    for axis in (0..D).rev() {
        let number = place.0[axis] * edge as i32 + (rest % edge) as i32;
        position[axis] = spacing * f64::from(number);
        rest /= edge;
    }
    position
}

/// The lines of nodes that a block of nodes shares with the tile of the block of particles at `offset` from it.
fn runs<const D: usize>(offset: &[i32; D], width: usize) -> Vec<Run> {
    let (block, tile) = (block_edge(D) as i32, tile_edge(D, width) as i32);
    // A node at `l` of the block is at `l − offset · block + 1` of the tile.
    let range = |axis: usize| {
        let move_by = 1 - offset[axis] * block;
        ((-move_by).max(0)..(tile - move_by).min(block), move_by)
    };
    let (along, move_by) = range(D - 1);
    if along.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![(0i32, 0i32)];
    for axis in 0..D - 1 {
        let (range, move_by) = range(axis);
        lines = lines
            .into_iter()
            .flat_map(|(node, on_tile)| {
                range.clone().map(move |l| (node * block + l, on_tile * tile + l + move_by))
            })
            .collect();
    }
    lines
        .into_iter()
        .map(|(node, on_tile)| Run {
            node: (node * block + along.start) as usize,
            tile: (on_tile * tile + along.start + move_by) as usize,
            count: along.len(),
        })
        .collect()
}
