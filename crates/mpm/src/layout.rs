//! Which blocks of the grid exist, and which particles each of them owns. The grid is sparse and has no end: a block is
//! there where particles are.

use super::grain::Grain;
use super::scalar::Scalar;
use pliant_math::{Vect, parallel};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Nodes along the edge of a block.
#[inline(always)]
pub(crate) const fn block_edge(dimension: usize) -> usize {
    if dimension == 2 { 8 } else { 4 }
}

/// Nodes of a block.
#[inline(always)]
pub(crate) const fn block_size(dimension: usize) -> usize {
    block_edge(dimension).pow(dimension as u32)
}

/// Nodes along the edge of a tile: all that the particles of a block may touch, though they have moved up to a cell
/// since they were sorted.
#[inline(always)]
pub(crate) const fn tile_edge(dimension: usize, width: usize) -> usize {
    block_edge(dimension) + width + 1
}

/// Nodes of a tile.
#[inline(always)]
pub(crate) const fn tile_size(dimension: usize, width: usize) -> usize {
    tile_edge(dimension, width).pow(dimension as u32)
}

/// Cells a particle may move before particles are sorted again.
pub(crate) const MARGIN: i32 = 1;

/// Blocks are counted with 32 bits; this many cells from the origin is far enough [cells].
pub(crate) const FARTHEST_CELL: f64 = 1e9;

/// No block there.
pub(crate) const NONE: u32 = u32::MAX;

/// A block and those around it, `3^D` of them, in the order of [`offsets`].
pub(crate) type Around = [u32; 27];

/// The particles of one species in one block.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Block<const D: usize> {
    pub species: u8,
    /// Its place, in blocks.
    pub place: Place<D>,
    /// Its particles: up to here from the end of the block before.
    pub end: usize,
}

/// Coordinates of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place<const D: usize>(pub [i32; D]);

impl<const D: usize> Serialize for Place<D> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Vect::<D>::from_fn(|axis, _| f64::from(self.0[axis])).serialize(serializer)
    }
}

impl<'de, const D: usize> Deserialize<'de> for Place<D> {
    fn deserialize<S: serde::Deserializer<'de>>(deserializer: S) -> Result<Self, S::Error> {
        let place = Vect::<D>::deserialize(deserializer)?;
        Ok(Self(std::array::from_fn(|axis| place[axis] as i32)))
    }
}

/// The sparse grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout<const D: usize> {
    /// Blocks that own particles, by species and place.
    pub blocks: Vec<Block<D>>,
    /// Blocks that have nodes, by place: those that own particles and all around them.
    pub nodes: Vec<Place<D>>,
    /// For each block with particles, where the nodes of the blocks around it are.
    pub nodes_around: Vec<Around>,
    /// For each species and block of nodes, which blocks of particles reach it.
    pub reached_by: Vec<Vec<Around>>,
}

/// Neighbour number `k` of a block: -1, 0 or 1 along each axis.
pub(crate) fn offsets<const D: usize>() -> impl Iterator<Item = [i32; D]> {
    (0..3usize.pow(D as u32)).map(|k| {
        let mut rest = k;
        let mut offset = [0; D];
        for axis in (0..D).rev() {
            offset[axis] = (rest % 3) as i32 - 1;
            rest /= 3;
        }
        offset
    })
}

impl<const D: usize> Layout<D> {
    /// Sorts the particles by species and block, and inside a block by matter and number: an order that depends on
    /// nothing but where they are.
    pub fn sort<T: Scalar>(
        grains: &mut [Grain<T, D>],
        first_node: impl Fn(&Vect<D>) -> [i32; D] + Sync,
    ) -> Self {
        let owner = |grain: &Grain<T, D>| {
            let edge = block_edge(D) as i32;
            (grain.species, Place(first_node(&grain.position).map(|node| node.div_euclid(edge))))
        };
        let mut owners: Vec<(u8, Place<D>)> = grains
            .par_chunks(parallel::BLOCK)
            .flat_map_iter(|chunk| {
                let mut owners: Vec<_> = chunk.iter().map(owner).collect();
                owners.dedup();
                owners
            })
            .collect();
        owners.par_sort_unstable();
        owners.dedup();
        let mut block_of = vec![0u32; grains.len()];
        parallel::fill(&mut block_of, |i| {
            owners.binary_search(&owner(&grains[i])).map_or(NONE, |block| block as u32)
        });
        let mut starts = vec![0usize; owners.len() + 1];
        for &block in &block_of {
            starts[block as usize + 1] += 1;
        }
        for block in 0..owners.len() {
            starts[block + 1] += starts[block];
        }
        let ends = starts[1..].to_vec();
        let mut order = vec![0u32; grains.len()];
        for (i, &block) in block_of.iter().enumerate() {
            let next = &mut starts[block as usize];
            order[*next] = i as u32;
            *next += 1;
        }
        split(&mut order, &ends).into_par_iter().for_each(|part| {
            part.sort_unstable_by_key(|&i| {
                let grain = &grains[i as usize];
                (grain.matter, grain.id)
            });
        });
        permute(grains, &mut order);
        let blocks = owners
            .into_iter()
            .zip(ends)
            .map(|((species, place), end)| Block { species, place, end })
            .collect();
        Self::of(blocks)
    }

    /// The grid around blocks of particles.
    pub fn of(blocks: Vec<Block<D>>) -> Self {
        let mut nodes: Vec<Place<D>> = blocks
            .iter()
            .flat_map(|block| offsets::<D>().map(|offset| moved(&block.place, &offset)))
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let species = blocks.iter().map(|block| usize::from(block.species) + 1).max().unwrap_or(1);
        let mut reached_by = vec![vec![[NONE; 27]; nodes.len()]; species];
        let mut nodes_around = vec![[NONE; 27]; blocks.len()];
        let all = 3usize.pow(D as u32);
        for (index, block) in blocks.iter().enumerate() {
            for (k, offset) in offsets::<D>().enumerate() {
                let Ok(found) = nodes.binary_search(&moved(&block.place, &offset)) else { continue };
                nodes_around[index][k] = found as u32;
                // Seen from there, this block lies the other way.
                reached_by[usize::from(block.species)][found][all - 1 - k] = index as u32;
            }
        }
        Self { blocks, nodes, nodes_around, reached_by }
    }

    /// Number of species.
    pub fn species(&self) -> usize {
        self.reached_by.len()
    }

    /// The particles of block `index`.
    pub fn grains_of(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.blocks[index - 1].end };
        start..self.blocks[index].end
    }

    /// The particles, block by block.
    pub fn split<'a, T>(&self, grains: &'a mut [T]) -> Vec<&'a mut [T]> {
        let ends: Vec<usize> = self.blocks.iter().map(|block| block.end).collect();
        split(grains, &ends)
    }
}

fn moved<const D: usize>(place: &Place<D>, offset: &[i32; D]) -> Place<D> {
    Place(std::array::from_fn(|axis| place.0[axis] + offset[axis]))
}

/// The parts of a slice that end at `ends`.
fn split<'a, T>(mut rest: &'a mut [T], ends: &[usize]) -> Vec<&'a mut [T]> {
    let mut start = 0;
    ends.iter()
        .map(|&end| {
            let (part, after) = std::mem::take(&mut rest).split_at_mut(end - start);
            (rest, start) = (after, end);
            part
        })
        .collect()
}

/// Puts `items[order[i]]` at `i`, in place: particles are most of the memory. The order is used up.
fn permute<T>(items: &mut [T], order: &mut [u32]) {
    for start in 0..items.len() {
        let mut hole = start;
        loop {
            let from = order[hole] as usize;
            order[hole] = hole as u32;
            if from == start || from == hole {
                break;
            }
            items.swap(hole, from);
            hole = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_made_in_place() {
        let mut order = [3u32, 0, 4, 1, 2, 5];
        let mut items = ['a', 'b', 'c', 'd', 'e', 'f'];
        permute(&mut items, &mut order);
        assert_eq!(items, ['d', 'a', 'e', 'b', 'c', 'f']);
    }

    #[test]
    fn every_block_sees_its_nodes_and_they_see_it() {
        let place = |x, y| Place([x, y]);
        let blocks = vec![
            Block { species: 0, place: place(0, 0), end: 3 },
            Block { species: 0, place: place(1, 0), end: 9 },
        ];
        let layout = Layout::of(blocks);
        assert_eq!(layout.nodes.len(), 12);
        assert_eq!((layout.grains_of(0), layout.grains_of(1)), (0..3, 3..9));
        for (index, around) in layout.nodes_around.iter().enumerate() {
            for (k, &node) in around[..9].iter().enumerate() {
                assert_eq!(layout.reached_by[0][node as usize][8 - k], index as u32);
            }
        }
    }
}
