//! What every elastic law must do, in the plane and in space, and the known values of each.

use pliant_material::{EquationOfState, Fluid, Lame, Law};
use pliant_math::{Mat, Vect, principal};

const WATER: Fluid =
    Fluid { state: EquationOfState::Tait { exponent: 7.0 }, bulk_modulus: 3e5, viscosity: 0.0 };
const SOLIDS: [Law; 5] =
    [Law::LinearCorotated, Law::FixedCorotated, Law::NeoHookean, Law::StVenantKirchhoff, Law::Hencky];
const FLUIDS: [Law; 3] = [
    Law::Fluid(WATER),
    Law::Fluid(Fluid { state: EquationOfState::Linear, ..WATER }),
    Law::Fluid(Fluid { state: EquationOfState::Tait { exponent: 1.0 }, ..WATER }),
];

fn laws() -> impl Iterator<Item = Law> {
    SOLIDS.into_iter().chain(FLUIDS)
}

fn lame() -> Lame {
    Lame::new(1e6, 0.3).expect("these moduli are stable")
}

/// Stretches between 0.5 and 1.8, the same in every run.
fn stretches<const D: usize>() -> impl Iterator<Item = Vect<D>> {
    let mut state = 7u64;
    (0..1000).map(move |_| {
        Vect::from_fn(|_, _| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            0.5 + 1.3 * (state >> 11) as f64 / (1u64 << 53) as f64
        })
    })
}

fn in_both(check: impl Fn(Law, usize)) {
    for law in laws() {
        check(law, 2);
        check(law, 3);
    }
}

fn piola_is_the_derivative_of_the_energy<const D: usize>(law: Law) {
    let step = 1e-5;
    for sigma in stretches::<D>() {
        let stress = law.piola(&lame(), &sigma);
        for k in 0..D {
            let mut h = Vect::zeros();
            h[k] = step;
            let slope =
                (law.energy(&lame(), &(sigma + h)) - law.energy(&lame(), &(sigma - h))) / (2.0 * step);
            // The third derivative times step² is the error of the difference.
            assert!((slope - stress[k]).abs() < 1e-6 * (stress.amax() + 1e6), "{law:?} {sigma:?}");
        }
    }
}

#[test]
fn stress_is_the_derivative_of_the_energy() {
    in_both(|law, d| match d {
        2 => piola_is_the_derivative_of_the_energy::<2>(law),
        _ => piola_is_the_derivative_of_the_energy::<3>(law),
    });
}

fn stiffness_is_the_derivative_of_stress<const D: usize>(law: Law) {
    let step = 1e-5;
    for sigma in stretches::<D>() {
        let stiffness = law.stiffness(&lame(), &sigma);
        assert!((stiffness - stiffness.transpose()).amax() <= 1e-12 * stiffness.amax(), "{law:?} {sigma:?}");
        for k in 0..D {
            let mut h = Vect::zeros();
            h[k] = step;
            let rise = law.piola(&lame(), &(sigma + h)) - law.piola(&lame(), &(sigma - h));
            let error = (rise / (2.0 * step) - stiffness.column(k)).amax();
            // Central differences: the third derivative of the stress times step².
            assert!(error < 1e-6 * (stiffness.amax() + 1e6), "{law:?} {sigma:?} {error:e}");
        }
    }
}

#[test]
fn stiffness_is_the_derivative_of_the_stress() {
    in_both(|law, d| match d {
        2 => stiffness_is_the_derivative_of_stress::<2>(law),
        _ => stiffness_is_the_derivative_of_stress::<3>(law),
    });
}

fn kirchhoff_is_piola_times_stretch<const D: usize>(law: Law) {
    for sigma in stretches::<D>() {
        let expected = law.piola(&lame(), &sigma).component_mul(&sigma);
        let found = law.kirchhoff(&lame(), &sigma);
        assert!((found - expected).amax() <= 1e-12 * (expected.amax() + 1e6), "{law:?} {sigma:?}");
    }
}

#[test]
fn kirchhoff_stress_is_piola_stress_times_stretch() {
    in_both(|law, d| match d {
        2 => kirchhoff_is_piola_times_stretch::<2>(law),
        _ => kirchhoff_is_piola_times_stretch::<3>(law),
    });
}

#[test]
fn matter_at_rest_has_no_stress_and_no_energy() {
    for law in laws() {
        assert_eq!(law.energy(&lame(), &Vect::<3>::repeat(1.0)), 0.0, "{law:?}");
        assert_eq!(law.piola(&lame(), &Vect::<3>::repeat(1.0)).amax(), 0.0, "{law:?}");
        assert_eq!(law.kirchhoff(&lame(), &Vect::<2>::repeat(1.0)).amax(), 0.0, "{law:?}");
    }
}

fn follows_hooke<const D: usize>(law: Law, moduli: &Lame) {
    let direction = Vect::<D>::from_fn(|i, _| [0.7, -0.4, 0.2][i]);
    for size in [1e-4, 1e-5] {
        let strain = direction * size;
        let hooke = (strain * (2.0 * moduli.mu)).add_scalar(moduli.lambda * strain.sum());
        let found = law.kirchhoff(&lame(), &strain.add_scalar(1.0));
        // Ten times: the second derivative of Tait's law with exponent 7.
        assert!((found - hooke).amax() < 10.0 * size * size * 3e6, "{law:?} {found:?} {hooke:?}");
    }
}

#[test]
fn small_strains_follow_hookes_law() {
    for law in SOLIDS {
        follows_hooke::<2>(law, &lame());
        follows_hooke::<3>(law, &lame());
    }
    for law in FLUIDS {
        let moduli = Lame { mu: 0.0, lambda: law.wave_modulus(&lame()) };
        follows_hooke::<2>(law, &moduli);
        follows_hooke::<3>(law, &moduli);
    }
}

#[test]
fn no_direction_is_special() {
    for law in laws() {
        for s in stretches::<3>().take(100) {
            let turned = Vect::<3>::from([s[2], s[0], s[1]]);
            let (a, b) = (law.kirchhoff(&lame(), &s), law.kirchhoff(&lame(), &turned));
            assert!((b - Vect::<3>::from([a[2], a[0], a[1]])).amax() <= 1e-9 * (a.amax() + 1e3), "{law:?}");
            let (a, b) = (law.energy(&lame(), &s), law.energy(&lame(), &turned));
            assert!((a - b).abs() <= 1e-12 * (a + 1e3), "{law:?}");
        }
    }
}

#[test]
fn the_plane_is_space_without_stretch_across() {
    for law in laws() {
        for s in stretches::<2>().take(100) {
            let space = Vect::<3>::from([s[0], s[1], 1.0]);
            let (a, b) = (law.kirchhoff(&lame(), &s), law.kirchhoff(&lame(), &space));
            assert!((a - Vect::<2>::from([b[0], b[1]])).amax() <= 1e-9 * (a.amax() + 1e3), "{law:?}");
            let (a, b) = (law.energy(&lame(), &s), law.energy(&lame(), &space));
            assert!((a - b).abs() <= 1e-12 * (a + 1e3), "{law:?}");
        }
    }
}

#[test]
fn whatever_the_stretch_stresses_are_numbers() {
    let nasty = [0.0, -0.0, -1.0, -1e8, 1e-8, 1e-300, f64::MIN_POSITIVE, 1.0, 1e8];
    for law in laws() {
        for a in nasty {
            for b in nasty {
                let (plane, space) = (Vect::<2>::from([a, b]), Vect::<3>::from([a, b, a]));
                let finite = law.energy(&lame(), &space).is_finite()
                    && law.kirchhoff(&lame(), &plane).iter().all(|v| v.is_finite())
                    && law.kirchhoff(&lame(), &space).iter().all(|v| v.is_finite())
                    && law.piola(&lame(), &space).iter().all(|v| v.is_finite());
                assert!(finite, "{law:?} {a} {b}");
            }
        }
    }
}

/// Cauchy stress of a simple shear [Pa].
fn shear(law: Law, amount: f64) -> Mat<3> {
    let mut f = Mat::<3>::identity();
    f[(0, 1)] = amount;
    let parts = principal(&f);
    parts.u * Mat::from_diagonal(&law.kirchhoff(&lame(), &parts.sigma)) * parts.u.transpose()
}

/// Computed independently for E = 1 MPa, ν = 0.3: Piola stress at stretches 1.2, 0.8 and 1.5, Cauchy stress across
/// at 1.2; then of shears of 0.5 (12, 11, 22) and 1 (12) [Pa].
const KNOWN: [(Law, [f64; 4], [f64; 4]); 5] = [
    (
        Law::StVenantKirchhoff,
        [355_384.615, -193_846.154, 1_262_019.231, 105_769.231],
        [276_442.3, 306_490.4, 168_269.2, 1_057_692.3],
    ),
    (
        Law::Hencky,
        [204_527.387, -375_481.937, 363_878.943, 87_654.595],
        [184_675.2, 46_168.8, -46_168.8, 331_083.8],
    ),
    (
        Law::NeoHookean,
        [228_680.236, -333_997.753, 476_460.939, 87_654.595],
        [192_307.7, 96_153.8, 0.0, 384_615.4],
    ),
    (
        Law::FixedCorotated,
        [269_230.769, -269_230.769, 673_076.923, 115_384.615],
        [198_049.5, 121_992.1, 22_967.3, 425_220.3],
    ),
    (
        Law::LinearCorotated,
        [269_230.769, -269_230.769, 673_076.923, 96_153.846],
        [206_662.3, 160_749.4, 57_418.3, 486_127.7],
    ),
];

#[test]
fn known_values_are_met() {
    for (law, uniaxial, sheared) in KNOWN {
        let piola = |stretch: f64| law.piola(&lame(), &Vect::<3>::from([stretch, 1.0, 1.0]));
        let found = [piola(1.2)[0], piola(0.8)[0], piola(1.5)[0], piola(1.2)[1] / 1.2];
        for (found, expected) in found.into_iter().zip(uniaxial) {
            assert!((found - expected).abs() < 1e-3, "{law:?} {found} {expected}");
        }
        let (half, full) = (shear(law, 0.5), shear(law, 1.0));
        let found = [half[(0, 1)], half[(0, 0)], half[(1, 1)], full[(0, 1)]];
        for (found, expected) in found.into_iter().zip(sheared) {
            assert!((found - expected).abs() < 0.1, "{law:?} {found} {expected}");
        }
    }
}

#[test]
fn st_venant_kirchhoff_gives_way_below_a_stretch_of_one_over_root_three() {
    let stress =
        |stretch: f64| Law::StVenantKirchhoff.piola(&lame(), &Vect::<3>::from([stretch, 1.0, 1.0]))[0];
    let least = 1.0 / 3.0f64.sqrt();
    assert!(stress(least) < stress(least - 1e-3) && stress(least) < stress(least + 1e-3));
}

/// Nilles 2020, Eq. 71 against Eq. 73: what is printed as Cauchy stress is Kirchhoff stress (errata N1).
#[test]
fn the_stress_of_hencky_strain_is_kirchhoffs() {
    let f = Mat::<3>::new(1.3, 0.2, -0.1, 0.05, 0.9, 0.3, 0.0, -0.2, 1.1);
    let parts = principal(&f);
    let logs = parts.sigma.map(|s| (s * s).ln());
    let printed = (logs * lame().mu).add_scalar(0.5 * lame().lambda * logs.sum());
    let from_piola = parts.u
        * Mat::from_diagonal(&Law::Hencky.piola(&lame(), &parts.sigma))
        * parts.v.transpose()
        * f.transpose();
    let printed = parts.u * Mat::from_diagonal(&printed) * parts.u.transpose();
    assert!((printed - from_piola).amax() < 1e-8 * printed.amax());
    let cauchy = from_piola / parts.sigma.product();
    assert!((printed - cauchy).amax() > 0.1 * printed.amax(), "the determinant is not 1 here");
}
