//! Known answers of the flows that return to a yield stress: metal, mud and clay.

use pliant_material::plastic::{CamClay, HerschelBulkley, Plastic, VonMises};
use pliant_material::{History, Lame, Law};
use pliant_math::Vect;

const DT: f64 = 1e-3;

fn lame() -> Lame {
    Lame::new(1e6, 0.3).expect("these moduli are stable")
}

/// Norm of the deviator of the Kirchhoff stress [Pa].
fn deviator<const D: usize>(law: Law, sigma: &Vect<D>) -> f64 {
    let stress = law.kirchhoff(&lame(), sigma);
    stress.add_scalar(-stress.mean()).norm()
}

#[test]
fn metal_returns_to_its_hardened_yield_stress_for_every_law() {
    let metal = VonMises { yield_stress: 2e4, hardening: 1e5 };
    for law in [Law::Hencky, Law::FixedCorotated, Law::NeoHookean, Law::LinearCorotated] {
        let (mut sigma, mut history) =
            (Vect::<3>::from([1.3, 0.9, 0.8]), History { strain: 0.02, ..History::default() });
        let volume = sigma.product();
        assert!(Plastic::VonMises(metal).project(law, &lame(), &mut sigma, &mut history, DT));
        let limit = 2e4 + 1e5 * history.strain;
        let found = 1.5f64.sqrt() * deviator(law, &sigma);
        assert!((found / limit - 1.0).abs() < 1e-12, "{law:?} {found} {limit}");
        assert!((sigma.product() / volume - 1.0).abs() < 1e-14, "flow keeps volume");
    }
}

/// Uniaxial tension of a bar with free sides follows σ_y + H ε_p with the axial plastic strain.
#[test]
fn a_metal_bar_hardens_in_proportion_to_its_plastic_strain() {
    let metal = Plastic::VonMises(VonMises { yield_stress: 2e4, hardening: 5e4 });
    let (mut elastic, mut history) = (Vect::<3>::repeat(1.0), metal.initial());
    let (mut axial, poisson) = (0.0, lame().poisson());
    for _ in 0..200 {
        // Axial strain in steps; the sides follow so that they stay free of stress.
        let mut sides = -poisson * 1e-3;
        let before = (elastic, history);
        for _ in 0..50 {
            (elastic, history) = before;
            elastic.component_mul_assign(&Vect::<3>::from([1e-3, sides, sides]).map(f64::exp));
            metal.project(Law::Hencky, &lame(), &mut elastic, &mut history, DT);
            let across = Law::Hencky.kirchhoff(&lame(), &elastic)[1];
            sides -= across / lame().p_wave();
        }
        axial += 1e-3;
    }
    let stress = Law::Hencky.kirchhoff(&lame(), &elastic)[0];
    let expected = (2e4 + 5e4 * axial) / (1.0 + 5e4 / 1e6); // bilinear: tangent E H/(E + H)
    assert!((stress / expected - 1.0).abs() < 1e-6, "{stress} {expected}");
    assert!((history.strain - (axial - stress / 1e6)).abs() < 1e-8, "what is not elastic is plastic");
}

/// The limit of rigid plasticity in plane strain (Hill 1950).
#[test]
fn metal_in_the_plane_yields_at_two_over_root_three_of_its_yield_stress() {
    let metal = Plastic::VonMises(VonMises { yield_stress: 2e4, hardening: 0.0 });
    let (mut sigma, mut history) = (Vect::<2>::from([1.2, 0.8]), metal.initial());
    metal.project(Law::Hencky, &lame(), &mut sigma, &mut history, DT);
    let stress = Law::Hencky.kirchhoff(&lame(), &sigma);
    assert!(((stress[0] - stress[1]) / 2e4 - 2.0 / 3.0f64.sqrt()).abs() < 1e-12);
}

/// Steady simple shear at rate γ̇ ends at the stress a rheometer would show, whatever the step.
fn steady_shear<const D: usize>(mud: HerschelBulkley, rate: f64, dt: f64) -> f64 {
    let (flow, mut history) = (Plastic::HerschelBulkley(mud), History::default());
    let mut sigma = Vect::<D>::repeat(1.0);
    for _ in 0..4000 {
        // Pure shear of the same rate: principal strains ±γ̇/2.
        sigma[0] *= (0.5 * rate * dt).exp();
        sigma[1] *= (-0.5 * rate * dt).exp();
        flow.project(Law::Hencky, &lame(), &mut sigma, &mut history, dt);
    }
    deviator(Law::Hencky, &sigma) / 2.0f64.sqrt()
}

#[test]
fn mud_flows_at_the_stress_a_rheometer_shows() {
    for (yield_stress, consistency, exponent) in
        [(100.0, 30.0, 0.5), (600.0, 60.0, 1.0), (0.0, 50.0, 1.0), (50.0, 20.0, 1.5)]
    {
        let mud = HerschelBulkley { yield_stress, consistency, exponent };
        for rate in [0.1f64, 1.0, 10.0] {
            let expected = yield_stress + consistency * rate.powf(exponent);
            for found in [steady_shear::<2>(mud, rate, 1e-3), steady_shear::<3>(mud, rate, 4e-3)] {
                assert!((found / expected - 1.0).abs() < 1e-9, "{mud:?} {rate}: {found} {expected}");
            }
        }
    }
}

const CLAY: CamClay = CamClay { slope: 1.2, cohesion: 0.3, hardening: 2.0, compaction: 0.01 };

/// Pressure and shear stress in units of the bulk modulus.
fn pressure_and_shear(sigma: &Vect<3>) -> (f64, f64) {
    let bulk = lame().lambda + 2.0 / 3.0 * lame().mu;
    let stress = Law::Hencky.kirchhoff(&lame(), sigma);
    (-stress.mean() / bulk, 1.5f64.sqrt() * deviator(Law::Hencky, sigma) / bulk)
}

fn clay_after(strain: [f64; 3]) -> (Vect<3>, History) {
    let flow = Plastic::CamClay(CLAY);
    let (mut sigma, mut history) = (Vect::<3>::from(strain).map(f64::exp), flow.initial());
    flow.project(Law::Hencky, &lame(), &mut sigma, &mut history, DT);
    (sigma, history)
}

#[test]
fn clay_yields_at_its_strength_and_hardens_by_its_compaction() {
    let strength = (2.0 * 0.01f64).sinh();
    let (sigma, history) = clay_after([-0.02; 3]);
    let (p, q) = pressure_and_shear(&sigma);
    assert!((p - strength).abs() < 1e-14 && q < 1e-14);
    assert!((history.volume - (-0.01 - (0.06 - strength))).abs() < 1e-14, "what is not elastic compacts");
    let (again, stronger) = clay_after([-0.005; 3]);
    assert!((again.product().ln() + 0.015).abs() < 1e-15 && stronger.strain == 0.0, "elastic inside");
}

#[test]
fn clay_sheared_at_the_centre_of_its_ellipse_keeps_volume_and_strength() {
    let strength = (2.0 * 0.01f64).sinh();
    let centre = 0.5 * (1.0 - 0.3) * strength;
    let (sigma, history) = clay_after([0.1 - centre / 3.0, -0.1 - centre / 3.0, -centre / 3.0]);
    let (p, q) = pressure_and_shear(&sigma);
    let height = 1.2 * 0.5 * 1.3 * strength / 1.6f64.sqrt();
    assert!((p - centre).abs() < 1e-14 && (q - height).abs() < 1e-14);
    assert!((history.volume + 0.01).abs() < 1e-14 && history.strain > 0.0);
}

#[test]
fn clay_sheared_under_pressure_grows_stronger_and_sheared_loosely_weaker() {
    let sheared_at = |p: f64| clay_after([0.05 - p / 3.0, -0.05 - p / 3.0, -p / 3.0]).1.volume;
    let strength = (2.0 * 0.01f64).sinh();
    assert!(sheared_at(0.8 * strength) < -0.0101, "compacted");
    assert!(sheared_at(-0.1 * strength) > -0.0099, "loosened");
}

#[test]
fn torn_clay_falls_apart_and_has_no_strength_left() {
    let (sigma, history) = clay_after([0.1; 3]);
    assert!(history.volume > 0.0 && (sigma - Vect::<3>::repeat(1.0)).amax() < 1e-15);
}
