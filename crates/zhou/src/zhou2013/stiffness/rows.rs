//! The product row by row: edges of one particle after the other, in the lanes of one register.

use super::places::Places;
use crate::zhou2013::edges::Listed;
use crate::zhou2013::elasticity::{Elasticity, Tangent};
use crate::zhou2013::lanes::{Flux, Lanes, Split, Sums, Task, single};
use crate::zhou2013::neighbourhoods::Neighbourhoods;
use pliant_math::{Mat, Vect, parallel};
use std::sync::Arc;
use wide::f32x4;

/// One particle as the product needs it.
#[derive(Clone, Copy, Debug)]
struct Block<const D: usize> {
    w: [f32x4; D],
    q: [f32x4; D],
    /// `B = Σ w p`.
    weight_sum: f32x4,
    mu: f32,
    lambda: f32,
    kappa: f32,
    /// Its number among those with neighbours in a plane or on a line; [`NOT_FLAT`] for others.
    flat: u32,
}

const NOT_FLAT: u32 = u32::MAX;

/// What a particle with neighbours in a plane or on a line needs besides. With C the projector onto the directions they
/// span, strains are `C E C`, so `Q = R C Kᵀ`, `W = μ K C Kᵀ`, and the flux is `R C Rᵀ` times what these make of M, less
/// `κ M N`.
#[derive(Clone, Copy, Debug)]
struct Flat<const D: usize> {
    within: [f32x4; D],
    penalty: [f32x4; D],
}

/// What the product needs of all particles, and scratch: slot by slot where particles are in order of places, else
/// particle by particle.
#[derive(Debug)]
pub(super) struct Rows<const D: usize> {
    lanes: Lanes,
    places: Option<Arc<Places>>,
    blocks: Vec<Block<D>>,
    flats: Vec<Flat<D>>,
    motion: Vec<Split>,
    flux: Vec<Flux>,
    /// What stays with a particle, then also what neighbours exert.
    pull: Vec<Vect<D>>,
}

impl<const D: usize> Default for Rows<D> {
    fn default() -> Self {
        Self {
            lanes: Lanes::detect(),
            places: None,
            blocks: Vec::new(),
            flats: Vec::new(),
            motion: Vec::new(),
            flux: Vec::new(),
            pull: Vec::new(),
        }
    }
}

impl<const D: usize> Rows<D> {
    /// Takes over a linearisation about the positions `x`.
    pub fn update(&mut self, elasticity: &Elasticity<'_, D>, tangents: &[Tangent<D>], x: &[Vect<D>]) {
        let hoods = elasticity.neighbourhoods;
        self.places = if hoods.listed().is_some() { None } else { Some(hoods.places(x).clone()) };
        let Self { places, blocks, flats, motion, flux, pull, .. } = self;
        let (count, places, fits) = (tangents.len(), places.as_deref(), &hoods.fits);
        blocks.resize(count, Block::NONE);
        motion.resize(count, Split::ZERO);
        flux.resize(count, Flux::ZERO);
        pull.resize(count, Vect::zeros());
        parallel::fill(blocks, |slot| {
            let i = particle(places, slot);
            let (fit, kappa) = (&fits[i], elasticity.kappa[i]);
            let (Tangent { rotation, stiffness }, gradient) = (&tangents[i], elasticity.gradient_map(i));
            let (w, q) = match &fit.covered {
                None => {
                    let w = gradient * gradient.transpose() * stiffness.mu - fit.inverse_moment * kappa;
                    (w, rotation * gradient.transpose())
                }
                Some(covered) => {
                    let within = **covered * gradient.transpose();
                    (gradient * within * stiffness.mu, rotation * within)
                }
            };
            Block {
                w: rows(&w),
                q: rows(&q),
                weight_sum: single(&fit.weight_sum),
                mu: stiffness.mu as f32,
                lambda: stiffness.lambda as f32,
                kappa: kappa as f32,
                flat: NOT_FLAT,
            }
        });
        flats.clear();
        for (slot, block) in blocks.iter_mut().enumerate() {
            let i = particle(places, slot);
            if let Some(covered) = &fits[i].covered {
                let rotation = &tangents[i].rotation;
                block.flat = flats.len() as u32;
                flats.push(Flat {
                    within: rows(&(rotation * **covered * rotation.transpose())),
                    penalty: rows(&(fits[i].inverse_moment * elasticity.kappa[i])),
                });
            }
        }
    }

    /// Fluxes of the motion `u` and what they exert.
    pub fn spread(&mut self, hoods: &Neighbourhoods<D>, u: &[Vect<D>], common: &Vect<D>) {
        let Self { lanes, places, blocks, flats, motion, flux, pull } = self;
        let (lanes, places) = (*lanes, places.as_deref());
        let as_sampled = || [hoods.listed().unwrap_or_default(); 2];
        let [outgoing, incoming] = places.map_or_else(as_sampled, Places::edges);
        parallel::fill(motion, |slot| Split::new(&(u[particle(places, slot)] - common)));
        let motion = &*motion;
        parallel::update_block_pairs(flux, pull, |first, flux, own| {
            lanes.run(Spread { edges: outgoing, blocks, flats, motion, first, flux, own });
        });
        let (flux, reverse) = (&*flux, f32x4::from(hoods.reverse().map(|sign| sign as f32)));
        parallel::update_blocks(pull, |first, pull| {
            lanes.run(Gather { edges: incoming, reverse, flux, first, pull });
        });
    }

    /// What neighbours exert on particle i, and what stays with it.
    #[inline(always)]
    pub fn product(&self, i: usize) -> Vect<D> {
        self.pull[self.places.as_ref().map_or(i, |places| places.slot(i))]
    }
}

/// The particle in a slot.
#[inline(always)]
fn particle(places: Option<&Places>, slot: usize) -> usize {
    places.map_or(slot, |places| places.particle(slot))
}

/// Fluxes of a block of slots, and what stays with their particles.
struct Spread<'a, const D: usize> {
    edges: Listed<'a>,
    blocks: &'a [Block<D>],
    flats: &'a [Flat<D>],
    motion: &'a [Split],
    first: usize,
    flux: &'a mut [Flux],
    own: &'a mut [Vect<D>],
}

impl<const D: usize> Task for Spread<'_, D> {
    #[inline(always)]
    fn run(self, sums: impl Sums) {
        let Self { edges, blocks, flats, motion, first, flux, own } = self;
        for ((slot, flux), own) in (first..).zip(flux).zip(own) {
            let (block, here) = (&blocks[slot], &motion[slot]);
            let moment = sums.moment(edges.row(slot), here, motion);
            let mut z = block.flux(&moment);
            if let Some(flat) = flats.get(block.flat as usize) {
                z = flat.flux(&z, &moment);
            }
            *own = block.own(&z, &moment);
            set_last_lane(&mut z, block.kappa, here);
            flux.0[..D].copy_from_slice(&z);
        }
    }
}

/// What neighbours exert on a block of slots.
struct Gather<'a, const D: usize> {
    edges: Listed<'a>,
    /// What turns them the right way round.
    reverse: f32x4,
    flux: &'a [Flux],
    first: usize,
    pull: &'a mut [Vect<D>],
}

impl<const D: usize> Task for Gather<'_, D> {
    #[inline(always)]
    fn run(self, sums: impl Sums) {
        let Self { edges, reverse, flux, first, pull } = self;
        for (slot, pull) in (first..).zip(pull) {
            let sums: [f32x4; D] = sums.gather(edges.row(slot), flux);
            *pull += Vect::from_fn(|row, _| f64::from((sums[row] * reverse).reduce_add()));
        }
    }
}

impl<const D: usize> Block<D> {
    const NONE: Self = Self {
        w: [f32x4::ZERO; D],
        q: [f32x4::ZERO; D],
        weight_sum: f32x4::ZERO,
        mu: 0.0,
        lambda: 0.0,
        kappa: 0.0,
        flat: NOT_FLAT,
    };

    /// `Z` from `[M | Σ w u]`.
    #[inline(always)]
    fn flux(&self, moment: &[f32x4; D]) -> [f32x4; D] {
        let m: [[f32; 4]; D] = moment.map(f32x4::to_array);
        let q: [[f32; 4]; D] = self.q.map(f32x4::to_array);
        // Mᵀ Q and Q : M; the last lane of M meets zeros in Q.
        let mut turned = [f32x4::ZERO; D];
        let mut along = f32x4::ZERO;
        for row in 0..D {
            along += moment[row] * self.q[row];
            for (column, turned) in turned.iter_mut().enumerate() {
                *turned += self.q[row] * m[row][column];
            }
        }
        let dilation = self.lambda * along.reduce_add();
        let mut flux = [f32x4::ZERO; D];
        for row in 0..D {
            let mut shear = f32x4::ZERO;
            for k in 0..D {
                flux[row] += self.w[k] * m[row][k];
                shear += turned[k] * q[row][k];
            }
            flux[row] += shear * self.mu + self.q[row] * dilation;
        }
        flux
    }

    /// The force terms that stay with the particle.
    #[inline(always)]
    fn own(&self, flux: &[f32x4; D], moment: &[f32x4; D]) -> Vect<D> {
        Vect::from_fn(|row, _| {
            let weighted_sum = moment[row].to_array()[3];
            f64::from(-(flux[row] * self.weight_sum).reduce_add() - weighted_sum * self.kappa)
        })
    }
}

impl<const D: usize> Flat<D> {
    /// `Z` from what its block made of `[M | Σ w u]`.
    #[inline(always)]
    fn flux(&self, flux: &[f32x4; D], moment: &[f32x4; D]) -> [f32x4; D] {
        std::array::from_fn(|row| {
            let (within, m) = (self.within[row].to_array(), moment[row].to_array());
            (0..D).fold(f32x4::ZERO, |sum, k| sum + flux[k] * within[k] - self.penalty[k] * m[k])
        })
    }
}

fn rows<const D: usize>(matrix: &Mat<D>) -> [f32x4; D] {
    std::array::from_fn(|row| single(&matrix.row(row).transpose()))
}

/// Neighbours feel the penalty of particle i through its motion.
#[inline(always)]
fn set_last_lane<const D: usize>(flux: &mut [f32x4; D], kappa: f32, u: &Split) {
    let u = u.high();
    for (row, flux) in flux.iter_mut().enumerate() {
        let [x, y, z, _] = flux.to_array();
        *flux = f32x4::from([x, y, z, -kappa * u[row]]);
    }
}
