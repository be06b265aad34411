//! Beams that bend under their own weight.

use super::{Run, measure};
use crate::stage::{GRAVITY, accelerate, elastic, hold, world_of};
use crate::zhou2013::Elastica;
use crate::{Findings, Measure, Resolution, Tolerance};
use pliant_geometry::{Sampler, Shape, sample};
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
/// Relaxed off the lattice, held to the surface more strongly than in the paper (0.2): its first layer lies half a spacing deep then,
/// as that of a lattice, and not deeper. What lies deeper than it should bends too easily.
const SNUG: Sampler = Sampler::Relaxed { cohesion: 4.0, adhesion: 0.5 };

/// A beam ten times as long as thick.
struct Beam {
    across: usize,
    sampler: Sampler,
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

    /// Its particles, held ones first along x.
    fn fill(&self) -> Vec<Vec3> {
        let d = self.spacing();
        let size = Vec3::new((10 * self.across + CLAMPED) as f64 * d, THICKNESS, THICKNESS);
        let shape = Shape::cuboid(size / 2.0).expect("a beam has extent");
        let points =
            sample(&shape, &self.sampler, d, 3, 1, 1_000_000).expect("a box is filled at any spacing");
        points.iter().map(|x| x + size / 2.0).collect()
    }

    /// How far the last particles sink [m].
    fn tip(&self) -> Result<f64, StepError> {
        let d = self.spacing();
        let rest = self.fill();
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
fn bend(beam: &Beam, name: &str, bound: Tolerance) -> Result<Measure, StepError> {
    let length = beam.length();
    let at = length - 0.5 * beam.spacing();
    // `w = q (x⁴ − 4Lx³ + 6L²x²)/24EI + q (Lx − x²/2)/κGA`, per unit of section.
    let shape = (at.powi(4) - 4.0 * length * at.powi(3) + 6.0 * length * length * at * at) / 24.0;
    let (bending, shear) = (beam.young * THICKNESS.powi(2) / 12.0, 5.0 / 6.0 * beam.young / 2.6);
    let exact = DENSITY * GRAVITY * (shape / bending + (length * at - 0.5 * at * at) / shear);
    Ok(measure(&format!("deflection of the tip, {name}"), "m", beam.tip()?, exact, bound))
}

/// On a lattice.
pub(super) fn cantilever(resolution: Resolution) -> Result<Findings, StepError> {
    let across = resolution.pick([4, 6, 8]);
    let mut beam =
        Beam { across, sampler: Sampler::Lattice, young: 1e8, penalty: 0.1, brake: 10.0, step: 2e-3 };
    let soft = Tolerance::Relative(0.0..=resolution.pick([0.35, 0.15, 0.08]));
    let first = bend(&beam, "α = 0.1", soft)?;
    beam.penalty = BENDING_PENALTY;
    Ok(vec![first, bend(&beam, "α = 10", Tolerance::relative(0.03))?].into())
}

/// Off the lattice.
pub(super) fn relaxed_cantilever(resolution: Resolution) -> Result<Findings, StepError> {
    let across = resolution.pick([4, 6, 8]);
    let beam = Beam { across, sampler: SNUG, young: 1e8, penalty: BENDING_PENALTY, brake: 10.0, step: 2e-3 };
    let bound = Tolerance::relative(resolution.pick([0.08, 0.06, 0.03]));
    Ok(vec![bend(&beam, "α = 10, adhesion 0.5", bound)?].into())
}

/// Large bending beside the elastica.
pub(super) fn elastica(resolution: Resolution) -> Result<Findings, StepError> {
    let across = resolution.pick([4, 6, 8]);
    let sampler = Sampler::Lattice;
    let mut beam = Beam { across, sampler, young: 0.0, penalty: BENDING_PENALTY, brake: 8.0, step: 5e-3 };
    let length = beam.length();
    beam.young = 12.0 * DENSITY * GRAVITY * length.powi(3) / (LOAD * THICKNESS * THICKNESS);
    let at = 1.0 - 0.5 * beam.spacing() / length;
    let exact = length * Elastica { end_load: 0.0, weight: LOAD }.place(at)[1];
    Ok(vec![measure("deflection of the tip, α = 10", "m", beam.tip()?, exact, Tolerance::relative(0.03))]
        .into())
}
