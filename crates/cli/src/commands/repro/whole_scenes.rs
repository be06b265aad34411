//! The scenes of Zhou 2013, Table 1, from just before the impact to rest: the implicit method at the paper's step against
//! our explicit mode that keeps the rest pose, at the step it takes by itself. Impacts alone are `zhou-table1`.

use std::fmt::Write as _;
use std::fs;

use pliant_store::machine::Machine;
use serde_json::{Value, json};

use super::table1::{IMPLICIT_DT, ROWS, Row};
use super::{Options, SCENES, write_scenes};
use crate::exit::Failure;
use crate::loading::LoadedScene;
use crate::processor::ProcessorWatch;
use crate::progress::Desk;

/// A whole scene with one method.
struct Passage {
    /// Processor time [s].
    seconds: f64,
    /// Steps of the implicit method; those of the explicit one have sub-steps.
    steps: u64,
    halved: usize,
    iterations: usize,
    /// Why it ended before its time.
    failure: Option<String>,
}

/// A scene with both methods.
struct Line {
    row: &'static Row,
    particles: usize,
    time: f64,
    implicit: Passage,
    explicit: Passage,
}

/// Runs the scenes and writes `table.md` and `table.json`, anew after each of them.
pub fn make(options: &Options, threads: usize, desk: &mut Desk) -> Result<(), Failure> {
    let folder = options.out.join("zhou-scenes");
    write_scenes(&folder.join("scenes"), &SCENES)?;
    let mut lines = Vec::new();
    // The last one first: bodies that hit each other are the hardest.
    for row in ROWS.iter().rev() {
        lines.push(measure(row, options, desk)?);
        let facts = json!({
            "figure": "zhou-scenes", "threads": threads, "machine": Machine::detect(),
            "rows": lines.iter().map(Line::facts).collect::<Vec<_>>(),
        });
        let pretty = format!("{facts:#}\n");
        for (name, text) in [("table.md", &report(&lines)), ("table.json", &pretty)] {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| Failure::io("write", &path, &error))?;
        }
    }
    let rows: Vec<Value> = lines.iter().map(Line::facts).collect();
    desk.progress.event("figure", json!({ "figure": "zhou-scenes", "rows": rows }))?;
    desk.progress.result(&format!("{}\nin {}", report(&lines), folder.display()))
}

fn measure(row: &'static Row, options: &Options, desk: &Desk) -> Result<Line, Failure> {
    let path = options.out.join("zhou-scenes/scenes").join(row.scene);
    let load = |change: String| {
        let mut set: Vec<String> = row.set.iter().map(|change| (*change).to_owned()).collect();
        set.push(change);
        set.extend(options.set.iter().cloned());
        Ok::<_, Failure>(LoadedScene::read(&path, &set, None)?.scene)
    };
    let implicit = load(format!("time.dt={IMPLICIT_DT}"))?;
    let explicit = load("method={zhou2013={integrator=\"explicit\"}}".to_owned())?;
    Ok(Line {
        row,
        particles: implicit.simulation()?.particle_count(),
        time: implicit.time.duration,
        implicit: pass(&implicit, desk)?,
        explicit: pass(&explicit, desk)?,
    })
}

/// Runs a scene from its start to its end.
fn pass(scene: &pliant_scene::Scene, desk: &Desk) -> Result<Passage, Failure> {
    let mut simulation = scene.simulation()?;
    let mut passage = Passage { seconds: 0.0, steps: 0, halved: 0, iterations: 0, failure: None };
    let watch = ProcessorWatch::start();
    while !simulation.is_finished() && passage.failure.is_none() {
        desk.signals.check()?;
        match simulation.step() {
            Ok(status) => {
                passage.steps += 1;
                passage.halved += status.rejected.len();
                passage.iterations += status.report.iterations;
            }
            Err(error) => passage.failure = Some(error.to_string()),
        }
    }
    passage.seconds = watch.seconds();
    Ok(passage)
}

impl Passage {
    fn facts(&self) -> Value {
        let Self { seconds, steps, halved, iterations, failure } = self;
        json!({
            "processor_seconds": seconds, "steps": steps, "refused_steps": halved, "iterations": iterations,
            "failure": failure,
        })
    }

    fn text(&self) -> String {
        match &self.failure {
            None => format!("{:.0} s", self.seconds),
            Some(cause) => format!("failed: {cause}"),
        }
    }
}

impl Line {
    fn ratio(&self) -> f64 {
        self.explicit.seconds / self.implicit.seconds
    }

    fn facts(&self) -> Value {
        json!({
            "scene": self.row.label, "particles": self.particles, "time": self.time,
            "implicit": self.implicit.facts(), "explicit": self.explicit.facts(), "explicit_over_implicit": self.ratio(),
        })
    }
}

fn report(lines: &[Line]) -> String {
    let mut text = "# zhou-scenes\n\nThe scenes of Zhou 2013, Table 1, from just before the impact to rest: processor \
                    seconds of the implicit method at 2 ms and of the explicit mode that keeps the rest pose.\n\n\
                    | scene | particles | simulated | implicit | iterations a step | explicit, kept | kept / implicit |\n\
                    | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for line in lines {
        let Line { row, particles, time, implicit, explicit } = line;
        let _ = writeln!(
            text,
            "| {} | {particles} | {time} s | {} | {:.0} | {} | {:.2} |",
            row.label,
            implicit.text(),
            implicit.iterations as f64 / implicit.steps.max(1) as f64,
            explicit.text(),
            line.ratio()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_that_ends_early_is_not_a_time() {
        let passage = |seconds, failure| Passage { seconds, steps: 10, halved: 0, iterations: 300, failure };
        let (implicit, explicit) = (passage(10.0, None), passage(20.0, Some("it flew away".to_owned())));
        let row = &ROWS[4];
        let text = report(&[Line { row, particles: 7, time: 2.0, implicit, explicit }]);
        let expected = "| Angry Birds | 7 | 2 s | 10 s | 30 | failed: it flew away | 2.00 |";
        assert_eq!(text.lines().last(), Some(expected));
    }
}
