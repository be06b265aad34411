//! Particles are kept by block of the grid. Those that have left theirs are taken out and put where they belong; blocks
//! that nobody leaves or enters are not touched.

use super::grain::{Bunch, Grain};
use super::layout::{Block, Place, block_edge};
use super::registers::LANES;
use super::scalar::Scalar;
use pliant_math::Vect;
use rayon::prelude::*;
use std::ops::Range;

/// A species, and the place of a block.
type Owner<const D: usize> = (u8, Place<D>);

/// A particle that comes to a block: number `source` of those that left others, then of those that are new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival<const D: usize> {
    owner: Owner<D>,
    source: u32,
}

/// Particles that belong to no block yet.
pub(crate) struct Newcomers<P, F> {
    /// How many there are.
    pub count: usize,
    /// Species and place of number `i` of them.
    pub place: P,
    /// Makes number `i` of them.
    pub make: F,
}

/// The block of a particle whose first node is `node`.
fn place<const D: usize>(node: [i32; D]) -> Place<D> {
    Place(node.map(|node| node.div_euclid(block_edge(D) as i32)))
}

/// The cell of a particle in its block, counted line by line.
fn cell<const D: usize>(node: [i32; D]) -> u32 {
    let edge = block_edge(D) as i32;
    node.iter().fold(0, |cell, node| cell * edge as u32 + node.rem_euclid(edge) as u32)
}

/// Sorts particles by species and block, and inside a block by matter, cell and number. A block that nobody leaves or enters
/// keeps the order it had, so the order tells of where particles were: it is part of the state that is saved.
pub(crate) fn sort<T: Scalar, const D: usize, P, F>(
    (blocks, bunches): (&[Block<D>], Vec<Bunch<T, D>>),
    newcomers: &Newcomers<P, F>,
    first_node: impl Fn(&Vect<D>) -> [i32; D] + Sync,
) -> (Vec<Block<D>>, Vec<Bunch<T, D>>)
where
    P: Fn(usize) -> (u8, Vect<D>) + Sync,
    F: Fn(usize) -> Grain<T, D> + Sync,
{
    let leaving: Vec<Vec<(u32, Place<D>)>> = blocks
        .par_iter()
        .zip(&bunches)
        .map(|(block, bunch)| {
            let here = |index: usize| place(first_node(&bunch.position(index)));
            let all = (0..bunch.len()).map(|index| (index as u32, here(index)));
            all.filter(|(_, there)| *there != block.place).collect()
        })
        .collect();
    let movers = || bunches.iter().zip(&leaving);
    let moved: Vec<Grain<T, D>> = movers()
        .flat_map(|(bunch, leaving)| leaving.iter().map(|(index, _)| bunch.get(*index as usize)))
        .collect();
    let from_blocks =
        movers().flat_map(|(bunch, leaving)| leaving.iter().map(|(_, there)| (bunch.species, *there)));
    let from_outside = (0..newcomers.count).map(|i| {
        let (species, x) = (newcomers.place)(i);
        (species, place(first_node(&x)))
    });
    // As large as needed and no larger: at the start these are all particles.
    let mut arrivals: Vec<Arrival<D>> = Vec::with_capacity(moved.len() + newcomers.count);
    arrivals
        .extend(from_blocks.chain(from_outside).zip(0..).map(|(owner, source)| Arrival { owner, source }));
    arrivals.par_sort_unstable();
    let owners = owners(blocks, &bunches, &leaving, &arrivals);
    let arrive = |source: u32| match moved.get(source as usize) {
        Some(grain) => *grain,
        None => (newcomers.make)(source as usize - moved.len()),
    };
    let mut old = blocks.iter().zip(bunches.into_iter().zip(leaving)).peekable();
    let mut tasks = Vec::with_capacity(owners.len());
    for owner in owners {
        while old.next_if(|(block, _)| (block.species, block.place) < owner).is_some() {}
        let before = old.next_if(|(block, _)| (block.species, block.place) == owner).map(|(_, bunch)| bunch);
        tasks.push((owner, before.unwrap_or_default(), entering(&arrivals, &owner)));
    }
    let sorted: Vec<(Owner<D>, Bunch<T, D>)> = tasks
        .into_par_iter()
        .map(|(owner, (bunch, leaving), entering)| {
            let entering = &arrivals[entering];
            let is_same = leaving.is_empty() && entering.is_empty();
            let cell = |grain: &Grain<T, D>| cell(first_node(&grain.position));
            (owner, if is_same { bunch } else { rebuilt(&bunch, &leaving, (entering, &arrive), cell) })
        })
        .collect();
    let mut end = 0;
    sorted
        .into_iter()
        .map(|((species, place), bunch)| {
            end += bunch.len();
            (Block { species, place, end }, bunch)
        })
        .unzip()
}

/// All blocks that own particles from now on, in order.
fn owners<T: Scalar, const D: usize>(
    blocks: &[Block<D>],
    bunches: &[Bunch<T, D>],
    leaving: &[Vec<(u32, Place<D>)>],
    arrivals: &[Arrival<D>],
) -> Vec<Owner<D>> {
    let sizes = bunches.iter().zip(leaving).map(|(bunch, leaving)| bunch.len() - leaving.len());
    let stay = blocks.iter().zip(sizes).filter(|(_, left)| *left > 0);
    let mut owners: Vec<Owner<D>> = stay.map(|(block, _)| (block.species, block.place)).collect();
    owners.extend(arrivals.chunk_by(|a, b| a.owner == b.owner).map(|same| same[0].owner));
    owners.par_sort_unstable();
    owners.dedup();
    owners
}

/// Those of the arrivals, which are sorted, that come to a block.
fn entering<const D: usize>(arrivals: &[Arrival<D>], owner: &Owner<D>) -> Range<usize> {
    let start = arrivals.partition_point(|arrival| arrival.owner < *owner);
    start..start + arrivals[start..].partition_point(|arrival| arrival.owner == *owner)
}

/// A block without those who leave, and with those who come.
fn rebuilt<T: Scalar, const D: usize>(
    bunch: &Bunch<T, D>,
    leaving: &[(u32, Place<D>)],
    (entering, arrive): (&[Arrival<D>], &(impl Fn(u32) -> Grain<T, D> + Sync)),
    cell: impl Fn(&Grain<T, D>) -> u32,
) -> Bunch<T, D> {
    let mut leaving = leaving.iter().map(|(index, _)| *index as usize).peekable();
    let mut grains = Vec::with_capacity(bunch.len() + entering.len());
    grains.extend((0..bunch.len()).filter(|index| leaving.next_if_eq(index).is_none()).map(|i| bunch.get(i)));
    grains.extend(entering.iter().map(|arrival| arrive(arrival.source)));
    let mut order: Vec<(u32, u32, u32, u32)> =
        grains.iter().zip(0..).map(|(grain, index)| (grain.matter, cell(grain), grain.id, index)).collect();
    order.sort_unstable();
    let of_one_matter = order.chunk_by(|a, b| a.0 == b.0);
    let order: Vec<u32> = of_one_matter.flat_map(spread::<D, _>).map(|(_, _, _, index)| *index).collect();
    Bunch::of(order.iter().map(|index| &grains[*index as usize]))
}

/// Lanes of a pack take particles from sixteen parts of their block, which are lines of cells; these are the parts. A
/// processor that adds to nodes waits for what it has just added to them, so lanes that follow each other are far apart: in
/// the plane four lines, which is as wide as the widest spline.
const fn parts(dimension: usize) -> [usize; LANES] {
    if dimension == 2 {
        [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
    } else {
        [0, 7, 14, 5, 12, 3, 10, 1, 8, 15, 6, 13, 4, 11, 2, 9]
    }
}

/// Particles that are sorted by place so that those of a pack are far from each other.
fn spread<const D: usize, P>(sorted: &[P]) -> impl Iterator<Item = &P> {
    let packs = sorted.len().div_ceil(LANES);
    let lanes =
        move |pack: usize| parts(D).into_iter().filter_map(move |part| sorted.get(part * packs + pack));
    (0..packs).flat_map(lanes)
}
