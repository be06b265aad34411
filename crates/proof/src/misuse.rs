//! R18: unusual surroundings give the same bits or a clear error.

use std::fs;
use std::io;

use crate::scenes::Case;
use crate::{Answer, Lab, Report, Room};

/// Any exit code the program names in its help, success aside.
const ERRORS: [i32; 4] = [2, 3, 4, 5];
/// The options of every run, the output folder aside.
const RUN: &str = "\"$PLIANT\" run elastic.toml --no-render --quiet --out run";

/// Surroundings as scripts, and whether the run must succeed in them.
const SURROUNDINGS: [(&str, &str, bool); 14] = [
    ("comma locale", "LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8", true),
    ("no locale", "env -i", true),
    ("no home, no terminal", "env -u HOME -u TERM", true),
    ("one thread by environment", "RAYON_NUM_THREADS=1", true),
    ("lowest priority", "nice -n 19", true),
    ("one core", "taskset -c 0", true),
    ("closed stdin", "exec 0<&-;", true),
    ("closed stdout", "exec 1>&-;", true),
    ("closed stderr", "exec 2>&-;", true),
    ("full stderr", "exec 2>/dev/full;", true),
    ("nobody reads", "exec 1> >(true);", true),
    ("address space of 60 MB", "ulimit -v 60000;", false),
    ("eight open files", "ulimit -n 8;", false),
    ("no process may be started", "ulimit -u 1;", false),
];

/// Folders with names that programs trip over.
const FOLDERS: [&str; 4] = ["with a space", "ünïcødé 文件", "-dash", "quote'\"$"];

/// Tries every surrounding and every name.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, case: &Case) -> io::Result<Report> {
    let mut report = Report::new("R18", "misuse");
    let home = lab.room()?;
    home.simulate(case, "run", &[])?;
    let expected = home.view("run").committed();
    let (mut same, mut refused) = (0, 0);
    let mut judge = |what: &str, answer: &Answer, room: &Room, run: &str, must_succeed: bool| {
        let is_same = answer.is_success() && room.view(run).committed() == expected;
        let is_refused = !must_succeed && answer.is_clear_error(&ERRORS);
        report.expect((is_same || is_refused) && !answer.is_defect(), || {
            format!("{what}: {}", answer.describe())
        });
        same += usize::from(is_same);
        refused += usize::from(is_refused);
    };
    for (what, prefix, must_succeed) in SURROUNDINGS {
        let room = lab.room()?;
        case.place_in(&room)?;
        judge(what, &room.script(&script(prefix))?, &room, "run", must_succeed);
    }
    for name in FOLDERS {
        let room = lab.room()?;
        case.place_in(&room)?;
        fs::create_dir(room.path().join(name))?;
        fs::rename(room.path().join("elastic.toml"), room.path().join(name).join("the scene.toml"))?;
        let (scene, out) = (format!("./{name}/the scene.toml"), format!("./{name}/its run"));
        let answer = room.ask(&["run", &scene, "--no-render", "--quiet", "--out", &out])?;
        judge(name, &answer, &room, &out, true);
    }
    for (length, must_succeed) in [(200, true), (3000, true), (5000, false)] {
        let room = lab.room()?;
        let deep = "long-name-of-a-folder/".repeat(length / 22);
        let answer = room.simulate(case, &format!("{deep}run"), &[])?;
        judge(&format!("path of {length} letters"), &answer, &room, &format!("{deep}run"), must_succeed);
    }
    let tried = SURROUNDINGS.len() + FOLDERS.len() + 3;
    report.summary = format!(
        "{tried} unusual surroundings: {same} with the same hash, {refused} refused with a clear error"
    );
    report.figure("surroundings", tried);
    report.figure("same", same);
    report.figure("refused", refused);
    Ok(report)
}

/// The run behind a prefix; `exec` and `ulimit` change the shell itself, others start the program.
fn script(prefix: &str) -> String {
    format!("{prefix} {RUN}")
}
