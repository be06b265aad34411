//! Known values of sand, and the slips of its equations in Nilles 2020.

use pliant_material::plastic::{Cohesion, Cone, DruckerPrager, Friction, Plastic};
use pliant_material::{History, Lame, Law};
use pliant_math::Vect;

const LITERAL: DruckerPrager = DruckerPrager {
    friction: Friction::Angle(std::f64::consts::FRAC_PI_6),
    cone: Cone::Literal,
    cohesion: Cohesion::Stress(0.0),
    volume_correction: false,
};

fn lame() -> Lame {
    Lame::new(3.537e5, 0.3).expect("these moduli are stable")
}

/// Hencky strain after the return, and what was remembered.
fn returned<const D: usize>(sand: DruckerPrager, strain: [f64; D], history: History) -> (Vect<D>, History) {
    let (mut sigma, mut history) = (Vect::from(strain).map(f64::exp), history);
    Plastic::DruckerPrager(sand).project(Law::Hencky, &lame(), &mut sigma, &mut history, 1e-4);
    (sigma.map(f64::ln), history)
}

const START: History = History { volume: 0.0, strain: 0.0 };

#[test]
fn the_return_mapping_gives_the_known_values() {
    assert!((Cone::Literal.slope::<3>(std::f64::consts::FRAC_PI_6) - 0.32660).abs() < 5e-6);
    let held = [-0.010, -0.009, -0.008];
    let (strain, history) = returned(LITERAL, held, START);
    assert!((strain - Vect::<3>::from(held)).amax() < 1e-15 && history == START, "held by friction");
    let (strain, history) = returned(LITERAL, [0.004, 0.001, 0.0], START);
    assert!(strain.amax() == 0.0 && history.strain > 0.0, "apart");
    let (strain, history) = returned(LITERAL, [-0.020, 0.004, 0.006], START);
    let expected = Vect::<3>::from([-0.011_979_3, 0.000_470_9, 0.001_508_4]);
    assert!((strain - expected).amax() < 6e-8 && (history.strain - 0.009_846_9).abs() < 6e-8, "sliding");
    let stress = Law::Hencky.kirchhoff(&lame(), &strain.map(f64::exp));
    assert!((stress - Vect::<3>::from([-5299.86, -1912.46, -1630.18])).amax() < 6e-3);
    assert!((strain.sum() + 0.010).abs() < 1e-15, "sliding keeps volume");
    let (strain, history) = returned(LITERAL, [-0.02, 0.01], START);
    assert!((strain - Vect::<2>::from([-0.010_773_5, 0.000_773_5])).amax() < 6e-8);
    assert!((history.strain - 0.013_048_2).abs() < 6e-8);
}

/// The ratio of shear to mean stress at which sand slides in plane strain, as a friction angle [deg].
fn angle_of_slope<const D: usize>(cone: Cone, angle: f64) -> f64 {
    let alpha = cone.slope::<D>(angle.to_radians());
    // Without dilatancy the stress across is the mean of the others; then sin φ = −(τ₁−τ₂)/(τ₁+τ₂).
    let ratio = if D == 2 { alpha * 2.0f64.sqrt() } else { alpha * 3.0 / 2.0f64.sqrt() };
    ratio.asin().to_degrees()
}

/// Errata N5: Eq. 95 means triaxial compression; slopes show another angle.
#[test]
fn the_plane_strain_cone_shows_its_angle_and_the_printed_one_another() {
    for (angle, plane, space) in
        [(20.0, 17.3, 26.5), (25.0, 22.3, 34.6), (30.0, 27.5, 43.9), (35.0, 33.1, 55.0), (40.0, 39.0, 70.8)]
    {
        assert!((angle_of_slope::<2>(Cone::PlaneStrain, angle) - angle).abs() < 1e-9);
        assert!((angle_of_slope::<3>(Cone::PlaneStrain, angle) - angle).abs() < 1e-9);
        assert!((angle_of_slope::<2>(Cone::Literal, angle) - plane).abs() < 0.06);
        assert!((angle_of_slope::<3>(Cone::Literal, angle) - space).abs() < 0.06);
    }
}

/// Errata N4: the text after Eq. 94 lets the angle fall back to h₃; the formula goes to h₀.
#[test]
fn the_friction_angle_ends_at_h0() {
    let degrees = f64::to_radians;
    let mast = Friction::Hardening { h0: degrees(35.0), h1: degrees(9.0), h2: 0.2, h3: degrees(10.0) };
    assert!((mast.angle(0.0) - degrees(25.0)).abs() < 1e-15);
    assert!((mast.angle(1e4) - degrees(35.0)).abs() < 1e-15);
    assert!(mast.angle(5.0) > degrees(35.0), "a peak on the way");
}

/// Errata N6: with `J c_C` of the corrected Eq. 97 the returned Cauchy stress meets Eq. 96 exactly; with the printed
/// `c_C/J` it does not.
#[test]
fn cohesion_is_a_cauchy_stress() {
    let cohesion = 2e3;
    let sand = DruckerPrager { cohesion: Cohesion::Stress(cohesion), ..LITERAL };
    let (strain, _) = returned(sand, [-0.2, 0.05, 0.02], START);
    let j = strain.sum().exp();
    let cauchy = Law::Hencky.kirchhoff(&lame(), &strain.map(f64::exp)) / j;
    let shear = cauchy.add_scalar(-cauchy.mean()).norm();
    let alpha = Cone::Literal.slope::<3>(std::f64::consts::FRAC_PI_6);
    assert!((alpha * cauchy.sum() + shear - cohesion).abs() < 1e-9 * cohesion);
    assert!((cohesion / (j * j) - cohesion).abs() > 0.2 * cohesion, "what print would give");
}

/// Errata N6: cohesion moves the tip of the cone into tension, and sand that comes apart returns to it.
#[test]
fn cohesive_sand_keeps_its_tension_when_it_comes_apart() {
    let sand = DruckerPrager { cohesion: Cohesion::Stress(2e3), ..LITERAL };
    let (strain, history) = returned(sand, [0.3, 0.2, 0.1], START);
    let cauchy = Law::Hencky.kirchhoff(&lame(), &strain.map(f64::exp)) / strain.sum().exp();
    let alpha = Cone::Literal.slope::<3>(std::f64::consts::FRAC_PI_6);
    assert!((alpha * cauchy.sum() - 2e3).abs() < 1e-9 * 2e3 && history.strain > 0.0);
    let (inside, _) = returned(sand, [0.001; 3], START);
    assert!((inside.sum() - 0.003).abs() < 1e-15, "tension below the tip is held");
}

#[test]
fn cohesion_as_a_strain_is_cohesion_in_units_of_twice_the_shear_modulus() {
    let stress = DruckerPrager { cohesion: Cohesion::Stress(2.0 * lame().mu * 0.004), ..LITERAL };
    let strain = DruckerPrager { cohesion: Cohesion::Strain(0.004), ..LITERAL };
    for trial in [[-0.2, 0.05, 0.02], [0.1, 0.1, 0.0], [-0.01, 0.0, 0.01]] {
        assert_eq!(returned(stress, trial, START), returned(strain, trial, START));
    }
    let huge = DruckerPrager { cohesion: Cohesion::Strain(1e3), ..LITERAL };
    let (unchanged, _) = returned(huge, [0.4, -0.3, 0.2], START);
    assert!((unchanged - Vect::<3>::from([0.4, -0.3, 0.2])).amax() < 1e-15, "elastic, as in Fig. 26");
}

/// Errata N3: with the sign of Eq. 88, sand that was pulled apart by 10 % gives no pressure until it has come
/// together by 10 %; with the printed sign of Eq. 93 it would push at once.
#[test]
fn sand_that_came_apart_must_come_together_before_it_pushes() {
    let corrected = DruckerPrager { volume_correction: true, ..LITERAL };
    let (strain, history) = returned(corrected, [0.05, 0.05, 0.0], START);
    assert!(strain.amax() == 0.0 && (history.volume - 0.1).abs() < 1e-15);
    let (strain, history) = returned(corrected, [-0.02; 3], history);
    assert!(strain.amax() < 1e-15 && (history.volume - 0.04).abs() < 1e-15, "still apart");
    let (strain, history) = returned(corrected, [-0.02; 3], history);
    assert!((strain.sum() + 0.02).abs() < 1e-15 && history.volume.abs() < 1e-15, "only the rest pushes");
    let (gained, _) = returned(LITERAL, [-0.02; 3], START);
    assert!((gained.sum() + 0.06).abs() < 1e-15, "without the correction all of it pushes");
}

/// Errata N3: tension does not reach across a gap, or closing it would give energy.
#[test]
fn a_gap_gives_cohesive_sand_no_tension() {
    let sand = DruckerPrager { cohesion: Cohesion::Stress(2e3), volume_correction: true, ..LITERAL };
    let apart = History { volume: 0.1, strain: 0.0 };
    for trace in [0.0, -0.03, -0.0999] {
        let (strain, history) = returned(sand, [trace / 3.0; 3], apart);
        assert!(strain.amax() < 1e-15 && (history.volume - 0.1 - trace).abs() < 1e-15, "{strain:?}");
    }
}

#[test]
fn sand_that_flies_apart_hardens_by_what_it_loses_and_no_more() {
    let corrected = DruckerPrager { volume_correction: true, ..LITERAL };
    let (_, after) = returned(corrected, [0.05, 0.05, 0.0], START);
    let (_, later) = returned(corrected, [0.0; 3], after);
    assert_eq!(after, later, "at rest in flight nothing changes");
}

/// Nilles 2020, §6.1.1: a friction angle of 0 makes a fluid.
#[test]
fn sand_without_friction_is_a_fluid() {
    let fluid = DruckerPrager { friction: Friction::Angle(0.0), ..LITERAL };
    let (strain, _) = returned(fluid, [-0.05, 0.01, 0.01], START);
    assert!((strain - Vect::<3>::repeat(-0.01)).amax() < 1e-15);
}
