//! Settings of Smoothed Particle Hydrodynamics.

use pliant_sph::{Elasticity, PressureSolver, SolidPressure, SphSettings, VolumeRule, ZeroEnergy};

use crate::error::Fault;
use crate::file::TimeFile;
use crate::file::sph::{
    ElasticityFile, PressureSolverFile, SolidPressureFile, SolidVolumeFile, SphFile, ZeroEnergyFile,
};
use crate::file::value::{At, Count};

/// Supports that leave enough neighbours and not too many [spacings].
const SUPPORT: std::ops::RangeInclusive<f64> = 1.8..=4.0;
/// Courant numbers that make sense.
const COURANT: std::ops::RangeInclusive<f64> = 0.01..=1.0;

pub(super) fn sph(
    file: &SphFile,
    time: &TimeFile,
    dimension: &At<Count<2, 3>>,
) -> Result<SphSettings, Fault> {
    if dimension.value.0 != 3 {
        let message = "the method `sph` simulates in space only";
        return Err(Fault::new(dimension.span.clone(), message).help("use zhou2013 or mpm in the plane"));
    }
    let within = |value: f64, range: &std::ops::RangeInclusive<f64>, span: &std::ops::Range<usize>| {
        if range.contains(&value) {
            return Ok(value);
        }
        let message = format!("must be between {} and {}, got {value}", range.start(), range.end());
        Err(Fault::new(span.clone(), message))
    };
    Ok(SphSettings {
        elasticity: match file.elasticity {
            ElasticityFile::Corrected => Elasticity::Corrected,
            ElasticityFile::Split => Elasticity::Split,
            ElasticityFile::Unsplit => Elasticity::Unsplit,
            ElasticityFile::Peer2018 => Elasticity::Peer2018,
            ElasticityFile::Becker2009 => Elasticity::Becker2009,
        },
        zero_energy: match &file.zero_energy {
            ZeroEnergyFile::None => ZeroEnergy::None,
            ZeroEnergyFile::Explicit(strength) => ZeroEnergy::Explicit(strength.get()?),
            ZeroEnergyFile::Implicit(strength) => ZeroEnergy::Implicit(strength.get()?),
        },
        support: within(file.support.get()?, &SUPPORT, &file.support.span)?,
        nearest: file.nearest.as_ref().map(|count| count.value.0 as usize),
        volume: match file.volume {
            SolidVolumeFile::Sampled => VolumeRule::Sampled,
            SolidVolumeFile::Kernel => VolumeRule::Kernel,
        },
        pressure: match file.pressure {
            PressureSolverFile::Dfsph => PressureSolver::Dfsph,
            PressureSolverFile::Iisph => PressureSolver::Iisph,
        },
        solid_pressure: match file.solid_pressure {
            SolidPressureFile::Contact => SolidPressure::Contact,
            SolidPressureFile::Incompressible => SolidPressure::Incompressible,
        },
        // A wrong `time.dt` is reported where times are checked.
        elastic_step: time.dt.get().unwrap_or(SphSettings::default().elastic_step),
        tolerance: file.tolerance.get()?,
        max_iterations: file.max_iterations.0 as usize,
        direct_limit: file.direct_limit.0 as usize,
        density_error: file.density_error.get()?,
        divergence_error: file.divergence_error.get()?,
        courant: within(file.courant.get()?, &COURANT, &file.courant.span)?,
        surface_tension: file.surface_tension.get()?,
        artificial_viscosity: file.artificial_viscosity.get()?,
        vorticity: file.vorticity.get()?,
    })
}
