//! The product row by row: edges of one particle after the other, in the lanes of one register.

use crate::zhou2013::elasticity::{Elasticity, Tangent};
use crate::zhou2013::lanes::{Lanes, Split, single};
use pliant_math::{Mat, Vect, parallel};
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
    /// Neighbours in a plane or on a line: the product is taken the long way, in double precision.
    is_flat: bool,
}

/// What the product needs of all particles, and scratch.
#[derive(Debug)]
pub(super) struct Rows<const D: usize> {
    lanes: Lanes,
    blocks: Vec<Block<D>>,
    motion: Vec<Split>,
    flux: Vec<[f32x4; D]>,
    own: Vec<Vect<D>>,
}

impl<const D: usize> Default for Rows<D> {
    fn default() -> Self {
        Self {
            lanes: Lanes::detect(),
            blocks: Vec::new(),
            motion: Vec::new(),
            flux: Vec::new(),
            own: Vec::new(),
        }
    }
}

impl<const D: usize> Rows<D> {
    /// Takes over a linearisation.
    pub fn update(&mut self, elasticity: &Elasticity<'_, D>, tangents: &[Tangent<D>]) {
        let zero = [f32x4::ZERO; D];
        self.blocks.resize(tangents.len(), Block::NONE);
        self.motion.resize(tangents.len(), Split::ZERO);
        self.flux.resize(tangents.len(), zero);
        self.own.resize(tangents.len(), Vect::zeros());
        parallel::fill(&mut self.blocks, |i| {
            let (fit, kappa) = (&elasticity.neighbourhoods.fits[i], elasticity.kappa[i]);
            let (Tangent { rotation, stiffness }, gradient) = (&tangents[i], elasticity.gradient_map(i));
            Block {
                w: rows(&(gradient * gradient.transpose() * stiffness.mu - fit.inverse_moment * kappa)),
                q: rows(&(rotation * gradient.transpose())),
                weight_sum: single(&fit.weight_sum),
                mu: stiffness.mu as f32,
                lambda: stiffness.lambda as f32,
                kappa: kappa as f32,
                is_flat: fit.covered.is_some(),
            }
        });
    }

    /// Fluxes of the motion `u`.
    pub fn spread(
        &mut self,
        elasticity: &Elasticity<'_, D>,
        tangents: &[Tangent<D>],
        u: &[Vect<D>],
        common: &Vect<D>,
    ) {
        let Self { lanes, blocks, motion, flux, own } = self;
        parallel::fill(motion, |i| Split::new(&(u[i] - common)));
        let motion = &*motion;
        parallel::update_pair(flux, own, |i, flux, own| {
            let block = &blocks[i];
            if block.is_flat {
                let (exact, rest) = elasticity.flux_of_motion(i, &tangents[i], u);
                *flux = exact.map(|row| f32x4::from(row.map(|value| value as f32)));
                set_last_lane(flux, block.kappa, &motion[i]);
                *own = rest;
            } else {
                let moment = lanes.moment(elasticity.neighbourhoods.outgoing(i), &motion[i], motion);
                (*flux, *own) = block.flux(&moment, &motion[i]);
            }
        });
    }

    /// What neighbours exert on particle i, and what stays with it.
    #[inline(always)]
    pub fn product(&self, elasticity: &Elasticity<'_, D>, i: usize) -> Vect<D> {
        elasticity.neighbourhoods.gather_lanes(i, self.lanes, &self.flux) + self.own[i]
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
        is_flat: false,
    };

    /// `[Z | −κ u]` and the force terms that stay with the particle, from `[M | Σ w u]`.
    #[inline(always)]
    fn flux(&self, moment: &[f32x4; D], u: &Split) -> ([f32x4; D], Vect<D>) {
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
        let own = Vect::from_fn(|row, _| {
            f64::from(-(flux[row] * self.weight_sum).reduce_add() - m[row][3] * self.kappa)
        });
        set_last_lane(&mut flux, self.kappa, u);
        (flux, own)
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
