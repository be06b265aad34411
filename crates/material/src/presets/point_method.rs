//! Snow, sand, metals and fluids, for the Material Point Method; and the settings of its papers.

use super::Preset;
use crate::elastic::{EquationOfState, Fluid, Law};
use crate::plastic::{Cohesion, Cone, DruckerPrager, Friction, HerschelBulkley, Plastic, Snow, VonMises};

/// Snow of Stomakhin 2013: density 400 kg/m³, E 140 kPa, ν 0.2, ξ 10, θc 0.025, θs 0.0075.
const SNOW: Snow = Snow {
    critical_compression: 2.5e-2,
    critical_stretch: 7.5e-3,
    hardening: 10.0,
    det_min: 0.6,
    det_max: 20.0,
};
const SNOW_PRESET: Preset = Preset {
    density: 400.0,
    young: 1.4e5,
    poisson: 0.2,
    plastic: Some(Plastic::Snow(SNOW)),
    color: [0.55, 0.68, 0.85],
    ..Preset::ELASTIC
};

/// Dry sand that shows its friction angle on a slope.
const SAND: DruckerPrager = DruckerPrager {
    friction: Friction::Angle(33.0f64.to_radians()),
    cone: Cone::PlaneStrain,
    cohesion: Cohesion::Stress(0.0),
    volume_correction: true,
};
const SAND_PRESET: Preset = Preset {
    density: 1600.0,
    young: 3.537e5,
    poisson: 0.3,
    plastic: Some(Plastic::DruckerPrager(SAND)),
    color: [0.76, 0.6, 0.36],
    ..Preset::ELASTIC
};

const fn tait(bulk_modulus: f64, viscosity: f64) -> Option<Law> {
    Some(Law::Fluid(Fluid { state: EquationOfState::Tait { exponent: 7.0 }, bulk_modulus, viscosity }))
}

const fn snow(flow: Snow) -> Option<Plastic> {
    Some(Plastic::Snow(flow))
}

const fn sand(flow: DruckerPrager) -> Option<Plastic> {
    Some(Plastic::DruckerPrager(flow))
}

/// Flow with a yield stress [Pa], a consistency [Pa sⁿ] and an exponent.
const fn paste(yield_stress: f64, consistency: f64, exponent: f64) -> Option<Plastic> {
    Some(Plastic::HerschelBulkley(HerschelBulkley { yield_stress, consistency, exponent }))
}

pub(super) const POINT_METHOD: [Preset; 16] = [
    Preset {
        name: "snow",
        summary: "snow that packs into balls and breaks into chunks",
        source: "base values of Stomakhin et al. 2013; limits of the plastic volume chosen",
        ..SNOW_PRESET
    },
    Preset {
        name: "snow-powder",
        summary: "dry, powdery snow: crumbles at a touch",
        source: "Stomakhin et al. 2013: smaller critical compression and stretch make powder; numbers chosen",
        density: 200.0,
        plastic: snow(Snow { critical_compression: 1.9e-2, critical_stretch: 5e-3, ..SNOW }),
        ..SNOW_PRESET
    },
    Preset {
        name: "snow-wet",
        summary: "wet, muddy snow: packs softly and sticks together",
        source: "Stomakhin et al. 2013: lower Young's modulus and hardening make muddy snow; numbers chosen",
        density: 500.0,
        young: 4.8e4,
        plastic: snow(Snow { critical_compression: 4e-2, critical_stretch: 1.2e-2, hardening: 5.0, ..SNOW }),
        ..SNOW_PRESET
    },
    Preset {
        name: "snow-chunky",
        summary: "old, icy snow: breaks into large hard pieces",
        source: "Stomakhin et al. 2013: larger critical values and hardening make chunks; numbers chosen",
        density: 450.0,
        young: 2e5,
        plastic: snow(Snow { critical_compression: 4e-2, critical_stretch: 1e-2, hardening: 15.0, ..SNOW }),
        ..SNOW_PRESET
    },
    Preset {
        name: "sand",
        summary: "dry sand: runs into heaps of 33 degrees",
        source: "loose dry sand 1600 kg/m3, 30-35 degrees (geotechnical handbooks); moduli of Klar et al. 2016",
        ..SAND_PRESET
    },
    Preset {
        name: "sand-wet",
        summary: "moist sand: stands in castles",
        source: "moist sand 1800 kg/m3, apparent cohesion 1-5 kPa (geotechnical handbooks); moduli as of sand",
        density: 1800.0,
        plastic: sand(DruckerPrager { cohesion: Cohesion::Stress(1e3), ..SAND }),
        color: [0.45, 0.34, 0.2],
        ..SAND_PRESET
    },
    Preset {
        name: "mud",
        summary: "wet mud: lies in lumps, runs when pushed",
        source: "mud of debris flows: 1600 kg/m3, yield 30-300 Pa, shear-thinning (Coussot 1997); E chosen",
        density: 1600.0,
        young: 1e5,
        poisson: 0.4,
        plastic: paste(100.0, 30.0, 0.5),
        color: [0.2, 0.13, 0.08],
        ..Preset::ELASTIC
    },
    Preset {
        name: "concrete-fresh",
        summary: "fresh concrete: slumps out of its cone",
        source: "fresh concrete: 2400 kg/m3, Bingham yield 200-2000 Pa, 20-200 Pa s (concrete rheology); E chosen",
        density: 2400.0,
        young: 5e5,
        poisson: 0.4,
        plastic: paste(600.0, 60.0, 1.0),
        color: [0.4, 0.4, 0.38],
        ..Preset::ELASTIC
    },
    Preset {
        name: "concrete",
        summary: "hard concrete, scaled: shears off and cracks",
        source: "2400 kg/m3, nu 0.2, friction 37 degrees; E 30 GPa and cohesion 5 MPa scaled by 1/100 for longer steps",
        density: 2400.0,
        young: 3e8,
        poisson: 0.2,
        plastic: sand(DruckerPrager {
            friction: Friction::Angle(37.0f64.to_radians()),
            cohesion: Cohesion::Stress(5e4),
            ..SAND
        }),
        color: [0.55, 0.55, 0.53],
        ..Preset::ELASTIC
    },
    Preset {
        name: "metal",
        summary: "copper at full stiffness: mushrooms when shot at a wall",
        source: "copper of the Taylor bar benchmark: 8930 kg/m3, E 117 GPa, nu 0.35, yield 400 MPa, hardening 100 MPa",
        density: 8930.0,
        young: 1.17e11,
        poisson: 0.35,
        plastic: Some(Plastic::VonMises(VonMises { yield_stress: 4e8, hardening: 1e8 })),
        friction: 0.3,
        color: [0.6, 0.3, 0.15],
        ..Preset::ELASTIC
    },
    Preset {
        name: "water",
        summary: "water, scaled: waves of pressure run at 46 m/s, a metre of depth compresses it by 0.5 %",
        source: "density and viscosity of water at 20 C, exponent 7 (Cole 1948); bulk modulus lowered for longer steps",
        law: tait(3e5, 1e-3),
        friction: 0.0,
        color: [0.1, 0.35, 0.6],
        ..Preset::ELASTIC
    },
    Preset {
        name: "honey",
        summary: "honey, scaled as water: coils and creeps",
        source: "honey at 20 C: 1420 kg/m3, 10 Pa s (food rheology tables); bulk modulus as of water",
        density: 1420.0,
        law: tait(3e5, 10.0),
        friction: 0.0,
        color: [0.8, 0.45, 0.05],
        ..Preset::ELASTIC
    },
    Preset {
        name: "nilles-snow",
        summary: "snow of Nilles 2020, Fig. 17",
        source: "Nilles 2020, section 8: E 140 kPa, nu 0.2, hardening 10, 0.025, 0.0075, 400 kg/m3",
        ..SNOW_PRESET
    },
    Preset {
        name: "nilles-sand",
        summary: "sand of Nilles 2020, Fig. 26",
        source: "Nilles 2020, section 10: 2200 kg/m3, E 340 kPa, nu 0.3, h 35, 0, 0.2, 10, no cohesion, cone of Eq. 95",
        density: 2200.0,
        young: 3.4e5,
        plastic: sand(DruckerPrager {
            friction: Friction::Hardening {
                h0: 35.0f64.to_radians(),
                h1: 0.0,
                h2: 0.2,
                h3: 10.0f64.to_radians(),
            },
            cone: Cone::Literal,
            ..SAND
        }),
        ..SAND_PRESET
    },
    Preset {
        name: "nilles-water",
        summary: "water of Nilles 2020, Fig. 20",
        source: "Nilles 2020, Eq. 81 without viscosity; the thesis prints neither bulk modulus nor exponent: as of water",
        law: tait(3e5, 0.0),
        friction: 0.0,
        color: [0.1, 0.35, 0.6],
        ..Preset::ELASTIC
    },
    Preset {
        name: "fumoto-snow",
        summary: "snow of Fumoto's solver in the plane",
        source: "Fumoto prints no numbers: the base values of Stomakhin et al. 2013, which he follows",
        ..SNOW_PRESET
    },
];
