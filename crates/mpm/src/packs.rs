//! Matter in packs: what [`Matter::respond`] does for one particle, for as many as a register holds.
//!
//! Particles of a block are sorted by matter, so packs are of one kind. A particle that is crushed flat, or stretched out
//! of the range of the series, is done again by the exact formula.

use super::constitutive::Matter;
use super::grain::{Grain, widen};
use super::lanes::{LOG_RANGE, Lanes, MOST, Mask};
use super::summary::Summary;
use nalgebra::SMatrix;
use pliant_material::Plastic;
use pliant_material::elastic::Law;
use pliant_material::plastic::{Cohesion, DruckerPrager, Friction, Snow};
use pulp::Simd;

/// Stretches below this are crushed.
const CRUSHED: f32 = 0.05;
/// Columns are orthogonal when the square of their cosine is below this.
const ORTHOGONAL: f32 = 1e-13;
/// Sweeps of Jacobi rotations; three or four are enough in single precision.
const MAX_SWEEPS: usize = 6;

/// A law that packs know.
#[derive(Clone, Copy)]
enum Kind {
    FixedCorotated,
    NeoHookean,
    Hencky,
    Snow(Snow),
    Sand(DruckerPrager),
}

impl Kind {
    fn of(matter: &Matter) -> Option<Self> {
        match (matter.law, matter.plastic) {
            (Law::FixedCorotated, None) => Some(Self::FixedCorotated),
            (Law::NeoHookean, None) => Some(Self::NeoHookean),
            (Law::Hencky, None) => Some(Self::Hencky),
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

/// Deforms particles that are sorted by matter; `gradients` are their velocity gradients.
#[inline(always)]
pub(super) fn respond<S: Simd, const D: usize>(
    simd: S,
    grains: &mut [Grain<f32, D>],
    gradients: &[SMatrix<f32, D, D>],
    (matters, dt): (&[Matter], f64),
) -> Summary {
    let mut summary = Summary::default();
    let mut start = 0;
    while start < grains.len() {
        let of = grains[start].matter;
        let mut end = start + 1;
        while end < grains.len() && end < start + S::F32_LANES && grains[end].matter == of {
            end += 1;
        }
        let (pack, gradients) = (&mut grains[start..end], &gradients[start..end]);
        let matter = &matters[of as usize];
        summary = summary.with(match Kind::of(matter) {
            Some(kind) => Pack { simd, matter, kind, dt: dt as f32 }.respond(pack, gradients),
            None => one_by_one(matter, pack, gradients, dt),
        });
        start = end;
    }
    summary
}

fn one_by_one<const D: usize>(
    matter: &Matter,
    grains: &mut [Grain<f32, D>],
    gradients: &[SMatrix<f32, D, D>],
    dt: f64,
) -> Summary {
    grains.iter_mut().zip(gradients).fold(Summary::default(), |sum, (grain, gradient)| {
        let response = matter.respond(grain, &widen(gradient), dt);
        sum.with(Summary::of(grain, matter, &response))
    })
}

struct Pack<'a, S> {
    simd: S,
    matter: &'a Matter,
    kind: Kind,
    dt: f32,
}

/// One number of each particle of a pack.
type Row = [f32; MOST];

/// A pack as rows: what goes into lanes and what comes out.
struct Rows<const D: usize> {
    elastic: [[Row; D]; D],
    /// Velocity gradients on the way in, stresses on the way out.
    other: [[Row; D]; D],
    volume: Row,
    strain: Row,
    rest: Row,
}

impl<const D: usize> Default for Rows<D> {
    #[inline(always)]
    fn default() -> Self {
        let row = [0.0; MOST];
        Self { elastic: [[row; D]; D], other: [[row; D]; D], volume: row, strain: row, rest: row }
    }
}

/// A vector in every lane.
type Vector<S, const D: usize> = [Lanes<S>; D];
/// A matrix in every lane, by columns.
type Matrix<S, const D: usize> = [[Lanes<S>; D]; D];

/// Principal stretches of a pack and what became of them.
struct Answer<S: Simd, const D: usize> {
    /// Principal Kirchhoff stresses.
    stress: Vector<S, D>,
    /// Share of each stretch that is left when flow has taken its part.
    kept: Vector<S, D>,
    volume: Lanes<S>,
    strain: Lanes<S>,
    /// Factor of the modulus of waves.
    stiffening: Lanes<S>,
    flowed: Mask<S>,
}

impl<S: Simd> Pack<'_, S> {
    #[inline(always)]
    fn splat(&self, value: f64) -> Lanes<S> {
        Lanes::splat(self.simd, value as f32)
    }

    #[inline(always)]
    fn load<const D: usize>(&self, rows: &[[Row; D]; D]) -> Matrix<S, D> {
        let mut matrix = [[self.splat(0.0); D]; D];
        for c in 0..D {
            for r in 0..D {
                matrix[c][r] = Lanes::load(self.simd, &rows[c][r]);
            }
        }
        matrix
    }

    #[inline(always)]
    fn respond<const D: usize>(
        &self,
        grains: &mut [Grain<f32, D>],
        gradients: &[SMatrix<f32, D, D>],
    ) -> Summary {
        let zero = self.splat(0.0);
        let mut rows = Rows::<D>::default();
        for (lane, (grain, gradient)) in grains.iter().zip(gradients).enumerate() {
            let lane = lane % MOST;
            for c in 0..D {
                for r in 0..D {
                    rows.elastic[c][r][lane] = grain.elastic[(r, c)];
                    rows.other[c][r][lane] = gradient[(r, c)];
                }
            }
            (rows.volume[lane], rows.strain[lane]) = (grain.memory_volume, grain.memory_strain);
            rows.rest[lane] = grain.volume;
        }
        let (f, l) = (self.load(&rows.elastic), self.load(&rows.other));
        let (volume, strain) = (Lanes::load(self.simd, &rows.volume), Lanes::load(self.simd, &rows.strain));
        let rest_volume = Lanes::load(self.simd, &rows.rest);
        // F ← F + dt L F
        let mut trial = f;
        for c in 0..D {
            for r in 0..D {
                let mut change = l[0][r] * f[c][0];
                for k in 1..D {
                    change = change + l[k][r] * f[c][k];
                }
                trial[c][r] = f[c][r] + change * self.dt;
            }
        }
        let (axes, squares) = orthogonal(&trial);
        let mut sigma = squares;
        for stretch in &mut sigma {
            *stretch = stretch.sqrt();
        }
        let answer = self.answer(&sigma, volume, strain);
        // τ = Σ τ̂ₖ uₖ uₖᵀ with uₖ the axes over their lengths.
        let mut stress = [[zero; D]; D];
        for k in 0..D {
            let weight = answer.stress[k] * rest_volume / squares[k];
            for c in 0..D {
                let along = weight * axes[k][c];
                for r in 0..D {
                    stress[c][r] = stress[c][r] + along * axes[k][r];
                }
            }
        }
        let elastic = if answer.flowed.any() { kept(&trial, &axes, &squares, &answer) } else { trial };
        let wrong = self.out_of_range(&sigma, &determinant(&trial));
        self.store(grains, gradients, (&elastic, &stress), &answer, wrong)
    }

    /// Writes a pack back; particles whose numbers are out of range are done one by one.
    #[inline(always)]
    fn store<const D: usize>(
        &self,
        grains: &mut [Grain<f32, D>],
        gradients: &[SMatrix<f32, D, D>],
        (elastic, stress): (&Matrix<S, D>, &Matrix<S, D>),
        answer: &Answer<S, D>,
        wrong: Mask<S>,
    ) -> Summary {
        let (zero, one) = (self.splat(0.0), self.splat(1.0));
        let is_wrong = wrong.choose(one, zero).to_array();
        let flowed = answer.flowed.choose(one, zero).to_array();
        let speed = (answer.stiffening
            * self.splat(self.matter.law.wave_modulus(&self.matter.lame) / self.matter.density))
        .sqrt()
        .to_array();
        let mut rows = Rows::<D>::default();
        for c in 0..D {
            for r in 0..D {
                rows.elastic[c][r] = elastic[c][r].to_array();
                rows.other[c][r] = stress[c][r].to_array();
            }
        }
        (rows.volume, rows.strain) = (answer.volume.to_array(), answer.strain.to_array());
        let mut summary = Summary::default();
        for (lane, (grain, gradient)) in grains.iter_mut().zip(gradients).enumerate() {
            let lane = lane % MOST;
            if is_wrong[lane] != 0.0 {
                let response = self.matter.respond(grain, &widen(gradient), f64::from(self.dt));
                summary = summary.with(Summary::of(grain, self.matter, &response));
                continue;
            }
            for column in 0..D {
                for row in 0..D {
                    grain.elastic[(row, column)] = rows.elastic[column][row][lane];
                    grain.stress[(row, column)] = rows.other[column][row][lane];
                }
            }
            (grain.memory_volume, grain.memory_strain) = (rows.volume[lane], rows.strain[lane]);
            summary = summary.with(Summary {
                signal_speed: f64::from(speed[lane] + grain.velocity.norm()),
                wave_speed: f64::from(speed[lane]),
                yielding: usize::from(flowed[lane] != 0.0),
                ..Summary::default()
            });
        }
        summary
    }

    /// Particles that the formulas of packs do not serve: crushed, inside out, or strained far.
    #[inline(always)]
    fn out_of_range<const D: usize>(&self, sigma: &Vector<S, D>, volume: &Lanes<S>) -> Mask<S> {
        let crushed = self.splat(f64::from(CRUSHED));
        let flat = least(sigma).less(crushed).or(volume.less(crushed));
        let (low, high) = (self.splat(f64::from(LOG_RANGE.0)), self.splat(f64::from(LOG_RANGE.1)));
        match self.kind {
            Kind::FixedCorotated | Kind::Snow(_) => flat,
            Kind::NeoHookean => flat.or(volume.less(low)).or(high.less(*volume)),
            Kind::Hencky | Kind::Sand(_) => flat.or(least(sigma).less(low)).or(high.less(most(sigma))),
        }
    }

    #[inline(always)]
    fn answer<const D: usize>(
        &self,
        sigma: &Vector<S, D>,
        volume: Lanes<S>,
        strain: Lanes<S>,
    ) -> Answer<S, D> {
        let (mu, lambda) = (self.splat(self.matter.lame.mu), self.splat(self.matter.lame.lambda));
        let one = self.splat(1.0);
        let (stress, stiffening) = match self.kind {
            Kind::Snow(snow) => return self.snow(&snow, sigma, volume, strain),
            Kind::Sand(sand) => return self.sand(&sand, sigma, volume, strain),
            Kind::FixedCorotated => fixed_corotated(sigma, mu, lambda),
            Kind::NeoHookean => neo_hookean(sigma, mu, lambda),
            Kind::Hencky => (hencky(&logarithms(sigma), mu, lambda), one),
        };
        Answer { stress, kept: [one; D], volume, strain, stiffening, flowed: one.less(one) }
    }

    /// [`Snow`]: stretches are clamped, what is cut off hardens (Nilles 2020, Eq. 84–88).
    #[inline(always)]
    fn snow<const D: usize>(
        &self,
        snow: &Snow,
        sigma: &Vector<S, D>,
        volume: Lanes<S>,
        strain: Lanes<S>,
    ) -> Answer<S, D> {
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
        let (stress, stiffening) = fixed_corotated(&clamped, mu * factor, lambda * factor);
        let strain = flowed.choose(strain + (squares * (2.0 / 3.0)).sqrt(), strain);
        Answer { stress, kept, volume, strain, stiffening: stiffening * factor, flowed }
    }

    /// [`DruckerPrager`] without cohesion (Nilles 2020, Eq. 89–95).
    #[inline(always)]
    fn sand<const D: usize>(
        &self,
        sand: &DruckerPrager,
        sigma: &Vector<S, D>,
        volume: Lanes<S>,
        strain: Lanes<S>,
    ) -> Answer<S, D> {
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
        Answer {
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
    fn slope<const D: usize>(&self, sand: &DruckerPrager, strain: Lanes<S>) -> Lanes<S> {
        if let Friction::Angle(_) = sand.friction {
            return self.splat(sand.slope::<D>(0.0));
        }
        let mut row = strain.to_array();
        for q in &mut row {
            *q = sand.slope::<D>(f64::from(*q)) as f32;
        }
        Lanes::load(self.simd, &row)
    }
}

/// `τ̂ = 2μ(σ−1)σ + λ(J−1)J`, and how much stiffer the particle is than at rest.
#[inline(always)]
fn fixed_corotated<S: Simd, const D: usize>(
    sigma: &Vector<S, D>,
    mu: Lanes<S>,
    lambda: Lanes<S>,
) -> (Vector<S, D>, Lanes<S>) {
    let j = product(sigma);
    let spread = lambda * (j - 1.0) * j;
    let mut stress = *sigma;
    for value in &mut stress {
        *value = mu * (*value - 1.0) * *value * 2.0 + spread;
    }
    let (stretch, one) = (most(sigma), j.like(1.0));
    (stress, (stretch * stretch * 2.0 - stretch).max(j * j * 2.0 - j).max(one))
}

/// `τ̂ = μ(σ²−1) + λ ln J`, and how much stiffer the particle is than at rest.
#[inline(always)]
fn neo_hookean<S: Simd, const D: usize>(
    sigma: &Vector<S, D>,
    mu: Lanes<S>,
    lambda: Lanes<S>,
) -> (Vector<S, D>, Lanes<S>) {
    let j = product(sigma);
    let spread = lambda * j.ln();
    let mut stress = *sigma;
    for value in &mut stress {
        *value = mu * (*value * *value - 1.0) + spread;
    }
    let (stretch, one) = (most(sigma), j.like(1.0));
    (stress, (stretch * stretch).max(one))
}

/// `τ̂ = 2μ e + λ tr(e)`
#[inline(always)]
fn hencky<S: Simd, const D: usize>(strains: &Vector<S, D>, mu: Lanes<S>, lambda: Lanes<S>) -> Vector<S, D> {
    let spread = lambda * sum(strains);
    let mut stress = *strains;
    for value in &mut stress {
        *value = mu * *value * 2.0 + spread;
    }
    stress
}

#[inline(always)]
fn logarithms<S: Simd, const D: usize>(sigma: &Vector<S, D>) -> Vector<S, D> {
    let mut logs = *sigma;
    for value in &mut logs {
        *value = value.ln();
    }
    logs
}

#[inline(always)]
fn sum<S: Simd, const D: usize>(a: &Vector<S, D>) -> Lanes<S> {
    let mut sum = a[0];
    for value in &a[1..] {
        sum = sum + *value;
    }
    sum
}

#[inline(always)]
fn product<S: Simd, const D: usize>(a: &Vector<S, D>) -> Lanes<S> {
    let mut product = a[0];
    for value in &a[1..] {
        product = product * *value;
    }
    product
}

#[inline(always)]
fn least<S: Simd, const D: usize>(a: &Vector<S, D>) -> Lanes<S> {
    let mut least = a[0];
    for value in &a[1..] {
        least = least.min(*value);
    }
    least
}

#[inline(always)]
fn most<S: Simd, const D: usize>(a: &Vector<S, D>) -> Lanes<S> {
    let mut most = a[0];
    for value in &a[1..] {
        most = most.max(*value);
    }
    most
}

#[inline(always)]
fn dot<S: Simd, const D: usize>(a: &Vector<S, D>, b: &Vector<S, D>) -> Lanes<S> {
    let mut sum = a[0] * b[0];
    for k in 1..D {
        sum = sum + a[k] * b[k];
    }
    sum
}

#[inline(always)]
fn determinant<S: Simd, const D: usize>(m: &Matrix<S, D>) -> Lanes<S> {
    if D == 2 {
        return m[0][0] * m[1][1] - m[1][0] * m[0][1];
    }
    let (a, b, c) = (&m[0], &m[1], &m[D - 1]);
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Turns the columns of a matrix until they are orthogonal (Hestenes 1958): they are then the principal axes times their
/// stretches. Returns them and the squares of their lengths.
#[inline(always)]
fn orthogonal<S: Simd, const D: usize>(m: &Matrix<S, D>) -> (Matrix<S, D>, Vector<S, D>) {
    let mut axes = *m;
    for _ in 0..MAX_SWEEPS {
        let mut moved = turn(&mut axes, 0, 1);
        if D == 3 {
            moved |= turn(&mut axes, 0, D - 1);
            moved |= turn(&mut axes, 1, D - 1);
        }
        if !moved {
            break;
        }
    }
    let mut squares = axes[0];
    for k in 0..D {
        squares[k] = dot(&axes[k], &axes[k]);
    }
    (axes, squares)
}

/// One Jacobi rotation of columns `p` and `q` in the lanes that need it; whether any did. Lanes that do not are left
/// alone, so that their numbers do not depend on who shares the register.
#[inline(always)]
fn turn<S: Simd, const D: usize>(axes: &mut Matrix<S, D>, p: usize, q: usize) -> bool {
    let (a, b) = (axes[p], axes[q]);
    let (alpha, beta, gamma) = (dot(&a, &a), dot(&b, &b), dot(&a, &b));
    let needed = (alpha * beta * ORTHOGONAL).less(gamma * gamma);
    if !needed.any() {
        return false;
    }
    let (zero, one) = (alpha.like(0.0), alpha.like(1.0));
    let zeta = (beta - alpha) / needed.choose(gamma * 2.0, one);
    let size = one / (zeta.abs() + (zeta * zeta + 1.0).sqrt());
    let t = needed.choose(zeta.less(zero).choose(-size, size), zero);
    let c = one / (t * t + 1.0).sqrt();
    let s = c * t;
    for row in 0..D {
        axes[p][row] = needed.choose(c * a[row] - s * b[row], a[row]);
        axes[q][row] = needed.choose(s * a[row] + c * b[row], b[row]);
    }
    true
}

/// `U Σ' Vᵀ = Σₖ (σ'ₖ/σₖ) uₖ uₖᵀ F` where flow took part of the stretches; as it was where it did not.
#[inline(always)]
fn kept<S: Simd, const D: usize>(
    trial: &Matrix<S, D>,
    axes: &Matrix<S, D>,
    squares: &Vector<S, D>,
    answer: &Answer<S, D>,
) -> Matrix<S, D> {
    let mut elastic = *trial;
    let mut weights = *squares;
    for k in 0..D {
        weights[k] = answer.kept[k] / squares[k];
    }
    for c in 0..D {
        let mut column = trial[c];
        for k in 0..D {
            let along = weights[k] * dot(&axes[k], &trial[c]);
            for r in 0..D {
                column[r] = if k == 0 { along * axes[k][r] } else { column[r] + along * axes[k][r] };
            }
        }
        for r in 0..D {
            elastic[c][r] = answer.flowed.choose(column[r], trial[c][r]);
        }
    }
    elastic
}
