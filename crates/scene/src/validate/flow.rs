//! Plastic flows: from what is written to what is simulated.

use pliant_material::Parameter;
use pliant_material::plastic::{
    Bargteil2007, CamClay, Cohesion, Cone, DruckerPrager, Friction, HerschelBulkley, Plastic, Snow, VonMises,
};

use super::material::{PLACEHOLDER_YOUNG, Varying, settle};
use crate::error::Fault;
use crate::field::ScalarField;
use crate::file::flow::{
    Bargteil2007File, CamClayFile, DruckerPragerFile, FrictionConeFile, FrictionHardeningFile,
    HerschelBulkleyFile, PlasticFile, SnowFile, VonMisesFile,
};
use crate::file::value::At;

/// Friction angle of dry sand [rad], as of the preset.
const DRY_SAND: f64 = 33.0f64.to_radians();

pub(super) fn flow(file: &PlasticFile, varying: &mut Varying) -> Result<Option<Plastic>, Fault> {
    Ok(Some(match file {
        PlasticFile::None => return Ok(None),
        PlasticFile::Bargteil2007(file) => Plastic::Bargteil2007(bargteil2007(file, varying)?),
        PlasticFile::Snow(file) => Plastic::Snow(snow(file, varying)?),
        PlasticFile::DruckerPrager(file) => Plastic::DruckerPrager(drucker_prager(file, varying)?),
        PlasticFile::VonMises(file) => Plastic::VonMises(von_mises(file, varying)?),
        PlasticFile::CamClay(file) => Plastic::CamClay(cam_clay(file, varying)?),
        PlasticFile::HerschelBulkley(file) => Plastic::HerschelBulkley(herschel_bulkley(file, varying)?),
    }))
}

/// A yield stress; one that varies keeps a placeholder until particles get their own.
fn yield_stress(field: ScalarField, varying: &mut Varying) -> f64 {
    settle(Parameter::YieldStress, Some(field), PLACEHOLDER_YOUNG, varying)
}

fn bargteil2007(file: &Bargteil2007File, varying: &mut Varying) -> Result<Bargteil2007, Fault> {
    Ok(Bargteil2007 {
        yield_stress: yield_stress(file.yield_stress.field()?, varying),
        relaxation_time: file.relaxation_time.get()?,
        hardening: settle(Parameter::Hardening, Some(file.hardening.field()?), 0.0, varying),
    })
}

fn snow(file: &SnowFile, varying: &mut Varying) -> Result<Snow, Fault> {
    let (compression, stretch) = (file.critical_compression.field()?, file.critical_stretch.field()?);
    Ok(Snow {
        critical_compression: settle(Parameter::CriticalCompression, Some(compression), 0.0, varying),
        critical_stretch: settle(Parameter::CriticalStretch, Some(stretch), 0.0, varying),
        hardening: settle(Parameter::Hardening, Some(file.hardening.field()?), 0.0, varying),
        det_min: file.det_min.get()?,
        det_max: file.det_max.get()?,
    })
}

fn drucker_prager(file: &DruckerPragerFile, varying: &mut Varying) -> Result<DruckerPrager, Fault> {
    let friction = match (&file.friction_angle, &file.friction_hardening) {
        (None, None) => Friction::Angle(DRY_SAND),
        (Some(angle), None) => {
            Friction::Angle(settle(Parameter::FrictionAngle, Some(angle.field()?), 0.0, varying))
        }
        (None, Some(file)) => hardening(file)?,
        (Some(angle), Some(_)) => {
            let message = "friction is given by `friction_angle` or by `friction_hardening`, not by both";
            return Err(Fault::new(angle.span.clone(), message).help("leave one of them out"));
        }
    };
    let cohesion = match (&file.cohesion, &file.cohesion_strain) {
        (None, None) => Cohesion::Stress(0.0),
        (Some(stress), None) => {
            Cohesion::Stress(settle(Parameter::Cohesion, Some(stress.field()?), 0.0, varying))
        }
        (None, Some(strain)) => {
            Cohesion::Strain(settle(Parameter::Cohesion, Some(strain.field()?), 0.0, varying))
        }
        (Some(_), Some(strain)) => {
            let message = "cohesion is given by `cohesion` or by `cohesion_strain`, not by both";
            return Err(Fault::new(strain.span.clone(), message).help("leave one of them out"));
        }
    };
    let cone = match file.cone {
        FrictionConeFile::Slope => Cone::Slope,
        FrictionConeFile::PlaneStrain => Cone::PlaneStrain,
        FrictionConeFile::Literal => Cone::Literal,
    };
    Ok(DruckerPrager { friction, cone, cohesion, volume_correction: file.volume_correction })
}

fn hardening(file: &At<FrictionHardeningFile>) -> Result<Friction, Fault> {
    let FrictionHardeningFile { h0, h1, h2, h3 } = &file.value;
    let (h0, h1, h2, h3) = (h0.get()?, h1.get()?, h2.get()?, h3.get()?);
    if h3 >= h0 {
        let message = "the angle would start at or below zero: `h3` must be below `h0`";
        return Err(Fault::new(file.span.clone(), message));
    }
    Ok(Friction::Hardening { h0, h1, h2, h3 })
}

fn von_mises(file: &VonMisesFile, varying: &mut Varying) -> Result<VonMises, Fault> {
    Ok(VonMises {
        yield_stress: yield_stress(file.yield_stress.field()?, varying),
        hardening: settle(Parameter::Hardening, Some(file.hardening.field()?), 0.0, varying),
    })
}

fn cam_clay(file: &CamClayFile, varying: &mut Varying) -> Result<CamClay, Fault> {
    Ok(CamClay {
        slope: file.slope.get()?,
        cohesion: settle(Parameter::Cohesion, Some(file.cohesion.field()?), 0.0, varying),
        hardening: settle(Parameter::Hardening, Some(file.hardening.field()?), 0.0, varying),
        compaction: file.compaction.get()?,
    })
}

fn herschel_bulkley(file: &HerschelBulkleyFile, varying: &mut Varying) -> Result<HerschelBulkley, Fault> {
    Ok(HerschelBulkley {
        yield_stress: yield_stress(file.yield_stress.field()?, varying),
        consistency: file.consistency.get()?,
        exponent: file.exponent.get()?,
    })
}
