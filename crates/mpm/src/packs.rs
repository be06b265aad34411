//! Matter in packs: what [`Matter::respond`] does for one particle, for sixteen.
//!
//! Particles of a block are sorted by matter, so packs are nearly always of one kind. A particle that is crushed flat, or
//! stretched out of the range of the series, is done again by the exact formula.

use super::constitutive::{FLUID_RANGE, Matter};
use super::grain::{Pack, beside, widen};
use super::kernel::Number;
use super::lanes::{LANES, LOG_RANGE, Lanes, Mask, Registers, Row, Task};
use super::polar::rotation;
use super::principal::{determinant, dot, kept, least, logarithms, most, orthogonal, product, sum};
use super::scalar::Scalar;
use super::summary::Summary;
use super::to_particles::Taken;
use pliant_material::Plastic;
use pliant_material::elastic::{EquationOfState, Fluid, Law};
use pliant_material::plastic::{Cohesion, DruckerPrager, Friction, Snow};
use std::ops::Range;

/// Stretches below this are crushed.
const CRUSHED: f32 = 0.05;

/// A law that packs know.
#[derive(Clone, Copy)]
enum Kind {
    FixedCorotated,
    NeoHookean,
    Hencky,
    Fluid(Fluid),
    Snow(Snow),
    Sand(DruckerPrager),
}

impl Kind {
    fn of(matter: &Matter) -> Option<Self> {
        match (matter.law, matter.plastic) {
            (Law::FixedCorotated, None) => Some(Self::FixedCorotated),
            (Law::NeoHookean, None) => Some(Self::NeoHookean),
            (Law::Hencky, None) => Some(Self::Hencky),
            (Law::Fluid(fluid), _) => match fluid.state {
                EquationOfState::Tait { exponent } if whole(exponent).is_none() => None,
                _ => Some(Self::Fluid(fluid)),
            },
            (Law::FixedCorotated, Some(Plastic::Snow(snow))) => Some(Self::Snow(snow)),
            (Law::Hencky, Some(Plastic::DruckerPrager(sand)))
                if matches!(sand.cohesion, Cohesion::Stress(0.0) | Cohesion::Strain(0.0)) =>
            {
                Some(Self::Sand(sand))
            }
            _ => None,
        }
    }
}

/// A whole exponent, as the 7 of water is.
fn whole(exponent: f64) -> Option<u32> {
    (exponent.fract() == 0.0 && (1.0..=16.0).contains(&exponent)).then_some(exponent as u32)
}

/// Deforms so many particles of a pack, each stretch of one matter on its own.
#[inline(always)]
pub(super) fn respond<R: Registers, const D: usize>(
    registers: R,
    (pack, count): (&mut Pack<f32, D>, usize),
    taken: &Taken<f32, D>,
    (matters, dt): (&[Matter], f64),
) -> Summary {
    let mut summary = Summary::default();
    let mut start = 0;
    while start < count {
        let of = pack.matter[start];
        let mut end = start + 1;
        while end < count && pack.matter[end] == of {
            end += 1;
        }
        let matter = &matters[of as usize];
        summary = summary.with(match Kind::of(matter) {
            Some(kind) => {
                registers.call(Respond { matter, kind, dt, pack: &mut *pack, range: start..end, taken })
            }
            None => one_by_one((pack, start..end), taken, (matters, dt)),
        });
        start = end;
    }
    summary
}

/// Deforms particles of a pack by the exact formula.
pub(super) fn one_by_one<T: Scalar, const D: usize>(
    (pack, range): (&mut Pack<T, D>, Range<usize>),
    taken: &Taken<T, D>,
    (matters, dt): (&[Matter], f64),
) -> Summary {
    range.fold(Summary::default(), |sum, lane| {
        let mut grain = pack.get(lane, 0);
        let matter = &matters[grain.matter as usize];
        let response = matter.respond(&mut grain, &widen(&taken.gradient_of(lane)), dt);
        pack.set(lane, &grain);
        sum.with(Summary::of(&grain, matter, &response))
    })
}

/// A vector in every lane.
pub(super) type Vector<R, const D: usize> = [Lanes<R>; D];
/// A matrix in every lane, by columns.
pub(super) type Matrix<R, const D: usize> = [[Lanes<R>; D]; D];

/// A symmetric matrix in every lane: its diagonal, and the rest at [`beside`].
#[derive(Clone, Copy)]
struct Symmetric<R: Registers, const D: usize> {
    diagonal: Vector<R, D>,
    beside: Vector<R, D>,
}

/// What became of the particles of a lot.
struct Answer<R: Registers, const D: usize> {
    elastic: Matrix<R, D>,
    /// Kirchhoff stress.
    stress: Symmetric<R, D>,
    volume: Lanes<R>,
    strain: Lanes<R>,
    /// Factor of the modulus of waves, or more.
    stiffening: Lanes<R>,
    flowed: Mask<R>,
    /// Particles that formulas of lanes do not serve.
    wrong: Mask<R>,
}

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

/// Particles of one matter that are to be deformed.
struct Respond<'a, const D: usize> {
    matter: &'a Matter,
    kind: Kind,
    dt: f64,
    pack: &'a mut Pack<f32, D>,
    range: Range<usize>,
    taken: &'a Taken<f32, D>,
}

impl<const D: usize> Task for Respond<'_, D> {
    type Output = Summary;

    #[inline(always)]
    fn run<R: Registers>(self, registers: R) -> Summary {
        let lot = Lot { registers, matter: self.matter, kind: self.kind, dt: self.dt };
        lot.respond(self.pack, self.range, self.taken)
    }
}

/// A law at work in lanes.
struct Lot<'a, R> {
    registers: R,
    matter: &'a Matter,
    kind: Kind,
    dt: f64,
}

#[inline(always)]
fn load<R: Registers, const D: usize>(registers: R, rows: &[[Row<f32>; D]; D]) -> Matrix<R, D> {
    let mut matrix = [[Lanes::splat(registers, 0.0); D]; D];
    for c in 0..D {
        for r in 0..D {
            matrix[c][r] = Lanes::load(registers, &rows[c][r]);
        }
    }
    matrix
}

/// `A Bᵀ`, of which only one side of the diagonal is looked at.
#[inline(always)]
fn product_transposed<R: Registers, const D: usize>(a: &Matrix<R, D>, b: &Matrix<R, D>) -> Symmetric<R, D> {
    let mut result = Symmetric { diagonal: a[0], beside: a[0] };
    for r in 0..D {
        for c in r..D {
            let mut sum = a[0][r] * b[0][c];
            for k in 1..D {
                sum = sum + a[k][r] * b[k][c];
            }
            if r == c {
                result.diagonal[r] = sum;
            } else {
                result.beside[beside(D, r, c)] = sum;
            }
        }
    }
    result
}

impl<R: Registers> Lot<'_, R> {
    #[inline(always)]
    fn splat(&self, value: f64) -> Lanes<R> {
        Lanes::splat(self.registers, value as f32)
    }

    #[inline(always)]
    fn moduli(&self) -> (Lanes<R>, Lanes<R>) {
        (self.splat(self.matter.lame.mu), self.splat(self.matter.lame.lambda))
    }

    #[inline(always)]
    fn respond<const D: usize>(
        &self,
        pack: &mut Pack<f32, D>,
        range: Range<usize>,
        taken: &Taken<f32, D>,
    ) -> Summary {
        let answer = match self.kind {
            Kind::Fluid(fluid) => self.fluid(&fluid, pack, taken),
            Kind::NeoHookean => self.neo_hookean(pack, &self.trial(pack, taken)),
            Kind::FixedCorotated => self.fixed_corotated(pack, &self.trial(pack, taken)),
            Kind::Hencky | Kind::Snow(_) | Kind::Sand(_) => self.by_axes(pack, &self.trial(pack, taken)),
        };
        self.store(pack, range, taken, &answer)
    }

    /// `F + dt L F`
    #[inline(always)]
    fn trial<const D: usize>(&self, pack: &Pack<f32, D>, taken: &Taken<f32, D>) -> Matrix<R, D> {
        let (f, l) = (load(self.registers, &pack.elastic), load(self.registers, &taken.gradient));
        let dt = self.splat(self.dt);
        let mut trial = f;
        for c in 0..D {
            for r in 0..D {
                let mut change = l[0][r] * f[c][0];
                for k in 1..D {
                    change = change + l[k][r] * f[c][k];
                }
                trial[c][r] = f[c][r] + change * dt;
            }
        }
        trial
    }

    /// An answer of matter that does not flow.
    #[inline(always)]
    fn elastic<const D: usize>(
        &self,
        pack: &Pack<f32, D>,
        elastic: Matrix<R, D>,
        stress: Symmetric<R, D>,
        (stiffening, wrong): (Lanes<R>, Mask<R>),
    ) -> Answer<R, D> {
        let volume = Lanes::load(self.registers, &pack.memory_volume);
        let strain = Lanes::load(self.registers, &pack.memory_strain);
        Answer { elastic, stress, volume, strain, stiffening, flowed: strain.less(strain), wrong }
    }

    /// `τ = −p J I + J η (L + Lᵀ − ⅔ tr L I)` (Nilles 2020, Eq. 80–83)
    #[inline(always)]
    fn fluid<const D: usize>(
        &self,
        fluid: &Fluid,
        pack: &Pack<f32, D>,
        taken: &Taken<f32, D>,
    ) -> Answer<R, D> {
        let l = load(self.registers, &taken.gradient);
        let mut spread = l[0][0];
        for axis in 1..D {
            spread = spread + l[axis][axis];
        }
        let before = Lanes::load(self.registers, &pack.memory_volume);
        let (low, high) = (self.splat(FLUID_RANGE.0), self.splat(FLUID_RANGE.1));
        let j = (before * (spread * (self.dt as f32) + 1.0)).max(low).min(high);
        let bulk = self.splat(fluid.bulk_modulus);
        let (pressure, stiffness) = match fluid.state {
            EquationOfState::Linear => (bulk * (j.like(1.0) - j), bulk * (j * j * 2.0 - j)),
            EquationOfState::Tait { exponent } => {
                let power = power(j.like(1.0) / j, whole(exponent).unwrap_or(1));
                (bulk * (power - 1.0), bulk * (power * (exponent as f32 - 1.0) + 1.0) * j)
            }
        };
        let push = j * pressure;
        let friction = j * fluid.viscosity as f32;
        let mut stress = Symmetric { diagonal: [push; D], beside: [push; D] };
        for r in 0..D {
            stress.diagonal[r] = friction * (l[r][r] * 2.0 - spread * (2.0 / 3.0)) - push;
            for c in r + 1..D {
                stress.beside[beside(D, r, c)] = friction * (l[c][r] + l[r][c]);
            }
        }
        let at_rest = self.matter.law.wave_modulus(&self.matter.lame);
        let stiffening = (stiffness * (1.0 / at_rest) as f32).max(j.like(1.0));
        let elastic = load(self.registers, &pack.elastic);
        let answer = self.elastic(pack, elastic, stress, (stiffening, j.less(j)));
        Answer { volume: j, ..answer }
    }

    /// `τ = μ(F Fᵀ − I) + λ ln J I`
    #[inline(always)]
    fn neo_hookean<const D: usize>(&self, pack: &Pack<f32, D>, trial: &Matrix<R, D>) -> Answer<R, D> {
        let (mu, lambda) = self.moduli();
        let j = determinant(trial);
        let wrong = j.less(self.splat(f64::from(LOG_RANGE.0))).or(self.splat(f64::from(LOG_RANGE.1)).less(j));
        let spread = lambda * j.ln();
        let mut stress = product_transposed(trial, trial);
        // The largest square of a stretch is at most 1 + |F Fᵀ − I|.
        let mut squares = self.splat(0.0);
        for r in 0..D {
            let excess = stress.diagonal[r] - 1.0;
            squares = squares + excess * excess;
            stress.diagonal[r] = mu * excess + spread;
        }
        for k in if D == 2 { 1..D } else { 0..D } {
            let shear = stress.beside[k];
            squares = squares + shear * shear * 2.0;
            stress.beside[k] = mu * shear;
        }
        self.elastic(pack, *trial, stress, (squares.sqrt() + 1.0, wrong))
    }

    /// `τ = 2μ(F − R)Fᵀ + λ(J − 1)J I`
    #[inline(always)]
    fn fixed_corotated<const D: usize>(&self, pack: &Pack<f32, D>, trial: &Matrix<R, D>) -> Answer<R, D> {
        let (mu, lambda) = self.moduli();
        let j = determinant(trial);
        let (rotation, lost) = rotation(trial);
        let mut stretched = *trial;
        // The largest stretch is at most 1 + |F − R|.
        let mut squares = self.splat(0.0);
        for c in 0..D {
            for r in 0..D {
                stretched[c][r] = trial[c][r] - rotation[c][r];
                squares = squares + stretched[c][r] * stretched[c][r];
            }
        }
        let mut stress = product_transposed(&stretched, trial);
        let (twice, spread) = (mu * 2.0, lambda * (j - 1.0) * j);
        for k in 0..D {
            stress.diagonal[k] = stress.diagonal[k] * twice + spread;
            stress.beside[k] = stress.beside[k] * twice;
        }
        let wrong = lost.or(j.less(self.splat(f64::from(CRUSHED))));
        let stiffening = corotated_stiffening(squares.sqrt() + 1.0, j);
        self.elastic(pack, *trial, stress, (stiffening, wrong))
    }

    /// Laws that are written in principal stretches.
    #[inline(always)]
    fn by_axes<const D: usize>(&self, pack: &Pack<f32, D>, trial: &Matrix<R, D>) -> Answer<R, D> {
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
        Answer {
            elastic: if answer.flowed.any() { kept(trial, &axes, &squares, &answer) } else { *trial },
            stress: product_transposed(&weighted, &axes),
            volume: answer.volume,
            strain: answer.strain,
            stiffening: answer.stiffening,
            flowed: answer.flowed,
            wrong: self.out_of_range(&sigma, determinant(trial)),
        }
    }

    /// Writes a lot back; particles whose numbers are out of range are done one by one.
    #[inline(always)]
    fn store<const D: usize>(
        &self,
        pack: &mut Pack<f32, D>,
        range: Range<usize>,
        taken: &Taken<f32, D>,
        answer: &Answer<R, D>,
    ) -> Summary {
        let (zero, one) = (self.splat(0.0), self.splat(1.0));
        let mut owned = [0.0; LANES];
        owned[range.clone()].fill(1.0);
        let owned = zero.less(Lanes::load(self.registers, &owned));
        // What is not right stays as it was.
        let right = answer.wrong.choose(zero, owned.choose(one, zero));
        let written = zero.less(right);
        let rest = Lanes::load(self.registers, &pack.volume);
        for c in 0..D {
            for r in 0..D {
                written.write(&mut pack.elastic[c][r], answer.elastic[c][r]);
            }
            written.write(&mut pack.stress[c], answer.stress.diagonal[c] * rest);
            written.write(&mut pack.shear[c], answer.stress.beside[c] * rest);
        }
        written.write(&mut pack.memory_volume, answer.volume);
        written.write(&mut pack.memory_strain, answer.strain);
        let modulus = self.matter.law.wave_modulus(&self.matter.lame) / self.matter.density;
        let wave = (answer.stiffening * modulus as f32).sqrt();
        let mut squares = zero;
        for axis in 0..D {
            let velocity = Lanes::load(self.registers, &pack.velocity[axis]);
            squares = squares + velocity * velocity;
        }
        let summary = Summary {
            signal_speed: highest(written.choose(wave + squares.sqrt(), zero)),
            wave_speed: highest(written.choose(wave, zero)),
            viscosity: self.matter.kinematic_viscosity(),
            yielding: answer.flowed.choose(right, zero).to_array().iter().sum::<f32>() as usize,
            travel: 0.0,
        };
        let is_wrong = zero.less(answer.wrong.choose(owned.choose(one, zero), zero));
        if is_wrong.any() { summary.with(self.again(pack, taken, is_wrong)) } else { summary }
    }

    /// Particles that formulas of lanes do not serve.
    #[cold]
    fn again<const D: usize>(
        &self,
        pack: &mut Pack<f32, D>,
        taken: &Taken<f32, D>,
        which: Mask<R>,
    ) -> Summary {
        let which = which.choose(self.splat(1.0), self.splat(0.0)).to_array();
        (0..LANES).filter(|lane| which[*lane] != 0.0).fold(Summary::default(), |sum, lane| {
            let mut grain = pack.get(lane, 0);
            let response = self.matter.respond(&mut grain, &widen(&taken.gradient_of(lane)), self.dt);
            pack.set(lane, &grain);
            sum.with(Summary::of(&grain, self.matter, &response))
        })
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
            Kind::Snow(snow) => self.snow(&snow, sigma, volume, strain),
            Kind::Sand(sand) => self.sand(&sand, sigma, volume, strain),
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

/// How much stiffer co-rotated matter is than at rest.
#[inline(always)]
fn corotated_stiffening<R: Registers>(stretch: Lanes<R>, j: Lanes<R>) -> Lanes<R> {
    (stretch * stretch * 2.0 - stretch).max(j * j * 2.0 - j).max(j.like(1.0))
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

/// A power with a whole exponent.
#[inline(always)]
fn power<R: Registers>(base: Lanes<R>, mut exponent: u32) -> Lanes<R> {
    let (mut result, mut square) = (base.like(1.0), base);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * square;
        }
        square = square * square;
        exponent /= 2;
    }
    result
}

/// The largest number of the lanes.
#[inline(always)]
fn highest<R: Registers>(values: Lanes<R>) -> f64 {
    let mut most = 0.0;
    for value in values.to_array() {
        most = if value > most { value } else { most };
    }
    f64::from(most)
}
