//! Deformation, rotations, forces and their linearisation (Zhou 2013, Eq. 5–9 and 18–24).
//!
//! With `M = Σ u bᵀ` the moment of a motion, `K = N Φ⁻¹` (Φ: plastic map since the rest pose was taken) and
//! `F = M K`, the force on particle i is `−Σ_j Z_j (b_ji, w_ji)` plus terms of i alone. The same sum, with the
//! stress of a small motion in Z, is the product with the stiffness `LᵀCL` of Eq. 24: L is never formed.

use super::maps::Maps;
use super::neighbourhoods::{Fit, Neighbourhoods};
use pliant_material::elastic::LinearCorotated;
use pliant_material::{Lame, Material, Plastic, plastic::Trial};
use pliant_math::{Mat, Principal, Vect, determinant, parallel, polar, principal, symmetric};

/// What a particle's matter is, fixed for the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matter {
    pub lame: Lame,
    pub plastic: Option<Plastic>,
    pub rest_volume: f64,
    /// The volume whose energy counts: of what is held, that on the free side of the clamp.
    pub stored_volume: f64,
    pub tear_stretch: f64,
    pub merges: bool,
}

impl Matter {
    pub fn new(material: &Material, rest_volume: f64) -> Self {
        let &Material { lame, plastic, tear_stretch, merges, .. } = material;
        Self { lame, plastic, rest_volume, stored_volume: rest_volume, tear_stretch, merges }
    }
}

/// Everything the force of a particle depends on besides positions.
#[derive(Clone, Copy)]
pub(super) struct Elasticity<'a, const D: usize> {
    pub neighbourhoods: &'a Neighbourhoods<D>,
    pub matter: &'a [Matter],
    /// Φ⁻¹: from the present stress-free state back to the pose the edges were taken in.
    pub rest_from_relaxed: &'a Maps<D>,
    /// Plastic strain accumulated so far.
    pub plastic_strain: &'a [f64],
    /// Penalty stiffness `κ = α μ V / Σ w|p|²` of each particle [N/m].
    pub kappa: &'a [f64],
    /// `Σ_j κ_j w_ji`.
    pub kappa_sum: &'a [f64],
}

/// One particle, linearised about a position: rotation frozen, shear modulus by its plastic secant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangent<const D: usize> {
    pub rotation: Mat<D>,
    /// Moduli times rest volume [J].
    pub stiffness: Lame,
}

/// Stress of a particle as its neighbours feel it: `[T Kᵀ − κ G | −κ u]`.
pub(super) type Flux<const D: usize> = [[f64; 4]; D];

impl<const D: usize> Tangent<D> {
    pub fn none() -> Self {
        let stiffness = Lame { mu: 0.0, lambda: 0.0 };
        Self { rotation: Mat::identity(), stiffness }
    }
}

/// The deformation gradient of Eq. 5, decomposed. Directions that no neighbour covers are unstrained.
pub(super) fn decompose<const D: usize>(f: &Mat<D>, fit: &Fit<D>) -> Principal<D> {
    let mut parts = principal(f);
    for k in fit.rank()..D {
        parts.sigma[k] = 1.0;
    }
    parts
}

/// The stretches that matter yields by. In directions that no neighbour covers it is as thick as its volume asks for.
pub(super) fn flowing_stretch<const D: usize>(sigma: &Vect<D>, fit: &Fit<D>) -> Vect<D> {
    let (mut stretch, rank) = (*sigma, fit.rank());
    let covered: f64 = sigma.iter().take(rank).product();
    for k in rank..D {
        stretch[k] = covered.abs().powf(-1.0 / (D - rank) as f64);
    }
    stretch
}

impl<const D: usize> Elasticity<'_, D> {
    /// `K` of particle i: from the moment to the deformation gradient.
    pub fn gradient_map(&self, i: usize) -> Mat<D> {
        self.neighbourhoods.fits[i].inverse_moment * self.rest_from_relaxed.of(i)
    }

    /// Elastic deformation gradient of particle i (Eq. 5).
    pub fn deformation(&self, i: usize, x: &[Vect<D>]) -> Principal<D> {
        let (moment, _) = split(&self.neighbourhoods.moment(i, x));
        decompose(&(moment * self.gradient_map(i)), &self.neighbourhoods.fits[i])
    }

    /// `det F` of particle i; directions that no neighbour covers are unstrained.
    pub fn dilation(&self, i: usize, x: &[Vect<D>]) -> f64 {
        if self.neighbourhoods.fits[i].covered.is_some() {
            return self.deformation(i, x).sigma.product();
        }
        let (moment, _) = split(&self.neighbourhoods.moment(i, x));
        determinant(&(moment * self.gradient_map(i)))
    }

    /// Linearises about `x` and writes minus the force, `∂E/∂x`, to `gradient` (Eq. 8). `dt` is the step the
    /// plastic secant is taken for [s].
    pub fn linearise(&self, x: &[Vect<D>], dt: f64, tangents: &mut [Tangent<D>], work: &mut Fluxes<D>) {
        let origin = x.first().copied().unwrap_or_else(Vect::zeros);
        parallel::fill(&mut work.local, |i| x[i] - origin); // small numbers: a kilometre costs no digits
        let Fluxes { flux, own, local, gradient } = work;
        parallel::update_triple(tangents, flux, own, |i, tangent, (flux, own)| {
            (*tangent, *flux, *own) = self.linearise_one(i, local, dt);
        });
        self.collect(flux, own, local, gradient);
    }

    fn linearise_one(&self, i: usize, x: &[Vect<D>], dt: f64) -> (Tangent<D>, Flux<D>, Vect<D>) {
        let fit = &self.neighbourhoods.fits[i];
        let (moment, weighted_sum) = split(&self.neighbourhoods.moment(i, x));
        let gradient = self.gradient_map(i);
        let f = moment * gradient;
        let Matter { lame, plastic, stored_volume, .. } = self.matter[i];
        let (rotation, f, secant) = if plastic.is_none() && fit.covered.is_none() {
            (polar::rotation(&f), f, lame)
        } else {
            let parts = decompose(&f, fit);
            let sigma = flowing_stretch(&parts.sigma, fit);
            let trial = Trial { lame: &lame, sigma: &sigma, plastic_strain: self.plastic_strain[i], dt };
            // The in-loop return mapping: stress is taken with the shear secant of the flow this step would see.
            let share = plastic.and_then(|plastic| plastic.flow(&trial)).map_or(0.0, |flow| flow.share);
            (parts.rotation(), parts.compose(), lame.softened::<D>(1.0 - share))
        };
        let stiffness = Lame { mu: secant.mu * stored_volume, lambda: secant.lambda * stored_volume };
        let tangent = Tangent { rotation, stiffness };

        let stress = LinearCorotated(stiffness).first_piola(&rotation, &f);
        let (flux, own) = self.flux(i, &stress, &gradient, (&moment, &weighted_sum), &x[i]);
        (tangent, flux, own)
    }

    /// `Z` of particle i and the force terms that stay with i.
    #[inline(always)]
    fn flux(
        &self,
        i: usize,
        stress: &Mat<D>,
        gradient: &Mat<D>,
        (moment, weighted_sum): (&Mat<D>, &Vect<D>),
        x: &Vect<D>,
    ) -> (Flux<D>, Vect<D>) {
        let (fit, kappa) = (&self.neighbourhoods.fits[i], self.kappa[i]);
        let total = moment * fit.inverse_moment; // G = F Φ: where an affine motion would put the neighbours
        let z = stress * gradient.transpose() - total * kappa;
        let own = -(z * fit.weight_sum) - weighted_sum * kappa;
        let flux = std::array::from_fn(|row| {
            std::array::from_fn(|lane| {
                if lane < D {
                    z[(row, lane)]
                } else if lane == 3 {
                    -kappa * x[row]
                } else {
                    0.0
                }
            })
        });
        (flux, own)
    }

    /// Adds what neighbours exert to what stays with each particle.
    fn collect(&self, flux: &[Flux<D>], own: &[Vect<D>], x: &[Vect<D>], out: &mut [Vect<D>]) {
        parallel::fill(out, |i| self.neighbourhoods.gather(i, flux) + x[i] * self.kappa_sum[i] + own[i]);
    }

    /// Writes `K u` for a small motion u to `work.gradient`, in double precision.
    pub fn product(&self, tangents: &[Tangent<D>], u: &[Vect<D>], work: &mut Fluxes<D>) {
        let Fluxes { flux, own, gradient, .. } = work;
        parallel::update_pair(flux, own, |i, flux, own| {
            (*flux, *own) = self.flux_of_motion(i, &tangents[i], u);
        });
        self.collect(flux, own, u, gradient);
    }

    /// `Z` of the small motion u, and the terms of `K u` that stay with particle i (Eq. 24).
    pub fn flux_of_motion(&self, i: usize, tangent: &Tangent<D>, u: &[Vect<D>]) -> (Flux<D>, Vect<D>) {
        let (moment, weighted_sum) = split(&self.neighbourhoods.moment(i, u));
        let (Tangent { rotation, stiffness }, gradient) = (tangent, self.gradient_map(i));
        let mut strain = symmetric(&rotation.tr_mul(&(moment * gradient)));
        if let Some(covered) = &self.neighbourhoods.fits[i].covered {
            strain = **covered * strain * **covered;
        }
        let stress = rotation * LinearCorotated(*stiffness).stress_of(&strain);
        self.flux(i, &stress, &gradient, (&moment, &weighted_sum), &u[i])
    }

    /// How far the motion u turns particle i beyond its frozen rotation [rad].
    pub fn turn(&self, i: usize, tangent: &Tangent<D>, u: &[Vect<D>]) -> f64 {
        let (moment, _) = split(&self.neighbourhoods.moment(i, u));
        let spin = tangent.rotation.tr_mul(&(moment * self.gradient_map(i)));
        (spin - spin.transpose()).norm() * std::f64::consts::FRAC_1_SQRT_2 * 0.5
    }

    /// Stored energy: elastic of every particle and the zero-energy penalty [J].
    pub fn energy(&self, x: &[Vect<D>]) -> f64 {
        parallel::sum(x.len(), 0.0, |i| {
            let fit = &self.neighbourhoods.fits[i];
            let (moment, _) = split(&self.neighbourhoods.moment(i, x));
            let f = moment * self.gradient_map(i);
            let law = LinearCorotated(self.matter[i].lame);
            let density = match fit.covered {
                None => law.energy_of(&(symmetric(&polar::rotation(&f).tr_mul(&f)) - Mat::identity())),
                Some(_) => law.energy(&decompose(&f, fit).sigma),
            };
            let elastic = self.matter[i].stored_volume * density;
            let total = moment * fit.inverse_moment;
            let misfit: f64 = self
                .neighbourhoods
                .offsets(i)
                .map(|(j, p, weight)| weight * (total * p - (x[j] - x[i])).norm_squared())
                .sum();
            elastic + 0.5 * self.kappa[i] * misfit
        })
    }
}

/// Scratch of force evaluations, reused from call to call.
#[derive(Debug, Default)]
pub(super) struct Fluxes<const D: usize> {
    flux: Vec<Flux<D>>,
    own: Vec<Vect<D>>,
    local: Vec<Vect<D>>,
    /// The result: energy derivative or stiffness product [N].
    pub gradient: Vec<Vect<D>>,
}

impl<const D: usize> Fluxes<D> {
    pub fn new(count: usize) -> Self {
        Self {
            flux: vec![[[0.0; 4]; D]; count],
            own: vec![Vect::zeros(); count],
            local: vec![Vect::zeros(); count],
            gradient: vec![Vect::zeros(); count],
        }
    }
}

/// Moment and weighted sum from the lanes of [`Neighbourhoods::moment`].
#[inline(always)]
fn split<const D: usize>(rows: &[[f64; 4]; D]) -> (Mat<D>, Vect<D>) {
    (Mat::from_fn(|row, column| rows[row][column]), Vect::from_fn(|row, _| rows[row][3]))
}
