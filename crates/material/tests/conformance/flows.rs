//! What every plastic flow must do, in the plane and in space.

use pliant_material::plastic::{Bargteil2007, CamClay, Cohesion, HerschelBulkley, Plastic, VonMises};
use pliant_material::{History, Lame, Law, preset};
use pliant_math::Vect;

const DT: f64 = 1e-3;

/// A flow with the law it is used with.
struct Case {
    flow: Plastic,
    law: Law,
    /// Largest change of a stretch when the mapping is repeated.
    idempotence: f64,
}

impl Case {
    /// Elastic energy density [J/m³]; of snow without the part of volume (errata N7).
    fn energy<const D: usize>(&self, sigma: &Vect<D>) -> f64 {
        let Lame { mu, lambda } = lame();
        let lambda = if matches!(self.flow, Plastic::Snow(_)) { 0.0 } else { lambda };
        self.law.energy(&Lame { mu, lambda }, sigma)
    }
}

fn cases() -> Vec<Case> {
    let of = |name: &str| preset(name).expect("there is such a preset").material();
    let named = ["nilles-snow", "snow-wet", "sand", "sand-wet", "nilles-sand"].map(|name| {
        let material = of(name);
        Case { flow: material.plastic.expect("it flows"), law: material.law_for_mpm(), idempotence: 1e-14 }
    });
    let bargteil = Bargteil2007 { yield_stress: 2e4, relaxation_time: 0.0, hardening: 1e4 };
    let metal = Plastic::VonMises(VonMises { yield_stress: 2e4, hardening: 1e4 });
    let clay = CamClay { slope: 1.2, cohesion: 0.3, hardening: 2.0, compaction: 0.05 };
    let paste = HerschelBulkley { yield_stress: 1e4, consistency: 0.0, exponent: 1.0 };
    let mut cases = Vec::from(named);
    cases.extend([
        // Its yield test is on σ−1, its flow on ln σ: they agree to first order (errata Z6).
        Case { flow: Plastic::Bargteil2007(bargteil), law: Law::FixedCorotated, idempotence: 0.1 },
        Case { flow: metal, law: Law::Hencky, idempotence: 1e-14 },
        Case { flow: metal, law: Law::NeoHookean, idempotence: 1e-12 },
        Case { flow: Plastic::CamClay(clay), law: Law::Hencky, idempotence: 1e-12 },
        Case { flow: Plastic::HerschelBulkley(paste), law: Law::Hencky, idempotence: 1e-12 },
    ]);
    cases
}

fn lame() -> Lame {
    Lame::new(1e6, 0.3).expect("these moduli are stable")
}

/// Stretches between 0.6 and 1.5, the same in every run.
fn trials<const D: usize>() -> impl Iterator<Item = Vect<D>> {
    let mut state = 11u64;
    (0..1000).map(move |_| {
        Vect::from_fn(|_, _| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            0.6 + 0.9 * (state >> 11) as f64 / (1u64 << 53) as f64
        })
    })
}

fn check_all(check: impl Fn(&Case, usize)) {
    for case in cases() {
        check(&case, 2);
        check(&case, 3);
    }
}

fn repeats_without_change<const D: usize>(case: &Case) {
    for trial in trials::<D>() {
        let (mut sigma, mut history) = (trial, case.flow.initial());
        case.flow.project(case.law, &lame(), &mut sigma, &mut history, DT);
        let mut again = sigma;
        case.flow.project(case.law, &lame(), &mut again, &mut history, DT);
        let change = (again - sigma).amax();
        assert!(change <= case.idempotence, "{:?} {trial:?} {change}", case.flow);
    }
}

#[test]
fn a_returned_state_returns_to_itself() {
    check_all(
        |case, d| if d == 2 { repeats_without_change::<2>(case) } else { repeats_without_change::<3>(case) },
    );
}

/// How far a state is outside its yield surface: a strain, or a stress in units of the shear modulus. Written from the
/// definitions of the surfaces, not from the code that returns to them.
fn outside<const D: usize>(case: &Case, sigma: &Vect<D>, history: &History) -> f64 {
    let (Lame { mu, lambda }, d) = (lame(), D as f64);
    let stress = case.law.kirchhoff(&lame(), sigma);
    let (trace, shear) = (stress.sum(), stress.add_scalar(-stress.mean()).norm());
    match case.flow {
        Plastic::Snow(snow) => {
            let (low, high) = (1.0 - snow.critical_compression, 1.0 + snow.critical_stretch);
            (sigma.max() - high).max(low - sigma.min())
        }
        Plastic::DruckerPrager(sand) => {
            let alpha = sand.cone.slope::<D>(sand.friction.angle(history.strain));
            let (Cohesion::Stress(cohesion) | Cohesion::Strain(cohesion)) = sand.cohesion;
            (alpha * trace + shear - sigma.product() * cohesion) / mu
        }
        Plastic::VonMises(metal) => {
            (1.5f64.sqrt() * shear - metal.yield_stress - metal.hardening * history.strain) / mu
        }
        Plastic::HerschelBulkley(mud) => (shear / 2.0f64.sqrt() - mud.yield_stress) / mu,
        Plastic::CamClay(clay) => {
            let bulk = lambda + 2.0 * mu / d;
            let (p, q) = (-trace / d, ((6.0 - d) / 2.0).sqrt() * shear);
            let p0 = bulk * (clay.hardening * (-history.volume).max(0.0)).sinh();
            let inner = clay.slope.powi(2) * (p + clay.cohesion * p0) * (p - p0);
            (q * q * (1.0 + 2.0 * clay.cohesion) + inner) / (mu * mu)
        }
        Plastic::Bargteil2007(flow) => {
            let strain = sigma.add_scalar(-sigma.mean()).norm();
            1.5f64.sqrt() * 2.0 * strain - (flow.yield_stress + flow.hardening * history.strain) / mu
        }
    }
}

fn ends_inside<const D: usize>(case: &Case) {
    let mut history = case.flow.initial();
    for trial in trials::<D>() {
        let mut sigma = trial;
        case.flow.project(case.law, &lame(), &mut sigma, &mut history, DT);
        let outside = outside(case, &sigma, &history);
        assert!(outside <= case.idempotence.max(1e-12), "{:?} {trial:?} {outside}", case.flow);
    }
}

#[test]
fn a_returned_state_is_inside_its_yield_surface() {
    check_all(|case, d| if d == 2 { ends_inside::<2>(case) } else { ends_inside::<3>(case) });
}

fn gives_no_energy<const D: usize>(case: &Case) {
    let mut history = case.flow.initial();
    for trial in trials::<D>() {
        let (mut sigma, before) = (trial, history);
        let flowed = case.flow.project(case.law, &lame(), &mut sigma, &mut history, DT);
        let (old, new) = (case.energy(&trial), case.energy(&sigma));
        assert!(new <= old * (1.0 + 1e-12), "{:?} {trial:?} {old} {new}", case.flow);
        assert!(flowed || sigma == trial, "{:?} {trial:?}", case.flow);
        assert!(history.strain >= before.strain && history.volume.is_finite(), "{:?}", case.flow);
    }
    assert!(history.strain > 0.0, "{:?} never flowed", case.flow);
}

#[test]
fn flow_never_gives_energy_and_never_forgets_strain() {
    check_all(|case, d| if d == 2 { gives_no_energy::<2>(case) } else { gives_no_energy::<3>(case) });
}

#[test]
fn nothing_flows_at_rest() {
    for case in cases() {
        let (mut sigma, mut history) = (Vect::<3>::repeat(1.0), case.flow.initial());
        assert!(!case.flow.project(case.law, &lame(), &mut sigma, &mut history, DT), "{:?}", case.flow);
        assert!(sigma == Vect::<3>::repeat(1.0) && history == case.flow.initial());
    }
}

#[test]
fn whatever_the_trial_the_result_is_a_number() {
    let nasty = [0.0, -1.0, -1e8, 1e-8, f64::MIN_POSITIVE, 1.0, 1e8];
    for case in cases() {
        for a in nasty {
            for b in nasty {
                for moduli in [lame(), Lame { mu: 0.0, lambda: 1e5 }, Lame { mu: 0.0, lambda: 0.0 }] {
                    let (mut sigma, mut history) = (Vect::<3>::from([a, b, a]), case.flow.initial());
                    case.flow.project(case.law, &moduli, &mut sigma, &mut history, DT);
                    let stiff = case.flow.moduli(&moduli, &history);
                    let numbers = [history.volume, history.strain, stiff.mu, stiff.lambda];
                    let finite = sigma.iter().chain(&numbers).all(|value| value.is_finite());
                    assert!(finite, "{:?} {a} {b} {sigma:?} {history:?}", case.flow);
                }
            }
        }
    }
}

#[test]
fn elastic_matter_remembers_no_change_of_volume() {
    assert_eq!(History::default(), History { volume: 1.0, strain: 0.0 });
}
