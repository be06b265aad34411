//! Particles of a lattice, line by line: neighbours of eight in a row are eight in a row too, at the same distance and
//! with the same weight, so that one load serves eight edges and none has to be looked up.

use super::eight::LANES;
use crate::zhou2013::edges::{EdgeWeight, Edges, RowWeights};
use pliant_math::parallel;
use std::sync::Arc;

/// Slots before the first and after the last one that loads may reach into.
pub(super) const GUARD: usize = LANES;
/// In a slot that no particle is in.
const EMPTY: u32 = u32::MAX;
/// Edges of a link, on average, that are worth it.
const WORTH: f64 = 0.3 * LANES as f64;

/// Particles in slots, a line of them after the other, each line in whole packs of eight slots.
#[derive(Debug)]
pub(in crate::zhou2013) struct Lines {
    slots: Vec<u32>,
    particles: Vec<u32>,
    /// Edges by the pack they start at.
    pub(super) outgoing: Links,
    /// Edges by the pack they point at, with weights as the other end sees them.
    pub(super) incoming: Links,
}

/// Edges of all packs.
#[derive(Debug)]
pub(super) struct Links {
    starts: Arc<[u32]>,
    links: Arc<[Link]>,
    palette: Vec<EdgeWeight>,
}

/// Edges of particles in a pack that reach equally far along the slots and weigh the same.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Link {
    /// From slot to slot.
    pub shift: i32,
    kind: u16,
    /// One bit for each particle of the pack that has it.
    pub lanes: u8,
}

impl Lines {
    /// Lines of particles whose edges repeat; none if they repeat too seldom. `incoming` are none while every edge is the
    /// mirror image of its reverse.
    pub fn new(outgoing: &Edges, incoming: Option<&Edges>) -> Option<Self> {
        let particles = arrange(outgoing)?;
        let mut slots = vec![0; outgoing.len()];
        for (slot, &particle) in (0u32..).zip(&particles).filter(|(_, particle)| **particle != EMPTY) {
            slots[particle as usize] = slot;
        }
        let there = Links::new(outgoing, &slots, &particles)?;
        let back = match incoming {
            Some(edges) => Links::new(edges, &slots, &particles)?,
            None => there.mirrored(),
        };
        Some(Self { slots, particles, outgoing: there, incoming: back })
    }

    /// Number of slots, a multiple of [`LANES`].
    pub fn slot_count(&self) -> usize {
        self.particles.len()
    }

    /// Where particle i is.
    #[inline(always)]
    pub fn slot(&self, i: usize) -> usize {
        self.slots[i] as usize
    }

    /// Who is in a slot.
    #[inline(always)]
    pub fn particle(&self, slot: usize) -> Option<usize> {
        let particle = self.particles[slot];
        (particle != EMPTY).then_some(particle as usize)
    }
}

impl Links {
    fn new(edges: &Edges, slots: &[u32], particles: &[u32]) -> Option<Self> {
        let (_, palette) = edges.palette()?;
        let packs: Vec<&[u32]> = particles.chunks(LANES).collect();
        let mut rows: Vec<Vec<Link>> = vec![Vec::new(); packs.len()];
        parallel::fill(&mut rows, |pack| links(edges, slots, packs[pack]));
        let mut starts = vec![0];
        for row in &rows {
            starts.push(starts.last().copied().unwrap_or(0) + row.len() as u32);
        }
        let links = rows.concat();
        let all = edges.edge_count() as f64;
        (all >= WORTH * links.len() as f64).then(|| Self {
            starts: starts.into(),
            links: links.into(),
            palette: palette.to_vec(),
        })
    }

    /// The same links, shared, with offsets the other way round.
    fn mirrored(&self) -> Self {
        let palette = self.palette.iter().map(|[x, y, z, w]| [-x, -y, -z, *w]).collect();
        Self { starts: Arc::clone(&self.starts), links: Arc::clone(&self.links), palette }
    }

    /// Links of a pack with their weights.
    #[inline(always)]
    pub fn of(&self, pack: usize) -> &[Link] {
        &self.links[self.starts[pack] as usize..self.starts[pack + 1] as usize]
    }

    #[inline(always)]
    pub fn weight(&self, link: &Link) -> &EdgeWeight {
        &self.palette[usize::from(link.kind)]
    }
}

/// Links of a pack, by rising shift.
fn links(edges: &Edges, slots: &[u32], pack: &[u32]) -> Vec<Link> {
    let mut found: Vec<(i32, u16, u8)> = Vec::new();
    for (lane, &i) in pack.iter().enumerate().filter(|(_, particle)| **particle != EMPTY) {
        let row = edges.row(i as usize);
        let RowWeights::Palette { kinds, .. } = row.weights else { return Vec::new() };
        let here = slots[i as usize] as i32;
        let shifted = row.ends.iter().zip(kinds).map(|(&j, &kind)| (slots[j as usize] as i32 - here, kind));
        found.extend(shifted.map(|(shift, kind)| (shift, kind, 1 << lane)));
    }
    found.sort_unstable();
    let merged = found.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    merged
        .map(|same| {
            let lanes = same.iter().fold(0, |lanes, entry| lanes | entry.2);
            Link { shift: same[0].0, kind: same[0].1, lanes }
        })
        .collect()
}

/// Particles in the order of their lines, with [`EMPTY`] slots where a line ends within a pack.
fn arrange(edges: &Edges) -> Option<Vec<u32>> {
    let next = successors(edges)?;
    let mut is_first = vec![true; next.len()];
    for &j in next.iter().filter(|j| **j != EMPTY) {
        is_first[j as usize] = false;
    }
    let mut is_placed = vec![false; next.len()];
    let mut particles = Vec::with_capacity(next.len() * 5 / 4);
    let starts = (0..next.len()).filter(|i| is_first[*i]);
    // Lines that close in themselves have no start.
    for start in starts.chain(0..next.len()) {
        let mut i = start as u32;
        while i != EMPTY && !is_placed[i as usize] {
            is_placed[i as usize] = true;
            particles.push(i);
            i = next[i as usize];
        }
        particles.resize(particles.len().next_multiple_of(LANES), EMPTY);
    }
    Some(particles)
}

/// Who follows each particle on its line: bodies are filled line by line, so that the commonest kind of edge between
/// particles that follow each other leads along a line.
fn successors(edges: &Edges) -> Option<Vec<u32>> {
    let (kinds, palette) = edges.palette()?;
    let mut common = vec![0u32; palette.len()];
    for (i, row, kinds) in rows(edges, kinds) {
        if let Ok(k) = row.binary_search(&(i as u32 + 1)) {
            common[usize::from(kinds[k])] += 1;
        }
    }
    let best = |row: &[u32], kinds: &[u16]| {
        let by_kind = row.iter().zip(kinds).map(|(&j, &kind)| (common[usize::from(kind)], kind, j));
        by_kind.filter(|(count, ..)| *count > 0).max().map(|(_, kind, j)| (usize::from(kind), j))
    };
    // At the end of a line the best is none that leads along lines.
    let (mut chosen, mut present) = (vec![0u32; palette.len()], vec![0u32; palette.len()]);
    for (_, row, kinds) in rows(edges, kinds) {
        kinds.iter().for_each(|kind| present[usize::from(*kind)] += 1);
        if let Some((kind, _)) = best(row, kinds) {
            chosen[kind] += 1;
        }
    }
    let mut next = vec![EMPTY; edges.len()];
    let mut is_taken = vec![false; edges.len()];
    for (i, row, kinds) in rows(edges, kinds) {
        if let Some((kind, j)) = best(row, kinds)
            && 2 * chosen[kind] >= present[kind]
            && !is_taken[j as usize]
        {
            (next[i], is_taken[j as usize]) = (j, true);
        }
    }
    Some(next)
}

/// Each row with the kinds of its edges.
fn rows<'a>(edges: &'a Edges, kinds: &'a [u16]) -> impl Iterator<Item = (usize, &'a [u32], &'a [u16])> {
    let mut first = 0;
    (0..edges.len()).map(move |i| {
        let ends = edges.row(i).ends;
        first += ends.len();
        (i, ends, &kinds[first - ends.len()..first])
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::zhou2013::tests::{elastic, solver};
    use pliant_math::Vec3;
    use pliant_world::World;

    /// Particles of a ball cut from a lattice.
    pub(in crate::zhou2013::stiffness) fn ball(radius: i32) -> World<3> {
        let mut world = World::empty();
        world.materials.push(elastic());
        let side = 2 * radius + 1;
        let cell =
            |k: i32| Vec3::from([k % side, k / side % side, k / side / side].map(|n| f64::from(n - radius)));
        let inside: Vec<Vec3> = (0..side.pow(3))
            .map(cell)
            .filter(|x| x.norm() < f64::from(radius) + 0.3)
            .map(|x| x * 0.02)
            .collect();
        world.add_body("ball", &inside, 0.02, 0);
        world
    }

    #[test]
    fn every_edge_is_in_one_link_with_its_weight() {
        let world = ball(6);
        let solver = solver(&world);
        let lines = solver.state.neighbourhoods.lines().expect("a lattice has lines");
        for i in 0..world.particles.len() {
            let slot = lines.slot(i);
            assert_eq!(lines.particle(slot), Some(i));
            let (pack, lane) = (slot / LANES, slot % LANES);
            let own = lines.outgoing.of(pack).iter().filter(|link| link.lanes >> lane & 1 == 1);
            let mut found: Vec<(usize, EdgeWeight)> = own
                .map(|link| {
                    let other = lines.particle(slot.wrapping_add_signed(link.shift as isize));
                    (other.expect("links lead to particles"), *lines.outgoing.weight(link))
                })
                .collect();
            found.sort_by_key(|(j, _)| *j);
            let row = solver.state.neighbourhoods.outgoing(i).iter();
            assert_eq!(found, row.map(|(j, weight)| (j, *weight)).collect::<Vec<_>>());
        }
        let links = lines.outgoing.links.len() as f64;
        let edges = lines.outgoing.links.iter().map(|link| link.lanes.count_ones()).sum::<u32>();
        assert!(f64::from(edges) > WORTH * links, "{edges} edges in {links} links");
    }
}
