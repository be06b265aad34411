//! Large bending of a slender beam.

use super::backward_euler;
use super::statics::BENDING_PENALTY;
use crate::stage::{GRAVITY, Run, accelerate, elastic, hold, lattice, world_of};
use crate::{Findings, Measure, Resolution, Tolerance};
use pliant_math::Vec3;
use pliant_solver::StepError;
use pliant_zhou::Zhou2013Settings;
use pliant_zhou::zhou2013::Preconditioner;

const DENSITY: f64 = 1000.0;
const THICKNESS: f64 = 0.1;
/// Weight times the square of the length over the bending stiffness, `qL³/EI`: bends the end down by a third of the length.
const LOAD: f64 = 3.0;
/// Layers that are held.
const CLAMPED: usize = 3;

/// Deflection of a beam ten times as long as thick that bends far under its own weight.
///
/// The method is softer in bending by 9.2 (d/b)², a fit that the case `cantilever` checks. Beside the plain elastica
/// the deflection is compared with the elastica of that lower stiffness: what is left is the error of large rotations.
/// With a penalty that makes up for the softness, as in the case `stiff-cantilever`, the plain elastica itself is met.
pub(super) fn heavy_beam(resolution: Resolution) -> Result<Findings, StepError> {
    let across = resolution.pick([4, 5, 6]);
    let softness = 9.2 / (across * across) as f64;
    let soft = Beam::bent(across, backward_euler())?;
    let penalised = Zhou2013Settings {
        zero_energy: BENDING_PENALTY,
        preconditioner: Preconditioner::CoarseSpace,
        ..backward_euler()
    };
    let stiff = Beam::bent(resolution.pick([6, 8, 10]), penalised)?;
    Ok(vec![
        soft.beside("deflection of the tip", LOAD, Tolerance::Relative(0.0..=softness)),
        soft.beside(
            "deflection beside that of a softer beam",
            LOAD * (1.0 + softness),
            Tolerance::relative(0.05),
        ),
        stiff.beside("deflection of the tip with a penalty of 5", LOAD, Tolerance::relative(0.03)),
    ]
    .into())
}

/// A beam that has come to rest.
struct Beam {
    length: f64,
    /// Share of the length at which the last particles are, not the end face.
    at: f64,
    /// How far they have sunk [m].
    deflection: f64,
}

impl Beam {
    /// Lets a beam with that many particles across bend.
    fn bent(across: usize, settings: Zhou2013Settings) -> Result<Self, StepError> {
        let (d, layers) = (THICKNESS / across as f64, 10 * across);
        let start = (CLAMPED as f64 - 0.5) * d; // where the last clamped particles are
        let length = (layers + CLAMPED) as f64 * d - start;
        let young = 12.0 * DENSITY * GRAVITY * length.powi(3) / (LOAD * THICKNESS * THICKNESS);
        let rest = lattice([layers + CLAMPED, across, across], d);
        let mut world = world_of(&rest, d, elastic(DENSITY, young, 0.3));
        accelerate(&mut world, -Vec3::y() * GRAVITY);
        hold(&mut world, |x| x.x < CLAMPED as f64 * d, |x| *x);
        let mut run = Run::new(world, settings);
        run.steps(48, 0.125)?;
        let last = rest.iter().zip(&run.world.particles.position).filter(|(p, _)| p.x > start + length - d);
        let (sum, count) = last.fold((0.0, 0.0), |(sum, count), (p, q)| (sum + p.y - q.y, count + 1.0));
        Ok(Self { length, at: 1.0 - 0.5 * d / length, deflection: sum / count })
    }

    /// Its deflection beside that of an elastica.
    fn beside(&self, quantity: &str, load: f64, tolerance: Tolerance) -> Measure {
        let elastica = Elastica { end_load: 0.0, weight: load };
        Measure {
            quantity: quantity.to_owned(),
            unit: "m",
            value: self.deflection,
            reference: self.length * elastica.place(self.at)[1],
            tolerance,
        }
    }
}

/// A clamped beam that bends but does not stretch, `θ'' = -(k + q (1 - s)) cos θ`, in units of its length.
pub(crate) struct Elastica {
    /// `PL²/EI`.
    pub(crate) end_load: f64,
    /// `qL³/EI`.
    pub(crate) weight: f64,
}

/// Steps of the integration along a beam.
const INTERVALS: usize = 400;

impl Elastica {
    /// Where the point at the share `s` of the length lies: along the beam and down.
    pub(crate) fn place(&self, s: f64) -> [f64; 2] {
        let (mut low, mut high) = (0.0, self.end_load + self.weight);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            // The free end carries no moment.
            *(if self.follow(middle, 1.0)[1] > 0.0 { &mut high } else { &mut low }) = middle;
        }
        let [_, _, x, y] = self.follow(0.5 * (low + high), s);
        [x, y]
    }

    /// Angle, curvature and place at `s` of a beam with this curvature at the clamp (Runge–Kutta of fourth order).
    fn follow(&self, curvature: f64, s: f64) -> [f64; 4] {
        let h = s / INTERVALS as f64;
        let slope = |s: f64, y: &[f64; 4]| {
            let load = self.end_load + self.weight * (1.0 - s);
            [y[1], -load * y[0].cos(), y[0].cos(), y[0].sin()]
        };
        let ahead = |y: &[f64; 4], k: &[f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
        let mut y = [0.0, curvature, 0.0, 0.0];
        for interval in 0..INTERVALS {
            let s = interval as f64 * h;
            let a = slope(s, &y);
            let b = slope(s + 0.5 * h, &ahead(&y, &a, 0.5 * h));
            let c = slope(s + 0.5 * h, &ahead(&y, &b, 0.5 * h));
            let d = slope(s + h, &ahead(&y, &c, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_loads_give_the_table_of_mattiasson_1981() {
        for (end_load, down, shortening) in [
            (1.0, 0.30172, 0.05643),
            (2.0, 0.49346, 0.16064),
            (5.0, 0.71379, 0.38763),
            (10.0, 0.81061, 0.55500),
        ] {
            let [x, y] = Elastica { end_load, weight: 0.0 }.place(1.0);
            assert!((y - down).abs() < 1e-5 && (1.0 - x - shortening).abs() < 1e-5, "{end_load}: {y} {x}");
        }
    }
}
