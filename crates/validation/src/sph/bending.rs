//! Beams that bend under their own weight.

use super::{Run, measure};
use crate::stage::{GRAVITY, accelerate, elastic, hold, lattice, world_of};
use crate::zhou2013::Elastica;
use crate::{Findings, Resolution, Tolerance};
use pliant_math::Vec3;
use pliant_solver::StepError;
use pliant_sph::{SphSettings, ZeroEnergy};

const DENSITY: f64 = 1000.0;
const THICKNESS: f64 = 0.1;
/// Layers that are held.
const CLAMPED: usize = 3;
/// `qL³/EI` of the beam that bends far.
const LOAD: f64 = 3.0;
/// Strength of the penalty that gives back what the mean deformation gradient loses in bending: both fall with the square of the
/// spacing, so one number does for all resolutions.
const BENDING_PENALTY: f64 = 10.0;

/// A beam ten times as long as thick.
struct Beam {
    across: usize,
    young: f64,
    penalty: f64,
    /// Rate at which it is braked [1/s]; it settles for some of these times.
    brake: f64,
    /// [s].
    step: f64,
}

impl Beam {
    fn spacing(&self) -> f64 {
        THICKNESS / self.across as f64
    }

    /// From the last particles that are held to the free end [m].
    fn length(&self) -> f64 {
        (10 * self.across) as f64 * self.spacing() + 0.5 * self.spacing()
    }

    /// How far the last particles sink [m].
    fn tip(&self) -> Result<f64, StepError> {
        let d = self.spacing();
        let rest = lattice([10 * self.across + CLAMPED, self.across, self.across], d);
        let mut world = world_of(&rest, d, elastic(DENSITY, self.young, 0.3));
        accelerate(&mut world, -Vec3::y() * GRAVITY);
        hold(&mut world, |x| x.x < CLAMPED as f64 * d, |x| *x);
        let zero_energy = ZeroEnergy::Implicit(self.penalty);
        let settings = SphSettings { elastic_step: self.step, zero_energy, ..SphSettings::default() };
        let mut run = Run::new(world, settings);
        run.settle(25.0 / self.brake, self.brake)?;
        let end = (10 * self.across + CLAMPED) as f64 * d;
        let last = rest.iter().zip(&run.world.particles.position).filter(|(p, _)| p.x > end - d);
        let (sum, count) = last.fold((0.0, 0.0), |(sum, count), (p, q)| (sum + p.y - q.y, count + 1.0));
        Ok(sum / count)
    }
}

/// Small bending beside Timoshenko's beam.
pub(super) fn cantilever(resolution: Resolution) -> Result<Findings, StepError> {
    let mut measures = Vec::new();
    let soft = Tolerance::Relative(0.0..=resolution.pick([0.4, 0.18, 0.1]));
    for (penalty, bound) in [(0.1, soft), (BENDING_PENALTY, Tolerance::relative(0.03))] {
        let across = resolution.pick([4, 6, 8]);
        let beam = Beam { across, young: 1e8, penalty, brake: 10.0, step: 2e-3 };
        let length = beam.length();
        let at = length - 0.5 * beam.spacing();
        // `w = q (x⁴ − 4Lx³ + 6L²x²)/24EI + q (Lx − x²/2)/κGA`, per unit of section.
        let shape = (at.powi(4) - 4.0 * length * at.powi(3) + 6.0 * length * length * at * at) / 24.0;
        let (bending, shear) = (beam.young * THICKNESS.powi(2) / 12.0, 5.0 / 6.0 * beam.young / 2.6);
        let exact = DENSITY * GRAVITY * (shape / bending + (length * at - 0.5 * at * at) / shear);
        let quantity = format!("deflection of the tip, α = {penalty}");
        measures.push(measure(&quantity, "m", beam.tip()?, exact, bound));
    }
    Ok(measures.into())
}

/// Large bending beside the elastica.
pub(super) fn elastica(resolution: Resolution) -> Result<Findings, StepError> {
    let across = resolution.pick([4, 6, 8]);
    let mut beam = Beam { across, young: 0.0, penalty: BENDING_PENALTY, brake: 8.0, step: 5e-3 };
    let length = beam.length();
    beam.young = 12.0 * DENSITY * GRAVITY * length.powi(3) / (LOAD * THICKNESS * THICKNESS);
    let at = 1.0 - 0.5 * beam.spacing() / length;
    let exact = length * Elastica { end_load: 0.0, weight: LOAD }.place(at)[1];
    Ok(vec![measure("deflection of the tip, α = 10", "m", beam.tip()?, exact, Tolerance::relative(0.03))]
        .into())
}
