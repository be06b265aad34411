//! R11: no particle and no mass gets lost, and free flight keeps momentum but for gravity.

use std::io;

use pliant_geometry::rng::SplitMix64;
use pliant_world::Snapshot;

use crate::scenes::Case;
use crate::{Lab, Report};

/// Largest drift of momentum, relative to mass times the speeds that occur. Each step solves its equations to a
/// tolerance of 1e-6 or so; bodies fly for tens of steps.
pub const MOMENTUM_BOUND: f64 = 1e-5;
/// Gravity of the scenes [m/s²].
const GRAVITY: [f64; 3] = [1.0, -9.81, 0.5];

/// Flies `count` random bodies and watches every frame.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, count: usize) -> io::Result<Report> {
    let mut report = Report::new("R11", "conservation");
    let mut random = lab.random(11);
    let (mut frames, mut worst_mass, mut worst_momentum) = (0, 0.0_f64, 0.0_f64);
    for trial in 0..count {
        let case = flight(&mut random);
        let room = lab.room()?;
        let answer = room.simulate(&case, "run", &[])?;
        let what = format!("trial {trial}, {}", case.set.join(" "));
        if !report.expect(answer.is_success(), || format!("{what}: {}", answer.describe())) {
            continue;
        }
        let snapshots = room.view("run").snapshots()?;
        let first = &snapshots[0];
        for snapshot in &snapshots {
            let (now, then) = (snapshot.positions().len(), first.positions().len());
            report.expect(now == then, || {
                format!("{what}: {now} of {then} particles in frame {}", snapshot.frame)
            });
            worst_mass = worst_mass.max((mass(snapshot) / mass(first) - 1.0).abs());
            worst_momentum = worst_momentum.max(momentum_drift(first, snapshot));
            frames += 1;
        }
    }
    report.expect(worst_mass == 0.0, || format!("mass changed by {worst_mass:e}"));
    report.expect(worst_momentum < MOMENTUM_BOUND, || format!("momentum drifted by {worst_momentum:e}"));
    report.summary = format!(
        "{count} flights, {frames} frames: no particle lost, mass exact, momentum within {worst_momentum:.1e}, \
         allowed {MOMENTUM_BOUND:e}"
    );
    if !report.passed() {
        report.summary =
            format!("{count} flights, {frames} frames: mass {worst_mass:.1e}, momentum {worst_momentum:.1e}");
    }
    report.figure("flights", count);
    report.figure("frames", frames);
    report.figure("momentum_drift", worst_momentum);
    Ok(report)
}

/// A body in the air, deformed by a spin, far from everything.
fn flight(random: &mut SplitMix64) -> Case {
    let (name, text) = [
        ("elastic", crate::scenes::elastic()),
        ("plastic", crate::scenes::plastic()),
        ("two_bodies", crate::scenes::two_bodies()),
    ][random.below(3)]
    .clone();
    let mut turn = || random.between(-20.0, 20.0);
    let spin = format!("objects.0.spin=[{:.2}, {:.2}, {:.2}]", turn(), turn(), turn());
    let velocity = format!("objects.0.velocity=[{:.2}, {:.2}, {:.2}]", turn(), turn(), turn());
    let mut case = Case::of_text(name, text, 0.2)
        .with(format!("gravity={GRAVITY:?}"))
        .with("time.duration=0.2")
        .with("output.checkpoint_interval=10 min")
        .with(spin)
        .with(velocity);
    if name != "two_bodies" {
        case = case.with("objects.0.position=[0, 20, 0]");
    }
    case
}

fn mass(snapshot: &Snapshot) -> f64 {
    snapshot.quantity("mass").unwrap_or(f64::NAN)
}

/// How far momentum is from where gravity alone takes it, relative to mass times the speed of the centre and of
/// gravity.
fn momentum_drift(first: &Snapshot, now: &Snapshot) -> f64 {
    let names = ["momentum_x", "momentum_y", "momentum_z"];
    let momentum = |snapshot: &Snapshot| names.map(|name| snapshot.quantity(name).unwrap_or(f64::NAN));
    let (before, after, mass, time) = (momentum(first), momentum(now), mass(first), now.time - first.time);
    let drift = |axis: usize| after[axis] - before[axis] - mass * GRAVITY[axis] * time;
    let norm = |vector: [f64; 3]| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    norm([0, 1, 2].map(drift)) / (norm(before) + mass * norm(GRAVITY) * time)
}
