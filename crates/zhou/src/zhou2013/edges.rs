//! Directed edges in rows, one row a particle. On a lattice a few dozen offsets serve all particles: they are then
//! stored once, and an edge is a number and an index, a third of the memory that a step has to read.

use serde::{Deserialize, Serialize};
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

impl Edges {
    /// Rows as given; `starts` has one entry more than there are rows.
    pub fn new(starts: Vec<u32>, ends: Vec<u32>, weights: Vec<EdgeWeight>) -> Self {
        let weights = palette(&weights).unwrap_or(Weights::Each(weights));
        Self { starts, ends, weights }
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
        let (mut sources, mut weights) = (vec![0; self.ends.len()], vec![[0.0; 4]; self.ends.len()]);
        for i in 0..self.len() {
            for (j, weight) in self.row(i).iter() {
                let slot = &mut slots[j];
                (sources[*slot as usize], weights[*slot as usize]) = (i as u32, *weight);
                *slot += 1;
            }
        }
        Self::new(starts, sources, weights)
    }
}

/// The weights by number, if few are different.
fn palette(weights: &[EdgeWeight]) -> Option<Weights> {
    let (mut kinds, mut palette) = (Vec::with_capacity(weights.len()), Vec::new());
    let mut numbers: HashMap<[u32; 4], u16> = HashMap::new();
    for weight in weights {
        let number = *numbers.entry(weight.map(f32::to_bits)).or_insert_with(|| {
            palette.push(*weight);
            (palette.len() - 1) as u16
        });
        if palette.len() > LARGEST_PALETTE {
            return None;
        }
        kinds.push(number);
    }
    Some(Weights::Palette { kinds, palette })
}
