//! Materials: a preset, overlaid with what the scene says.

use pliant_material::{
    EquationOfState, Fluid, Lame, Law, Material, PRESETS, Parameter, Plastic, Preset, preset,
};
use pliant_mpm::{Integrator, MpmSettings};

use super::flow::flow;
use super::{Faults, color};
use crate::error::{Fault, suggestion};
use crate::field::{Check, ScalarField};
use crate::file::SceneFile;
use crate::file::material::{LawFile, MaterialFile, StateFile};
use crate::file::value::{At, Value};
use crate::scene::{Method, SceneMaterial};

/// Stands in for a modulus that varies and has no preset, until particles get their own.
pub(super) const PLACEHOLDER_YOUNG: f64 = 1e6;
/// Exponent of water in Tait's equation (Cole 1948).
const WATER_EXPONENT: f64 = 7.0;

/// Parameters that vary inside a body.
pub(super) type Varying = Vec<(Parameter, ScalarField)>;

pub(super) fn material(name: &str, entry: &At<MaterialFile>) -> Result<SceneMaterial, Fault> {
    let file = &entry.value;
    let base = match &file.preset {
        Some(name) => Some(known_preset(name)?),
        None => None,
    };
    let density = file.density.as_ref().map(Value::field).transpose()?;
    let mut varying = Vec::new();
    let mut material = base.clone().unwrap_or_else(plain);
    material.name = name.to_owned();
    if let Some(law) = &file.law {
        material.law = Some(elastic_law(law, &mut varying)?);
    }
    material.lame = moduli(&material, base.as_ref(), entry, &mut varying)?;
    if let Some(plastic) = &file.plastic {
        material.plastic = flow(plastic, &mut varying)?;
    }
    check_pair(&material, entry)?;
    if let Some(friction) = &file.friction {
        material.friction = friction.get()?;
    }
    if let Some(stickiness) = &file.stickiness {
        material.stickiness = stickiness.get()?;
    }
    if let Some(stretch) = &file.tear_stretch {
        material.tear_stretch = stretch.get()?;
    }
    if let Some(diffusivity) = &file.diffusivity {
        material.diffusivity = diffusivity.get()?;
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
        diffusivity: 0.0,
        merges: false,
        color: [0.6, 0.6, 0.6],
    }
}

/// The moduli of a solid as the scene gives them, over those of the preset; of a fluid what its law says.
fn moduli(
    material: &Material,
    base: Option<&Material>,
    entry: &At<MaterialFile>,
    varying: &mut Varying,
) -> Result<Lame, Fault> {
    let file = &entry.value;
    if let Some(Law::Fluid(fluid)) = material.law {
        return match file.young.as_ref().map(|v| &v.span).or(file.poisson.as_ref().map(|v| &v.span)) {
            None => Ok(fluid.lame()),
            Some(span) => Err(Fault::new(span.clone(), "a fluid resists compression only")
                .help("give `bulk_modulus` in its law")),
        };
    }
    let known = base.filter(|base| !matches!(base.law, Some(Law::Fluid(_)))).map(|base| base.lame);
    if file.young.is_none() && known.is_none() {
        let message = format!("the material `{}` needs `young` or a `preset`", material.name);
        return Err(Fault::new(entry.span.clone(), message));
    }
    let old = known.unwrap_or(plain().lame);
    let young = file.young.as_ref().map(Value::field).transpose()?;
    let poisson = file.poisson.as_ref().map(Value::field).transpose()?;
    let young = settle(Parameter::Young, young, old.young(), varying);
    let poisson = settle(Parameter::Poisson, poisson, old.poisson(), varying);
    Lame::new(young, poisson).map_err(|error| Fault::new(entry.span.clone(), error.to_string()))
}

fn elastic_law(law: &At<LawFile>, varying: &mut Varying) -> Result<Law, Fault> {
    let file = match &law.value {
        LawFile::LinearCorotated => return Ok(Law::LinearCorotated),
        LawFile::FixedCorotated => return Ok(Law::FixedCorotated),
        LawFile::NeoHookean => return Ok(Law::NeoHookean),
        LawFile::StVenantKirchhoff => return Ok(Law::StVenantKirchhoff),
        LawFile::Hencky => return Ok(Law::Hencky),
        LawFile::Fluid(file) => file,
    };
    let state = match (file.state, &file.exponent) {
        (StateFile::Linear, None) => EquationOfState::Linear,
        (StateFile::Linear, Some(exponent)) => {
            return Err(Fault::new(exponent.span.clone(), "a linear fluid has no exponent")
                .help("leave it out or write state = \"tait\""));
        }
        (StateFile::Tait, exponent) => {
            EquationOfState::Tait { exponent: exponent.as_ref().map_or(Ok(WATER_EXPONENT), Value::get)? }
        }
    };
    let (bulk_modulus, viscosity) = (file.bulk_modulus.field()?, file.viscosity.field()?);
    Ok(Law::Fluid(Fluid {
        state,
        bulk_modulus: settle(Parameter::BulkModulus, Some(bulk_modulus), PLACEHOLDER_YOUNG, varying),
        viscosity: settle(Parameter::Viscosity, Some(viscosity), 0.0, varying),
    }))
}

/// Refuses a law and a flow that do not go together.
fn check_pair(material: &Material, entry: &At<MaterialFile>) -> Result<(), Fault> {
    let (Some(law), Some(plastic)) = (material.law, &material.plastic) else { return Ok(()) };
    let span = entry.value.law.as_ref().map_or(&entry.span, |law| &law.span).clone();
    match law {
        Law::Fluid(_) => {
            Err(Fault::new(span, "a fluid has no plastic flow").help("write plastic = \"none\""))
        }
        Law::Hencky => Ok(()),
        _ if plastic.needs_hencky() => {
            Err(Fault::new(span, format!("`{}` needs the law \"hencky\"", plastic.name()))
                .help("leave `law` out"))
        }
        _ => Ok(()),
    }
}

/// Methods for solids refuse matter they would simulate wrongly.
pub(super) fn check_suited(
    file: &SceneFile,
    method: Option<&Method>,
    materials: &[Option<SceneMaterial>],
    faults: &mut Faults,
) {
    let Some(method) = method else { return };
    for (entry, material) in file.materials.values().zip(materials) {
        let reason = material.as_ref().and_then(|known| unsuited(&known.material, method));
        faults.0.extend(reason.map(|message| Fault::new(entry.span.clone(), message)));
    }
}

/// Why a method cannot simulate a material; none if it can.
fn unsuited(material: &Material, method: &Method) -> Option<String> {
    let what = match method {
        Method::Mpm(settings) => return untearable(material, settings).map(str::to_owned),
        Method::Sph(_) if matches!(material.law, Some(Law::Fluid(_))) => None,
        Method::Sph(_)
            if matches!(material.plastic, Some(Plastic::VonMises(_))) && material.law.is_none() =>
        {
            None
        }
        Method::Sph(_) | Method::Zhou2013(_) | Method::Gbb2009(_) => material.needs_mpm(),
    };
    what.map(|what| format!("{} has no {what}; use [method.mpm]", method.name()))
}

/// Why the Material Point Method cannot tear a material that is to tear; none if it can.
fn untearable(material: &Material, settings: &MpmSettings) -> Option<&'static str> {
    let flows = material.plastic.is_some() || matches!(material.law, Some(Law::Fluid(_)));
    match settings.integrator {
        _ if material.tear_stretch.is_infinite() => None,
        _ if flows => Some("in mpm only elastic matter tears; leave out `tear_stretch`, or the flow"),
        Integrator::Implicit => {
            Some("implicit steps tear nothing; leave out `tear_stretch`, or `integrator = \"implicit\"`")
        }
        Integrator::Explicit => None,
    }
}

/// The number of a parameter; one that varies is noted and keeps its old number as a placeholder.
pub(super) fn settle(
    parameter: Parameter,
    field: Option<ScalarField>,
    old: f64,
    varying: &mut Varying,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{deserialize, include};
    use pliant_material::plastic::{CamClay, Cohesion, Cone, Friction, HerschelBulkley, Plastic, VonMises};

    /// The material that these keys describe.
    fn read(keys: &str) -> SceneMaterial {
        let text = format!("pliant = 1\n[materials.m]\n{keys}");
        let document = include::from_text(&text, std::path::Path::new("."), &[]).expect(keys);
        let file: SceneFile = deserialize::read(&document.tree).expect(keys);
        material("m", &file.materials["m"]).expect(keys)
    }

    fn plastic(keys: &str) -> Plastic {
        read(&format!("young = \"1 MPa\"\n{keys}")).material.plastic.expect(keys)
    }

    #[test]
    fn what_cannot_tear_is_refused() {
        let explicit = MpmSettings::default();
        let implicit = MpmSettings { integrator: Integrator::Implicit, ..MpmSettings::default() };
        let rubber = read("preset = \"rubber\"\ntear_stretch = 1.2").material;
        assert_eq!(untearable(&rubber, &explicit), None);
        assert!(untearable(&rubber, &implicit).unwrap().contains("implicit"));
        for preset in ["snow", "water"] {
            let material = read(&format!("preset = \"{preset}\"\ntear_stretch = 1.2")).material;
            assert!(untearable(&material, &explicit).unwrap().contains("only elastic"));
        }
        assert_eq!(untearable(&read("preset = \"snow\"").material, &implicit), None);
    }

    #[test]
    fn a_flow_without_settings_is_that_of_its_preset() {
        let preset = |name| preset(name).and_then(|preset| preset.plastic).unwrap();
        assert_eq!(plastic("plastic = \"snow\""), preset("snow"));
        assert_eq!(plastic("plastic = \"drucker_prager\""), preset("sand"));
        let nilles = "plastic.drucker_prager = { friction_hardening = {}, cone = \"literal\" }";
        assert_eq!(plastic(nilles), preset("nilles-sand"));
        let water = read("law = { fluid = { viscosity = \"1 mPa*s\" } }").material;
        assert_eq!((water.law, water.lame), (read("preset = \"water\"").material.law, water.lame));
    }

    #[test]
    fn settings_arrive_in_si_units() {
        let sand = "plastic.drucker_prager = { friction_angle = 30, cohesion_strain = 0.004 }";
        let Plastic::DruckerPrager(sand) = plastic(sand) else { panic!("{sand}") };
        let Friction::Angle(angle) = sand.friction else { panic!("{sand:?}") };
        assert!((angle - std::f64::consts::FRAC_PI_6).abs() < 1e-15, "{sand:?}");
        assert_eq!((sand.cohesion, sand.cone), (Cohesion::Strain(0.004), Cone::PlaneStrain));
        assert_eq!(
            plastic("plastic.von_mises = { yield_stress = \"400 MPa\", hardening = \"0.1 GPa\" }"),
            Plastic::VonMises(VonMises { yield_stress: 4e8, hardening: 1e8 })
        );
        assert_eq!(
            plastic("plastic.herschel_bulkley = { yield_stress = 100, consistency = \"30 Pa*s\" }"),
            Plastic::HerschelBulkley(HerschelBulkley {
                yield_stress: 100.0,
                consistency: 30.0,
                exponent: 1.0
            })
        );
        assert_eq!(
            plastic("plastic.cam_clay = { slope = 1, compaction = 0.02 }"),
            Plastic::CamClay(CamClay { slope: 1.0, cohesion: 0.3, hardening: 1.0, compaction: 0.02 })
        );
    }

    #[test]
    fn every_law_is_read_by_its_name() {
        for law in
            [Law::LinearCorotated, Law::FixedCorotated, Law::NeoHookean, Law::StVenantKirchhoff, Law::Hencky]
        {
            let keys = format!("young = 1e6\nlaw = \"{}\"", law.name());
            assert_eq!(read(&keys).material.law, Some(law));
        }
        let linear = read("law.fluid = { state = \"linear\", bulk_modulus = \"2 MPa\" }").material;
        let fluid = Fluid { state: EquationOfState::Linear, bulk_modulus: 2e6, viscosity: 0.0 };
        assert_eq!((linear.law, linear.lame), (Some(Law::Fluid(fluid)), fluid.lame()));
    }

    #[test]
    fn parameters_of_every_kind_may_vary() {
        let varying = |keys: &str| read(keys).varying.iter().map(|(p, _)| *p).collect::<Vec<_>>();
        let snow = "young = \"1e5*(1+x)\"\nplastic.snow = { critical_stretch = \"0.01*(1+y*y)\" }";
        assert_eq!(varying(snow), [Parameter::Young, Parameter::CriticalStretch]);
        let sand = "plastic.drucker_prager = { friction_angle = \"0.5+0.1*x\", cohesion = \"100*y\" }";
        assert_eq!(varying(&format!("young = 1e6\n{sand}")), [Parameter::FrictionAngle, Parameter::Cohesion]);
        assert_eq!(varying("law.fluid.bulk_modulus = \"1e5+x\""), [Parameter::BulkModulus]);
    }

    #[test]
    fn methods_for_solids_refuse_what_they_do_not_have() {
        let zhou = Method::Zhou2013(pliant_zhou::Zhou2013Settings::default());
        let reason = |keys: &str| unsuited(&read(keys).material, &zhou);
        assert_eq!(reason("preset = \"water\"").as_deref(), Some("zhou2013 has no fluids; use [method.mpm]"));
        assert_eq!(reason("preset = \"snow\"").as_deref(), Some("zhou2013 has no snow; use [method.mpm]"));
        assert_eq!(reason("preset = \"clay\""), None);
        assert_eq!(reason("preset = \"clay\"\nlaw = \"linear_corotated\""), None);
        assert!(reason("preset = \"clay\"\nlaw = \"neo_hookean\"").is_some());
        let sph = Method::Sph(pliant_sph::SphSettings::default());
        let reason = |keys: &str| unsuited(&read(keys).material, &sph);
        assert_eq!(reason("preset = \"water\""), None);
        assert_eq!(reason("preset = \"clay\""), None);
        assert_eq!(reason("preset = \"snow\"").as_deref(), Some("sph has no snow; use [method.mpm]"));
    }
}
