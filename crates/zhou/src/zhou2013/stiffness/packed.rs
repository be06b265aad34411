//! The product for particles in lines: eight of them at once, every quantity in a column of its own.

use super::columns::{Columns, Numbers, at, at_mut, columns, inner, slices};
use super::eight::{Eight, LANES, Registers, Task};
use super::lines::{GUARD, Lines};
use super::sums::{Gather, WEIGHT, is_used, moment};
use crate::zhou2013::elasticity::{Elasticity, Tangent};
use pliant_math::{Vect, parallel};
use std::sync::Arc;

/// Packs whose columns are worked on together: those of [`parallel::BLOCK`] slots.
const PACKS: usize = parallel::BLOCK / LANES;
/// Column of the terms that stay with a particle.
const OWN: usize = 4;

/// Eight particles as the product needs them.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Block<const D: usize> {
    w: [[Numbers; D]; D],
    q: [[Numbers; D]; D],
    /// `B = Σ w p`.
    weight_sum: [Numbers; D],
    mu: Numbers,
    lambda: Numbers,
    kappa: Numbers,
    /// One bit for each particle with neighbours in a plane or on a line: their product is taken the long way, in double
    /// precision.
    flat: u8,
}

/// The linearised elasticity of all packs, and scratch of the product.
#[derive(Debug)]
pub(super) struct Packed<const D: usize> {
    registers: Registers,
    lines: Option<Arc<Lines>>,
    blocks: Vec<Block<D>>,
    /// A motion in two parts, whose sum is nearly as exact as double precision.
    motion: Columns<2, D>,
    /// `[Z | −κ u]` and what stays with a particle.
    flux: Columns<5, D>,
    /// What neighbours exert.
    pull: Columns<1, D>,
}

impl<const D: usize> Default for Packed<D> {
    fn default() -> Self {
        Self {
            registers: Registers::detect(),
            lines: None,
            blocks: Vec::new(),
            motion: columns(0),
            flux: columns(0),
            pull: columns(0),
        }
    }
}

impl<const D: usize> Packed<D> {
    /// Takes over a linearisation.
    pub fn update(&mut self, lines: &Arc<Lines>, elasticity: &Elasticity<'_, D>, tangents: &[Tangent<D>]) {
        if !self.lines.as_ref().is_some_and(|known| Arc::ptr_eq(known, lines)) {
            let count = lines.slot_count();
            self.blocks = vec![Block::NONE; count / LANES];
            (self.motion, self.flux, self.pull) = (columns(count), columns(count), columns(count));
            self.lines = Some(Arc::clone(lines));
        }
        parallel::fill(&mut self.blocks, |pack| {
            let mut block = Block::NONE;
            for lane in 0..LANES {
                if let Some(i) = lines.particle(pack * LANES + lane) {
                    block.set(lane, i, elasticity, &tangents[i]);
                }
            }
            block
        });
    }

    /// Fluxes of the motion `u` and what they exert.
    pub fn spread(
        &mut self,
        elasticity: &Elasticity<'_, D>,
        tangents: &[Tangent<D>],
        u: &[Vect<D>],
        common: &Vect<D>,
    ) {
        let Self { registers, lines, blocks, motion, flux, pull } = self;
        let Some(lines) = lines.as_deref() else { return };
        parallel::update_columns(inner(motion), |block, mut columns| {
            split_motion(lines, block * parallel::BLOCK, u, common, &mut columns);
        });
        let (registers, blocks, motion) = (*registers, &*blocks, &*motion);
        parallel::update_columns(inner(flux), |block, mut columns| {
            let first = block * PACKS;
            registers.run(Spread { lines, blocks, motion, first, columns: &mut columns });
            let packs = (first..).zip(blocks[first..].iter().take(PACKS));
            for (pack, _) in packs.filter(|(_, block)| block.flat != 0) {
                set_flat_fluxes((lines, pack), (blocks, motion), (elasticity, tangents, u), &mut columns);
            }
        });
        let flux = &*flux;
        parallel::update_columns(inner(pull), |block, mut columns| {
            registers.run(Gather { lines, flux, first: block * PACKS, columns: &mut columns });
        });
    }

    /// What neighbours exert on particle i, and what stays with it.
    #[inline(always)]
    pub fn product(&self, i: usize) -> Vect<D> {
        let slot = GUARD + self.lines.as_ref().map_or(0, |lines| lines.slot(i));
        Vect::from_fn(|axis, _| f64::from(self.pull[axis][0][slot]) + f64::from(self.flux[axis][OWN][slot]))
    }
}

impl<const D: usize> Block<D> {
    const NONE: Self = Self {
        w: [[[0.0; LANES]; D]; D],
        q: [[[0.0; LANES]; D]; D],
        weight_sum: [[0.0; LANES]; D],
        mu: [0.0; LANES],
        lambda: [0.0; LANES],
        kappa: [0.0; LANES],
        flat: 0,
    };

    fn set(&mut self, lane: usize, i: usize, elasticity: &Elasticity<'_, D>, tangent: &Tangent<D>) {
        let (fit, kappa) = (&elasticity.neighbourhoods.fits[i], elasticity.kappa[i]);
        let (Tangent { rotation, stiffness }, gradient) = (tangent, elasticity.gradient_map(i));
        let w = gradient * gradient.transpose() * stiffness.mu - fit.inverse_moment * kappa;
        let q = rotation * gradient.transpose();
        for row in 0..D {
            for column in 0..D {
                self.w[row][column][lane] = w[(row, column)] as f32;
                self.q[row][column][lane] = q[(row, column)] as f32;
            }
            self.weight_sum[row][lane] = fit.weight_sum[row] as f32;
        }
        self.mu[lane] = stiffness.mu as f32;
        self.lambda[lane] = stiffness.lambda as f32;
        self.kappa[lane] = kappa as f32;
        self.flat |= u8::from(fit.covered.is_some()) << lane;
    }

    /// `Z` and the terms that stay with each particle, from `[M | Σ w u]`.
    #[inline(always)]
    fn flux<E: Eight>(&self, eight: E, m: &[[E::Numbers; 4]; D]) -> [[E::Numbers; 5]; D] {
        let q: [[E::Numbers; D]; D] = load(eight, &self.q);
        let w: [[E::Numbers; D]; D] = load(eight, &self.w);
        let zero = eight.splat(0.0);
        let mut turned = [[zero; D]; D]; // Mᵀ Q
        let mut along = zero; // Q : M
        for row in 0..D {
            for column in 0..D {
                along = eight.mul_add(m[row][column], q[row][column], along);
                for k in 0..D {
                    turned[column][k] = eight.mul_add(q[row][k], m[row][column], turned[column][k]);
                }
            }
        }
        let (mu, kappa) = (eight.load(&self.mu), eight.load(&self.kappa));
        let dilation = eight.mul(eight.load(&self.lambda), along);
        let mut flux = [[zero; 5]; D];
        for row in 0..D {
            let mut own = eight.mul(m[row][WEIGHT], kappa);
            for column in 0..D {
                let (mut straight, mut shear) = (zero, zero);
                for k in 0..D {
                    straight = eight.mul_add(w[k][column], m[row][k], straight);
                    shear = eight.mul_add(turned[k][column], q[row][k], shear);
                }
                let z = eight.mul_add(shear, mu, eight.mul_add(q[row][column], dilation, straight));
                own = eight.mul_add(z, eight.load(&self.weight_sum[column]), own);
                flux[row][column] = z;
            }
            flux[row][OWN] = eight.sub(zero, own);
        }
        flux
    }
}

/// Fluxes of the packs of a block of slots.
struct Spread<'a, 'c, const D: usize> {
    lines: &'a Lines,
    blocks: &'a [Block<D>],
    motion: &'a Columns<2, D>,
    first: usize,
    columns: &'a mut [[&'c mut [f32]; 5]; D],
}

impl<const D: usize> Task for Spread<'_, '_, D> {
    #[inline(always)]
    fn run(self, eight: impl Eight) {
        let Self { lines, blocks, motion, first, columns } = self;
        let motion = &slices(motion);
        for place in 0..columns[0][0].len() / LANES {
            let pack = first + place;
            let moment = moment(eight, lines, pack, motion);
            let mut flux = blocks[pack].flux(eight, &moment);
            let kappa = eight.load(&blocks[pack].kappa);
            for row in 0..D {
                let high = eight.load(at(motion[row][0], GUARD + pack * LANES));
                flux[row][WEIGHT] = eight.sub(eight.splat(0.0), eight.mul(kappa, high));
                for column in 0..5 {
                    if is_used::<D>(column) || column == OWN {
                        eight.store(flux[row][column], at_mut(columns[row][column], place * LANES));
                    }
                }
            }
        }
    }
}

/// Puts the motion of a block of slots into columns.
fn split_motion<const D: usize>(
    lines: &Lines,
    first: usize,
    u: &[Vect<D>],
    common: &Vect<D>,
    columns: &mut [[&mut [f32]; 2]; D],
) {
    for place in 0..columns[0][0].len() {
        let Some(i) = lines.particle(first + place) else { continue };
        for (axis, [high, low]) in columns.iter_mut().enumerate() {
            let value = u[i][axis] - common[axis];
            high[place] = value as f32;
            low[place] = (value - f64::from(high[place])) as f32;
        }
    }
}

/// Fluxes of the particles of a pack whose neighbours are in a plane or on a line.
fn set_flat_fluxes<const D: usize>(
    (lines, pack): (&Lines, usize),
    (blocks, motion): (&[Block<D>], &Columns<2, D>),
    (elasticity, tangents, u): (&Elasticity<'_, D>, &[Tangent<D>], &[Vect<D>]),
    columns: &mut [[&mut [f32]; 5]; D],
) {
    for lane in (0..LANES).filter(|lane| blocks[pack].flat >> lane & 1 == 1) {
        let slot = pack * LANES + lane;
        let Some(i) = lines.particle(slot) else { continue };
        let (flux, own) = elasticity.flux_of_motion(i, &tangents[i], u);
        let place = slot % parallel::BLOCK;
        for row in 0..D {
            for column in 0..D {
                columns[row][column][place] = flux[row][column] as f32;
            }
            columns[row][WEIGHT][place] = -blocks[pack].kappa[lane] * motion[row][0][GUARD + slot];
            columns[row][OWN][place] = own[row] as f32;
        }
    }
}

#[inline(always)]
fn load<E: Eight, const D: usize>(eight: E, matrix: &[[Numbers; D]; D]) -> [[E::Numbers; D]; D] {
    let mut loaded = [[eight.splat(0.0); D]; D];
    for row in 0..D {
        for column in 0..D {
            loaded[row][column] = eight.load(&matrix[row][column]);
        }
    }
    loaded
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::ball;
    use super::*;
    use crate::zhou2013::tests::{exact_product, gradient, solver};

    #[test]
    fn all_registers_give_the_same_bits_and_the_product() {
        let world = ball(6);
        let solver = solver(&world);
        let (elasticity, x) = (solver.elasticity(), &world.particles.position);
        let (_, tangents) = gradient(&solver, x);
        let u: Vec<Vect<3>> = x.iter().map(|x| x.map(|x| (70.0 * x).sin()) * 1e-3).collect();
        let product = |registers: Registers| {
            let mut packed = Packed { registers, ..Packed::default() };
            let lines = elasticity.neighbourhoods.lines().expect("a lattice has lines");
            packed.update(lines, &elasticity, &tangents);
            packed.spread(&elasticity, &tangents, &u, &Vect::zeros());
            (0..u.len()).map(|i| packed.product(i) + u[i] * elasticity.kappa_sum[i]).collect::<Vec<_>>()
        };
        let (portable, best) = (product(Registers::Portable), product(Registers::detect()));
        assert_eq!(portable, best);
        let exact = exact_product(&solver, &tangents, &u);
        let largest = exact.iter().map(Vect::amax).fold(0.0, f64::max);
        let apart = best.iter().zip(&exact).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
        assert!(apart < 1e-6 * largest, "{apart:e} {largest:e}");
    }
}
