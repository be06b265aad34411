//! Kugelstadt 2021, Tables 1 and 2: the split solver against Peer 2018 on the moving bunny. Times of another machine
//! mean little; ratios can be compared.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::{Options, kugelstadt, write_scenes};
use crate::exit::Failure;
use crate::loading::LoadedScene;
use crate::progress::Desk;

/// A line of a table: what differs, and what the paper prints for ours and for Peer 2018 [ms].
struct Row {
    label: &'static str,
    set: &'static [&'static str],
    printed: [f64; 2],
}

/// Spacings that give about the paper's numbers of particles. Larger bodies: `--set spacing=2.02cm` for 64,055.
const SIZES: [Row; 3] = [
    Row { label: "4208 particles", set: &["spacing=4.98cm"], printed: [6.9, 144.0] },
    Row { label: "8208 particles", set: &["spacing=3.985cm"], printed: [19.2, 362.0] },
    Row { label: "16193 particles", set: &["spacing=3.18cm"], printed: [61.5, 895.0] },
];

/// At the smallest size, so that the tables take minutes.
const MODULI: [Row; 5] = [
    Row { label: "E 0.1 MPa", set: &["materials.body.young=0.1MPa"], printed: [123.0, 805.0] },
    Row { label: "E 0.5 MPa", set: &["materials.body.young=0.5MPa"], printed: [155.0, 1583.0] },
    Row { label: "E 1 MPa", set: &[], printed: [179.0, 2102.0] },
    Row { label: "E 5 MPa", set: &["materials.body.young=5MPa"], printed: [255.0, 3878.0] },
    Row { label: "E 10 MPa", set: &["materials.body.young=10MPa"], printed: [338.0, 4930.0] },
];

const STEPS: [Row; 5] = [
    Row { label: "dt 1 ms", set: &["time.dt=1ms"], printed: [134.0, 1152.0] },
    Row { label: "dt 2 ms", set: &[], printed: [179.0, 2102.0] },
    Row { label: "dt 5 ms", set: &["time.dt=5ms"], printed: [301.0, 4629.0] },
    Row { label: "dt 10 ms", set: &["time.dt=10ms"], printed: [479.0, 8712.0] },
    Row { label: "dt 15 ms", set: &["time.dt=15ms"], printed: [433.0, 12894.0] },
];

/// Steps before the clock starts, and steps that are timed.
const TRIAL: [usize; 2] = [5, 25];

/// A solver on a scene.
struct Timed {
    particles: usize,
    /// Elastic solve of a step [ms].
    milliseconds: f64,
    /// Iterations of linear solvers in a step.
    iterations: f64,
    /// From the scene to the first step [s].
    start_up: f64,
    /// Why it ended before its steps were done.
    failure: Option<String>,
}

/// Makes both tables.
pub(super) fn make(options: &Options, _: usize, desk: &mut Desk) -> Result<(), Failure> {
    let folder = options.out.join("kugelstadt-tables");
    write_scenes(&folder.join("scenes"), &kugelstadt::SCENES)?;
    let path = folder.join("scenes/kugelstadt2021/fig2_moving_bunny.toml");
    let mut text = "# kugelstadt-tables\n\nKugelstadt 2021, Tables 1 and 2: the elastic solve of a step on the moving \
                    bunny, ours (`split`) and Peer 2018.\n\n| case | particles | ours ms | iterations | Peer 2018 ms | \
                    iterations | ratio | the paper's | start-up s |\n| --- | --- | --- | --- | --- | --- | --- | --- | \
                    --- |\n"
        .to_owned();
    let mut facts = Vec::new();
    for row in SIZES.iter().chain(&MODULI).chain(&STEPS) {
        let ours = time(&path, row, "split", &options.set, desk)?;
        let peer = time(&path, row, "peer2018", &options.set, desk)?;
        facts.push(note(row, &ours, &peer, &mut text));
    }
    let file = folder.join("figure.md");
    fs::write(&file, &text).map_err(|error| Failure::io("write", &file, &error))?;
    desk.progress.event("figure", json!({ "figure": "kugelstadt-tables", "rows": facts }))?;
    desk.progress.result(&format!("{text}\nin {}", folder.display()))
}

fn time(path: &Path, row: &Row, solver: &str, more: &[String], desk: &mut Desk) -> Result<Timed, Failure> {
    let mut set: Vec<String> = row.set.iter().map(|change| (*change).to_owned()).collect();
    set.push(format!("method.sph.elasticity={solver}"));
    set.push("objects.bunny.sampler=lattice".to_owned());
    set.extend(more.iter().cloned());
    let scene = LoadedScene::read(path, &set, None)?.scene;
    let start = Instant::now();
    let mut simulation = scene.simulation()?;
    let particles = simulation.particle_count();
    let mut timed = Timed { particles, milliseconds: 0.0, iterations: 0.0, start_up: 0.0, failure: None };
    for step in 0..TRIAL[0] + TRIAL[1] {
        desk.signals.check()?;
        let status = match simulation.step() {
            Ok(status) => status,
            Err(error) => {
                timed.failure = Some(error.to_string());
                break;
            }
        };
        if step == 0 {
            timed.start_up = start.elapsed().as_secs_f64();
        }
        if step >= TRIAL[0] {
            let elastic = status.report.stages.iter().filter(|(stage, _)| *stage == "elasticity");
            timed.milliseconds += 1e3 * elastic.map(|(_, seconds)| seconds).sum::<f64>() / TRIAL[1] as f64;
            timed.iterations += status.report.iterations as f64 / TRIAL[1] as f64;
        }
    }
    Ok(timed)
}

/// Adds a line to the table.
fn note(row: &Row, ours: &Timed, peer: &Timed, text: &mut String) -> Value {
    let cell = |timed: &Timed| match &timed.failure {
        None => format!("{:.1} | {:.1}", timed.milliseconds, timed.iterations),
        Some(cause) => format!("failed: {cause} | -"),
    };
    let (ratio, printed) = (peer.milliseconds / ours.milliseconds, row.printed[1] / row.printed[0]);
    let _ = writeln!(
        text,
        "| {} | {} | {} | {} | {ratio:.1} | {printed:.1} | {:.1} |",
        row.label,
        ours.particles,
        cell(ours),
        cell(peer),
        ours.start_up
    );
    json!({
        "row": row.label, "particles": ours.particles, "ours_ms": ours.milliseconds, "peer_ms": peer.milliseconds,
        "ours_iterations": ours.iterations, "peer_iterations": peer.iterations, "ratio": ratio,
        "printed_ratio": printed, "start_up_s": ours.start_up, "ours_failed": ours.failure, "peer_failed": peer.failure,
    })
}
