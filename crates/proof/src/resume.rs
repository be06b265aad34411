//! R3: a run stopped at any step and resumed, on other numbers of threads, ends with the same bits in every file.

use std::collections::BTreeMap;
use std::io;

use crate::scenes::Case;
use crate::{Lab, Report, Room};

/// Exports whose files are compared byte by byte.
const FORMATS: &str = r#"output.formats=["vtp", "csv"]"#;

/// What an uninterrupted run leaves: committed frames and exported files.
type Whole = (Vec<(u32, String)>, Vec<(std::path::PathBuf, Vec<u8>)>);

/// Interrupts `count` runs of random cases at random times and resumes them.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, cases: &[Case], count: usize) -> io::Result<Report> {
    let mut report = Report::new("R3", "resume");
    let mut random = lab.random(3);
    let mut wholes: BTreeMap<String, Whole> = BTreeMap::new();
    let mut identical = 0;
    for trial in 0..count {
        let case = cases[random.below(cases.len())].clone().with(FORMATS);
        if !wholes.contains_key(&case.name) {
            wholes.insert(case.name.clone(), left_by(&lab.uninterrupted(&case)?.0));
        }
        let stop = format!("{:.5}", random.between(0.0, case.duration));
        let threads = [1 + random.below(4), 1 + random.below(4)].map(|count| count.to_string());
        let room = lab.room()?;
        let first = room.simulate(&case, "run", &["--stop-at", &stop, "--threads", &threads[0]])?;
        let second = room.ask(&["resume", "run", "--no-render", "--quiet", "--threads", &threads[1]])?;
        let what = format!("trial {trial}, {} stopped at {stop} s", case.name);
        let went_on = first.is_success() && second.is_success();
        report.expect(went_on, || format!("{what}: {}; {}", first.describe(), second.describe()));
        let equal = wholes.get(&case.name) == Some(&left_by(&room));
        report.expect(equal, || format!("{what}: frames or exported files differ"));
        identical += usize::from(went_on && equal);
    }
    report.summary = format!(
        "{count} interruptions of {} scenes, {identical}/{count} identical in state and exports",
        wholes.len()
    );
    report.figure("interruptions", count);
    report.figure("identical", identical);
    Ok(report)
}

fn left_by(room: &Room) -> Whole {
    let view = room.view("run");
    (view.committed(), [view.contents("vtp"), view.contents("csv")].concat())
}
