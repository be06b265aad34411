//! Materials: a preset, overlaid with what the scene says.

use pliant_material::plastic::Bargteil2007;
use pliant_material::{Lame, Material, PRESETS, Parameter, Plastic, Preset, preset};

use super::color;
use crate::error::{Fault, suggestion};
use crate::field::{Check, ScalarField};
use crate::file::material::{MaterialFile, PlasticFile};
use crate::file::value::{At, Value};
use crate::scene::SceneMaterial;

/// Stands in for a modulus that varies and has no preset, until particles get their own.
const PLACEHOLDER_YOUNG: f64 = 1e6;

pub(super) fn material(name: &str, entry: &At<MaterialFile>) -> Result<SceneMaterial, Fault> {
    let file = &entry.value;
    let base = match &file.preset {
        Some(name) => Some(known_preset(name)?),
        None => None,
    };
    let young = file.young.as_ref().map(Value::field).transpose()?;
    if young.is_none() && base.is_none() {
        let message = format!("the material `{name}` needs `young` or a `preset`");
        return Err(Fault::new(entry.span.clone(), message));
    }
    let poisson = file.poisson.as_ref().map(Value::field).transpose()?;
    let density = file.density.as_ref().map(Value::field).transpose()?;
    let mut varying = Vec::new();
    let mut material = base.unwrap_or_else(plain);
    material.name = name.to_owned();
    let (old_young, old_poisson) = (material.lame.young(), material.lame.poisson());
    let young = settle(Parameter::Young, young, old_young, &mut varying);
    let poisson = settle(Parameter::Poisson, poisson, old_poisson, &mut varying);
    material.lame =
        Lame::new(young, poisson).map_err(|error| Fault::new(entry.span.clone(), error.to_string()))?;
    if let Some(plastic) = &file.plastic {
        material.plastic = flow(plastic, &mut varying)?;
    }
    if let Some(friction) = &file.friction {
        material.friction = friction.get()?;
    }
    if let Some(stickiness) = &file.stickiness {
        material.stickiness = stickiness.get()?;
    }
    if let Some(stretch) = &file.tear_stretch {
        material.tear_stretch = stretch.get()?;
    }
    material.merges = file.merge;
    if let Some(file) = &file.color {
        material.color = color(file)?;
    }
    if let Some(value) = density.as_ref().and_then(ScalarField::constant) {
        material.density = value;
    }
    let check = Check {
        span: entry.span.clone(),
        accepts: |value| value > 0.0,
        words: |_| "positive".to_owned(),
        unit: "kg/m³",
    };
    let density = density.unwrap_or_else(|| ScalarField::constant_of(material.density, check));
    Ok(SceneMaterial { material, density, varying })
}

fn known_preset(name: &At<String>) -> Result<Material, Fault> {
    preset(&name.value).map(Preset::material).ok_or_else(|| {
        Fault::new(name.span.clone(), format!("there is no preset `{}`", name.value))
            .help(suggestion(&name.value, PRESETS.iter().map(|preset| preset.name)))
    })
}

/// What a material is when nothing is said.
fn plain() -> Material {
    Material {
        name: String::new(),
        density: 1000.0,
        law: None,
        lame: Lame::new(PLACEHOLDER_YOUNG, 0.3).expect("these moduli are stable"),
        plastic: None,
        friction: 0.5,
        stickiness: 0.0,
        tear_stretch: f64::INFINITY,
        merges: false,
        color: [0.6, 0.6, 0.6],
    }
}

fn flow(file: &PlasticFile, varying: &mut Vec<(Parameter, ScalarField)>) -> Result<Option<Plastic>, Fault> {
    let PlasticFile::Bargteil2007(file) = file else { return Ok(None) };
    let yield_stress = Some(file.yield_stress.field()?);
    let hardening = Some(file.hardening.field()?);
    Ok(Some(Plastic::Bargteil2007(Bargteil2007 {
        yield_stress: settle(Parameter::YieldStress, yield_stress, PLACEHOLDER_YOUNG, varying),
        relaxation_time: file.relaxation_time.get()?,
        hardening: settle(Parameter::Hardening, hardening, 0.0, varying),
    })))
}

/// The number of a parameter; one that varies is noted and keeps its old number as a placeholder.
fn settle(
    parameter: Parameter,
    field: Option<ScalarField>,
    old: f64,
    varying: &mut Vec<(Parameter, ScalarField)>,
) -> f64 {
    match field {
        None => old,
        Some(field) => match field.constant() {
            Some(value) => value,
            None => {
                varying.push((parameter, field));
                old
            }
        },
    }
}
