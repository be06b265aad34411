//! Which blocks of the grid exist, and which particles each of them owns. The grid is sparse and has no end: a block is
//! there where particles are.

use pliant_math::Vect;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Nodes along the edge of a block.
#[inline(always)]
pub(crate) const fn block_edge(dimension: usize) -> usize {
    if dimension == 2 { 16 } else { 4 }
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

/// Nodes of a tile, and some that nobody owns: lines of four nodes may reach beyond the last one.
#[inline(always)]
pub(crate) const fn tile_size(dimension: usize, width: usize) -> usize {
    tile_edge(dimension, width).pow(dimension as u32) + 4
}

/// Cells a particle may move before particles are sorted again.
pub(crate) const MARGIN: i32 = 1;

/// Blocks of particles, and of nodes, that one task takes at least: less work than that is done before another thread has
/// woken up. Bits do not depend on it.
pub(crate) const BUNCHES_A_TASK: usize = 4;
pub(crate) const NODE_BLOCKS_A_TASK: usize = 32;

/// Blocks are counted with 32 bits; this many cells from the origin is far enough [cells].
pub(crate) const FARTHEST_CELL: f64 = 1e9;

/// No block there.
pub(crate) const NONE: u32 = u32::MAX;

/// A block and those around it, `3^D` of them, in the order of [`offsets`].
pub(crate) type Around = [u32; 27];

/// Which of the blocks around it, and itself, the particles of a block may touch until they are sorted again: a bit each, in
/// the order of [`offsets`]. A lone particle touches few of them.
pub(crate) type Reach = u32;

/// The reach of particles whose first nodes, counted in their block, go from `low` to `high`.
pub(crate) fn reach<const D: usize>(low: &[i64; D], high: &[i64; D], width: usize) -> Reach {
    let past_end = |high: i64| high + i64::from(MARGIN) + width as i64 > block_edge(D) as i64;
    let is_touched = |offset: [i32; D]| {
        (0..D).all(|axis| match offset[axis] {
            -1 => low[axis] < i64::from(MARGIN),
            0 => true,
            _ => past_end(high[axis]),
        })
    };
    offsets::<D>().enumerate().fold(0, |reach, (k, offset)| reach | Reach::from(is_touched(offset)) << k)
}

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
    /// For each of them, which blocks its particles may touch.
    reaches: Vec<Reach>,
    /// Blocks that have nodes, by place: all that particles may touch.
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
    /// The grid around blocks of particles.
    pub fn of(blocks: Vec<Block<D>>, reaches: Vec<Reach>) -> Self {
        let touched = |index: usize| {
            let (block, reach): (&Block<D>, Reach) = (&blocks[index], reaches[index]);
            let all = offsets::<D>().enumerate().filter(move |(k, _)| reach >> k & 1 == 1);
            all.map(move |(k, offset)| (k, moved(&block.place, &offset)))
        };
        let mut nodes: Vec<Place<D>> =
            (0..blocks.len()).flat_map(|index| touched(index).map(|(_, place)| place)).collect();
        nodes.par_sort_unstable();
        nodes.dedup();
        let species = blocks.iter().map(|block| usize::from(block.species) + 1).max().unwrap_or(1);
        let mut reached_by = vec![vec![[NONE; 27]; nodes.len()]; species];
        let mut nodes_around = vec![[NONE; 27]; blocks.len()];
        let all = 3usize.pow(D as u32);
        for (index, block) in blocks.iter().enumerate() {
            for (k, place) in touched(index) {
                let Ok(found) = nodes.binary_search(&place) else { continue };
                nodes_around[index][k] = found as u32;
                // Seen from there, this block lies the other way.
                reached_by[usize::from(block.species)][found][all - 1 - k] = index as u32;
            }
        }
        Self { blocks, reaches, nodes, nodes_around, reached_by }
    }

    /// Whether these blocks are where its own are, and touch nothing that its own do not.
    pub fn serves(&self, blocks: &[Block<D>], reaches: &[Reach]) -> bool {
        let same_place = |(a, b): (&Block<D>, &Block<D>)| (a.species, a.place) == (b.species, b.place);
        blocks.len() == self.blocks.len()
            && blocks.iter().zip(&self.blocks).all(same_place)
            && reaches.iter().zip(&self.reaches).all(|(new, old)| new & !old == 0)
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
}

fn moved<const D: usize>(place: &Place<D>, offset: &[i32; D]) -> Place<D> {
    Place(std::array::from_fn(|axis| place.0[axis].saturating_add(offset[axis])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_sees_its_nodes_and_they_see_it() {
        let place = |x, y| Place([x, y]);
        let blocks = vec![
            Block { species: 0, place: place(0, 0), end: 3 },
            Block { species: 0, place: place(1, 0), end: 9 },
        ];
        let everywhere = reach(&[0, 0], &[block_edge(2) as i64 - 1; 2], 3);
        let layout = Layout::of(blocks, vec![everywhere; 2]);
        assert_eq!(layout.nodes.len(), 12);
        assert_eq!((layout.grains_of(0), layout.grains_of(1)), (0..3, 3..9));
        for (index, around) in layout.nodes_around.iter().enumerate() {
            for (k, &node) in around[..9].iter().enumerate() {
                assert_eq!(layout.reached_by[0][node as usize][8 - k], index as u32);
            }
        }
    }

    #[test]
    fn a_lone_particle_touches_what_it_may_move_to_and_no_more() {
        let edge = block_edge(2) as i64;
        let blocks = vec![Block { species: 0, place: Place([4, -7]), end: 1 }];
        let nodes = |first: [i64; 2]| Layout::of(blocks.clone(), vec![reach(&first, &first, 3)]).nodes;
        // Three nodes from the first on, and one beside them.
        assert_eq!(nodes([1, edge - 4]), [Place([4, -7])]);
        assert_eq!(nodes([0, edge - 4]), [Place([3, -7]), Place([4, -7])]);
        assert_eq!(nodes([1, edge - 3]), [Place([4, -7]), Place([4, -6])]);
    }
}
