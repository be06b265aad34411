//! Elastic and yielding solids, for every method, from soft to stiff.

use super::Preset;
use crate::plastic::{Bargteil2007, Plastic};

/// Flow with a yield stress [Pa], a relaxation time [s] and a hardening modulus [Pa].
const fn flow(yield_stress: f64, relaxation_time: f64, hardening: f64) -> Option<Plastic> {
    Some(Plastic::Bargteil2007(Bargteil2007 { yield_stress, relaxation_time, hardening }))
}

pub(super) const SOLIDS: [Preset; 11] = [
    Preset {
        name: "jello",
        summary: "gelatine dessert: wobbles, never yields",
        source: "E of 5-10 % gelatine gels, 5-50 kPa (food rheology tables)",
        young: 2e4,
        poisson: 0.45,
        friction: 0.3,
        color: [0.75, 0.05, 0.12],
        ..Preset::ELASTIC
    },
    Preset {
        name: "foam",
        summary: "polyurethane foam: light, soft, compressible",
        source: "flexible PU foam data sheets, 30 kg/m3, E 50-150 kPa; density raised to 100 for dense foam",
        density: 100.0,
        young: 1e5,
        poisson: 0.1,
        friction: 0.7,
        color: [0.9, 0.72, 0.25],
        ..Preset::ELASTIC
    },
    Preset {
        name: "rubber",
        summary: "soft vulcanised rubber: bounces",
        source: "natural rubber, shore A 30: E about 1 MPa, 950 kg/m3 (materials handbooks)",
        density: 950.0,
        young: 1e6,
        poisson: 0.45,
        friction: 0.8,
        color: [0.08, 0.35, 0.7],
        ..Preset::ELASTIC
    },
    Preset {
        name: "dough",
        summary: "bread dough: yields under its own weight and creeps",
        source: "wheat dough: E 10-50 kPa, yield about 1 kPa, relaxation below a second (food rheology)",
        density: 1150.0,
        young: 5e4,
        poisson: 0.4,
        plastic: flow(1e3, 0.05, 0.0),
        friction: 0.6,
        color: [0.83, 0.68, 0.45],
        ..Preset::ELASTIC
    },
    Preset {
        name: "clay",
        summary: "modelling clay: keeps every dent",
        source: "soft plasticine: yield 20-100 kPa, 1700 kg/m3; E chosen 40 times the yield stress",
        density: 1700.0,
        young: 2e6,
        poisson: 0.4,
        plastic: flow(3e4, 0.0, 2e4),
        friction: 0.6,
        color: [0.62, 0.28, 0.14],
        ..Preset::ELASTIC
    },
    Preset {
        name: "soil",
        summary: "moist cohesive soil: crumbles into heaps",
        source: "soft clayey soil: undrained strength about 10 kPa, E 2-10 MPa (geotechnical handbooks)",
        density: 1800.0,
        young: 3e6,
        poisson: 0.35,
        plastic: flow(1.5e4, 0.0, 0.0),
        friction: 0.6,
        color: [0.25, 0.15, 0.08],
        ..Preset::ELASTIC
    },
    Preset {
        name: "lead",
        summary: "soft metal, scaled: dents at impacts of a few m/s",
        source: "ratio of yield to Young's modulus of lead (1:1000); moduli scaled by 1/100 so that 2 ms steps resolve the dent",
        density: 11_340.0,
        young: 1.6e8,
        poisson: 0.42,
        plastic: flow(3e5, 0.0, 1e6),
        friction: 0.4,
        color: [0.33, 0.36, 0.42],
        ..Preset::ELASTIC
    },
    Preset {
        name: "steel",
        summary: "nearly rigid, scaled: does not visibly deform",
        source: "density of steel; E scaled by 1/200 to 1 GPa, stiff enough to look rigid at any step",
        density: 7850.0,
        young: 1e9,
        poisson: 0.3,
        friction: 0.4,
        color: [0.5, 0.52, 0.55],
        ..Preset::ELASTIC
    },
    Preset {
        name: "zhou-elastic",
        summary: "purely elastic cube of Zhou 2013, Fig. 2 left",
        source: "E and nu chosen for the regimes the figure shows (the paper prints none)",
        young: 5e5,
        color: [0.1, 0.45, 0.75],
        ..Preset::ELASTIC
    },
    Preset {
        name: "zhou-medium",
        summary: "medium plastic cube of Zhou 2013, Fig. 2 middle",
        source: "as zhou-elastic with yield 20 kPa: a dent that stays",
        young: 5e5,
        plastic: flow(2e4, 0.0, 0.0),
        color: [0.2, 0.6, 0.25],
        ..Preset::ELASTIC
    },
    Preset {
        name: "zhou-plastic",
        summary: "highly plastic cube of Zhou 2013, Fig. 2 right",
        source: "as zhou-elastic with yield 4 kPa: flattens",
        young: 5e5,
        plastic: flow(4e3, 0.0, 0.0),
        color: [0.8, 0.35, 0.1],
        ..Preset::ELASTIC
    },
];
