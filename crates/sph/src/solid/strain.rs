//! Deformation gradients, rotations and the forces that follow from them, never assembled.
//!
//! With `a = −V_j W'/r`, `o = X_j − X_i` and `L_i` the gradients of Eq. 7 are `a L_i o`, and the force of Eq. 14, 18 and 24
//! on particle `i` is `V_i Σ_j [a (h_i + h_j) o − α w (μ_i F_i + μ_j F_j) o + α w (μ_i + μ_j) x_ji]`, where
//! `h_i = (∂Ψ/∂F + α μ (F S − B)) L_i`.

use super::lanes::{Columns, Lane, Place};
use super::rest::Rest;
use super::{sums, turns};
use crate::arrows::Sums;
use crate::registers::{self, Each};
use nalgebra::Matrix3;
use pliant_material::Lame;
use pliant_math::{Vec3, parallel};
use wide::f32x4;

/// Moduli of a body as they count in its energy, particle by particle, in the order of the rest pose.
#[derive(Clone, Debug)]
pub(crate) struct Moduli {
    /// `μ_i` [Pa].
    pub shear: Vec<f64>,
    /// `λ_i` [Pa].
    pub dilation: Vec<f64>,
    /// Strength α of the implicit zero-energy term.
    pub zero_energy: f64,
    /// `α μ_i` [Pa].
    pub penalty: Vec<f32>,
    /// What the constant matrix has in place of `2 μ_i` [Pa].
    pub stretch: Vec<f64>,
}

impl Moduli {
    /// Those of materials times the factors of particles that are held, with `share` of the resistance to changes of volume in
    /// the constant matrix.
    pub fn new(lame: &[Lame], factors: &[f64], zero_energy: f64, share: f64) -> Self {
        let shear: Vec<f64> = lame.iter().zip(factors).map(|(lame, factor)| lame.mu * factor).collect();
        let dilation: Vec<f64> =
            lame.iter().zip(factors).map(|(lame, factor)| lame.lambda * factor).collect();
        let penalty = shear.iter().map(|shear| (zero_energy * shear) as f32).collect();
        let pairs = shear.iter().zip(&dilation);
        let stretch = pairs.map(|(mu, lambda)| 2.0 * mu + 3.0 * share * lambda.max(0.0)).collect();
        Self { shear, dilation, zero_energy, penalty, stretch }
    }
}

/// `Σ_j a x_ji oᵀ` and `Σ_j w x_ji oᵀ`.
struct Moments<'a> {
    rest: &'a Rest,
    place: &'a [Place],
}

impl Each for Moments<'_> {
    type Found = [Columns; 2];

    #[inline(always)]
    fn of<P: Sums>(&self, _: P, i: usize) -> [Columns; 2] {
        let here = self.place[i];
        sums::moments(self.rest.row(i), |j| self.place[j].since(&here))
    }
}

/// Forces on particles [N].
struct Force<'a> {
    rest: &'a Rest,
    place: &'a [Place],
    flux: &'a [[Columns; 2]],
    penalty: &'a [f32],
}

impl Each for Force<'_> {
    type Found = Lane;

    #[inline(always)]
    fn of<P: Sums>(&self, _: P, i: usize) -> Lane {
        let Self { rest, place, flux, penalty } = self;
        let here = place[i];
        let force = sums::pull((rest, i), flux, penalty, |j| place[j].since(&here));
        (force * f32x4::splat(rest.volume[i] as f32)).to_array()
    }
}

/// The deformation of a body at given positions.
#[derive(Debug, Default)]
pub(crate) struct Strain {
    place: Vec<Place>,
    /// `Σ_j a x_ji oᵀ` and `B_i`.
    moments: Vec<[Columns; 2]>,
    /// `F_i`, completed by the rotation where a neighbourhood is flat.
    pub gradient: Vec<Matrix3<f32>>,
    /// `B_i = Σ_j w x_ji oᵀ`.
    excess: Vec<Matrix3<f32>>,
    /// `R_i`.
    pub turn: Vec<Matrix3<f32>>,
    /// `h_i` and `α μ_i F_i` [Pa].
    flux: Vec<[Columns; 2]>,
}

impl Strain {
    /// `F_i` (Eq. 9) and `R_i` at `positions`; rotations start from the last ones.
    pub fn measure(&mut self, rest: &Rest, positions: &[Vec3], rotation: &mut [Lane]) {
        let count = rest.len();
        self.place.resize(count, Place::ORIGIN);
        parallel::fill(&mut self.place, |i| Place::new(&positions[i]));
        for matrices in [&mut self.gradient, &mut self.excess, &mut self.turn] {
            matrices.resize(count, Matrix3::identity());
        }
        self.moments.resize(count, [Columns::ZERO; 2]);
        registers::fill(&mut self.moments, &Moments { rest, place: &self.place });
        let Self { moments, gradient, excess, .. } = self;
        parallel::update_pair(gradient, excess, |i, gradient, excess| {
            let [f, b] = &moments[i];
            (*gradient, *excess) = (f.matrix() * rest.correction[i], b.matrix());
        });
        self.follow(rest, rotation);
    }

    /// The same after velocities have changed over a time [s]; what only forces need stays as it was measured.
    pub fn advance(&mut self, rest: &Rest, (change, dt): (&[Lane], f32), rotation: &mut [Lane]) {
        parallel::update(&mut self.gradient, |i, gradient| {
            let here = f32x4::from(change[i]);
            let [f] = sums::moments(rest.row(i), |j| f32x4::from(change[j]) - here);
            *gradient += f.matrix() * (rest.correction[i] * dt);
        });
        self.follow(rest, rotation);
    }

    /// Lets rotations follow; where a neighbourhood is flat they complete the deformation gradient first.
    fn follow(&mut self, rest: &Rest, rotation: &mut [Lane]) {
        for (i, flat) in &rest.flat {
            let (i, flat) = (*i as usize, flat.cast::<f32>());
            let gradient = &mut self.gradient[i];
            *gradient += (turns::matrix(&rotation[i]) - *gradient) * flat;
        }
        turns::follow(&self.gradient, rotation, &mut self.turn);
    }

    /// `tr(R_iᵀF_i)` less what it is without stress, where the neighbourhood says something about it.
    pub fn dilation(&self, rest: &Rest, target: Option<&[Matrix3<f64>]>, i: usize) -> f32 {
        let (turn, gradient) = (&self.turn[i], &self.gradient[i]);
        let relaxed = target.map_or(3.0, |target| target[i].trace() as f32);
        let Some(flat) = rest.flat_directions(i) else { return turn.dot(gradient) - relaxed };
        let known = turn.dot(&(gradient - gradient * flat.cast::<f32>()));
        let missing = target.map_or(flat.trace(), |target| (target[i] * flat).trace());
        known - (relaxed - missing as f32)
    }

    /// The way from one particle to another at the measured positions [m].
    #[inline(always)]
    pub fn apart(&self, i: usize, j: usize) -> f32x4 {
        self.place[j].since(&self.place[i])
    }

    /// Forces of stretch and zero-energy terms, and of the pressures `q_i/V_i` that resist changes of volume [N].
    /// `target` is the stretch at which each particle has no stress; none for the identity.
    pub fn forces(
        &mut self,
        rest: &Rest,
        moduli: &Moduli,
        target: Option<&[Matrix3<f64>]>,
        resistance: &[f32],
        out: &mut [Lane],
    ) {
        let Self { place, gradient, excess, turn, flux, .. } = self;
        flux.resize(rest.len(), [Columns::ZERO; 2]);
        parallel::fill(flux, |i| {
            let relaxed = target.map_or(turn[i], |target| turn[i] * target[i].cast::<f32>());
            let stretch = (gradient[i] - relaxed) * (2.0 * moduli.shear[i] as f32);
            let penalty = (gradient[i] * rest.spread[i] - excess[i]) * moduli.penalty[i];
            let pressure = turn[i] * (resistance[i] / rest.volume[i] as f32);
            let own = (stretch + penalty + pressure) * rest.correction[i];
            [own.into(), (gradient[i] * moduli.penalty[i]).into()]
        });
        registers::fill(out, &Force { rest, place, flux, penalty: &moduli.penalty });
    }

    /// Elastic energy, with and without the zero-energy term [J].
    pub fn energy(
        &self,
        (rest, positions): (&Rest, &[Vec3]),
        moduli: &Moduli,
        target: Option<&[Matrix3<f64>]>,
    ) -> (f64, f64) {
        let zero = nalgebra::Vector2::zeros();
        let both = parallel::sum(rest.len(), zero, |i| {
            let (f, r) = (self.gradient[i].cast::<f64>(), self.turn[i].cast::<f64>());
            let relaxed = target.map_or_else(Matrix3::identity, |target| target[i]);
            let (mu, lambda) = (moduli.shear[i], moduli.dilation[i]);
            let dilation = (r.transpose() * f - relaxed).trace();
            let stored = mu * (f - r * relaxed).norm_squared() + 0.5 * lambda * dilation * dilation;
            let mut penalty = 0.0;
            for edge in rest.row(i) {
                let error = f * edge.offset() - (positions[edge.to as usize] - positions[i]);
                penalty += f64::from(edge.weight) * error.norm_squared();
            }
            penalty *= 0.5 * moduli.zero_energy * mu;
            nalgebra::Vector2::new(stored, penalty) * rest.volume[i]
        });
        (both.x, both.y)
    }
}
