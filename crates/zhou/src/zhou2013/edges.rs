//! Directed edges in rows, one row a particle. On a lattice a few dozen offsets serve all particles: they are then
//! stored once, and an edge is a number and an index, a third of the memory that a step has to read.

use pliant_math::parallel;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// `(w pₓ, w p_y, w p_z, w)` of a directed edge i → j, as particle i sees it.
pub(super) type EdgeWeight = [f32; 4];

/// Different weights that are worth a palette; more would leave the fastest cache.
const LARGEST_PALETTE: usize = 1024;

/// Rows of edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Edges {
    starts: Vec<u32>,
    ends: Vec<u32>,
    weights: Weights,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Weights {
    Each(Vec<EdgeWeight>),
    Palette { kinds: Vec<u16>, palette: Vec<EdgeWeight> },
}

/// Rows of edges with weights one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Listed<'a> {
    starts: &'a [u32],
    ends: &'a [u32],
    weights: &'a [EdgeWeight],
}

/// Ends and weights of one of them.
pub(super) type ListedRow<'a> = (&'a [u32], &'a [EdgeWeight]);

impl<'a> Listed<'a> {
    #[inline(always)]
    pub fn row(self, i: usize) -> ListedRow<'a> {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        (&self.ends[range.clone()], &self.weights[range])
    }
}

/// The edges of one particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    /// The particles at the other ends.
    pub ends: &'a [u32],
    pub weights: RowWeights<'a>,
}

/// Weights of a row, beside its ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowWeights<'a> {
    Each(&'a [EdgeWeight]),
    Palette { kinds: &'a [u16], palette: &'a [EdgeWeight] },
}

impl<'a> Row<'a> {
    /// Ends and weights.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = (usize, &'a EdgeWeight)> {
        self.ends.iter().enumerate().map(move |(k, &j)| {
            let weight = match self.weights {
                RowWeights::Each(weights) => &weights[k],
                RowWeights::Palette { kinds, palette } => &palette[kinds[k] as usize],
            };
            (j as usize, weight)
        })
    }
}

impl<'a> RowWeights<'a> {
    /// The weights one after the other.
    pub fn listed(self) -> Cow<'a, [EdgeWeight]> {
        match self {
            Self::Each(weights) => Cow::Borrowed(weights),
            Self::Palette { kinds, palette } => {
                kinds.iter().map(|kind| palette[usize::from(*kind)]).collect()
            }
        }
    }
}

impl Edges {
    /// Rows as given; `starts` has one entry more than there are rows.
    pub fn new(starts: Vec<u32>, ends: Vec<u32>, weights: WeightList) -> Self {
        Self { starts, ends, weights: weights.weights }
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.ends.len()
    }

    /// The number of each edge's weight, and the weights by number, if few are different.
    pub fn palette(&self) -> Option<(&[u16], &[EdgeWeight])> {
        match &self.weights {
            Weights::Each(_) => None,
            Weights::Palette { kinds, palette } => Some((kinds, palette)),
        }
    }

    /// The rows, if weights are stored one after the other.
    pub fn listed(&self) -> Option<Listed<'_>> {
        match &self.weights {
            Weights::Each(weights) => Some(Listed { starts: &self.starts, ends: &self.ends, weights }),
            Weights::Palette { .. } => None,
        }
    }

    /// The same rows in another order, with weights one after the other: row `slot` becomes that of `particles[slot]`, and
    /// edges lead to slots.
    pub fn in_order(&self, particles: &[u32], slots: &[u32]) -> Self {
        let mut starts = vec![0];
        for &i in particles {
            starts.push(starts[starts.len() - 1] + self.row(i as usize).ends.len() as u32);
        }
        let mut ends = vec![0; self.edge_count()];
        let mut weights = vec![[0.0; 4]; self.edge_count()];
        let (mut ends_left, mut weights_left) = (&mut ends[..], &mut weights[..]);
        let blocks: Vec<_> = particles
            .chunks(parallel::BLOCK)
            .zip(starts.windows(2).step_by(parallel::BLOCK))
            .zip(starts.iter().skip(parallel::BLOCK).step_by(parallel::BLOCK).chain(starts.last()))
            .map(|((particles, first), last)| {
                let length = (last - first[0]) as usize;
                (particles, ends_left.split_off_mut(..length), weights_left.split_off_mut(..length))
            })
            .collect();
        blocks.into_par_iter().for_each(|(particles, ends, weights)| {
            let places = ends.into_iter().flatten().zip(weights.into_iter().flatten());
            let edges = particles.iter().flat_map(|&i| self.row(i as usize).iter());
            for ((end, copy), (j, weight)) in places.zip(edges) {
                (*end, *copy) = (slots[j], *weight);
            }
        });
        Self { starts, ends, weights: Weights::Each(weights) }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether every one of `count` particles has its row, and every edge leads to a particle and has its weight.
    pub fn is_whole(&self, count: usize) -> bool {
        let weights = match &self.weights {
            Weights::Each(weights) => weights.len(),
            Weights::Palette { kinds, palette }
                if kinds.iter().all(|kind| usize::from(*kind) < palette.len()) =>
            {
                kinds.len()
            }
            Weights::Palette { .. } => return false,
        };
        self.starts.len() == count + 1
            && self.starts[0] == 0
            && self.starts.is_sorted()
            && self.starts[count] as usize == self.ends.len()
            && self.ends.len() == weights
            && self.ends.iter().all(|end| (*end as usize) < count)
    }

    #[inline(always)]
    pub fn row(&self, i: usize) -> Row<'_> {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        let weights = match &self.weights {
            Weights::Each(weights) => RowWeights::Each(&weights[range.clone()]),
            Weights::Palette { kinds, palette } => {
                RowWeights::Palette { kinds: &kinds[range.clone()], palette }
            }
        };
        Row { ends: &self.ends[range], weights }
    }

    /// The same edges, in rows of the particles they point at.
    pub fn reversed(&self) -> Self {
        let mut slots = vec![0u32; self.len() + 1];
        for &j in &self.ends {
            slots[j as usize + 1] += 1;
        }
        for i in 0..self.len() {
            slots[i + 1] += slots[i];
        }
        let starts = slots.clone();
        let (mut sources, mut order) = (vec![0; self.ends.len()], vec![0; self.ends.len()]);
        for (i, range) in (0u32..).zip(self.starts.windows(2)) {
            for k in range[0]..range[1] {
                let slot = &mut slots[self.ends[k as usize] as usize];
                (sources[*slot as usize], order[*slot as usize]) = (i, k);
                *slot += 1;
            }
        }
        let weights = match &self.weights {
            Weights::Each(each) => Weights::Each(order.par_iter().map(|&k| each[k as usize]).collect()),
            Weights::Palette { kinds, palette } => Weights::Palette {
                kinds: order.par_iter().map(|&k| kinds[k as usize]).collect(),
                palette: palette.clone(),
            },
        };
        Self { starts, ends: sources, weights }
    }
}

/// Weights of edges as they are collected, row by row: by number as long as few are different.
#[derive(Debug)]
pub(super) struct WeightList {
    weights: Weights,
    /// The number of each different weight.
    numbers: HashMap<[u32; 4], u16>,
    /// Where the row before begins: on a lattice the next one is like it.
    last_row: usize,
}

impl WeightList {
    pub fn with_capacity(edges: usize) -> Self {
        let weights = Weights::Palette { kinds: Vec::with_capacity(edges), palette: Vec::new() };
        Self { weights, numbers: HashMap::new(), last_row: 0 }
    }

    /// An empty list for edges some of which are those of `before`: weights that differed are not numbered again.
    pub fn to_replace(before: &Edges) -> Self {
        let edges = before.edge_count();
        match before.weights {
            Weights::Each(_) => {
                let weights = Weights::Each(Vec::with_capacity(edges));
                Self { weights, numbers: HashMap::new(), last_row: 0 }
            }
            Weights::Palette { .. } => Self::with_capacity(edges),
        }
    }

    /// Adds the weights of a row.
    pub fn extend(&mut self, row: &[EdgeWeight]) {
        let this_row = match &mut self.weights {
            Weights::Each(weights) => return weights.extend_from_slice(row),
            Weights::Palette { kinds, .. } => kinds.len(),
        };
        for (k, weight) in row.iter().enumerate() {
            if !self.push_number(weight, self.last_row + k) {
                self.store_each();
                return self.extend(&row[k..]);
            }
        }
        self.last_row = this_row;
    }

    /// Adds a weight by its number, which is likely that of the edge `alike`; false if there would be too many.
    fn push_number(&mut self, weight: &EdgeWeight, alike: usize) -> bool {
        let Weights::Palette { kinds, palette } = &mut self.weights else { return false };
        let bits = weight.map(f32::to_bits);
        let is_it = |kind: &u16| palette[usize::from(*kind)].map(f32::to_bits) == bits;
        let number = kinds.get(alike).copied().filter(is_it).unwrap_or_else(|| {
            *self.numbers.entry(bits).or_insert_with(|| {
                palette.push(*weight);
                (palette.len() - 1) as u16
            })
        });
        kinds.push(number);
        palette.len() <= LARGEST_PALETTE
    }

    /// Gives up numbers. The last one, which was one too many, is left to be added again.
    fn store_each(&mut self) {
        if let Weights::Palette { kinds, palette } = &self.weights {
            let mut weights = Vec::with_capacity(kinds.capacity());
            let kept = &kinds[..kinds.len().saturating_sub(1)];
            weights.extend(kept.iter().map(|&kind| palette[usize::from(kind)]));
            self.weights = Weights::Each(weights);
        }
    }
}
