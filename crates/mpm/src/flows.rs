//! Laws in lanes that are written in principal stretches: Hencky's, and the flow of snow and sand.

#![allow(clippy::needless_range_loop, reason = "lanes and axes are counted: iterators hide which is which")]

use super::elastic::corotated_stiffening;
use super::grain::Pack;
use super::lanes::{LOG_RANGE, Lanes, Mask};
use super::packs::{Answer, CRUSHED, Kind, Lot, Matrix, Vector, product_transposed};
use super::principal::{determinant, dot, kept, least, logarithms, most, orthogonal, product, sum};
use super::registers::Registers;
use pliant_material::plastic::{DruckerPrager, Friction, Snow};

/// What became of principal stretches.
pub(super) struct Principal<R: Registers, const D: usize> {
    /// Principal Kirchhoff stresses.
    stress: Vector<R, D>,
    /// Share of each stretch that is left when flow has taken its part.
    pub kept: Vector<R, D>,
    volume: Lanes<R>,
    strain: Lanes<R>,
    stiffening: Lanes<R>,
    pub flowed: Mask<R>,
}

impl<R: Registers> Lot<'_, R> {
    /// Laws that are written in principal stretches.
    #[inline(always)]
    pub fn by_axes<const D: usize>(&self, pack: &Pack<f32, D>, trial: &Matrix<R, D>) -> Answer<R, D> {
        let volume = Lanes::load(self.registers, &pack.memory_volume);
        let strain = Lanes::load(self.registers, &pack.memory_strain);
        let (axes, squares) = orthogonal(trial);
        let mut sigma = squares;
        for stretch in &mut sigma {
            *stretch = stretch.sqrt();
        }
        let answer = self.principal(&sigma, volume, strain);
        // τ = Σ τ̂ₖ uₖ uₖᵀ with uₖ the axes over their lengths.
        let mut weighted = axes;
        for k in 0..D {
            let weight = answer.stress[k] / squares[k];
            for r in 0..D {
                weighted[k][r] = axes[k][r] * weight;
            }
        }
        let (stress, wrong) =
            (product_transposed(&weighted, &axes), self.out_of_range(&sigma, determinant(trial)));
        if !answer.flowed.any() {
            return self.elastic(*trial, stress, (answer.stiffening, wrong));
        }
        Answer {
            elastic: Some(kept(trial, &axes, &squares, &answer)),
            stress,
            volume: Some(answer.volume),
            strain: Some(answer.strain),
            stiffening: answer.stiffening,
            flowed: answer.flowed,
            wrong,
        }
    }

    /// Particles that are crushed, inside out, or strained far.
    #[inline(always)]
    fn out_of_range<const D: usize>(&self, sigma: &Vector<R, D>, volume: Lanes<R>) -> Mask<R> {
        let crushed = self.splat(f64::from(CRUSHED));
        let flat = least(sigma).less(crushed).or(volume.less(crushed));
        if let Kind::Snow(_) = self.kind {
            return flat;
        }
        let (low, high) = (self.splat(f64::from(LOG_RANGE.0)), self.splat(f64::from(LOG_RANGE.1)));
        flat.or(least(sigma).less(low)).or(high.less(most(sigma)))
    }

    #[inline(always)]
    fn principal<const D: usize>(
        &self,
        sigma: &Vector<R, D>,
        volume: Lanes<R>,
        strain: Lanes<R>,
    ) -> Principal<R, D> {
        match self.kind {
            Kind::Snow(snow) => self.snow(snow, sigma, volume, strain),
            Kind::Sand(sand) => self.sand(sand, sigma, volume, strain),
            _ => {
                let (mu, lambda) = self.moduli();
                let (stress, one) = (hencky(&logarithms(sigma), mu, lambda), self.splat(1.0));
                let flowed = one.less(one);
                Principal { stress, kept: [one; D], volume, strain, stiffening: one, flowed }
            }
        }
    }

    /// [`Snow`]: stretches are clamped, what is cut off hardens (Nilles 2020, Eq. 84–88).
    #[inline(always)]
    fn snow<const D: usize>(
        &self,
        snow: &Snow,
        sigma: &Vector<R, D>,
        volume: Lanes<R>,
        strain: Lanes<R>,
    ) -> Principal<R, D> {
        let (zero, one) = (self.splat(0.0), self.splat(1.0));
        let (low, high) =
            (self.splat(1.0 - snow.critical_compression), self.splat(1.0 + snow.critical_stretch));
        let (half, double) = (self.splat(0.5), self.splat(2.0));
        let (mut clamped, mut kept) = (*sigma, *sigma);
        let (mut packed, mut cut_off, mut squares) = (volume, zero, zero);
        for k in 0..D {
            clamped[k] = sigma[k].max(low).min(high);
            kept[k] = clamped[k] / sigma[k];
            let cut = sigma[k] / clamped[k];
            packed = packed * cut;
            cut_off = cut_off + (sigma[k] - clamped[k]).abs();
            // For a stretch far out of range only the size of the strain is coarse.
            let log = cut.max(half).min(double).ln();
            squares = squares + log * log;
        }
        let flowed = zero.less(cut_off);
        let packed = packed.max(self.splat(snow.det_min)).min(self.splat(snow.det_max));
        let volume = flowed.choose(packed, volume);
        let limit = self.splat(20.0);
        let factor = ((one - volume) * snow.hardening as f32).max(-limit).min(limit).exp();
        let (mu, lambda) = (self.splat(self.matter.lame.mu), self.splat(self.matter.lame.lambda));
        let (stress, stiffening) = fixed_corotated_stress(&clamped, mu * factor, lambda * factor);
        let strain = flowed.choose(strain + (squares * (2.0 / 3.0)).sqrt(), strain);
        Principal { stress, kept, volume, strain, stiffening: stiffening * factor, flowed }
    }

    /// [`DruckerPrager`] without cohesion (Nilles 2020, Eq. 89–95).
    #[inline(always)]
    fn sand<const D: usize>(
        &self,
        sand: &DruckerPrager,
        sigma: &Vector<R, D>,
        volume: Lanes<R>,
        strain: Lanes<R>,
    ) -> Principal<R, D> {
        let (zero, one) = (self.splat(0.0), self.splat(1.0));
        let lame = &self.matter.lame;
        let slope = self.slope::<D>(sand, strain);
        let trial = logarithms(sigma);
        let total = sum(&trial);
        let gap = if sand.volume_correction { volume } else { zero };
        let closed = gap.min(-total).max(zero) * (1.0 / D as f32);
        let (mut strains, mut deviator) = (trial, trial);
        for k in 0..D {
            strains[k] = trial[k] + closed;
        }
        let trace = sum(&strains);
        let mean = trace * (1.0 / D as f32);
        for k in 0..D {
            deviator[k] = strains[k] - mean;
        }
        let shear = dot(&deviator, &deviator).sqrt();
        let bulk = self.splat((D as f64 * lame.lambda + 2.0 * lame.mu) / (2.0 * lame.mu));
        let excess = (shear + slope * bulk * trace).max(zero).min(shear);
        // Apart: no strain is left. Sliding: the deviator shrinks. Held: all stays.
        let apart = zero.less(trace);
        let left = one - excess / shear.max(self.splat(1e-30));
        let slid = zero.less(excess);
        let (mut returned, mut kept, mut lost) = (strains, strains, zero);
        for k in 0..D {
            returned[k] = apart.choose(zero, slid.choose(deviator[k] * left + mean, strains[k]));
            lost = lost + (returned[k] - trial[k]).abs();
            kept[k] = (returned[k] - trial[k]).exp();
        }
        let flowed = zero.less(lost);
        let hardening = apart.choose(dot(&strains, &strains).sqrt(), excess);
        let grown = flowed.choose(volume + total - sum(&returned), volume);
        Principal {
            stress: hencky(&returned, self.splat(lame.mu), self.splat(lame.lambda)),
            kept,
            volume: if sand.volume_correction { grown } else { volume },
            strain: strain + hardening,
            stiffening: one,
            flowed,
        }
    }

    /// Steepness of the friction cone: the same for all, or by what each particle has gone through.
    #[inline(always)]
    fn slope<const D: usize>(&self, sand: &DruckerPrager, strain: Lanes<R>) -> Lanes<R> {
        if let Friction::Angle(_) = sand.friction {
            return self.splat(sand.slope::<D>(0.0));
        }
        let mut row = strain.to_array();
        for q in &mut row {
            *q = sand.slope::<D>(f64::from(*q)) as f32;
        }
        Lanes::load(self.registers, &row)
    }
}

/// `τ̂ = 2μ(σ−1)σ + λ(J−1)J`, and how much stiffer the particle is than at rest.
#[inline(always)]
fn fixed_corotated_stress<R: Registers, const D: usize>(
    sigma: &Vector<R, D>,
    mu: Lanes<R>,
    lambda: Lanes<R>,
) -> (Vector<R, D>, Lanes<R>) {
    let j = product(sigma);
    let spread = lambda * (j - 1.0) * j;
    let mut stress = *sigma;
    for value in &mut stress {
        *value = mu * (*value - 1.0) * *value * 2.0 + spread;
    }
    (stress, corotated_stiffening(most(sigma), j))
}

/// `τ̂ = 2μ e + λ tr(e)`
#[inline(always)]
fn hencky<R: Registers, const D: usize>(
    strains: &Vector<R, D>,
    mu: Lanes<R>,
    lambda: Lanes<R>,
) -> Vector<R, D> {
    let spread = lambda * sum(strains);
    let mut stress = *strains;
    for value in &mut stress {
        *value = mu * *value * 2.0 + spread;
    }
    stress
}
