//! Known values of snow.

use pliant_material::plastic::{Plastic, Snow};
use pliant_material::{History, Lame, Law, preset};
use pliant_math::Vect;

fn snow() -> Plastic {
    preset("nilles-snow").and_then(|preset| preset.plastic).expect("there is such a preset")
}

/// Uniaxial compression of Stomakhin's snow: stretch, J_P, hardening and Kirchhoff stress [Pa], computed independently.
const OEDOMETER: [(f64, f64, f64, f64); 5] = [
    (0.99, 1.0, 1.0, -1540.0),
    (0.975, 1.0, 1.0, -3791.67),
    (0.95, 0.97436, 1.2923, -4899.91),
    (0.90, 0.92308, 2.1581, -8182.82),
    (0.80, 0.82051, 6.0187, -22_820.92),
];

#[test]
fn snow_in_an_oedometer_hardens_as_computed() {
    let (flow, lame) = (snow(), Lame::new(1.4e5, 0.2).unwrap());
    for (stretch, volume, hardening, stress) in OEDOMETER {
        let (mut sigma, mut history) = (Vect::<3>::from([stretch, 1.0, 1.0]), flow.initial());
        flow.project(Law::FixedCorotated, &lame, &mut sigma, &mut history, 1e-4);
        let packed = flow.moduli(&lame, &history);
        let found = Law::FixedCorotated.kirchhoff(&packed, &sigma)[0];
        assert!((history.volume - volume).abs() < 5e-6, "{history:?}");
        assert!((packed.mu / lame.mu - hardening).abs() < 5e-5 && (found - stress).abs() < 5e-3, "{found}");
    }
}

#[test]
fn an_oedometer_in_many_steps_ends_where_one_step_does() {
    let (flow, lame) = (snow(), Lame::new(1.4e5, 0.2).unwrap());
    let (mut sigma, mut history) = (Vect::<2>::repeat(1.0), flow.initial());
    for _ in 0..100 {
        sigma[0] *= 0.8f64.powf(0.01);
        flow.project(Law::FixedCorotated, &lame, &mut sigma, &mut history, 1e-4);
    }
    assert!((history.volume - 0.8 / 0.975).abs() < 1e-12 && sigma[0] == 0.975);
}

#[test]
fn snow_softens_as_it_comes_apart_and_never_overflows() {
    let lame = Lame::new(1.4e5, 0.2).unwrap();
    let apart = snow().moduli(&lame, &History { volume: 1.2, strain: 0.0 });
    assert!((apart.mu / lame.mu - (-2.0f64).exp()).abs() < 1e-12);
    let brittle = Plastic::Snow(Snow {
        critical_compression: 0.025,
        critical_stretch: 0.0075,
        hardening: 1e6,
        det_min: 0.0,
        det_max: f64::MAX,
    });
    for volume in [-1e300, 0.0, 0.5, 2.0, 1e300] {
        let moduli = brittle.moduli(&lame, &History { volume, strain: 0.0 });
        assert!(moduli.mu > 0.0 && moduli.mu.is_finite() && moduli.lambda.is_finite());
    }
}

/// Nilles 2020, Fig. 25: θc = 1 and a large θs make the snow model elastic.
#[test]
fn snow_without_limits_is_elastic() {
    let elastic = Plastic::Snow(Snow {
        critical_compression: 1.0,
        critical_stretch: 100.0,
        hardening: 10.0,
        det_min: 0.6,
        det_max: 20.0,
    });
    let (lame, mut history) = (Lame::new(1.4e5, 0.2).unwrap(), elastic.initial());
    let mut sigma = Vect::<3>::from([50.0, 0.01, 3.0]);
    assert!(!elastic.project(Law::FixedCorotated, &lame, &mut sigma, &mut history, 1e-4));
}

/// Errata N7: stretches are clamped one by one, so a stretch that is cut can leave the volume further from rest.
#[test]
fn the_clamp_of_snow_can_raise_the_energy_of_volume() {
    let lame = Lame::new(1e6, 0.3).unwrap();
    let trial = Vect::<3>::from([0.98, 0.98, 1.04]);
    let (mut sigma, mut history) = (trial, snow().initial());
    snow().project(Law::FixedCorotated, &lame, &mut sigma, &mut history, 1e-4);
    let energy = |sigma| Law::FixedCorotated.energy(&Lame { mu: 0.0, ..lame }, sigma);
    assert!(energy(&sigma) > energy(&trial));
}
