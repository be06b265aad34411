//! Zhou 2013 §5, video: a hand of the armadillo flickers in free fall with GBB09, until small stresses are clamped. In
//! free fall every particle accelerates by gravity alone; what a hand does beyond that is flicker.

use std::fmt::Write as _;
use std::fs;

use pliant_math::Vec3;
use pliant_render::{Curve, Curves, write_curves};
use pliant_scene::Scene;
use pliant_world::Snapshot;
use serde_json::{Value, json};

use super::{Options, SCENES, write_scenes};
use crate::exit::Failure;
use crate::loading::LoadedScene;
use crate::progress::Desk;

/// Labels and changes of the scene.
const ROWS: [(&str, &[&str]); 3] = [
    ("zhou2013", &[]),
    ("gbb2009", &["method=gbb2009"]),
    ("gbb2009, stress clamped", &["method={gbb2009={stress_clamp=1e-5}}"]),
];

/// High above the ground, for as long as it takes to fall 0.8 m.
const FREE_FALL: [&str; 3] = ["objects.armadillo.position=[0,4,0]", "time.duration=0.4s", "time.dt=2ms"];
/// Particles of a hand: those that reach out furthest to the side.
const HAND: usize = 8;

/// What the particles of a run feel beside gravity.
struct Flicker {
    label: &'static str,
    /// Largest acceleration of a particle of the hand over time [s, m/s²].
    felt: Vec<(f64, f64)>,
    /// Largest change of the acceleration of a particle of the hand from one step to the next [m/s²].
    jump: f64,
    /// The same over all particles.
    body_jump: f64,
    /// How far it came.
    ended: String,
}

/// Runs the methods, draws what the hand feels and writes the numbers beside it.
pub fn make(options: &Options, _: usize, desk: &mut Desk) -> Result<(), Failure> {
    let folder = options.out.join("zhou-flicker");
    write_scenes(&folder.join("scenes"), &SCENES)?;
    let path = folder.join("scenes/armadillo.toml");
    let mut rows = Vec::new();
    for (label, changes) in ROWS {
        let texts = FREE_FALL.iter().chain(changes).map(|change| (*change).to_owned());
        let set: Vec<String> = texts.chain(options.set.iter().cloned()).collect();
        rows.push(Flicker::of(label, &LoadedScene::read(&path, &set, None)?.scene, desk)?);
    }
    let curves = Curves {
        name: "acceleration".to_owned(),
        title: "A hand in free fall".to_owned(),
        across: "time [s]".to_owned(),
        along: "acceleration beside gravity [m/s²]".to_owned(),
        lines: rows
            .iter()
            .map(|row| Curve { label: row.label.to_owned(), points: row.felt.clone() })
            .collect(),
    };
    write_curves(&curves, &folder)?;
    let text = report(&rows);
    let path = folder.join("figure.md");
    fs::write(&path, &text).map_err(|error| Failure::io("write", &path, &error))?;
    let facts: Vec<Value> = rows.iter().map(Flicker::facts).collect();
    desk.progress.event("figure", json!({ "figure": "zhou-flicker", "rows": facts }))?;
    desk.progress.result(&format!("{text}\nin {}", folder.display()))
}

impl Flicker {
    fn of(label: &'static str, scene: &Scene, desk: &Desk) -> Result<Self, Failure> {
        let mut simulation = scene.simulation()?;
        let mut before = simulation.snapshot();
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        let hand = hand(&before);
        let ended = "to its end".to_owned();
        let mut flicker = Self { label, felt: Vec::new(), jump: 0.0, body_jump: 0.0, ended };
        let mut last: Option<Vec<Vec3>> = None;
        while !simulation.is_finished() {
            desk.signals.check()?;
            let refused = match simulation.step() {
                Ok(status) => status.rejected.into_iter().next(),
                Err(error) => Some(error.cause),
            };
            if let Some(cause) = refused {
                // Nothing is near and nothing is fast: a step that fails here is the flicker grown up.
                flicker.ended = format!("unstable at {:.3} s: {cause}", before.time);
                break;
            }
            let now = simulation.snapshot();
            let dt = now.time - before.time;
            let (old, new) = (vectors(&before, Snapshot::VELOCITY), vectors(&now, Snapshot::VELOCITY));
            let felt: Vec<Vec3> = new.iter().zip(&old).map(|(new, old)| (new - old) / dt - gravity).collect();
            let most = hand.iter().map(|&i| felt[i].norm()).fold(0.0, f64::max);
            flicker.felt.push((now.time, most));
            if let Some(last) = &last {
                let jump = |i: usize| (felt[i] - last[i]).norm();
                flicker.jump = hand.iter().map(|&i| jump(i)).fold(flicker.jump, f64::max);
                flicker.body_jump = (0..felt.len()).map(jump).fold(flicker.body_jump, f64::max);
            }
            (before, last) = (now, Some(felt));
        }
        Ok(flicker)
    }

    fn largest(&self) -> f64 {
        self.felt.iter().map(|(_, felt)| *felt).fold(0.0, f64::max)
    }

    fn facts(&self) -> Value {
        json!({
            "row": self.label, "hand_acceleration": self.largest(), "hand_jump": self.jump,
            "body_jump": self.body_jump, "ended": self.ended,
        })
    }
}

/// The particles that reach out furthest to the side.
fn hand(snapshot: &Snapshot) -> Vec<usize> {
    let x = vectors(snapshot, Snapshot::POSITION);
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].x.total_cmp(&x[b].x));
    order.truncate(HAND);
    order
}

fn vectors(snapshot: &Snapshot, name: &str) -> Vec<Vec3> {
    snapshot.vectors(name).unwrap_or_default().iter().map(|row| Vec3::from(row.map(f64::from))).collect()
}

fn report(rows: &[Flicker]) -> String {
    let mut text = "# zhou-flicker\n\nAn armadillo falls freely for 0.4 s. The paper: a hand flickers with GBB09, unless \
                    small stresses are clamped, and does not with the implicit method.\n\n\
                    ![acceleration of the hand beside gravity](acceleration.svg)\n\n\
                    | row | hand, beside gravity m/s² | jump of a hand particle m/s² | jump of any particle m/s² | ended |\n\
                    | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for row in rows {
        let (label, most, ended) = (row.label, row.largest(), &row.ended);
        let _ =
            writeln!(text, "| {label} | {most:.2e} | {:.2e} | {:.2e} | {ended} |", row.jump, row.body_jump);
    }
    text
}
