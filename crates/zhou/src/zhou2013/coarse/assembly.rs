//! How the coarse matrix `PᵀAP` comes from the particles' own fits.

use super::blocks::{Block, Blocks, Factor, Place};
use super::{Coarse, Groups};
use crate::zhou2013::elasticity::{Elasticity, Tangent};
use pliant_material::Lame;
use pliant_math::{Mat, Vect};
use rayon::prelude::*;

impl<const D: usize> Groups<D> {
    /// The coarse system of the body at rest, with the moduli of a linearisation; not yet factorised.
    pub fn assemble(
        &self,
        elasticity: &Elasticity<'_, D>,
        tangents: &[Tangent<D>],
        mass: &[f64],
    ) -> Coarse<D> {
        let patches = self.members.par_iter().map(|members| {
            let (mut patch, mut spots) = (Patch::default(), Vec::new());
            for &i in members {
                self.add_particle(i as usize, (elasticity, &tangents[i as usize]), &mut spots, &mut patch);
            }
            patch
        });
        let patches: Vec<Patch> = patches.collect();
        let inertia = (0u32..)
            .zip(&self.members)
            .map(|(group, members)| (Place { column: group, row: group }, self.inertia(members, mass)));
        Coarse {
            stiffness: Blocks::collect(patches.into_iter().flat_map(Patch::into_blocks)),
            inertia: Blocks::collect(inertia),
            factor: Factor::default(),
            rotations: vec![Mat::identity(); self.members.len()],
            amplitudes: vec![0.0; self.members.len() * Blocks::<D>::SIDE],
            motions: vec![[Vect::zeros(); 4]; self.members.len()],
        }
    }

    /// `PᵀMP` of a group.
    fn inertia(&self, members: &[u32], mass: &[f64]) -> Block {
        let mut block = Block::default();
        for &i in members {
            let (f, mass) = (&self.functions[i as usize], mass[i as usize]);
            for k in 0..=D {
                for l in 0..=D {
                    (0..D).for_each(|d| block[k * D + d][l * D + d] += mass * f[k] * f[l]);
                }
            }
        }
        block
    }

    /// Adds `PᵀKᵢP` of particle i, whose strain is a sum over the groups its neighbours are in.
    fn add_particle(
        &self,
        i: usize,
        (elasticity, tangent): (&Elasticity<'_, D>, &Tangent<D>),
        spots: &mut Vec<Spot>,
        patch: &mut Patch,
    ) {
        spots.clear();
        spots.push(Spot::new(self.of[i]));
        let (mut edge_sum, own) = ([0.0; 4], self.functions[i]);
        for (j, edge) in elasticity.neighbourhoods.outgoing(i).iter() {
            let edge = edge.map(f64::from);
            let group = self.of[j];
            let at = spots.iter().position(|spot| spot.group == group).unwrap_or_else(|| {
                spots.push(Spot::new(group));
                spots.len() - 1
            });
            spots[at].add(&self.functions[j], &edge);
            (0..4).for_each(|lane| edge_sum[lane] += edge[lane]);
        }
        for (moment, function) in spots[0].moments.iter_mut().zip(own) {
            (0..4).for_each(|lane| moment[lane] -= function * edge_sum[lane]);
        }

        let (kappa, gradient, moduli) = (elasticity.kappa[i], elasticity.gradient_map(i), tangent.stiffness);
        let inverse_moment = elasticity.neighbourhoods.fits[i].inverse_moment;
        let w = gradient * gradient.transpose() * moduli.mu - inverse_moment * kappa;
        let q = gradient.transpose();
        let strains: Vec<Strain> = spots.iter().map(|spot| Strain::new(spot, &w, &q)).collect();
        for (a, spot) in spots.iter().enumerate() {
            for (b, other) in spots.iter().enumerate().filter(|(_, other)| other.group <= spot.group) {
                let alike: [[f64; 4]; 4] = std::array::from_fn(|k| {
                    std::array::from_fn(|l| {
                        // The penalty's springs, each between a neighbour's group and the particle's own.
                        let mut springs = if a == b { spot.squares[k][l] } else { 0.0 };
                        if b == 0 {
                            springs -= spot.squares[k][0] * own[l];
                        }
                        if a == 0 {
                            springs -= own[k] * other.squares[l][0];
                        }
                        if a == 0 && b == 0 {
                            springs += edge_sum[3] * own[k] * own[l];
                        }
                        let fitted: f64 =
                            (0..D).map(|d| spot.moments[k][d] * strains[b].weighted[l][d]).sum();
                        fitted + kappa * springs
                    })
                });
                let block = patch.at(Place { column: other.group, row: spot.group });
                strains[a].add_product::<D>(&strains[b], &moduli, &alike, block);
            }
        }
    }
}

/// Blocks that the particles of one group add to.
#[derive(Default)]
struct Patch {
    places: Vec<Place>,
    blocks: Vec<Block>,
}

impl Patch {
    fn at(&mut self, place: Place) -> &mut Block {
        let at = self.places.iter().position(|known| *known == place).unwrap_or_else(|| {
            self.places.push(place);
            self.blocks.push(Block::default());
            self.places.len() - 1
        });
        &mut self.blocks[at]
    }

    fn into_blocks(self) -> impl Iterator<Item = (Place, Block)> {
        self.places.into_iter().zip(self.blocks)
    }
}

/// Neighbours of one particle that are in one group, summed.
#[derive(Clone)]
struct Spot {
    group: u32,
    /// `Σ ψ_k (b, w)`.
    moments: [[f64; 4]; 4],
    /// `Σ w ψ_k ψ_l`.
    squares: [[f64; 4]; 4],
}

impl Spot {
    fn new(group: u32) -> Self {
        Self { group, moments: [[0.0; 4]; 4], squares: [[0.0; 4]; 4] }
    }

    fn add(&mut self, functions: &[f64; 4], edge: &[f64; 4]) {
        for k in 0..4 {
            for lane in 0..4 {
                self.moments[k][lane] += functions[k] * edge[lane];
                self.squares[k][lane] += functions[k] * functions[lane] * edge[3];
            }
        }
    }
}

/// What the functions of a spot do to a particle: `y_k = Q m_k` of each of their moments `m_k`, side by side.
struct Strain {
    flat: [f64; 12],
    /// Component d of each `y_k`, D times.
    repeated: [[f64; 12]; 3],
    /// Each `y_k`, D + 1 times.
    tiled: [[f64; 12]; 4],
    /// `W m_k`.
    weighted: [[f64; 3]; 4],
}

impl Strain {
    fn new<const D: usize>(spot: &Spot, w: &Mat<D>, q: &Mat<D>) -> Self {
        let moment = |k: usize| Vect::<D>::from_fn(|axis, _| spot.moments[k][axis]);
        let y: [Vect<D>; 4] = std::array::from_fn(|k| q * moment(k));
        let weighted: [Vect<D>; 4] = std::array::from_fn(|k| w * moment(k));
        let side = Blocks::<D>::SIDE;
        let row = |f: &dyn Fn(usize) -> f64| std::array::from_fn(|n| if n < side { f(n) } else { 0.0 });
        Self {
            flat: row(&|n| y[n / D][n % D]),
            repeated: std::array::from_fn(|d| row(&|n| if d < D { y[n / D][d] } else { 0.0 })),
            tiled: std::array::from_fn(|k| row(&|n| y[k][n % D])),
            weighted: weighted.map(|v| std::array::from_fn(|d| if d < D { v[d] } else { 0.0 })),
        }
    }

    /// Adds `alike_kl I + μ z_l y_kᵀ + λ y_k z_lᵀ` for all functions k of this one and l of the other.
    #[inline(always)]
    fn add_product<const D: usize>(
        &self,
        other: &Self,
        &Lame { mu, lambda }: &Lame,
        alike: &[[f64; 4]; 4],
        block: &mut Block,
    ) {
        for k in 0..=D {
            for d in 0..D {
                let row = &mut block[k * D + d];
                let pressure = lambda * self.flat[k * D + d];
                for ((sum, z), (across, y)) in
                    row.iter_mut().zip(&other.flat).zip(other.repeated[d].iter().zip(&self.tiled[k]))
                {
                    *sum += pressure * z + mu * across * y;
                }
                for l in 0..=D {
                    row[l * D + d] += alike[k][l];
                }
            }
        }
    }
}
