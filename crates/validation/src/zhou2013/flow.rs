//! Plastic flow.

use super::backward_euler;
use crate::figure::sampled;
use crate::stage::{Run, add_plate, elastic, lattice, size, world_of};
use crate::{Figure, Findings, Measure, Resolution, Tolerance};
use nalgebra::UnitQuaternion;
use pliant_material::Material;
use pliant_material::plastic::{Bargteil2007, Plastic};
use pliant_math::Vec3;
use pliant_solver::StepError;
use pliant_world::{Keyframe, Motion};

const YOUNG: f64 = 1e6;
const YIELD_STRESS: f64 = 2e4;
const RATE: f64 = 0.5;
const DT: f64 = 2e-3;
const LARGEST_STRAIN: f64 = 0.2;

/// A block between smooth platens is compressed by 20 % and released.
pub(super) fn plastic_block(resolution: Resolution) -> Result<Findings, StepError> {
    let n = resolution.pick([5, 8, 10]);
    let d = 0.16 / n as f64;
    let rest = lattice([n, n, n], d);
    let flow = Bargteil2007 { yield_stress: YIELD_STRESS, relaxation_time: 0.0, hardening: 0.0 };
    let plastic = Some(Plastic::Bargteil2007(flow));
    let mut world = world_of(&rest, d, Material { plastic, ..elastic(1000.0, YOUNG, 0.3) });
    let half = LARGEST_STRAIN / RATE;
    add_plate(&mut world, Vec3::y(), Vec3::zeros(), 0.0, Motion::Static);
    let down_and_up = platen(-LARGEST_STRAIN * size(&rest, 1), half);
    add_plate(&mut world, -Vec3::y(), Vec3::y() * 0.16, 0.0, down_and_up);
    let mut run = Run::new(world, backward_euler());
    let (mut stresses, mut path) = (Vec::new(), vec![(0.0, 0.0)]);
    while run.time < 2.0 * half {
        run.step(DT)?;
        let (strain, stress) = (run.time.min(2.0 * half - run.time) * RATE, -run.mean_stress(1, |_| true));
        path.push((strain, stress / 1e3));
        if run.time < half && (0.1..0.19).contains(&strain) {
            stresses.push(stress);
        }
    }
    let permanent = 1.0 - size(&run.world.particles.position, 1) / size(&rest, 1);
    let elastic_strain = YIELD_STRESS / YOUNG;
    let ideal = |strain: f64| (strain / elastic_strain).min(1.0) * YIELD_STRESS / 1e3;
    let figure = Figure::new("Plastic block", "strain of the platens", "stress [kPa]")
        .with("simulated, there and back", path)
        .with("ideal, there", sampled(0.0, LARGEST_STRAIN, ideal));
    let measures = vec![
        Measure {
            quantity: "stress while it yields".to_owned(),
            unit: "Pa",
            value: stresses.iter().sum::<f64>() / stresses.len() as f64,
            reference: YIELD_STRESS,
            tolerance: Tolerance::Relative(-0.1..=0.05),
        },
        Measure {
            quantity: "strain that stays".to_owned(),
            unit: "",
            value: permanent,
            // The elastic part springs back: the height under stress is 1 - Y/E of that without.
            reference: 1.0 - (1.0 - LARGEST_STRAIN) / (1.0 - YIELD_STRESS / YOUNG),
            tolerance: Tolerance::absolute(0.005),
        },
        Measure {
            quantity: "change of volume by flow".to_owned(),
            unit: "",
            value: run.solver.plastic_volume_error(),
            reference: 0.0,
            tolerance: Tolerance::absolute(1e-10),
        },
    ];
    Ok(Findings { measures, figure: Some(figure) })
}

/// Down by `travel` [m] until `half` [s], and back in the same time.
fn platen(travel: f64, half: f64) -> Motion {
    let at = |(time, y): (f64, f64)| Keyframe {
        time,
        translation: Vec3::y() * y,
        rotation: UnitQuaternion::identity(),
        center: Vec3::zeros(),
    };
    let frames = [(0.0, 0.0), (half, travel), (2.0 * half, 0.0)];
    Motion::keyframes(frames.into_iter().map(at).collect()).expect("times rise")
}
