//! Matter in packs: what [`Matter::respond`] does for one particle, for sixteen.
//!
//! Particles of a block are sorted by matter, so packs are nearly always of one kind. A particle that is crushed flat, or
//! stretched out of the range of the series, is done again by the exact formula.

#![allow(clippy::needless_range_loop, reason = "lanes and axes are counted: iterators hide which is which")]

use super::constitutive::Matter;
use super::grain::{Pack, beside, widen};
use super::lanes::{Lanes, Mask};
use super::registers::{LANES, Registers, Row, Task, positive};
use super::scalar::Scalar;
use super::summary::Summary;
use super::to_particles::Taken;
use pliant_material::Plastic;
use pliant_material::elastic::{EquationOfState, Fluid, Law};
use pliant_material::plastic::{Cohesion, DruckerPrager, Snow};
use std::ops::Range;

/// Stretches below this are crushed.
pub(super) const CRUSHED: f32 = 0.05;

/// A law that packs know.
#[derive(Clone, Copy)]
pub(super) enum Kind<'a> {
    FixedCorotated,
    NeoHookean,
    Hencky,
    Fluid(&'a Fluid),
    Snow(&'a Snow),
    Sand(&'a DruckerPrager),
}

impl<'a> Kind<'a> {
    fn of(matter: &'a Matter) -> Option<Self> {
        match (&matter.law, &matter.plastic) {
            _ if matter.tear_stretch.is_finite() => None,
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
pub(super) fn whole(exponent: f64) -> Option<u32> {
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
        let end = if is_all(&pack.matter, of) { count } else { end_of(&pack.matter[..count], start) };
        let of_one_matter = Respond { matters, dt, pack: &mut *pack, range: start..end, taken };
        summary = summary.with(registers.call(of_one_matter));
        start = end;
    }
    summary
}

/// Whether all lanes are of one matter, asked of all at once.
#[inline(always)]
fn is_all(matters: &Row<u32>, of: u32) -> bool {
    let mut others = 0;
    for matter in matters {
        others |= matter ^ of;
    }
    others == 0
}

/// Where the stretch of one matter ends.
fn end_of(matters: &[u32], start: usize) -> usize {
    let same = matters[start..].iter().take_while(|matter| **matter == matters[start]);
    start + same.count()
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
pub(super) struct Symmetric<R: Registers, const D: usize> {
    pub diagonal: Vector<R, D>,
    pub beside: Vector<R, D>,
}

/// What became of the particles of a lot.
pub(super) struct Answer<R: Registers, const D: usize> {
    /// Deformation, if it is remembered.
    pub elastic: Option<Matrix<R, D>>,
    /// Kirchhoff stress.
    pub stress: Symmetric<R, D>,
    /// Volume that is remembered, if it is not as it was; memory that is not written costs nothing.
    pub volume: Option<Lanes<R>>,
    /// Strain that is remembered, if it is not as it was.
    pub strain: Option<Lanes<R>>,
    /// Factor of the modulus of waves, or more.
    pub stiffening: Lanes<R>,
    pub flowed: Mask<R>,
    /// Particles that formulas of lanes do not serve.
    pub wrong: Mask<R>,
}

/// Particles of one matter that are to be deformed.
struct Respond<'a, const D: usize> {
    matters: &'a [Matter],
    dt: f64,
    pack: &'a mut Pack<f32, D>,
    range: Range<usize>,
    taken: &'a Taken<f32, D>,
}

impl<const D: usize> Task for Respond<'_, D> {
    type Output = Summary;

    #[inline(always)]
    fn run<R: Registers>(self, registers: R) -> Summary {
        let Self { matters, dt, pack, range, taken } = self;
        let matter = &matters[pack.matter[range.start] as usize];
        match Kind::of(matter) {
            Some(kind) => Lot { registers, matter, kind, dt }.respond(pack, range, taken),
            None => one_by_one((pack, range), taken, (matters, dt)),
        }
    }
}

/// A law at work in lanes.
pub(super) struct Lot<'a, R> {
    pub registers: R,
    pub matter: &'a Matter,
    pub kind: Kind<'a>,
    pub dt: f64,
}

#[inline(always)]
pub(super) fn load<R: Registers, const D: usize>(registers: R, rows: &[[Row<f32>; D]; D]) -> Matrix<R, D> {
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
pub(super) fn product_transposed<R: Registers, const D: usize>(
    a: &Matrix<R, D>,
    b: &Matrix<R, D>,
) -> Symmetric<R, D> {
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
    pub fn splat(&self, value: f64) -> Lanes<R> {
        Lanes::splat(self.registers, value as f32)
    }

    #[inline(always)]
    pub fn moduli(&self) -> (Lanes<R>, Lanes<R>) {
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
            Kind::Fluid(fluid) => self.fluid(fluid, pack, taken),
            Kind::NeoHookean => self.neo_hookean(&self.trial(pack, taken)),
            Kind::FixedCorotated => self.fixed_corotated(&self.trial(pack, taken)),
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
    pub fn elastic<const D: usize>(
        &self,
        elastic: Matrix<R, D>,
        stress: Symmetric<R, D>,
        (stiffening, wrong): (Lanes<R>, Mask<R>),
    ) -> Answer<R, D> {
        let flowed = stiffening.less(stiffening);
        Answer { elastic: Some(elastic), stress, volume: None, strain: None, stiffening, flowed, wrong }
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
        let zero = self.splat(0.0);
        let owned = self.ones_in(range);
        // What is not right stays as it was.
        let right = answer.wrong.choose(zero, owned);
        let written = zero.less(right);
        let rest = Lanes::load(self.registers, &pack.volume);
        for c in 0..D {
            if let Some(elastic) = &answer.elastic {
                for r in 0..D {
                    written.write(&mut pack.elastic[c][r], elastic[c][r]);
                }
            }
            written.write(&mut pack.stress[c], answer.stress.diagonal[c] * rest);
        }
        for k in if D == 2 { 1..D } else { 0..D } {
            written.write(&mut pack.shear[k], answer.stress.beside[k] * rest);
        }
        if let Some(volume) = answer.volume {
            written.write(&mut pack.memory_volume, volume);
        }
        if let Some(strain) = answer.strain {
            written.write(&mut pack.memory_strain, strain);
        }
        let modulus = self.matter.law.wave_modulus(&self.matter.lame) / self.matter.density;
        let wave = (answer.stiffening * modulus as f32).sqrt();
        let mut squares = zero;
        for axis in 0..D {
            let velocity = Lanes::load(self.registers, &pack.velocity[axis]);
            squares = squares + velocity * velocity;
        }
        let summary = Summary {
            signal_speed: f64::from(written.choose(wave + squares.sqrt(), zero).highest()),
            wave_speed: f64::from(written.choose(wave, zero).highest()),
            viscosity: self.matter.kinematic_viscosity(),
            yielding: if answer.flowed.any() {
                positive(&answer.flowed.choose(right, zero).to_array())
            } else {
                0
            },
            travel: 0.0,
        };
        let is_wrong = zero.less(answer.wrong.choose(owned, zero));
        if is_wrong.any() { summary.with(self.again(pack, taken, is_wrong)) } else { summary }
    }

    /// One in the lanes of a range, zero in the others.
    #[inline(always)]
    fn ones_in(&self, range: Range<usize>) -> Lanes<R> {
        let mut numbers = [0.0; LANES];
        for lane in 0..LANES {
            numbers[lane] = lane as f32;
        }
        let numbers = Lanes::load(self.registers, &numbers);
        let (zero, one) = (self.splat(0.0), self.splat(1.0));
        let up_to_end = numbers.less(self.splat(range.end as f64)).choose(one, zero);
        numbers.less(self.splat(range.start as f64)).choose(zero, up_to_end)
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
}
